"""A job inside a job: translates its news, and returns its result. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

News = TypeVar("News")
Translated = TypeVar("Translated")
Result = TypeVar("Result")


def relay(
    work: Generator[News, None, Result], translate: Callable[[News], Translated]
) -> Generator[Translated, None, Result]:
    """Runs a generator, yields `translate(news)` for each of its news, and returns its result.

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
