"""Finds the pre-tokens of the split `gpt2` in 64 bytes at once, as bits of numbers.

A window begins where a pre-token begins, so that nothing before it matters. A bit tells for each of
its bytes whether it is part of a letter, and so on; a shift compares each byte with the one before
it, so a few operations tell for all where a pre-token begins. What the end of the window leaves
open is read again by the next, which begins at the last place that is certain.

Characters that are not ASCII are looked up one by one if there are few in a window. Windows full of
them, white space among them, bytes that are no characters and pre-tokens that are longer than a
window are left to the automaton of `scanning.py`, which defines what this finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.instructions import (
    N_BYTES,
    bytes_between,
    highest_bit,
    lowest_bit,
    n_bits,
    place,
)

LETTER = 1
NUMBER = 2
OTHER = 3
"""The classes of characters; 0 is white space, or what is left to the automaton."""
TEXTS = 255
"""The entry of `classes` that is none: it tells whether windows can be used, and whether each line
is a text.
"""
NO_WINDOWS, WHOLE_TEXTS, BY_LINE = range(3)
_MOST_WIDE_BYTES = 24
"""The most bytes of a window that may be of characters outside ASCII; each such character takes
as long as three steps of the automaton."""


def class_at(b: Any, i: int, columns: Any, classes: Any) -> tuple[Any, int]:
    """The class of the non-ASCII character at i, 0 if it is left to the automaton, and its length
    in bytes.
    """
    c: Any = np.int64(b[place(i)])
    c1: Any = np.int64(b[place(i + 1)]) ^ 0x80
    c2: Any = np.int64(b[place(i + 2)]) ^ 0x80
    if c < 0xE0:
        return 0 if c1 > 0x3F or c < 0xC2 else np.int64(
            classes[place(columns[place((c & 0x1F) << 6 | c1)])]
        ), 2
    if c < 0xF0:
        code = (c & 0xF) << 12 | c1 << 6 | c2
        return 0 if c1 | c2 > 0x3F or code < 0x800 else np.int64(
            classes[place(columns[place(code)])]
        ), 3
    c3: Any = np.int64(b[place(i + 3)]) ^ 0x80
    code = (c & 7) << 18 | c1 << 12 | c2 << 6 | c3
    if c1 | c2 | c3 > 0x3F or code < 0x10000 or code >= 0x110000 or c >= 0xF8:
        return 0, 4
    return np.int64(classes[place(columns[place(code)])]), 4


def starts_in_window(b: Any, i: int, limit: int, columns: Any, classes: Any) -> tuple[int, int]:
    """The starts of pre-tokens in the window at i, a bit for each byte after the first.

    Args:
        b: this and the next four are those of `step_by_windows`.
        i: the start of a pre-token.
        limit: the end.
        columns: the column of each code point.
        classes: the class of each column.

    Returns:
        The bits, and the number of bytes of the window that are known.
    """
    at = place(i)
    wide = bytes_between(b, at, 128, 255, 0)
    known = int(min(limit - i, N_BYTES))
    wide_letters = wide_numbers = 0
    if lowest_bit(wide) < known:
        if n_bits(wide) > _MOST_WIDE_BYTES:
            return 0, N_BYTES
        while wide != 0:
            k = lowest_bit(wide)
            if k >= known:
                break
            what, width = class_at(b, i + k, columns, classes) if k < known - 3 else (0, 1)
            if what == 0:
                known = k
                break
            here = (1 << width) - 1 << k
            wide &= ~here
            wide_letters |= here if what == LETTER else 0
            wide_numbers |= here if what == NUMBER else 0
        if known == 0:
            return 0, 0
    spaces = bytes_between(b, at, 32, 32, 0)
    white = spaces | bytes_between(b, at, 9, 13, 0)
    letters = wide_letters | bytes_between(b, at, 97, 122, 32)
    numbers = wide_numbers | bytes_between(b, at, 48, 57, 0)
    others = ~(white | letters | numbers)
    # A run of one class begins a pre-token, or the space before it does.
    starts = (letters & ~(letters << 1) | numbers & ~(numbers << 1) | others & ~(others << 1)) & ~(
        spaces << 1
    )
    line_feeds = bytes_between(b, at, 10, 10, 0) if classes[TEXTS] == BY_LINE else 0
    # White space begins one, and so does its last character if other characters follow it.
    starts |= white & (~(white << 1) | ~white >> 1 & ~line_feeds) | line_feeds << 1
    quotes = bytes_between(b, at, 39, 39, 0) & (starts | 1) & letters >> 1 & (1 << known - 1) - 1
    while quotes != 0:
        k = lowest_bit(quotes)
        quotes &= quotes - 1
        one = b[place(i + k + 1)]
        two = b[place(i + k + 2)] if k + 2 < known else 0
        width = 0
        if one == 115 or one == 100 or one == 109 or one == 116:  # s, d, m, t
            width = 2
        elif (one == 108 and two == 108) or (
            (one == 118 or one == 114) and two == 101
        ):  # ll, ve, re
            width = 3
        if width != 0:
            starts = starts & ~(2 << k) | 1 << k + width
    # The last byte that is known may be white space, and a quotation mark before it the beginning
    # of a contraction.
    return starts & (1 << known - 1) - 1 & -2, known


def step_by_windows(
    b: Any, i: int, limit: int, columns: Any, classes: Any, borders: Any, n: int
) -> tuple[int, int, int]:
    """Write the borders of pre-tokens up to a place at which the next one begins.

    Args:
        b: uint8, the text.
        i: where a pre-token begins.
        limit: where to stop; there is room for the borders up to there.
        columns: (0x110000,) uint8, the column of each code point.
        classes: (256,) uint8, the class of each column; in the last, whether each line is a text.
        borders: receives the borders.
        n: the number of borders so far; it is even.

    Returns:
        The place, the number of borders, and up to where windows are of no use.
    """
    while i + N_BYTES <= len(b) and i < limit:
        starts, known = starts_in_window(b, i, limit, columns, classes)
        if starts == 0:
            return i, n, i + known
        borders[place(n)] = i
        k = n + 1
        n = n + 2 * n_bits(starts)
        end = i + highest_bit(starts)
        while starts != 0:
            # What is written in vain is overwritten.
            for _ in range(4):
                start = i + lowest_bit(starts)
                starts &= starts - 1
                borders[place(k)] = start
                borders[place(k + 1)] = start
                k += 2
        i = end
    return i, n, limit
