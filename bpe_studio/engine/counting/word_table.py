"""A hash table of counted words, which `kernels/counting.py` fills, and the blocks of text that it
reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.kernels import counting as k
from bpe_studio.engine.kernels import loader, measuring, scanning
from bpe_studio.engine.splits.automaton import Automaton, split_automaton
from bpe_studio.engine.text.utf8 import start_of_character

_FIRST_SLOTS = 1 << 15
_FIRST_WORDS = 1 << 14
_FIRST_BYTES = 1 << 18
_LINE = 64
_ROOM = 1 << 20
"""Bytes of a block that are split before their pre-tokens are counted."""
_ROWS = 1 << 16
"""Rows of a table that are turned into Python's numbers at a time."""
_ONCE = np.zeros(0, np.int64)
"""The weights of pre-tokens that count once each."""


class Words(NamedTuple):
    """Counted words in first-seen order.

    Attributes:
        blob: (size,) uint8, their bytes, end to end.
        offsets: (n + 1,) int64, the start of each in `blob`, and the end.
        counts: (n,) int64, the number of occurrences of each.
    """

    blob: ByteArray
    offsets: Int64Array
    counts: Int64Array

    def rows(self) -> Iterator[tuple[bytes, int]]:
        """Each word and its count."""
        content = self.blob.tobytes()
        for low in range(0, len(self.counts), _ROWS):
            bounds = self.offsets[low : low + _ROWS + 1].tolist()
            for (start, end), count in zip(
                pairwise(bounds), self.counts[low : low + _ROWS].tolist(), strict=True
            ):
                yield content[start:end], count


class TextBlock:
    """A block of text to be counted; it may consist of several texts that are split separately.

    Attributes:
        contents: uint8, its bytes, and spare room.
        size: the number of bytes in use.
        stops: the end of each complete text.
    """

    def __init__(self, room: int) -> None:
        self.contents: ByteArray = np.empty(room + k.PADDING, np.uint8)
        self.size = 0
        self.stops: list[int] = []
        self._cutting: Cutting | None = None

    def append(self, content: bytes | ByteArray) -> None:
        """Append text, and enlarge the block if necessary."""
        if isinstance(content, bytes):
            content = np.frombuffer(content, np.uint8)
        size = self.size + len(content)
        if size + k.PADDING > len(self.contents):
            self.contents = _grown(self.contents, self.size, 2 * size + k.PADDING)
        self.contents[self.size : size] = content
        self.size = size

    def end_text(self) -> None:
        """End a text, so that what follows is split separately."""
        last = self.stops[-1] if self.stops else 0
        if self.size > last:
            self.stops.append(self.size)

    def last_character(self) -> int:
        """The start of the last character; 0 for an empty block."""
        return start_of_character(self.contents, self.size - 1)

    def cut(self, place: int, room: int) -> TextBlock:
        """Divide the block at a place, which ends a text; returns the rest."""
        rest = TextBlock(max(room, self.size - place))
        rest.append(self.contents[place : self.size])
        rest.stops = [stop - place for stop in self.stops if stop > place]
        self.size = place
        self.stops = [stop for stop in self.stops if stop <= place]
        self.end_text()
        return rest

    def pre_tokens(self, automaton: Automaton) -> Cutting:
        """The split in progress; the first call begins it."""
        if self._cutting is None:
            self._cutting = Cutting(self, automaton)
        return self._cutting


class Cutting:
    """The pre-tokens of a block, found some at a time.

    Attributes:
        borders: int32, the start and the end of each of the current ones in the block, in turn.
    """

    def __init__(self, block: TextBlock, automaton: Automaton) -> None:
        self.borders = np.empty(scanning.SPARE + max(4, min(block.size, _ROOM)), np.int32)
        self._contents = block.contents
        self._stops = np.array(block.stops, np.int64)
        self._tables = automaton.tables
        self._state = np.zeros(scanning.N_CUTTING, np.int64)
        kernel = loader.compiled("scanning")
        kernel.begin(self._state, 0)
        self._find_borders = kernel.find_borders

    @property
    def n_found(self) -> int:
        """The number of current pre-tokens."""
        return int(self._state[scanning.N_ENDS])

    @property
    def is_done(self) -> bool:
        """Whether no pre-token is left to find."""
        return bool(self._state[scanning.STOP_NUMBER] == len(self._stops))

    def find(self) -> None:
        """Find the next pre-tokens, as many as fit.

        They replace the current ones, which have been counted.
        """
        self._find_borders(self._state, self._contents, self._stops, self._tables, self.borders)


