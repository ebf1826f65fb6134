"""Splits as automata for `kernels/scanning.py`: all named splits but `digits-right`, and plain
custom ones.

`regex_compiler.py` compiles the expressions; this module makes the tables that the kernel reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.arrays import BoolArray, ByteArray
from bpe_studio.engine.kernels.scanning import (
    ALONE,
    BACK,
    BORDERS,
    COLUMNS,
    FIRST_CLASS,
    FLAGS,
    GAP,
    GOES_BACK,
    MAY_END,
    RETREAT,
    START,
    STOP,
    STRAY,
    TEXT_END,
)
from bpe_studio.engine.kernels.windows import (
    BY_LINE,
    LETTER,
    NO_WINDOWS,
    NUMBER,
    OTHER,
    TEXTS,
    WHOLE_TEXTS,
)
from bpe_studio.engine.presets import PATTERNS, pattern_of
from bpe_studio.engine.splits.regex_compiler import compile_expression
from bpe_studio.engine.splits.regex_parser import NotPlainError

_MOST_STATES = 256
_MOST_PAIRS = 1 << 17
"""The largest table of pairs of characters, in entries; those of o200k have 72,000."""


@dataclass(frozen=True)
class Automaton:
    """A split as tables; see `kernels/scanning.py`.

    Attributes:
        columns: (0x110000,) uint8, the column of each code point.
        steps: (states * COLUMNS) uint32, what the kernel records before the character, and the
            offset of the next row.
        kinds: (512,) uint16, the kind of each byte as the first of two, then as the second; bytes
            that no state distinguishes are of one kind.
        pairs: uint32, `steps` for two ASCII characters, by their kinds.
        parts: (COLUMNS * COLUMNS) uint8, 1 if a text may be divided between two characters and its
            halves split separately.
        classes: (COLUMNS,) uint8, the class of each column for `kernels/windows.py`.
    """

    columns: ByteArray
    steps: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint16]
    pairs: npt.NDArray[np.uint32]
    parts: ByteArray
    classes: ByteArray

    @property
    def tables(self) -> tuple[npt.NDArray[Any], ...]:
        """The tables of `scanning.cut`."""
        return self.columns, self.steps, self.kinds, self.pairs, self.classes

    def divides(self, before: str, after: str) -> bool:
        """Whether a text can be divided between two characters, and its halves split separately."""
        return bool(
            self.parts[int(self.columns[ord(before)]) * COLUMNS + int(self.columns[ord(after)])]
        )


@lru_cache(maxsize=32)
def find_automaton(split: str, by_line: bool = False) -> Automaton | None:
    """The automaton of a split; `None` if a custom expression has none.

    Args:
        split: the name of a split, or `regex:PATTERN` with an expression that `regex` compiles.
        by_line: whether each line is split separately, so that a line feed ends a text.
    """
    pattern = r"[\s\S]+" if split == "none" else pattern_of(split)
    try:
        most = _MOST_STATES // 2 if by_line else _MOST_STATES
        columns, moves, marks = compile_expression(pattern, most)
    except (NotPlainError, OverflowError, regex.error):
        return None
    if by_line:
        moves, marks = tables_by_line(moves, marks)
    steps = continuous_steps(moves, marks)
    kinds, pairs = steps_of_pairs(steps)
    classes = np.full(COLUMNS, NO_WINDOWS, np.uint8)
    if pattern == PATTERNS["gpt2"]:
        classes = window_classes(columns, by_line)
    return Automaton(columns, steps.ravel(), kinds, pairs, boundaries_of(moves, marks), classes)


@lru_cache(maxsize=32)
def begins_matches(pattern: str) -> bool:
    """Whether a match begins at each character that no earlier match holds, so that no text is left
    between matches; `False` if the expression has no automaton.

    Args:
        pattern: an expression that `regex` compiles.
    """
    try:
        columns, moves, marks = compile_expression(pattern, _MOST_STATES)
    except (NotPlainError, OverflowError, regex.error):
        return False
    following = [*np.unique(columns).tolist(), TEXT_END]
    states = set(moves[START][np.unique(columns)].tolist())
    seen: set[int] = set()
    while states:
        state = states.pop()
        if state in (RETREAT, START, GAP):
            # No match begins, or none has ended when the preferred one fails.
            return False
        if state == STOP or state in seen:
            continue
        seen.add(state)
        goes_on = marks[state][following] == 0
        states.update(moves[state][following][goes_on].tolist())
    return True


def window_classes(columns: ByteArray, by_line: bool) -> ByteArray:
    """(COLUMNS,) uint8, the class of each column for `kernels/windows.py`."""
    classes = np.zeros(COLUMNS, np.uint8)
    # One character of each column. It is looked for among those that differ from their neighbour,
    # because these are far fewer.
    begins = np.flatnonzero(np.diff(columns, prepend=~columns[:1]))
    found, firsts = np.unique(columns[begins], return_index=True)
    kinds = {LETTER: r"\p{L}", NUMBER: r"\p{N}", OTHER: r"[^\s\p{L}\p{N}]"}
    matches = {kind: regex.compile(pattern).match for kind, pattern in kinds.items()}
    for column, point in zip(found.tolist(), begins[firsts].tolist(), strict=True):
        classes[column] = next((kind for kind, match in matches.items() if match(chr(point))), 0)
    classes[STRAY] = 0
    classes[TEXTS] = BY_LINE if by_line else WHOLE_TEXTS
    return classes


def continuous_steps(moves: ByteArray, marks: ByteArray) -> npt.NDArray[np.uint32]:
    """The steps of an automaton that continues from one pre-token to the next: a stop is a step
    from the start.

    Args:
        moves: (states, COLUMNS), the state after a character.
        marks: the same shape, 1 if the pre-token may end before that character.

    Returns:
        The same shape: the offset of the row of the next state, and the flags of
            `kernels/scanning.py`.
    """
    # If the first character already goes back, it belongs to no pre-token.
    first = np.where(moves[START] == RETREAT, START, moves[START])
    begins = (first > GAP).astype(np.int64)
    begins[TEXT_END] = 0
    is_word = (np.arange(len(moves)) != GAP).astype(np.int64)[:, None]
    nexts = np.where(moves == RETREAT, START, moves)
    nexts = np.where(moves == STOP, first, nexts).astype(np.uint32)
    flags = np.where(moves == STOP, begins + is_word, 0)
    goes_on = moves > STOP
    # A mark is needed only if the automaton might go back to it: before the next mark and the end
    # of the pre-token.
    needs_mark = np.zeros(len(moves), np.bool_)
    is_settled = False
    while not is_settled:
        before = needs_mark
        needs_mark = ((moves == RETREAT) | goes_on & (marks == 0) & before[moves]).any(axis=1)
        is_settled = bool((needs_mark == before).all())
    flags |= np.where(goes_on & (marks != 0) & needs_mark[moves], MAY_END, 0)
    flags |= np.where(moves == RETREAT, GOES_BACK, 0)
    flags[START] = begins
    flags[:, TEXT_END] &= BORDERS | GOES_BACK
    return ((nexts * COLUMNS << FLAGS) | flags).astype(np.uint32)


def steps_of_pairs(
    steps: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint32]]:
    """The tables of `scanning.cut` for two ASCII characters in one step: the kinds of bytes, and
    the steps.

    If the steps would be too many, every character gets a step of its own.
    """
    of_kind, kinds = np.unique(steps[:, :FIRST_CLASS], axis=1, return_inverse=True)
    n_kinds = of_kind.shape[1]
    # One more kind, for the bytes of other characters. Rows are not shorter than those of `steps`.
    bits = max(4, n_kinds.bit_length())
    pairs = np.full((len(steps), 1 << bits, 1 << bits), ALONE, np.uint32)
    if pairs.size > _MOST_PAIRS:
        return np.zeros(512, np.uint16), np.full(steps.size, ALONE, np.uint32)
    first = of_kind[:, :, None]
    second = of_kind[(of_kind >> FLAGS) // COLUMNS]
    flags = first & BORDERS | (second & BORDERS) << 3 | second & MAY_END
    nexts = (second >> FLAGS) // COLUMNS << 2 * bits
    back = START << 2 * bits + FLAGS | BACK
    # A single mark is kept, that before the second character.
    is_alone = (second & GOES_BACK != 0) | ((first & MAY_END) > (second & MAY_END))
    goes_back = (second & GOES_BACK != 0) & (first & BORDERS == 0)
    both = np.where(is_alone, ALONE, nexts << FLAGS | flags)
    both = np.where(goes_back, back | first & MAY_END, both)
    pairs[:, :n_kinds, :n_kinds] = both
    pairs[:, :n_kinds][of_kind & GOES_BACK != 0] = back
    of_bytes = np.full(256, n_kinds, np.uint16)
    of_bytes[:FIRST_CLASS] = kinds.ravel()
    return np.concatenate([of_bytes << bits, of_bytes]), pairs.ravel()


def split_automaton(split: str, by_line: bool = False) -> Automaton:
    """The automaton of a named split; see `find_automaton`."""
    found = find_automaton(split, by_line)
    assert found is not None
    return found


def tables_by_line(moves: ByteArray, marks: ByteArray) -> tuple[ByteArray, ByteArray]:
    """The (states, COLUMNS) tables of an automaton for which each line is a text of its own."""
    # After a line feed, a state is replaced by a copy for which every character is the end of the
    # text.
    n_states = len(moves)
    moves = np.concatenate([moves, np.broadcast_to(moves[:, TEXT_END:], moves.shape)])
    marks = np.concatenate([marks, np.broadcast_to(marks[:, TEXT_END:], marks.shape)])
    goes_on = moves[START:n_states, ord("\n")] > GAP
    moves[START:n_states, ord("\n")][goes_on] += n_states
    return moves, marks


def boundaries_of(moves: ByteArray, marks: ByteArray) -> ByteArray:
    """(COLUMNS * COLUMNS) uint8, 1 for two characters between which every match ends.

    Whatever follows, the automaton stops there in every state, as at the end of the text.
    """
    stops = (moves <= STOP) & (moves == moves[:, TEXT_END:]) & (marks == marks[:, TEXT_END:])
    reached = np.zeros((COLUMNS, len(moves)), np.bool_)
    reached[np.arange(TEXT_END), moves[START:, :TEXT_END]] = True
    reached[:, : STOP + 1] = False
    parts: BoolArray = ~(reached @ ~stops)
    parts[TEXT_END:] = False
    return parts.astype(np.uint8).ravel()
