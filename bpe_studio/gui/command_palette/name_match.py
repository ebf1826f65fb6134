"""How well a text matches a name: by words and their beginnings, or as a part of the name.

Words may also be synonyms that the name does not show. Pure functions on strings: it knows no
window and sorts nothing. A name is prepared once (`prepare`) and then matched at every key; five
hundred names take a few milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

MAIN_PART = 2.0
LENGTH = 0.02
BY_WORDS = 1000.0
"""For a name that has each word of the text, or one that begins with it."""
WHOLE_WORD = 40.0
"""For each word that is there as a whole."""
EXACT_NAME = 500.0
"""For a name that is typed whole: it comes before others that have its words and were used last."""

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
"""Words of names that say nothing, but are tokens that people look for."""


class Match(NamedTuple):
    """A match: its score, where higher is better, and the indices of the matched letters of the
    name.
    """

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
    """Prepares a name.

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
    return (
        None
        if place < 0
        else Match(-LENGTH * len(target.name), tuple(range(place, place + len(query))))
    )


def _match_words(query: str, target: Target) -> Match | None:
    """The match of a text each of whose words is, or begins, a word of the name or a synonym."""
    score = BY_WORDS - LENGTH * len(target.name)
    places: list[int] = []
    wanted_words = [word for word in _WORD.findall(query) if word not in _LITTLE]
    for wanted in wanted_words:
        best = 0.0
        best_at = -1
        for word, at in target.words:
            if word.startswith(wanted):
                value = 1.0 + WHOLE_WORD * (word == wanted) + MAIN_PART * (at >= target.main_from)
                if value > best:
                    best = value
                    best_at = at
        if not best:
            return None
        score += best
        places += range(best_at, best_at + len(wanted)) if best_at >= 0 else []
    if not wanted_words:
        return None
    if query in (target.name, target.name[target.main_from :].removesuffix("…")):
        score += EXACT_NAME
    return Match(score, tuple(sorted(set(places))))


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter
