"""The merge loop: one file that holds all of BPE training.

The corpus lies end to end in `symbols`: each pre-token's symbol ids, with -1 before, between and behind them. A merge
takes the best pair, replaces it wherever it stands, and corrects the counts of the pairs around. Nothing else happens.
What makes it quick:

- A token's id stands at its first and at its last symbol (-2 between), so both neighbours of a place are found by
  stepping over a length, and no linked list is needed.
- All places of a pair come into being in one step: the one that made its younger token. They are one slice of
  `places`, in text order, and are never removed: a place that no longer reads left, right is passed over.
- The count changes of a merge are summed per distinct neighbour before the pair table is touched.
- Counts only fall and first places only move on, so an entry of the heap can be too good but never too bad: it is
  corrected when it comes to the top.

These functions only index, so they run as they stand on lists (a small corpus, before anything is compiled) and
compiled on arrays; see `kernels/__init__.py`. Records lie flat with a fixed stride, and each function takes just the
arrays that it touches, for handing over all of them at every call costs more than the work. They allocate nothing:
where room is short, `advance` says so and changes nothing, and `training_state.py` makes room. The pair table, the
heap and the texts are `tables.py`; the obvious twin that all is held to recounts every pair at every step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bpe_studio.engine.kernels.tables import (
    CHARACTERS,
    COUNT,
    FIRST_SEEN,
    FROM,
    HEAP,
    KEEP_COUNT,
    LEFT,
    LENGTH,
    MAX_CHARACTERS,
    MIN_COUNT,
    N_HEAP,
    N_MERGES,
    N_NEAR,
    N_PAIRS,
    N_PLACES,
    N_TABLE,
    N_TIE,
    N_TOKENS,
    N_VOCAB,
    NUMBER,
    PAIR,
    PREFIX_CUT,
    RIGHT,
    RULE,
    SCRIPT_FIRST,
    SCRIPT_LAST,
    TABLE,
    TIE,
    TO,
    TOKEN,
    add_text,
    drop,
    find,
    key_of,
    lower,
    pop,
    push,
    sink,
    tally,
    tie_slot,
    tied_with,
)


class Buffers(NamedTuple):
    """Everything that training reads and writes; n symbols, v tokens. All flat, with the strides of `tables.py`."""

    numbers: Any  # int64, scalars
    symbols: Any  # (n,) int32, token ids at first and last symbols; -1 between pre-tokens, -2 inside tokens
    words: Any  # (n,) int32, the pre-token that a symbol belongs to
    weights: Any  # (words,) int64, how often each pre-token stands in the text
    gaps: Any  # (n,) int32, at a symbol: the rank of the merge that closed the gap before it
    tokens: Any  # (v * TOKEN) int32: length in symbols, length in characters, first script, last script
    text_starts: Any  # (v + 1,) int64, where each token's text begins in `texts`
    texts: Any  # uint8, the tokens' texts end to end, as the tie rules compare them
    reserved_starts: Any  # (r + 1,) int64, the same for texts that no token may get
    text_table: Any  # open addressing by hash of the text: token id + 1, or -1 - number of a reserved text
    pairs: Any  # (p * PAIR) int64: left, right, and its places as a slice of `places`
    places: Any  # int32, symbol positions of left tokens
    table: Any  # (t * TABLE) int64, open addressing: left << 32 | right, plus 1 (0: free); count; pair
    heap: Any  # (h * HEAP) int64: pair, count, what decides between equal counts (smaller is better)
    tie_counts: Any  # int64, how many pairs have exactly this count
    tie_table: Any  # (c * TIE) int64, open addressing for larger counts: count, how many pairs
    log: Any  # (v * LOG) int64, one record a merge: left, right, count, tied, tokens left
    sums: Any  # (v * SUM) int64, scratch: what a merge changes, by neighbour
    seen: Any  # (v * 2) int32, scratch: the distinct left and right neighbours
    near: Any  # (b * NEAR) int32, scratch, one record a place: left neighbour, place; right neighbour, place


LOG = 5
# Scratch by neighbour: weight and number of places on its side of the merge, weight lost, where the next place goes
SUM = 7
LEFT_SUM, LEFT_N, LEFT_FILL, RIGHT_SUM, RIGHT_N, RIGHT_FILL, RIGHT_LOST = range(7)
NEAR = 4
NEVER = 2**31 - 1

# What `advance` returns
WORKING, TARGET, EXHAUSTED, GROW_PAIRS, GROW_PLACES, GROW_HEAP, GROW_TABLE, GROW_TIES, GROW_SCRATCH, GROW_TEXTS = range(
    10
)


def may_merge(tokens: Any, limit: int, left: int, right: int) -> bool:
    """Whether the piece that two tokens make is allowed: not too long, and of one script (SentencePiece's rules)."""
    if limit == 0:
        return True
    if tokens[TOKEN * left + CHARACTERS] + tokens[TOKEN * right + CHARACTERS] > limit:
        return False
    last, first = tokens[TOKEN * left + SCRIPT_LAST], tokens[TOKEN * right + SCRIPT_FIRST]
    return last == 0 or first == 0 or last == first


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
    """The slot in the table of the pair to merge next; -1 where none reaches the minimum count. It is left on top."""
    while numbers[N_HEAP] > 0:
        pair = heap[0]
        left, right = pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]
        slot = find(table, left, right)
        count = table[slot + COUNT]
        if count < numbers[MIN_COUNT]:
            pop(numbers, heap, pairs, text_starts, texts)
            continue
        key = heap[2]
        if numbers[RULE] == FIRST_SEEN:
            t, length = pairs[PAIR * pair + FROM], tokens[TOKEN * left + LENGTH]
            while symbols[places[t]] != left or symbols[places[t] + length] != right:
                t += 1
            pairs[PAIR * pair + FROM] = t
            key = int(places[t])
        if count == heap[1] and key == heap[2]:
            return slot
        sink(numbers, heap, pairs, text_starts, texts, pair, count, key)
    return -1


