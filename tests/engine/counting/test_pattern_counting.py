"""Expressions that only `regex` understands: several processes find and count what one does, in the same order."""

from __future__ import annotations

import gc
import random
import sys
import threading
import time
from collections.abc import Iterator
from itertools import cycle

import pytest
import regex

import bpe_studio as bpe
from bpe_studio.engine.counting import corpus as corpus_module
from bpe_studio.engine.counting import pattern_counting, pattern_processes, pattern_worker
from bpe_studio.engine.counting.pattern_counting import PatternCounting, can_count_in_processes
from bpe_studio.engine.counting.pattern_worker import MOST_SPANS, BlockCutter
from bpe_studio.engine.counting.plain_counting import PlainCounting
from tests.engine.counting.test_fast_counting import NASTY, SEPARATORS, _alike, _count
from tests.examples import examples

PATTERNS = [
    r"(?<=a)b|.",
    r"\b\w+",
    r"\w*",
    r"(\w)\1|.",
    r"(?:.|\n){200}",
    r"(?m)^.*$",
    r"(?:a|b?)+|.",
    r"never",
    r"\Ga|b",
    r"(?<=(\w+) )\w",
    r"a\Kb|.{3}",
]


@pytest.fixture(autouse=True)
def leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pattern_counting, "n_processors", lambda: 3)
    yield
    for thread in threading.enumerate():
        if thread.name == "counting":
            thread.join(20)
            assert not thread.is_alive()


def _config(pattern: str, documents: str = "file") -> bpe.TrainingConfig:
    return bpe.TrainingConfig.preset("raw", split=f"regex:{pattern}", documents=documents, special=SEPARATORS)


def _exhaust(steps: Iterator[None]) -> None:
    for _ in steps:
        pass


@pytest.mark.slow(buys="real processes for each kind of expression")
@pytest.mark.parametrize(("pattern", "documents"), [*zip(PATTERNS, cycle(("file", "line", "separator")), strict=False)])
def test_several_processes_are_like_one(pattern: str, documents: str) -> None:
    assert can_count_in_processes(f"regex:{pattern}")
    rng = random.Random(f"{pattern} {documents}")
    config = _config(pattern, documents)
    pieces = [*"aab bc. \n", *rng.choices(NASTY, k=3), *SEPARATORS[:1]]
    texts = ["".join(rng.choices(pieces, k=k)) for k in (0, 30, 3000)]
    rng.shuffle(texts)
    fast = PatternCounting(config, block_characters=rng.choice([50, 300, 1000]))
    assert _count(fast, texts, None) == _count(PlainCounting(config), texts, None)


def _blocks(pattern: str, text: str, size: int) -> list[tuple[str, int]]:
    """What blocks of a text come to, put together by stand-ins for the processes."""
    processes = pattern_processes.PatternProcesses(pattern, 2.0, 2, size)
    found: dict[str, int] = {}
    for _ in processes.cut_long(text):
        pass
    steps = processes.finish()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found = end.value
            return list(found.items())


