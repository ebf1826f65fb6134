"""Counts the pre-tokens of a text in a hash table.

An entry of the table holds 16 bytes, the key of a word, next to its number and count, so that nearly every look-up
reads one cache line and compares nothing else. The key of a word of up to 15 bytes is these bytes and its length; that
of a longer one is its first 8 bytes and a hash of the rest. The bytes of every word are also in `arena`, where longer
words are compared and from which they are returned; words are numbered in first-seen order.

Bytes are read and written eight at a time as 64-bit numbers, at any offset: the arrays called `wide` hold such a number
for each byte, and these overlap.

Pre-tokens are found by `scanning.find_borders` and looked up in batches: the keys of a batch are all made, and their
entries asked for, before the first is compared.

As in the merge loop, nothing is allocated here: if an array is too small, `count` returns early and is called again.
These kernels only run compiled; their arithmetic is that of 64-bit integers that wrap around, with the first byte of a
word as the lowest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.prefetching import prefetch
from bpe_studio.engine.kernels.scanning import place

# Scalars in `state`
N_WORDS, N_ARENA, N_COUNTED = range(3)
N_STATE = 3
ENTRY = 4  # the two halves of the key, word number << 32 | length, count
INLINE = 15
"""The longest word that is its own key."""
TURN = 256
PADDING = 32
"""How many bytes must follow a text or the arena, so that whole numbers can be read at its end."""
MASKS = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(INLINE + 1)], np.uint64).view(np.int64)
"""By the length of a word, the bits of its first eight bytes; shifts take as long as all the rest of a look-up."""
NEXT_MASKS = np.array([(1 << 8 * max(0, n - 8)) - 1 for n in range(INLINE + 1)], np.uint64).view(np.int64)
"""The same for the next seven."""


def eight_bytes(wide: Any, at: int, length: int) -> int:
    """Up to eight bytes from an offset on as one number; zero if the length is not positive."""
    bits = max(0, min(length, 8)) << 2
    # The shift is made in two halves, because a shift by 64 bits does nothing.
    return wide[at] & ~(-1 << bits << bits)  # type: ignore[no-any-return]


def hash_of(low: int, high: int) -> int:
    """A hash of a key."""
    h = low * 0x165667B19E3779F9 ^ high * 0x27D4EB2F165667C5
    return (h ^ h >> 32) * 0x165667B19E3779F9 >> 20


def long_key(wide: Any, start: int, length: int) -> int:
    """The second half of the key of a longer word; it is negative, which tells it from the others."""
    h = length
    for k in range(8, length, 8):
        h = (h ^ h >> 31) * 0x165667B19E3779F9 + eight_bytes(wide, start + k, length - k)
    return h | -1 << 63


def is_same(wide: Any, start: int, other: Any, other_start: int, length: int) -> bool:
    """Whether two words of the same length, with the same first 8 bytes, are equal."""
    for k in range(8, length, 8):
        if eight_bytes(wide, start + k, length - k) != eight_bytes(other, other_start + k, length - k):
            return False
    return True


def enter(
    state: Any, table: Any, arena: Any, offsets: Any, wide: Any, start: int, length: int, low: int, high: int, slot: int
) -> None:
    """Insert a new word at a free slot."""
    word, at = state[N_WORDS], state[N_ARENA]
    table[slot], table[slot + 1], table[slot + 2] = low, high, word << 32 | length
    for k in range(0, length, 8):
        arena[at + k] = wide[start + k]
    state[N_WORDS] = word + 1
    state[N_ARENA] = at + length
    offsets[word + 1] = at + length


def count(
    state: Any, wide: Any, borders: Any, n: int, table: Any, arena: Any, offsets: Any,
    lows: Any, highs: Any, slots: Any, weights: Any = None,
) -> int:  # fmt: skip
    """Count pre-tokens.

    Args:
        state: (N_STATE,) int64, the scalars above; receives how many of the pre-tokens are counted.
        wide: int64, the text, with padding.
        borders: int32, the start and the end of each pre-token in turn.
        n: the number of pre-tokens.
        table: (t * ENTRY) int64, the hash table; t is a power of two.
        arena: int64, the words end to end, as in `wide`, with padding.
        offsets: int64, the start of each word in `arena`.
        lows: (TURN,) int64, scratch for a batch.
        highs: (TURN,) int64, scratch.
        slots: (TURN,) int64, scratch.
        weights: int64, how often each pre-token counts, at least once; None for once each.

    Returns:
        Whether all are counted; if not, make room for TURN more words, with as many bytes as the text has.
    """
    mask = len(table) // ENTRY - 1
    after = wide[8:]  # an index that both halves of a key share is computed once
    while state[N_COUNTED] < n:
        first = state[N_COUNTED]
        n_turn = min(TURN, n - first)
        n_bytes = borders[2 * (first + n_turn) - 1] - borders[2 * first]
        n_words = state[N_WORDS] + n_turn
        # The table is filled up to two thirds.
        if (
            n_words + 1 > len(offsets)
            or n_words * 3 > 2 * (mask + 1)
            or state[N_ARENA] + n_bytes + PADDING > len(arena)
        ):
            return False
        for k in range(n_turn):
            at = borders[place(2 * (first + k))]
            length = borders[place(2 * (first + k) + 1)] - at
            low = wide[place(at)]
            if length <= INLINE:
                low &= MASKS[place(length)]
                high = after[place(at)] & NEXT_MASKS[place(length)] | length << 56
            else:
                high = long_key(wide, at, length)
            slot = ENTRY * (hash_of(low, high) & mask)
            lows[k], highs[k], slots[k] = low, high, slot
            prefetch(table, place(slot))
        for k in range(n_turn):
            slot, low, high = slots[k], lows[k], highs[k]
            while True:
                # One expression, because a key that differs in one half nearly always differs in the other.
                if (table[place(slot)] ^ low) | (table[place(slot + 1)] ^ high) == 0:
                    if high >= 0:
                        break
                    at = borders[place(2 * (first + k))]
                    length = borders[place(2 * (first + k) + 1)] - at
                    word = table[slot + 2]
                    if word & 0xFFFFFFFF == length and is_same(wide, at, arena, offsets[word >> 32], length):
                        break
                elif table[place(slot + 3)] == 0:
                    at = borders[place(2 * (first + k))]
                    length = borders[place(2 * (first + k) + 1)] - at
                    enter(state, table, arena, offsets, wide, at, length, low, high, slot)
                    break
                slot = (slot + ENTRY) & (ENTRY * mask + ENTRY - 1)
            if weights is None:
                table[place(slot + 3)] += 1
            else:
                table[place(slot + 3)] += weights[first + k]
        state[N_COUNTED] = first + n_turn
    return True


def rehash(table: Any, old: Any) -> None:
    """Insert the words of an old, smaller table.

    Args:
        table: (t * ENTRY) int64, empty.
        old: the smaller table.
    """
    mask = len(table) // ENTRY - 1
    for i in range(0, len(old), ENTRY):
        if old[i + 3] != 0:
            at = hash_of(old[i], old[i + 1]) & mask
            while table[ENTRY * at + 3] != 0:
                at = (at + 1) & mask
            for field in range(ENTRY):
                table[ENTRY * at + field] = old[i + field]


def write_counts(table: Any, counts: Any) -> None:
    """Write the count of each word at its number."""
    for i in range(0, len(table), ENTRY):
        if table[i + 3] != 0:
            counts[table[i + 2] >> 32] = table[i + 3]


def write_words(arena: Any, offsets: Any, prefix: Any, blob: Any, blob_offsets: Any) -> None:
    """Write the words end to end, each after a prefix; `arena` is given as single bytes."""
    at = 0
    for k in range(len(blob_offsets) - 1):
        for i in range(len(prefix)):
            blob[at] = prefix[i]
            at += 1
        for i in range(offsets[k], offsets[k + 1]):
            blob[at] = arena[i]
            at += 1
        blob_offsets[k + 1] = at
