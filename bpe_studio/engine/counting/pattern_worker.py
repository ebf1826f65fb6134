"""Splits text with an expression that only `regex` supports, in a process of its own.

`regex` holds the interpreter's lock, or reacquires it for every match, so that threads do not run in parallel.
`pattern_processes.py` starts these processes, sends them work and adds up their counts. Only `regex` is imported here,
so that a process starts quickly.
"""

from __future__ import annotations

import marshal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import regex

from bpe_studio.engine.text.timed_matches import TimeBudget, is_full, match_batches

MOST_SPANS = 64
"""How many matches at each end of a block are listed one by one."""

_FAR = 1 << 16
"""The most characters that are searched at a time if matches are few."""
_AT_ONCE = 16
"""So many short texts are cut between two looks at the clock."""
_WORDS_AT_ONCE = 1 << 14


class Cut(NamedTuple):
    """The result of splitting a block; places are code-point positions.

    Attributes:
        head: (start, end) of the first matches that are not empty, which are not counted.
        end: the end of the last match that was counted or is in the head.
        tail: (start, end) of the next matches, which are not counted.
        is_last: whether the text has no match after the tail.
    """

    head: list[tuple[int, int]]
    end: int
    tail: list[tuple[int, int]]
    is_last: bool


class BlockCutter:
    """Splits blocks of text and counts the pieces; the counts of a block wait until it is known whether they are right.

    Args:
        pattern: the expression.
        timeout_s: the time limit of one match.
        releases_lock: whether other threads may run during a match, which takes longer then.
    """

    def __init__(self, pattern: str, timeout_s: float, releases_lock: bool = False) -> None:
        self._pattern = regex.compile(pattern)
        self._options = {"timeout": timeout_s, "concurrent": releases_lock}
        self._timeout_s, self._releases_lock = timeout_s, releases_lock
        self._budget = TimeBudget()
        self._parts: list[str] = []
        self._text = ""
        self._waiting: dict[int, Counter[str]] = {}
        self._counted: Counter[str] = Counter()
        self._bounds: list[tuple[int, int]] = []

    def add_text(self, part: str) -> None:
        """Add a part to the next text."""
        self._parts.append(part)

    def begin_text(self) -> None:
        """Join the parts into the text of the following blocks."""
        self._text = ""
        self._text = "".join(self._parts)
        self._parts = []

    def cut_texts(self, number: int, texts: list[str]) -> None:
        """Split short texts, each separately."""
        found: list[str] = []
        self._budget.add_text(sum(map(len, texts)))
        begun = time.thread_time()
        for number_of_text, text in enumerate(texts, 1):
            n = len(found)
            try:
                found.extend(map(_text_of, self._pattern.finditer(text, **self._options)))
            except TimeoutError:
                begun = self._spend_since(begun)
                del found[n:]
                for batch in self._matches(text, 0):
                    found.extend(map(_text_of, batch))
                begun = time.thread_time()
            if number_of_text % _AT_ONCE == 0:
                begun = self._spend_since(begun)
        self._waiting[number] = Counter(found)

    def cut_chunks(self, number: int, text: str, weights: list[int]) -> None:
        """Split chunks that white space bounds, each after a line feed; each piece counts as its chunk's weight."""
        # Line feeds are found with the pieces, so that one list shows the chunk of each.
        pattern = regex.compile(f"{self._pattern.pattern}|\n")
        self._budget.add_text(len(text))
        begun = time.thread_time()
        try:
            found = pattern.findall(text, **self._options)
            self._spend_since(begun)
        except TimeoutError:
            self._spend_since(begun)
            found = []
            for chunk in text[1:].split("\n"):
                found += ["\n", *(piece for batch in self._matches(chunk, 0) for piece in map(_text_of, batch))]
        counted = self._waiting[number] = Counter()
        weight, left = 0, iter(weights)
        for piece in found:
            if piece == "\n":
                weight = next(left)
            else:
                counted[piece] += weight

    def cut_block(self, number: int, start: int, end: int, is_border: bool) -> Cut:
        """Split the text from a place to the first match that ends at another place or after it.

        Args:
            number: the number of the block.
            start: where to begin.
            end: the start of the next block.
            is_border: whether a match, or the text, is known to begin at `start`.
        """
        counted = self._waiting[number] = Counter()
        self._budget.add_text(end - start)
        head: list[tuple[int, int]] = []
        wanted = 0 if is_border else MOST_SPANS
        last, tail, is_behind = start, [], False
        for batch in self._matches(self._text, start):
            if not is_behind:
                is_behind = batch[-1].end() >= end
                n = len(batch)
                if is_behind:
                    n = 1 + next(i for i, match in enumerate(batch) if match.end() >= end and is_full(match))
                head += _spans(batch[: min(wanted, n)])
                counted.update(map(_text_of, batch[min(wanted, n) : n]))
                wanted = max(0, wanted - n)
                last = batch[n - 1].end()
                batch = batch[n:]
            tail += _spans(batch)
            if is_behind and (len(tail) >= MOST_SPANS or (tail and tail[-1][1] > last + _FAR)):
                return Cut(head, last, tail, False)
        return Cut(head, last, tail, True)

    def settle(self, number: int, is_right: bool) -> None:
        """Keep the counts of a block, in the order of the text, or discard them."""
        counted = self._waiting.pop(number)
        del counted[""]
        if is_right:
            self._counted.update(counted)
            self._bounds.append((number, len(self._counted)))

    @property
    def counted(self) -> Counter[str]:
        """The counts that were kept, in the order of the text."""
        return self._counted

    def words(self) -> tuple[list[tuple[int, int]], int]:
        """(number, number of distinct pieces up to its end) of each block that was kept; and the number of batches."""
        return self._bounds, -(-len(self._counted) // _WORDS_AT_ONCE)

    def batch(self, index: int) -> list[tuple[str, int]]:
        """Some of the pieces and their counts, in the order of the text."""
        return list(islice(self._counted.items(), index * _WORDS_AT_ONCE, (index + 1) * _WORDS_AT_ONCE))

    def _spend_since(self, begun: float) -> float:
        now = time.thread_time()
        self._budget.spend(now - begun)
        return now

    def _matches(self, text: str, place: int) -> Iterator[list[regex.Match[str]]]:
        return match_batches(
            self._pattern,
            text,
            place,
            self._budget,
            timeout_s=self._timeout_s,
            releases_lock=self._releases_lock,
        )


_text_of: Any = regex.Match.group


def _spans(matches: list[regex.Match[str]]) -> list[tuple[int, int]]:
    return [match.span() for match in matches if is_full(match)]


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Handle requests from the other process until it closes its end."""
    cutter: BlockCutter | None = None
    while True:
        try:
            name, *details = marshal.load(source)
        except EOFError:
            return
        reply: Any = None
        is_late = False
        try:
            if cutter is None:
                cutter = BlockCutter(*details)
            else:
                reply = getattr(cutter, name)(*details)
        except TimeoutError:
            is_late = True
        marshal.dump((is_late, tuple(reply) if isinstance(reply, Cut) else reply), sink)
        sink.flush()


def main() -> None:
    """Serve at standard input and output."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(source, sink)
