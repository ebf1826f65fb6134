"""The corpus as it was at any step, read from its gap ranks.

The definition is `cut` in `engine/textbook.py`; `encoding/cut.py` is the same with numpy. A gap whose rank is below the
step is closed; a token is what is between two open gaps, and its id is that of the last merge inside it, which has the
highest rank. So one walk over symbols and gap ranks meets the tokens of that step from left to right, with nothing
undone. Whether a gap is open is as good as random to the processor, so the walk chooses between values and never
between ways to go.

Pairs are counted in a hash table, and one of all pairs is far larger than the processor's caches. Who only wants the
most frequent first has all of them added up in far fewer sums than there are pairs: a pair cannot be more frequent than
the sum that it is in, and few are in one that is large enough. Only those are then counted exactly. Pairs are looked up
a block at a time: first every pair's entry is read once, which waits for all of them together, and then they are
counted.
"""

from __future__ import annotations

from typing import Any

BLOCK = 64
PAIR = 3  # left << 32 | right, plus 1 (0: free); count; where the pair's left token first occurs
COUNT, FIRST = 1, 2


def cut(symbols: Any, gaps: Any, step: int, n_alphabet: int, start: int, stop: int, ids: Any, starts: Any) -> int:
    """Write the ids of the tokens from start to stop, and where each begins.

    Args:
        symbols: (n,) the corpus, laid out; -1 before, between and after pre-tokens.
        gaps: (n,) its gap ranks; open at a pre-token's first symbol and at what is no symbol.
        step: how many merges apply.
        n_alphabet: the first id of a merge.
        start: where a pre-token, or what is before it, begins.
        stop: the end.
        ids: room for one more than there are tokens: the first entry is not used.
        starts: the same.

    Returns:
        How many tokens there are.
    """
    n, token, begin = 0, 0, 0
    for i in range(start, stop):
        rank = int(gaps[i])
        is_open = int(rank >= step)
        begins = is_open & int(symbols[i] >= 0)
        n += begins
        # `-1 & x` is x and `0 & x` is 0: a choice without a jump.
        begin = (i & -begins) | (begin & (begins - 1))
        made = (n_alphabet + rank) & (is_open - 1)
        token = max((symbols[i] & -begins) | (token & (begins - 1)), made)
        ids[n], starts[n] = token, begin
    return n


def count_tokens(ids: Any, starts: Any, words: Any, weights: Any, n: int, counts: Any) -> None:
    """Add each token's occurrences, weighted by the pre-tokens' counts, to `counts`; `ids` and `starts` from `cut`."""
    for k in range(1, n + 1):
        counts[ids[k]] += weights[words[starts[k]]]


def cut_pairs(symbols: Any, gaps: Any, step: int, n_alphabet: int, pairs: Any, firsts: Any) -> int:
    """Write the pairs of neighbouring tokens.

    Args:
        symbols: (n,) the corpus, laid out; see `cut`.
        gaps: (n,) its gap ranks.
        step: how many merges apply.
        n_alphabet: the first id of a merge.
        pairs: (n,) int64, gets left << 32 | right, from left to right.
        firsts: (n,) int32, gets where the left token begins.

    Returns:
        How many pairs there are.
    """
    n = 0
    before, token, before_begin, begin = -1, -1, 0, 0
    for i in range(len(symbols)):
        symbol, rank = int(symbols[i]), int(gaps[i])
        opens = -int(rank >= step)
        # A token is whole where the next gap is open; what is no symbol is a token of id -1 here.
        pairs[n], firsts[n] = before << 32 | token, before_begin
        n += -opens & int((before | token) >= 0)
        before, before_begin = (token & opens) | (before & ~opens), (begin & opens) | (before_begin & ~opens)
        # `-1 & x` is x and `0 & x` is 0: a choice without a jump.
        token = (symbol & opens) | (max(token, n_alphabet + rank) & ~opens)
        begin = (i & opens) | (begin & ~opens)
    return n


def add_up(pairs: Any, firsts: Any, words: Any, weights: Any, n: int, sums: Any, homes: Any) -> None:
    """Add the weight of each pair to one of the sums, of which several may share one; note which in `homes`."""
    mask = len(sums) - 1
    for k in range(n):
        h = home(pairs[k] >> 32, pairs[k] & 0xFFFFFFFF, mask)
        homes[k] = h
        sums[h] += weights[words[firsts[k]]]


def home(left: int, right: int, mask: int) -> int:
    """Where in a table the search for a pair begins."""
    # The middle bits of a product depend on all bits of both ids; no product here leaves 63 bits.
    h = left * 0x2C1B3C6D + right * 0x297A2D39
    return ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask


def count_pairs(
    pairs: Any, firsts: Any, words: Any, weights: Any, start: int, n: int, sums: Any, homes: Any, least: int,
    table: Any, found: Any, ahead: Any,
) -> int:  # fmt: skip
    """Count the pairs, weighted by the pre-tokens' counts.

    Args:
        pairs: (n,) as `cut_pairs` gives them.
        firsts: the same.
        words: the pre-token of each symbol.
        weights: how often each pre-token occurs in the text.
        start: the first to count.
        n: how many there are.
        sums: what `add_up` gives.
        homes: the same.
        least: pairs whose sum is less are left out.
        table: (t * PAIR) int64, open addressing.
        found: (1,) int64, how many pairs the table holds; kept up to date.
        ahead: (2 * BLOCK + 1,) int64, scratch.

    Returns:
        n where all are counted; else where to continue with a larger table, for this one is two thirds full.
    """
    mask, n_found = len(table) // PAIR - 1, found[0]
    room = len(table) // PAIR * 2 // 3 - BLOCK
    for first in range(start, n, BLOCK):
        if n_found > room:
            found[0] = n_found
            return first
        n_ahead, read = 0, 0
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
            k, slot = ahead[2 * j], ahead[2 * j + 1]
            key = pairs[k] + 1
            while table[slot] != key:
                if table[slot] == 0:
                    n_found += 1
                    table[slot], table[slot + FIRST] = key, firsts[k]
                    break
                slot += PAIR
                if slot == len(table):
                    slot = 0
            table[slot + COUNT] += weights[words[firsts[k]]]
    found[0] = n_found
    return n


def refill(table: Any, old: Any) -> None:
    """Enter the pairs of an old, smaller table."""
    mask = len(table) // PAIR - 1
    for i in range(0, len(old), PAIR):
        key = old[i]
        if key != 0:
            slot = PAIR * home((key - 1) >> 32, (key - 1) & 0xFFFFFFFF, mask)
            while table[slot] != 0:
                slot += PAIR
                if slot == len(table):
                    slot = 0
            table[slot], table[slot + COUNT], table[slot + FIRST] = key, old[i + COUNT], old[i + FIRST]


def pairs_of(table: Any, pairs: Any, counts: Any, firsts: Any) -> int:
    """Write the table's pairs one after another; returns how many there are."""
    n = 0
    for i in range(0, len(table), PAIR):
        if table[i] != 0:
            pairs[n], counts[n], firsts[n] = table[i] - 1, table[i + COUNT], table[i + FIRST]
            n += 1
    return n
