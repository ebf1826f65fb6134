"""Counts all pairs and their places before the merge loop, and refills tables that have grown.

It works on the buffers of `merging.py`, in slices, so that a caller can pause or stop.
"""

from __future__ import annotations

from bpe_studio.engine.kernels.buffers import (
    COUNT,
    FROM,
    IDS,
    INDEX,
    KEEP_COUNT,
    LENGTH,
    MAX_SYMBOLS,
    N_PAIRS,
    N_PLACES,
    N_TABLE,
    N_TIE,
    N_VOCAB,
    NEVER,
    NUMBER,
    PAIR,
    TABLE,
    TIE,
    TO,
    TOKEN,
    Buffers,
)
from bpe_studio.engine.kernels.kinds import Int64s
from bpe_studio.engine.kernels.merging import may_merge, weight_of
from bpe_studio.engine.kernels.tables import add_text, find, tally, tie_slot


def count_pairs(b: Buffers, start: int, stop: int) -> int:
    """Count the pairs whose gap is from `start` to `stop`.

    Returns where it stopped, before `stop` if room is short.
    """
    numbers = b.numbers
    symbols = b.symbols
    weights = b.weights
    heavy = b.heavy
    gaps = b.gaps
    tokens = b.tokens
    pairs = b.pairs
    table = b.table
    has_limits = numbers[MAX_SYMBOLS] != 0
    for i in range(start, stop):
        if symbols[i - 1] < 0 or symbols[i] < 0 or gaps[i] != NEVER:
            continue
        left = symbols[i - 1] & INDEX
        right = symbols[i] & INDEX
        if has_limits and not may_merge(numbers, tokens, left, right):
            continue
        slot = find(table, left, right)
        if table[slot] == 0:
            pair = numbers[N_PAIRS]
            if (pair + 1) * PAIR > len(pairs) or (numbers[N_TABLE] + 1) * 2 * TABLE > len(table):
                return i
            numbers[N_PAIRS] = pair + 1
            numbers[N_TABLE] += 1
            pairs[PAIR * pair + IDS] = left << 32 | right
            pairs[PAIR * pair + TO] = 0
            table[slot] = (left << 32 | right) + 1
            table[slot + COUNT] = 0
            table[slot + NUMBER] = pair
        table[slot + COUNT] += weight_of(weights, heavy, i)
        pairs[PAIR * table[slot + NUMBER] + TO] += 1
    return stop


def lay_out_places(b: Buffers) -> None:
    """Assign each counted pair its slice of places.

    Pairs that are too rare get none and are not counted.
    """
    numbers = b.numbers
    pairs = b.pairs
    table = b.table
    for pair in range(numbers[N_PAIRS]):
        record = PAIR * pair
        slot = find(table, pairs[record + IDS] >> 32, pairs[record + IDS] & 0xFFFFFFFF)
        n_places = pairs[record + TO]
        at = numbers[N_PLACES]
        if table[slot + COUNT] < numbers[KEEP_COUNT]:
            table[slot + COUNT] = 0
            n_places = 0
        pairs[record + FROM] = at
        pairs[record + TO] = at
        numbers[N_PLACES] = at + n_places


def fill_places(b: Buffers, start: int, stop: int) -> None:
    """Write the places of the pairs whose gap is from `start` to `stop`."""
    symbols = b.symbols
    gaps = b.gaps
    tokens = b.tokens
    pairs = b.pairs
    places = b.places
    table = b.table
    for i in range(start, stop):
        if symbols[i - 1] < 0 or symbols[i] < 0 or gaps[i] != NEVER:
            continue
        left = symbols[i - 1] & INDEX
        right = symbols[i] & INDEX
        slot = find(table, left, right)
        if table[slot] != 0 and table[slot + COUNT] > 0:
            record = PAIR * table[slot + NUMBER]
            places[pairs[record + TO]] = i - tokens[TOKEN * left + LENGTH]
            pairs[record + TO] += 1


def tally_pairs(numbers: Int64s, table: Int64s, tie_counts: Int64s, tie_table: Int64s) -> None:
    """Update the counts of counts with the counted pairs."""
    for slot in range(0, len(table), TABLE):
        if table[slot + COUNT] > 0:
            tally(numbers, tie_counts, tie_table, table[slot + COUNT], 1)


def refill_table(numbers: Int64s, table: Int64s, old: Int64s) -> None:
    """Insert the records of an old, smaller table of pairs.

    Pairs that no longer occur are left out.
    """
    n_entered = 0
    for i in range(0, len(old), TABLE):
        key = old[i]
        if key != 0 and old[i + COUNT] > 0:
            slot = find(table, (key - 1) >> 32, (key - 1) & 0xFFFFFFFF)
            table[slot] = key
            table[slot + COUNT] = old[i + COUNT]
            table[slot + NUMBER] = old[i + NUMBER]
            n_entered += 1
    numbers[N_TABLE] = n_entered


def refill_ties(numbers: Int64s, tie_table: Int64s, old: Int64s) -> None:
    """Insert the records of an old, smaller table of large counts."""
    n_entered = 0
    for i in range(0, len(old), TIE):
        if old[i] != 0 and old[i + 1] != 0:
            slot = tie_slot(tie_table, old[i])
            tie_table[slot] = old[i]
            tie_table[slot + 1] = old[i + 1]
            n_entered += 1
    numbers[N_TIE] = n_entered


def refill_texts(b: Buffers) -> None:
    """Insert the text of every token, and the reserved texts, into an empty table of texts."""
    starts = b.text_starts
    reserved = b.reserved_starts
    for number in range(len(reserved) - 1):
        add_text(
            starts,
            b.texts,
            reserved,
            b.text_table,
            reserved[number],
            reserved[number + 1],
            -1 - number,
        )
    for token in range(b.numbers[N_VOCAB]):
        add_text(
            starts, b.texts, reserved, b.text_table, starts[token], starts[token + 1], token + 1
        )
