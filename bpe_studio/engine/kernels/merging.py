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
compiled on arrays; see `kernels/__init__.py`. They allocate nothing: where room is short, `advance` says so and changes
nothing, and the caller (`trainer.py`) makes room. The obvious twin that they are held to recounts every pair at
every step.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Buffers(NamedTuple):
    """Everything that the merge loop reads and writes. Sizes: n symbols, v tokens, p pairs, h heap entries."""

    numbers: Any  # (N_NUMBERS,) int64, the scalars below
    symbols: Any  # (n,) int32, token ids at first and last symbols; -1 between pre-tokens, -2 inside tokens
    words: Any  # (n,) int32, the pre-token that a symbol belongs to
    weights: Any  # (words,) int64, how often each pre-token stands in the text
    gaps: Any  # (n,) int32, at a symbol: the rank of the merge that closed the gap before it
    lengths: Any  # (v,) int32, each token's symbols
    text_starts: Any  # (v + 1,) int64, where each token's text begins in `texts`
    texts: Any  # uint8, the tokens' texts end to end, as the tie rules compare them
    reserved_starts: Any  # (r + 1,) int64, the same for texts that no token may get
    text_table: Any  # open addressing by hash of the text: token id + 1, or -1 - number of a reserved text
    scripts_first: Any  # (v,) int32, the script of the first character that has one; 0: any
    scripts_last: Any  # (v,) int32, the same of the last
    characters: Any  # (v,) int32, each token's length in characters
    pair_left: Any  # (p,) int32
    pair_right: Any  # (p,) int32
    pair_from: Any  # (p,) int64, its places: a slice of `places`
    pair_to: Any  # (p,) int64
    places: Any  # int32, symbol positions of left tokens
    table_keys: Any  # (t,) int64, open addressing: left << 32 | right, plus 1; 0 is free
    table_counts: Any  # (t,) int64
    table_pairs: Any  # (t,) int32
    heap_pairs: Any  # (h,) int32
    heap_counts: Any  # (h,) int64
    heap_keys: Any  # (h,) int64, what decides between equal counts; smaller is better
    tie_counts: Any  # (TIE_DENSE,) int64, how many pairs have exactly this count
    tie_keys: Any  # open addressing for the counts beyond
    tie_values: Any
    merge_left: Any  # (v,) int32, the log: one entry a merge
    merge_right: Any
    merge_count: Any  # int64
    merge_tied: Any  # int64
    merge_tokens: Any  # int64, tokens in the corpus after the merge
    left_sum: Any  # (v,) int64, scratch: the weight of each left neighbour in this merge
    right_sum: Any
    right_lost: Any
    left_n: Any  # (v,) int32, scratch: how many places
    right_n: Any
    left_fill: Any  # (v,) int64, scratch: where the next place goes; -1 where the pair is not kept
    right_fill: Any
    left_seen: Any  # (v,) int32, scratch: the distinct neighbours
    right_seen: Any
    left_ids: Any  # (b,) int32, scratch: one entry a place
    left_places: Any
    right_ids: Any
    right_places: Any


# Scalars in `numbers`
N_PAIRS, N_PLACES, N_HEAP, N_VOCAB, N_MERGES, N_TOKENS, MIN_COUNT, KEEP_COUNT, RULE, N_TABLE, N_TIE, MAX_CHARACTERS = range(12)
PREFIX_CUT = 12
N_NUMBERS = 13

# What `advance` returns
WORKING, TARGET, EXHAUSTED, GROW_PAIRS, GROW_PLACES, GROW_HEAP, GROW_TABLE, GROW_TIES, GROW_SCRATCH, GROW_TEXTS = range(10)

# Tie rules
FIRST_SEEN, SMALLEST_IDS, GREATEST_TEXTS, SHORTEST_TEXT = range(4)

TIE_DENSE = 1 << 16
NEVER = 2**31 - 1


def find(b, left, right):
    """The slot of a pair in the table, or the free slot where it would go."""
    mask = len(b.table_keys) - 1
    key = (left << 32 | right) + 1
    h = left * 0x4F1BBCDD ^ right * 0x2545F491
    h = (h ^ h >> 15 ^ h >> 31) & mask
    while b.table_keys[h] != 0 and b.table_keys[h] != key:
        h = (h + 1) & mask
    return h


