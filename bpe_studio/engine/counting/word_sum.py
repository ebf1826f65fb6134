"""Adds up tables of counted words, in the order in which the words are first seen.

A few words are added up in a dictionary, so that nothing needs to be compiled; many in the hash
table of the kernels.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.counting.corpus import MOST_SYMBOLS, too_many
from bpe_studio.engine.counting.plain_counting import words_of
from bpe_studio.engine.counting.word_table import Words, WordTable

FEW = 1 << 16
"""Up to this many rows are added up without kernels."""


class WordSum:
    """The sum of tables of counted words."""

    def __init__(self) -> None:
        self._few: dict[bytes, int] | None = {}
        self._table: WordTable | None = None
        self._total = 0.0

    def __len__(self) -> int:
        return len(self._few) if self._few is not None else len(self._of_many())

    def add(self, words: Words) -> None:
        """Add a table; new words are appended, and those with count 0 left out.

        Raises:
            CorpusError: the counts add up to too many.
        """
        if not words.counts.all():
            words = _without_zeros(words)
        self._total += float(words.counts.sum(dtype=np.float64))
        if self._total > MOST_SYMBOLS:
            raise too_many()
        if self._few is None or len(self._few) + len(words.counts) > FEW:
            self._of_many().add(words)
            return
        for word, count in words.rows():
            self._few[word] = self._few.get(word, 0) + count

    def words(self) -> Words:
        """The sum."""
        return words_of(self._few) if self._few is not None else self._of_many().words()

    def _of_many(self) -> WordTable:
        if self._table is None:
            self._table = WordTable()
            self._table.add(words_of(self._few or {}))
            self._few = None
        return self._table


def _without_zeros(words: Words) -> Words:
    lengths = np.diff(words.offsets)
    is_kept = words.counts > 0
    blob = words.blob[words.offsets[0] : words.offsets[-1]][np.repeat(is_kept, lengths)]
    return Words(
        blob,
        np.concatenate([[0], np.cumsum(lengths[is_kept])]).astype(np.int64),
        words.counts[is_kept],
    )
