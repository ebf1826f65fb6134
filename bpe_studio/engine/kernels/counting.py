"""Counts the pre-tokens of a text in a hash table.

An entry of the table holds 16 bytes, the key of a word, next to its number and count, so that
nearly every look-up reads one cache line and compares nothing else. The key of a word of up to 15
bytes is these bytes and its length; that of a longer one is its first 8 bytes and a hash of the
rest. The bytes of every word are also in `arena`, where longer words are compared and from which
they are returned; words are numbered in first-seen order.

Bytes are read eight at a time as 64-bit numbers, at any offset.

Pre-tokens are found by `scanning.find_borders` and looked up in batches: the keys of a batch are
all made, and their entries asked for, before the first is compared.

As in the merge loop, nothing is allocated here: if an array is too small, `count` returns early and
is called again. These kernels only run compiled; their arithmetic is that of 64-bit integers that
wrap around, with the first byte of a word as the lowest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.instructions import eight_bytes, highest_bit, place, prefetch
from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s

# Scalars in `state`
N_WORDS, N_ARENA, N_COUNTED = range(3)
N_STATE = 3
ENTRY = 4  # the two halves of the key, word number << 32 | length, count
INLINE = 15
"""The longest word that is its own key."""
TURN = 128
PADDING = 32
"""Bytes that must follow a text or the arena, so that whole numbers can be read at its end."""
MASKS = tuple(
    (1 << 8 * min(max(n, 0), 8)) - 1 if n < 8 else -1
    for length in range(INLINE + 1)
    for n in (length, length - 8)
)
"""By twice the length of a word, the bits of its first eight bytes, and those of the next seven."""
KEY = 3
"""The entries of a pre-token in a batch: its slot, and the two halves of its key."""


def some_bytes(b: Any, at: int, length: int) -> int:
    """Up to eight bytes from an offset on as one number; zero if the length is not positive."""
    bits = max(0, min(length, 8)) << 2
    # The shift is made in two halves, because a shift by 64 bits does nothing.
    return eight_bytes(b, place(at)) & ~(-1 << bits << bits)  # type: ignore[no-any-return]


def slot_of(low: int, high: int, shift: Any) -> Any:
    """The slot of a key: the highest bits of a hash, to which every bit of the key contributes."""
    h = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(high) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    return h >> np.uint64(shift)


def long_key(b: Any, start: int, length: int) -> int:
    """The second half of the key of a longer word, which is negative, unlike those of others."""
    h = length
    for k in range(8, length, 8):
        h = (h ^ h >> 31) * 0x165667B19E3779F9 + some_bytes(b, start + k, length - k)
    return h | -1 << 63


def is_same(b: Any, start: int, other: Any, other_start: int, length: int) -> bool:
    """Whether two words of the same length, with the same first 8 bytes, are equal."""
    for k in range(8, length, 8):
        if some_bytes(b, start + k, length - k) != some_bytes(other, other_start + k, length - k):
            return False
    return True


def settle(
    state: Any,
    table: Any,
    arena: Any,
    offsets: Any,
    b: Any,
    start: int,
    length: int,
    low: int,
    high: int,
    slot: Any,
) -> Any:
    """The slot of a word that is longer or may be new; the search goes on from `slot`.

    A new word is entered.
    """
    while table[slot + 3] != 0:
        if table[slot] == low and table[slot + 1] == high:
            word = table[slot + 2]
            if word & 0xFFFFFFFF == length and is_same(
                b, start, arena, offsets[word >> 32], length
            ):
                return slot
        slot = (slot + ENTRY) & (len(table) - 1)
    word = state[N_WORDS]
    at = state[N_ARENA]
    table[slot] = low
    table[slot + 1] = high
    table[slot + 2] = word << 32 | length
    for k in range(length):
        arena[at + k] = b[start + k]
    state[N_WORDS] = word + 1
    state[N_ARENA] = at + length
    offsets[word + 1] = at + length
    return slot


def count(
    state: Int64s,
    b: Bytes,
    borders: Int32s,
    n: int,
    table: Int64s,
    arena: Bytes,
    offsets: Int64s,
    keys: Int64s,
    weights: Int64s,
) -> int:
    """Count pre-tokens.

    Args:
        state: (N_STATE,) int64, the scalars above; receives the number of pre-tokens counted.
        b: uint8, the text, with padding.
        borders: int32, the start and the end of each pre-token in turn.
        n: the number of pre-tokens.
        table: (t * ENTRY) int64, the hash table; t is a power of two.
        arena: uint8, the words end to end, with padding.
        offsets: int64, the start of each word in `arena`.
        keys: (TURN * KEY) int64, scratch for a batch.
        weights: int64, how often each pre-token counts, at least once; empty for once each.

    Returns:
        Whether all are counted; if not, make room for TURN more words, with as many bytes as the
        text has.
    """
    n_slots = len(table) // ENTRY
    shift = 64 - highest_bit(n_slots)
    while state[N_COUNTED] < n:
        first = state[N_COUNTED]
        n_turn = min(TURN, n - first)
        n_bytes = borders[2 * (first + n_turn) - 1] - borders[2 * first]
        n_words = state[N_WORDS] + n_turn
        # The table is filled up to two thirds.
        if (
            n_words + 1 > len(offsets)
            or n_words * 3 > 2 * n_slots
            or state[N_ARENA] + n_bytes + PADDING > len(arena)
        ):
            return False
        for k in range(n_turn):
            at = borders[place(2 * (first + k))]
            length = borders[place(2 * (first + k) + 1)] - at
            low = eight_bytes(b, place(at))
            if length <= INLINE:
                low &= MASKS[place(2 * length)]
                high = eight_bytes(b, place(at + 8)) & MASKS[place(2 * length + 1)] | length << 56
            else:
                high = long_key(b, at, length)
            slot = place(ENTRY) * slot_of(low, high, shift)
            prefetch(table, slot)
            keys[place(KEY * k)] = slot
            keys[place(KEY * k + 1)] = low
            keys[place(KEY * k + 2)] = high
        for k in range(n_turn):
            slot = place(keys[place(KEY * k)])
            low = keys[place(KEY * k + 1)]
            high = keys[place(KEY * k + 2)]
            while (table[slot] ^ low) | (table[slot + place(1)] ^ high) != 0 and table[
                slot + place(3)
            ] != 0:
                slot = (slot + place(ENTRY)) & place(len(table) - 1)
            if high < 0 or table[slot + place(3)] == 0:
                at = borders[2 * (first + k)]
                length = borders[2 * (first + k) + 1] - at
                slot = place(
                    settle(state, table, arena, offsets, b, at, length, low, high, np.int64(slot))
                )
            if len(weights) == 0:
                table[slot + place(3)] += 1
            else:
                table[slot + place(3)] += weights[first + k]
        state[N_COUNTED] = first + n_turn
    return True


def rehash(table: Int64s, old: Int64s) -> None:
    """Insert the words of an old, smaller table.

    Args:
        table: (t * ENTRY) int64, empty.
        old: the smaller table.
    """
    shift = 64 - highest_bit(len(table) // ENTRY)
    for i in range(0, len(old), ENTRY):
        if old[i + 3] != 0:
            at = place(ENTRY) * slot_of(old[i], old[i + 1], shift)
            while table[at + place(3)] != 0:
                at = (at + place(ENTRY)) & place(len(table) - 1)
            for field in range(ENTRY):
                table[at + place(field)] = old[i + field]


def write_counts(table: Int64s, counts: Int64s) -> None:
    """Write the count of each word at its number."""
    for i in range(0, len(table), ENTRY):
        if table[i + 3] != 0:
            counts[table[i + 2] >> 32] = table[i + 3]
