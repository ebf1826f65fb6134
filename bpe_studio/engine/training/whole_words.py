"""The words from which training drops characters, cut as tokenizers cut them.

A limit of the alphabet makes neighbours of the characters around those that it drops, as in Hugging
Face, and merges are counted in what is left. A tokenizer has the unknown token, or bytes, in their
place, across which nothing merges. The tokens of the corpus, at each step, are those of the
tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.corpus_array import CorpusArray, Shortened


class WholeWords:
    """Gap ranks for the words that training shortens.

    Args:
        layout: the corpus as it is trained on.
        shortened: its words that are longer in the text.

    Attributes:
        layout: the same words as tokenizers write them.
        gaps: their gap ranks; see `Run.gaps`.
        n_more_tokens: the tokens that the corpus has in addition to those that are trained on, at
            the end of the run.
    """

    def __init__(self, layout: CorpusArray, shortened: Shortened) -> None:
        self._words, self.layout = shortened
        self._trained = layout.places_in(self._words)
        self._trained_lengths = layout.lengths[self._words]
        self.gaps = self.layout.no_gaps_closed()
        self.n_more_tokens = self.layout.n_tokens - int(
            (self._trained_lengths * self.layout.weights).sum()
        )

    def number_of(self, word: int) -> int | None:
        """The number of a word in `layout`; `None` if training does not shorten it."""
        place = int(np.searchsorted(self._words, word))
        return place if word in self._words[place : place + 1] else None

    def follow(
        self, run: Run, left: Int32Array | Int64Array, right: Int32Array | Int64Array
    ) -> Int64Array:
        """Make the merges that come next.

        Args:
            run: the run, whose gap ranks have these merges and whose columns do not have them yet.
            left: (k,) the left token of each.
            right: (k,) the right token.

        Returns:
            (k,) int64, `n_more_tokens` after each.
        """
        known = len(run.columns)
        lefts = np.concatenate([run.columns.left[:known], left]).astype(np.int64)
        rights = np.concatenate([run.columns.right[:known], right]).astype(np.int64)
        ranks = np.arange(len(lefts))
        pairs = PairTable(lefts, rights, ranks, ranks + run.token_of(0))
        is_symbol = self.layout.symbols >= 0
        firsts = self.layout.word_starts - np.arange(1, len(self.layout.word_starts) + 1)
        gaps = close_words(self.layout.symbols[is_symbol], firsts, pairs)
        self.gaps[is_symbol] = gaps
        closed = _closed(gaps, self.layout.lengths, self.layout.weights, len(lefts))
        trained = run.gaps[self._trained]
        closed -= _closed(trained, self._trained_lengths, self.layout.weights, len(lefts))
        n_more = self.n_more_tokens - np.cumsum(closed[known:])
        if len(n_more):
            self.n_more_tokens = int(n_more[-1])
        return n_more

    def change_counts(self, counts: Int64Array, trained: Int32Array) -> None:
        """Count the symbols of the text instead of those that are trained on.

        Args:
            counts: (alphabet,) int64, how often each occurs.
            trained: the symbols that are trained on; see `CorpusArray.symbols`.
        """
        np.subtract.at(
            counts, trained[self._trained], np.repeat(self.layout.weights, self._trained_lengths)
        )
        counts += self.layout.symbol_counts()


def _closed(
    gaps: Int32Array, lengths: Int64Array, weights: Int64Array, n_merges: int
) -> Int64Array:
    """(n_merges,) int64, the number of gaps of some words that each merge closes in the text."""
    counts = np.zeros(n_merges + 1, np.int64)
    # Open gaps are counted in the last entry.
    np.add.at(counts, np.minimum(gaps, n_merges), np.repeat(weights, lengths))
    return counts[:-1]