def name_token(
    numbers: Any, tokens: Any, text_starts: Any, texts: Any, reserved: Any, text_table: Any, left: int, right: int
) -> bool:
    """Write the text of the token that two tokens make; False where a token has that text already."""
    new = numbers[N_VOCAB]
    start = text_starts[new]
    at = start
    for i in range(text_starts[left], text_starts[left + 1]):
        texts[at] = texts[i]
        at += 1
    # A continuing prefix is part of the right token's text and does not stay inside the new one.
    for i in range(text_starts[right] + numbers[PREFIX_CUT], text_starts[right + 1]):
        texts[at] = texts[i]
        at += 1
    text_starts[new + 1] = at
    if not add_text(text_starts, texts, reserved, text_table, start, at, new + 1):
        return False
    a, b, c = TOKEN * left, TOKEN * right, TOKEN * new
    tokens[c + LENGTH] = tokens[a + LENGTH] + tokens[b + LENGTH]
    tokens[c + CHARACTERS] = tokens[a + CHARACTERS] + tokens[b + CHARACTERS]
    tokens[c + SCRIPT_FIRST] = tokens[a + SCRIPT_FIRST] if tokens[a + SCRIPT_FIRST] != 0 else tokens[b + SCRIPT_FIRST]
    tokens[c + SCRIPT_LAST] = tokens[b + SCRIPT_LAST] if tokens[b + SCRIPT_LAST] != 0 else tokens[a + SCRIPT_LAST]
    return True


def short_of(b: Buffers, n_places: int, left: int, right: int) -> int:
    """What must grow before a pair with so many places can be merged; WORKING where nothing must."""
    numbers, text_starts = b.numbers, b.text_starts
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
    text_length = text_starts[left + 1] - text_starts[left] + text_starts[right + 1] - text_starts[right]
    if text_starts[vocab] + text_length > len(b.texts) or (vocab + 2) * 2 > len(b.text_table):
        return GROW_TEXTS
    return WORKING


def enter(
    numbers: Any, tokens: Any, pairs: Any, table: Any, tie_counts: Any, tie_table: Any, left: int, right: int, count: int,
    n_places: int,
) -> int:  # fmt: skip
    """Enter a new pair where it occurs often enough; returns where its places go, or -1."""
    if count < numbers[KEEP_COUNT] or not may_merge(tokens, numbers[MAX_CHARACTERS], left, right):
        return -1
    at, pair = numbers[N_PLACES], numbers[N_PAIRS]
    numbers[N_PLACES] = at + n_places
    numbers[N_PAIRS] = pair + 1
    pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT] = left, right
    pairs[PAIR * pair + FROM], pairs[PAIR * pair + TO] = at, at + n_places
    slot = find(table, left, right)
    if table[slot] == 0:
        numbers[N_TABLE] += 1
    table[slot], table[slot + COUNT], table[slot + NUMBER] = (left << 32 | right) + 1, count, pair
    tally(numbers, tie_counts, tie_table, count, 1)
    return at


