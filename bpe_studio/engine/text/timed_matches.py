"""The matches of a person's own expression, within limits of time: for one match, and for a whole
text.

An expression may take a time that grows with the square of the text, or worse. `regex` itself
limits the time of one match. Many matches that each stay below that limit have a budget of
processor time for the whole text, which is far more than usual expressions need.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

import regex

BUDGET_S = 5.0
BUDGET_S_PER_CHARACTER = 10e-6
"""The budget of a text; usual expressions need less than a microsecond a character."""

_MOST_AT_ONCE = 1024
_FAR = 1 << 16
"""Where matches are few, about this many characters are searched at a time."""


class TimeBudget:
    """The processor time that an expression may still take for a text, or for many.

    Args:
        base_s: the seconds that any text may take.
        s_per_character: the seconds that each of its characters adds.
    """

    def __init__(self, base_s: float | None = None, s_per_character: float | None = None) -> None:
        self._left_s = BUDGET_S if base_s is None else base_s
        self._s_per_character = (
            BUDGET_S_PER_CHARACTER if s_per_character is None else s_per_character
        )

    def add_text(self, n_characters: int) -> None:
        """Add the time that a text of this length may take."""
        self._left_s += n_characters * self._s_per_character

    def spend(self, seconds: float) -> None:
        """Take time off the budget.

        Raises:
            TimeoutError: no time is left.
        """
        self._left_s -= seconds
        if self._left_s < 0:
            raise TimeoutError


def match_batches(
    pattern: regex.Pattern[str],
    text: str,
    place: int,
    budget: TimeBudget,
    *,
    timeout_s: float,
) -> Iterator[list[regex.Match[str]]]:
    """The matches from a place on, in batches; the last match of a batch is not empty.

    Args:
        pattern: the expression.
        text: the text.
        place: where to begin.
        budget: the time that all matches together may take.
        timeout_s: the seconds that one match may take.

    Raises:
        TimeoutError: one match, or all together, take too long.
    """
    # The time limit of `finditer` counts from its start. So it is started again after a while, and
    # where the limit was reached: from then on for one match at a time. A search from right to left
    # cannot be started again.
    most = 8
    bound = _MOST_AT_ONCE
    goes_back = bool(pattern.flags & regex.REVERSE)
    while True:
        begun = time.perf_counter()
        found = pattern.finditer(text, place, timeout=timeout_s, concurrent=True)
        while True:
            before = time.thread_time()
            is_late = False
            batch: list[regex.Match[str]] = []
            try:
                batch = list(islice(found, most))
            except TimeoutError:
                is_late = True
            budget.spend(time.thread_time() - before)
            if is_late:
                if most == 1 or goes_back:
                    raise TimeoutError
                most = 1
                bound = 1
                break
            if not batch:
                return
            if not is_full(batch[-1]):
                batch = list(filter(is_full, batch))
            if batch:
                yield batch
                if not goes_back:
                    is_dense = batch[-1].end() < place + _FAR // 4
                    most = min(most * 2, bound) if is_dense else max(most // 2, 1)
                    place = batch[-1].end()
                    if time.perf_counter() - begun > timeout_s / 2:
                        break


def is_full(match: regex.Match[str]) -> bool:
    """Whether a match is not empty."""
    return bool(match.end() > match.start())
