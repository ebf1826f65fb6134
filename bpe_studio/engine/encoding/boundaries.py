"""The agreement of tokens with the parts of words, at every step.

Gold words are words that somebody has divided into their parts, such as morphemes. A word stands as
it does in a text, after a space; only the borders inside it count. At a step, a border of tokens is
there if its gap is not closed yet, so one pass over the gap ranks answers for all steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from os import PathLike
from typing import NamedTuple

import numpy as np

from bpe_studio.engine.arguments import as_path
from bpe_studio.engine.arrays import BoolArray, Int64Array
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.errors import CorpusError

MOST_WORDS = 1_000_000
NO_WORDS = (
    "There are no gold words: give a line for each, with the word, a tab, and its parts with spaces"
    " between them"
)
_BETWEEN_PARTS = re.compile(r"(?: |\||@@)+")
_COLUMNS_OF_MORPHYNET = 4


class GoldWord(NamedTuple):
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
        """The places where its parts meet, in characters from its start."""
        return list(accumulate(map(len, self.parts)))[:-1]

    @property
    def stem(self) -> tuple[int, int]:
        """The start and end of its longest part, the first of equals, in characters."""
        places = [0, *self.borders, len(self.word)]
        return max(pairwise(places), key=lambda place: place[1] - place[0])


@dataclass(frozen=True)
class Boundaries:
    """The agreement of the borders of tokens with those of gold words.

    Attributes:
        precision: the share of the borders of tokens inside words that are borders of parts; 0 if
            there are none.
        recall: the share of the borders of parts that are borders of tokens; 0 if there are none.
        f1: the harmonic mean of the two.
        whole_stems: the share of words whose longest part is one token, which may begin with the
            space before the word.
        n_words: the number of words that were compared.
    """

    precision: Float64Array
    recall: Float64Array
    f1: Float64Array
    whole_stems: Float64Array
    n_words: int

    def at(self, step: int) -> tuple[float, float, float, float]:
        """Precision, recall, F1 and the share of whole stems at a step."""
        return (
            float(self.precision[step]),
            float(self.recall[step]),
            float(self.f1[step]),
            float(self.whole_stems[step]),
        )

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
    """The gold words of a file, and the number of lines that are left out; see `read_gold`.

    Raises:
        SourceError: the file cannot be read.
        CorpusError: there is no word, or there are too many.
    """
    return read_gold(file_access().lines_of(as_path(path)))


def read_gold(lines: Iterable[str]) -> tuple[list[GoldWord], int]:
    r"""The gold words of a table, and the number of lines that are left out.

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
        raise CorpusError(NO_WORDS)
    return list(words.values()), n_left_out


def boundaries_at_steps(
    segmenter: Segmenter, symbols: Tokenizer, n_merges: int, words: Sequence[GoldWord]
) -> Boundaries:
    """The agreement of a run's tokens at every step, each array of (n_merges + 1,).

    Args:
        segmenter: encodes with the merges of the run.
        symbols: the tokenizer of step 0, whose tokens are symbols.
        n_merges: the number of merges of the run.
        words: the gold words.
    """
    n_steps = n_merges + 1
    gold = GoldPlaces.of(words)
    texts = [f" {each.word}" for each in words]
    encoded = symbols.encode_many(texts, as_arrays=True, recognize_special=False)
    gaps = segmenter.gaps_of_each(texts)
    # For each character, the first step at which the gap before it is closed; 0 for always.
    closed_from = np.zeros(int(gold.starts[-1]), np.int64)
    at = np.repeat(gold.starts[:-1], np.diff(encoded.offsets)) + encoded.char_offsets[:, 0]
    # Of the symbols of a character, the first begins it; it is written last.
    closed_from[at[::-1]] = np.minimum(gaps[::-1].astype(np.int64) + 1, n_steps)
    right = closed_from[gold.borders]
    # Within the stem, and at its ends; a word begins and ends without a border.
    inside = np.maximum.reduceat(np.append(closed_from, 0), gold.stem_insides.reshape(-1))[::2]
    inside[np.diff(gold.stem_insides)[:, 0] == 0] = 0
    ends = np.append(closed_from, n_steps)[gold.stem_ends].min(axis=1)
    is_once_whole = inside < ends
    return Boundaries.of_counts(
        _later_than_each(right, n_steps),
        _later_than_each(closed_from[gold.insides], n_steps),
        len(right),
        _later_than_each(ends[is_once_whole], n_steps)
        - _later_than_each(inside[is_once_whole], n_steps),
        len(words),
    )


