"""Jobs that go on beside the worker: what they say, return and raise comes through, and a stop is
not waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import Any

import pytest

from bpe_studio.workspace.thread_job import run_in_thread

PATIENCE_S = 5.0


def test_news_and_result_come_through() -> None:
    told = []
    go_on = threading.Event()

    def work() -> Generator[str, None, int]:
        yield "half"
        assert go_on.wait(PATIENCE_S)
        return 7

    job = run_in_thread(work)
    with pytest.raises(StopIteration) as stop:
        while True:
            news = next(job)
            if news is not None:
                told.append(news)
                go_on.set()
    assert told == ["half"]
    assert stop.value.value == 7


def test_what_the_job_raises_is_raised() -> None:
    def work() -> Generator[None, None, None]:
        yield
        raise ValueError("no such text")

    with pytest.raises(ValueError, match="no such text"):
        for _ in run_in_thread(work):
            pass


def test_stopping_does_not_wait_for_a_long_call_and_still_closes_the_job() -> None:
    begun = threading.Event()
    go_on = threading.Event()
    closed = threading.Event()

    def work() -> Generator[None, None, None]:
        try:
            begun.set()
            go_on.wait(PATIENCE_S)
            yield
            raise AssertionError("the job went on after it was stopped")
        finally:
            closed.set()

    job: Generator[Any, None, Any] = run_in_thread(work)
    next(job)
    assert begun.wait(PATIENCE_S)
    job.close()
    assert not closed.is_set(), "the call is still under way when the stop has been answered"
    go_on.set()
    assert closed.wait(PATIENCE_S)
