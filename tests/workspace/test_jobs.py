"""The worker: batches, ends, and a clean close whatever it is doing."""

from __future__ import annotations

import threading
import time

import pytest

from bpe_studio.errors import Cancelled
from bpe_studio.workspace.jobs import _OPEN, Jobs, Outcome


@pytest.fixture
def jobs(qapp):
    made = Jobs()
    yield made
    made.shutdown()


@pytest.fixture
def run(jobs, settled, qtbot):
    """Runs a generator function as a job and returns its batches and its end."""

    def run_to_the_end(make, after_start=lambda number: None):
        batches = []
        ends = []
        after_start(jobs.start(make, batches.append, ends.append))
        qtbot.waitUntil(lambda: bool(ends))
        settled(jobs)
        assert len(ends) == 1
        return batches, ends[0]

    return run_to_the_end


def test_a_job_returns_its_result_and_runs_elsewhere(run):
    def work():
        yield None
        return threading.get_ident()

    batches, ended = run(work)
    assert batches == []
    assert ended.outcome is Outcome.finished
    assert ended.result != threading.get_ident()


def test_cancelled_is_no_error(run):
    def work():
        yield
        raise Cancelled

    assert run(work)[1].outcome is Outcome.stopped


def test_a_stopped_job_tidies_up_and_ends_once(run, jobs, qtbot):
    begun = []
    tidied = []

    def work():
        try:
            while True:
                time.sleep(0.001)
                begun.append(True)
                yield
        finally:
            tidied.append(True)

    def stop_twice(number):
        qtbot.waitUntil(lambda: bool(begun))
        jobs.stop(number)
        jobs.stop(number)

    assert run(work, stop_twice)[1].outcome is Outcome.stopped
    assert tidied == [True]


def test_a_second_job_goes_first(jobs, qtbot):
    order = []

    def long():
        while not order:
            yield

    def short():
        yield

    jobs.start(long, order.append, lambda ended: order.append("long"))
    jobs.start(short, order.append, lambda ended: order.append("short"))
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["short", "long"]


def test_closing_ends_work_that_never_ends_by_itself_and_may_be_repeated(jobs, qtbot):
    def work():
        while True:
            time.sleep(0.001)
            yield 1

    heard = []
    jobs.start(work, heard.append, heard.append)
    qtbot.waitUntil(lambda: bool(heard))
    thread, _ = jobs._threads
    jobs.shutdown()
    jobs.shutdown()
    assert thread.isFinished() and thread not in _OPEN
    jobs.start(work, heard.append, heard.append)