@dataclass(frozen=True)
class GoldPlaces:
    """The places of the borders and stems of gold words, in the characters of all words, end to
    end, each with the space before it.

    Attributes:
        starts: (w + 1,) int64, the space before each word, and the end.
        insides: int64, all characters before which a word may have a border.
        borders: int64, those before which parts meet.
        stem_insides: (w, 2) int64, the first and the end of the characters of the stem before which
            a border would divide it.
        stem_ends: (w, 2) int64, the first character of the stem and the one after it; -1 where the
            word begins or ends there.
    """

    starts: Int64Array
    insides: Int64Array
    borders: Int64Array
    stem_insides: Int64Array
    stem_ends: Int64Array

    @classmethod
    def of(cls, words: Sequence[GoldWord]) -> GoldPlaces:
        """The places in these words.

        Raises:
            CorpusError: there is no word.
        """
        if not words:
            raise CorpusError(NO_WORDS)
        n_parts = np.array([len(gold.parts) for gold in words], np.int64)
        parts = chain.from_iterable(gold.parts for gold in words)
        lengths = np.fromiter(map(len, parts), np.int64)
        word_of = np.repeat(np.arange(len(words)), n_parts)
        firsts = np.cumsum(n_parts) - n_parts
        # The ends of parts, with a character more for each word's space.
        ends = np.cumsum(lengths) + word_of + 1
        begins = ends - lengths
        starts = np.append(begins[firsts] - 1, ends[-1])
        is_inside = np.ones(int(starts[-1]), np.bool_)
        is_inside[starts[:-1]] = False
        is_inside[starts[:-1] + 1] = False
        is_first = np.zeros(len(lengths), np.bool_)
        is_first[firsts] = True
        longest = np.maximum.reduceat(lengths, firsts)
        stems = np.flatnonzero(lengths == longest[word_of])
        stems = stems[np.unique(word_of[stems], return_index=True)[1]]
        first = begins[stems]
        end = ends[stems]
        border_before = np.where(first == starts[:-1] + 1, -1, first)
        border_after = np.where(end == starts[1:], -1, end)
        return cls(
            starts,
            np.flatnonzero(is_inside),
            begins[~is_first],
            np.stack([np.minimum(first + 1, end), end], 1),
            np.stack([border_before, border_after], 1),
        )


def _later_than_each(steps: Int64Array, n_steps: int) -> Int64Array:
    """(n_steps,) int64, the number of the given steps that are later than each step."""
    until = np.bincount(steps, minlength=n_steps + 1)
    return len(steps) - np.cumsum(until)[:n_steps]


def boundaries_of(tokenizer: Tokenizer, words: Sequence[GoldWord]) -> Boundaries:
    """The agreement of any tokenizer's tokens, each array of (1,)."""
    gold = GoldPlaces.of(words)
    is_border = borders_of(tokenizer, words, gold)
    n_before = np.append(0, np.cumsum(is_border))
    n_inside = np.diff(n_before[gold.stem_insides])[:, 0]
    is_whole = (n_inside == 0) & np.append(is_border, True)[gold.stem_ends].all(axis=1)
    return Boundaries.of_counts(
        is_border[gold.borders].sum(keepdims=True),
        is_border.sum(keepdims=True),
        len(gold.borders),
        is_whole.sum(keepdims=True),
        len(words),
    )


def borders_of(tokenizer: Tokenizer, words: Sequence[GoldWord], gold: GoldPlaces) -> BoolArray:
    """For each character of the words, as `GoldPlaces` lays them out: whether two tokens of their
    word meet before it.

    Raises:
        VocabularyError: the tokenizer cannot encode a word.
    """
    texts = [f" {each.word}" for each in words]
    encoded = tokenizer.encode_many(texts, as_arrays=True, recognize_special=False)
    starts, ends = encoded.char_offsets.T
    # A token that begins inside the last one, as a part of a character may, begins no border.
    meets = starts[1:] >= ends[:-1]
    at = starts + np.repeat(gold.starts[:-1], np.diff(encoded.offsets))
    is_border = np.zeros(int(gold.starts[-1]), np.bool_)
    is_border[at[1:][meets]] = True
    is_inside = np.zeros(len(is_border), np.bool_)
    is_inside[gold.insides] = True
    return is_border & is_inside
