"""Adds up tables of counted words, in the order in which the words are first seen.

A few words are added up in a dictionary, so that nothing needs to be compiled; many in the hash table of the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bpe_studio.engine.counting.plain_counting import words_of
from bpe_studio.engine.counting.word_table import Words, WordTable

FEW = 1 << 16
"""Up to this many rows are added up without kernels."""
_SAFE = 2.0**62


class WordSum:
    """The sum of tables of counted words."""

    def __init__(self) -> None:
        self._few: dict[bytes, int] | None = {}
        self._table: WordTable | None = None
        self._total = 0.0

    def __len__(self) -> int:
        return len(self._few) if self._few is not None else len(self._of_many())

    def add(self, words: Words) -> None:
        """Add a table after those before it; words that are new to it are appended, and those with count 0 left out."""
        if not words.counts.all():
            words = _without_zeros(words)
        self._total += float(words.counts.sum(dtype=np.float64))
        if self._total > _SAFE:
            # A sum may need more than 63 bits, which `words` says, unless it is divided among many words.
            few = self._in_dictionary()
        elif self._few is None or len(self._few) + len(words.counts) > FEW:
            self._of_many().add(words)
            return
        else:
            few = self._few
        for word, count in rows_of(words):
            few[word] = few.get(word, 0) + count

    def words(self) -> Words:
        """The sum.

        Raises:
            OverflowError: a count needs more than 63 bits.
        """
        return words_of(self._few) if self._few is not None else self._of_many().words()

    def _of_many(self) -> WordTable:
        if self._table is None:
            self._table = WordTable()
            self._table.add(words_of(self._few or {}))
            self._few = None
        return self._table

    def _in_dictionary(self) -> dict[bytes, int]:
        if self._few is None:
            self._few, self._table = dict(rows_of(self._of_many().words())), None
        return self._few


def rows_of(words: Words) -> Iterator[tuple[bytes, int]]:
    """Each word and its count."""
    content, counts, offsets = words.blob.tobytes(), words.counts, words.offsets
    for low in range(0, len(counts), 1 << 16):
        bounds = offsets[low : low + (1 << 16) + 1].tolist()
        some = counts[low : low + (1 << 16)].tolist()
        for start, end, count in zip(bounds, bounds[1:], some, strict=False):
            yield content[start:end], count


def _without_zeros(words: Words) -> Words:
    lengths, is_kept = np.diff(words.offsets), words.counts > 0
    blob = words.blob[words.offsets[0] : words.offsets[-1]][np.repeat(is_kept, lengths)]
    return Words(blob, np.concatenate([[0], np.cumsum(lengths[is_kept])]).astype(np.int64), words.counts[is_kept])
