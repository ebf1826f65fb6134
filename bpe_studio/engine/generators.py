"""Helpers for generators that work in steps: they pass on the news, or give the result."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

News = TypeVar("News")
Translated = TypeVar("Translated")
Result = TypeVar("Result")
Report = Callable[[int, int], object]
"""Called with how much is done, and how much there is."""


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


def result_of(
    work: Generator[News, None, Result], on_news: Callable[[News], object] | None = None
) -> Result:
    """Runs a generator to its end, and returns its result.

    Args:
        work: the generator.
        on_news: called with each of its news.

    >>> result_of(relay((number for number in range(3)), str)) is None
    True
    """
    results: list[Result] = []

    def kept() -> Generator[News, None, None]:
        results.append((yield from work))

    for news in kept():
        if on_news is not None:
            on_news(news)
    return results[0]
