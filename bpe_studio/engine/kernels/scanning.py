"""Finds the pre-tokens of a text with a small automaton over its UTF-8 bytes.

`splits/automaton.py` makes one automaton for each split; the loops below are the same for all. A
step is one look-up in a table with 256 columns per state: an ASCII byte is its own column, a table
by code point has the column of any other character, and the last column is the end of the text.
When a pre-token ends, the next one begins in the same step, so that each character is one step. The
entry is the next state and what to record. So the end of a pre-token is a number to add and not a
branch, and the processor has hardly anything to mispredict.

Two ASCII characters are one step in another such table, by their kinds: few bytes are distinguished
by any state.

The loops record the borders of pre-tokens, starts and ends in turn; at a place where one ends and
the next begins, there are two.

A pre-token ends where the automaton stops, unless it has to go back: of several spaces before a
word, the last belongs to the word, and `'l` is a contraction only before another `l`. Then it
continues from the last place at which the pre-token might have ended, which is recorded on the way.
If there is none, which happens only with custom expressions, the first character belongs to no
pre-token.

A byte that is not part of a character is a character by itself, in column `STRAY`. A lone
surrogate, which represents such a byte in Python's text, is one as well if it is encoded as three
bytes (`surrogatepass`), and has a column of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bpe_studio.engine.kernels.instructions import place
from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s, Uint16s, Uint32s
from bpe_studio.engine.kernels.windows import NO_WINDOWS, TEXTS, step_by_windows

Tables = tuple[Bytes, Uint32s, Uint16s, Uint32s, Bytes]
"""An automaton; see `find_borders`."""
RETREAT, STOP, START, GAP = range(4)
"""The special states; `GAP` is the state in text that the split drops."""
COLUMNS = 256
FIRST_CLASS = 128
STRAY = 254
TEXT_END = 255
"""The columns of the tables: their number, the first one of non-ASCII characters, and the two
special ones.
"""
MOST_IN_VAIN = 1 << 26
"""The most bytes, beyond eight times the text's, that may be read only to go back."""
BORDERS = 3
MAY_END = 4
GOES_BACK = 8
"""The records before a character: the number of borders (0 to 2), that the pre-token may end, or
that it ends where it last might have ended."""
SECOND_BORDERS = 24
ALONE = 32
BACK = 64
"""Further records before two characters: the number of borders before the second, that each needs a
step of its own, or that the pre-token ends where it last might have ended, which with `MAY_END` is
before the first of the two."""
NEAR = 4
"""The most bytes that the steps of two characters go back, so that the text is read a few times at
most.
"""
SPARE = 4 + 2 * (NEAR + 1)
"""Entries of `borders` for what is written in vain, and for the borders in bytes that are read
again.
"""
FLAGS = 8
"""Bits of an entry that are such records; the others are the offset of the next row."""
NEAR_WINDOW = 16
"""Bytes after which windows are tried again."""
STAY = 24
"""Bytes after a non-ASCII character in which each step is a single character."""
PLACE, STOP_NUMBER, ROW, MARK, N_STARTS, N_ENDS, IN_VAIN = range(7)
N_CUTTING = 7
"""The progress: in the text and its stops, the state and the last mark, what is written, and steps
back.
"""


def column_at(b: Any, i: int, n: int, columns: Any) -> int:
    """The column of the non-ASCII character at i, times 8, plus its length in bytes."""
    c = b[i]
    if c < 0xE0:
        if c >= 0xC2 and i + 1 < n and b[i + 1] & 0xC0 == 0x80:
            return int(columns[(c & 0x1F) << 6 | b[i + 1] & 0x3F]) << 3 | 2
    elif c < 0xF0:
        if i + 2 < n and b[i + 1] & 0xC0 == 0x80 and b[i + 2] & 0xC0 == 0x80:
            code = (c & 0xF) << 12 | (b[i + 1] & 0x3F) << 6 | b[i + 2] & 0x3F
            if code >= 0x800 and columns[code] != 0:
                return int(columns[code]) << 3 | 3
    elif (
        i + 3 < n
        and b[i + 1] & 0xC0 == 0x80
        and b[i + 2] & 0xC0 == 0x80
        and b[i + 3] & 0xC0 == 0x80
    ):
        code = (c & 0xF) << 18 | (b[i + 1] & 0x3F) << 12 | (b[i + 2] & 0x3F) << 6 | b[i + 3] & 0x3F
        if 0x10000 <= code < 0x110000:
            return int(columns[code]) << 3 | 4
    return STRAY << 3 | 1


def begin(state: Int64s, place: int) -> None:
    """Begin at a place where a pre-token, or dropped text, begins.

    The count of steps back is kept.
    """
    state[PLACE] = place
    state[STOP_NUMBER] = 0
    state[ROW] = START * COLUMNS
    state[MARK] = place
    state[N_STARTS] = 0
    state[N_ENDS] = 0