def replace(b: Buffers, pair: int) -> tuple[int, int]:
    """Put the new token wherever a pair stands, and sum up by neighbour what that changes.

    Returns:
        How many distinct left and right neighbours the places have; they stand in the two halves of `seen`. One
        record a place is left in `near`; a neighbour that is not there is negative.
    """
    numbers, symbols, words, weights, gaps = b.numbers, b.symbols, b.words, b.weights, b.gaps
    tokens, places, sums, seen, near = b.tokens, b.places, b.sums, b.seen, b.near
    left, right = b.pairs[PAIR * pair + LEFT], b.pairs[PAIR * pair + RIGHT]
    new, rank = numbers[N_VOCAB], numbers[N_MERGES]
    left_length, right_length = tokens[TOKEN * left + LENGTH], tokens[TOKEN * right + LENGTH]
    half = len(seen) // 2
    removed, n, n_left, n_right = 0, 0, 0, 0
    for t in range(b.pairs[PAIR * pair + FROM], b.pairs[PAIR * pair + TO]):
        start = places[t]
        if symbols[start] != left:
            continue
        middle = start + left_length
        if symbols[middle] != right:
            continue
        end = middle + right_length - 1
        weight = weights[words[start]]
        before, after = symbols[start - 1], symbols[end + 1]
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
                # The place merged just before had this left token behind it; that pair is gone again.
                sums[SUM * left + RIGHT_SUM] -= weight
            record = SUM * before
            if sums[record + LEFT_N] == 0:
                seen[n_left] = before
                n_left += 1
            sums[record + LEFT_N] += 1
            sums[record + LEFT_SUM] += weight
        if after >= 0:
            record = SUM * after
            if sums[record + RIGHT_N] == 0:
                seen[half + n_right] = after
                n_right += 1
            sums[record + RIGHT_N] += 1
            sums[record + RIGHT_SUM] += weight
            sums[record + RIGHT_LOST] += weight
        near[NEAR * n], near[NEAR * n + 1], near[NEAR * n + 2] = before, start, after
        n += 1
    numbers[N_TOKENS] -= removed
    numbers[N_NEAR] = n
    return n_left, n_right


def merge(b: Buffers, slot: int, tied: int) -> None:
    """Merge the pair in a slot of the table wherever it stands. The new token is named already; there is room."""
    numbers, tokens, pairs, places, table = b.numbers, b.tokens, b.pairs, b.places, b.table
    tie_counts, tie_table, sums, seen, near = b.tie_counts, b.tie_table, b.sums, b.seen, b.near
    count, pair = table[slot + COUNT], table[slot + NUMBER]
    left, right = pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]
    new, rank, first_new = numbers[N_VOCAB], numbers[N_MERGES], numbers[N_PAIRS]
    drop(numbers, table, tie_counts, tie_table, slot)
    n_left, n_right = replace(b, pair)
    half = len(seen) // 2
    for k in range(n_left):
        token = seen[k]
        record = SUM * token
        weight = sums[record + LEFT_SUM]
        if token != new:
            lower(numbers, table, tie_counts, tie_table, token, left, weight)
        sums[record + LEFT_FILL] = enter(
            numbers, tokens, pairs, table, tie_counts, tie_table, token, new, weight, sums[record + LEFT_N]
        )
        sums[record + LEFT_SUM] = 0
        sums[record + LEFT_N] = 0
    for k in range(n_right):
        token = seen[half + k]
        record = SUM * token
        lower(numbers, table, tie_counts, tie_table, right, token, sums[record + RIGHT_LOST])
        sums[record + RIGHT_FILL] = enter(
            numbers,
            tokens,
            pairs,
            table,
            tie_counts,
            tie_table,
            new,
            token,
            sums[record + RIGHT_SUM],
            sums[record + RIGHT_N],
        )
        sums[record + RIGHT_SUM] = 0
        sums[record + RIGHT_LOST] = 0
        sums[record + RIGHT_N] = 0
    for k in range(numbers[N_NEAR]):
        before, start, after = near[NEAR * k], near[NEAR * k + 1], near[NEAR * k + 2]
        if before >= 0:
            at = sums[SUM * before + LEFT_FILL]
            if at >= 0:
                places[at] = start - tokens[TOKEN * before + LENGTH]
                sums[SUM * before + LEFT_FILL] = at + 1
        if after >= 0:
            at = sums[SUM * after + RIGHT_FILL]
            if at >= 0:
                places[at] = start
                sums[SUM * after + RIGHT_FILL] = at + 1
    write_log(numbers, b.log, left, right, count, tied)
    push_pairs(b, first_new)