@pytest.mark.parametrize("pattern", PATTERNS)
def test_blocks_are_joined_wherever_they_begin(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    rng = random.Random(6)
    for _ in range(examples(15)):
        monkeypatch.setattr(pattern_worker, "_FAR", rng.choice([4, 40, 1 << 16]))
        text = "".join(rng.choices(rng.choice(["ab", "ab \n", "aaab. ", NASTY]), k=rng.randint(1, 900)))
        found: dict[str, int] = {}
        for match in regex.finditer(pattern, text):
            if match.group():
                found[match.group()] = found.get(match.group(), 0) + 1
        assert _blocks(pattern, text, rng.choice([1, 7, 60, 300])) == list(found.items()), text


def test_a_block_that_has_to_be_cut_again() -> None:
    # Pairs of characters: a scan that begins at an odd place never meets one that began at the text's beginning.
    text = "ab" * 2000
    cutter = BlockCutter("(?s)..", 2.0)
    cutter.add_text(text)
    cutter.begin_text()
    cut = cutter.cut_block(1, 101, 300, False)
    assert cut.head[0] == (101, 103) and len(cut.head) == MOST_SPANS and cut.end == 301
    assert _blocks("(?s)..", text, 101) == [("ab", 2000)]


def test_blocks_that_a_match_goes_past_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    begun: list[int] = []
    cut_block = BlockCutter.cut_block

    def noted(self: BlockCutter, number: int, *details: object) -> object:
        begun.append(number)
        return cut_block(self, number, *details)

    monkeypatch.setattr(BlockCutter, "cut_block", noted)
    for text, pattern, found in [
        ("a" * 9000 + "b" * 900, r"a+(?<=a)|b", [("a" * 9000, 1), ("b", 900)]),
        ("a" * 9900, "b(?<=b)", []),
        ("a" * 50 + "ba" * 20 + "a" * 9000 + "c", r"(?<=a)(?:b|c)", [("b", 20), ("c", 1)]),
    ]:
        begun.clear()
        assert _blocks(pattern, text, 100) == found
        assert len(begun) < 40


@pytest.mark.parametrize("pattern", [r"\b\w+\b|\S", r"(?<=a)\w+|\S", r"(?>\w+|')+"])
def test_stretches_that_white_space_bounds(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_counting, "_MANY_STRETCHES", 20)
    _alike(4, f"regex:{pattern}", 6, monkeypatch)


@pytest.mark.slow(buys="the time limit of an expression, which has to pass")
@pytest.mark.parametrize("executable", [sys.executable, ""])
def test_an_expression_that_does_not_end(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "FAST_CHARACTERS", 100)
    monkeypatch.setattr(pattern_counting, "MATCH_TIMEOUT_S", 0.1)
    monkeypatch.setattr(sys, "executable", executable)
    for pattern in (r"\b(?:a|aa)+[cd]", r"(?<=b)(?:a|aa)+ [cd]"):
        with pytest.raises(bpe.PatternError, match="too long"):
            bpe.Corpus.from_text("b " + "ba" + "a" * 5000 + " e" * 50 + " " + "a" * 5000, _config(pattern))


@pytest.mark.slow(buys="matches that take half a second together")
def test_one_slow_match_after_many_quick_ones() -> None:
    # All that is slow takes longer than the limit, each match of it less.
    cutter = BlockCutter(r"(?<=x)x|y(?:a|a)*[bc]|y", 0.25)
    text = "x" * 3001 + ("y" + "a" * 17) * 16 + "x" * 10
    cutter.add_text(text)
    cutter.begin_text()
    cutter.cut_block(1, 0, len(text), True)
    cutter.settle(1, True)
    assert cutter.counted == {"x": 3009, "y": 16}


def test_counting_answers_while_it_waits_and_ends_its_processes_when_given_up() -> None:
    counting = PatternCounting(_config(r"(?<=a)b|."), block_characters=50_000)
    _exhaust(counting.feed("ab c" * 1_000_000))
    steps = counting.finish_document()
    for _ in range(20):
        begun = time.perf_counter()
        next(steps)
        assert time.perf_counter() - begun < 1
    workers = counting._running()._workers
    processes = [worker._process for worker in workers if worker._process is not None]
    assert processes
    del counting, steps
    for thread in threading.enumerate():
        if thread.name == "counting":
            thread.join(20)
    gc.collect()
    assert all(process.poll() is not None for process in processes)


def test_a_process_that_ends_by_itself() -> None:
    counting = PatternCounting(_config(r"(?<=a)b|."), block_characters=100)
    _exhaust(counting.feed("ab c" * 100))
    _exhaust(counting.finish_document())
    for worker in counting._running()._workers:
        if worker._process is not None:
            worker._process.kill()
            worker._process.wait()
    with pytest.raises(bpe.CorpusError, match="ended unexpectedly"):
        _exhaust(counting.finish())


def test_right_to_left_is_left_to_one_process() -> None:
    assert not can_count_in_processes(r"regex:(?r)\w+")
    assert can_count_in_processes(r"regex:\b\w+")


def test_text_after_the_end_is_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "FAST_CHARACTERS", 100)
    builder = corpus_module.CorpusBuilder(_config(r"(?<!x)\w+"))
    builder.add_text("one two " * 100)
    assert dict(builder.finish().items()) == {"one": 100, "two": 100}
    builder.add_text("two three ")
    assert dict(builder.finish().items()) == {"one": 100, "two": 101, "three": 1}
