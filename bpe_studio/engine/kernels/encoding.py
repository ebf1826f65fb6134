"""The token ids of a text in one pass: each distinct pre-token is encoded when it first occurs, and
then cached.

Nearly all pre-tokens of a text have occurred before, so the time to recognize one is what counts:

- A batch of text is split (`scanning.py`), and phrases without spaces are divided further
  (`dividing.py`); then all pre-tokens are looked up, then the new ones are encoded, then the ids
  are written: in each pass, no item waits for what another one loads from memory. A part of a
  divided pre-token is treated like a pre-token.
- A pre-token of up to 16 bytes is two numbers, loaded directly from the text. The hash table holds
  only small numbers; the entries are in first-seen order, so that frequent ones are close together.
- One of up to 64 bytes is a hash and its last eight bytes, and is compared with the bytes that are
  stored with its ids: in scripts other than Latin, a tenth of all pre-tokens, and a third of the
  text.
- Three ids are always written, or sixteen if there are more, and the output position advances by
  their actual number, so that there are few branches to mispredict.
- Longer pre-tokens are rare; they have a table of their own, and are compared with their first
  occurrence in the text.

The cache holds, and the output receives, either the ids of a pre-token or the gap rank of each of
its symbols: the same passes give the tokens at one step, or at every step.

Nothing is allocated here: if an array is too small, `encode` says which and is called again.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import INDEX, NEVER
from bpe_studio.engine.kernels.closing import GAPS, Pairs, close_long, close_short, note, value_of
from bpe_studio.engine.kernels.dividing import (
    ANYTHING,
    BOUNDS,
    LEADS,
    LETTER,
    NOTHING,
    SPACED,
    WIDE,
    divide,
    has_wide,
)
from bpe_studio.engine.kernels.kinds import Bytes, EightBytes, Int32s, Int64Rows, Int64s
from bpe_studio.engine.kernels.scanning import N_ENDS, STOP_NUMBER, Tables, cut

# Scalars in `state`
N_OUT, N_WORDS, N_LONG, N_KEPT, N_LONG_KEPT, SHORT_OF, LONGEST, IS_RANKS = range(8)
# The pre-tokens that are divided, the parts in the batch, the parts that are written, the row of
# their starts, and the texts whose end is known
N_DIVIDED = 8
N_BATCH = 9
N_WRITTEN = 10
ROW_OF_STARTS = 11
N_ENDED = 12
N_STATE = 13
TURN = 1000
"""The number of pre-tokens in a batch; not a power of two, so that its arrays do not evict one
another from the processor's cache."""
ENOUGH, WORDS, LONG_WORDS, KEPT, LONG_KEPT, SCRATCH, UNKNOWN_BYTE = range(
    7
)  # the array that is too small

# First 8 bytes, or a hash; last 8; bytes << 40 | ids << 32 | first id; second id << 32 | third, or
# in `kept`.
ENTRY = 4
LONG_ENTRY = 5  # bytes (0: free), first occurrence, hash, ids, offset in `long_kept`
INLINE = 16
INLINE_IDS = 3
NOT_ASCII = -0x7F7F7F7F7F7F7F80  # the highest bit of each of eight bytes
WHOLE = 8  # pre-tokens of up to this many bytes are not divided
# Pre-tokens of more than INLINE bytes and up to these are stored in `kept`: their ids, then their
# bytes.
MEDIUM = 64
IN_KEPT = 0x80  # added to the number of ids of a medium pre-token, all of which are in `kept`
MOST_KEPT = 2 * MEDIUM  # no pre-token needs more of `kept`, and no more is read from a place in it
LONG = 0  # the number of every longer pre-token


def home(low: int, high: int, length: int, n_slots: int) -> int:
    """The slot at which the search for a pre-token begins."""
    h = (low + length ^ high * 0x27D4EB2F165667C5) * 0x165667B19E3779F9
    h = (h ^ h >> 32) * 0x165667B19E3779F9
    return (h >> 24) & INDEX & (n_slots - 1)


def is_stored(kept: Any, place: int, eight: Any, at: int, length: int) -> bool:
    """Whether the bytes of a medium pre-token are those stored at a place, except for the last
    eight.
    """
    difference = 0
    for j in range(0, length - 8, 4):
        difference |= kept[place + (j >> 2) & INDEX] ^ (eight[at + j & INDEX] << 32 >> 32)
    return difference == 0


def hash_of(b: Any, start: int, end: int) -> int:
    """A hash of a long pre-token, not negative."""
    h = 0
    for i in range(start, end):
        h = (h ^ b[i]) * 0x100000001B3
    return (h ^ h >> 29) & 0x7FFFFFFFFFFFFFFF


def value_bytes(byte_ids: Int32s, pairs: Pairs, byte_values: Int64s) -> None:
    """Store the value of every pair of two bytes: half of all look-ups are for these."""
    for left in range(256):
        for right in range(256):
            byte_values[left << 8 | right] = value_of(
                pairs, int(byte_ids[left]), int(byte_ids[right])
            )


def begin_short(
    row: Any,
    b: Any,
    eight: Any,
    at: int,
    length: int,
    byte_ids: Any,
    byte_values: Any,
    wholes: Any,
    pairs: Any,
    limit: int,
) -> int:
    """Write the symbols of a pre-token, and the values of their pairs, for `close_short`.

    Characters that always become one token are that token; see `dividing.find_wholes` and
    `find_letters`.

    Returns:
        The number of symbols; 0 if a byte is unknown.
    """
    not_ascii = 0
    for j in range(0, length, 8):
        not_ascii |= eight[at + j & INDEX]
    lowest = 0
    if not_ascii & NOT_ASCII == 0 or len(wholes) == 0:
        for k in range(length):
            note(row, k, byte_values[b[at + k] << 8 | b[at + k + 1]])
            row[k] = byte_ids[b[at + k]]
            lowest = min(lowest, row[k])
        return length if lowest == 0 else 0
    n = 0
    i = at
    end = at + length
    before = NOTHING
    if length > 2 and b[at] == ord(" ") and 0xC2 <= b[at + 1] < WIDE:
        code = (b[at + 1] & 0x1F) << 6 | b[at + 2] & 0x3F
        whole = wholes[SPACED + code & INDEX]
        if whole >> 32 < limit:
            row[0] = whole & 0xFFFFFFFF
            n = 1
            i = at + 3
            before = code
    while i < end:
        c = b[i]
        width = 1
        is_whole = False
        if c < 0x80:
            before = int(c)
        elif c < WIDE:
            width = 2
            code = (c & 0x1F) << 6 | b[i + 1] & 0x3F
            whole = wholes[LETTER + code & INDEX]
            is_whole = whole >> 32 < min(
                limit, wholes[BOUNDS + before * LEADS + (c & 0x1F) & INDEX]
            )
            before = code
        else:
            width = 3 if c < 0xF0 else 4
            code = c & (0x7F >> width)
            before = ANYTHING
            for j in range(1, width):
                code = code << 6 | b[i + j] & 0x3F
            whole = wholes[code] - 1
            is_whole = whole >= 0 and whole >> 32 < limit
        if is_whole:
            row[n] = whole & 0xFFFFFFFF
            n += 1
        else:
            for j in range(width):
                row[n] = byte_ids[b[i + j]]
                lowest = min(lowest, row[n])
                n += 1
        i += width
    for k in range(n - 1):
        note(row, k, value_of(pairs, row[k], row[k + 1]))
    return n if lowest == 0 else 0


def merge_long(
    b: Any,
    start: int,
    n: int,
    byte_ids: Any,
    pairs: Any,
    limit: int,
    tokens: Any,
    gaps: Any,
    scratch: Any,
    links: Any,
) -> int:
    """Encode a pre-token of any length into `tokens`."""
    for k in range(n):
        tokens[k] = byte_ids[b[start + k]]
        gaps[k] = NEVER
        if tokens[k] < 0:
            return -1
    room = len(tokens)
    return close_long(
        tokens, n, gaps, pairs, limit, scratch[:room], links[:room], links[room:], scratch[room:]
    )


def read_keys(
    eight: Any, starts: Any, ends: Any, n: int, slots: Any, lows: Any, highs: Any, words: Any
) -> None:
    """Load the bytes of each pre-token as two numbers, and find the known pre-token that it may be.

    The second number holds the last eight bytes of a pre-token longer than eight, which may overlap
    the first eight. With more than 16 bytes, the first number is a hash of the others.
    """
    for k in range(n):
        at = starts[k] & INDEX
        length = ends[k] - starts[k]
        is_more = int(length > 8)
        # Shifting to the top removes what does not belong to the pre-token.
        low = eight[at] << ((8 - min(length, 8)) << 3)
        high = eight[at + max(length, 8) - 8 & INDEX] & -is_more
        if length > INLINE:
            for j in range(8, min(length, MEDIUM) - 8, 8):
                low = (low ^ low >> 31) * 0x165667B19E3779F9 ^ eight[at + j & INDEX]
        lows[k] = low
        highs[k] = high
        words[k] = slots[home(low, high, length, len(slots))]


