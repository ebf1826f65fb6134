"""A priority queue of the pairs: a binary heap whose entries are updated lazily, when they reach
the top.

Counts only fall and first places only move on, so an entry can be too good but never too bad.

The heap holds only the pairs that occur at least as often as a floor. When it is empty, the floor
is lowered to a quarter of the highest remaining count, and the pairs above it are pushed: most
pairs are rare, and by then many have become rarer or have disappeared. So the heap stays small, and
most pairs are never pushed.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import (
    CHARACTERS,
    COUNT,
    FIRST_SEEN,
    FLOOR,
    FROM,
    HEAP,
    IDS,
    LENGTH,
    MIN_COUNT,
    N_HEAP,
    N_TIE,
    N_TOKENS,
    NUMBER,
    PAIR,
    RULE,
    SHORTEST_TEXT,
    SMALLEST_IDS,
    TABLE,
    TIE,
    TIE_DENSE,
    TOKEN,
    Buffers,
)
from bpe_studio.engine.kernels.tables import find


def compare_texts(text_starts: Any, texts: Any, a: int, c: int) -> int:
    """-1, 0 or 1 if the text of token a sorts before, equal to or after that of token c, byte by
    byte.
    """
    i = text_starts[a]
    j = text_starts[c]
    end_i = text_starts[a + 1]
    end_j = text_starts[c + 1]
    while i < end_i and j < end_j:
        if texts[i] != texts[j]:
            return -1 if texts[i] < texts[j] else 1
        i += 1
        j += 1
    if i < end_i:
        return 1
    return -1 if j < end_j else 0


def compare_joined(text_starts: Any, texts: Any, a1: int, a2: int, c1: int, c2: int) -> int:
    """-1, 0 or 1, as `compare_texts`, for the texts of a1 + a2 and c1 + c2."""
    i = text_starts[a1]
    end_i = text_starts[a1 + 1]
    i_is_last = False
    j = text_starts[c1]
    end_j = text_starts[c1 + 1]
    j_is_last = False
    while True:
        if i == end_i and not i_is_last:
            i = text_starts[a2]
            end_i = text_starts[a2 + 1]
            i_is_last = True
        if j == end_j and not j_is_last:
            j = text_starts[c2]
            end_j = text_starts[c2 + 1]
            j_is_last = True
        if i == end_i or j == end_j:
            break
        if texts[i] != texts[j]:
            return -1 if texts[i] < texts[j] else 1
        i += 1
        j += 1
    if i < end_i:
        return 1
    return -1 if j < end_j else 0


def key_of(
    numbers: Any, tokens: Any, pairs: Any, places: Any, text_starts: Any, texts: Any, pair: int
) -> int:
    """The key that orders equal counts.

    Smaller is better, and pairs with equal keys are compared further.
    """
    rule = numbers[RULE]
    if rule == FIRST_SEEN:
        return int(places[pairs[PAIR * pair + FROM]])
    ids = pairs[PAIR * pair + IDS]
    if rule == SMALLEST_IDS:
        return int(ids)
    left = ids >> 32
    right = ids & 0xFFFFFFFF
    if rule == SHORTEST_TEXT:
        return int(tokens[TOKEN * left + CHARACTERS]) + int(tokens[TOKEN * right + CHARACTERS])
    # The first seven bytes of the left text are nearly always enough.
    key = 0
    i = text_starts[left]
    end = text_starts[left + 1]
    for _ in range(7):
        key = key << 8
        if i < end:
            key = key | int(texts[i])
        i += 1
    return -key


def better(
    numbers: Any,
    heap: Any,
    pairs: Any,
    text_starts: Any,
    texts: Any,
    pair: int,
    count: int,
    key: int,
    than: int,
) -> bool:
    """Whether a pair comes before the heap entry in slot `than`."""
    if count != heap[than + 1]:
        return bool(count > heap[than + 1])
    if key != heap[than + 2]:
        return bool(key < heap[than + 2])
    rule = numbers[RULE]
    if rule in (FIRST_SEEN, SMALLEST_IDS):
        return False
    ids = pairs[PAIR * pair + IDS]
    ids2 = pairs[PAIR * heap[than] + IDS]
    left = ids >> 32
    right = ids & 0xFFFFFFFF
    left2 = ids2 >> 32
    right2 = ids2 & 0xFFFFFFFF
    if rule == SHORTEST_TEXT:
        return compare_joined(text_starts, texts, left, right, left2, right2) < 0
    if left != left2:
        return compare_texts(text_starts, texts, left, left2) > 0
    return compare_texts(text_starts, texts, right, right2) > 0


def push(
    numbers: Any,
    heap: Any,
    pairs: Any,
    text_starts: Any,
    texts: Any,
    pair: int,
    count: int,
    key: int,
) -> None:
    """Push a pair."""
    i = numbers[N_HEAP]
    numbers[N_HEAP] = i + 1
    while i > 0:
        up = (i - 1) >> 1
        if not better(numbers, heap, pairs, text_starts, texts, pair, count, key, HEAP * up):
            break
        for field in range(HEAP):
            heap[HEAP * i + field] = heap[HEAP * up + field]
        i = up
    heap[HEAP * i] = pair
    heap[HEAP * i + 1] = count
    heap[HEAP * i + 2] = key


def sink(
    numbers: Any,
    heap: Any,
    pairs: Any,
    text_starts: Any,
    texts: Any,
    pair: int,
    count: int,
    key: int,
) -> None:
    """Move an entry down from the top of the heap, which is free."""
    n = numbers[N_HEAP]
    i = 0
    while True:
        child = HEAP * (2 * i + 1)
        if child >= HEAP * n:
            break
        other = child + HEAP
        if other < HEAP * n and better(
            numbers,
            heap,
            pairs,
            text_starts,
            texts,
            heap[other],
            heap[other + 1],
            heap[other + 2],
            child,
        ):
            child = other
        if better(numbers, heap, pairs, text_starts, texts, pair, count, key, child):
            break
        for field in range(HEAP):
            heap[HEAP * i + field] = heap[child + field]
        i = child // HEAP
    heap[HEAP * i] = pair
    heap[HEAP * i + 1] = count
    heap[HEAP * i + 2] = key


def pop(numbers: Any, heap: Any, pairs: Any, text_starts: Any, texts: Any) -> None:
    """Remove the top of the heap."""
    last = numbers[N_HEAP] - 1
    numbers[N_HEAP] = last
    if last > 0:
        at = HEAP * last
        sink(numbers, heap, pairs, text_starts, texts, heap[at], heap[at + 1], heap[at + 2])


def best(
    numbers: Any,
    symbols: Any,
    tokens: Any,
    pairs: Any,
    places: Any,
    table: Any,
    heap: Any,
    text_starts: Any,
    texts: Any,
) -> int:
    """The slot in the table of the pair to merge next, which stays on top; -1 if no pair reaches
    the floor.
    """
    while numbers[N_HEAP] > 0:
        pair = heap[0]
        left = pairs[PAIR * pair + IDS] >> 32
        right = pairs[PAIR * pair + IDS] & 0xFFFFFFFF
        slot = find(table, left, right)
        count = table[slot + COUNT]
        if count < numbers[FLOOR]:
            pop(numbers, heap, pairs, text_starts, texts)
            continue
        key = heap[2]
        if numbers[RULE] == FIRST_SEEN:
            t = pairs[PAIR * pair + FROM]
            length = tokens[TOKEN * left + LENGTH]
            while symbols[places[t]] != left or symbols[places[t] + length] != right:
                t += 1
            pairs[PAIR * pair + FROM] = t
            key = int(places[t])
        if count == heap[1] and key == heap[2]:
            return slot
        sink(numbers, heap, pairs, text_starts, texts, pair, count, key)
    return -1


def highest_count(numbers: Any, tie_counts: Any, tie_table: Any) -> int:
    """The highest count below the floor, from the counts of counts; less than the minimum if there
    is none.
    """
    most = 0
    if numbers[FLOOR] > TIE_DENSE and numbers[N_TIE] > 0:
        for slot in range(0, len(tie_table), TIE):
            if tie_table[slot + 1] > 0:
                most = max(most, tie_table[slot])
    if most == 0:
        # No pair occurs more often than there are tokens.
        most = min(numbers[FLOOR], TIE_DENSE, numbers[N_TOKENS] + 1) - 1
        while most >= numbers[MIN_COUNT] and tie_counts[most] == 0:
            most -= 1
    return int(most)


def lower_floor(b: Buffers) -> bool:
    """Lower the floor of an empty heap and push the pairs above it.

    False if there is no room for them.
    """
    numbers = b.numbers
    table = b.table
    heap = b.heap
    tie_table = b.tie_table
    most = highest_count(numbers, b.tie_counts, tie_table)
    floor = max(numbers[MIN_COUNT], most >> 2)
    n = 0
    if numbers[N_TIE] > 0:
        for slot in range(0, len(tie_table), TIE):
            n += tie_table[slot + 1] if tie_table[slot] >= floor else 0
    for count in range(floor, min(most + 1, TIE_DENSE)):
        n += b.tie_counts[count]
    if n * HEAP > len(heap):
        return False
    numbers[FLOOR] = floor
    for slot in range(0, len(table), TABLE):
        if table[slot + COUNT] >= floor:
            pair = table[slot + NUMBER]
            key = key_of(numbers, b.tokens, b.pairs, b.places, b.text_starts, b.texts, pair)
            push(numbers, heap, b.pairs, b.text_starts, b.texts, pair, table[slot + COUNT], key)
    return True