def limit_of(i: int, n: int, room: int) -> int:
    """The place up to which there is room for borders; each character may add two."""
    return min(n, i + (room + 1 >> 1))


def go_back(
    state: Any, b: Any, i: int, n: int, columns: Any, borders: Any, n_borders: int, mark: int
) -> tuple[int, int]:
    """End the pre-token at its mark, or drop it if it has none; returns where to go on, and the
    number of borders.

    The arguments are those of `find_borders`, and its progress.
    """
    start: Any = np.int64(borders[n_borders - 1])
    state[IN_VAIN] += i - max(mark, start)
    if state[IN_VAIN] > MOST_IN_VAIN + 8 * len(b):
        raise TimeoutError
    if mark <= start:
        return start + (
            1 if b[start] < 0x80 else column_at(b, start, n, columns) & 7
        ), n_borders - 1
    borders[n_borders] = mark
    return mark, n_borders + 1


def step_by_pairs(
    b: Any, i: int, last: int, row: int, kinds: Any, pairs: Any, borders: Any, n: int, mark: int
) -> tuple[int, int, int, int]:
    """Steps of two ASCII characters each, up to the place `last`; returns i, the row, n and the
    mark.

    Args:
        b: see `find_borders`.
        i: the place.
        last: where to stop.
        row: the offset of the state's row in `pairs`.
        kinds: see `find_borders`.
        pairs: see `find_borders`.
        borders: receives the borders.
        n: the number of borders so far.
        mark: where the pre-token last might have ended.
    """
    while i < last:
        # The bits of all three are apart. Those that do not depend on the step before are joined
        # first.
        kind = np.int64(kinds[b[place(i)]]) | np.int64(kinds[256 + b[place(i + 1)]])
        step: Any = np.int64(pairs[place(row | kind)])
        if step & (ALONE | BACK):
            mark = i if step & MAY_END else mark
            if step & ALONE or mark <= borders[n - 1] or i - mark > NEAR:
                break
            borders[place(n)] = mark
            n += 1
            i = mark
            row = step >> FLAGS
            continue
        borders[place(n)] = i
        borders[place(n + 1)] = i
        n += step & BORDERS
        borders[place(n)] = i + 1
        borders[place(n + 1)] = i + 1
        n += (step & SECOND_BORDERS) >> 3
        if step & MAY_END:
            mark = i + 1
        row = step >> FLAGS
        i += 2
    return i, row, n, mark