def list_new(
    starts: Any,
    ends: Any,
    n: int,
    eight: Any,
    words: Any,
    kept: Any,
    lows: Any,
    highs: Any,
    numbers: Any,
    news: Any,
) -> int:
    """List the pre-tokens that are not the ones that they may be, including the long ones."""
    n_new = 0
    for k in range(n):
        entry = ENTRY * (numbers[k] & INDEX)
        length = words[entry + 2] >> 40
        difference = (
            words[entry] ^ lows[k] | words[entry + 1] ^ highs[k] | length ^ (ends[k] - starts[k])
        )
        if length > INLINE and difference == 0:
            place = words[entry + 3] + (words[entry + 2] >> 32 & IN_KEPT - 1)
            difference = int(not is_stored(kept, place, eight, starts[k], length))
        news[n_new] = k
        n_new += int(difference != 0)
    return n_new


def encode(
    state: Int64s,
    b: Bytes,
    eight: EightBytes,
    walk: Int64s,
    stops: Int64s,
    tables: Tables,
    byte_ids: Int32s,
    byte_values: Int64s,
    wholes: Int64s,
    pairs: Pairs,
    limit: int,
    bits: Bytes,
    slots: Int32s,
    words: Int64s,
    long_table: Int64s,
    kept: Int32s,
    long_kept: Int32s,
    row: Int64s,
    tokens: Int32s,
    gaps: Int32s,
    scratch: Int64s,
    links: Int32s,
    turn: Int64Rows,
    out: Int32s,
    text_ends: Int64s,
) -> None:
    """Encode texts to their end, or until an array is too small; then it is called again with a
    larger one.

    Args:
        state: (N_STATE,) int64, the scalars above; says in the end which array is too small.
        b: uint8, the texts, end to end, valid UTF-8, then zeros.
        eight: int64, the eight bytes that begin at each byte as one number, low byte first.
        walk: the state of the split; see `scanning.cut`, as for the next three.
        stops: (t,) int64, the end of each text.
        tables: see `scanning.cut`.
        byte_ids: (256,) the id of each byte; -1 for none.
        byte_values: (65536,) int64, the value of each pair of two bytes.
        wholes: characters that are one symbol, see `dividing.find_wholes`; empty if each byte is
            one.
        pairs: the merges; see `closing.py`.
        limit: merges of this rank and above do not apply.
        bits: the places where pre-tokens cannot be divided; see `dividing.py`.
        slots: (t,) int32, open addressing: the number of a pre-token of up to 64 bytes (0: free).
        words: (w * ENTRY) int64, these pre-tokens in first-seen order; entry 0 is unused.
        long_table: (u * LONG_ENTRY) int64, the longer ones.
        kept: int32, the ids of pre-tokens that have more than three, and of medium ones, with their
            bytes.
        long_kept: int32, the ids of long pre-tokens.
        row: see `closing.py`.
        tokens: (m,) int32, scratch for pre-tokens of up to m bytes.
        gaps: (m,) int32, scratch.
        scratch: (3 * m) int64.
        links: (2 * m) int32.
        turn: (8, TURN) int64, scratch, unchanged from one call to the next: starts and ends of a
            batch of pre-tokens; starts and ends of their parts, if they are divided; bytes (two
            rows), numbers, and the new ones.
        out: int32, receives the ids, or the gap ranks; INLINE entries longer than the texts have
            bytes.
        text_ends: (t,) int64, receives the end of each text in `out`.

    Raises:
        TimeoutError: see `scanning.cut`.
    """
    n_out = state[N_OUT]
    n_ended = state[N_ENDED]
    lows = turn[4]
    highs = turn[5]
    numbers = turn[6]
    news = turn[7]
    state[SHORT_OF] = ENOUGH
    while True:
        if state[N_BATCH] == 0:
            if state[N_DIVIDED] == walk[N_ENDS]:
                if walk[STOP_NUMBER] == len(stops):
                    break
                cut(walk, b, stops, tables, turn[0], turn[1])
                state[N_DIVIDED] = 0
            n_found = walk[N_ENDS]
            if state[N_DIVIDED] == 0 and (
                n_found == 0 or not has_wide(eight, turn[0, 0], turn[1, n_found - 1])
            ):
                state[N_DIVIDED] = n_found
                state[N_BATCH] = n_found
                state[ROW_OF_STARTS] = 0
            else:
                state[N_DIVIDED], state[N_BATCH] = divide(
                    b,
                    eight,
                    turn[0],
                    turn[1],
                    state[N_DIVIDED],
                    n_found,
                    WHOLE,
                    bits,
                    turn[2],
                    turn[3],
                )
                state[ROW_OF_STARTS] = 2
        starts = turn[state[ROW_OF_STARTS]]
        ends = turn[state[ROW_OF_STARTS] + 1]
        n_batch = state[N_BATCH]
        if state[N_WRITTEN] == 0:
            read_keys(eight, starts, ends, n_batch, slots, lows, highs, numbers)
            n_new = list_new(starts, ends, n_batch, eight, words, kept, lows, highs, numbers, news)
            if n_new > 0 and not encode_new(
                state,
                b,
                eight,
                starts,
                ends,
                lows,
                highs,
                numbers,
                news,
                n_new,
                byte_ids,
                byte_values,
                wholes,
                pairs,
                limit,
                slots,
                words,
                kept,
                row,
            ):
                return
        stop = stops[n_ended]
        for k in range(state[N_WRITTEN], n_batch):
            number = numbers[k]
            if starts[k] >= stop:
                while starts[k] >= stops[n_ended]:
                    text_ends[n_ended] = n_out
                    n_ended += 1
                stop = stops[n_ended]
            if number == LONG:
                state[N_OUT] = n_out
                state[N_WRITTEN] = k
                state[N_ENDED] = n_ended
                n_ids = encode_long(
                    state,
                    b,
                    starts[k],
                    ends[k],
                    byte_ids,
                    pairs,
                    limit,
                    long_table,
                    long_kept,
                    tokens,
                    gaps,
                    scratch,
                    links,
                    out,
                )
                if n_ids < 0:
                    return
                n_out += n_ids
                continue
            entry = ENTRY * (number & INDEX)
            at = n_out & INDEX
            word = words[entry + 2]
            rest = words[entry + 3]
            n_ids = word >> 32 & 0xFF
            if n_ids <= INLINE_IDS:
                out[at] = word & 0xFFFFFFFF
                out[at + 1] = rest >> 32
                out[at + 2] = rest & 0xFFFFFFFF
            else:
                rest &= INDEX
                n_ids &= IN_KEPT - 1
                for j in range(INLINE):
                    out[at + j] = kept[rest + j]
                for j in range(INLINE, n_ids):
                    out[at + j] = kept[rest + j]
            n_out += n_ids
        state[N_OUT] = n_out
        state[N_BATCH] = 0
        state[N_WRITTEN] = 0
        state[N_ENDED] = n_ended
    for j in range(n_ended, len(stops)):
        text_ends[j] = n_out