class WordTable:
    """Counts words, and grows as needed; used by one thread at a time."""

    def __init__(self) -> None:
        self._kernel: Any = loader.compiled("counting")
        self._state = np.zeros(k.N_STATE, np.int64)
        self._slots = cache_aligned(_FIRST_SLOTS * k.ENTRY)
        self._arena: ByteArray = np.empty(_FIRST_BYTES, np.uint8)
        self._offsets = np.zeros(_FIRST_WORDS + 1, np.int64)
        self._keys = np.zeros(k.TURN * k.KEY, np.int64)

    def __len__(self) -> int:
        return int(self._state[k.N_WORDS])

    def count(self, block: TextBlock, automaton: Automaton) -> None:
        """Count the pre-tokens of a block."""
        cutting = block.pre_tokens(automaton)
        while True:
            self._count(block.contents, cutting.borders, cutting.n_found)
            if cutting.is_done:
                return
            cutting.find()

    def add(self, words: Words) -> None:
        """Count words as often as they were counted elsewhere, each at least once."""
        low = 0
        n = len(words.counts)
        while low < n:
            first = int(words.offsets[low])
            high = max(low + 1, int(np.searchsorted(words.offsets, first + _ROOM, "right")) - 1)
            places = words.offsets[low : high + 1] - first
            block = TextBlock(int(places[-1]))
            block.append(words.blob[first : first + int(places[-1])])
            borders = np.repeat(places.astype(np.int32), 2)[1:-1]
            self._count(block.contents, borders, high - low, words.counts[low:high])
            low = high

    def _count(self, text: ByteArray, borders: Any, n: int, weights: Int64Array = _ONCE) -> None:
        """Count pre-tokens; the arguments are those of the kernel."""
        self._state[k.N_COUNTED] = 0
        while not self._kernel.count(
            self._state,
            text,
            borders,
            n,
            self._slots,
            self._arena,
            self._offsets,
            self._keys,
            weights,
        ):
            # The words of one round may be as long as the rest of the block.
            self._make_room(k.TURN, int(borders[2 * n - 1] - borders[2 * self._state[k.N_COUNTED]]))

    def words(self, prefix: bytes = b"") -> Words:
        """The words with their counts in first-seen order, each with a prefix."""
        counts = np.zeros(len(self), np.int64)
        self._kernel.write_counts(self._slots, counts)
        blob = self._arena[: self._state[k.N_ARENA]]
        offsets = self._offsets[: len(self) + 1]
        if not prefix:
            return Words(blob, offsets, counts)
        moved = offsets + len(prefix) * np.arange(len(offsets))
        longer = np.empty(moved[-1], np.uint8)
        is_prefix = np.zeros(moved[-1], np.bool_)
        for i, byte in enumerate(prefix):
            longer[moved[:-1] + i] = byte
            is_prefix[moved[:-1] + i] = True
        longer[~is_prefix] = blob
        return Words(longer, moved, counts)

    def _make_room(self, n_words: int, n_bytes: int) -> None:
        """Make room for more words of that many bytes in all.

        A table that is too small at least doubles.
        """
        n_words += len(self)
        if n_words + 1 > len(self._offsets):
            self._offsets = _grown(self._offsets, len(self) + 1, max(n_words, 2 * len(self)) + 1)
        n_bytes += int(self._state[k.N_ARENA]) + 2 * k.PADDING
        if n_bytes > len(self._arena):
            self._arena = _grown(
                self._arena, int(self._state[k.N_ARENA]), max(n_bytes, 2 * len(self._arena))
            )
        if n_words * 3 * k.ENTRY > 2 * len(self._slots):
            old = self._slots
            size = len(self._slots)
            while n_words * 3 * k.ENTRY > 2 * size:
                size *= 2
            self._slots = cache_aligned(size)
            self._kernel.rehash(self._slots, old)


def cache_aligned(size: int) -> Int64Array:
    """(size,) int64 zeros, aligned with the processor's cache lines, so that no entry crosses two
    of them.
    """
    slots = np.zeros(size + _LINE // 8, np.int64)
    first = -slots.ctypes.data % _LINE // 8
    return slots[first : first + size]


def _grown(array: Any, n: int, size: int) -> Any:
    """A larger array that begins with the first n values.

    The rest takes no memory before it is used.
    """
    larger = np.empty(size, array.dtype)
    larger[:n] = array[:n]
    return larger


def compile_kernels() -> None:
    """Compile the kernels of counting, or load them from disk, by counting a few words."""
    block = TextBlock(64)
    block.append(b"ab ab\ncd")
    block.end_text()
    automaton = split_automaton("whitespace")
    table = WordTable()
    table.count(block, automaton)
    table._kernel.rehash(np.zeros_like(table._slots), table._slots)
    table.add(table.words())
    loader.compiled("scanning").last_boundary(
        block.contents, 0, block.size, automaton.columns, automaton.parts
    )
    found = np.zeros(measuring.N_MEASURES, np.int64)
    loader.compiled("measuring").measure(np.frombuffer(b"ab", np.uint8), 2, automaton.parts, found)
    loader.mark_ready("counting")