def write_log(numbers: Any, log: Any, left: int, right: int, count: int, tied: int) -> None:
    """Note a merge, and move on to the next."""
    record = LOG * numbers[N_MERGES]
    log[record], log[record + 1], log[record + 2], log[record + 3] = left, right, count, tied
    log[record + 4] = numbers[N_TOKENS]
    numbers[N_VOCAB] += 1
    numbers[N_MERGES] += 1


def push_pairs(b: Buffers, first: int) -> None:
    """Put the pairs from a number on on the heap, where they occur often enough to be merged."""
    numbers, heap, tokens, pairs, places = b.numbers, b.heap, b.tokens, b.pairs, b.places
    table, text_starts, texts = b.table, b.text_starts, b.texts
    for pair in range(first, numbers[N_PAIRS]):
        count = table[find(table, pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]) + COUNT]
        if count >= numbers[MIN_COUNT]:
            key = key_of(numbers, tokens, pairs, places, text_starts, texts, pair)
            push(numbers, heap, pairs, text_starts, texts, pair, count, key)


def prepare(b: Buffers, left: int, right: int, n_places: int) -> int:
    """Make sure of room and name the new token: WORKING, what must grow, or EXHAUSTED where its text is taken."""
    status = short_of(b, n_places, left, right)
    if status != WORKING:
        return status
    if not name_token(b.numbers, b.tokens, b.text_starts, b.texts, b.reserved_starts, b.text_table, left, right):
        return EXHAUSTED
    return WORKING


def advance(b: Buffers, target: int, max_merges: int, max_work: int) -> int:
    """Learn merges until the target, a number of them, or an amount of work (places looked at) is reached."""
    numbers, pairs, table = b.numbers, b.pairs, b.table
    work, limit = 0, numbers[N_MERGES] + max_merges
    while True:
        if numbers[N_MERGES] >= target:
            return TARGET
        if work > max_work or numbers[N_MERGES] >= limit:
            return WORKING
        slot = best(numbers, b.symbols, b.tokens, pairs, b.places, table, b.heap, b.text_starts, b.texts)
        if slot < 0:
            return EXHAUSTED
        pair = table[slot + NUMBER]
        n_places = pairs[PAIR * pair + TO] - pairs[PAIR * pair + FROM]
        status = prepare(b, pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT], n_places)
        if status == WORKING:
            merge(b, slot, tied_with(b.tie_counts, b.tie_table, table[slot + COUNT]))
        elif status == EXHAUSTED:
            drop(numbers, table, b.tie_counts, b.tie_table, slot)
        else:
            return status
        work += n_places + 64


def take(b: Buffers, left: int, right: int) -> int:
    """Merge a pair that somebody chose, whatever its count; one that is not in the table stands nowhere."""
    slot = find(b.table, left, right)
    count = b.table[slot + COUNT] if b.table[slot] != 0 else 0
    if count == 0:
        status = prepare(b, left, right, 1)
        if status == WORKING:
            write_log(b.numbers, b.log, left, right, 0, 1)
        return status
    pair = b.table[slot + NUMBER]
    status = prepare(b, left, right, b.pairs[PAIR * pair + TO] - b.pairs[PAIR * pair + FROM])
    if status == WORKING:
        merge(b, slot, tied_with(b.tie_counts, b.tie_table, count))
    return status


def forbid(b: Buffers, left: int, right: int) -> None:
    """Take a pair out of the choice."""
    drop(b.numbers, b.table, b.tie_counts, b.tie_table, find(b.table, left, right))


