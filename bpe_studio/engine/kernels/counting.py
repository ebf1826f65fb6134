"""Counting the pre-tokens of a text in a hash table, and adding such tables up.

An entry of the table holds a word's first 16 bytes beside its number and count, so that nearly every look-up reads one
line of the processor's cache and compares nothing else. Those bytes are read as two 64-bit numbers, each put together
from the two aligned ones that it lies across. Every word's bytes also stand in `arena`, where longer words are
compared and from where they are handed on.

Pre-tokens are found (`scanning.py`) and looked up in turns of many: the look-ups of a turn hang on nothing before
them, so that the processor waits for several entries of the table at a time.

As in the merge loop, nothing is allocated here: where room is short, `count` returns early and is called again. These
kernels run compiled only, as a large text is counted; their arithmetic is that of 64-bit numbers that wrap around, with
a word's first byte as the lowest.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.scanning import scan

# Scalars in `state`
N_WORDS, N_ARENA, POSITION, SEGMENT = range(4)
N_STATE = 4
ENTRY = 4  # first 8 bytes, next 8 bytes, word number << 32 | length, count
INLINE = 16
PADDING = 32
"""How many bytes there have to be behind a text or the arena, so that whole numbers can be read at its end."""


def eight_bytes(numbers: Any, at: int, length: int) -> int:
    """Up to eight of the bytes from a place on as one number; zero where the length is not positive."""
    q, shift = at >> 3, (at & 7) << 3
    low = (numbers[q] >> shift) & ~(-1 << 1 << (63 - shift))
    bits = max(0, min(length, 8)) << 2
    # Each shift in two halves: one of all 64 bits would be none.
    return int((low | (numbers[q + 1] << 1 << (63 - shift))) & ~(-1 << bits << bits))


def hash_of(numbers: Any, start: int, length: int, low: int, high: int) -> int:
    """A hash of a word's bytes, the first 16 of which are given."""
    h = (low ^ low >> 29) * 0x165667B19E3779F9 + (high ^ high >> 32) * 0x27D4EB2F165667C5 + length
    for k in range(INLINE, length, 8):
        h = (h ^ h >> 31) * 0x165667B19E3779F9 + eight_bytes(numbers, start + k, length - k)
    return (h ^ h >> 32) * 0x165667B19E3779F9 >> 20


def find(table: Any, arena: Any, offsets: Any, b: Any, start: int, length: int, low: int, high: int, h: int) -> int:
    """The slot of a word in the table, or the free slot where it goes."""
    mask = len(table) // ENTRY - 1
    at = h & mask
    while True:
        slot = ENTRY * at
        if table[slot + 3] == 0:
            return slot
        if table[slot] == low and table[slot + 1] == high and table[slot + 2] & 0xFFFFFFFF == length:
            k = INLINE
            if length > INLINE:
                other = offsets[table[slot + 2] >> 32]
                while k < length and arena[other + k] == b[start + k]:
                    k += 1
            if k >= length:
                return slot
        at = (at + 1) & mask


def enter(
    state: Any, table: Any, arena: Any, offsets: Any, firsts: Any,
    b: Any, start: int, length: int, low: int, high: int, slot: int, first: int,
) -> None:  # fmt: skip
    """Enter a new word at a free slot."""
    word, at = state[N_WORDS], state[N_ARENA]
    table[slot], table[slot + 1], table[slot + 2] = low, high, word << 32 | length
    for k in range(length):
        arena[at + k] = b[start + k]
    firsts[word] = first
    state[N_WORDS] = word + 1
    state[N_ARENA] = at + length
    offsets[word + 1] = at + length


