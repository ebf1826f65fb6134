"""Counting text with the `regex` library and a dictionary: for small texts.

It needs nothing compiled, so that a person who opens a sample sees it at once. Large texts go to `fast_counting.py` or
`pattern_counting.py`, which give the same words and counts in the same order.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import pre_tokens

_BATCH = 4096
_SLICE_S = 0.01
_MAX_DEPTH = 20


@dataclass
class TextMeasures:
    """What is known of a text apart from its words.

    Attributes:
        size_bytes: its size as UTF-8, before normalization.
        n_characters: its length in code points.
        n_whitespace_words: how many words white space separates.
        n_documents: how many texts were cut by themselves.
    """

    size_bytes: int = 0
    n_characters: int = 0
    n_whitespace_words: int = 0
    n_documents: int = 0


class PlainCounting:
    """Counts text as it comes; `CorpusBuilder` says what the methods do."""

    def __init__(self, config: TrainingConfig) -> None:
        self.measures = TextMeasures()
        self._config = config
        self._counted: Counter[str] = Counter()
        self._held: list[str] = []
        self._in_word = False

    def feed(self, text: str) -> Iterator[None]:
        """Count a piece of text."""
        for start in range(0, len(text), 1 << 18):
            self._measure(text[start : start + (1 << 18)])
            yield
        complete = text.rfind("\n") + 1 if self._config.documents == "line" else 0
        if complete:
            yield from self._count_lines("".join([*self._held, text[:complete]]))
            self._held = []
        self._held.append(text[complete:])

    def finish_document(self) -> Iterator[None]:
        """Count what is still held of the document."""
        text = "".join(self._held)
        self._held = []
        self._in_word = False
        if self._config.documents == "separator":
            for part in split_at_specials(text, self._config.all_special):
                yield from self._count(part)
        elif text:
            yield from self._count(text)

    def finish(self) -> Iterator[None]:
        """Count what is left."""
        yield from self.finish_document()

    def words(self) -> Words:
        """The table of all that was fed."""
        return words_of(add_up_by_bytes(self._counted))

    def _measure(self, text: str) -> None:
        self.measures.size_bytes += len(to_bytes(text))
        self.measures.n_characters += len(text)
        words = len(text.split())
        # A word that continues from the piece before was counted there.
        self.measures.n_whitespace_words += words - (self._in_word and bool(words) and not text[0].isspace())
        self._in_word = bool(text) and not text[-1].isspace()

    def _count(self, text: str) -> Iterator[None]:
        self.measures.n_documents += 1
        found = pre_tokens(normalize(text, self._config.normalize), self._config.split)
        begun = time.perf_counter()
        while batch := list(islice(found, _BATCH)):
            self._counted.update(batch)
            if time.perf_counter() - begun > _SLICE_S:
                yield
                begun = time.perf_counter()

    def _count_lines(self, text: str) -> Iterator[None]:
        lines = normalize(text, self._config.normalize).split("\n")
        lines.pop()
        self.measures.n_documents += len(lines)
        begun = time.perf_counter()
        for line in lines:
            self._counted.update(pre_tokens(line + "\n", self._config.split))
            if time.perf_counter() - begun > _SLICE_S:
                yield
                begun = time.perf_counter()


def split_at_specials(text: str, specials: Sequence[str]) -> list[str]:
    """The stretches of text between special tokens; where one begins another, the longer one is taken."""
    return [part for part in specials_pattern(specials).split(text) if part] if specials else [text]


def specials_pattern(specials: Iterable[str]) -> re.Pattern[str]:
    """An expression that finds special tokens, the longest one that begins at a place; none for none.

    What several begin with is written once, as 100,000 alternatives side by side take half a minute to compile.
    """
    names = sorted(set(specials))
    return re.compile(_any_of(names, _MAX_DEPTH) if names else "(?!)")


def _any_of(names: Sequence[str], depth: int) -> str:
    """An expression for the longest of some texts, which are sorted; with groups this deep at most."""
    first, last = names[0], names[-1]
    prefix = first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]
    rests = [name[len(prefix) :] for name in names]
    if len(rests) == 1:
        return re.escape(prefix)
    is_one_of_them = not rests[0]
    rests = rests[is_one_of_them:]
    if depth:
        parts = [_any_of(list(group), depth - 1) for _, group in groupby(rests, key=itemgetter(0))]
    else:
        parts = [re.escape(rest) for rest in sorted(rests, key=len, reverse=True)]
    return f"{re.escape(prefix)}(?:{'|'.join(parts)}){'?' * is_one_of_them}"


def to_bytes(text: str) -> bytes:
    """A text's UTF-8 bytes; stray bytes that were kept as lone surrogates come out as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half a surrogate pair stands for no byte; it is kept as the three bytes that it would have.
        return b"".join(
            c.encode("utf-8", "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass") for c in text
        )


def add_up_by_bytes(counted: Mapping[str, int]) -> dict[bytes, int]:
    """Counted words by their bytes; several may have the same ones where stray bytes make a character together."""
    with suppress(UnicodeEncodeError):
        return {name.encode(): count for name, count in counted.items()}
    table: dict[bytes, int] = {}
    for name, count in counted.items():
        key = to_bytes(name)
        table[key] = table.get(key, 0) + count
    return table


def words_in_slices(counted: Mapping[str, int]) -> Generator[None, None, Words]:
    """Counted words as arrays, by their bytes; yields meanwhile, for there may be many."""
    table: dict[bytes, int] = {}
    items = iter(counted.items())
    while batch := dict(islice(items, _BATCH)):
        for key, count in add_up_by_bytes(batch).items():
            table[key] = table.get(key, 0) + count
        yield
    return words_of(table)


def words_of(counted: Mapping[bytes, int]) -> Words:
    """Counted words as arrays."""
    lengths = np.fromiter(map(len, counted), np.int64, len(counted))
    return Words(
        np.frombuffer(b"".join(counted), np.uint8),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.fromiter(counted.values(), np.int64, len(counted)),
    )
