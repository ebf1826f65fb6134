"""The threads that count blocks of text beside each other, each in a table of its own.

A thread lives for one block, so that nothing is left running when a caller gives up in the middle. Waiting is done in
short turns with a `yield` between, so that the caller can pause or stop.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator

from bpe_studio.engine import kernels
from bpe_studio.engine.split_automata import Automaton
from bpe_studio.engine.word_table import TextBlock, WordTable, compile_counting

MAX_THREADS = 4
"""More threads than this would spend what they save on adding up their tables."""

_WAIT_S = 0.005


class CountingThreads:
    """Counts blocks in as many threads as there are processors, up to `MAX_THREADS`."""

    def __init__(self) -> None:
        self._limit = min(MAX_THREADS, n_processors())
        self._tables: list[WordTable] = []
        self._free: list[WordTable] = []
        self._errors: list[BaseException] = []
        self._freed = threading.Condition()

    def compile(self) -> Iterator[None]:
        """Have the kernels compiled, or read from disk; yields meanwhile."""
        if kernels.is_ready("counting"):
            return
        thread = threading.Thread(target=self._compile, name="counting", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(_WAIT_S)
            yield
        self._raise()

    def count(self, block: TextBlock, base: int, automaton: Automaton) -> Iterator[None]:
        """Have a block counted; yields while all threads are busy. Blocks come in the order of the text."""
        while (table := self._take()) is None:
            self._wait()
            yield
        work = (table, block, base, automaton)
        threading.Thread(target=self._count, args=work, name="counting", daemon=True).start()

    def finish(self) -> Generator[None, None, WordTable]:
        """Wait for all threads, and add their tables up."""
        while len(self._free) < len(self._tables):
            self._wait()
            yield
        self._raise()
        tables = sorted(self._tables, key=len, reverse=True) or [WordTable()]
        for other in tables[1:]:
            tables[0].absorb(other)
            yield
        self._tables, self._free = tables[:1], tables[:1]
        return tables[0]

    def _take(self) -> WordTable | None:
        self._raise()
        with self._freed:
            if self._free:
                return self._free.pop()
            if len(self._tables) == self._limit:
                return None
            self._tables.append(WordTable())
            return self._tables[-1]

    def _wait(self) -> None:
        with self._freed:
            self._freed.wait(_WAIT_S)

    def _count(self, table: WordTable, block: TextBlock, base: int, automaton: Automaton) -> None:
        try:
            table.count(block, base, automaton)
        except BaseException as error:
            self._errors.append(error)
        finally:
            with self._freed:
                self._free.append(table)
                self._freed.notify()

    def _compile(self) -> None:
        try:
            compile_counting()
        except BaseException as error:
            self._errors.append(error)

    def _raise(self) -> None:
        if self._errors:
            raise self._errors[0]


def n_processors() -> int:
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
