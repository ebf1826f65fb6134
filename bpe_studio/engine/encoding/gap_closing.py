"""Gap ranks of many pre-tokens at once, or of long ones, with compiled kernels.

`segmentation.close_gaps` does the same for one short pre-token.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int32Array, Int64Array
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.kernels.closing import ROW

PairArrays = tuple[Int64Array, ByteArray]
"""The table of pairs, as the kernels take it; see `closing.value_of`."""
LONG = 2_000
"""A single pre-token of at least this many symbols is long."""


def is_worth_a_kernel(n: int) -> bool:
    """Whether a pre-token of n symbols is faster here, including the time to compile the kernels."""
    return n >= LONG and loader.choose("encoding", n)[1]


class PairTable:
    """The pairs that merge, as a hash table for the kernels; see `closing.value_of`."""

    def __init__(self, lefts: Int64Array, rights: Int64Array, ranks: Int64Array, made: Int64Array) -> None:
        self._table = np.zeros(0, np.int64)
        self.extend(lefts, rights, ranks, made)

    def extend(self, lefts: Int64Array, rights: Int64Array, ranks: Int64Array, made: Int64Array) -> None:
        """Take more pairs: the columns of all, which begin with those that are known."""
        if 4 * len(lefts) >= len(self._table):
            n_bits = (2 * len(lefts)).bit_length()
            self._table = np.zeros(2 << max(4, n_bits), np.int64)
            self._bits = np.zeros(1 << max(4, n_bits - 1), np.uint8)
            self._n_filled = 0
        self._columns = lefts, rights, ranks << 32 | made

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def lefts(self) -> Int64Array:
        """(n,) int64, the left token of each pair."""
        return self._columns[0]

    @property
    def rights(self) -> Int64Array:
        """(n,) int64, the right token of each pair."""
        return self._columns[1]

    @property
    def made(self) -> Int64Array:
        """(n,) int64, the token that each pair makes, in the order in which the pairs were given."""
        return self._columns[2] & 0xFFFFFFFF

    def filled(self, kernel: Any) -> PairArrays:
        """The arrays of the table, filled."""
        pairs = self._table, self._bits
        if self._n_filled < len(self):
            kernel.fill(pairs, self._n_filled, *self._columns)
            self._n_filled = len(self)
        return pairs

    @classmethod
    def of_merges(cls, merges: tuple[tuple[int, int, int], ...]) -> PairTable:
        """The merges of a model, in rank order."""
        columns = np.fromiter(chain.from_iterable(merges), np.int64, 3 * len(merges)).reshape(-1, 3)
        lefts, rights, made = columns.T.copy()
        return cls(lefts, rights, np.arange(len(merges)), made)


class Scratch:
    """Working memory for a pre-token of up to `size` symbols."""

    def __init__(self, size: int) -> None:
        self.tokens = np.empty(size, np.int32)
        self.gaps = np.empty(size, np.int32)
        self.numbers = np.empty(3 * size, np.int64)
        self.links = np.empty(2 * size, np.int32)


def close_words(symbols: Int32Array, offsets: Int64Array, pairs: PairTable, limit: int = NEVER) -> Int32Array:
    """The gap ranks of pre-tokens that are laid end to end.

    Args:
        symbols: (n,) int32, their symbols; not modified.
        offsets: (w + 1,) int64, the first symbol of each, and the end.
        pairs: the merges.
        limit: merges of this rank and above do not apply.

    Returns:
        (n,) int32; see `segmentation.close_gaps`.
    """
    kernel = loader.compiled("closing")
    gaps = np.full(len(symbols), NEVER, np.int32)
    scratch = Scratch(int(np.diff(offsets).max(initial=1)))
    row = np.zeros(ROW, np.int64)
    kernel.close_words(
        symbols, offsets, gaps, row, pairs.filled(kernel), limit, scratch.tokens, scratch.numbers, scratch.links
    )
    return gaps


def close_one(symbols: Sequence[int], pairs: PairTable, limit: int = NEVER) -> tuple[Int32Array, Int32Array]:
    """The gap ranks of one long pre-token, and its tokens from left to right."""
    kernel = loader.compiled("closing")
    n = len(symbols)
    tokens, gaps, scratch = np.array(symbols, np.int32), np.full(n, NEVER, np.int32), Scratch(n)
    values, heap = scratch.numbers[:n], scratch.numbers[n:]
    n_tokens = kernel.close_long(
        tokens, n, gaps, pairs.filled(kernel), limit, values, scratch.links[:n], scratch.links[n:], heap
    )
    return gaps, tokens[:n_tokens]
