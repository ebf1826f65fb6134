"""Finds the merge that closes each gap between the symbols of a pre-token: this is encoding.

`close_word` is the plain algorithm, for one short pre-token; `close_words` does the same for many
at once, and `close_one` for a long one, with compiled kernels.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int32Array, Int64Array
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.kernels.closing import ROW

if TYPE_CHECKING:
    from random import Random

PairArrays = tuple[Int64Array, ByteArray]
"""The table of pairs, as the kernels take it; see `closing.value_of`."""
LONG = 2_000
"""A single pre-token of at least this many symbols is long."""
SHORT = 48
"""A single text of fewer characters, whose words are mostly known, is encoded in less time than it
takes to call a kernel: 35 µs.
"""
_WORTH = 16
"""Training one symbol takes as long as encoding this many characters, or a text without any."""

_work_so_far = 0
"""The work of all texts that were encoded in the plain way: many small calls are worth the kernels,
as one large one is.
"""

FUSED = -1
"""The gap rank between unknown symbols that form one token, as in SentencePiece: closed at every
step.
"""


def close_word(
    symbols: Sequence[int],
    ranks: Mapping[int, int],
    made: Sequence[int],
    gaps: list[int] | None = None,
    limit: int = NEVER,
) -> tuple[list[int], list[int]]:
    """The merge rank that closes each gap of one pre-token, and the token that begins at each
    symbol, if one does.

    Merges the pair of lowest rank first, the leftmost among equals, until no pair has a rank below
    the limit. Only if the merges are in order, the highest rank inside a token is that of the merge
    that made it.

    Args:
        symbols: the ids of one pre-token's symbols; not modified.
        ranks: the rank of each merge by its pair, as `left << 32 | right`.
        made: the token that each merge makes, by rank.
        gaps: the result for fewer merges, to continue from.
        limit: merges of this rank and above do not apply.

    Returns:
        One rank per symbol, for the gap before it; `NEVER` if no merge closes the gap, and at the
        first symbol. And one token per symbol.

    Source: Sennrich et al. 2016, Algorithm 1, run once with every merge.
    """
    n = len(symbols)
    tokens = list(symbols)
    gaps = [NEVER] * n if gaps is None else gaps
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    if min(gaps, default=NEVER) < NEVER:
        # Continue from the tokens that the given gap ranks make.
        first = 0
        for i in range(1, n):
            if gaps[i] == NEVER:
                after[first] = i
                before[i] = first
                first = i
                continue
            last = max(gaps[first + 1 : i + 1])
            if last != FUSED:
                tokens[first] = made[last]
        if n:
            after[first] = n
    heap: list[tuple[int, int]] = []
    i = 0
    while i < n and after[i] < n:
        rank = ranks.get(tokens[i] << 32 | tokens[after[i]])
        if rank is not None and rank < limit:
            heap.append((rank, i))
        i = after[i]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # A pair whose tokens have merged with others is out of date.
        if gaps[i] != NEVER or j >= n or ranks.get(tokens[i] << 32 | tokens[j]) != rank:
            continue
        tokens[i] = made[rank]
        gaps[j] = rank
        k = after[j]
        after[i] = k
        if k < n:
            before[k] = i
            found = ranks.get(tokens[i] << 32 | tokens[k])
            if found is not None and found < limit:
                heapq.heappush(heap, (found, i))
        h = before[i]
        if h >= 0:
            found = ranks.get(tokens[h] << 32 | tokens[i])
            if found is not None and found < limit:
                heapq.heappush(heap, (found, h))
    return gaps, tokens


def close_at_random(
    symbols: Sequence[int],
    ranks: Mapping[int, int],
    made: Sequence[int],
    dropout: float,
    random: Random,
    limit: int = NEVER,
) -> tuple[list[int], list[int]]:
    """The same as `close_word`, with merges that are dropped at random, as `tokenizers` drops them.

    Each time that a merge has its turn, it is put aside with a probability, and comes back after
    the next one that is not put aside. A merge that is still aside in the end is dropped. A
    probability of 0 gives the same as `close_word`, and 1 merges nothing.

    Source: Provilkov, Emelianenko and Voita, "BPE-Dropout: Simple and Effective Subword
    Regularization", 2020; the order of what comes back is that of `merge_all` in `tokenizers`.
    """
    n = len(symbols)
    tokens = list(symbols)
    gaps = [NEVER] * n
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    heap: list[tuple[int, int]] = []
    aside: list[tuple[int, int]] = []

    def push(i: int) -> None:
        if i >= 0 and after[i] < n:
            rank = ranks.get(tokens[i] << 32 | tokens[after[i]])
            if rank is not None and rank < limit:
                heapq.heappush(heap, (rank, i))

    for i in range(n):
        push(i)
    while heap:
        entry = heapq.heappop(heap)
        if random.random() < dropout:
            aside.append(entry)
            continue
        rank, i = entry
        while aside:
            heapq.heappush(heap, aside.pop())
        j = after[i]
        now = ranks.get(tokens[i] << 32 | tokens[j]) if gaps[i] == NEVER and j < n else None
        if now is None or made[now] != made[rank]:
            continue  # out of date
        tokens[i] = made[rank]
        gaps[j] = rank
        after[i] = after[j]
        if after[i] < n:
            before[after[i]] = i
        push(before[i])
        push(i)
    return gaps, tokens


def is_worth_a_kernel(n: int) -> bool:
    """Whether a pre-token of n symbols is faster here, including the time to compile the
    kernels.
    """
    return n >= LONG and loader.choose("encoding", n)[1]


def are_worth_kernels(texts: Sequence[str]) -> bool:
    """Whether to encode texts with kernels: they are ready, or worth it for all texts of the
    process so far.
    """
    global _work_so_far
    if not texts or (len(texts) == 1 and len(texts[0]) < SHORT):
        return False
    if loader.is_ready("encoding"):
        return True
    _work_so_far += sum(map(len, texts)) // _WORTH + len(texts)
    return loader.is_worth_compiling(_work_so_far, loader.PLAIN_WORK)


class PairTable:
    """The pairs that merge, as a hash table for the kernels; see `closing.value_of`."""

    def __init__(
        self, lefts: Int64Array, rights: Int64Array, ranks: Int64Array, made: Int64Array
    ) -> None:
        self._table = np.zeros(0, np.int64)
        self.extend(lefts, rights, ranks, made)

    def extend(
        self, lefts: Int64Array, rights: Int64Array, ranks: Int64Array, made: Int64Array
    ) -> None:
        """Take more pairs. The columns hold all pairs and begin with those that are known."""
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
        """(n,) int64, the token that each pair makes, in the order in which the pairs were
        given.
        """
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


def close_words(
    symbols: Int32Array,
    offsets: Int64Array,
    pairs: PairTable,
    limit: int = NEVER,
    work: int | None = None,
) -> Int32Array:
    """The gap ranks of pre-tokens that are laid end to end.

    Args:
        symbols: (n,) int32, their symbols; not modified.
        offsets: (w + 1,) int64, the first symbol of each, and the end.
        pairs: the merges.
        limit: merges of this rank and above do not apply.
        work: the amount of work by which the form of the kernels is chosen; `None` for n.

    Returns:
        (n,) int32; see `close_word`.
    """
    if work is None:
        work = len(symbols)
    # The kernels of `closing` are ready when those of `encoding` are, which use them.
    is_compiled = loader.choose("encoding", work)[1]
    kernel = loader.compiled("closing") if is_compiled else loader.plain("closing")
    gaps = np.full(len(symbols), NEVER, np.int32)
    scratch = Scratch(int(np.diff(offsets).max(initial=1)))
    row = np.zeros(ROW, np.int64)
    kernel.close_words(
        symbols,
        offsets,
        gaps,
        row,
        pairs.filled(kernel),
        limit,
        scratch.tokens,
        scratch.numbers,
        scratch.links,
    )
    return gaps


def close_one(
    symbols: Sequence[int], pairs: PairTable, limit: int = NEVER
) -> tuple[Int32Array, Int32Array]:
    """The gap ranks of one long pre-token, and its tokens from left to right."""
    kernel = loader.compiled("closing")
    n = len(symbols)
    tokens = np.array(symbols, np.int32)
    gaps = np.full(n, NEVER, np.int32)
    scratch = Scratch(n)
    values = scratch.numbers[:n]
    heap = scratch.numbers[n:]
    n_tokens = kernel.close_long(
        tokens,
        n,
        gaps,
        pairs.filled(kernel),
        limit,
        values,
        scratch.links[:n],
        scratch.links[n:],
        heap,
    )
    return gaps, tokens[:n_tokens]
