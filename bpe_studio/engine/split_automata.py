"""The named splits as automata, which `kernels/scanning.py` walks.

`SPLIT_STATES` draws each split: a state lists what it may be followed by, as character sets in the spelling of
`regex`, of which the first that holds the character counts. A `!` before the next state says that the pre-token might
also end before that character. A character that no set holds ends the pre-token, in most states; `_END_ONLY` names
those in which only the text's end does, and `_NO_END` those in which nothing does, so that the last `!` decides.

What characters a set holds is asked of `regex` itself, so that the two never differ. The tests hold each automaton to
the split's expression in `pretokenization.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.kernels.scanning import (
    BEGINS,
    COLUMNS,
    ENDS,
    FIRST_CLASS,
    GAP,
    GOES_BACK,
    MAY_END,
    RETREAT,
    START,
    STOP,
    STRAY,
    TEXT_END,
)

ByteArray = npt.NDArray[np.uint8]
States = dict[str, dict[str, str]]

_SPACE, _LETTER, _NUMBER, _OTHER, _BREAK, _ANY = r"\s", r"\p{L}", r"\p{N}", r"[^\s\p{L}\p{N}]", r"[\r\n]", r"[\s\S]"
_UPPER, _LOWER, _MARK, _CASELESS = r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"\p{M}", r"[\p{Lm}\p{Lo}\p{M}]"

_GPT2: States = {
    "start": {"'": "quote", " ": "blank", _LETTER: "letters", _NUMBER: "numbers", _SPACE: "space", _OTHER: "others"},
    "quote": {"[sdmt]": "whole", "l": "!quote l", "[rv]": "!quote e", _OTHER: "others"},
    "quote l": {"l": "whole"},
    "quote e": {"e": "whole"},
    "whole": {},
    "blank": {_LETTER: "letters", _NUMBER: "numbers", _SPACE: "!spaces", _OTHER: "others"},
    "space": {_SPACE: "!spaces"},
    "spaces": {_SPACE: "!spaces"},
    "letters": {_LETTER: "letters"},
    "numbers": {_NUMBER: "numbers"},
    "others": {_OTHER: "others"},
}
_BREAKS: States = {
    "spaces": {_BREAK: "breaks", _SPACE: "!spaces"},
    "breaks": {_BREAK: "breaks", _SPACE: "!after breaks"},
    "after breaks": {_BREAK: "breaks", _SPACE: "after breaks"},
    "number": {_NUMBER: "second number"},
    "second number": {_NUMBER: "whole"},
    "whole": {},
}
_CL100K: States = {
    "start": {
        "'": "quote",
        " ": "blank",
        _BREAK: "breaks",
        _LETTER: "letters",
        _NUMBER: "number",
        _SPACE: "space",
        _OTHER: "lead",
    },
    "quote": {"[sdmtSDMT\u017f]": "whole", "[lL]": "quote l", "[rvRV]": "quote e", _LETTER: "letters"}
    | {_OTHER: "others", _BREAK: "tail"},
    "quote l": {"[lL]": "whole", _LETTER: "letters"},
    "quote e": {"[eE]": "whole", _LETTER: "letters"},
    "letters": {_LETTER: "letters"},
    "lead": {_LETTER: "letters", _OTHER: "others", _BREAK: "tail"},
    "blank": {_LETTER: "letters", _OTHER: "others", _BREAK: "breaks", _SPACE: "!spaces"},
    "space": {_LETTER: "letters", _BREAK: "breaks", _SPACE: "!spaces"},
    "others": {_OTHER: "others", _BREAK: "tail"},
    "tail": {_BREAK: "tail"},
    **_BREAKS,
}
_QWEN2: States = _CL100K | {"start": _CL100K["start"] | {_NUMBER: "whole"}}
_CASED = {_UPPER: "upper", _LOWER: "lower", _CASELESS: "caseless"}
# Letters without case and marks are in both halves of a word: a run of capitals without a small letter behind it ends
# with the last of them where it holds one.
_O200K: States = {
    "start": {_BREAK: "breaks", _NUMBER: "number", _MARK: "mark"}
    | _CASED
    | {" ": "blank", _SPACE: "space", _OTHER: "lead"},
    "lead": _CASED | {_OTHER: "others", _BREAK: "tail"},
    "blank": _CASED | {_OTHER: "others", _BREAK: "breaks", _SPACE: "!spaces"},
    "space": _CASED | {_BREAK: "breaks", _SPACE: "!spaces"},
    "mark": {_UPPER: "!mark upper", _LOWER: "lower", _CASELESS: "caseless", "'": "!quote"},
    "mark upper": {_UPPER: "mark upper", _LOWER: "lower", _CASELESS: "caseless"},
    "upper": _CASED | {"'": "!quote"},
    "caseless": {_UPPER: "!caseless upper", _LOWER: "lower", _CASELESS: "caseless", "'": "!quote"},
    "caseless upper": {_UPPER: "caseless upper", _LOWER: "lower", _CASELESS: "caseless"},
    "lower": {_LOWER: "lower", _CASELESS: "lower", "'": "!quote"},
    "quote": {"[sdmtSDMT\u017f]": "whole", "[lL]": "quote l", "[rvRV]": "quote e"},
    "quote l": {"[lL]": "whole"},
    "quote e": {"[eE]": "whole"},
    "others": {_OTHER: "others", _BREAK: "tail"},
    "tail": {r"[\r\n/]": "tail"},
    **_BREAKS,
}
_WORD, _NO_WORD, _PARTING = r"\w", r"[^\w\s]", r"[ \n\u2581]"

SPLIT_STATES: dict[str, States] = {
    "none": {"start": {_ANY: "all"}, "all": {_ANY: "all"}},
    "whitespace": {"start": {_SPACE: "gap", _ANY: "word"}, "gap": {_SPACE: "gap"}, "word": {r"\S": "word"}},
    "words": {
        "start": {_SPACE: "gap", _WORD: "word", _ANY: "others"},
        "gap": {_SPACE: "gap"},
        "word": {_WORD: "word"},
        "others": {_NO_WORD: "others"},
    },
    "gpt2": _GPT2,
    "cl100k": _CL100K,
    "o200k": _O200K,
    "llama3": _CL100K,
    "qwen2": _QWEN2,
    "sentencepiece": {
        "start": {_PARTING: "gap", _ANY: "word"},
        "gap": {_PARTING: "gap"},
        "word": {r"[^ \n\u2581]": "word"},
    },
}
_END_ONLY = frozenset({"spaces"})
_NO_END = {
    "gpt2": frozenset({"quote l", "quote e"}),
    "cl100k": frozenset({"after breaks"}),
    "llama3": frozenset({"after breaks"}),
    "qwen2": frozenset({"after breaks"}),
    "o200k": frozenset({"after breaks", "mark upper", "caseless upper", "quote", "quote l", "quote e"}),
}


@dataclass(frozen=True)
class Automaton:
    """A split in the form that the kernel walks; see `kernels/scanning.py`.

    Attributes:
        columns: (0x110000,) uint8, the column of each code point.
        moves: (states * COLUMNS) uint8, the state after a character.
        marks: the same size, 1 where the pre-token might end before that character.
        parts: (COLUMNS * COLUMNS) uint8, 1 where a text may be cut between two characters and its halves cut apart.
        nexts: (states * COLUMNS) uint16, where the row begins of the state after a character, in walks without a break.
        outputs: the same size, uint8, what such a walk notes before that character.
    """

    columns: ByteArray
    moves: ByteArray
    marks: ByteArray
    parts: ByteArray
    nexts: npt.NDArray[np.uint16]
    outputs: ByteArray


@lru_cache(maxsize=32)
def split_automaton(split: str, by_line: bool = False) -> Automaton:
    """The automaton of a named split.

    Args:
        split: its name.
        by_line: whether each line is cut by itself, so that a line feed is the end of a text.
    """
    states = SPLIT_STATES[split]
    sets = list({name: None for follows in states.values() for name in follows})
    columns, members = _columns(sets)
    numbers = {"start": START, "gap": GAP}
    for name in states:
        numbers.setdefault(name, max(numbers.values()) + 1)
    n_states = max(numbers.values()) + 1
    moves = np.full((2 * n_states, COLUMNS), STOP, np.uint8)
    marks = np.ones((2 * n_states, COLUMNS), np.uint8)
    no_end = _NO_END.get(split, frozenset())
    for name, follows in states.items():
        row = numbers[name]
        if name in no_end or name in _END_ONLY:
            moves[row], marks[row] = RETREAT, 0
        if name in _END_ONLY:
            moves[row, TEXT_END], marks[row, TEXT_END] = STOP, 1
        for chars, follower in reversed(follows.items()):
            held = members[sets.index(chars)]
            moves[row, held] = numbers[follower.lstrip("!")]
            marks[row, held] = follower.startswith("!")
    if by_line:
        # Behind a line feed a state has a double, for which every character is the text's end.
        for row in range(START, n_states):
            moves[n_states + row], marks[n_states + row] = moves[row, TEXT_END], marks[row, TEXT_END]
            if moves[row, ord("\n")] > GAP:
                moves[row, ord("\n")] += n_states
    return Automaton(columns, moves.ravel(), marks.ravel(), _parts(moves, marks), *_unbroken(moves, marks))


def _unbroken(moves: ByteArray, marks: ByteArray) -> tuple[npt.NDArray[np.uint16], ByteArray]:
    """The automaton of walks that go on from one pre-token to the next: a stop is a step from the start."""
    # Where the first step already goes back, the character belongs to no pre-token.
    first = np.where(moves[START] == RETREAT, START, moves[START])
    begins = np.where(first > GAP, BEGINS, 0)
    is_word = np.arange(len(moves))[:, None] != GAP
    nexts = np.where(moves == STOP, first, np.where(moves == RETREAT, START, moves)).astype(np.uint16)
    outputs = np.where(moves == STOP, begins | np.where(is_word, ENDS, 0), 0)
    outputs |= np.where((moves > STOP) & (marks != 0), MAY_END, 0)
    outputs |= np.where(moves == RETREAT, GOES_BACK, 0)
    outputs[START] = begins
    outputs[START, TEXT_END] = 0
    # Where a pre-token begins is its first mark: one that goes back to it was none.
    outputs |= np.where(outputs & BEGINS, MAY_END, 0)
    outputs[:, TEXT_END] &= ENDS | GOES_BACK
    return (nexts * COLUMNS).ravel(), outputs.astype(np.uint8).ravel()


def _parts(moves: ByteArray, marks: ByteArray) -> ByteArray:
    """Between which characters nothing hangs on what follows: every walk stops there, and as at the text's end."""
    stops = (moves <= STOP) & (moves == moves[:, TEXT_END:]) & (marks == marks[:, TEXT_END:])
    parts = np.zeros((COLUMNS, COLUMNS), np.uint8)
    for column in range(TEXT_END):
        reached = np.unique(moves[START:, column])
        parts[column] = stops[reached[reached > STOP]].all(axis=0)
    return parts.ravel()


