"""Finds the merge that closes each gap of a pre-token: `gap_ranks` of `engine/textbook.py`, fast.

The pair of lowest rank is merged first, the leftmost of equals, until no pair has a rank below the
limit. For a short pre-token, the ranks of its pairs are in a row, and the lowest is found by a
linear search: for a few numbers this is faster than any other structure. For a long one, pairs are
on a heap and tokens in a linked list, so that the time grows little more than linearly, up to
millions of symbols.

The value of a pair is its rank and the token that it makes, as one number: `rank << 32 | token`;
`NO_PAIR` for no merge.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s

NO_PAIR = 2**63 - 1
Pairs = tuple[Int64s, Bytes]
"""Some pairs; see `value_of`."""
SHORT = 64
"""Up to this many symbols, the lowest rank is found by a linear search."""
KEYS, MADE, GAPS, AFTER, BEFORE, ROW = (part * SHORT for part in range(1, 7))


def value_of(pairs: Any, left: int, right: int) -> int:
    """The value of a pair: `rank << 32 | token`, or `NO_PAIR`.

    Args:
        pairs: two arrays. (2 * t) int64, open addressing: left << 32 | right, plus 1 (0: free);
            value. (f,) uint8, a bit for some pairs together, 0 if none of them is there: most
            look-ups fail, and this array is small enough for the processor's cache.
        left: the left token.
        right: the right token.
    """
    table, bits = pairs
    mask = len(table) - 2
    key = (left << 32 | right) + 1
    # The middle bits of a product depend on all bits of both ids; no product here exceeds 63 bits.
    h = left * 0x2C1B3C6D + right * 0x297A2D39
    h = ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20
    if bits[h >> 3 & len(bits) - 1] >> (h & 7) & 1 == 0:
        return NO_PAIR
    slot = 2 * h & mask
    while table[slot] != 0:
        if table[slot] == key:
            return int(table[slot + 1])
        slot = slot + 2 & mask
    return NO_PAIR


def fill(pairs: Pairs, first: int, lefts: Int64s, rights: Int64s, values: Int64s) -> None:
    """Insert the pairs from `first` on that are not in the table.

    If a pair is given twice, the first counts.
    """
    table, bits = pairs
    mask = len(table) - 2
    for k in range(first, len(lefts)):
        if value_of(pairs, lefts[k], rights[k]) == NO_PAIR:
            h = lefts[k] * 0x2C1B3C6D + rights[k] * 0x297A2D39
            h = ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20
            bits[h >> 3 & len(bits) - 1] |= 1 << (h & 7)
            slot = 2 * h & mask
            while table[slot] != 0:
                slot = slot + 2 & mask
            table[slot] = (lefts[k] << 32 | rights[k]) + 1
            table[slot + 1] = values[k]


def note(row: Any, place: int, value: int) -> None:
    """Store the value of the pair that begins at a place: rank and place as one number, and the
    token that it makes.
    """
    row[KEYS + place] = value >> 32 << 6 | place
    row[MADE + place] = value & 0xFFFFFFFF


def close_short(row: Any, n: int, pairs: Any, limit: int) -> int:
    """Merge the symbols at the beginning of `row` until no pair can be merged.

    Nearly every pre-token has at most eight or sixteen keys to compare, and tokens stay in their
    places, linked to their neighbours: loops of constant length suit the processor's branch
    prediction.

    Args:
        row: (ROW,) int64, one array for several, because each argument costs time. From 0 on, the
            symbols, which are replaced by the tokens. From `KEYS` and `MADE` on, their pairs; see
            `note`. From `GAPS` on, receives the rank of the merge that closes the gap before each
            symbol, or `NEVER`. The rest is scratch.
        n: the number of symbols, from 1 to SHORT.
        pairs: the merges; see `value_of`.
        limit: merges of this rank and above do not apply.

    Returns:
        The number of tokens.
    """
    n_keys = n + 7 & ~7
    for k in range(n_keys):
        row[AFTER + k], row[BEFORE + k], row[GAPS + k] = k + 1, k - 1, NEVER
    for k in range(n - 1, n_keys):
        row[KEYS + k] = NO_PAIR
    while True:
        best = NO_PAIR
        for first in range(KEYS, KEYS + n_keys, 8):
            for k in range(8):
                best = min(best, row[first + k])
        if best >= limit << 6:
            break
        i = best & 63
        gone = row[AFTER + i]
        row[i] = row[MADE + i]
        row[GAPS + gone] = best >> 6
        following = row[AFTER + gone]
        previous = row[BEFORE + i]
        row[AFTER + i] = following
        row[KEYS + gone] = NO_PAIR
        row[KEYS + i] = NO_PAIR
        if following < n:
            row[BEFORE + following] = i
            note(row, i, value_of(pairs, row[i], row[following]))
        if previous >= 0:
            note(row, previous, value_of(pairs, row[previous], row[i]))
    n_tokens = 0
    i = 0
    while i < n:
        row[n_tokens] = row[i]
        n_tokens += 1
        i = row[AFTER + i]
    return n_tokens


def push(heap: Any, size: int, entry: int) -> None:
    """Push an entry on a heap of numbers, the lowest on top."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if heap[up] <= entry:
            break
        heap[i] = heap[up]
        i = up
    heap[i] = entry


