"""A text's token ids in one pass: each distinct pre-token is encoded when it is first met, and remembered.

Nearly all of a text are pre-tokens that were met before, so what counts is how soon one is recognized:

- A blank and ASCII letters, or letters alone, are what most splits take as one pre-token. Eight bytes are loaded as one
  number, and all eight are tested at once whether they are letters; the bytes that are also make the key to look up.
  All else goes the general way, by `scanning.py`.
- An entry of the table of pre-tokens of up to 16 bytes holds the bytes and the first ids. Three ids are always written,
  and the place moves on by as many as there are: nothing to decide, nothing to guess wrong.
- Longer pre-tokens are rare; they have a table of their own, and are compared where they first stood in the text.

Nothing is allocated here: where room is short, `encode` says what for and is called again.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.closing import close_long, close_short, note, value_of
from bpe_studio.engine.kernels.scanning import COLUMNS, GAP, RETREAT, START, STOP, scan

# Scalars in `state`
N_OUT, N_WORDS, N_LONG, N_KEPT, SHORT_OF = range(5)
N_STATE = 5
ENOUGH, WORDS, LONG_WORDS, KEPT, SCRATCH, UNKNOWN_BYTE = range(6)  # what there is too little room for

BLANK = 32
ENTRY = 4  # first 8 bytes; next 8; bytes << 40 | ids << 32 | first id (0: free); second id << 32 | third, or kept from
LONG_ENTRY = 4  # bytes (0: free), where it first stands, hash, ids << 40 | kept from
INLINE, INLINE_IDS = 16, 3

BYTES = 0x0101010101010101
HIGH_BITS = -0x7F7F7F7F7F7F7F80  # 0x80 in each byte


def load(numbers: Any, i: int) -> int:
    """Eight bytes from any place on as one number, low byte first, out of the two aligned ones that they lie across."""
    q, shift = i >> 3, (i & 7) << 3
    return int((numbers[q] >> shift) & ~(-1 << 1 << (63 - shift)) | numbers[q + 1] << 1 << (63 - shift))


def beyond_letters(x: int) -> int:
    """A one in the lowest byte of eight that is no ASCII letter, at its lowest bit; 0 where all are letters.

    One less is a mask of the letters before it.
    """
    lower = (x | 0x20 * BYTES) & 0x7F * BYTES
    # Adding lifts a byte's high bit from "a" on, or from behind "z" on; no byte carries into the next.
    is_letter = (lower + 0x1F * BYTES) & ~(lower + 0x05 * BYTES) & ~x
    others = ~is_letter & HIGH_BITS
    others = (others >> 7) & BYTES
    return others & -others


def n_below(low: int) -> int:
    """How many of eight bytes lie below the one of `beyond_letters`."""
    return ((low - 1) & BYTES) * BYTES >> 56


def home(low: int, high: int, n_slots: int) -> int:
    """Where in the table of pre-tokens the search begins."""
    h = (low ^ high * 0x27D4EB2F165667C5) * 0x165667B19E3779F9
    h = (h ^ h >> 32) * 0x165667B19E3779F9
    return (h >> 24) & (n_slots - 1)


def hash_of(b: Any, start: int, end: int) -> int:
    """A hash of a long pre-token, not negative."""
    h = 0
    for i in range(start, end):
        h = (h ^ b[i]) * 0x100000001B3
    return (h ^ h >> 29) & 0x7FFFFFFFFFFFFFFF


def value_bytes(byte_ids: Any, pairs: Any, byte_values: Any) -> None:
    """Fill in the value of each two bytes: half of all look-ups are for these, and few of them are ever asked for."""
    for left in range(256):
        for right in range(256):
            byte_values[left << 8 | right] = value_of(pairs, int(byte_ids[left]), int(byte_ids[right]))


def merge_short(
    b: Any, start: int, n: int, byte_ids: Any, byte_values: Any, pairs: Any, limit: int, row: Any
) -> int:  # fmt: skip
    """Encode a short pre-token into `row`; returns how many ids it has, -1 where a byte has no id."""
    lowest = 0
    for k in range(n - 1):
        note(row, k, byte_values[b[start + k] * 256 + b[start + k + 1]])
    for k in range(n):
        row[k] = byte_ids[b[start + k]]
        lowest = min(lowest, row[k])
    return -1 if lowest < 0 else close_short(row, n, pairs, limit)


def merge_long(
    b: Any, start: int, n: int, byte_ids: Any, pairs: Any, limit: int, tokens: Any, gaps: Any, scratch: Any, links: Any
) -> int:  # fmt: skip
    """Encode one of any length into `tokens`."""
    for k in range(n):
        tokens[k] = byte_ids[b[start + k]]
        if tokens[k] < 0:
            return -1
    room = len(tokens)
    return close_long(tokens, n, gaps, pairs, limit, scratch[:room], links[:room], links[room:], scratch[room:])


def ascii_end(b: Any, start: int, n: int, moves: Any) -> int:
    """Where the pre-token at start ends, where it is of ASCII characters and gives nothing back; else -1.

    It is the first way of `scanning.scan`, for the most frequent case.
    """
    i, state = start, START
    while i < n and b[i] < 0x80:
        stop = moves[state * COLUMNS + b[i]]
        if stop <= STOP:
            return -1 if stop == RETREAT or state == GAP else i
        state = stop
        i += 1
    return -1


def encode(
    state: Any, b: Any, numbers: Any, start: int, n: int, has_fast: bool, columns: Any, moves: Any, marks: Any,
    byte_ids: Any, byte_values: Any, pairs: Any, limit: int, table: Any, long_table: Any, kept: Any, row: Any,
    tokens: Any, gaps: Any, scratch: Any, links: Any, starts: Any, ends: Any, out: Any,
) -> int:  # fmt: skip
    """Encode a text from start on.

    Args:
        state: (N_STATE,) int64, the scalars above.
        b: uint8, the text, and zeros behind it.
        numbers: int64, the same bytes eight by eight, up to three numbers beyond the text.
        start: where a pre-token, or what the split drops before it, begins.
        n: the text's end.
        has_fast: whether the split takes letters, with a blank before them, as one pre-token wherever they begin.
        columns: the split's automaton, see `scanning.py`.
        moves: the same.
        marks: the same.
        byte_ids: (256,) each byte's id, -1 where it has none.
        byte_values: (65536,) int64, the value of each two bytes.
        pairs: the merges; see `closing.py`.
        limit: merges of this rank and above do not apply.
        table: (t * ENTRY) int64, the pre-tokens of up to 16 bytes.
        long_table: (u * LONG_ENTRY) int64, the others.
        kept: int32, ids of pre-tokens that have more than three.
        row: see `closing.py`.
        tokens: (m,) int32, scratch for pre-tokens of up to m bytes.
        gaps: (m,) int32, scratch.
        scratch: (3 * m) int64.
        links: (2 * m) int32.
        starts: (1,) int64, scratch.
        ends: (1,) int64, scratch.
        out: int32, gets the ids; room for three more than the text has bytes.

    Returns:
        Where it got to; short of n where `state` says what there is too little room for.
    """
    i, n_out = start, state[N_OUT]
    n_slots = len(table) // ENTRY
    state[SHORT_OF] = ENOUGH
    while True:
        low = high = length = 0
        if has_fast and i < n:
            low = load(numbers, i)
            blank = int(low & 0xFF == BLANK)
            # For the test the blank becomes a letter.
            end = beyond_letters(low + blank * 0x41)
            length = n_below(end)
            low &= end - 1
            if length == 8:
                high = load(numbers, i + 8)
                end = beyond_letters(high)
                length = 8 + n_below(end)
                high &= end - 1
            if length == 16 or length <= blank or b[i + length] >= 0x80:
                length = 0
        if length == 0:
            if i >= n:
                state[N_OUT] = n_out
                return n
            end = ascii_end(b, i, n, moves)
            if end < 0:
                found, end = scan(b, i, n, columns, moves, marks, starts, ends)
                if found == 0:
                    i = n
                    continue
                i = starts[0]
            length = end - i
            if length <= INLINE:
                low, high = load(numbers, i), load(numbers, i + 8)
                if length <= 8:
                    high = 0
                    low &= -1 if length == 8 else (1 << 8 * length) - 1
                else:
                    high &= -1 if length == 16 else (1 << 8 * length - 64) - 1
        if length <= INLINE:
            slot = ENTRY * home(low, high, n_slots)
            while table[slot + 2] != 0 and (
                table[slot] != low or table[slot + 1] != high or table[slot + 2] >> 40 != length
            ):
                slot += ENTRY
                if slot == len(table):
                    slot = 0
            word = table[slot + 2]
            if word == 0:
                if 2 * state[N_WORDS] > n_slots or state[N_KEPT] + INLINE > len(kept):
                    state[SHORT_OF] = WORDS if 2 * state[N_WORDS] > n_slots else KEPT
                    state[N_OUT] = n_out
                    return i
                n_ids = merge_short(b, i, length, byte_ids, byte_values, pairs, limit, row)
                if n_ids < 0:
                    state[SHORT_OF] = UNKNOWN_BYTE
                    return i
                word = length << 40 | n_ids << 32 | row[0]
                table[slot], table[slot + 1], table[slot + 2] = low, high, word
                if n_ids <= INLINE_IDS:
                    for k in range(n_ids, INLINE_IDS):
                        row[k] = 0
                    table[slot + 3] = row[1] << 32 | row[2]
                else:
                    table[slot + 3] = state[N_KEPT]
                    for k in range(n_ids):
                        kept[state[N_KEPT] + k] = row[k]
                    state[N_KEPT] += n_ids
                state[N_WORDS] += 1
            n_ids, rest = word >> 32 & 0xFF, table[slot + 3]
            if n_ids <= INLINE_IDS:
                out[n_out] = word & 0xFFFFFFFF
                out[n_out + 1] = rest >> 32
                out[n_out + 2] = rest & 0xFFFFFFFF
            else:
                for k in range(n_ids):
                    out[n_out + k] = kept[rest + k]
            n_out += n_ids
        else:
            state[N_OUT] = n_out
            n_ids = encode_long(
                state, b, i, i + length, byte_ids, pairs, limit, long_table, kept, tokens, gaps, scratch, links, out
            )
            if n_ids < 0:
                return i
            n_out += n_ids
        i += length


def encode_long(
    state: Any, b: Any, start: int, end: int, byte_ids: Any, pairs: Any, limit: int, long_table: Any, kept: Any,
    tokens: Any, gaps: Any, scratch: Any, links: Any, out: Any,
) -> int:  # fmt: skip
    """Write the ids of a pre-token that is too long for the table; returns how many, -1 where room is short."""
    length, hashed, n_slots = end - start, hash_of(b, start, end), len(long_table) // LONG_ENTRY
    slot = LONG_ENTRY * (hashed & (n_slots - 1))
    while long_table[slot] != 0:
        if long_table[slot] == length and long_table[slot + 2] == hashed:
            first, k = long_table[slot + 1], 0
            while k < length and b[first + k] == b[start + k]:
                k += 1
            if k == length:
                break
        slot += LONG_ENTRY
        if slot == len(long_table):
            slot = 0
    if long_table[slot] == 0:
        if 2 * state[N_LONG] > n_slots:
            state[SHORT_OF] = LONG_WORDS
            return -1
        if length > len(tokens):
            state[SHORT_OF] = SCRATCH
            return -1
        if state[N_KEPT] + length > len(kept):
            state[SHORT_OF] = KEPT
            return -1
        n_ids = merge_long(b, start, length, byte_ids, pairs, limit, tokens, gaps, scratch, links)
        if n_ids < 0:
            state[SHORT_OF] = UNKNOWN_BYTE
            return -1
        long_table[slot], long_table[slot + 1], long_table[slot + 2] = length, start, hashed
        long_table[slot + 3] = n_ids << 40 | state[N_KEPT]
        for k in range(n_ids):
            kept[state[N_KEPT] + k] = tokens[k]
        state[N_KEPT] += n_ids
        state[N_LONG] += 1
    n_ids, place = long_table[slot + 3] >> 40, long_table[slot + 3] & 0xFFFFFFFFFF
    for k in range(n_ids):
        out[state[N_OUT] + k] = kept[place + k]
    return int(n_ids)


def refill(table: Any, old: Any) -> None:
    """Enter the pre-tokens of an old, smaller table."""
    n_slots = len(table) // ENTRY
    for i in range(0, len(old), ENTRY):
        if old[i + 2] != 0:
            slot = ENTRY * home(old[i], old[i + 1], n_slots)
            while table[slot + 2] != 0:
                slot += ENTRY
                if slot == len(table):
                    slot = 0
            for field in range(ENTRY):
                table[slot + field] = old[i + field]


def refill_long(table: Any, old: Any) -> None:
    """The same for the table of long ones."""
    n_slots = len(table) // LONG_ENTRY
    for i in range(0, len(old), LONG_ENTRY):
        if old[i] != 0:
            slot = LONG_ENTRY * (old[i + 2] & (n_slots - 1))
            while table[slot] != 0:
                slot += LONG_ENTRY
                if slot == len(table):
                    slot = 0
            for field in range(LONG_ENTRY):
                table[slot + field] = old[i + field]