def tie_slot(b, count):
    """The slot of a large count among the counts of counts."""
    mask = len(b.tie_keys) - 1
    h = (count ^ count >> 17 ^ count >> 37) * 3 & mask
    while b.tie_keys[h] != 0 and b.tie_keys[h] != count:
        h = (h + 1) & mask
    return h


def tally(b, count, change):
    """Note that one pair more (or fewer) has this count."""
    if count < TIE_DENSE:
        b.tie_counts[count] += change
        return
    slot = tie_slot(b, count)
    if b.tie_keys[slot] == 0:
        b.tie_keys[slot] = count
        b.numbers[N_TIE] += 1
    b.tie_values[slot] += change


def tied_with(b, count):
    """How many pairs have exactly this count."""
    if count < TIE_DENSE:
        return b.tie_counts[count]
    slot = tie_slot(b, count)
    return b.tie_values[slot] if b.tie_keys[slot] != 0 else 0


def lower(b, left, right, by):
    """Take occurrences from a pair; one that is not kept in the table has too few to matter."""
    slot = find(b, left, right)
    count = b.table_counts[slot]
    if b.table_keys[slot] != 0 and count > 0:
        tally(b, count, -1)
        b.table_counts[slot] = count - by
        if count - by > 0:
            tally(b, count - by, 1)


def drop(b, slot):
    """Forget a pair: it is merged, forbidden, or would make a token that there is already."""
    if b.table_counts[slot] > 0:
        tally(b, b.table_counts[slot], -1)
    b.table_counts[slot] = 0


def compare_texts(b, a, c):
    """-1, 0 or 1 as the text of token a sorts before, with or after that of token c, byte by byte."""
    i, j = b.text_starts[a], b.text_starts[c]
    end_i, end_j = b.text_starts[a + 1], b.text_starts[c + 1]
    while i < end_i and j < end_j:
        x, y = b.texts[i], b.texts[j]
        if x != y:
            return -1 if x < y else 1
        i += 1
        j += 1
    return 0 if i == end_i and j == end_j else (-1 if i == end_i else 1)


def compare_joined(b, a1, a2, c1, c2):
    """The same for the texts of a1 + a2 and c1 + c2."""
    i, end_i, in_a2 = b.text_starts[a1], b.text_starts[a1 + 1], False
    j, end_j, in_c2 = b.text_starts[c1], b.text_starts[c1 + 1], False
    while True:
        if i == end_i and not in_a2:
            i, end_i, in_a2 = b.text_starts[a2], b.text_starts[a2 + 1], True
            continue
        if j == end_j and not in_c2:
            j, end_j, in_c2 = b.text_starts[c2], b.text_starts[c2 + 1], True
            continue
        if i == end_i or j == end_j:
            return 0 if i == end_i and j == end_j else (-1 if i == end_i else 1)
        x, y = b.texts[i], b.texts[j]
        if x != y:
            return -1 if x < y else 1
        i += 1
        j += 1


def key_of(b, pair):
    """What decides between equal counts, as one number; smaller is better, equal numbers are compared further."""
    rule = b.numbers[RULE]
    if rule == FIRST_SEEN:
        return b.places[b.pair_from[pair]]
    left = b.pair_left[pair]
    if rule == SMALLEST_IDS:
        return left << 32 | b.pair_right[pair]
    if rule == SHORTEST_TEXT:
        return b.characters[left] + b.characters[b.pair_right[pair]]
    # The first seven bytes of the left text decide nearly always.
    key, i, end = 0, b.text_starts[left], b.text_starts[left + 1]
    for k in range(7):
        key = key << 8 | (b.texts[i + k] if i + k < end else 0)
    return -key


def better(b, pair, count, key, than):
    """Whether a pair goes before the heap's entry number `than`."""
    if count != b.heap_counts[than]:
        return count > b.heap_counts[than]
    if key != b.heap_keys[than]:
        return key < b.heap_keys[than]
    rule = b.numbers[RULE]
    if rule == FIRST_SEEN or rule == SMALLEST_IDS:
        return False
    other = b.heap_pairs[than]
    left, right, left2, right2 = b.pair_left[pair], b.pair_right[pair], b.pair_left[other], b.pair_right[other]
    if rule == SHORTEST_TEXT:
        return compare_joined(b, left, right, left2, right2) < 0
    order = compare_texts(b, left, left2) if left != left2 else 0
    return order > 0 or (order == 0 and right != right2 and compare_texts(b, right, right2) > 0)


def push(b, pair, count):
    """Put a pair on the heap."""
    i = b.numbers[N_HEAP]
    b.numbers[N_HEAP] = i + 1
    key = key_of(b, pair)
    while i > 0:
        up = (i - 1) >> 1
        if not better(b, pair, count, key, up):
            break
        b.heap_pairs[i], b.heap_counts[i], b.heap_keys[i] = b.heap_pairs[up], b.heap_counts[up], b.heap_keys[up]
        i = up
    b.heap_pairs[i], b.heap_counts[i], b.heap_keys[i] = pair, count, key


def sink(b, pair, count, key):
    """Let an entry sink from the top, which is free, to its place."""
    n, i = b.numbers[N_HEAP], 0
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        other = child + 1
        if other < n and better(b, b.heap_pairs[other], b.heap_counts[other], b.heap_keys[other], child):
            child = other
        if better(b, pair, count, key, child):
            break
        b.heap_pairs[i], b.heap_counts[i], b.heap_keys[i] = b.heap_pairs[child], b.heap_counts[child], b.heap_keys[child]
        i = child
    b.heap_pairs[i], b.heap_counts[i], b.heap_keys[i] = pair, count, key


def pop(b):
    """Take the top off the heap."""
    last = b.numbers[N_HEAP] - 1
    b.numbers[N_HEAP] = last
    if last > 0:
        sink(b, b.heap_pairs[last], b.heap_counts[last], b.heap_keys[last])


def best(b):
    """The slot in the table of the pair to merge next; -1 where none reaches the minimum count. It is left on top."""
    while b.numbers[N_HEAP] > 0:
        pair = b.heap_pairs[0]
        left, right = b.pair_left[pair], b.pair_right[pair]
        slot = find(b, left, right)
        count = b.table_counts[slot]
        if count < b.numbers[MIN_COUNT]:
            pop(b)
            continue
        key = b.heap_keys[0]
        if b.numbers[RULE] == FIRST_SEEN:
            t, length = b.pair_from[pair], b.lengths[left]
            while b.symbols[b.places[t]] != left or b.symbols[b.places[t] + length] != right:
                t += 1
            b.pair_from[pair] = t
            key = b.places[t]
        if count == b.heap_counts[0] and key == b.heap_keys[0]:
            return slot
        sink(b, pair, count, key)
    return -1


def may_merge(b, left, right):
    """Whether the piece that two tokens make is allowed: not too long, and of one script (SentencePiece's rules)."""
    limit = b.numbers[MAX_CHARACTERS]
    if limit == 0:
        return True
    if b.characters[left] + b.characters[right] > limit:
        return False
    last, first = b.scripts_last[left], b.scripts_first[right]
    return last == 0 or first == 0 or last == first


def keep(b, left, right, count, places_from, places_to):
    """Enter a new pair with its count and its slice of places, and put it on the heap where it may be merged."""
    pair = b.numbers[N_PAIRS]
    b.numbers[N_PAIRS] = pair + 1
    b.pair_left[pair], b.pair_right[pair] = left, right
    b.pair_from[pair], b.pair_to[pair] = places_from, places_to
    slot = find(b, left, right)
    b.table_keys[slot] = (left << 32 | right) + 1
    b.table_counts[slot], b.table_pairs[slot] = count, pair
    b.numbers[N_TABLE] += 1
    tally(b, count, 1)
    return pair


def text_hash(b, start, end):
    """A hash of a stretch of `texts`."""
    h = 2166136261
    for i in range(start, end):
        h = ((h ^ b.texts[i]) * 16777619) & 0xFFFFFFFF
    return h


def same_text(b, start, end, other):
    """Whether a stretch of `texts` reads as the entry `other` of the table of texts."""
    at = b.text_starts[other - 1] if other > 0 else b.reserved_starts[-1 - other]
    stop = b.text_starts[other] if other > 0 else b.reserved_starts[-other]
    if end - start != stop - at:
        return False
    for i in range(end - start):
        if b.texts[start + i] != b.texts[at + i]:
            return False
    return True


