"""Measures of a text under any tokenizer, for the whole text and for its groups: files, scripts, or
the values of a column.

A token belongs to the group of the character at which it begins. White space separates words. With
groups by script, a word belongs to the script of its first letter, and white space to the word
after it. So the groups of a text add up to the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.counting.fast_counting import white_space
from bpe_studio.engine.text.unicode_scripts import script_name
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.engine.token_statistics import SHANNON, efficiency, gini
from bpe_studio.explain.wording import listed, number

ALL = "all"
COMMON = "Common"
LATIN = "Latin"
SYLLABLES = frozenset({"Han", "Hangul", "Hiragana", "Katakana", "Bopomofo", "Yi"})
"""Scripts in which a character says more than a letter."""
FEWEST_TOKENS = 50
"""The price of a group with fewer tokens means nothing."""
MOST_NAMED = 4
ORDERS = (2, 2.5, 3)
"""The orders of Rényi's entropy."""
Row = dict[str, str | int | float]
Flags = npt.NDArray[np.bool_]
Points = npt.NDArray[np.uint32]


@dataclass
class Tally:
    """The counts of one group.

    Attributes:
        n_bytes: the number of bytes of its text, as UTF-8.
        n_characters: the number of code points.
        n_words: the number of words, which white space separates.
        n_lines: the number of lines; a last line without a line break counts, too.
        n_single: the number of words that one token covers.
        uses: the count of each id.
    """

    n_bytes: int = 0
    n_characters: int = 0
    n_words: int = 0
    n_lines: int = 0
    n_single: int = 0
    uses: Counter[int] = field(default_factory=Counter)

    def add(
        self, n_bytes: int, n_characters: int, is_single: Flags, ids: Int32Array | Int64Array
    ) -> None:
        """Counts a text, or a part of one.

        Args:
            n_bytes: its size as UTF-8.
            n_characters: its size in code points.
            is_single: (words,) bool, whether one token covers each word.
            ids: (n,) its tokens.
        """
        self.n_bytes += n_bytes
        self.n_characters += n_characters
        self.n_words += len(is_single)
        self.n_single += int(is_single.sum())
        used, times = np.unique(ids, return_counts=True)
        for token, n in zip(used.tolist(), times.tolist(), strict=True):
            self.uses[token] += n

    @property
    def n_tokens(self) -> int:
        """The number of tokens in the group."""
        return self.uses.total()

    def row(self, vocab_size: int) -> Row:
        """The measures, under a tokenizer with `vocab_size` tokens."""
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
        vocab_size: the number of tokens in the tokenizer.
        by_script: group the words of a text by their script; otherwise a text belongs to one
            group.
    """

    def __init__(self, vocab_size: int, *, by_script: bool = False) -> None:
        self._vocab_size = vocab_size
        self._by_script = by_script
        self._tallies = {ALL: Tally()}

    def add(
        self, text: str, ids: Int32Array | Int64Array, offsets: Int64Array, group: str = ALL
    ) -> None:
        """Counts a text.

        Args:
            text: the text.
            ids: (n,) its tokens.
            offsets: (n, 2) where each token begins and ends, in characters.
            group: the group that it belongs to; not used with groups by script.
        """
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        starts, ends = _words(points)
        token_starts, token_ends = offsets.T
        first = np.searchsorted(ends, token_starts, "right")
        is_single = _are_single(first, np.searchsorted(starts, token_ends, "left"), len(starts))
        groups = (ALL,) if self._by_script or group == ALL else (ALL, group)
        for name in groups:
            tally = self._tally(name)
            tally.add(len(to_bytes(text)), len(text), is_single, ids)
            tally.n_lines += text.count("\n")
            if text and not text.endswith("\n"):
                tally.n_lines += 1
        if not self._by_script or not text:
            return
        names = [COMMON]
        if len(starts):
            names = [
                script_of_word(text[a:b])
                for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
            ]
        found = list(dict.fromkeys(names))
        label_of = {name: label for label, name in enumerate(found)}
        labels = np.array([label_of[name] for name in names], np.int16)
        # White space belongs to the word after it, or to the last one.
        bounds = np.concatenate([[0], ends[:-1], [len(text)]])
        n_bytes = np.diff(_byte_places(points)[bounds])
        label_of_token = labels[np.minimum(first, len(labels) - 1)]
        for label, name in enumerate(found):
            chosen = labels == label
            self._tally(name).add(
                int(n_bytes[chosen].sum()),
                int(np.diff(bounds)[chosen].sum()),
                is_single[chosen[: len(starts)]],
                ids[label_of_token == label],
            )

    def rows(self) -> list[tuple[str, Row]]:
        """Each group, the whole first, and its measures."""
        return [(name, tally.row(self._vocab_size)) for name, tally in self._tallies.items()]

    @property
    def price(self) -> list[str]:
        """Sentences about the tokens that the groups pay, compared with Latin, or with the group
        that pays least.

        Groups with equally many lines are taken for translations, and pay for their lines; others
        pay per character. Empty if there is nothing to compare.
        """
        paid, per = self._paid()
        return _price(paid, per, self._other_kind) if len(paid) > 1 else []

    @property
    def dearest_first(self) -> list[str]:
        """The groups whose prices can be compared, the dearest first; no scripts of syllables."""
        paid, _ = self._paid()
        comparable = [name for name in paid if name not in self._other_kind]
        return sorted(comparable, key=paid.__getitem__, reverse=True)

    @property
    def _other_kind(self) -> frozenset[str]:
        return SYLLABLES if self._by_script else frozenset()

    def _paid(self) -> tuple[dict[str, float], str]:
        """The price of each group with enough tokens, and what it is paid for."""
        known = {}
        for name, each in self._tallies.items():
            if name not in (ALL, COMMON, "") and each.n_tokens >= FEWEST_TOKENS:
                known[name] = each
        n_lines = {each.n_lines for each in known.values()}
        are_parallel = not self._by_script and len(n_lines) == 1 and min(n_lines) > 1
        if are_parallel:
            paid = {name: float(each.n_tokens) for name, each in known.items()}
            return paid, f"For {number(n_lines.pop())} lines each"
        paid = {name: each.n_tokens / each.n_characters for name, each in known.items()}
        return paid, "Per character"

    def _tally(self, group: str) -> Tally:
        return self._tallies.setdefault(group, Tally())


def _price(paid: Mapping[str, float], per: str, other_kind: Collection[str] = ()) -> list[str]:
    """Sentences about the prices of groups, the dearest first; groups of another kind come last.

    >>> _price({"Latin": 0.2, "Arabic": 0.4, "Greek": 0.5, "Han": 0.9}, "Per character", {"Han"})[:2]
    ['Per character, Greek pays 2.5 times what Latin pays', 'Arabic pays 2.0 times and Han 4.5 times as much']
    """  # noqa: E501
    base = LATIN if LATIN in paid else min(paid, key=paid.__getitem__)
    others = [
        (name not in other_kind, paid[name] / paid[base], name) for name in paid if name != base
    ]
    first = sorted(others, reverse=True)[:MOST_NAMED]
    shown = [(name.replace("_", " "), f"{number(times, 1)} times") for _, times, name in first]
    dearest, times = shown[0]
    said = [f"{per}, {dearest} pays {times} what {base} pays"]
    if len(shown) > 1:
        second = " pays ".join(shown[1])
        others_said = [f"{name} {times}" for name, times in shown[2:]]
        said.append(f"{listed([second, *others_said])} as much")
    names = [name for name, _ in shown if name in other_kind]
    if names:
        said.append(
            f"A character of {listed(names)} is a syllable or a word, and says more than a letter"
        )
    return said


def ratio(part: int, whole: int) -> float:
    """A ratio; 0 if the whole is 0."""
    return part / whole if whole else 0.0


def _words(points: Points) -> tuple[Int64Array, Int64Array]:
    """The starts and the ends of the words of a text, as `str.split` finds them."""
    spaces = white_space()[np.minimum(points, len(white_space()) - 1)].astype(np.bool_)
    bounds = np.flatnonzero(np.diff(np.concatenate([[True], spaces, [True]])))
    return bounds[::2], bounds[1::2]


def _are_single(first: Int64Array, end: Int64Array, n_words: int) -> Flags:
    """(n_words,) bool, whether one token covers each word.

    Args:
        first: (n,) the first word that each token may touch.
        end: (n,) the first word after the token.
        n_words: the number of words.
    """
    touches = first < end
    changes = np.bincount(first[touches], minlength=n_words + 1) - np.bincount(
        end[touches], minlength=n_words + 1
    )
    found: Flags = np.cumsum(changes)[:n_words] == 1
    return found


@lru_cache(maxsize=1 << 18)
def script_of_word(word: str) -> str:
    """The script of the first character of a word that has a script; else `COMMON`."""
    return next((name for char in word if (name := script_name(char)) != COMMON), COMMON)


def _byte_places(points: Points) -> Int64Array:
    """(characters + 1,) int64, the place in the bytes of each character; a stray byte is one."""
    is_stray = (points >= 0xDC80) & (points < 0xDD00)
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    return np.concatenate([[0], np.cumsum(np.where(is_stray, 1, sizes))])
