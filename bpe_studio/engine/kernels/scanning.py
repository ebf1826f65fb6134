"""Finds the pre-tokens of a text with a small automaton over its UTF-8 bytes.

`splits/automaton.py` makes one automaton for each split; the loop below is the same for all. A step is one look-up in a
table with 256 columns per state: an ASCII byte is its own column, a table by code point has the column of any other
character, and the last column is the end of the text. When a pre-token ends, the next one begins in the same step, so
that each character is one step; another table, parallel to that of the next states, says what to record. So the end of
a pre-token is a number to add and not a branch, and the processor has hardly anything to mispredict.

A pre-token ends where the automaton stops, unless it has to go back: of several spaces before a word, the last belongs
to the word, and `'l` is a contraction only before another `l`. Then it continues from the last place at which the
pre-token might have ended, which is recorded on the way. If there is none, which happens only with custom expressions,
the first character belongs to no pre-token.

A byte that is not part of a character is a character by itself, in column `STRAY`. A lone surrogate, which represents
such a byte in Python's text, is one as well if it is encoded as three bytes (`surrogatepass`), and has a column of its
own.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.buffers import INDEX

RETREAT, STOP, START, GAP = range(4)
"""The special states; `GAP` is the state in text that the split drops."""
COLUMNS, FIRST_CLASS, STRAY, TEXT_END = 256, 128, 254, 255
"""The columns of the tables: their number, the first one of non-ASCII characters, and the two special ones."""
MOST_IN_VAIN = 1 << 26
"""How many bytes, beyond eight times the text's, may be read only to go back."""
BEGINS, ENDS, MAY_END, GOES_BACK = 1, 2, 4, 8
"""What `cut` records before a character: a pre-token begins, ends, may end, or ends where it last might have ended."""
PLACE, STOP_NUMBER, ROW, MARK, N_STARTS, N_ENDS, IN_VAIN = range(7)
N_CUTTING = 7
"""The progress of `cut`: in the text and its stops, the state and the last mark, what is written, and steps back."""


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
    elif i + 3 < n and b[i + 1] & 0xC0 == 0x80 and b[i + 2] & 0xC0 == 0x80 and b[i + 3] & 0xC0 == 0x80:
        code = (c & 0xF) << 18 | (b[i + 1] & 0x3F) << 12 | (b[i + 2] & 0x3F) << 6 | b[i + 3] & 0x3F
        if 0x10000 <= code < 0x110000:
            return int(columns[code]) << 3 | 4
    return STRAY << 3 | 1


def begin(state: Any, place: int) -> None:
    """Let `cut` begin at a place where a pre-token, or dropped text, begins; the count of steps back is kept."""
    state[PLACE], state[STOP_NUMBER], state[ROW], state[MARK] = place, 0, START * COLUMNS, place
    state[N_STARTS], state[N_ENDS] = 0, 0