def count(
    state: Any, b: Any, numbers: Any, stops: Any, base: int, columns: Any, moves: Any, marks: Any,
    table: Any, arena: Any, offsets: Any, firsts: Any, starts: Any, ends: Any, lows: Any, highs: Any, hashes: Any,
) -> int:  # fmt: skip
    """Count the pre-tokens of a stretch of text.

    Args:
        state: (N_STATE,) int64, the scalars above; what is read so far of the stretch is noted in it.
        b: uint8, the text, with padding.
        numbers: int64, the same bytes eight by eight.
        stops: int64, where the texts end that are cut each by itself; the last is the end of all.
        base: what to add to places in `b` for places in all that is counted.
        columns: the split's automaton, see `scanning.py`.
        moves: the same.
        marks: the same.
        table: (t * ENTRY) int64, the hash table; t is a power of two.
        arena: uint8, the words end to end, with padding.
        offsets: int64, where each begins there.
        firsts: int64, where in all that is counted each is first seen.
        starts: (k,) int64, scratch, as are the next four: what a turn works on.
        ends: the same.
        lows: the same.
        highs: the same.
        hashes: the same.

    Returns:
        Whether all is read; if not, there has to be room for more words, or for as many bytes as the text has.
    """
    while state[SEGMENT] < len(stops):
        stop = stops[state[SEGMENT]]
        n, place = scan(b, state[POSITION], stop, columns, moves, marks, starts, ends)
        n_words, n_arena = state[N_WORDS] + n, state[N_ARENA] + place - state[POSITION]
        if n_words + 1 > len(offsets) or n_words * 2 * ENTRY > len(table) or n_arena + PADDING > len(arena):
            return False
        for k in range(n):
            at, length = starts[k], ends[k] - starts[k]
            low, high = eight_bytes(numbers, at, length), eight_bytes(numbers, at + 8, length - 8)
            lows[k], highs[k], hashes[k] = low, high, hash_of(numbers, at, length, low, high)
        for k in range(n):
            at, length = starts[k], ends[k] - starts[k]
            slot = find(table, arena, offsets, b, at, length, lows[k], highs[k], hashes[k])
            if table[slot + 3] == 0:
                enter(state, table, arena, offsets, firsts, b, at, length, lows[k], highs[k], slot, base + at)
            table[slot + 3] += 1
        state[POSITION] = place
        if place >= stop:
            state[SEGMENT] += 1
    return True


def rehash(table: Any, old: Any, numbers: Any, offsets: Any) -> None:
    """Enter the words of an old, smaller table.

    Args:
        table: (t * ENTRY) int64, empty.
        old: the smaller table.
        numbers: int64, the arena eight bytes by eight.
        offsets: where each word begins there.
    """
    mask = len(table) // ENTRY - 1
    for i in range(0, len(old), ENTRY):
        if old[i + 3] != 0:
            length = old[i + 2] & 0xFFFFFFFF
            at = hash_of(numbers, offsets[old[i + 2] >> 32], length, old[i], old[i + 1]) & mask
            while table[ENTRY * at + 3] != 0:
                at = (at + 1) & mask
            for field in range(ENTRY):
                table[ENTRY * at + field] = old[i + field]


def absorb(
    state: Any, table: Any, arena: Any, offsets: Any, firsts: Any,
    other: Any, other_arena: Any, other_numbers: Any, other_offsets: Any, other_firsts: Any,
) -> None:  # fmt: skip
    """Add another table's words and counts; there is room for all of them."""
    for i in range(0, len(other), ENTRY):
        if other[i + 3] == 0:
            continue
        low, high, number, length = other[i], other[i + 1], other[i + 2] >> 32, other[i + 2] & 0xFFFFFFFF
        start, first = other_offsets[number], other_firsts[number]
        h = hash_of(other_numbers, start, length, low, high)
        slot = find(table, arena, offsets, other_arena, start, length, low, high, h)
        if table[slot + 3] == 0:
            enter(state, table, arena, offsets, firsts, other_arena, start, length, low, high, slot, first)
        word = table[slot + 2] >> 32
        firsts[word] = min(firsts[word], first)
        table[slot + 3] += other[i + 3]


def write_counts(table: Any, counts: Any) -> None:
    """Write each word's count at its number."""
    for i in range(0, len(table), ENTRY):
        if table[i + 3] != 0:
            counts[table[i + 2] >> 32] = table[i + 3]


def write_words(arena: Any, offsets: Any, order: Any, prefix: Any, blob: Any, blob_offsets: Any) -> None:
    """Write words end to end in another order, each with a prefix before it."""
    at = 0
    for k in range(len(order)):
        for i in range(len(prefix)):
            blob[at] = prefix[i]
            at += 1
        for i in range(offsets[order[k]], offsets[order[k] + 1]):
            blob[at] = arena[i]
            at += 1
        blob_offsets[k + 1] = at
