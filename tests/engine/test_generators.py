"""Work inside work: news in other words, the result, what it raises, and its end.

And the result at once.
"""

from __future__ import annotations

import pytest

from bpe_studio.engine.generators import relay


def work(log, n=3):
    try:
        yield from range(n)
    finally:
        log.append("closed")
    return "result"


def all_of(generator):
    news = []
    while True:
        try:
            news.append(next(generator))
        except StopIteration as stop:
            return news, stop.value


@pytest.mark.parametrize("n", [0, 1, 3])
def test_news_are_translated_and_the_result_comes_through(n):
    log = []
    assert all_of(relay(work(log, n), str)) == ([str(k) for k in range(n)], "result")
    assert log == ["closed"]


def test_what_the_job_raises_comes_through():
    def failing():
        yield 1
        raise ValueError("no")

    outer = relay(failing(), str)
    assert next(outer) == "1"
    with pytest.raises(ValueError, match="no"):
        next(outer)


def test_closing_the_outer_job_closes_the_inner_one():
    log = []
    outer = relay(work(log), str)
    next(outer)
    outer.close()
    assert log == ["closed"]
