"""Processes that split text with an expression that only `regex` supports.

A long text is split in blocks in parallel, although it is not known where the first match in a block begins. Each
process has the whole text, so that it sees what surrounds a block; it begins at the start of the block and continues
into the next one. Once two scans have a match that ends at the same place, they agree on everything after it, so the
matches of the later scan before that place are discarded, and those of the earlier scan after it. If there is no such
place within a few matches, the later block is scanned again, from where the earlier scan ended.

The processes count the pieces; here they are put in first-seen order.

A `concurrent.futures.ProcessPoolExecutor` does not fit: it starts its processes by importing the main module of the
program, which would run a user's script a second time if it has no `if __name__ == "__main__"`, and which a frozen
program cannot do. Here, a process imports one module that needs nothing but `regex`, and if none can be started, the
text is split in this process. A pool also sends each task to any of its processes; here, each one keeps the text and
its counts from block to block.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.counting import pattern_worker
from bpe_studio.engine.counting.pattern_worker import BlockCutter, Cut
from bpe_studio.errors import CorpusError

MAX_PROCESSES = 4
"""With more processes, adding up their counts would take longer than they save."""
BLOCK_CHARACTERS = 1 << 20
_PART_CHARACTERS = 1 << 18
_WAIT_S = 0.005
_START = f"import sys; sys.path[:] = sys.argv[1:]; from {pattern_worker.__name__} import main; main()"


class PatternProcesses:
    """Splits texts in several processes and counts the pieces.

    Args:
        pattern: the expression.
        timeout_s: the time limit of one match.
        n: the number of processes.
        block_characters: the size of a block for one process.
    """

    def __init__(self, pattern: str, timeout_s: float, n: int, block_characters: int = BLOCK_CHARACTERS) -> None:
        self._workers = [_Worker(pattern, timeout_s) for _ in range(n)]
        self._free = list(self._workers)
        self._errors: list[BaseException] = []
        self._freed = threading.Condition()
        self._block_characters = block_characters
        self._n_blocks = 0
        self._n_texts = 0
        # What was counted, in the order of the text: either here, or as a numbered block of a worker.
        self._counted: list[Counter[str] | tuple[_Worker, int]] = []
        self._end = weakref.finalize(self, _end_all, self._workers)

    def cut_texts(self, texts: list[str]) -> Iterator[None]:
        """Split short texts, each separately; yields while all processes are busy."""
        yield from self._ask("cut_texts", texts)

    def cut_chunks(self, text: str, weights: list[int]) -> Iterator[None]:
        """Split chunks that white space bounds; see `BlockCutter`. The expression has no captures."""
        yield from self._ask("cut_chunks", text, weights)

    def cut_long(self, text: str) -> Iterator[None]:
        """Split one text in blocks; yields meanwhile."""
        self._n_texts += 1
        size = self._block_characters
        blocks = [_Block(self._next_number(), start, start + size) for start in range(0, len(text), size)]
        blocks[-1].end = len(text)
        begun = stitched = 0
        last: Cut | None = None
        while stitched < len(blocks):
            if begun < len(blocks):
                # If matches are few or long, those before it may end after this block.
                if last is None or not (last.is_last or last.end >= blocks[begun].end):
                    yield from self._cut(text, blocks[begun], begun == 0)
                begun += 1
            # Blocks are joined as they arrive, so that few of them wait.
            while stitched < begun:
                block = blocks[stitched]
                if block.worker is not None:
                    if block.cut is None and begun < len(blocks):
                        break
                    yield from self._wait_for(block)
                    last = yield from self._stitch(text, last, block)
                stitched += 1
        if last is not None:
            self._count_here(text, last.tail)

    def finish(self) -> Generator[None, None, Counter[str]]:
        """Wait for all processes, and put their counts in the order of the text; the processes end."""
        yield from self._all_free()
        counted: Counter[str] = Counter()
        tables: dict[_Worker, tuple[dict[int, tuple[int, int]], list[tuple[str, int]]]] = {}

        def job(worker: _Worker) -> None:
            tables[worker] = worker.words() if worker.is_begun else ({}, [])

        for worker in self._workers:
            yield from self._run_on(worker, job)
        yield from self._all_free()
        for entry in self._counted:
            if isinstance(entry, Counter):
                counted.update(entry)
                continue
            bounds, words = tables[entry[0]]
            low, high = bounds[entry[1]]
            for word, count in words[low:high]:
                counted[word] += count
            yield
        self._counted = []
        self._end()
        return counted

    def _ask(self, name: str, *details: Any) -> Iterator[None]:
        number = self._next_number()

        def job(worker: _Worker) -> None:
            worker.ask(name, number, *details)
            worker.settle(number, True)

        worker = yield from self._run(job)
        self._counted.append((worker, number))

    def _next_number(self) -> int:
        self._n_blocks += 1
        return self._n_blocks

    def _cut(self, text: str, block: _Block, is_border: bool) -> Iterator[None]:
        n_texts = self._n_texts

        def job(worker: _Worker) -> None:
            worker.hold(text, n_texts)
            block.cut = Cut(*worker.ask("cut_block", block.number, block.start, block.end, is_border))

        block.cut = None
        block.worker = yield from self._run(job)

    def _stitch(self, text: str, last: Cut | None, block: _Block) -> Generator[None, None, Cut]:
        """Join a block to the text before it; returns the place up to which the text is split."""
        cut = block.finished
        if last is None:
            return self._keep(block, cut)
        tail_ends = [last.end, *(end for _, end in last.tail)]
        head_ends = {block.start, *(end for _, end in cut.head)}
        shared = next((end for end in tail_ends if end in head_ends), None)
        if shared is not None:
            self._count_here(text, [span for span in last.tail if span[1] <= shared])
            self._count_here(text, [span for span in cut.head if span[1] > shared])
            return self._keep(block, cut)
        block.worker.settle(block.number, False)
        self._count_here(text, last.tail)
        last = Cut([], tail_ends[-1], [], last.is_last)
        if last.is_last or last.end >= block.end:
            return last
        block.start, block.number = last.end, self._next_number()
        yield from self._cut(text, block, True)
        yield from self._wait_for(block)
        return self._keep(block, block.finished)

    def _keep(self, block: _Block, cut: Cut) -> Cut:
        block.worker.settle(block.number, True)
        self._counted.append((block.worker, block.number))
        return cut

    def _count_here(self, text: str, spans: list[tuple[int, int]]) -> None:
        self._counted.append(Counter(text[start:end] for start, end in spans))

    def _wait_for(self, block: _Block) -> Iterator[None]:
        while block.cut is None:
            self._raise()
            self._wait()
            yield

    def _run(self, job: Callable[[_Worker], None]) -> Generator[None, None, _Worker]:
        while not self._free:
            self._raise()
            self._wait()
            yield
        worker = self._free[0]
        yield from self._run_on(worker, job)
        return worker

    def _run_on(self, worker: _Worker, job: Callable[[_Worker], None]) -> Iterator[None]:
        # A thread lives for one job, so that nothing is left running if the caller stops half-way.
        self._raise()
        self._free.remove(worker)
        threading.Thread(target=self._do, args=(worker, job), name="counting", daemon=True).start()
        yield

    def _do(self, worker: _Worker, job: Callable[[_Worker], None]) -> None:
        try:
            job(worker)
        except BaseException as error:
            self._errors.append(error)
        finally:
            with self._freed:
                self._free.append(worker)
                self._freed.notify()

    def _all_free(self) -> Iterator[None]:
        while len(self._free) < len(self._workers):
            self._wait()
            yield
        self._raise()

    def _wait(self) -> None:
        with self._freed:
            self._freed.wait(_WAIT_S)

    def _raise(self) -> None:
        if self._errors:
            self._end()
            raise self._errors[0]


@dataclass
class _Block:
    number: int
    start: int
    end: int
    cut: Cut | None = None
    worker: Any = None

    @property
    def finished(self) -> Cut:
        assert self.cut is not None
        return self.cut


class _Worker:
    """One process, or a substitute if none can be started; used by one thread at a time."""

    def __init__(self, pattern: str, timeout_s: float) -> None:
        self._begin = pattern, timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._stand_in: BlockCutter | None = None
        self._settled: list[tuple[int, bool]] = []
        self._held = 0

    @property
    def is_begun(self) -> bool:
        """Whether it has had any request."""
        return self._process is not None or self._stand_in is not None

    def settle(self, number: int, is_right: bool) -> None:
        """Keep or discard the counts of a block; sent before the next request."""
        self._settled.append((number, is_right))

    def hold(self, text: str, number: int) -> None:
        """Give it the text of the following blocks."""
        if self._held != number:
            for start in range(0, len(text), _PART_CHARACTERS):
                self.ask("add_text", text[start : start + _PART_CHARACTERS])
            self.ask("begin_text")
            self._held = number

    def words(self) -> tuple[dict[int, tuple[int, int]], list[tuple[str, int]]]:
        """The words that each block added, as a range, and the words with their counts."""
        ends, n_batches = self.ask("words")
        words = [word for index in range(n_batches) for word in self.ask("batch", index)]
        bounds, low = {}, 0
        for number, high in ends:
            bounds[number] = low, high
            low = high
        return bounds, words

    def ask(self, name: str, *details: Any) -> Any:
        """Call a method of the cutter.

        Raises:
            TimeoutError: a match takes too long.
            CorpusError: the process ended unexpectedly.
        """
        if not self.is_begun:
            self._start()
        while self._settled:
            self._call("settle", *self._settled.pop(0))
        return self._call(name, *details)

    def _call(self, name: str, *details: Any) -> Any:
        if self._stand_in is not None:
            return getattr(self._stand_in, name)(*details)
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            marshal.dump((name, *details), process.stdin)
            process.stdin.flush()
            is_late, reply = marshal.load(process.stdout)
        except (OSError, EOFError, ValueError, TypeError):
            raise CorpusError(
                "A process that cuts the text ended unexpectedly, perhaps because there was not enough memory; "
                "close other programs, or train on less text"
            ) from None
        if is_late:
            raise TimeoutError
        return reply

    def _start(self) -> None:
        # The running program may not be a Python interpreter that can be started again.
        if "python" in os.path.basename(sys.executable or "").lower():
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", _START, *sys.path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
                self._call("begin", *self._begin)
                return
            except (OSError, CorpusError):
                self.end()
        self._stand_in = BlockCutter(*self._begin, releases_lock=True)

    def end(self) -> None:
        """Stop the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()


def _end_all(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.end()