def find_borders(state: Int64s, b: Bytes, stops: Int64s, tables: Tables, borders: Int32s) -> None:
    """Write the borders of the next pre-tokens of a block of text, until its end or until the array
    is full.

    Places are written at every character, and only the number of valid ones grows. Earlier results
    are overwritten, except for the start of a pre-token that has not ended.

    Args:
        state: (N_CUTTING,) int64, the scalars above, as `begin` sets them; if the last pre-token
            has not ended, there is one more start than ends.
        b: uint8, the text, and two bytes more.
        stops: int64, the ends of the texts that are split separately; the last is the end of the
            block.
        tables: the automaton:
            columns: (0x110000,) uint8, the column of each code point.
            steps: (states * COLUMNS) uint32, what to record before the character, and the offset of
                the next row.
            kinds: (512,) uint16, the kind of each byte as the first of two, and as the second.
            pairs: uint32, the same as `steps` for two ASCII characters: a row per state, an entry
                per two kinds.
            classes: (256,) uint8, the classes of the columns if `windows.py` can find the
                pre-tokens.
        borders: receives the start and the end of each pre-token in turn; `SPARE` entries and four
            or more.

    Raises:
        TimeoutError: the automaton goes back so often that the text would take too long; not with
            named splits.
    """
    columns, steps, kinds, pairs, classes = tables
    i = state[PLACE]
    row = state[ROW]
    mark = state[MARK]
    borders[0] = borders[2 * state[N_ENDS]]
    n_borders = state[N_STARTS] - state[N_ENDS]
    room = len(borders) - SPARE
    # Stop early: the last entries would be filled in ever smaller rounds.
    enough = room - room // 8
    bits = 0  # the rows of `pairs` are so many times longer than those of `steps`
    while len(steps) << bits < len(pairs):
        bits += 1
    while state[STOP_NUMBER] < len(stops) and n_borders < enough:
        n = stops[state[STOP_NUMBER]]
        limit = limit_of(i, n, room - n_borders)
        useless = -1 if classes[TEXTS] != NO_WINDOWS else n
        while i < limit:
            last = limit - 1
            if useless < n:
                # A window begins with the pre-token that has begun.
                is_open = n_borders & 1
                start = borders[n_borders - 1] if is_open else i
                if start > useless:
                    begin, n_found, useless = step_by_windows(
                        b, start, limit, columns, classes, borders, n_borders - is_open
                    )
                    if begin > start:
                        i = begin
                        n_borders = n_found
                        row = START * COLUMNS
                last = min(last, i + NEAR_WINDOW)
            i, row, n_borders, mark = step_by_pairs(
                b, i, last, row << bits, kinds, pairs, borders, n_borders, mark
            )
            row >>= bits
            until = min(limit, i + 2)
            while i < until:
                c: Any = np.int64(b[place(i)])
                if c < 0xE0:
                    # Two bytes are decoded in any case, so that nothing depends on predicting where
                    # ASCII begins.
                    c1 = np.int64(b[place(i + 1)]) ^ 0x80
                    is_wide = c >> 7
                    code = (c & 0x1F) << 6 | c1 if is_wide else c
                    width = 1 + is_wide
                    is_bad = (is_wide != 0) & ((c1 > 0x3F) | (c < 0xC2) | (i + 2 > n))
                    until = min(limit, i + STAY) if is_wide else until
                else:
                    c1 = np.int64(b[place(i + 1)]) ^ 0x80
                    c2 = np.int64(b[place(i + 2)]) ^ 0x80
                    code = (c & 0xF) << 12 | c1 << 6 | c2
                    width = 3
                    is_bad = (c1 | c2 > 0x3F) | (code < 0x800) | (c >= 0xF0) | (i + 3 > n)
                    until = min(limit, i + STAY)
                column: Any = np.int64(columns[place(code & 0xFFFF)])
                if is_bad or (column == 0 and width == 3):
                    found = column_at(b, i, n, columns)
                    column = found >> 3
                    width = found & 7
                step: Any = np.int64(steps[place(row + column)])
                borders[place(n_borders)] = i
                borders[place(n_borders + 1)] = i
                n_borders += step & BORDERS
                if step & MAY_END:
                    mark = i
                row = step >> FLAGS
                if step & GOES_BACK:
                    i, n_borders = go_back(state, b, i, n, columns, borders, n_borders, mark)
                    limit = limit_of(i, n, room - n_borders)
                    until = min(limit, i + 2)
                else:
                    i += width
        if i >= n:
            flags = np.int64(steps[place(row + TEXT_END)]) & (1 << FLAGS) - 1
            if flags & GOES_BACK:
                i, n_borders = go_back(state, b, i, n, columns, borders, n_borders, mark)
            else:
                borders[n_borders] = n
                n_borders += flags & BORDERS
                state[STOP_NUMBER] += 1
            row = START * COLUMNS
    state[PLACE] = i
    state[ROW] = row
    state[MARK] = mark
    state[N_STARTS] = (n_borders + 1) >> 1
    state[N_ENDS] = n_borders >> 1


def cut(
    state: Int64s, b: Bytes, stops: Int64s, tables: Tables, starts: Int64s, ends: Int64s
) -> None:
    """Write the starts and the ends of the next pre-tokens apart.

    Args:
        state: this and the next three are those of `find_borders`.
        b: the text.
        stops: the ends of the texts.
        tables: the automaton.
        starts: receives the starts; as many entries as `borders`, of which the second half is
            scratch.
        ends: receives the ends; half as many entries.
    """
    n = state[N_ENDS]
    starts[2 * n] = starts[n]
    find_borders(state, b, stops, tables, starts)
    n = state[N_ENDS]
    for k in range(n):
        starts[k], ends[k] = starts[2 * k], starts[2 * k + 1]
    starts[n] = starts[2 * n]


def keep(
    state: Int64s,
    b: Bytes,
    stops: Int64s,
    tables: Tables,
    starts: Int64s,
    ends: Int64s,
    out: Int64s,
) -> int:
    """Write the offset of each byte that the split keeps, as int64; returns their number.

    The arguments before `out` are those of `cut`.
    """
    n_out = 0
    while state[STOP_NUMBER] < len(stops):
        cut(state, b, stops, tables, starts, ends)
        for k in range(state[N_ENDS]):
            for i in range(starts[k], ends[k]):
                out[n_out] = i
                n_out += 1
    return n_out


def last_boundary(b: Bytes, low: int, n: int, columns: Bytes, parts: Bytes) -> int:
    """The last place from `low` on at which a text can be divided into two that are scanned
    separately; -1 for none.

    Args:
        b: uint8, the text, valid UTF-8; a character begins at `low`.
        low: the first place to consider.
        n: the length of the text.
        columns: the column of each code point.
        parts: (COLUMNS * COLUMNS) uint8, whether a text can be divided between two characters.
    """
    i = n
    after = -1
    while i > low:
        end = i
        i -= 1
        while b[i] & 0xC0 == 0x80 and i > low:
            i -= 1
        column = int(b[i]) if b[i] < 0x80 else column_at(b, i, n, columns) >> 3
        if after >= 0 and parts[column * COLUMNS + after]:
            return end
        after = column
    return -1
