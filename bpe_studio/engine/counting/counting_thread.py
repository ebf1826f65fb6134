"""A thread that counts blocks of text while the caller reads and splits further ones.

Blocks are counted one after the other in one table, so that words are numbered in first-seen order
and nothing has to be added up or sorted at the end. Splitting takes about as long as counting: the
caller splits a block if an earlier one still waits for the thread, and leaves it to the thread
otherwise. So both processors have the same amount of work, whether the caller takes the text from a
file as it is or has to unpack and parse it first.

The thread ends when no block has come for a moment, so that nothing is left running if the caller
stops half-way. While it waits, the caller gets a `yield` every few milliseconds, so that it can
pause or stop.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Iterator

from bpe_studio.engine.counting.word_table import TextBlock, WordTable, compile_kernels
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.splits.automaton import Automaton

MAX_WAITING = 3
"""The most blocks that wait, which limits memory."""
MAX_CUT_BYTES = 1 << 22
"""A larger block is split by the thread, so that the caller does not wait for it."""

_WAIT_S = 0.005
_LINGER_S = 0.05
"""Seconds that the thread waits for another block; one of a packed file takes some milliseconds."""


class CountingThread:
    """Counts blocks in a second thread."""

    def __init__(self) -> None:
        self._table: WordTable | None = None
        self._waiting: deque[tuple[TextBlock, Automaton]] = deque()
        self._thread: threading.Thread | None = None
        self._is_counting = False
        self._is_finishing = False
        self._errors: list[BaseException] = []
        self._changed = threading.Condition()

    def compile(self) -> Iterator[None]:
        """Compile the kernels in the thread, or load them from disk; yields meanwhile."""
        return loader.compile_in_thread("counting", compile_kernels)

    def count(self, block: TextBlock, automaton: Automaton) -> Iterator[None]:
        """Count a block after those before it; yields while too many are waiting."""
        if self._waiting and block.size <= MAX_CUT_BYTES:
            block.pre_tokens(automaton).find()
        while len(self._waiting) >= MAX_WAITING:
            yield from self._wait()
        self._raise()
        with self._changed:
            self._waiting.append((block, automaton))
            self._changed.notify()
            if not self._is_counting:
                self._is_counting = True
                self._is_finishing = False
                self._thread = threading.Thread(target=self._count, name="counting", daemon=True)
                self._thread.start()

    def finish(self) -> Generator[None, None, WordTable]:
        """Wait until all blocks are counted; returns the table."""
        with self._changed:
            self._is_finishing = True
            self._changed.notify()
        while self._is_counting:
            yield from self._wait()
        if self._thread is not None:
            self._thread.join()
        self._raise()
        if self._table is None:
            self._table = WordTable()
        return self._table

    def _wait(self) -> Iterator[None]:
        with self._changed:
            if self._is_counting:
                self._changed.wait(_WAIT_S)
        yield

    def _count(self) -> None:
        try:
            if self._table is None:
                self._table = WordTable()
            while (work := self._next()) is not None:
                self._table.count(*work)
        except BaseException as error:
            with self._changed:
                self._errors.append(error)
                self._waiting.clear()
                self._is_counting = False
                self._changed.notify()

    def _next(self) -> tuple[TextBlock, Automaton] | None:
        with self._changed:
            self._changed.notify()
            self._changed.wait_for(lambda: self._waiting or self._is_finishing, _LINGER_S)
            if self._waiting:
                return self._waiting.popleft()
            self._is_counting = False
            self._changed.notify()
            return None

    def _raise(self) -> None:
        if self._errors:
            raise self._errors[0]
