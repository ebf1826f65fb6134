"""The hash tables of the merge loop: pairs, counts of counts, and the texts of tokens."""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import COUNT, N_TIE, TABLE, TIE, TIE_DENSE


def home(left: int, right: int, mask: int) -> int:
    """The slot at which the search for a pair begins."""
    # The middle bits of a product depend on all bits of both ids; no product here exceeds 63 bits.
    h = left * 0x2C1B3C6D + right * 0x297A2D39
    return ((h ^ h >> 17) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask


def find(table: Any, left: int, right: int) -> int:
    """The slot of a pair in the table, or the free slot for it."""
    mask = len(table) // TABLE - 1
    key = (left << 32 | right) + 1
    h = home(left, right, mask)
    while table[TABLE * h] != 0 and table[TABLE * h] != key:
        h = (h + 1) & mask
    return TABLE * h


def tie_slot(tie_table: Any, count: int) -> int:
    """The slot of a large count in the counts of counts."""
    mask = len(tie_table) // TIE - 1
    h = ((count ^ count >> 31) & 0x7FFFFFFF) * 0x1B873593 >> 20 & mask
    while tie_table[TIE * h] != 0 and tie_table[TIE * h] != count:
        h = (h + 1) & mask
    return TIE * h


def tally(numbers: Any, tie_counts: Any, tie_table: Any, count: int, change: int) -> None:
    """Add `change` to the number of pairs with a count."""
    if count < TIE_DENSE:
        tie_counts[count] += change
        return
    slot = tie_slot(tie_table, count)
    if tie_table[slot] == 0:
        tie_table[slot] = count
        numbers[N_TIE] += 1
    tie_table[slot + 1] += change


def tied_with(tie_counts: Any, tie_table: Any, count: int) -> int:
    """The number of pairs with exactly this count."""
    if count < TIE_DENSE:
        return int(tie_counts[count])
    return int(tie_table[tie_slot(tie_table, count) + 1])


def lower(
    numbers: Any, table: Any, tie_counts: Any, tie_table: Any, left: int, right: int, by: int
) -> None:
    """Subtract occurrences from a pair; a pair that is not in the table is too rare to matter."""
    slot = find(table, left, right)
    count = table[slot + COUNT]
    if table[slot] != 0 and count > 0:
        tally(numbers, tie_counts, tie_table, count, -1)
        table[slot + COUNT] = count - by
        if count > by:
            tally(numbers, tie_counts, tie_table, count - by, 1)


def drop(numbers: Any, table: Any, tie_counts: Any, tie_table: Any, slot: int) -> None:
    """Remove a pair: it is merged, forbidden, or would make an existing token."""
    count = table[slot + COUNT]
    if count > 0:
        tally(numbers, tie_counts, tie_table, count, -1)
    table[slot + COUNT] = 0


def text_hash(texts: Any, start: int, end: int) -> int:
    """A hash of a part of `texts` (FNV-1a, 32 bits)."""
    h = 2166136261
    for i in range(start, end):
        h = ((h ^ int(texts[i])) * 16777619) & 0xFFFFFFFF
    return h


def same_text(
    text_starts: Any, texts: Any, reserved_starts: Any, start: int, end: int, entry: int
) -> bool:
    """Whether a part of `texts` equals an entry of the table of texts."""
    if entry > 0:
        at = text_starts[entry - 1]
        stop = text_starts[entry]
    else:
        at = reserved_starts[-1 - entry]
        stop = reserved_starts[-entry]
    if end - start != stop - at:
        return False
    for i in range(end - start):  # noqa: SIM110
        if texts[start + i] != texts[at + i]:
            return False
    return True


def add_text(
    text_starts: Any,
    texts: Any,
    reserved_starts: Any,
    text_table: Any,
    start: int,
    end: int,
    entry: int,
) -> bool:
    """Insert a part of `texts` into the table of texts; False if it is already there."""
    mask = len(text_table) - 1
    h = text_hash(texts, start, end) & mask
    while text_table[h] != 0:
        if same_text(text_starts, texts, reserved_starts, start, end, text_table[h]):
            return False
        h = (h + 1) & mask
    text_table[h] = entry
    return True
