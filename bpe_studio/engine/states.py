"""What a run's corpus was at any step: its tokens, how often each stands in it, and its pairs.

Each has a plain form in numpy, for a small corpus and for the time before the kernels are compiled, and a compiled one
(`kernels/states.py`), which the tests hold to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bpe_studio.engine import kernels
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.layout import Int32Array, Int64Array, Layout, Tokens
from bpe_studio.engine.layout import tokens_at as plain_tokens_at


@dataclass(frozen=True)
class PairCounts:
    """The pairs of neighbouring tokens, in no order.

    Attributes:
        pairs: (p,) int64, `left << 32 | right`.
        counts: (p,) int64, occurrences weighted by the pre-tokens' counts.
        firsts: (p,) int64, where the left token of the first occurrence begins.
    """

    pairs: Int64Array
    counts: Int64Array
    firsts: Int64Array


def tokens_at(layout: Layout, gaps: Int32Array, step: int, start: int = 0, stop: int | None = None) -> Tokens:
    """The corpus, or a stretch of it, cut as it stood after `step` merges; see `layout.tokens_at`."""
    end = len(gaps) if stop is None else min(stop, len(gaps))
    kernel, is_compiled = kernels.choose("states", end - start)
    if not is_compiled:
        return plain_tokens_at(layout, gaps, step, start, stop)
    ids, starts, n = _cut(kernel, layout, gaps, step, start, end)
    places = starts[1 : n + 1].astype(np.int64)
    return Tokens(ids[1 : n + 1], places, layout.words[places])


def token_counts(layout: Layout, gaps: Int32Array, step: int) -> Int64Array:
    """(alphabet + step,) int64: how often each token stands in the corpus after `step` merges."""
    counts = np.zeros(len(layout.alphabet) + step, np.int64)
    kernel, is_compiled = kernels.choose("states", len(gaps))
    if is_compiled:
        ids, starts, n = _cut(kernel, layout, gaps, step, 0, len(gaps))
        kernel.count_tokens(ids, starts, layout.words, layout.weights, n, counts)
    else:
        tokens = plain_tokens_at(layout, gaps, step)
        np.add.at(counts, tokens.ids, layout.weights[tokens.words])
    return counts


def pair_counts(layout: Layout, gaps: Int32Array, step: int) -> PairCounts:
    """The pairs of the corpus after `step` merges."""
    kernel, is_compiled = kernels.choose("states", len(gaps))
    if not is_compiled:
        return _plain_pair_counts(layout, gaps, step)
    ids, starts, n = _cut(kernel, layout, gaps, step, 0, len(gaps))
    table = np.zeros(_table_size(min(n // 3, 2 * (len(layout.alphabet) + step) ** 2)) * kernel.PAIR, np.int64)
    found, ahead = np.zeros(1, np.int64), np.zeros(2 * kernel.BLOCK + 1, np.int64)
    place = 1
    while (place := kernel.count_pairs(ids, starts, layout.words, layout.weights, place, n, table, found, ahead)) < n:
        old, table = table, np.zeros(2 * len(table), np.int64)
        kernel.refill(table, old)
    pairs, counts, firsts = np.empty((3, int(found[0])), np.int64)
    kernel.pairs_of(table, pairs, counts, firsts)
    return PairCounts(pairs, counts, firsts)


def compile_kernels() -> None:
    """Have the kernels compiled, or read from disk."""
    kernel = kernels.compiled("states")
    symbols, gaps, words = (np.array(values, np.int32) for values in ([-1, 0, 0, -1], [NEVER] * 4, [0] * 4))
    ids, starts = np.zeros(5, np.int32), np.zeros(5, np.int32)
    n = kernel.cut(symbols, gaps, 0, 1, 0, 4, ids, starts)
    kernel.count_tokens(ids, starts, words, np.ones(1, np.int64), n, np.zeros(1, np.int64))
    table, found = np.zeros(128 * kernel.PAIR, np.int64), np.zeros(1, np.int64)
    ahead = np.zeros(2 * kernel.BLOCK + 1, np.int64)
    kernel.count_pairs(ids, starts, words, np.ones(1, np.int64), 1, n, table, found, ahead)
    kernel.refill(np.zeros_like(table), table)
    kernel.pairs_of(table, *np.zeros((3, 1), np.int64))
    kernels.mark_ready("states")


def _cut(
    kernel: Any, layout: Layout, gaps: Int32Array, step: int, start: int, stop: int
) -> tuple[Int32Array, Int32Array, int]:
    # Room for the most tokens that there can be; what is not written to takes no memory.
    ids, starts = np.empty(stop - start + 1, np.int32), np.empty(stop - start + 1, np.int32)
    n = kernel.cut(layout.symbols, gaps, step, len(layout.alphabet), start, stop, ids, starts)
    return ids, starts, int(n)


def _table_size(n: int) -> int:
    return 1 << max(8, (n - 1).bit_length())


def _plain_pair_counts(layout: Layout, gaps: Int32Array, step: int) -> PairCounts:
    tokens = plain_tokens_at(layout, gaps, step)
    ids = tokens.ids.astype(np.int64)
    neighbours = np.flatnonzero(tokens.words[1:] == tokens.words[:-1])
    keys = (ids[:-1] << 32 | ids[1:])[neighbours]
    pairs, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, inverse, layout.weights[tokens.words[neighbours]])
    return PairCounts(pairs, counts, tokens.starts[neighbours][first])
