"""Counts large texts with an expression that has no automaton: `regex` splits them, in several processes.

If white space bounds the expression's matches (`splits/whitespace_bounded.py`), `fast_counting.py` counts the chunks
between white space first, and only the distinct ones are split here. Otherwise the whole text is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator

import regex

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.pattern_processes import BLOCK_CHARACTERS, MAX_PROCESSES, PatternProcesses
from bpe_studio.engine.counting.pattern_worker import BlockCutter
from bpe_studio.engine.counting.plain_counting import PlainCounting, words_in_slices, words_of
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.processors import n_processors
from bpe_studio.engine.splits.whitespace_bounded import bounded_form
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import MATCH_TIMEOUT_S, compile_split

_FEW_STRETCHES, _MANY_STRETCHES = 1 << 11, 1 << 14
"""How many texts are split at a time, here or in another process; fewer are not worth a process."""

_LINES_AT_ONCE = 1 << 10

_MOST_CHARACTERS = 1 << 28
"""A longer text is split in this process, because each of the others would need a copy."""


def can_count_in_processes(split: str) -> bool:
    """Whether large texts with a custom expression are counted here."""
    # In an expression that matches from right to left, matches depend on what follows.
    return n_processors() > 1 and not compile_split(split).flags & regex.REVERSE


class PatternCounting(PlainCounting):
    """Counts text as it is read; `CorpusBuilder` describes the methods.

    Args:
        config: the options; `can_count_in_processes` must be true for their split.
        block_characters: the size of a block for one process.
    """

    def __init__(self, config: TrainingConfig, block_characters: int = BLOCK_CHARACTERS) -> None:
        super().__init__(config)
        self._block_characters = block_characters
        self._short: list[str] = []
        self._n_short = 0
        self._processes: PatternProcesses | None = None
        self._words = words_of({})

    def finish(self) -> Iterator[None]:
        """Count the rest, and wait for the processes."""
        yield from self.finish_document()
        yield from self._gather()
        self._words = yield from words_in_slices(self._counted)

    def words(self) -> Words:
        """The table of all text that was fed."""
        return self._words

    def _count(self, text: str) -> Iterator[None]:
        if len(text) > _MOST_CHARACTERS:
            yield from self._gather()
            yield from super()._count(text)
            return
        self.measures.n_documents += 1
        text = normalize(text, self._config.normalize)
        if len(text) < 2 * self._block_characters:
            yield from self._count_short([text])
        else:
            yield from self._cut_short()
            yield from self._running().cut_long(text)

    def _count_lines(self, text: str) -> Iterator[None]:
        lines = normalize(text, self._config.normalize).split("\n")
        lines.pop()
        self.measures.n_documents += len(lines)
        for start in range(0, len(lines), _LINES_AT_ONCE):
            yield from self._count_short([line + "\n" for line in lines[start : start + _LINES_AT_ONCE]])

    def _count_short(self, texts: list[str]) -> Iterator[None]:
        self._short += texts
        self._n_short += sum(map(len, texts))
        if self._n_short >= self._block_characters:
            yield from self._cut_short()

    def _cut_short(self) -> Iterator[None]:
        texts, self._short, self._n_short = self._short, [], 0
        if texts:
            yield from self._running().cut_texts(texts)

    def _running(self) -> PatternProcesses:
        if self._processes is None:
            n = min(MAX_PROCESSES, n_processors())
            pattern = compile_split(self._config.split).pattern
            self._processes = PatternProcesses(pattern, MATCH_TIMEOUT_S, n, self._block_characters)
        return self._processes

    def _gather(self) -> Generator[None, None, None]:
        yield from self._cut_short()
        if self._processes is not None:
            counted: Counter[str] = yield from self._processes.finish()
            self._processes = None
            if self._counted:
                self._counted.update(counted)
            else:
                self._counted = counted


def cut_chunks(words: Words, split: str) -> Generator[None, None, Words]:
    """The pre-tokens of counted chunks that white space bounds; the text of each chunk follows a line feed."""
    pattern = bounded_form(split)
    assert pattern is not None
    counted: Counter[str]
    if len(words.counts) < _MANY_STRETCHES or n_processors() == 1:
        cutter = BlockCutter(pattern, MATCH_TIMEOUT_S, releases_lock=True)
        for number, (text, weights) in enumerate(_batches(words, _FEW_STRETCHES)):
            cutter.cut_chunks(number, text, weights)
            cutter.settle(number, True)
            yield
        counted = cutter.counted
    else:
        processes = PatternProcesses(pattern, MATCH_TIMEOUT_S, min(MAX_PROCESSES, n_processors()))
        for text, weights in _batches(words, _MANY_STRETCHES):
            yield from processes.cut_chunks(text, weights)
        counted = yield from processes.finish()
    return (yield from words_in_slices(counted))


def _batches(words: Words, size: int) -> Iterator[tuple[str, list[int]]]:
    for low in range(0, len(words.counts), size):
        high = min(low + size, len(words.counts))
        text = words.blob[words.offsets[low] : words.offsets[high]].tobytes().decode("utf-8", "surrogatepass")
        yield text, words.counts[low:high].tolist()
