"""A table of counted words that the kernels in `kernels/counting.py` fill, and the blocks of text that they read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.kernels import counting as k
from bpe_studio.engine.kernels import loader, measuring, scanning
from bpe_studio.engine.splits.automaton import Automaton, split_automaton

_FIRST_SLOTS, _FIRST_WORDS, _FIRST_BYTES = 1 << 15, 1 << 14, 1 << 18
_LINE = 64
_ROOM = 1 << 20
"""How many bytes of a block are cut before their pre-tokens are counted."""


class Words(NamedTuple):
    """Counted words in the order in which they are first seen.

    Attributes:
        blob: (size,) uint8, their bytes end to end.
        offsets: (n + 1,) int64, where each begins there.
        counts: (n,) int64.
    """

    blob: ByteArray
    offsets: Int64Array
    counts: Int64Array


class TextBlock:
    """A stretch of text to be counted; texts within it may be cut each by itself.

    Attributes:
        contents: uint8, its bytes, with room after them.
        size: how many of them are in use.
        stops: where each text ends that is complete.
    """

    def __init__(self, room: int) -> None:
        self.contents: ByteArray = np.empty(room + k.PADDING, np.uint8)
        self.size = 0
        self.stops: list[int] = []
        self._cutting: Cutting | None = None

    def append(self, content: bytes | ByteArray) -> None:
        """Add text at the end, making room as needed."""
        size = self.size + len(content)
        if size + k.PADDING > len(self.contents):
            self.contents = _grown(self.contents, self.size, 2 * size + k.PADDING)
        self.contents[self.size : size] = np.frombuffer(content, np.uint8) if isinstance(content, bytes) else content
        self.size = size

    def end_text(self) -> None:
        """Say that what follows is cut by itself."""
        if self.size > (self.stops[-1] if self.stops else 0):
            self.stops.append(self.size)

    def last_character(self) -> int:
        """Where the last character begins; 0 where there is none."""
        place = max(0, self.size - 1)
        while place > 0 and self.contents[place] & 0xC0 == 0x80:
            place -= 1
        return place

    def cut(self, place: int, room: int) -> TextBlock:
        """Take away what is behind a place, which is the end of a text from now on; returns the rest."""
        rest = TextBlock(max(room, self.size - place))
        rest.append(self.contents[place : self.size])
        rest.stops = [stop - place for stop in self.stops if stop > place]
        self.size = place
        self.stops = [stop for stop in self.stops if stop <= place]
        self.end_text()
        return rest

    def pre_tokens(self, automaton: Automaton) -> Cutting:
        """How far the block is cut; the first call begins."""
        if self._cutting is None:
            self._cutting = Cutting(self, automaton)
        return self._cutting


class Cutting:
    """The pre-tokens of a block, found some at a time.

    Attributes:
        starts: int32, where those at hand begin in the block.
        ends: int32, where they end.
    """

    def __init__(self, block: TextBlock, automaton: Automaton) -> None:
        room = min(block.size, _ROOM) + 3
        self.starts, self.ends = np.empty(room, np.int32), np.empty(room, np.int32)
        self._contents = block.contents
        self._stops = np.array(block.stops, np.int64)
        self._tables = automaton.tables
        self._state = np.zeros(scanning.N_CUTTING, np.int64)
        kernel = loader.compiled("scanning")
        kernel.begin(self._state, 0)
        self._cut = kernel.cut

    @property
    def n_found(self) -> int:
        """How many pre-tokens are at hand."""
        return int(self._state[scanning.N_ENDS])

    @property
    def is_done(self) -> bool:
        """Whether none are left to find."""
        return bool(self._state[scanning.STOP_NUMBER] == len(self._stops))

    def find(self) -> None:
        """Find as many as there is room for, in place of those at hand, which were counted."""
        self._cut(self._state, self._contents, self._stops, *self._tables, self.starts, self.ends)


class WordTable:
    """Counts words; grows as needed. It is used by one thread at a time."""

    def __init__(self) -> None:
        self._kernel: Any = loader.compiled("counting")
        self._state = np.zeros(k.N_STATE, np.int64)
        self._slots = _free_slots(_FIRST_SLOTS * k.ENTRY)
        self._arena: ByteArray = np.empty(_FIRST_BYTES, np.uint8)
        self._offsets = np.zeros(_FIRST_WORDS + 1, np.int64)
        self._scratch = [np.zeros(k.TURN, np.int64) for _ in range(3)]

    def __len__(self) -> int:
        return int(self._state[k.N_WORDS])

    def count(self, block: TextBlock, automaton: Automaton) -> None:
        """Count the pre-tokens of a block."""
        cutting = block.pre_tokens(automaton)
        text = wide(block.contents)
        while True:
            self._state[k.N_COUNTED] = 0
            while not self._kernel.count(
                self._state, text, cutting.starts, cutting.ends, cutting.n_found,
                self._slots, wide(self._arena), self._offsets, *self._scratch,
            ):  # fmt: skip
                # One turn's words may be as long as all that is left.
                first = cutting.starts[self._state[k.N_COUNTED]]
                self._make_room(k.TURN, int(cutting.ends[cutting.n_found - 1] - first))
            if cutting.is_done:
                return
            cutting.find()

    def words(self, prefix: bytes = b"") -> Words:
        """The words with their counts, in the order of their first places in the text, a prefix before each."""
        counts = np.zeros(len(self), np.int64)
        self._kernel.write_counts(self._slots, counts)
        blob, offsets = self._arena[: self._state[k.N_ARENA]], self._offsets[: len(self) + 1]
        if not prefix:
            return Words(blob, offsets, counts)
        longer, moved = np.empty(len(blob) + len(self) * len(prefix), np.uint8), np.zeros(len(self) + 1, np.int64)
        self._kernel.write_words(blob, offsets, np.array(list(prefix), np.uint8), longer, moved)
        return Words(longer, moved, counts)

    def _make_room(self, n_words: int, n_bytes: int) -> None:
        """Room for so many more words of so many bytes in all; at least twice what there was where there is none."""
        n_words += len(self)
        if n_words + 1 > len(self._offsets):
            self._offsets = _grown(self._offsets, len(self) + 1, max(n_words, 2 * len(self)) + 1)
        n_bytes += int(self._state[k.N_ARENA]) + 2 * k.PADDING
        if n_bytes > len(self._arena):
            self._arena = _grown(self._arena, int(self._state[k.N_ARENA]), max(n_bytes, 2 * len(self._arena)))
        if n_words * 3 * k.ENTRY > 2 * len(self._slots):
            old, size = self._slots, len(self._slots)
            while n_words * 3 * k.ENTRY > 2 * size:
                size *= 2
            self._slots = _free_slots(size)
            self._kernel.rehash(self._slots, old, wide(self._arena), self._offsets)


def wide(contents: ByteArray) -> Int64Array:
    """(n - 8,) int64, the eight bytes from each byte on as one number; a view, whose numbers overlap."""
    return np.ndarray((len(contents) - 8,), np.int64, contents, strides=(1,))


def _free_slots(size: int) -> Int64Array:
    """(size,) int64, all zero; begins where a line of the processor's cache does, so that no entry lies across two."""
    slots = np.zeros(size + _LINE // 8, np.int64)
    first = -slots.ctypes.data % _LINE // 8
    return slots[first : first + size]


def _grown(array: Any, n: int, size: int) -> Any:
    """A larger array that begins with the first n values; what is after them takes no memory before it is used."""
    larger = np.empty(size, array.dtype)
    larger[:n] = array[:n]
    return larger


def compile_kernels() -> None:
    """Have every kernel of counting compiled, or read from disk, by counting a few words."""
    block = TextBlock(64)
    block.append(b"ab ab\ncd")
    block.end_text()
    automaton = split_automaton("whitespace")
    table = WordTable()
    table.count(block, automaton)
    table._kernel.rehash(np.zeros_like(table._slots), table._slots, wide(table._arena), table._offsets)
    table.words(b" ")
    loader.compiled("scanning").last_parting(block.contents, 0, block.size, automaton.columns, automaton.parts)
    found = np.zeros(measuring.N_MEASURES, np.int64)
    loader.compiled("measuring").measure(block.contents, block.size, automaton.parts, found)
    loader.mark_ready("counting")
