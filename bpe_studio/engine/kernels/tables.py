"""What the merge loop looks things up in: the pair table, the counts of counts, the heap and the tokens' texts.

Records lie flat in one array each: record i of a kind with stride S begins at i * S. A slot is such a beginning.
"""

from __future__ import annotations

from typing import Any

# Scalars in `numbers`
N_PAIRS, N_PLACES, N_HEAP, N_VOCAB, N_MERGES, N_TOKENS, N_TABLE, N_TIE, N_NEAR = range(9)
MIN_COUNT, KEEP_COUNT, RULE, MAX_CHARACTERS, PREFIX_CUT = range(9, 14)
N_NUMBERS = 14

# Strides and fields
PAIR, LEFT, RIGHT, FROM, TO = 4, 0, 1, 2, 3
TABLE, COUNT, NUMBER = 3, 1, 2  # after the key
HEAP = 3  # pair, count, key
TIE = 2  # count, how many pairs
TOKEN, LENGTH, CHARACTERS, SCRIPT_FIRST, SCRIPT_LAST = 4, 0, 1, 2, 3
TIE_DENSE = 1 << 16

# Tie rules
FIRST_SEEN, SMALLEST_IDS, GREATEST_TEXTS, SHORTEST_TEXT = range(4)


def find(table: Any, left: int, right: int) -> int:
    """The slot of a pair in the table, or the free slot where it would go."""
    mask = len(table) // TABLE - 1
    key = (left << 32 | right) + 1
    # The middle bits of a product hang on all bits of both ids; no product here leaves 63 bits.
    h = left * 0x2C1B3C6D + right * 0x297A2D39
    h = ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask
    while table[TABLE * h] != 0 and table[TABLE * h] != key:
        h = (h + 1) & mask
    return TABLE * h


def tie_slot(tie_table: Any, count: int) -> int:
    """The slot of a large count among the counts of counts."""
    mask = len(tie_table) // TIE - 1
    h = ((count ^ count >> 31) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask
    while tie_table[TIE * h] != 0 and tie_table[TIE * h] != count:
        h = (h + 1) & mask
    return TIE * h


def tally(numbers: Any, tie_counts: Any, tie_table: Any, count: int, change: int) -> None:
    """Note that one pair more (or fewer) has this count."""
    if count < TIE_DENSE:
        tie_counts[count] += change
        return
    slot = tie_slot(tie_table, count)
    if tie_table[slot] == 0:
        tie_table[slot] = count
        numbers[N_TIE] += 1
    tie_table[slot + 1] += change


def tied_with(tie_counts: Any, tie_table: Any, count: int) -> int:
    """How many pairs have exactly this count."""
    if count < TIE_DENSE:
        return int(tie_counts[count])
    return int(tie_table[tie_slot(tie_table, count) + 1])


def lower(numbers: Any, table: Any, tie_counts: Any, tie_table: Any, left: int, right: int, by: int) -> None:
    """Take occurrences from a pair; one that is not kept in the table has too few to matter."""
    slot = find(table, left, right)
    count = table[slot + COUNT]
    if table[slot] != 0 and count > 0:
        tally(numbers, tie_counts, tie_table, count, -1)
        table[slot + COUNT] = count - by
        if count > by:
            tally(numbers, tie_counts, tie_table, count - by, 1)


def drop(numbers: Any, table: Any, tie_counts: Any, tie_table: Any, slot: int) -> None:
    """Forget a pair: it is merged, forbidden, or would make a token that there is already."""
    count = table[slot + COUNT]
    if count > 0:
        tally(numbers, tie_counts, tie_table, count, -1)
    table[slot + COUNT] = 0


def compare_texts(text_starts: Any, texts: Any, a: int, c: int) -> int:
    """-1, 0 or 1 as the text of token a sorts before, with or after that of token c, byte by byte."""
    i, j = text_starts[a], text_starts[c]
    end_i, end_j = text_starts[a + 1], text_starts[c + 1]
    while i < end_i and j < end_j:
        if texts[i] != texts[j]:
            return -1 if texts[i] < texts[j] else 1
        i += 1
        j += 1
    if i < end_i:
        return 1
    return -1 if j < end_j else 0


def compare_joined(text_starts: Any, texts: Any, a1: int, a2: int, c1: int, c2: int) -> int:
    """The same for the texts of a1 + a2 and c1 + c2."""
    i, end_i, i_is_last = text_starts[a1], text_starts[a1 + 1], False
    j, end_j, j_is_last = text_starts[c1], text_starts[c1 + 1], False
    while True:
        if i == end_i and not i_is_last:
            i, end_i, i_is_last = text_starts[a2], text_starts[a2 + 1], True
        if j == end_j and not j_is_last:
            j, end_j, j_is_last = text_starts[c2], text_starts[c2 + 1], True
        if i == end_i or j == end_j:
            break
        if texts[i] != texts[j]:
            return -1 if texts[i] < texts[j] else 1
        i += 1
        j += 1
    if i < end_i:
        return 1
    return -1 if j < end_j else 0


def key_of(numbers: Any, tokens: Any, pairs: Any, places: Any, text_starts: Any, texts: Any, pair: int) -> int:
    """What decides between equal counts, as one number; smaller is better, equal numbers are compared further."""
    rule = numbers[RULE]
    if rule == FIRST_SEEN:
        return int(places[pairs[PAIR * pair + FROM]])
    left, right = pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]
    if rule == SMALLEST_IDS:
        return int(left << 32 | right)
    if rule == SHORTEST_TEXT:
        return int(tokens[TOKEN * left + CHARACTERS]) + int(tokens[TOKEN * right + CHARACTERS])
    # The first seven bytes of the left text decide nearly always.
    key, i, end = 0, text_starts[left], text_starts[left + 1]
    for _ in range(7):
        key = key << 8
        if i < end:
            key = key | int(texts[i])
        i += 1
    return -key


