"""Where the pre-tokens of a text end, found by a small automaton over its UTF-8 bytes.

`splits/automaton.py` makes the automata, one for each split; the walk below is the same for all. A step is one look-up
in a table of 256 columns a state: an ASCII byte is its own column, any other character's column comes from a table by
code point, and the last column is the text's end. A walk that stops continues at once as the walk of the next
pre-token, so that each character is one step, and what is to be noted at a step is in a table beside the next state:
where something ended is a number to add and not a way to go, and the processor has next to nothing to guess wrong.

A pre-token ends where its walk stops, but for those that have to give something back: of several spaces before a word
the last belongs to the word, and `'l` is a contraction only before another `l`. Such a walk continues from the last
place where the pre-token might have ended, which is noted on the way. Where there is none, which is so only for a
person's own expression, the first character belongs to no pre-token.

A byte that is no part of a character is a character by itself, in the column `STRAY`. A lone surrogate, which Python's
text has in its place, is one too where it comes as three bytes (`surrogatepass`) and has a column of its own.
"""

from __future__ import annotations

from typing import Any

RETREAT, STOP, START, GAP = range(4)
"""The states with a meaning of their own; `GAP` is the one for text that the split drops."""
COLUMNS, FIRST_CLASS, STRAY, TEXT_END = 256, 128, 254, 255
"""The columns of the tables: their number, the first that is no ASCII character's, and the two special ones."""
MOST_IN_VAIN = 1 << 26
"""How many bytes, beside eight times the text's, may be walked only to give them back."""
BEGINS, ENDS, MAY_END, GOES_BACK = 1, 2, 4, 8
"""What `cut` notes before a character: that a pre-token begins, ends, might end, or ends where it last might have."""
PLACE, STOP_NUMBER, ROW, MARK, N_STARTS, N_ENDS, IN_VAIN = range(7)
N_CUTTING = 7
"""How far `cut` has come: in the text and its stops, the walk's state and last mark, what is written and given back."""


def column_at(b: Any, i: int, n: int, columns: Any) -> int:
    """The character at i, not an ASCII one: its column times 8, plus how many bytes it has."""
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
    """Have `cut` begin at a place where a pre-token, or what the split drops, begins; what was in vain stays noted."""
    state[PLACE], state[STOP_NUMBER], state[ROW], state[MARK] = place, 0, START * COLUMNS, place
    state[N_STARTS], state[N_ENDS] = 0, 0


def cut(state: Any, b: Any, stops: Any, columns: Any, nexts: Any, outputs: Any, starts: Any, ends: Any) -> None:
    """Write where the next pre-tokens of a stretch of text begin and end, until all is read or the room is used.

    Both places are written at every character and only the numbers of those that stay grow. What was written before is
    written over, but for the beginning of a pre-token that has not ended.

    Args:
        state: (N_CUTTING,) int64, the scalars above, as `begin` sets them; there is one start more than there are ends
            where the last is open.
        b: uint8, the text.
        stops: int64, where the texts end that are cut each by itself; the last is the end of all.
        columns: (0x110000,) uint8, the column of each code point.
        nexts: (states * COLUMNS) uint16, where the row of the state after a character begins.
        outputs: the same size, uint8, what is to be noted before that character.
        starts: where they begin, room for four or more.
        ends: where they end.

    Raises:
        TimeoutError: walks give back so much that the text would take too long. No named split does.
    """
    # Masked so that the compiler sees that it is not negative; to ask at each step would cost a third of the time.
    row = state[ROW] & 0xFFFF
    i, mark = state[PLACE], state[MARK]
    starts[0] = starts[state[N_ENDS]]
    n_starts, n_ends = state[N_STARTS] - state[N_ENDS], 0
    room = len(starts) - 2
    # The last places would be filled in ever shorter stretches.
    enough = room - room // 8
    while state[STOP_NUMBER] < len(stops) and n_starts < enough:
        n = stops[state[STOP_NUMBER]]
        limit = min(n, i + room - n_starts)
        output = 0
        while i < limit and output & GOES_BACK == 0:
            while i < limit:
                c = b[i]
                if c >= 0x80:
                    break
                at = row + c
                output = outputs[at]
                starts[n_starts] = i
                ends[n_ends] = i
                n_starts += output & BEGINS
                n_ends += (output & ENDS) >> 1
                if output & MAY_END:
                    mark = i
                row = nexts[at]
                if output & GOES_BACK:
                    break
                i += 1
            if i < limit and output & GOES_BACK == 0:
                # Two or three good bytes are looked up here: to call `column_at` takes longer than all of the step.
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
    """Write the place of each byte that the split does not drop, as int64; returns how many there are.

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


def last_parting(b: Any, low: int, n: int, columns: Any, parts: Any) -> int:
    """The last place from low on where a text may be cut in two that are then scanned apart; -1 for none.

    Args:
        b: uint8, the text, valid UTF-8; a character begins at low.
        low: where to stop looking.
        n: the text's end.
        columns: the column of each code point.
        parts: (COLUMNS * COLUMNS) uint8, whether a text may be cut between two characters.
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