def encode_new(
    state: Any,
    b: Any,
    eight: Any,
    starts: Any,
    ends: Any,
    lows: Any,
    highs: Any,
    numbers: Any,
    news: Any,
    n_new: int,
    byte_ids: Any,
    byte_values: Any,
    wholes: Any,
    pairs: Any,
    limit: int,
    slots: Any,
    words: Any,
    kept: Any,
    row: Any,
) -> bool:
    """Find the numbers of the listed pre-tokens, and encode the new ones; returns whether there was
    room.

    It is called once for many, because passing so many arrays takes longer than encoding a
    pre-token.
    """
    mask = len(slots) - 1
    for j in range(n_new):
        at = starts[news[j]]
        length = ends[news[j]] - starts[news[j]]
        low = lows[news[j]]
        high = highs[news[j]]
        slot = home(low, high, length, len(slots))
        number = LONG
        while length <= MEDIUM and slots[slot] != 0:
            entry = ENTRY * int(slots[slot])
            if (
                words[entry] == low
                and words[entry + 1] == high
                and words[entry + 2] >> 40 == length
            ):
                place = words[entry + 3] + (words[entry + 2] >> 32 & IN_KEPT - 1)
                if length <= INLINE or is_stored(kept, place, eight, at, length):
                    number = slots[slot]
                    break
            slot = (slot + 1) & mask
        if number == LONG and length <= MEDIUM:
            number = state[N_WORDS] + 1
            if (
                2 * number > len(slots)
                or ENTRY * (number + 1) > len(words)
                or state[N_KEPT] + MOST_KEPT > len(kept)
            ):
                state[SHORT_OF] = WORDS if state[N_KEPT] + MOST_KEPT <= len(kept) else KEPT
                return False
            n_symbols = begin_short(
                row, b, eight, at, length, byte_ids, byte_values, wholes, pairs, limit
            )
            if n_symbols == 0:
                state[SHORT_OF] = UNKNOWN_BYTE
                return False
            n_ids = close_short(row, n_symbols, pairs, limit)
            if state[IS_RANKS] != 0:
                n_ids = length
                for k in range(length):
                    row[k] = row[GAPS + k]
            if n_ids <= INLINE_IDS and length <= INLINE:
                for k in range(n_ids, INLINE_IDS):
                    row[k] = 0
                rest = row[1] << 32 | row[2]
            else:
                rest = state[N_KEPT]
                for k in range(n_ids):
                    kept[rest + k] = row[k]
                state[N_KEPT] += n_ids
            if length > INLINE:
                for k in range(0, length - 8, 4):
                    kept[rest + n_ids + (k >> 2)] = eight[at + k & INDEX] << 32 >> 32
                state[N_KEPT] += length - 5 >> 2
                n_ids |= IN_KEPT
            entry = ENTRY * number
            words[entry] = low
            words[entry + 1] = high
            words[entry + 2] = length << 40 | n_ids << 32 | row[0]
            words[entry + 3] = rest
            slots[slot] = number
            state[N_WORDS] = number
        numbers[news[j]] = number
    return True


