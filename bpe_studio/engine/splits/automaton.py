"""Splits as automata for `kernels/scanning.py`: all named splits, and a custom expression if it is plain enough.

`regex_compiler.py` compiles the expressions; this module makes the tables that the kernel reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.arrays import ByteArray
from bpe_studio.engine.kernels.scanning import (
    BEGINS,
    COLUMNS,
    ENDS,
    GAP,
    GOES_BACK,
    MAY_END,
    RETREAT,
    START,
    STOP,
    TEXT_END,
)
from bpe_studio.engine.splits.regex_compiler import compile_expression
from bpe_studio.engine.splits.regex_parser import NotPlainError
from bpe_studio.engine.text.pretokenization import PATTERNS

_MOST_STATES = 256


@dataclass(frozen=True)
class Automaton:
    """A split as tables; see `kernels/scanning.py`.

    Attributes:
        columns: (0x110000,) uint8, the column of each code point.
        nexts: (states * COLUMNS) uint16, the offset of the row of the next state.
        outputs: the same shape, uint8, flags that the kernel notes before the character.
        parts: (COLUMNS * COLUMNS) uint8, 1 if a text may be divided between two characters and its halves split
            separately.
    """

    columns: ByteArray
    nexts: npt.NDArray[np.uint16]
    outputs: ByteArray
    parts: ByteArray

    @property
    def tables(self) -> tuple[ByteArray, npt.NDArray[np.uint16], ByteArray]:
        """The arguments of `scanning.cut`, in order."""
        return self.columns, self.nexts, self.outputs


@lru_cache(maxsize=32)
def find_automaton(split: str, by_line: bool = False) -> Automaton | None:
    """The automaton of a split; `None` if a custom expression has none.

    Args:
        split: the name of a split, or `regex:PATTERN` with an expression that `regex` compiles.
        by_line: whether each line is split separately, so that a line feed ends a text.
    """
    pattern = r"[\s\S]+" if split == "none" else PATTERNS.get(split) or split.removeprefix("regex:")
    try:
        columns, moves, marks = compile_expression(pattern, _MOST_STATES // 2 if by_line else _MOST_STATES)
    except (NotPlainError, OverflowError, regex.error):
        return None
    if by_line:
        moves, marks = tables_by_line(moves, marks)
    return Automaton(columns, *continuous_tables(moves, marks), boundaries_of(moves, marks))


@lru_cache(maxsize=32)
def begins_matches(pattern: str, points: tuple[int, ...] | None = None) -> bool:
    """Whether a match begins at each of some characters if none before it holds it, whatever follows.

    Args:
        pattern: an expression that `regex` compiles; `False` if it has no automaton.
        points: the characters; `None` for all of Unicode, so that no text is left between matches.
    """
    try:
        columns, moves, marks = compile_expression(pattern, _MOST_STATES)
    except (NotPlainError, OverflowError, regex.error):
        return False
    following = [*np.unique(columns).tolist(), TEXT_END]
    chosen = columns if points is None else columns[list(points)]
    states = set(moves[START][np.unique(chosen)].tolist())
    seen: set[int] = set()
    while states:
        state = states.pop()
        if state in (RETREAT, START, GAP):
            return False  # no match begins, or none has ended before the one that was preferred fails
        if state == STOP or state in seen:
            continue
        seen.add(state)
        goes_on = marks[state][following] == 0
        states.update(moves[state][following][goes_on].tolist())
    return True


def continuous_tables(moves: ByteArray, marks: ByteArray) -> tuple[npt.NDArray[np.uint16], ByteArray]:
    """The tables of an automaton that continues from one pre-token to the next: a stop is a step from the start.

    Args:
        moves: (states, COLUMNS), the state after a character.
        marks: the same shape, 1 if the pre-token may end before that character.
    """
    # If the first character already goes back, it belongs to no pre-token.
    first = np.where(moves[START] == RETREAT, START, moves[START])
    begins = np.where(first > GAP, BEGINS, 0)
    is_word = np.arange(len(moves))[:, None] != GAP
    nexts = np.where(moves == STOP, first, np.where(moves == RETREAT, START, moves)).astype(np.uint16)
    outputs = np.where(moves == STOP, begins | np.where(is_word, ENDS, 0), 0)
    outputs |= np.where((moves > STOP) & (marks != 0), MAY_END, 0)
    outputs |= np.where(moves == RETREAT, GOES_BACK, 0)
    outputs[START] = begins
    outputs[START, TEXT_END] = 0
    # The start of a pre-token is its first mark: going back to it means that there was no pre-token.
    outputs |= np.where(outputs & BEGINS, MAY_END, 0)
    outputs[:, TEXT_END] &= ENDS | GOES_BACK
    return (nexts * COLUMNS).ravel(), outputs.astype(np.uint8).ravel()


def split_automaton(split: str, by_line: bool = False) -> Automaton:
    """The automaton of a named split; see `find_automaton`."""
    found = find_automaton(split, by_line)
    assert found is not None
    return found


def tables_by_line(moves: ByteArray, marks: ByteArray) -> tuple[ByteArray, ByteArray]:
    """The (states, COLUMNS) tables of an automaton for which each line is a text of its own."""
    # After a line feed, a state is replaced by a copy for which every character is the end of the text.
    n_states = len(moves)
    moves = np.concatenate([moves, np.broadcast_to(moves[:, TEXT_END:], moves.shape)])
    marks = np.concatenate([marks, np.broadcast_to(marks[:, TEXT_END:], marks.shape)])
    goes_on = moves[START:n_states, ord("\n")] > GAP
    moves[START:n_states, ord("\n")][goes_on] += n_states
    return moves, marks


def boundaries_of(moves: ByteArray, marks: ByteArray) -> ByteArray:
    """(COLUMNS * COLUMNS) uint8, 1 for two characters between which every match ends, whatever follows.

    The automaton stops there in every state, and in the same way as at the end of the text.
    """
    stops = (moves <= STOP) & (moves == moves[:, TEXT_END:]) & (marks == marks[:, TEXT_END:])
    parts = np.zeros((COLUMNS, COLUMNS), np.uint8)
    for column in range(TEXT_END):
        reached = np.unique(moves[START:, column])
        parts[column] = stops[reached[reached > STOP]].all(axis=0)
    return parts.ravel()
