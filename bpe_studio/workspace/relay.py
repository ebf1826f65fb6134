"""A job inside a job: its news in other words, and its result. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

News = TypeVar("News")
Told = TypeVar("Told")
Result = TypeVar("Result")


def relay(work: Generator[News, None, Result], translate: Callable[[News], Told]) -> Generator[Told, None, Result]:
    """Advances a generator, yields each of its news as `translate` gives it, and returns what it returns.

    Example:
        `data = yield from relay(packing, lambda news: Progress("Saving", *news, "bytes"))`
    """
    try:
        while True:
            try:
                news = next(work)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            yield translate(news)
    finally:
        work.close()