def better(
    numbers: Any, heap: Any, pairs: Any, text_starts: Any, texts: Any, pair: int, count: int, key: int, than: int
) -> bool:
    """Whether a pair goes before the heap's entry in the slot `than`."""
    if count != heap[than + 1]:
        return bool(count > heap[than + 1])
    if key != heap[than + 2]:
        return bool(key < heap[than + 2])
    rule = numbers[RULE]
    if rule == FIRST_SEEN or rule == SMALLEST_IDS:
        return False
    other = heap[than]
    left, right = pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]
    left2, right2 = pairs[PAIR * other + LEFT], pairs[PAIR * other + RIGHT]
    if rule == SHORTEST_TEXT:
        return compare_joined(text_starts, texts, left, right, left2, right2) < 0
    if left != left2:
        return compare_texts(text_starts, texts, left, left2) > 0
    return compare_texts(text_starts, texts, right, right2) > 0


def push(numbers: Any, heap: Any, pairs: Any, text_starts: Any, texts: Any, pair: int, count: int, key: int) -> None:
    """Put a pair on the heap."""
    i = numbers[N_HEAP]
    numbers[N_HEAP] = i + 1
    while i > 0:
        up = (i - 1) >> 1
        if not better(numbers, heap, pairs, text_starts, texts, pair, count, key, HEAP * up):
            break
        for field in range(HEAP):
            heap[HEAP * i + field] = heap[HEAP * up + field]
        i = up
    heap[HEAP * i], heap[HEAP * i + 1], heap[HEAP * i + 2] = pair, count, key


def sink(numbers: Any, heap: Any, pairs: Any, text_starts: Any, texts: Any, pair: int, count: int, key: int) -> None:
    """Let an entry sink from the top, which is free, to its place."""
    n, i = numbers[N_HEAP], 0
    while True:
        child = HEAP * (2 * i + 1)
        if child >= HEAP * n:
            break
        other = child + HEAP
        if other < HEAP * n and better(
            numbers, heap, pairs, text_starts, texts, heap[other], heap[other + 1], heap[other + 2], child
        ):
            child = other
        if better(numbers, heap, pairs, text_starts, texts, pair, count, key, child):
            break
        for field in range(HEAP):
            heap[HEAP * i + field] = heap[child + field]
        i = child // HEAP
    heap[HEAP * i], heap[HEAP * i + 1], heap[HEAP * i + 2] = pair, count, key


def pop(numbers: Any, heap: Any, pairs: Any, text_starts: Any, texts: Any) -> None:
    """Take the top off the heap."""
    last = numbers[N_HEAP] - 1
    numbers[N_HEAP] = last
    if last > 0:
        at = HEAP * last
        sink(numbers, heap, pairs, text_starts, texts, heap[at], heap[at + 1], heap[at + 2])


def text_hash(texts: Any, start: int, end: int) -> int:
    """A hash of a stretch of `texts` (FNV-1a, 32 bits)."""
    h = 2166136261
    for i in range(start, end):
        h = ((h ^ int(texts[i])) * 16777619) & 0xFFFFFFFF
    return h


def same_text(text_starts: Any, texts: Any, reserved_starts: Any, start: int, end: int, entry: int) -> bool:
    """Whether a stretch of `texts` reads as an entry of the table of texts."""
    if entry > 0:
        at, stop = text_starts[entry - 1], text_starts[entry]
    else:
        at, stop = reserved_starts[-1 - entry], reserved_starts[-entry]
    if end - start != stop - at:
        return False
    for i in range(end - start):
        if texts[start + i] != texts[at + i]:
            return False
    return True


def add_text(
    text_starts: Any, texts: Any, reserved_starts: Any, text_table: Any, start: int, end: int, entry: int
) -> bool:
    """Enter a stretch of `texts` in the table of texts; False where it stands there already."""
    mask = len(text_table) - 1
    h = text_hash(texts, start, end) & mask
    while text_table[h] != 0:
        if same_text(text_starts, texts, reserved_starts, start, end, text_table[h]):
            return False
        h = (h + 1) & mask
    text_table[h] = entry
    return True
