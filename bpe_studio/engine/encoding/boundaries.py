"""Whether tokens end where the parts of words do, at every step.

Gold words are words that somebody has divided into their parts, such as morphemes. A word stands as
it does in a text, after a space; only the borders inside it count. At a step, a border of tokens is
there if its gap is not closed yet, so one pass over the gap ranks answers for all steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from os import PathLike

import numpy as np

from bpe_studio.engine.arguments import as_path
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.errors import CorpusError

MOST_WORDS = 1_000_000
_BETWEEN_PARTS = re.compile(r"(?: |\||@@)+")
_COLUMNS_OF_MORPHYNET = 4


@dataclass(frozen=True)
class GoldWord:
    """A word and its parts.

    Attributes:
        word: the word, without space around it.
        parts: its parts, which joined are the word.
        group: what it belongs to, such as its language; empty for nothing.
    """

    word: str
    parts: tuple[str, ...]
    group: str = ""

    @property
    def borders(self) -> list[int]:
        """Where its parts meet, in characters from its start."""
        return list(accumulate(map(len, self.parts)))[:-1]

    @property
    def stem(self) -> tuple[int, int]:
        """Where its longest part, the first of equals, begins and ends in it."""
        places = [0, *self.borders, len(self.word)]
        return max(pairwise(places), key=lambda place: place[1] - place[0])


@dataclass(frozen=True)
class Boundaries:
    """How well the borders of tokens agree with those of gold words.

    Attributes:
        precision: the share of the borders of tokens inside words that are borders of parts; 0 if
            there are none.
        recall: the share of the borders of parts that are borders of tokens; 0 if there are none.
        f1: the harmonic mean of the two.
        whole_stems: the share of words whose longest part is one token, which may begin with the
            space before the word.
        n_words: how many words were compared.
    """

    precision: Float64Array
    recall: Float64Array
    f1: Float64Array
    whole_stems: Float64Array
    n_words: int

    @classmethod
    def of_counts(
        cls, right: Int64Array, found: Int64Array, n_gold: int, whole: Int64Array, n_words: int
    ) -> Boundaries:
        """The shares, from counts at each step.

        Args:
            right: (k,) borders that are both of tokens and of parts.
            found: (k,) borders of tokens.
            n_gold: the borders of parts.
            whole: (k,) words whose stem is one token.
            n_words: all words, at least one.
        """
        return cls(
            right / np.maximum(found, 1),
            right / max(n_gold, 1),
            2 * right / np.maximum(found + n_gold, 1),
            whole / n_words,
            n_words,
        )


def load_gold(path: str | PathLike[str]) -> tuple[list[GoldWord], int]:
    """The gold words of a file, and how many lines are left out; see `read_gold`.

    Raises:
        SourceError: the file cannot be read.
        CorpusError: there is no word, or there are too many.
    """
    return read_gold(file_access().lines_of(as_path(path)))


def read_gold(lines: Iterable[str]) -> tuple[list[GoldWord], int]:
    r"""The gold words of a table, and how many lines are left out.

    A line is a word, a tab, and its parts with spaces between them; then perhaps a tab and its
    group. Parts may also be separated by `|` or `@@`. Four columns are those of MorphyNet and
    UniMorph: lemma, word, features and parts. A line is left out if its parts do not add up to its
    word, or if the word was there before.

    Raises:
        CorpusError: there is no word, or there are too many.

    >>> read_gold(["unlocks\tun lock s\ten", "lock\tlocked\tV;PST\tlock|ed", "ran\trun"])[1]
    1
    """
    words: dict[str, GoldWord] = {}
    n_left_out = 0
    for line in lines:
        cells = [cell.strip() for cell in line.rstrip("\r\n").split("\t")]
        if cells == [""]:
            continue
        if len(cells) == _COLUMNS_OF_MORPHYNET:
            cells = [cells[1], cells[3]]
        word = cells[0]
        written = cells[1] if len(cells) > 1 else ""
        group = cells[2] if len(cells) > 2 else ""
        parts = tuple(filter(None, _BETWEEN_PARTS.split(written)))
        if not word or "".join(parts) != word or word in words:
            n_left_out += 1
            continue
        words[word] = GoldWord(word, parts, group)
        if len(words) > MOST_WORDS:
            raise CorpusError(f"There are more than {MOST_WORDS:,} gold words: give fewer")
    if not words:
        raise CorpusError(
            "There are no gold words: give a line for each, with the word, a tab, and its parts"
            " with spaces between them"
        )
    return list(words.values()), n_left_out


def boundaries_at_steps(
    segmenter: Segmenter, symbols: Tokenizer, n_merges: int, words: Sequence[GoldWord]
) -> Boundaries:
    """The borders of a run's tokens at every step, each array of (n_merges + 1,).

    Args:
        segmenter: encodes with the merges of the run.
        symbols: the tokenizer of its first step, whose tokens are symbols.
        n_merges: how many merges the run has.
        words: the gold words.
    """
    n_steps = n_merges + 1
    texts = [f" {gold.word}" for gold in words]
    encoded = symbols.encode_many(texts, as_arrays=True, recognize_special=False)
    places = np.split(encoded.char_offsets[:, 0], encoded.offsets[1:-1])
    found: list[int] = []
    right: list[int] = []
    whole_from: list[int] = []
    whole_until: list[int] = []
    for gold, starts, gaps in zip(words, places, segmenter.gaps_of_each(texts), strict=True):
        closed_from = _closed_inside(gold.word, starts.tolist(), gaps.tolist(), n_steps)
        found += closed_from
        right += [closed_from[place - 1] for place in gold.borders]
        start, end = gold.stem
        first = max(closed_from[start : end - 1], default=0)
        ends = [closed_from[place - 1] for place in (start, end) if 0 < place < len(gold.word)]
        last = min(ends, default=n_steps)
        if first < last:
            whole_from.append(first)
            whole_until.append(last)
    return Boundaries.of_counts(
        _later_than_each(right, n_steps),
        _later_than_each(found, n_steps),
        len(right),
        _later_than_each(whole_until, n_steps) - _later_than_each(whole_from, n_steps),
        len(words),
    )


def _later_than_each(steps: Sequence[int], n_steps: int) -> Int64Array:
    """(n_steps,) how many of some steps are later than each."""
    until = np.bincount(np.array(steps, np.int64), minlength=n_steps + 1)
    return len(steps) - np.cumsum(until)[:n_steps]


def _closed_inside(word: str, starts: Sequence[int], ranks: Sequence[int], never: int) -> list[int]:
    """For each gap between two characters of a word, the first step at which it is closed: 0 for
    always.

    Args:
        word: the word.
        starts: for each symbol of the word after a space, the character at which it begins.
        ranks: the rank of the gap before each symbol.
        never: what stands for a gap that no merge closes.
    """
    closed_from = [0] * (len(word) + 1)
    # Of the symbols of a character, the first begins it; it is written last.
    for start, rank in zip(reversed(starts), reversed(ranks), strict=True):
        closed_from[start] = min(rank + 1, never)
    return closed_from[2:]


def boundaries_of(tokenizer: Tokenizer, words: Sequence[GoldWord]) -> Boundaries:
    """The borders of any tokenizer's tokens, each array of (1,)."""
    texts = [f" {gold.word}" for gold in words]
    encoded = tokenizer.encode_many(texts, as_arrays=True, recognize_special=False)
    right = 0
    found = 0
    whole = 0
    for gold, places in zip(
        words, np.split(encoded.char_offsets, encoded.offsets[1:-1]), strict=True
    ):
        # A token that begins inside the last one, as a part of a character may, begins no border.
        meet = [start - 1 for (_, end), (start, _) in pairwise(places.tolist()) if start >= end]
        borders = {place for place in meet if 0 < place < len(gold.word)}
        found += len(borders)
        right += len(borders.intersection(gold.borders))
        start, end = gold.stem
        ends = {place for place in (start, end) if 0 < place < len(gold.word)}
        if ends <= borders and borders.isdisjoint(range(start + 1, end)):
            whole += 1
    n_gold = sum(len(gold.borders) for gold in words)
    return Boundaries.of_counts(
        np.array([right]), np.array([found]), n_gold, np.array([whole]), len(words)
    )
