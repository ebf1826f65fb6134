"""Compiles an expression to an automaton for `kernels/scanning.py`.

The expression's tree (`regex_parser.py`) becomes a program of small instructions, as in Pike's
machine: take a character, try two alternatives in order, look at the next character, match. A state
of the automaton is the list of positions in the program that are still possible, the preferred one
first; positions after one that matches no longer count. So the automaton finds the match of a
backtracking matcher, without backtracking. The marks record that a position matches before it is
known whether a preferred one will.

Each step knows the next character, or that the text ends, so look-ahead costs nothing. A possessive
repetition of one character set is a greedy one that may only end before a character outside the
set.

Source: Cox, "Regular Expression Matching: the Virtual Machine Approach" and "in the Wild", 2009 and
2010.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import regex

from bpe_studio.engine.arrays import BoolArray, ByteArray
from bpe_studio.engine.kernels.scanning import (
    COLUMNS,
    FIRST_CLASS,
    GAP,
    RETREAT,
    START,
    STOP,
    STRAY,
    TEXT_END,
)
from bpe_studio.engine.splits.regex_parser import (
    Chars,
    Choice,
    Look,
    Node,
    NotPlainError,
    Repeat,
    Sequence,
    TextEnd,
    parse,
)

State = tuple[int, ...]

MOST_SETS = 62
"""The most character sets in one automaton."""

_MOST_STEPS = 2000
_TAKE, _TRY, _LOOK, _MATCH = range(4)


def compile_expression(pattern: str, most_states: int) -> tuple[ByteArray, ByteArray, ByteArray]:
    """The automaton of an expression that `regex` compiles.

    Returns:
        (0x110000,) uint8, the column of each code point; (states, COLUMNS) uint8 twice, the moves
        and the marks; see `automaton.continuous_steps`.

    Raises:
        NotPlainError: no automaton of at most `most_states` states is equivalent.
        OverflowError: it distinguishes more kinds of characters than there are columns.
        regex.error: a part that is read as a character is not one for `regex`.
    """
    program = _Program(parse(pattern))
    columns, members = columns_of(tuple(program.sets))
    return columns, *_Table(program, members, most_states).rows()


class _Program:
    """The instructions of an expression.

    Attributes:
        steps: (kind, operand, next instruction). The operand of a character is the number of its
            set, that of an alternative the other instruction to try, that of a look-ahead what to
            look for.
        sets: the sources of the character sets, and their numbers.
        start: the first instruction.
    """

    def __init__(self, tree: Node) -> None:
        self.steps: list[tuple[int, Any, int]] = []
        self.sets: dict[str, int] = {}
        self.start = self._node(tree, self._step(_MATCH, None, 0))

    def _step(self, kind: int, operand: Any, follower: int) -> int:
        if len(self.steps) >= _MOST_STEPS:
            raise NotPlainError
        self.steps.append((kind, operand, follower))
        return len(self.steps) - 1

    def _set(self, chars: Chars) -> int:
        number = self.sets.setdefault(chars.source, len(self.sets))
        if number >= MOST_SETS:
            raise NotPlainError
        return number

    def _node(self, node: Node, follower: int) -> int:
        """Append the instructions of a part that continues with `follower`.

        Returns the first of them.
        """
        if isinstance(node, Chars):
            return self._step(_TAKE, self._set(node), follower)
        if isinstance(node, Sequence):
            for part in reversed(node.parts):
                follower = self._node(part, follower)
            return follower
        if isinstance(node, Choice):
            ways = [self._node(part, follower) for part in node.parts]
            first = ways.pop()
            while ways:
                first = self._step(_TRY, ways.pop(), first)
            return first
        if isinstance(node, Repeat):
            return self._repeat(node, follower)
        if isinstance(node, TextEnd):
            node = Look((node,), False)
        return self._look(node, follower)

    def _look(self, look: Look, follower: int) -> int:
        options = []
        for option in look.options:
            chars = self._set(option) if isinstance(option, Chars) else option
            options.append(chars)
        return self._step(_LOOK, (tuple(options), look.is_negative), follower)

    def _repeat(self, node: Repeat, follower: int) -> int:
        if node.most != 1 and _may_be_empty(node.body):
            raise NotPlainError
        leave = follower
        if node.kind == "+" and isinstance(node.body, Chars):
            leave = self._look(Look((node.body,), True), follower)
        if node.most is None:
            first = self._loop(node, leave)
        else:
            first = follower
            for _ in range(node.most - node.least):
                first = self._either(node, self._node(node.body, first), leave)
        for _ in range(node.least):
            first = self._node(node.body, first)
        return first

    def _loop(self, node: Repeat, leave: int) -> int:
        first = self._step(_TRY, 0, 0)
        body = self._node(node.body, first)
        self.steps[first] = (_TRY, leave, body) if node.kind == "?" else (_TRY, body, leave)
        return first

    def _either(self, node: Repeat, body: int, leave: int) -> int:
        return self._step(_TRY, leave, body) if node.kind == "?" else self._step(_TRY, body, leave)


def _may_be_empty(node: Node) -> bool:
    if isinstance(node, Sequence):
        return all(map(_may_be_empty, node.parts))
    if isinstance(node, Choice):
        return any(map(_may_be_empty, node.parts))
    if isinstance(node, Repeat):
        return node.least == 0 or _may_be_empty(node.body)
    return not isinstance(node, Chars)


class _Table:
    """The states of the automaton and their transitions.

    Args:
        program: the expression's instructions.
        members: (sets, COLUMNS) bool, whether the characters of a column are in a set.
        most: the maximum number of states.
    """

    def __init__(self, program: _Program, members: BoolArray, most: int) -> None:
        self._program = program
        # Columns in the same sets behave alike; the end of the text and a line feed are kinds of
        # their own.
        special = np.zeros((2, COLUMNS), np.bool_)
        special[0, TEXT_END] = True
        special[1, ord("\n")] = True
        kinds, self._kind_of = np.unique(
            np.concatenate([members, special]), axis=1, return_inverse=True
        )
        self._kind_of = self._kind_of.ravel()
        self._kinds = kinds.T
        self._numbers: dict[State, int] = {}
        self._found: list[list[tuple[int, bool]]] = []
        self._begin()
        while len(self._found) < len(self._numbers):
            for state in list(self._numbers)[len(self._found) :]:
                self._found.append([self._follow(state, kind) for kind in self._kinds])
                if len(self._numbers) + GAP + 1 > most:
                    raise NotPlainError

    def rows(self) -> tuple[ByteArray, ByteArray]:
        """(states, COLUMNS) uint8 each, the moves and marks."""
        shape = GAP + 1 + len(self._found), COLUMNS
        moves = np.full(shape, STOP, np.uint8)
        marks = np.ones(shape, np.uint8)
        for row, found in enumerate([self._at_start, self._in_gap, *self._found], START):
            moves[row] = np.array([move for move, _ in found], np.uint8)[self._kind_of]
            marks[row] = np.array([mark for _, mark in found], np.uint8)[self._kind_of]
        return moves, marks

    def _begin(self) -> None:
        """Find the moves of the two states that have no list: at the possible start of a pre-token,
        and in dropped text.
        """
        self._at_start: list[tuple[int, bool]] = []
        self._in_gap: list[tuple[int, bool]] = []
        for kind in self._kinds:
            move, may_end = self._follow((self._program.start,), kind)
            if may_end:
                # It matches the empty text, after which `regex` has rules of its own.
                raise NotPlainError
            is_dropped = move == RETREAT and not kind[-2]
            if is_dropped:
                self._at_start.append((GAP, False))
                self._in_gap.append((GAP, False))
            else:
                self._at_start.append((max(move, STOP), False))
                self._in_gap.append((STOP, True))

    def _follow(self, state: State, kind: BoolArray) -> tuple[int, bool]:
        """The state's move at a character, and whether the pre-token may end before it."""
        followers: dict[int, None] = {}
        seen: set[int] = set()
        ways = list(reversed(state))
        may_end = False
        while ways:
            at = ways.pop()
            if at in seen:
                continue
            seen.add(at)
            step, operand, follower = self._program.steps[at]
            if step == _TAKE:
                if kind[operand]:
                    followers[follower] = None
            elif step == _TRY:
                ways += [follower, operand]
            elif step == _LOOK:
                if _sees(operand, kind):
                    ways.append(follower)
            else:
                may_end = True
                break
        if not followers:
            move = STOP if may_end else RETREAT
            return move, may_end
        return self._numbers.setdefault(tuple(followers), GAP + 1 + len(self._numbers)), may_end


