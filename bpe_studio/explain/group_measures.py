"""Measures of a text under any tokenizer, of the whole and of its groups: files, scripts, or the values of a column.

A token belongs to the group of the character at which it begins. With groups by script, a word belongs to the script of
its first letter, and white space to the word after it, so that the groups of a text add up to the whole. Words are
separated by white space.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.counting.fast_counting import white_space
from bpe_studio.engine.text.unicode_scripts import script_name
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.engine.token_statistics import SHANNON, efficiency, gini

ALL = "all"
COMMON = "Common"
ORDERS = (2, 2.5, 3)
"""The orders of Rényi's entropy."""
Row = dict[str, str | int | float]
Flags = npt.NDArray[np.bool_]
Points = npt.NDArray[np.uint32]


@dataclass
class Tally:
    """What is counted of one group.

    Attributes:
        n_bytes: bytes of its text, as UTF-8.
        n_characters: code points.
        n_words: words, separated by white space.
        n_single: words that one token covers.
        uses: how often each id occurs.
    """

    n_bytes: int = 0
    n_characters: int = 0
    n_words: int = 0
    n_single: int = 0
    uses: Counter[int] = field(default_factory=Counter)

    def add(self, n_bytes: int, n_characters: int, is_single: Flags, ids: Int32Array | Int64Array) -> None:
        """Counts a text, or a part of one: its sizes, whether one token covers each of its words, and its tokens."""
        self.n_bytes += n_bytes
        self.n_characters += n_characters
        self.n_words += len(is_single)
        self.n_single += int(is_single.sum())
        for number, times in zip(*(each.tolist() for each in np.unique(ids, return_counts=True)), strict=True):
            self.uses[number] += times

    def row(self, vocab_size: int) -> Row:
        """The measures, under a tokenizer with so many tokens."""
        counts: Int64Array = np.array(list(self.uses.values()), np.int64)
        n_tokens = int(counts.sum())
        found: Row = {
            "n_tokens": n_tokens,
            "bytes_per_token": ratio(self.n_bytes, n_tokens),
            "chars_per_token": ratio(self.n_characters, n_tokens),
            "fertility": ratio(n_tokens, self.n_words),
            "single_token_words": ratio(self.n_single, self.n_words),
        }
        found |= {f"renyi_{order}": efficiency(counts, order) for order in ORDERS}
        found["shannon"] = efficiency(counts, SHANNON)
        found["vocabulary_used"] = ratio(len(counts), vocab_size)
        found["gini"] = gini(counts, vocab_size)
        return found


class GroupMeasures:
    """Counts the tokens of texts, by group.

    Args:
        vocab_size: how many tokens the tokenizer has.
        by_script: whether the words of a text are grouped by their script; otherwise a text belongs to one group.
    """

    def __init__(self, vocab_size: int, *, by_script: bool = False) -> None:
        self._vocab_size = vocab_size
        self._by_script = by_script
        self._tallies = {ALL: Tally()}

    def add(self, text: str, ids: Int32Array | Int64Array, offsets: Int64Array, group: str = ALL) -> None:
        """Counts a text.

        Args:
            text: the text.
            ids: (n,) its tokens.
            offsets: (n, 2) where each begins and ends in it, in characters.
            group: what it belongs to; not used with groups by script.
        """
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        starts, ends = _words(points)
        token_starts, token_ends = offsets.T
        first = np.searchsorted(ends, token_starts, "right")
        is_single = _are_single(first, np.searchsorted(starts, token_ends, "left"), len(starts))
        for name in (ALL,) if self._by_script else dict.fromkeys((ALL, group)):
            self._tally(name).add(len(to_bytes(text)), len(text), is_single, ids)
        if not self._by_script or not text:
            return
        names = [COMMON]
        if len(starts):
            names = [script_of_word(text[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        found = list(dict.fromkeys(names))
        labels = np.array(list(map({name: number for number, name in enumerate(found)}.__getitem__, names)), np.int16)
        # White space belongs to the word after it, or to the last one.
        bounds = np.concatenate([[0], ends[:-1], [len(text)]])
        n_bytes = np.diff(_byte_places(points)[bounds])
        label_of_token = labels[np.minimum(first, len(labels) - 1)]
        for number, name in enumerate(found):
            chosen = labels == number
            sizes = int(n_bytes[chosen].sum()), int(np.diff(bounds)[chosen].sum())
            self._tally(name).add(*sizes, is_single[chosen[: len(starts)]], ids[label_of_token == number])

    def rows(self) -> list[tuple[str, Row]]:
        """Each group, the whole first, and its measures."""
        return [(name, tally.row(self._vocab_size)) for name, tally in self._tallies.items()]

    def _tally(self, group: str) -> Tally:
        return self._tallies.setdefault(group, Tally())


def ratio(part: int, whole: int) -> float:
    """A ratio; 0 if the whole is nothing."""
    return part / whole if whole else 0.0


def _words(points: Points) -> tuple[Int64Array, Int64Array]:
    """The starts and the ends of the words of a text, which are separated by white space as by `str.split`."""
    spaces = white_space()[np.minimum(points, len(white_space()) - 1)].astype(np.bool_)
    bounds = np.flatnonzero(np.diff(np.concatenate([[True], spaces, [True]])))
    return bounds[::2], bounds[1::2]


def _are_single(first: Int64Array, end: Int64Array, n_words: int) -> Flags:
    """(n_words,) bool, whether one token covers each word.

    Args:
        first: (n,) the first word that each token may touch.
        end: (n,) the first word after it that it does not touch.
        n_words: the number of words.
    """
    touches = first < end
    changes = np.bincount(first[touches], minlength=n_words + 1) - np.bincount(end[touches], minlength=n_words + 1)
    found: Flags = np.cumsum(changes)[:n_words] == 1
    return found


@lru_cache(maxsize=1 << 18)
def script_of_word(word: str) -> str:
    """The script of the first character of a word that has one."""
    return next((name for char in word if (name := script_name(char)) != COMMON), COMMON)


def _byte_places(points: Points) -> Int64Array:
    """(characters + 1,) int64, the place in the bytes of each character; a stray byte is one."""
    is_stray = (points >= 0xDC80) & (points < 0xDD00)
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    return np.concatenate([[0], np.cumsum(np.where(is_stray, 1, sizes))])
