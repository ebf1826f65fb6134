"""How well a text matches a name: by whole words and their beginnings, or by a few letters in their order.

Words may also be synonyms that the name does not show. Otherwise all letters must occur in the name, in order, and
letters at word starts have a higher weight.

Pure functions on strings: it knows no window and sorts nothing. A name is prepared once (`prepare`) and then matched at
every key; five hundred names take a few milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

WORD_START = 8.0
NEIGHBOUR = 7.0
MAIN_PART = 2.0
GAP = 0.3
LONGEST_GAP = 12
LENGTH = 0.02
BY_WORDS = 1000.0
"""For a name that has each word of the text, or one that begins with it."""
WHOLE_WORD = 40.0
"""For each word that is there as a whole."""
EXACT_NAME = 500.0
EXACT = 5.0
"""For a name that is typed whole: it comes before one that its letters also fit and that was used last."""


_WORD = re.compile(r"\w+")
_LITTLE = frozenset(
    ("a", "an", "and", "as", "at", "by", "in", "is", "it", "of", "on", "or", "that", "the", "to", "with")
)
"""Words of names that say nothing, but are tokens that people look for."""


class Match(NamedTuple):
    """A match: its score, where higher is better, and the indices of the matched letters of the name."""

    score: float
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A prepared name.

    Attributes:
        name: the name as it is shown.
        places: the indices of each letter, in lowercase.
        weights: the score of matching the k-th letter.
        main: its main part in lowercase, without white space.
        words: its words in lowercase, and where each begins; -1 for a synonym.
        main_from: the index at which its main part begins.
    """

    name: str
    places: dict[str, list[int]]
    weights: list[float]
    main: str = ""
    words: tuple[tuple[str, int], ...] = ()
    main_from: int = 0


def prepare(name: str, main_from: int = 0, synonyms: str = "") -> Target:
    """Prepares a name.

    Args:
        name: the name.
        main_from: the index at which its main part begins; matches there score a little more.
        synonyms: further words that find it.
    """
    places: dict[str, list[int]] = {}
    weights = []
    is_inside = False
    for place, letter in enumerate(name):
        places.setdefault(_small(letter), []).append(place)
        weights.append((0.0 if is_inside else WORD_START) + (MAIN_PART if place >= main_from else 0.0))
        is_inside = letter.isalnum()
    found = [(each.group().lower(), each.start()) for each in _WORD.finditer(name)]
    words = [each for each in found if each[0] not in _LITTLE]
    words += [(word, -1) for word in synonyms.lower().split()]
    return Target(name, places, weights, _squeezed(name[main_from:].removesuffix("…")), tuple(words), main_from)


def match(query: str, target: Target) -> Match | None:
    """The best match of a query in a name, or None.

    White space in the query is ignored, and so is case.

    Example:
        `match("sb", prepare("Step back")).places` is `(0, 5)`.
    """
    letters = [_small(letter) for letter in query if not letter.isspace()]
    if not letters:
        return Match(0.0, ())
    by_words = _match_words(query, target)
    return by_words if by_words is not None else _match_letters(query, letters, target)


def _match_words(query: str, target: Target) -> Match | None:
    """The match of a text each of whose words is, or begins, a word of the name or a synonym."""
    score = BY_WORDS - LENGTH * len(target.name)
    places: list[int] = []
    wanted_words = [word for word in _WORD.findall(query.lower()) if word not in _LITTLE]
    for wanted in wanted_words:
        best, best_at = 0.0, -1
        for word, at in target.words:
            if word.startswith(wanted):
                value = 1.0 + WHOLE_WORD * (word == wanted) + MAIN_PART * (at >= target.main_from)
                if value > best:
                    best, best_at = value, at
        if not best:
            return None
        score += best
        places += range(best_at, best_at + len(wanted)) if best_at >= 0 else []
    if not wanted_words:
        return None
    if _squeezed(query) in (target.main, _squeezed(target.name)):
        score += EXACT_NAME
    return Match(score, tuple(sorted({place for place in places if place < len(target.name)})))


def _match_letters(query: str, letters: list[str], target: Target) -> Match | None:
    weights = target.weights
    rows: list[list[tuple[float, int, int]]] = []  # for each letter: score, index, previous match
    for letter in letters:
        found = target.places.get(letter)
        if found is None:
            return None
        row: list[tuple[float, int, int]] = []
        if not rows:
            row = [(weights[place], place, -1) for place in found]
        else:
            before = rows[-1]
            for place in found:
                best, best_k = 0.0, -1
                for k, (score, last, _) in enumerate(before):
                    gap = place - last - 1
                    if gap < 0:
                        break
                    score += NEIGHBOUR if gap == 0 else -GAP * min(gap, LONGEST_GAP)
                    if best_k < 0 or score > best:
                        best, best_k = score, k
                if best_k >= 0:
                    row.append((best + weights[place], place, best_k))
        if not row:
            return None
        rows.append(row)
    whole = _best(rows, len(target.name))
    return whole._replace(score=whole.score + EXACT) if _squeezed(query) == target.main else whole


def _best(rows: list[list[tuple[float, int, int]]], length: int) -> Match:
    """Traces the best last match back to the first letter."""
    k = max(range(len(rows[-1])), key=lambda number: rows[-1][number][0])
    score = rows[-1][k][0] - LENGTH * length
    places = []
    for row in reversed(rows):
        _, place, k = row[k]
        places.append(place)
    return Match(score, tuple(reversed(places)))


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())


def _small(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter
