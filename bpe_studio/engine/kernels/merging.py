"""The merge loop: `train` of `engine/textbook.py`, fast.

The corpus is one array, `symbols`: the symbol ids of each pre-token, with -1 before, between and
after them. A merge takes the best pair, replaces it at all its places, and updates the counts of
the pairs around. What makes it fast:

- A token's id is stored at its first and at its last symbol (-2 between), so both neighbours of a
  place are found by stepping over a length, without a linked list.
- All places of a pair arise in one step: the one that made its younger token. They are one slice of
  `places`, in text order, and are never removed: a place at which the pair is no longer found is
  skipped.
- The count changes of a merge are summed per distinct neighbour before the pair table is updated.
- Memory is asked for some places before it is read, and for the first of them before anything else:
  to wait for one after another would take half the time.
- The heap holds no rare pairs, and its entries are updated when they reach the top (`heap.py`).

These functions only index, so they run as they are on lists (a small corpus, before anything is
compiled) and compiled on arrays; see `kernels/__init__.py`. Records have a fixed stride, and each
function takes only the arrays that it uses, because passing all of them at every call costs more
than the work. They allocate nothing: if an array is too small, `advance` says which and changes
nothing, and `training/training_state.py` enlarges it. The tests compare all of it with a twin that
recounts every pair at every step.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import (
    BORN,
    CHARACTERS,
    CLASS,
    COUNT,
    EXHAUSTED,
    FILL,
    FLOOR,
    FROM,
    GONE,
    GROW_HEAP,
    GROW_PAIRS,
    GROW_PLACES,
    GROW_SCRATCH,
    GROW_TABLE,
    GROW_TEXTS,
    GROW_TIES,
    HEAP,
    IDS,
    INDEX,
    JOINS,
    KEEP_COUNT,
    LENGTH,
    LOG,
    MADE,
    MAX_SYMBOLS,
    MIN_COUNT,
    N_CLASSES,
    N_HEAP,
    N_MERGES,
    N_NEAR,
    N_PAIRS,
    N_PLACES,
    N_REFUSED,
    N_TABLE,
    N_TIE,
    N_TOKENS,
    N_VOCAB,
    NAME_CLASS,
    NAMED_CLASS,
    NAMED_PAIR,
    NEAR,
    NUMBER,
    PAIR,
    PASSED,
    PASSED_PAIR,
    PLACES,
    PREFIX_CUT,
    SUM,
    TABLE,
    TARGET,
    TIE,
    TO,
    TOKEN,
    WEIGHT,
    WORKING,
    Buffers,
)
from bpe_studio.engine.kernels.heap import best, key_of, lower_floor, push
from bpe_studio.engine.kernels.instructions import place, prefetch, prefetches
from bpe_studio.engine.kernels.tables import add_text, drop, find, home, lower, tally, tied_with

PLACES_AHEAD = 16
NEIGHBOURS_AHEAD = 4
"""The number of places, and of neighbours, for which memory is asked for ahead."""


def joined_class(numbers: Any, tokens: Any, left: int, right: int) -> int:
    """The class of the token that two tokens make; see `training/piece_rules.py`."""
    row = tokens[TOKEN * left + CLASS] * numbers[N_CLASSES]
    return int(numbers[(JOINS + row + tokens[TOKEN * right + CLASS]) & INDEX])


def may_merge(numbers: Any, tokens: Any, left: int, right: int) -> bool:
    """Whether the token that two tokens make is allowed: not too long, and not of a class that is
    refused. It is called only if there are limits.
    """
    n_symbols = tokens[TOKEN * left + LENGTH] + tokens[TOKEN * right + LENGTH]
    if n_symbols > numbers[MAX_SYMBOLS]:
        return False
    return bool(joined_class(numbers, tokens, left, right) >= numbers[N_REFUSED])


def name_token(
    numbers: Any,
    tokens: Any,
    text_starts: Any,
    texts: Any,
    reserved: Any,
    text_table: Any,
    left: int,
    right: int,
) -> bool:
    """Write the text of the token that two tokens make; False if a token already has that text."""
    new = numbers[N_VOCAB]
    start = text_starts[new]
    at = start
    for i in range(text_starts[left], text_starts[left + 1]):
        texts[at] = texts[i]
        at += 1
    # A continuing prefix is part of the right token's text, but not of the new token's.
    for i in range(text_starts[right] + numbers[PREFIX_CUT], text_starts[right + 1]):
        texts[at] = texts[i]
        at += 1
    text_starts[new + 1] = at
    if not add_text(text_starts, texts, reserved, text_table, start, at, new + 1):
        return False
    a = TOKEN * left
    b = TOKEN * right
    c = TOKEN * new
    tokens[c + LENGTH] = tokens[a + LENGTH] + tokens[b + LENGTH]
    tokens[c + CHARACTERS] = tokens[a + CHARACTERS] + tokens[b + CHARACTERS]
    made = joined_class(numbers, tokens, left, right)
    if made == numbers[MADE]:
        made = numbers[NAMED_CLASS]
    tokens[c + CLASS] = made
    return True


def short_of(b: Buffers, n_places: int, left: int, right: int) -> int:
    """The array that must grow before a pair with `n_places` places can be merged; WORKING for
    none.
    """
    numbers = b.numbers
    text_starts = b.text_starts
    vocab = numbers[N_VOCAB]
    n_new = 2 * min(n_places, vocab + 1)
    if n_places * NEAR > len(b.near) or vocab + 2 > len(text_starts):
        return GROW_SCRATCH
    if (numbers[N_PAIRS] + n_new) * PAIR > len(b.pairs):
        return GROW_PAIRS
    if numbers[N_PLACES] + 2 * n_places > len(b.places):
        return GROW_PLACES
    if (numbers[N_HEAP] + n_new) * HEAP > len(b.heap):
        return GROW_HEAP
    if (numbers[N_TABLE] + n_new) * 2 * TABLE > len(b.table):
        return GROW_TABLE
    if (numbers[N_TIE] + 4 * n_new) * 2 * TIE > len(b.tie_table):
        return GROW_TIES
    text_length = (
        text_starts[left + 1] - text_starts[left] + text_starts[right + 1] - text_starts[right]
    )
    if text_starts[vocab] + text_length > len(b.texts) or (vocab + 2) * 2 > len(b.text_table):
        return GROW_TEXTS
    return WORKING


def weight_of(weights: Any, heavy: Any, at: int) -> int:
    """The count in the text of the pre-token at a place."""
    weight = weights[at]
    return int(weight) if weight >= 0 else int(heavy[-1 - weight])


def enter(
    numbers: Any,
    tokens: Any,
    pairs: Any,
    table: Any,
    tie_counts: Any,
    tie_table: Any,
    left: int,
    right: int,
    count: int,
    n_places: int,
) -> int:
    """Insert a new pair if it is frequent enough; returns the offset of its places, or -1."""
    if count < numbers[KEEP_COUNT]:
        return -1
    # Most runs have no limits, and need no call.
    if numbers[MAX_SYMBOLS] != 0 and not may_merge(numbers, tokens, left, right):
        return -1
    at = numbers[N_PLACES]
    pair = numbers[N_PAIRS]
    numbers[N_PLACES] = at + n_places
    numbers[N_PAIRS] = pair + 1
    record = PAIR * pair
    pairs[record + IDS] = left << 32 | right
    pairs[record + BORN] = count
    pairs[record + FROM] = at
    pairs[record + TO] = at + n_places
    slot = find(table, left, right)
    if table[slot] == 0:
        numbers[N_TABLE] += 1
    table[slot] = (left << 32 | right) + 1
    table[slot + COUNT] = count
    table[slot + NUMBER] = pair
    tally(numbers, tie_counts, tie_table, count, 1)
    return int(at)


def replace(b: Buffers, pair: int) -> tuple[int, int]:
    """Replace a pair with the new token at all its places, and sum the changes by neighbour.

    Returns:
        The number of distinct left and of right neighbours; they are in the two halves of `seen`.
        `near` receives one record per place; a missing neighbour is negative.
    """
    numbers = b.numbers
    symbols = b.symbols
    weights = b.weights
    heavy = b.heavy
    gaps = b.gaps
    tokens = b.tokens
    places = b.places
    lefts = b.lefts
    rights = b.rights
    seen = b.seen
    near = b.near
    left = b.pairs[PAIR * pair + IDS] >> 32
    right = b.pairs[PAIR * pair + IDS] & 0xFFFFFFFF
    new = numbers[N_VOCAB] & INDEX
    rank = numbers[N_MERGES]
    left_length = tokens[TOKEN * left + LENGTH] & INDEX
    right_length = tokens[TOKEN * right + LENGTH] & INDEX
    half = len(seen) // 2
    ahead = PLACES_AHEAD if prefetches() else 0
    removed = 0
    n = 0
    n_left = 0
    n_right = 0
    first = b.pairs[PAIR * pair + FROM] & INDEX
    stop = b.pairs[PAIR * pair + TO] & INDEX
    for t in range(first - ahead, stop):
        if ahead and t + ahead < stop:
            soon = places[t + ahead] & INDEX
            prefetch(symbols, place(soon))
            prefetch(symbols, place(soon + left_length + right_length))
            prefetch(weights, place(soon))
            prefetch(gaps, place(soon + left_length))
        if t < first:
            continue
        start = places[t] & INDEX
        if symbols[start] != left:
            continue
        middle = start + left_length
        if symbols[middle] != right:
            continue
        end = middle + right_length - 1
        weight = weight_of(weights, heavy, start)
        before = symbols[start - 1]
        after = symbols[end + 1]
        if left_length > 1:
            symbols[middle - 1] = -2
        if right_length > 1:
            symbols[middle] = -2
        symbols[start] = new
        symbols[end] = new
        gaps[middle] = rank
        removed += weight
        if before >= 0:
            if before == new:
                # The previous merge counted a pair with this left token, which no longer exists.
                rights[SUM * left + WEIGHT] -= weight
                rights[SUM * left + GONE] += weight
            record = SUM * before
            if lefts[record + PLACES] == 0:
                seen[n_left] = before
                n_left += 1
            lefts[record + PLACES] += 1
            lefts[record + WEIGHT] += weight
        if after >= 0:
            record = SUM * after
            if rights[record + PLACES] == 0:
                seen[half + n_right] = after
                n_right += 1
            rights[record + PLACES] += 1
            rights[record + WEIGHT] += weight
        near[NEAR * n] = before
        near[NEAR * n + 1] = start
        near[NEAR * n + 2] = after
        n += 1
    numbers[N_TOKENS] -= removed
    numbers[N_NEAR] = n
    return n_left, n_right


def merge(b: Buffers, slot: int, tied: int) -> None:
    """Merge the pair in a slot of the table at all its places.

    The new token has its text, and there is room.
    """
    numbers = b.numbers
    tokens = b.tokens
    pairs = b.pairs
    table = b.table
    tie_counts = b.tie_counts
    tie_table = b.tie_table
    lefts = b.lefts
    rights = b.rights
    seen = b.seen
    count = table[slot + COUNT]
    pair = table[slot + NUMBER]
    left = pairs[PAIR * pair + IDS] >> 32
    right = pairs[PAIR * pair + IDS] & 0xFFFFFFFF
    new = numbers[N_VOCAB]
    first_new = numbers[N_PAIRS]
    drop(numbers, table, tie_counts, tie_table, slot)
    n_left, n_right = replace(b, pair)
    half = len(seen) // 2
    mask = len(table) // TABLE - 1
    ahead = NEIGHBOURS_AHEAD if prefetches() else 0
    for k in range(-ahead, n_left):
        if ahead and k + ahead < n_left:
            soon = seen[k + ahead] & INDEX
            prefetch(table, place(TABLE * home(soon, left, mask)))
            prefetch(table, place(TABLE * home(soon, new, mask)))
        if k < 0:
            continue
        token = seen[k] & INDEX
        record = SUM * token
        weight = lefts[record + WEIGHT]
        if token != new:
            lower(numbers, table, tie_counts, tie_table, token, left, weight)
        lefts[record + FILL] = enter(
            numbers,
            tokens,
            pairs,
            table,
            tie_counts,
            tie_table,
            token,
            new,
            weight,
            lefts[record + PLACES],
        )
        lefts[record + WEIGHT] = lefts[record + PLACES] = 0
    for k in range(-ahead, n_right):
        if ahead and k + ahead < n_right:
            soon = seen[half + k + ahead] & INDEX
            prefetch(table, place(TABLE * home(right, soon, mask)))
            prefetch(table, place(TABLE * home(new, soon, mask)))
        if k < 0:
            continue
        token = seen[half + k] & INDEX
        record = SUM * token
        weight = rights[record + WEIGHT]
        lower(numbers, table, tie_counts, tie_table, right, token, weight + rights[record + GONE])
        rights[record + FILL] = enter(
            numbers,
            tokens,
            pairs,
            table,
            tie_counts,
            tie_table,
            new,
            token,
            weight,
            rights[record + PLACES],
        )
        rights[record + WEIGHT] = rights[record + GONE] = rights[record + PLACES] = 0
    write_places(b)
    write_log(numbers, b.log, left, right, count, tied)
    push_pairs(b, first_new)


def write_places(b: Buffers) -> None:
    """Write the places of the pairs that a merge has made, from the records of `replace` in
    `near`.
    """
    tokens = b.tokens
    places = b.places
    lefts = b.lefts
    rights = b.rights
    near = b.near
    for k in range(b.numbers[N_NEAR]):
        before = near[NEAR * k]
        start = near[NEAR * k + 1]
        after = near[NEAR * k + 2]
        if before >= 0:
            at = lefts[SUM * before + FILL]
            if at >= 0:
                places[at] = start - tokens[TOKEN * before + LENGTH]
                lefts[SUM * before + FILL] = at + 1
        if after >= 0:
            at = rights[SUM * after + FILL]
            if at >= 0:
                places[at] = start
                rights[SUM * after + FILL] = at + 1


def write_log(numbers: Any, log: Any, left: int, right: int, count: int, tied: int) -> None:
    """Record a merge, and go to the next."""
    record = LOG * numbers[N_MERGES]
    log[record] = left
    log[record + 1] = right
    log[record + 2] = count
    log[record + 3] = tied
    log[record + 4] = numbers[N_TOKENS]
    numbers[N_VOCAB] += 1
    numbers[N_MERGES] += 1


def push_pairs(b: Buffers, first: int) -> None:
    """Push the pairs from a number on, if they are frequent enough for the heap."""
    numbers = b.numbers
    heap = b.heap
    tokens = b.tokens
    pairs = b.pairs
    places = b.places
    text_starts = b.text_starts
    texts = b.texts
    floor = numbers[FLOOR]
    for pair in range(first, numbers[N_PAIRS]):
        count = pairs[PAIR * pair + BORN]
        if count >= floor:
            key = key_of(numbers, tokens, pairs, places, text_starts, texts, pair)
            push(numbers, heap, pairs, text_starts, texts, pair, count, key)


def prepare(b: Buffers, left: int, right: int, n_places: int) -> int:
    """Check the room and name the new token: WORKING, the array that must grow, NAME_CLASS if the
    caller must tell its class, or EXHAUSTED if its text exists.
    """
    numbers = b.numbers
    status = short_of(b, n_places, left, right)
    if status != WORKING:
        return status
    is_made = joined_class(numbers, b.tokens, left, right) == numbers[MADE]
    if is_made and numbers[NAMED_PAIR] != (left << 32 | right):
        numbers[NAMED_PAIR] = left << 32 | right
        return NAME_CLASS
    if not name_token(
        b.numbers,
        b.tokens,
        b.text_starts,
        b.texts,
        b.reserved_starts,
        b.text_table,
        left,
        right,
    ):
        return EXHAUSTED
    return WORKING


def advance(b: Buffers, target: int, max_merges: int, max_work: int) -> int:
    """Train until the target, a number of merges, or an amount of work (places visited) is reached.

    It also returns when a pair is skipped because a token already has its text, which the run
    records.
    """
    numbers = b.numbers
    pairs = b.pairs
    table = b.table
    work = 0
    limit = numbers[N_MERGES] + max_merges
    while True:
        if numbers[N_MERGES] >= target:
            return TARGET
        if work > max_work or numbers[N_MERGES] >= limit:
            return WORKING
        slot = best(
            numbers, b.symbols, b.tokens, pairs, b.places, table, b.heap, b.text_starts, b.texts
        )
        if slot < 0:
            if numbers[FLOOR] <= numbers[MIN_COUNT]:
                return EXHAUSTED
            if not lower_floor(b):
                return GROW_HEAP
            continue
        pair = table[slot + NUMBER]
        n_places = pairs[PAIR * pair + TO] - pairs[PAIR * pair + FROM]
        status = prepare(
            b, pairs[PAIR * pair + IDS] >> 32, pairs[PAIR * pair + IDS] & 0xFFFFFFFF, n_places
        )
        if status == WORKING:
            merge(b, slot, tied_with(b.tie_counts, b.tie_table, table[slot + COUNT]))
        elif status == EXHAUSTED:
            drop(numbers, table, b.tie_counts, b.tie_table, slot)
            numbers[PASSED_PAIR] = pairs[PAIR * pair + IDS]
            return PASSED
        else:
            return status
        work += n_places + 64


def take(b: Buffers, left: int, right: int) -> int:
    """Merge a forced pair, whatever its count; one that is not in the table does not occur."""
    slot = find(b.table, left, right)
    count = b.table[slot + COUNT] if b.table[slot] != 0 else 0
    record = PAIR * b.table[slot + NUMBER]
    status = prepare(
        b, left, right, b.pairs[record + TO] - b.pairs[record + FROM] if count > 0 else 1
    )
    if status == WORKING and count > 0:
        merge(b, slot, tied_with(b.tie_counts, b.tie_table, count))
    elif status == WORKING:
        write_log(b.numbers, b.log, left, right, count, 1)
    return status
