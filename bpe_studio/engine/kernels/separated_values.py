"""Takes the texts out of CSV and TSV: one field of each row, without its quotation marks.

It reads rows as the module csv does in its strict form. A row that is broken, or has another number of fields, is left
to the caller. A field is written eight bytes at a time, as many of which count as stand before its end; so is each
field that is not the text, over which the next one is written.

A quotation mark and a line feed after the rows stop what has no end. These kernels only run compiled, on processors
that store the lowest byte first.
"""

from __future__ import annotations

from typing import Any

PLACE, SIZE, END = range(3)
"""The scalars in `state`: the row that follows, the size of what was written, and the end of a row that is left."""
N_STATE = 3
QUOTE, LINE_FEED, RETURN = 0x22, 10, 13
_ONES = 0x0101010101010101
_QUOTES, _LINE_FEEDS, _RETURNS = QUOTE * _ONES, LINE_FEED * _ONES, RETURN * _ONES
_HIGH = -0x7F7F7F7F7F7F7F80  # the highest bit of each byte


def read_rows(
    state: Any, b: Any, wide: Any, n: int, mark: int, n_fields: int, field: int, out: Any, wide_out: Any, ends: Any
) -> int:
    """Write the texts of rows, as many as have an end and are left to nobody; returns their number.

    Args:
        state: (N_STATE,) int64, the scalars above. If the row that follows is left, `END` is beyond `PLACE`; otherwise
            it has no end yet, or `ends` is full.
        b: uint8, the rows as UTF-8, then a quotation mark, a line feed and padding.
        wide: int64, the same as overlapping numbers.
        n: the length of the rows.
        mark: what separates fields.
        n_fields: how many a row has.
        field: which of them is the text, from 0.
        out: uint8, receives the texts; as long as the rows, with padding.
        wide_out: the same as numbers.
        ends: int64, receives the end of each text.
    """
    state[END] = 0
    n_texts = 0
    while n_texts < len(ends):
        size = state[SIZE]
        end = read_row(state, b, wide, n, mark, n_fields, field, out, wide_out)
        if end < 0:
            state[SIZE] = size
            break
        ends[n_texts] = state[SIZE]
        n_texts += 1
        state[PLACE] = end
    return n_texts


def read_row(
    state: Any, b: Any, wide: Any, n: int, mark: int, n_fields: int, field: int, out: Any, wide_out: Any
) -> int:
    """Write the text of the next row; returns the end of the row, or -1 if it has none or is left."""
    i = state[PLACE]
    while i < n and (b[i] == LINE_FEED or b[i] == RETURN):  # empty lines, and the other half of a line's end
        i += 1
    state[PLACE] = i
    size = state[SIZE]
    n_read = 0
    while True:
        state[SIZE] = size
        i = copy_field(state, b, wide, i, n, mark, out, wide_out)
        if i < 0:
            return -1
        if n_read == field:
            size = state[SIZE]
        n_read += 1
        i += 1
        if b[i - 1] != mark:
            break
    state[SIZE] = size
    if n_read == n_fields:
        return i
    state[END] = i
    return -1


def copy_field(state: Any, b: Any, wide: Any, i: int, n: int, mark: int, out: Any, wide_out: Any) -> int:
    """Write the field at i; returns the place after it, or -1 if it has no end or is broken."""
    if i >= n:
        return -1
    o = state[SIZE]
    if b[i] != QUOTE:
        marks = mark * _ONES
        while True:
            w = wide[i]
            wide_out[o] = w
            found = zeros(w ^ marks) | zeros(w ^ _LINE_FEEDS) | zeros(w ^ _RETURNS)
            if found != 0:
                break
            i += 8
            o += 8
        n_bytes = n_before(found)
        state[SIZE] = o + n_bytes
        return i + n_bytes if i + n_bytes < n else -1
    i += 1
    while True:
        w = wide[i]
        wide_out[o] = w
        found = zeros(w ^ _QUOTES)
        if found == 0:
            i += 8
            o += 8
            continue
        n_bytes = n_before(found)
        i += n_bytes + 1
        o += n_bytes
        if i >= n:
            return -1
        c = b[i]
        if c == QUOTE:
            out[o] = QUOTE
            i += 1
            o += 1
        elif c in (mark, LINE_FEED, RETURN):
            state[SIZE] = o
            return i
        else:
            state[END] = after_line(b, i, n)
            return -1


def zeros(w: int) -> int:
    """Not zero if one of eight bytes is zero; the lowest bit that is set is then the highest one of the first."""
    return (w - _ONES) & ~w & _HIGH


def n_before(found: int) -> int:
    """How many of eight bytes stand before the first that `zeros` has found."""
    below = (found & -found) - 1
    return ((below & _ONES) * _ONES >> 56) - 1


def after_line(b: Any, i: int, n: int) -> int:
    """The place after the line that goes on at i; 0 if it has no end."""
    while i < n:
        i += 1
        if b[i - 1] == LINE_FEED or b[i - 1] == RETURN:
            return i
    return 0
