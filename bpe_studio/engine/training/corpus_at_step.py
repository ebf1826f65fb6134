"""A run's corpus at any step: its tokens and its pairs.

Each function has a plain form with numpy, for a small corpus and for the time before the kernels
are compiled, and a compiled form (`kernels/states.py`); the tests compare the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.training.corpus_array import CorpusArray, Tokens
from bpe_studio.engine.training.corpus_array import tokens_at as plain_tokens_at

_N_SUMS = 1 << 17


@dataclass(frozen=True)
class PairCounts:
    """The pairs of neighbouring tokens, in no particular order.

    Attributes:
        pairs: (p,) int64, `left << 32 | right`.
        counts: (p,) int64, occurrences weighted by the pre-tokens' counts.
        firsts: (p,) int64, the position of the left token at the first occurrence.
    """

    pairs: Int64Array
    counts: Int64Array
    firsts: Int64Array


def tokens_at(
    layout: CorpusArray, gaps: Int32Array, step: int, start: int = 0, stop: int | None = None
) -> Tokens:
    """The tokens of the corpus, or of a part of it, after `step` merges.

    See `corpus_array.tokens_at`.
    """
    end = len(gaps) if stop is None else min(stop, len(gaps))
    if not loader.choose("states", end - start)[1]:
        return plain_tokens_at(layout, gaps, step, start, stop)
    ids, starts = _cut(layout, gaps, step, start, end)
    places = starts.astype(np.int64)
    return Tokens(ids, places, layout.words_of(places))


def symbols_at(layout: CorpusArray, gaps: Int32Array, step: int) -> Int32Array:
    """(n,) int32, the corpus after `step` merges, as training continues from it.

    The id of each token is at its first symbol and at its last one; -2 between, and -1 as in
    `layout.symbols`.
    """
    if step == 0:
        return layout.symbols.copy()
    starts: Int32Array | Int64Array
    if loader.choose("states", len(gaps))[1]:
        ids, starts = _cut(layout, gaps, step, 0, len(gaps))
    else:
        tokens = plain_tokens_at(layout, gaps, step)
        ids = tokens.ids
        starts = tokens.starts
    is_symbol = layout.symbols >= 0
    symbols = np.where(is_symbol, np.int32(-2), np.int32(-1))
    symbols[starts] = ids
    # A token ends where the next gap is open; gaps at separators are.
    is_symbol[:-1] &= gaps[1:] >= step
    symbols[is_symbol] = ids
    return symbols


class PairCounter:
    """Counts the pairs of the corpus after `step` merges, any number of times.

    It needs 16 bytes for each pair of neighbouring tokens in the distinct pre-tokens, and 1 MiB of
    sums; nothing is kept from one step to another.
    """

    def __init__(self, layout: CorpusArray, gaps: Int32Array, step: int) -> None:
        self._layout = layout
        self._gaps = gaps
        self._step = step
        self._kernel, self._is_compiled = loader.choose("states", len(gaps))
        if self._is_compiled:
            # Room for the largest possible number of pairs; memory that is not written to is not
            # allocated.
            self._pairs = np.empty(len(gaps) + 1, np.int64)
            self._firsts = np.empty(len(gaps) + 1, np.int32)
            self._n = self._kernel.cut_pairs(
                layout.symbols, gaps, step, len(layout.alphabet), self._pairs, self._firsts
            )
            self._sums = np.zeros(_N_SUMS, np.int64)
            self._homes = np.empty(self._n, np.int32)
            self._kernel.add_up(
                self._pairs,
                self._firsts,
                layout.words,
                layout.weights,
                self._n,
                self._sums,
                self._homes,
            )

    def counts(self, least: int = 0) -> PairCounts:
        """The pairs that occur at least `least` times."""
        if self._is_compiled:
            found = self._counted(least)
        else:
            found = _plain_pair_counts(self._layout, self._gaps, self._step)
        if least <= 1:
            return found
        kept = found.counts >= least
        return PairCounts(found.pairs[kept], found.counts[kept], found.firsts[kept])

    def _counted(self, least: int) -> PairCounts:
        kernel = self._kernel
        layout = self._layout
        n = self._n
        # The table is filled up to two thirds; its size is bounded by the number of pairs that the
        # tokens can form.
        likely = min(n // 3, 2 * (len(layout.alphabet) + self._step) ** 2)
        if least > 1:
            likely = min(likely, 2 * int(np.count_nonzero(self._sums >= least)))
        table = np.zeros(_table_size(likely) * kernel.PAIR, np.int64)
        found = np.zeros(1, np.int64)
        ahead = np.zeros(2 * kernel.BLOCK + 1, np.int64)
        place = 0
        while True:
            place = kernel.count_pairs(
                self._pairs,
                self._firsts,
                layout.words,
                layout.weights,
                place,
                n,
                self._sums,
                self._homes,
                least,
                table,
                found,
                ahead,
            )
            if place >= n:
                break
            old = table
            table = np.zeros(2 * len(table), np.int64)
            kernel.refill(table, old)
        pairs, counts, firsts = np.empty((3, int(found[0])), np.int64)
        kernel.pairs_of(table, pairs, counts, firsts)
        return PairCounts(pairs, counts, firsts)


def compile_kernels() -> None:
    """Compile the kernels, or load them from disk."""
    kernel = loader.compiled("states")
    symbols = np.array([-1, 0, 0, -1], np.int32)
    gaps = np.full(4, NEVER, np.int32)
    words = np.zeros(4, np.int32)
    ids = np.zeros(5, np.int32)
    starts = np.zeros(5, np.int32)
    kernel.cut(symbols, gaps, 0, 1, 0, 4, ids, starts)
    table = np.zeros(128 * kernel.PAIR, np.int64)
    found = np.zeros(1, np.int64)
    ahead = np.zeros(2 * kernel.BLOCK + 1, np.int64)
    pairs = np.zeros(5, np.int64)
    sums = np.zeros(1, np.int64)
    homes = np.zeros(5, np.int32)
    n = kernel.cut_pairs(symbols, gaps, 0, 1, pairs, starts)
    kernel.add_up(pairs, starts, words, np.ones(1, np.int64), n, sums, homes)
    kernel.count_pairs(
        pairs, starts, words, np.ones(1, np.int64), 0, n, sums, homes, 0, table, found, ahead
    )
    kernel.refill(np.zeros_like(table), table)
    kernel.pairs_of(table, *np.zeros((3, 1), np.int64))
    loader.mark_ready("states")


def _cut(
    layout: CorpusArray, gaps: Int32Array, step: int, start: int, stop: int
) -> tuple[Int32Array, Int32Array]:
    """The ids and the starts of the tokens from one position to another, by the kernel."""
    # Room for the largest possible number of tokens; memory that is not written to is not
    # allocated.
    ids = np.empty(stop - start + 1, np.int32)
    starts = np.empty(stop - start + 1, np.int32)
    n = loader.compiled("states").cut(
        layout.symbols, gaps, step, len(layout.alphabet), start, stop, ids, starts
    )
    return ids[1 : n + 1], starts[1 : n + 1]


def _table_size(n: int) -> int:
    return 1 << max(8, (n - 1).bit_length())


def _plain_pair_counts(layout: CorpusArray, gaps: Int32Array, step: int) -> PairCounts:
    tokens = plain_tokens_at(layout, gaps, step)
    ids = tokens.ids.astype(np.int64)
    neighbours = np.flatnonzero(tokens.words[1:] == tokens.words[:-1])
    keys = (ids[:-1] << 32 | ids[1:])[neighbours]
    pairs, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, inverse, layout.weights[tokens.words[neighbours]])
    return PairCounts(pairs, counts, tokens.starts[neighbours][first])
