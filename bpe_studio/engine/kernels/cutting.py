"""The pre-tokens of a text by a walk that does not stop between them.

`scanning.scan` begins each pre-token anew, and the processor guesses wrong about where it ends. Here the automaton is
drawn as one that flows on: where a walk would stop before an ASCII character, its table leads to the state that the
next pre-token is in after that character, and says that one ended. Where something ended is then a number to add and
not a way to go. What happens seldom is left to others: a walk that gives something back goes on from the last place
where the pre-token might have ended, and characters beyond ASCII, like the text's end, go the way of `scanning.py`.
"""

from __future__ import annotations

from typing import Any

from bpe_studio.engine.kernels.scanning import START, scan

EMITS, MARKED, INSIDE, BACK, AGAIN = 1, 2, 4, 8, 16
"""What a step means: a pre-token ended before the character; it might have; nothing began here; the pre-token ended at
the last place where it might have; and it has to be walked by `scan`."""
TURN = 4096
"""How many bytes are walked at a time."""


def cut(
    b: Any, start: int, n: int, flow: Any, flags: Any, columns: Any, moves: Any, marks: Any,
    starts: Any, ends: Any, places: Any, one: Any,
) -> Any:  # fmt: skip
    """Write where the pre-tokens of the next stretch of a text begin and end.

    Args:
        b: uint8, the text.
        start: where a pre-token, or what the split drops, begins.
        n: the text's end.
        flow: (states * COLUMNS) uint16, the state after a character, times COLUMNS; see `split_flows.py`.
        flags: (states * COLUMNS) uint8, what that step means.
        columns: the split's automaton, see `scanning.py`.
        moves: the same.
        marks: the same.
        starts: (TURN + 2,) int64, gets where they begin.
        ends: (TURN + 2,) int64, gets where they end.
        places: (2,) int64, scratch.
        one: (2,) int64, scratch.

    Returns:
        How many there are, and where the next call has to begin: n where all is read.
    """
    k, i, stop = 0, start, min(n, start + TURN)
    state, flag = START << 8, 0
    starts[0] = start
    while starts[k] < n:
        while i < stop:
            at = state + b[i]
            flag = flags[at]
            if flag >= BACK:
                break
            state = flow[at]
            # These are written at each byte; they stay where something ended, and else the next one takes their place.
            ends[k] = i
            k += flag & EMITS
            starts[k + (flag >> 2)] = i
            places[flag >> 1 & 1] = i
            i += 1
        if i < stop and flag == BACK:
            i = places[1]
            ends[k] = i
            k += 1
        elif i < stop or stop == n or k == 0:
            found, i = scan(b, starts[k], n, columns, moves, marks, one[:1], one[1:])
            starts[k], ends[k] = one[0], one[1]
            k += found
        else:
            break
        starts[k] = i
        state = START << 8
        if i >= stop and stop < n:
            break
    return k, starts[k]


def keep(
    b: Any, n: int, flow: Any, flags: Any, columns: Any, moves: Any, marks: Any,
    starts: Any, ends: Any, places: Any, one: Any, out: Any,
) -> int:  # fmt: skip
    """Write the place of each byte that the split does not drop; returns how many there are.

    Args:
        b: uint8, the text.
        n: the text's end.
        flow: see `cut`, as are the next eight.
        flags: the same.
        columns: the same.
        moves: the same.
        marks: the same.
        starts: the same.
        ends: the same.
        places: the same.
        one: the same.
        out: (n,) int64.
    """
    start, n_out = 0, 0
    while start < n:
        n_found, start = cut(b, start, n, flow, flags, columns, moves, marks, starts, ends, places, one)
        for k in range(n_found):
            for i in range(starts[k], ends[k]):
                out[n_out] = i
                n_out += 1
    return n_out