def cut(state: Any, b: Any, stops: Any, columns: Any, nexts: Any, outputs: Any, starts: Any, ends: Any) -> None:
    """Write the starts and ends of the next pre-tokens of a block of text, until its end or until the arrays are full.

    Both places are written at every character, and only the numbers of valid ones grow. Earlier results are
    overwritten, except for the start of a pre-token that has not ended.

    Args:
        state: (N_CUTTING,) int64, the scalars above, as `begin` sets them; if the last pre-token has not ended, there
            is one more start than ends.
        b: uint8, the text.
        stops: int64, the ends of the texts that are split separately; the last is the end of the block.
        columns: (0x110000,) uint8, the column of each code point.
        nexts: (states * COLUMNS) uint16, the offset of the row of the next state.
        outputs: the same shape, uint8, what to record before the character.
        starts: receives the starts; four or more entries.
        ends: receives the ends.

    Raises:
        TimeoutError: the automaton goes back so often that the text would take too long; not with named splits.
    """
    # Masked so that the compiler knows that it is not negative; a check at each step would cost a third of the time.
    row = state[ROW] & 0xFFFF
    i, mark = state[PLACE], state[MARK]
    starts[0] = starts[state[N_ENDS]]
    n_starts, n_ends = state[N_STARTS] - state[N_ENDS], 0
    room = len(starts) - 2
    # Stop early: the last entries would be filled in ever smaller rounds.
    enough = room - room // 8
    while state[STOP_NUMBER] < len(stops) and n_starts < enough:
        n = stops[state[STOP_NUMBER]]
        limit = min(n, i + room - n_starts)
        output = 0
        while i < limit and output & GOES_BACK == 0:
            while i < limit:
                # Masked for the same reason as `row`.
                c = b[i & INDEX]
                if c >= 0x80:
                    break
                at = row + c
                output = outputs[at]
                starts[n_starts & INDEX] = i
                ends[n_ends & INDEX] = i
                n_starts += output & BEGINS
                n_ends += (output & ENDS) >> 1
                if output & MAY_END:
                    mark = i
                row = nexts[at]
                if output & GOES_BACK:
                    break
                i += 1
            if i < limit and output & GOES_BACK == 0:
                # Characters of two or three valid bytes are looked up here: calling `column_at` takes longer than the
                # whole step.
                width, c = 0, b[i]
                if c < 0xE0:
                    c1 = b[i + 1] if i + 1 < n else 0
                    if c >= 0xC2 and c1 & 0xC0 == 0x80:
                        at = row + columns[(c & 0x1F) << 6 | c1 & 0x3F]
                        width = 2
                elif c < 0xF0 and i + 2 < n:
                    c1, c2 = b[i + 1], b[i + 2]
                    code = (c & 0xF) << 12 | (c1 & 0x3F) << 6 | c2 & 0x3F
                    if c1 & 0xC0 == 0x80 and c2 & 0xC0 == 0x80 and code >= 0x800 and columns[code] != 0:
                        at = row + columns[code]
                        width = 3
                if width == 0:
                    found = column_at(b, i, n, columns)
                    at = row + (found >> 3)
                    width = found & 7
                output = outputs[at]
                starts[n_starts] = i
                ends[n_ends] = i
                n_starts += output & BEGINS
                n_ends += (output & ENDS) >> 1
                if output & MAY_END:
                    mark = i
                row = nexts[at]
                i += width
        if i >= n and output & GOES_BACK == 0:
            output = outputs[row + TEXT_END]
            if output & GOES_BACK == 0:
                ends[n_ends] = n
                n_ends += (output & ENDS) >> 1
                state[STOP_NUMBER] += 1
                row = START * COLUMNS
        if output & GOES_BACK:
            state[IN_VAIN] += i - mark
            if state[IN_VAIN] > MOST_IN_VAIN + 8 * len(b):
                raise TimeoutError
            i = mark
            if i == starts[n_starts - 1]:
                n_starts -= 1
                i += 1 if b[i] < 0x80 else column_at(b, i, n, columns) & 7
            else:
                ends[n_ends] = i
                n_ends += 1
            row = START * COLUMNS
    state[PLACE], state[ROW], state[MARK] = i, row, mark
    state[N_STARTS], state[N_ENDS] = n_starts, n_ends


def keep(
    state: Any, b: Any, stops: Any, columns: Any, nexts: Any, outputs: Any, starts: Any, ends: Any, out: Any
) -> int:  # fmt: skip
    """Write the offset of each byte that the split keeps, as int64; returns their number.

    The arguments before `out` are those of `cut`.
    """
    n_out = 0
    while state[STOP_NUMBER] < len(stops):
        cut(state, b, stops, columns, nexts, outputs, starts, ends)
        for k in range(state[N_ENDS]):
            for i in range(starts[k], ends[k]):
                out[n_out] = i
                n_out += 1
    return n_out


def last_boundary(b: Any, low: int, n: int, columns: Any, parts: Any) -> int:
    """The last place from `low` on at which a text can be divided into two that are scanned separately; -1 for none.

    Args:
        b: uint8, the text, valid UTF-8; a character begins at `low`.
        low: the first place to consider.
        n: the length of the text.
        columns: the column of each code point.
        parts: (COLUMNS * COLUMNS) uint8, whether a text can be divided between two characters.
    """
    i, after = n, -1
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
