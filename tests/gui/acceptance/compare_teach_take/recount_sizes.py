"""What the window says about vocabulary sizes and about two runs, worked out in plain Python from the definitions.

It goes on from `tests/gui/acceptance/see_why/recount.py` with other units, splits, tie rules and normalizations, and with measures
of a text at a step. It shares nothing with the program.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from tests.gui.acceptance.see_why.recount import SPLIT, Cut, Pair, Recount, in_order_of_stand_ins

SPLITS = {
    "gpt2": SPLIT,
    "none": regex.compile(r"(?s).+"),
    "cl100k": regex.compile(
        r"(?i:'(?:[sdmt]|ll|ve|re))|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "whitespace": regex.compile(r"\S+"),
}
SPECIAL = 1
"""The special tokens of the preset GPT-2: one more entry than bytes and merges."""
END = b"</w>"
_ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069\u25cc"))


class OtherRun(Recount):
    """A text learned by settings that may be others than those of the preset GPT-2.

    Args:
        text: the text; read line by line, or None where words are given.
        split: one of `SPLITS`.
        units: "bytes" or "characters".
        ties: "huggingface", "first-seen" or "subword-nmt".
        is_lowercase: whether capitals are made small first.
        has_end: whether each word's last character carries the mark `</w>`.
        words: words and how often each stands, in the place of a text.
    """

    def __init__(
        self,
        text: str = "",
        split: str = "gpt2",
        units: str = "bytes",
        ties: str = "huggingface",
        *,
        is_lowercase: bool = False,
        has_end: bool = False,
        words: Counter[str] | None = None,
    ) -> None:
        self.split, self.units, self.ties = SPLITS[split], units, ties
        self.is_lowercase, self.has_end = is_lowercase, has_end
        self.text = text
        self._counts = Counter(self.words_of(text)) if words is None else words
        symbols = {symbol for word in self._counts for symbol in self.symbols(word)}
        self._ids = {symbol: number for number, symbol in enumerate(sorted(symbols, key=bytes.decode))} if (
            units == "characters"
        ) else {bytes([byte]): number for number, byte in enumerate(in_order_of_stand_ins())}  # fmt: skip
        self.alphabet = tuple(self._ids)
        self._learn()

    @property
    def counts(self) -> Counter[str]:
        """How often each word stands."""
        return self._counts

    def words_of(self, text: str) -> list[str]:
        return super().words_of(text.lower() if self.is_lowercase else text)

    def symbols(self, word: str) -> Cut:
        if self.units == "bytes":
            return super().symbols(word)
        found = [character.encode() for character in word]
        return (*found[:-1], found[-1] + END) if self.has_end else tuple(found)

    def vocabulary(self, step: int) -> list[bytes]:
        """The entries, special tokens left out."""
        return [*self.alphabet, *(learned.token for learned in self.merges[:step])]

    def longest_words(self, n: int) -> list[str]:
        """The longest words, the more frequent first among equally long ones."""
        return sorted(self._counts, key=lambda word: (-len(word), -self._counts[word]))[:n]

    def divergence(self, other: OtherRun) -> int:
        """The first merge at which this run takes another pair than the other."""
        return next(
            rank for rank, (own, its) in enumerate(zip(self.merges, other.merges, strict=False)) if own.pair != its.pair
        )

    def _first(self, tied: Sequence[Pair], cuts: Iterable[Cut]) -> Pair:
        if self.ties == "first-seen":
            among = set(tied)
            return next(pair for cut in cuts for pair in zip(cut, cut[1:], strict=False) if pair in among)
        if self.ties == "subword-nmt":
            return max(tied, key=lambda pair: (pair[0].decode(), pair[1].decode()))
        return super()._first(tied, cuts)


@dataclass(frozen=True)
class Measured:
    """A text at a step: its tokens, and how much of the vocabulary they use."""

    n_tokens: int
    n_bytes: int
    n_words: int
    n_unused: int
    n_working: int
    n_entries: int
    uses: tuple[int, ...]

    @classmethod
    def of(cls, tokens: Iterable[bytes] | Counter[bytes], text: str, vocabulary: Sequence[bytes]) -> Measured:
        """Measure some tokens of a text."""
        found = Counter(tokens)
        uses = [found[token] for token in vocabulary]
        assert len(set(vocabulary)) == len(vocabulary), "a token was made twice"
        total, n_working, done = sum(uses), 0, 0
        for n in sorted(uses, reverse=True):
            if done >= 0.9 * total:
                break
            n_working, done = n_working + 1, done + n
        return cls(
            total, len(text.encode()), len(text.split()), uses.count(0), n_working, len(vocabulary), tuple(uses)
        )  # fmt: skip

    def n_rare(self, fewer_than: int) -> int:
        """The entries that stand fewer times."""
        return sum(n < fewer_than for n in self.uses)


def knee(sizes: Sequence[int], tokens: Sequence[int], *, is_log: bool) -> int:
    """The step at which a curve lies farthest below the straight line between its ends."""
    places = [math.log(size) if is_log else float(size) for size in sizes]

    def below(step: int) -> float:
        along = (places[step] - places[0]) / (places[-1] - places[0])
        return tokens[0] + along * (tokens[-1] - tokens[0]) - tokens[step]

    return max(range(len(sizes)), key=below)


def shown(token: bytes) -> str:
    """A token as the window writes it: bytes that are no character are hexadecimal, in brackets that they share."""
    text = token.decode("utf-8", "surrogateescape")
    text = re.sub("[\udc80-\udcff]+", lambda found: f"⟨{_hexadecimal(found.group())}⟩", text)
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\u200c", "⟨ZWNJ⟩")


def plain(text: str) -> str:
    """What the window writes, without the signs that only keep directions apart."""
    return text.translate(_ISOLATES).replace("\u00a0", " ")


def _hexadecimal(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").hex(" ").upper()
