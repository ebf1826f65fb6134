"""Splits a text into pre-tokens, which no merge crosses.

A split is a name (`gpt2`, `words`, ...) or a custom regular expression. Text that the expression
does not match is dropped. `counting/corpus.py` counts the pre-tokens, and `alphabet.py` adds marks
such as `</w>`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import regex

from bpe_studio.engine.presets import PATTERNS, WORD_STARTS, pattern_of
from bpe_studio.engine.text.timed_matches import TimeBudget, is_full, match_batches
from bpe_studio.errors import PatternError

MATCH_TIMEOUT_S = 2.0
"""The seconds that a custom expression may search for one batch of matches."""

MAX_REPEATS = 100_000
"""The most copies that the counted repetitions of an expression may make: each takes memory."""

SELF_SYNCING = frozenset(PATTERNS.keys() - {"digits-right", "superwords", *WORD_STARTS})
"""Splits by which an edit changes no pre-token before the one just in front of it."""
_LINEAR = PATTERNS.keys() - {"digits-right"}
"""Splits that look ahead at one character at most, so that no text takes them longer."""


@lru_cache(maxsize=64)
def compile_split(split: str) -> regex.Pattern[str]:
    """The compiled expression of a split other than `none`.

    Raises:
        PatternError: a custom expression is not valid.
    """
    pattern = pattern_of(split)
    if split in PATTERNS:
        return regex.compile(pattern)
    repeats = [int(most or least) for least, most in regex.findall(r"\{(\d+),?(\d*)\}", pattern)]
    if math.prod(count for count in repeats if count >= 50) > MAX_REPEATS:
        raise PatternError(
            f"The regular expression {pattern!r} repeats parts too many times (more than"
            f" {MAX_REPEATS:,} in all); write smaller numbers, or + for any number"
        )
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        place = getattr(error, "pos", None)
        where = "" if place is None else f" at position {place}"
        message = getattr(error, "msg", None) or str(error)
        raise PatternError(
            f"The regular expression {pattern!r} is not valid: {message}{where}; correct it there"
        ) from None


def spans(
    text: str, split: str, start: int = 0, budget: TimeBudget | None = None
) -> Iterator[tuple[int, int]]:
    """The pre-tokens of a text as (start, end) in code points, from left to right.

    Args:
        text: the (normalized) text.
        split: the name of a split, or `regex:PATTERN`.
        start: where to begin, which must be the start of a pre-token.
        budget: the time that a typed expression may take, to which that for this text is added;
            `None` for a new one.

    Raises:
        PatternError: the expression is not valid, or takes too long: `MATCH_TIMEOUT_S` on one
            match, or what the budget has for all.
    """
    if split == "none":
        if start < len(text):
            yield start, len(text)
        return
    pattern = compile_split(split)
    if split in _LINEAR:
        for match in pattern.finditer(text, start):
            yield match.span()
        return
    budget = TimeBudget() if budget is None else budget
    budget.add_text(len(text) - start)
    try:
        for batch in match_batches(pattern, text, start, budget, timeout_s=MATCH_TIMEOUT_S):
            for match in batch:
                if is_full(match):
                    yield match.span()
    except TimeoutError:
        raise takes_too_long(pattern.pattern) from None


def takes_too_long(pattern: str) -> PatternError:
    """The error of an expression that takes too long."""
    return PatternError(
        f"The regular expression {pattern!r} took too long: more than {MATCH_TIMEOUT_S:g} seconds"
        " on one match, or far more than others on the whole text; avoid nested repetitions, such"
        " as (a+)+, and long look-aheads"
    )


def pre_tokens(text: str, split: str, budget: TimeBudget | None = None) -> Iterator[str]:
    """The pre-tokens of a text; each with the mark of its split."""
    mark = WORD_STARTS.get(split, "")
    if split == "none":
        if text:
            yield text
    elif split in _LINEAR:
        for match in compile_split(split).finditer(text):
            yield mark + match.group()
    else:
        for start, end in spans(text, split, budget=budget):
            yield text[start:end]
