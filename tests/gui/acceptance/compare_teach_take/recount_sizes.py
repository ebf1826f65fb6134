"""What the window says about vocabulary sizes and about two runs, worked out in plain Python from the definitions.

It goes on from `tests/gui/acceptance/see_why/recount.py` with another split and rule for ties, and with measures of a
text at a step. It shares nothing with the program.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from tests.gui.acceptance.see_why.recount import SPLIT, Cut, Pair, Recount

SPLITS = {
    "gpt2": SPLIT,
    "cl100k": regex.compile(
        r"(?i:'(?:[sdmt]|ll|ve|re))|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
SPECIAL = 1
"""The special tokens of the preset GPT-2: one more entry than bytes and merges."""
_ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069\u25cc"))


class OtherRun(Recount):
    """A text learned with another split or another rule for ties than those of the preset GPT-2.

    Args:
        text: the text, read line by line.
        split: one of `SPLITS`.
        ties: "huggingface" or "first-seen".
    """

    def __init__(self, text: str, split: str = "gpt2", ties: str = "huggingface") -> None:
        self.split, self.ties = SPLITS[split], ties
        super().__init__(text)

    @property
    def counts(self) -> Counter[str]:
        """How often each word stands."""
        return self._counts

    def vocabulary(self, step: int) -> list[bytes]:
        """The entries, special tokens left out."""
        return [*(bytes([byte]) for byte in range(256)), *(learned.token for learned in self.merges[:step])]

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