def sink(heap: Any, size: int, at: int, entry: int) -> None:
    """Move an entry down from a free place of the heap."""
    i = at
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if entry <= heap[child]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry


def close_long(
    tokens: Int32s,
    n: int,
    gaps: Int32s,
    pairs: Pairs,
    limit: int,
    values: Int64s,
    after: Int32s,
    before: Int32s,
    heap: Int64s,
) -> int:
    """Merge any number of symbols until no pair can be merged, with a heap and a linked list.

    Args:
        tokens: (n,) the symbols, which are replaced by the tokens.
        n: the number of symbols.
        gaps: (n,) receives the ranks that close the gaps; open gaps are not written.
        pairs: see `value_of`.
        limit: see `close_short`.
        values: (n,) int64, scratch: the value of each token's pair with the next.
        after: (n,) scratch: the start of the next token.
        before: (n,) scratch: the start of the previous token.
        heap: (2 * n) int64, scratch: `rank << 32 | place`.

    Returns:
        The number of tokens.
    """
    size = 0
    for i in range(n):
        after[i], before[i], values[i] = i + 1, i - 1, NO_PAIR
        if i + 1 < n:
            values[i] = value_of(pairs, int(tokens[i]), int(tokens[i + 1]))
        if values[i] >> 32 < limit:
            heap[size] = values[i] >> 32 << 32 | i
            size += 1
    for i in range(size // 2 - 1, -1, -1):
        sink(heap, size, i, heap[i])
    while size > 0:
        rank = heap[0] >> 32
        i = heap[0] & 0xFFFFFFFF
        size -= 1
        if size > 0:
            sink(heap, size, 0, heap[size])
        if values[i] >> 32 != rank:
            # One of the pair's tokens has been merged with another.
            continue
        tokens[i] = values[i] & 0xFFFFFFFF
        gone = int(after[i])
        gaps[gone] = rank
        values[gone] = NO_PAIR
        following = int(after[gone])
        previous = int(before[i])
        after[i] = following
        values[i] = NO_PAIR
        if following < n:
            before[following] = i
            values[i] = value_of(pairs, int(tokens[i]), int(tokens[following]))
            if values[i] >> 32 < limit:
                push(heap, size, values[i] >> 32 << 32 | i)
                size += 1
        if previous >= 0:
            values[previous] = value_of(pairs, int(tokens[previous]), int(tokens[i]))
            if values[previous] >> 32 < limit:
                push(heap, size, values[previous] >> 32 << 32 | previous)
                size += 1
    n_tokens = 0
    i = 0
    while i < n:
        tokens[n_tokens] = tokens[i]
        n_tokens += 1
        i = after[i]
    return n_tokens


def close_words(
    symbols: Int32s,
    offsets: Int64s,
    gaps: Int32s,
    row: Int64s,
    pairs: Pairs,
    limit: int,
    tokens: Int32s,
    scratch: Int64s,
    links: Int32s,
) -> None:
    """Close the gaps of many pre-tokens.

    Args:
        symbols: (n,) their symbols, end to end; not modified.
        offsets: (w + 1,) the start of each, and the end.
        gaps: (n,) receives the gap ranks; open gaps of long pre-tokens are not written.
        row: see `close_short`.
        pairs: see `value_of`.
        limit: see `close_short`.
        tokens: (m,) scratch, for pre-tokens of up to m symbols.
        scratch: (3 * m) int64.
        links: (2 * m) int32.
    """
    room = len(tokens)
    for word in range(len(offsets) - 1):
        start = offsets[word]
        stop = offsets[word + 1]
        n = stop - start
        if n > SHORT:
            for k in range(n):
                tokens[k] = symbols[start + k]
            close_long(
                tokens,
                n,
                gaps[start:stop],
                pairs,
                limit,
                scratch[:room],
                links[:room],
                links[room:],
                scratch[room:],
            )
        elif n > 0:
            for k in range(n):
                row[k] = symbols[start + k]
            for k in range(n - 1):
                note(row, k, value_of(pairs, row[k], row[k + 1]))
            close_short(row, n, pairs, limit)
            for k in range(n):
                gaps[start + k] = row[GAPS + k]
