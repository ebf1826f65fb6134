"""A table of counted words that the kernels in `kernels/counting.py` fill, and the blocks of text that they read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bpe_studio.engine import kernels
from bpe_studio.engine.kernels import counting as k
from bpe_studio.engine.split_automata import Automaton, split_automaton

Int64Array = npt.NDArray[np.int64]
ByteArray = npt.NDArray[np.uint8]

_FIRST_SLOTS, _FIRST_WORDS, _FIRST_BYTES = 1 << 15, 1 << 14, 1 << 18
_TURN = 256


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
        size: how many bytes of it are in use.
        stops: where each text ends that is complete.
    """

    def __init__(self, room: int) -> None:
        self.numbers = np.zeros(room // 8 + k.PADDING // 8, np.int64)
        self.contents: ByteArray = self.numbers.view(np.uint8)
        self.size = 0
        self.stops: list[int] = []

    def append(self, content: bytes | ByteArray) -> None:
        """Add text at the end, making room as needed."""
        size = self.size + len(content)
        if size + k.PADDING > len(self.contents):
            self.numbers = np.concatenate([self.numbers, np.zeros(max(size // 8, 1 << 10), np.int64)])
            self.contents = self.numbers.view(np.uint8)
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
        """Take away what stands behind a place, which is the end of a text from now on; returns the rest."""
        rest = TextBlock(max(room, self.size - place))
        rest.append(self.contents[place : self.size])
        rest.stops = [stop - place for stop in self.stops if stop > place]
        self.size = place
        self.stops = [stop for stop in self.stops if stop <= place]
        self.end_text()
        return rest


class WordTable:
    """Counts words; grows as needed. Each table is used by one thread at a time."""

    def __init__(self) -> None:
        self._kernel: Any = kernels.compiled("counting")
        self._state = np.zeros(k.N_STATE, np.int64)
        self._slots = np.zeros(_FIRST_SLOTS * k.ENTRY, np.int64)
        self._numbers = np.zeros(_FIRST_BYTES // 8, np.int64)
        self._offsets = np.zeros(_FIRST_WORDS + 1, np.int64)
        self._firsts = np.zeros(_FIRST_WORDS, np.int64)
        self._scratch = [np.zeros(_TURN, np.int64) for _ in range(5)]

    def __len__(self) -> int:
        return int(self._state[k.N_WORDS])

    def count(self, block: TextBlock, base: int, automaton: Automaton) -> None:
        """Count the pre-tokens of a block.

        Args:
            block: the text.
            base: where it begins in all that is counted.
            automaton: how it is cut.
        """
        self._state[k.POSITION] = self._state[k.SEGMENT] = 0
        stops = np.array(block.stops, np.int64)
        tables = automaton.columns, automaton.moves, automaton.marks
        while not self._kernel.count(
            self._state, block.contents, block.numbers, stops, base, *tables, self._slots,
            self._arena, self._offsets, self._firsts, *self._scratch,
        ):  # fmt: skip
            # One turn's words may be as long as all that is left.
            self._make_room(_TURN, block.size - int(self._state[k.POSITION]))

    def absorb(self, other: WordTable) -> None:
        """Add another table's words and counts."""
        self._make_room(len(other), int(other._state[k.N_ARENA]))
        self._kernel.absorb(
            self._state, self._slots, self._arena, self._offsets, self._firsts,
            other._slots, other._arena, other._numbers, other._offsets, other._firsts,
        )  # fmt: skip

    def words(self, prefix: bytes = b"") -> Words:
        """The words with their counts, in the order of their first places in the text, a prefix before each."""
        counts = np.zeros(len(self), np.int64)
        self._kernel.write_counts(self._slots, counts)
        order = np.argsort(self._firsts[: len(self)], kind="stable")
        blob = np.zeros(int(self._state[k.N_ARENA]) + len(self) * len(prefix), np.uint8)
        offsets = np.zeros(len(self) + 1, np.int64)
        self._kernel.write_words(self._arena, self._offsets, order, np.array(list(prefix), np.uint8), blob, offsets)
        return Words(blob, offsets, counts[order])

    @property
    def _arena(self) -> ByteArray:
        return self._numbers.view(np.uint8)

    def _make_room(self, n_words: int, n_bytes: int) -> None:
        """Room for so many more words of so many bytes in all; at least twice what there was where there is none."""
        n_words += len(self)
        if n_words >= len(self._firsts):
            more = max(n_words, 2 * len(self)) - len(self._firsts) + 1
            self._firsts = np.concatenate([self._firsts, np.zeros(more, np.int64)])
            self._offsets = np.concatenate([self._offsets, np.zeros(more, np.int64)])
        n_bytes += int(self._state[k.N_ARENA]) + k.PADDING
        if n_bytes > len(self._arena):
            size = max(n_bytes, 2 * len(self._arena)) // 8 + 1
            self._numbers = np.concatenate([self._numbers, np.zeros(size - len(self._numbers), np.int64)])
        if n_words * 2 * k.ENTRY > len(self._slots):
            old, size = self._slots, len(self._slots)
            while n_words * 2 * k.ENTRY > size:
                size *= 2
            self._slots = np.zeros(size, np.int64)
            self._kernel.rehash(self._slots, old, self._numbers, self._offsets)


def compile_counting() -> None:
    """Have every kernel of counting compiled, or read from disk, by counting a few words."""
    block = TextBlock(64)
    block.append(b"ab ab\ncd")
    block.end_text()
    tables = WordTable(), WordTable()
    for table in tables:
        table.count(block, 0, split_automaton("whitespace"))
    tables[0].absorb(tables[1])
    tables[0]._kernel.rehash(tables[0]._slots.copy(), tables[1]._slots, tables[1]._numbers, tables[1]._offsets)
    tables[0].words()
    scanning = kernels.compiled("scanning")
    automaton = split_automaton("whitespace")
    scanning.last_parting(block.contents, 0, block.size, automaton.columns, automaton.parts)
    scanning.white_space_words(block.contents, block.size, 0, automaton.parts)
    kernels.mark_ready("counting")