def _sees(operand: Any, kind: BoolArray) -> bool:
    options, is_negative = operand
    for option in options:
        if isinstance(option, TextEnd):
            if option.allows_break and kind[-1]:
                # It is not known yet whether the text ends after the line feed.
                raise NotPlainError
            if kind[-2]:
                return not is_negative
        elif kind[option]:
            return not is_negative
    return bool(is_negative)


# Planes 4 to 13 are unassigned, and 15 and 16 are private use; all their characters behave alike.
_ALIKE_FROM = 0x40000
_PLANE_14 = 0xE0000
_PLANE_14_END = 0xE1000


def columns_of(sets: tuple[str, ...]) -> tuple[ByteArray, BoolArray]:
    """Columns for the characters that some character sets distinguish, found by matching every
    character with `regex`.

    Args:
        sets: at most `MOST_SETS` sources in the syntax of `regex`.

    Returns:
        (0x110000,) uint8, the column of each code point; and (sets, COLUMNS) bool, whether the
        characters of a column are in a set.

    Raises:
        OverflowError: there are more kinds of characters than columns.
    """
    first = _ALIKE_FROM
    second = _PLANE_14_END
    n_characters = first + 1 + second - _PLANE_14
    rows = [np.unpackbits(_members(chars), count=n_characters) for chars in sets]
    # Only the first of each run of characters in the same sets is looked at; there are a few
    # thousand.
    is_first = np.zeros(n_characters, np.uint8)
    for row in rows:
        is_first[1:] |= row[1:] ^ row[:-1]
    is_first[: FIRST_CLASS + 1] = 1
    firsts = np.flatnonzero(is_first)
    signature = np.zeros(len(firsts), np.int64)
    for bit, row in enumerate(rows):
        signature |= row[firsts].astype(np.int64) << bit
    distinct, found = np.unique(signature[FIRST_CLASS:], return_inverse=True)
    if len(distinct) > STRAY - FIRST_CLASS:
        raise OverflowError(f"{len(distinct)} kinds of characters")
    found = np.concatenate([np.arange(FIRST_CLASS), FIRST_CLASS + found]).astype(np.uint8)
    found = np.repeat(found, np.diff(firsts, append=n_characters))
    columns = np.full(0x110000, found[first], np.uint8)
    columns[:first] = found[:first]
    columns[_PLANE_14:second] = found[first + 1 :]
    signatures = np.zeros(COLUMNS, np.int64)
    signatures[:FIRST_CLASS] = signature[:FIRST_CLASS]
    signatures[FIRST_CLASS : FIRST_CLASS + len(distinct)] = distinct
    signatures[STRAY] = signature[np.searchsorted(firsts, 0xDC80, "right") - 1]
    return columns, (signatures >> np.arange(len(sets))[:, None] & 1).astype(np.bool_)


@lru_cache(maxsize=64)
def _members(chars: str) -> ByteArray:
    """The characters of a set as packed bits: 33 kB, which `regex` takes some milliseconds to find.

    Most expressions share their sets with others: letters, digits, white space.
    """
    text = _characters()
    is_in = np.zeros(len(text), np.bool_)
    for match in regex.finditer(f"(?:{chars})+", text):
        is_in[match.start() : match.end()] = True
    return np.packbits(is_in)


@lru_cache(maxsize=1)
def _characters() -> str:
    """All characters up to the first of plane 4, which is like all of planes 4 to 13, and those of
    plane 14.
    """
    codes = np.concatenate(
        [np.arange(_ALIKE_FROM + 1), np.arange(_PLANE_14, _PLANE_14_END)]
    ).astype(np.uint32)
    # A codec would call a function for each lone surrogate.
    return str(codes.view(f"U{len(codes)}")[0])
