"""Counts the pre-tokens of a text in a hash table.

An entry of the table holds the first 16 bytes of a word next to its number and count, so that nearly every look-up
reads one cache line and compares nothing else. The bytes of every word are also in `arena`, where longer words are
compared and from which they are returned; words are numbered in first-seen order.

Bytes are read and written eight at a time as 64-bit numbers, at any offset: the arrays called `wide` hold such a number
for each byte, and these overlap.

Pre-tokens are found by `scanning.cut` and looked up in batches. The entries of a batch are all read once before they
are compared: since nothing depends on these reads, the processor fetches many of them at the same time.

As in the merge loop, nothing is allocated here: if an array is too small, `count` returns early and is called again.
These kernels only run compiled; their arithmetic is that of 64-bit integers that wrap around, with the first byte of a
word as the lowest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.scanning import place

# Scalars in `state`
N_WORDS, N_ARENA, N_COUNTED, TOUCHED = range(4)
N_STATE = 4
ENTRY = 4  # first 8 bytes, next 8 bytes, word number << 32 | length, count
INLINE = 16
TURN = 256
PADDING = 32
"""How many bytes must follow a text or the arena, so that whole numbers can be read at its end."""
MASKS = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(INLINE + 1)], np.uint64).view(np.int64)
"""By the length of a word, the bits of its first eight bytes; shifts take as long as all the rest of a look-up."""
NEXT_MASKS = np.array([(1 << 8 * max(0, n - 8)) - 1 for n in range(INLINE + 1)], np.uint64).view(np.int64)
"""The same for the next eight."""


def eight_bytes(wide: Any, at: int, length: int) -> int:
    """Up to eight bytes from an offset on as one number; zero if the length is not positive."""
    bits = max(0, min(length, 8)) << 2
    # The shift is made in two halves, because a shift by 64 bits does nothing.
    return wide[at] & ~(-1 << bits << bits)  # type: ignore[no-any-return]


def hash_of(wide: Any, start: int, length: int, low: int, high: int) -> int:
    """A hash of a word; the first 16 bytes are given as two numbers."""
    h = low * 0x165667B19E3779F9 ^ high * 0x27D4EB2F165667C5 ^ length
    if length > INLINE:
        h = hash_on(wide, start, length, h)
    return (h ^ h >> 32) * 0x165667B19E3779F9 >> 20


def hash_on(wide: Any, start: int, length: int, h: int) -> int:
    """The hash with the bytes after the first 16; apart, so that the compiler puts what most words need in place."""
    for k in range(INLINE, length, 8):
        h = (h ^ h >> 31) * 0x165667B19E3779F9 + eight_bytes(wide, start + k, length - k)
    return h


def is_same(wide: Any, start: int, other: Any, other_start: int, length: int) -> bool:
    """Whether two words of the same length, with the same first 16 bytes, are equal."""
    for k in range(INLINE, length, 8):
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
    state: Any, wide: Any, starts: Any, ends: Any, n: int, table: Any, arena: Any, offsets: Any,
    lows: Any, highs: Any, slots: Any, weights: Any = None,
) -> int:  # fmt: skip
    """Count pre-tokens.

    Args:
        state: (N_STATE,) int64, the scalars above; receives how many of the pre-tokens are counted.
        wide: int64, the text, with padding.
        starts: int32, the starts of the pre-tokens.
        ends: int32, their ends.
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
    while state[N_COUNTED] < n:
        first = state[N_COUNTED]
        n_turn = min(TURN, n - first)
        n_bytes = ends[first + n_turn - 1] - starts[first]
        n_words = state[N_WORDS] + n_turn
        # The table is filled up to two thirds.
        if (
            n_words + 1 > len(offsets)
            or n_words * 3 > 2 * (mask + 1)
            or state[N_ARENA] + n_bytes + PADDING > len(arena)
        ):
            return False
        for k in range(n_turn):
            at = starts[place(first + k)]
            length = ends[place(first + k)] - at
            n_inline = place(min(length, INLINE))
            low, high = wide[place(at)] & MASKS[n_inline], wide[place(at + 8)] & NEXT_MASKS[n_inline]
            lows[k], highs[k] = low, high
            slots[k] = ENTRY * (hash_of(wide, at, length, low, high) & mask)
        touched = 0
        for k in range(n_turn):
            touched ^= table[place(slots[k])]
        state[TOUCHED] = touched
        for k in range(n_turn):
            slot, low, high = slots[k], lows[k], highs[k]
            at = starts[place(first + k)]
            length = ends[place(first + k)] - at
            while True:
                # One comparison, because a word that differs in one field nearly always differs in others.
                difference = (table[place(slot)] ^ low) | (table[place(slot + 1)] ^ high)
                if difference | (table[place(slot + 2)] & 0xFFFFFFFF ^ length) == 0:
                    if length <= INLINE or is_same(wide, at, arena, offsets[table[slot + 2] >> 32], length):
                        break
                elif table[place(slot + 3)] == 0:
                    enter(state, table, arena, offsets, wide, at, length, low, high, slot)
                    break
                slot = (slot + ENTRY) & (ENTRY * mask + ENTRY - 1)
            if weights is None:
                table[place(slot + 3)] += 1
            else:
                table[place(slot + 3)] += weights[first + k]
        state[N_COUNTED] = first + n_turn
    return True


def rehash(table: Any, old: Any, arena: Any, offsets: Any) -> None:
    """Insert the words of an old, smaller table.

    Args:
        table: (t * ENTRY) int64, empty.
        old: the smaller table.
        arena: int64, the words, as in `count`.
        offsets: the start of each word in `arena`.
    """
    mask = len(table) // ENTRY - 1
    for i in range(0, len(old), ENTRY):
        if old[i + 3] != 0:
            length = old[i + 2] & 0xFFFFFFFF
            start = offsets[old[i + 2] >> 32] if length > INLINE else 0
            at = hash_of(arena, start, length, old[i], old[i + 1]) & mask
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
