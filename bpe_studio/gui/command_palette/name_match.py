"""The match of a text in a name: by words and their beginnings, or as a part of the name.
Words may also be synonyms that the name does not show. These are pure functions on strings; they
sort nothing. A name is prepared once (`prepare`) and then matched at every key; five hundred names
take a few milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

MAIN_PART = 2.0
LENGTH = 0.02
BY_WORDS = 1000.0
"""The score of a name that has each word of the text, or a word that begins with it."""
WHOLE_WORD = 40.0
"""The score of each word that is in the name as a whole."""
EXACT_NAME = 500.0
"""The score of the whole name, so that it comes before recently used ones that have its words."""

_WORD = re.compile(r"\w+")
_LITTLE = frozenset(
    (
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "with",
    )
)
"""Words that are ignored: they say nothing in a name, but are tokens that users look for."""


class Match(NamedTuple):
    """A match: its score (higher is better) and the indices of the matched letters of the name."""

    score: float
    places: tuple[int, ...]

    @property
    def is_by_words(self) -> bool:
        """Whether each word of the text is, or begins, a word of the name or a synonym."""
        return self.score >= BY_WORDS / 2


@dataclass(frozen=True, slots=True)
class Target:
    """A prepared name.

    Attributes:
        name: the name in lowercase, with as many characters as the shown one.
        words: its words, and where each begins; -1 for a synonym.
        main_from: the index at which its main part begins.
    """

    name: str
    words: tuple[tuple[str, int], ...]
    main_from: int


def prepare(name: str, main_from: int = 0, synonyms: str = "") -> Target:
    """Prepare a name.

    Args:
        name: the name.
        main_from: the index at which its main part begins; matches there score a little more.
        synonyms: further words that find it.
    """
    small = "".join(map(_small, name))
    found = [(each.group(), each.start()) for each in _WORD.finditer(small)]
    words = [each for each in found if each[0] not in _LITTLE]
    words += [(word, -1) for word in synonyms.lower().split()]
    return Target(small, tuple(words), main_from)


def match(query: str, target: Target) -> Match | None:
    """The best match of a query in a name, or None; case is ignored.

    Example:
        `match("st b", prepare("Step back")).places` is `(0, 1, 5)`.
    """
    query = "".join(map(_small, query)).strip()
    if not query:
        return Match(0.0, ())
    by_words = _match_words(query, target)
    if by_words is not None:
        return by_words
    place = target.name.find(query)
    if place < 0:
        return None
    return Match(-LENGTH * len(target.name), tuple(range(place, place + len(query))))


def _match_words(query: str, target: Target) -> Match | None:
    """The match of a text whose words all are, or begin, words of the name or synonyms."""
    score = BY_WORDS - LENGTH * len(target.name)
    places: list[int] = []
    wanted_words = [word for word in _WORD.findall(query) if word not in _LITTLE]
    for wanted in wanted_words:
        best = 0.0
        best_at = -1
        for word, at in target.words:
            if word.startswith(wanted):
                value = 1.0
                if word == wanted:
                    value += WHOLE_WORD
                if at >= target.main_from:
                    value += MAIN_PART
                if value > best:
                    best = value
                    best_at = at
        if not best:
            return None
        score += best
        if best_at >= 0:
            places += range(best_at, best_at + len(wanted))
    if not wanted_words:
        return None
    if query in (target.name, target.name[target.main_from :].removesuffix("…")):
        score += EXACT_NAME
    return Match(score, tuple(sorted(set(places))))


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter
