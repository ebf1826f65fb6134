"""The corpus as it was at any step, read from its gap ranks.

This is `cut` of `engine/textbook.py`; `encoding/cut.py` does the same with numpy. A gap whose rank
is below the step is closed; a token is what lies between two open gaps, and its id is that of the
last merge inside it, which has the highest rank. So one pass over symbols and gap ranks finds the
tokens of a step from left to right, and nothing is undone.

Pairs are counted in a hash table; a table of all pairs would be far larger than the processor's
caches. If only the most frequent pairs are needed, all pairs are first added into a smaller number
of sums: no pair is more frequent than its sum, and few pairs have a large enough sum. Only those
are then counted exactly. Pairs are looked up a block at a time: the entry of each pair is read
once, so that memory accesses overlap, and then they are counted.
"""

from __future__ import annotations

from bpe_studio.engine.kernels.kinds import Int32s, Int64s

BLOCK = 64
# Left << 32 | right, plus 1 (0: free); count; start of the left token at the first occurrence.
PAIR = 3
COUNT = 1
FIRST = 2


def cut(
    symbols: Int32s,
    gaps: Int32s,
    step: int,
    n_alphabet: int,
    start: int,
    stop: int,
    ids: Int32s,
    starts: Int32s,
) -> int:
    """Write the ids and the starts of the tokens from `start` to `stop`.

    Args:
        symbols: (n,) the corpus; -1 before, between and after pre-tokens.
        gaps: (n,) its gap ranks; open at the first symbol of a pre-token and at separators.
        step: how many merges apply.
        n_alphabet: the id of the first merge.
        start: the start of a pre-token, or of the separator before it.
        stop: the end.
        ids: receives the ids; one entry longer than there are tokens, and entry 0 is unused.
        starts: the same for the starts.

    Returns:
        The number of tokens.
    """
    n = 0
    token = 0
    begin = 0
    for i in range(start, stop):
        rank = int(gaps[i])
        is_open = int(rank >= step)
        begins = is_open & int(symbols[i] >= 0)
        n += begins
        # `-1 & x` is x and `0 & x` is 0. The processor cannot guess which gaps are open; with
        # branches instead, the loop takes 1.3 to 1.6 times as long.
        begin = (i & -begins) | (begin & (begins - 1))
        made = (n_alphabet + rank) & (is_open - 1)
        token = max((symbols[i] & -begins) | (token & (begins - 1)), made)
        ids[n] = token
        starts[n] = begin
    return n


def cut_pairs(
    symbols: Int32s, gaps: Int32s, step: int, n_alphabet: int, pairs: Int64s, firsts: Int32s
) -> int:
    """Write the pairs of neighbouring tokens at a step.

    Args:
        symbols: (n,) the corpus; see `cut`.
        gaps: (n,) its gap ranks.
        step: how many merges apply.
        n_alphabet: the id of the first merge.
        pairs: (n,) int64, receives left << 32 | right, from left to right.
        firsts: (n,) int32, receives the start of the left token.

    Returns:
        The number of pairs.
    """
    n = 0
    before = -1
    token = -1
    before_begin = 0
    begin = 0
    for i in range(len(symbols)):
        rank = int(gaps[i])
        if rank < step:
            token = max(token, n_alphabet + rank)
            continue
        # A token is complete where the next gap is open; a separator is a token of id -1 here.
        if before >= 0 and token >= 0:
            pairs[n] = before << 32 | token
            firsts[n] = before_begin
            n += 1
        before = token
        before_begin = begin
        token = int(symbols[i])
        begin = i
    return n


def add_up(
    pairs: Int64s,
    firsts: Int32s,
    words: Int32s,
    weights: Int64s,
    n: int,
    sums: Int64s,
    homes: Int32s,
) -> None:
    """Add the weight of each pair to a sum, which pairs may share.

    `homes` receives the index of the sum.
    """
    mask = len(sums) - 1
    for k in range(n):
        h = home(pairs[k] >> 32, pairs[k] & 0xFFFFFFFF, mask)
        homes[k] = h
        sums[h] += weights[words[firsts[k]]]


def home(left: int, right: int, mask: int) -> int:
    """The slot at which the search for a pair begins."""
    # The middle bits of a product depend on all bits of both ids; no product here exceeds 63 bits.
    h = left * 0x2C1B3C6D + right * 0x297A2D39
    return ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask


def count_pairs(
    pairs: Int64s,
    firsts: Int32s,
    words: Int32s,
    weights: Int64s,
    start: int,
    n: int,
    sums: Int64s,
    homes: Int32s,
    least: int,
    table: Int64s,
    found: Int64s,
    ahead: Int64s,
) -> int:
    """Count the pairs, weighted by the pre-tokens' counts.

    Args:
        pairs: (n,) from `cut_pairs`.
        firsts: (n,) from `cut_pairs`.
        words: the pre-token of each symbol.
        weights: the count of each pre-token in the text.
        start: the first pair to count.
        n: the number of pairs.
        sums: from `add_up`.
        homes: from `add_up`.
        least: pairs whose sum is smaller are left out.
        table: (t * PAIR) int64, open addressing.
        found: (1,) int64, the number of pairs in the table; updated.
        ahead: (2 * BLOCK + 1,) int64, scratch.

    Returns:
        n if all are counted; otherwise where to continue with a larger table, because this one is
        two thirds full.
    """
    mask = len(table) // PAIR - 1
    n_found = found[0]
    room = len(table) // PAIR * 2 // 3 - BLOCK
    for first in range(start, n, BLOCK):
        if n_found > room:
            found[0] = n_found
            return first
        n_ahead = 0
        read = 0
        for k in range(first, min(first + BLOCK, n)):
            ahead[2 * n_ahead] = k
            n_ahead += int(sums[homes[k]] >= least)
        for j in range(n_ahead):
            k = ahead[2 * j]
            slot = PAIR * home(pairs[k] >> 32, pairs[k] & 0xFFFFFFFF, mask)
            ahead[2 * j + 1] = slot
            read += table[slot]
        ahead[2 * BLOCK] = read
        for j in range(n_ahead):
            k = ahead[2 * j]
            slot = ahead[2 * j + 1]
            key = pairs[k] + 1
            while table[slot] != key:
                if table[slot] == 0:
                    n_found += 1
                    table[slot] = key
                    table[slot + FIRST] = firsts[k]
                    break
                slot += PAIR
                if slot == len(table):
                    slot = 0
            table[slot + COUNT] += weights[words[firsts[k]]]
    found[0] = n_found
    return n


def refill(table: Int64s, old: Int64s) -> None:
    """Insert the pairs of an old, smaller table."""
    mask = len(table) // PAIR - 1
    for i in range(0, len(old), PAIR):
        key = old[i]
        if key != 0:
            slot = PAIR * home((key - 1) >> 32, (key - 1) & 0xFFFFFFFF, mask)
            while table[slot] != 0:
                slot += PAIR
                if slot == len(table):
                    slot = 0
            table[slot] = key
            table[slot + COUNT] = old[i + COUNT]
            table[slot + FIRST] = old[i + FIRST]


def pairs_of(table: Int64s, pairs: Int64s, counts: Int64s, firsts: Int64s) -> int:
    """Write the pairs of the table one after another; returns their number."""
    n = 0
    for i in range(0, len(table), PAIR):
        if table[i] != 0:
            pairs[n] = table[i] - 1
            counts[n] = table[i + COUNT]
            firsts[n] = table[i + FIRST]
            n += 1
    return n