def add_text(b, start, end, entry):
    """Enter a stretch of `texts` in the table of texts; False where it stands there already."""
    mask = len(b.text_table) - 1
    h = text_hash(b, start, end) & mask
    while b.text_table[h] != 0:
        if same_text(b, start, end, b.text_table[h]):
            return False
        h = (h + 1) & mask
    b.text_table[h] = entry
    return True


def name_token(b, left, right):
    """Write the text of the token that two tokens make; False where a token has that text already."""
    new = b.numbers[N_VOCAB]
    at = b.text_starts[new]
    for i in range(b.text_starts[left], b.text_starts[left + 1]):
        b.texts[at] = b.texts[i]
        at += 1
    # A continuing prefix is part of the right token's text and does not stay inside the new one.
    for i in range(b.text_starts[right] + b.numbers[PREFIX_CUT], b.text_starts[right + 1]):
        b.texts[at] = b.texts[i]
        at += 1
    b.text_starts[new + 1] = at
    if not add_text(b, b.text_starts[new], at, new + 1):
        return False
    b.lengths[new] = b.lengths[left] + b.lengths[right]
    b.characters[new] = b.characters[left] + b.characters[right]
    b.scripts_first[new] = b.scripts_first[left] if b.scripts_first[left] != 0 else b.scripts_first[right]
    b.scripts_last[new] = b.scripts_last[right] if b.scripts_last[right] != 0 else b.scripts_last[left]
    return True


def short_of(b, n_places, text_length):
    """What must grow before a pair with so many places can be merged; WORKING where nothing must."""
    vocab = b.numbers[N_VOCAB]
    n_new = 2 * min(n_places, vocab + 1)
    if n_places > len(b.left_ids) or vocab + 2 > len(b.lengths):
        return GROW_SCRATCH
    if b.numbers[N_PAIRS] + n_new > len(b.pair_left):
        return GROW_PAIRS
    if b.numbers[N_PLACES] + 2 * n_places > len(b.places):
        return GROW_PLACES
    if b.numbers[N_HEAP] + n_new > len(b.heap_pairs):
        return GROW_HEAP
    if (b.numbers[N_TABLE] + n_new) * 2 > len(b.table_keys):
        return GROW_TABLE
    if (b.numbers[N_TIE] + 4 * n_new) * 2 > len(b.tie_keys):
        return GROW_TIES
    if b.text_starts[vocab] + text_length > len(b.texts) or (vocab + 2) * 2 > len(b.text_table):
        return GROW_TEXTS
    return WORKING


def merge(b, slot, tied):
    """Merge the pair in a slot of the table wherever it stands. The new token is named already; there is room."""
    pair, count = b.table_pairs[slot], b.table_counts[slot]
    left, right = b.pair_left[pair], b.pair_right[pair]
    new, rank = b.numbers[N_VOCAB], b.numbers[N_MERGES]
    left_length, right_length = b.lengths[left], b.lengths[right]
    drop(b, slot)
    removed, n_left, n_right, n_left_seen, n_right_seen = 0, 0, 0, 0, 0
    for t in range(b.pair_from[pair], b.pair_to[pair]):
        start = b.places[t]
        if b.symbols[start] != left:
            continue
        middle = start + left_length
        if b.symbols[middle] != right:
            continue
        end = middle + right_length - 1
        weight = b.weights[b.words[start]]
        before, after = b.symbols[start - 1], b.symbols[end + 1]
        if left_length > 1:
            b.symbols[middle - 1] = -2
        if right_length > 1:
            b.symbols[middle] = -2
        b.symbols[start] = new
        b.symbols[end] = new
        b.gaps[middle] = rank
        removed += weight
        if before >= 0:
            if before == new:
                # The place merged just before had this left token behind it; that pair is gone again.
                b.right_sum[left] -= weight
            if b.left_n[before] == 0:
                b.left_seen[n_left_seen] = before
                n_left_seen += 1
            b.left_n[before] += 1
            b.left_sum[before] += weight
            b.left_ids[n_left] = before
            b.left_places[n_left] = start - b.lengths[before]
            n_left += 1
        if after >= 0:
            if b.right_n[after] == 0:
                b.right_seen[n_right_seen] = after
                n_right_seen += 1
            b.right_n[after] += 1
            b.right_sum[after] += weight
            b.right_lost[after] += weight
            b.right_ids[n_right] = after
            b.right_places[n_right] = start
            n_right += 1
    first_new = b.numbers[N_PAIRS]
    for k in range(n_left_seen):
        token = b.left_seen[k]
        gained = b.left_sum[token]
        if token != new:
            lower(b, token, left, gained)
        b.left_fill[token] = room_for(b, token, new, gained, b.left_n[token])
        b.left_sum[token] = 0
        b.left_n[token] = 0
    for k in range(n_left):
        token = b.left_ids[k]
        if b.left_fill[token] >= 0:
            b.places[b.left_fill[token]] = b.left_places[k]
            b.left_fill[token] += 1
    for k in range(n_right_seen):
        token = b.right_seen[k]
        lower(b, right, token, b.right_lost[token])
        b.right_fill[token] = room_for(b, new, token, b.right_sum[token], b.right_n[token])
        b.right_sum[token] = 0
        b.right_lost[token] = 0
        b.right_n[token] = 0
    for k in range(n_right):
        token = b.right_ids[k]
        if b.right_fill[token] >= 0:
            b.places[b.right_fill[token]] = b.right_places[k]
            b.right_fill[token] += 1
    b.merge_left[rank], b.merge_right[rank] = left, right
    b.merge_count[rank], b.merge_tied[rank] = count, tied
    b.numbers[N_VOCAB] = new + 1
    b.numbers[N_MERGES] = rank + 1
    b.numbers[N_TOKENS] -= removed
    b.merge_tokens[rank] = b.numbers[N_TOKENS]
    push_pairs(b, first_new, b.numbers[N_PAIRS])


def room_for(b, left, right, count, n_places):
    """Enter a new pair where it occurs often enough; returns where its places go, or -1."""
    if count < b.numbers[KEEP_COUNT] or not may_merge(b, left, right):
        return -1
    at = b.numbers[N_PLACES]
    b.numbers[N_PLACES] = at + n_places
    keep(b, left, right, count, at, at + n_places)
    return at


def push_pairs(b, start, end):
    """Put the pairs numbered from start to end on the heap, where they occur often enough to be merged."""
    for pair in range(start, end):
        count = b.table_counts[find(b, b.pair_left[pair], b.pair_right[pair])]
        if count >= b.numbers[MIN_COUNT]:
            push(b, pair, count)


def advance(b, target, max_merges, max_work):
    """Learn merges until the target, a number of them, or an amount of work (places looked at) is reached."""
    work, limit = 0, b.numbers[N_MERGES] + max_merges
    while True:
        if b.numbers[N_MERGES] >= target:
            return TARGET
        if work > max_work or b.numbers[N_MERGES] >= limit:
            return WORKING
        slot = best(b)
        if slot < 0:
            return EXHAUSTED
        pair = b.table_pairs[slot]
        status = prepare(b, pair)
        if status == WORKING:
            merge(b, slot, tied_with(b, b.table_counts[slot]))
        elif status == EXHAUSTED:
            drop(b, slot)
        else:
            return status
        work += b.pair_to[pair] - b.pair_from[pair] + 64


def prepare(b, pair):
    """Make sure of room and name the new token: WORKING, what must grow, or EXHAUSTED where its text is taken."""
    left, right = b.pair_left[pair], b.pair_right[pair]
    text_length = b.text_starts[left + 1] - b.text_starts[left] + b.text_starts[right + 1] - b.text_starts[right]
    status = short_of(b, b.pair_to[pair] - b.pair_from[pair], text_length)
    if status == WORKING and not name_token(b, left, right):
        return EXHAUSTED
    return status


def take(b, left, right):
    """Merge a pair that somebody chose, whatever its count; one that is not in the table stands nowhere."""
    slot = find(b, left, right)
    if b.table_keys[slot] != 0 and b.table_counts[slot] > 0:
        status = prepare(b, b.table_pairs[slot])
        if status == WORKING:
            merge(b, slot, tied_with(b, b.table_counts[slot]))
        return status
    text_length = b.text_starts[left + 1] - b.text_starts[left] + b.text_starts[right + 1] - b.text_starts[right]
    status = short_of(b, 1, text_length)
    if status != WORKING:
        return status
    if not name_token(b, left, right):
        return EXHAUSTED
    rank = b.numbers[N_MERGES]
    b.merge_left[rank], b.merge_right[rank] = left, right
    b.merge_count[rank], b.merge_tied[rank] = 0, 1
    b.merge_tokens[rank] = b.numbers[N_TOKENS]
    b.numbers[N_VOCAB] += 1
    b.numbers[N_MERGES] += 1
    return WORKING


