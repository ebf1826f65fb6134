"""Counts small texts with the `regex` library and a dictionary.

Nothing needs to be compiled, so that a sample opens at once. `fast_counting.py` counts large texts
and gives the same words and counts in the same order.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import pre_tokens
from bpe_studio.engine.text.special_text import split_at_specials
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.engine.text.utf8 import to_bytes

if TYPE_CHECKING:
    from bpe_studio.engine.counting.word_table import Words

_PIECE = 1 << 18
_BATCH = 4096
_SLICE_S = 0.01


@dataclass
class TextMeasures:
    """The measures of a text apart from its words.

    Attributes:
        size_bytes: its size as UTF-8, before normalization.
        n_characters: its length in code points.
        n_whitespace_words: the number of words separated by white space.
        n_documents: the number of texts that were split separately.
    """

    size_bytes: int = 0
    n_characters: int = 0
    n_whitespace_words: int = 0
    n_documents: int = 0

    def add(self, other: TextMeasures, times: int = 1) -> None:
        """Add the measures of another text, which is repeated `times` times."""
        self.size_bytes += times * other.size_bytes
        self.n_characters += times * other.n_characters
        self.n_whitespace_words += times * other.n_whitespace_words
        self.n_documents += times * other.n_documents


class PlainCounting:
    """Counts text as it is read; `CorpusBuilder` describes the methods."""

    def __init__(self, config: TrainingConfig) -> None:
        self.measures = TextMeasures()
        self._config = config
        self._counted: Counter[str] = Counter()
        self._held: list[str] = []
        self._budget = TimeBudget()
        self._in_word = False

    def feed(self, text: str) -> Iterator[None]:
        """Count a piece of text."""
        for start in range(0, len(text), _PIECE):
            self._measure(text[start : start + _PIECE])
            yield
        complete = text.rfind("\n") + 1 if self._config.documents == "line" else 0
        if complete:
            yield from self._count_lines("".join([*self._held, text[:complete]]))
            self._held = []
        self._held.append(text[complete:])

    def finish_document(self) -> Iterator[None]:
        """Count the rest of the document."""
        text = "".join(self._held)
        self._held = []
        self._in_word = False
        if self._config.documents == "separator":
            for part in split_at_specials(text, self._config.all_special):
                yield from self._count(part)
        elif text:
            yield from self._count(text)

    def finish(self) -> Iterator[None]:
        """Count the rest."""
        yield from self.finish_document()

    def words(self) -> Words:
        """The table of all text that was fed."""
        return words_of(add_up_by_bytes(self._counted))

    def _measure(self, text: str) -> None:
        self.measures.size_bytes += len(to_bytes(text))
        self.measures.n_characters += len(text)
        n_words = len(text.split())
        if n_words and self._in_word and not text[0].isspace():
            n_words -= 1  # the word that continues was counted with the previous piece
        self.measures.n_whitespace_words += n_words
        self._in_word = bool(text) and not text[-1].isspace()

    def _count(self, text: str) -> Iterator[None]:
        self.measures.n_documents += 1
        found = pre_tokens(
            normalize(text, self._config.normalize), self._config.cutting, self._budget
        )
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
            self._counted.update(pre_tokens(line + "\n", self._config.cutting, self._budget))
            if time.perf_counter() - begun > _SLICE_S:
                yield
                begun = time.perf_counter()


def add_up_by_bytes(counted: Mapping[str, int]) -> dict[bytes, int]:
    """The counts of words by their bytes.

    Words may have equal bytes if stray bytes form a character together.
    """
    with suppress(UnicodeEncodeError):
        return {name.encode(): count for name, count in counted.items()}
    table: dict[bytes, int] = {}
    for name, count in counted.items():
        key = to_bytes(name)
        table[key] = table.get(key, 0) + count
    return table


def words_of(counted: Mapping[bytes, int]) -> Words:
    """Counted words as arrays."""
    from bpe_studio.engine.counting.word_table import Words

    lengths = np.fromiter(map(len, counted), np.int64, len(counted))
    return Words(
        np.frombuffer(b"".join(counted), np.uint8),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.fromiter(counted.values(), np.int64, len(counted)),
    )