def _columns(sets: list[str]) -> tuple[ByteArray, npt.NDArray[np.bool_]]:
    """The column of each code point, and (sets, COLUMNS) which columns' characters are in each set."""
    # Planes 4 to 13 are unassigned and 15 and 16 are for private use; all of their characters are alike.
    first, second = 0x40000, 0xE1000
    codes = np.concatenate([np.arange(first + 1), np.arange(0xE0000, second)]).astype("<u4")
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    signature = np.zeros(len(text), np.int64)
    for bit, chars in enumerate(sets):
        for match in regex.finditer(f"(?:{chars})+", text):
            signature[match.start() : match.end()] |= 1 << bit
    is_met = np.zeros(1 << len(sets), np.bool_)
    is_met[signature[FIRST_CLASS:]] = True
    distinct = np.flatnonzero(is_met)
    column_of = np.zeros(len(is_met), np.uint8)
    column_of[distinct] = FIRST_CLASS + np.arange(len(distinct))
    found = column_of[signature]
    found[:FIRST_CLASS] = np.arange(FIRST_CLASS)
    columns = np.full(0x110000, found[first], np.uint8)
    columns[:first] = found[:first]
    columns[0xE0000:second] = found[first + 1 :]
    signatures = np.zeros(COLUMNS, np.int64)
    signatures[:FIRST_CLASS] = signature[:FIRST_CLASS]
    signatures[FIRST_CLASS : FIRST_CLASS + len(distinct)] = distinct
    signatures[STRAY] = signature[0xDC80]
    return columns, (signatures >> np.arange(len(sets))[:, None] & 1).astype(np.bool_)