def count_pairs(b, start, stop):
    """Count the pairs whose gap lies from start to stop; returns where it got to, short of stop where room is short."""
    for i in range(start, stop):
        left, right = b.symbols[i - 1], b.symbols[i]
        if left < 0 or right < 0 or b.gaps[i] != NEVER or not may_merge(b, left, right):
            continue
        slot = find(b, left, right)
        if b.table_keys[slot] == 0:
            pair = b.numbers[N_PAIRS]
            if pair >= len(b.pair_left) or (b.numbers[N_TABLE] + 1) * 2 > len(b.table_keys):
                return i
            b.numbers[N_PAIRS] = pair + 1
            b.numbers[N_TABLE] += 1
            b.pair_left[pair], b.pair_right[pair], b.pair_to[pair] = left, right, 0
            b.table_keys[slot], b.table_pairs[slot] = (left << 32 | right) + 1, pair
            b.table_counts[slot] = 0
        b.table_counts[slot] += b.weights[b.words[i]]
        b.pair_to[b.table_pairs[slot]] += 1
    return stop


def lay_out_places(b):
    """Give each counted pair its slice of places; those that occur too seldom get none and leave the count."""
    for pair in range(b.numbers[N_PAIRS]):
        slot = find(b, b.pair_left[pair], b.pair_right[pair])
        n_places = b.pair_to[pair]
        if b.table_counts[slot] < b.numbers[KEEP_COUNT]:
            b.table_counts[slot] = 0
            b.pair_from[pair] = -1
            continue
        at = b.numbers[N_PLACES]
        b.pair_from[pair], b.pair_to[pair] = at, at
        b.numbers[N_PLACES] = at + n_places


def fill_places(b, start, stop):
    """Write the places of the pairs whose gap lies from start to stop."""
    for i in range(start, stop):
        left, right = b.symbols[i - 1], b.symbols[i]
        if left < 0 or right < 0 or b.gaps[i] != NEVER:
            continue
        slot = find(b, left, right)
        if b.table_counts[slot] > 0:
            pair = b.table_pairs[slot]
            b.places[b.pair_to[pair]] = i - b.lengths[left]
            b.pair_to[pair] += 1


def enter_pairs(b):
    """Tally the counted pairs and put them on the heap."""
    for pair in range(b.numbers[N_PAIRS]):
        count = b.table_counts[find(b, b.pair_left[pair], b.pair_right[pair])]
        if count > 0:
            tally(b, count, 1)
    push_pairs(b, 0, b.numbers[N_PAIRS])


def refill_table(b, keys, counts, pairs):
    """Enter the slots of an old, smaller table; pairs that are gone are left out."""
    b.numbers[N_TABLE] = 0
    for i in range(len(keys)):
        if keys[i] != 0 and counts[i] > 0:
            slot = find(b, keys[i] - 1 >> 32, (keys[i] - 1) & 0xFFFFFFFF)
            b.table_keys[slot], b.table_counts[slot], b.table_pairs[slot] = keys[i], counts[i], pairs[i]
            b.numbers[N_TABLE] += 1


def refill_ties(b, keys, values):
    """The same for the counts of large counts."""
    b.numbers[N_TIE] = 0
    for i in range(len(keys)):
        if keys[i] != 0 and values[i] != 0:
            slot = tie_slot(b, keys[i])
            b.tie_keys[slot], b.tie_values[slot] = keys[i], values[i]
            b.numbers[N_TIE] += 1


def refill_texts(b):
    """Enter every token's text, and those that no token may get, in an empty table of texts."""
    for number in range(len(b.reserved_starts) - 1):
        add_text(b, b.reserved_starts[number], b.reserved_starts[number + 1], -1 - number)
    for token in range(b.numbers[N_VOCAB]):
        add_text(b, b.text_starts[token], b.text_starts[token + 1], token + 1)
