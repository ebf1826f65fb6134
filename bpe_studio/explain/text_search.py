"""Finds the tokens and the words of a corpus that are, begin with or contain a text.

All words are in one table of bytes, so that searching 300,000 of them takes a few milliseconds. The
table of the tokens is made once for each run, and grows with it. Call this in the thread pool.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run

MOST_FOUND = 4
"""The greatest number of tokens, and of words, in an answer."""
_MOST_PLACES = 2000
_SPELLED = 512
"""The number of tokens that are spelled between two pauses."""
_WORD_STARTS = (b" ", "▁".encode())
_FOLDED = np.arange(256, dtype=np.uint8)
_FOLDED[ord("A") : ord("Z") + 1] += 32


@dataclass(frozen=True)
class FoundText:
    """Tokens and words with a text, the best first: they are equal to the text, begin with it, or
    contain it.

    Attributes:
        text: the text that was looked for.
        tokens: the internal ids of tokens.
        words: the indices of words of the corpus.
    """

    text: str
    tokens: tuple[int, ...] = ()
    words: tuple[int, ...] = ()


class TextSearch:
    """Searches a run and its corpus; remembers the tokens of the last run."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._content = bytearray()
        self._ends = [0]

    def find(
        self, text: str, run: Run | None, corpus: Corpus | None
    ) -> Generator[None, None, FoundText]:
        """Find a text in tokens and words.

        White space around the text is ignored. If it has no ASCII capitals, it also finds them.

        Args:
            text: the text to look for.
            run: the run whose tokens are searched; None for no tokens.
            corpus: the corpus whose words are searched; None for no words.
        """
        needle = text.replace("␣", " ").strip().encode("utf-8", "surrogatepass")
        if not needle:
            return FoundText(text)
        words: list[int] = []
        tokens: list[int] = []
        if corpus is not None and len(corpus):
            words = best_places(corpus.blob, corpus.offsets, needle, -corpus.counts)
        yield
        if run is not None:
            yield from self._spell(run)
            content = np.frombuffer(bytes(self._content), np.uint8)
            ends = np.array(self._ends, np.int64)
            tokens = best_places(content, ends, needle, np.arange(len(ends) - 1))
        return FoundText(text, tuple(tokens), tuple(words))

    def _spell(self, run: Run) -> Generator[None, None, None]:
        if self._run is not run:
            self._run = run
            self._content = bytearray()
            self._ends = [0]
        n_tokens = run.token_of(len(run.merges))
        for token in range(len(self._ends) - 1, n_tokens):
            self._content += run.token_content(token)
            self._ends.append(len(self._content))
            if token % _SPELLED == 0:
                yield


def best_places(
    content: NDArray[np.uint8], offsets: NDArray[np.int64], needle: bytes, order: NDArray[np.int64]
) -> list[int]:
    """The rows of a table that are, begin with or contain some bytes, at most `MOST_FOUND`.

    Args:
        content: (n_bytes,) uint8, all rows end to end.
        offsets: (n + 1,) where each row begins, and the end of the last one.
        needle: the bytes to look for; without ASCII capitals, they also match capitals. A space or
            "▁" at the beginning of a row is ignored.
        order: (n,) among rows that match equally well, those with the smallest value come first.
    """
    folds = needle == needle.lower()
    starts = offsets[:-1].astype(np.int64)
    for mark in _WORD_STARTS:
        starts[_beginning_with(content, starts, offsets[1:], mark, folds=False)] += len(mark)
    begins = _beginning_with(content, starts, offsets[1:], needle, folds=folds)
    is_whole = offsets[begins + 1] - starts[begins] == len(needle)
    found = [*_first(begins[is_whole], order), *_first(begins[~is_whole], order)]
    if len(found) < MOST_FOUND and len(needle) > 1:
        inside = _containing(content.tobytes(), offsets, needle, folds=folds)
        found += _first(np.setdiff1d(inside, begins), order)
    return found[:MOST_FOUND]


def _beginning_with(
    content: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    needle: bytes,
    *,
    folds: bool,
) -> NDArray[np.int64]:
    """The rows that begin with some bytes."""
    rows = np.flatnonzero(ends - starts >= len(needle))
    for place, byte in enumerate(needle):
        letters = content[starts[rows] + place]
        if folds:
            letters = _FOLDED[letters]
        rows = rows[letters == byte]
    return rows


def _containing(
    content: bytes, offsets: NDArray[np.int64], needle: bytes, *, folds: bool
) -> NDArray[np.int64]:
    """The rows that hold one of the first `_MOST_PLACES` occurrences of some bytes."""
    text = content.lower() if folds else content
    at = -1
    places: list[int] = []
    while len(places) < _MOST_PLACES and (at := text.find(needle, at + 1)) >= 0:
        places.append(at)
    rows = np.searchsorted(offsets, places, "right") - 1
    return np.unique(rows[np.array(places, np.int64) + len(needle) <= offsets[rows + 1]])


def _first(rows: NDArray[np.int64], order: NDArray[np.int64]) -> list[int]:
    best = rows[np.argsort(order[rows], kind="stable")[:MOST_FOUND]]
    return [int(row) for row in best]