def count_pairs(b: Buffers, start: int, stop: int) -> int:
    """Count the pairs whose gap lies from start to stop; returns where it got to, short of stop where room is short."""
    numbers, symbols, words, weights, gaps = b.numbers, b.symbols, b.words, b.weights, b.gaps
    tokens, pairs, table = b.tokens, b.pairs, b.table
    limit = numbers[MAX_CHARACTERS]
    for i in range(start, stop):
        left, right = symbols[i - 1], symbols[i]
        if left < 0 or right < 0 or gaps[i] != NEVER or not may_merge(tokens, limit, left, right):
            continue
        slot = find(table, left, right)
        if table[slot] == 0:
            pair = numbers[N_PAIRS]
            if (pair + 1) * PAIR > len(pairs) or (numbers[N_TABLE] + 1) * 2 * TABLE > len(table):
                return i
            numbers[N_PAIRS] = pair + 1
            numbers[N_TABLE] += 1
            pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT], pairs[PAIR * pair + TO] = left, right, 0
            table[slot], table[slot + COUNT], table[slot + NUMBER] = (left << 32 | right) + 1, 0, pair
        table[slot + COUNT] += weights[words[i]]
        pairs[PAIR * table[slot + NUMBER] + TO] += 1
    return stop


def lay_out_places(b: Buffers) -> None:
    """Give each counted pair its slice of places; those that occur too seldom get none and leave the count."""
    numbers, pairs, table = b.numbers, b.pairs, b.table
    for pair in range(numbers[N_PAIRS]):
        record = PAIR * pair
        slot = find(table, pairs[record + LEFT], pairs[record + RIGHT])
        n_places, at = pairs[record + TO], numbers[N_PLACES]
        if table[slot + COUNT] < numbers[KEEP_COUNT]:
            table[slot + COUNT] = 0
            n_places = 0
        pairs[record + FROM], pairs[record + TO] = at, at
        numbers[N_PLACES] = at + n_places


def fill_places(b: Buffers, start: int, stop: int) -> None:
    """Write the places of the pairs whose gap lies from start to stop."""
    symbols, gaps, tokens, pairs, places, table = b.symbols, b.gaps, b.tokens, b.pairs, b.places, b.table
    for i in range(start, stop):
        left, right = symbols[i - 1], symbols[i]
        if left < 0 or right < 0 or gaps[i] != NEVER:
            continue
        slot = find(table, left, right)
        if table[slot] != 0 and table[slot + COUNT] > 0:
            record = PAIR * table[slot + NUMBER]
            places[pairs[record + TO]] = i - tokens[TOKEN * left + LENGTH]
            pairs[record + TO] += 1


def enter_pairs(b: Buffers) -> None:
    """Tally the counted pairs and put them on the heap."""
    pairs, table = b.pairs, b.table
    for pair in range(b.numbers[N_PAIRS]):
        count = table[find(table, pairs[PAIR * pair + LEFT], pairs[PAIR * pair + RIGHT]) + COUNT]
        if count > 0:
            tally(b.numbers, b.tie_counts, b.tie_table, count, 1)
    push_pairs(b, 0)


def refill_table(b: Buffers, old: Any) -> None:
    """Enter the records of an old, smaller table of pairs; those that are gone are left out."""
    n_entered = 0
    for i in range(0, len(old), TABLE):
        key = old[i]
        if key != 0 and old[i + COUNT] > 0:
            slot = find(b.table, (key - 1) >> 32, (key - 1) & 0xFFFFFFFF)
            b.table[slot], b.table[slot + COUNT], b.table[slot + NUMBER] = key, old[i + COUNT], old[i + NUMBER]
            n_entered += 1
    b.numbers[N_TABLE] = n_entered


def refill_ties(b: Buffers, old: Any) -> None:
    """The same for the counts of large counts."""
    n_entered = 0
    for i in range(0, len(old), TIE):
        if old[i] != 0 and old[i + 1] != 0:
            slot = tie_slot(b.tie_table, old[i])
            b.tie_table[slot], b.tie_table[slot + 1] = old[i], old[i + 1]
            n_entered += 1
    b.numbers[N_TIE] = n_entered


def refill_texts(b: Buffers) -> None:
    """Enter every token's text, and those that no token may get, in an empty table of texts."""
    starts, reserved = b.text_starts, b.reserved_starts
    for number in range(len(reserved) - 1):
        add_text(starts, b.texts, reserved, b.text_table, reserved[number], reserved[number + 1], -1 - number)
    for token in range(b.numbers[N_VOCAB]):
        add_text(starts, b.texts, reserved, b.text_table, starts[token], starts[token + 1], token + 1)
