"""Byte-pair encoding as its definition says it, in plain Python, for texts of a few pages.

It shares nothing with the program: what the window says is held to it. Splits as GPT-2 does, line by line; among
equally frequent pairs it takes the one with the smallest ids, as Hugging Face's trainer does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import regex

SPLIT = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
LEAST_COUNT = 2
Pair = tuple[bytes, bytes]
Cut = tuple[bytes, ...]


@dataclass(frozen=True)
class Learned:
    """A merge: its pair, how often that stood, and how many pairs stood as often."""

    pair: Pair
    count: int
    n_tied: int

    @property
    def token(self) -> bytes:
        """What it makes."""
        return self.pair[0] + self.pair[1]


class Recount:
    """A text, and every merge that can be learned from it.

    Attributes:
        text: the text.
        merges: in order.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._counts = Counter(word for line in text.splitlines(keepends=True) for word in split(line))
        self._ids = {bytes([byte]): number for number, byte in enumerate(_in_order_of_stand_ins())}
        self.merges: list[Learned] = []
        cuts = self.words(0)
        while (best := self._best(cuts)) is not None:
            self.merges.append(best)
            self._ids.setdefault(best.token, len(self._ids))
            cuts = {word: (merge(cut, best.pair), n) for word, (cut, n) in cuts.items()}

    def words(self, step: int) -> dict[str, tuple[Cut, int]]:
        """How each word is cut at a step, and how often it stands."""
        return {word: (self.cut(word, step), n) for word, n in self._counts.items()}

    def cut(self, word: str, step: int) -> Cut:
        """A word as tokens."""
        cut = tuple(bytes([byte]) for byte in word.encode())
        for learned in self.merges[:step]:
            cut = merge(cut, learned.pair)
        return cut

    def pairs(self, step: int) -> Counter[Pair]:
        """How often each pair stands at a step."""
        return pairs_of(self.words(step))

    def tokens(self, step: int) -> Counter[bytes]:
        """How often each token stands at a step."""
        found: Counter[bytes] = Counter()
        for cut, n in self.words(step).values():
            for token in cut:
                found[token] += n
        return found

    def tokens_of(self, text: str, step: int) -> list[bytes]:
        """Another text as tokens."""
        return [token for line in text.splitlines(keepends=True) for word in split(line)
                for token in self.cut(word, step)]  # fmt: skip

    def lines_with(self, token: bytes, step: int) -> list[int]:
        """The number of the line, from 1 on, of each place of the text at which a token stands."""
        cuts = self.words(step)
        return [
            number
            for number, line in enumerate(self.text.splitlines(keepends=True), 1)
            for word in split(line)
            for each in cuts[word][0]
            if each == token
        ]

    def _best(self, cuts: dict[str, tuple[Cut, int]]) -> Learned | None:
        pairs = pairs_of(cuts)
        most = max(pairs.values(), default=0)
        if most < LEAST_COUNT:
            return None
        tied = [pair for pair, n in pairs.items() if n == most]
        return Learned(min(tied, key=lambda pair: (self._ids[pair[0]], self._ids[pair[1]])), most, len(tied))


def split(line: str) -> Iterator[str]:
    """A line as words."""
    return (match.group() for match in SPLIT.finditer(line))


def merge(cut: Cut, pair: Pair) -> Cut:
    """Join a pair wherever it stands, from the left."""
    if pair[0] not in cut or pair[1] not in cut:
        return cut  # as it is in most words
    found, at = [], 0
    while at < len(cut):
        is_pair = cut[at : at + 2] == pair
        found.append(pair[0] + pair[1] if is_pair else cut[at])
        at += 2 if is_pair else 1
    return tuple(found)


def pairs_of(cuts: dict[str, tuple[Cut, int]]) -> Counter[Pair]:
    """How often each pair stands in some words."""
    found: Counter[Pair] = Counter()
    for cut, n in cuts.values():
        for pair in zip(cut, cut[1:], strict=False):
            found[pair] += n
    return found


def shown(token: bytes) -> str:
    """A token of whole characters as the window writes it."""
    return token.decode().replace(" ", "␣").replace("\n", "⏎")


def _in_order_of_stand_ins() -> list[int]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return printable + [byte for byte in range(256) if byte not in printable]