def encode_long(
    state: Any,
    b: Any,
    start: int,
    end: int,
    byte_ids: Any,
    pairs: Any,
    limit: int,
    long_table: Any,
    kept: Any,
    tokens: Any,
    gaps: Any,
    scratch: Any,
    links: Any,
    out: Any,
) -> int:
    """Write the ids of a pre-token that is too long for the table.

    Returns their number, or -1 if there is no room.
    """
    length = end - start
    hashed = hash_of(b, start, end)
    n_slots = len(long_table) // LONG_ENTRY
    slot = LONG_ENTRY * (hashed & (n_slots - 1))
    while long_table[slot] != 0:
        if long_table[slot] == length and long_table[slot + 2] == hashed:
            first = long_table[slot + 1]
            k = 0
            while k < length and b[first + k] == b[start + k]:
                k += 1
            if k == length:
                break
        slot += LONG_ENTRY
        if slot == len(long_table):
            slot = 0
    if long_table[slot] == 0:
        state[LONGEST] = length
        if 2 * state[N_LONG] > n_slots:
            state[SHORT_OF] = LONG_WORDS
            return -1
        if length > len(tokens):
            state[SHORT_OF] = SCRATCH
            return -1
        if state[N_LONG_KEPT] + length > len(kept):
            state[SHORT_OF] = LONG_KEPT
            return -1
        n_ids = merge_long(b, start, length, byte_ids, pairs, limit, tokens, gaps, scratch, links)
        found = tokens
        if n_ids < 0:
            state[SHORT_OF] = UNKNOWN_BYTE
            return -1
        if state[IS_RANKS] != 0:
            n_ids = length
            found = gaps
        long_table[slot] = length
        long_table[slot + 1] = start
        long_table[slot + 2] = hashed
        long_table[slot + 3] = n_ids
        long_table[slot + 4] = state[N_LONG_KEPT]
        for k in range(n_ids):
            kept[state[N_LONG_KEPT] + k] = found[k]
        state[N_LONG_KEPT] += n_ids
        state[N_LONG] += 1
    n_ids = long_table[slot + 3]
    place = long_table[slot + 4]
    for k in range(n_ids):
        out[state[N_OUT] + k] = kept[place + k]
    return int(n_ids)


def refill(slots: Int32s, words: Int64s, n: int) -> None:
    """Insert the first n pre-tokens into an empty table."""
    mask = len(slots) - 1
    for number in range(1, n + 1):
        entry = ENTRY * number
        slot = home(words[entry], words[entry + 1], words[entry + 2] >> 40, len(slots))
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = number


def refill_long(table: Int64s, old: Int64s) -> None:
    """Insert the long pre-tokens of an old table into an empty one."""
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


def symbols_of(b: Bytes, n: int, byte_ids: Int32s, out: Int32s) -> None:
    """Write the symbol of each of the first n bytes."""
    for i in range(n):
        out[i] = byte_ids[b[i]]


def tally(gaps: Int32s, counts: Int64s) -> None:
    """Count the gaps of each rank; the last entry counts all higher ranks, and those below 0."""
    last = len(counts) - 1
    for i in range(len(gaps)):
        if gaps[i] < 0:
            counts[last] += 1
        else:
            counts[min(gaps[i], last)] += 1
