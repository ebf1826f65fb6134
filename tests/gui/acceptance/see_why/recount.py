"""Byte-pair encoding as its definition says it, in plain Python, for texts of a few pages.

It shares nothing with the program: what the window says is held to it. Splits as GPT-2 does, line by line; among
equally frequent pairs it takes the one with the smallest ids, as Hugging Face's trainer does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
        curve: how many tokens the text has after each number of merges.
    """

    split = SPLIT

    def __init__(self, text: str) -> None:
        self.text = text
        self._counts = Counter(self.words_of(text))
        self._ids = {bytes([byte]): number for number, byte in enumerate(in_order_of_stand_ins())}
        self._learn()

    def _learn(self) -> None:
        """Learn every merge; counts are taken along from merge to merge, and counted anew at the end."""
        cuts = {word: self.symbols(word) for word in self._counts}
        self._cuts = {word: [(0, cut)] for word, cut in cuts.items()}
        self.merges: list[Learned] = []
        self.curve = [sum(len(cut) * self._counts[word] for word, cut in cuts.items())]
        pairs = pairs_of({word: (cut, self._counts[word]) for word, cut in cuts.items()})
        while (most := max(pairs.values(), default=0)) >= LEAST_COUNT:
            tied = [pair for pair, n in pairs.items() if n == most]
            pair = tied[0] if len(tied) == 1 else self._first(tied, cuts.values())
            self.merges.append(Learned(pair, most, len(tied)))
            self._ids.setdefault(pair[0] + pair[1], len(self._ids))
            n_less, (left, right) = 0, pair
            for word in [word for word, cut in cuts.items() if left in cut and right in cut]:
                before, after, n = cuts[word], merge(cuts[word], pair), self._counts[word]
                if len(after) < len(before):
                    cuts[word] = after
                    self._cuts[word].append((len(self.merges), after))
                    n_less += n * (len(before) - len(after))
                    for each in zip(before, before[1:], strict=False):
                        pairs[each] -= n
                    for each in zip(after, after[1:], strict=False):
                        pairs[each] += n
            self.curve.append(self.curve[-1] - n_less)
        assert +pairs == self.pairs(len(self.merges))

    def _first(self, tied: Sequence[Pair], cuts: Iterable[Cut]) -> Pair:
        """The pair that is merged first among equally frequent ones."""
        return min(tied, key=lambda pair: (self._ids[pair[0]], self._ids[pair[1]]))

    def words_of(self, text: str) -> list[str]:
        """A text as words, in order."""
        return [found.group() for line in text.splitlines(keepends=True) for found in self.split.finditer(line)]

    def symbols(self, word: str) -> Cut:
        """A word before the first merge."""
        return tuple(bytes([byte]) for byte in word.encode())

    def words(self, step: int) -> dict[str, tuple[Cut, int]]:
        """How each word is cut at a step, and how often it stands."""
        return {word: (self.cut(word, step), n) for word, n in self._counts.items()}

    def cut(self, word: str, step: int) -> Cut:
        """A word as tokens."""
        if word in self._cuts:
            return next(cut for since, cut in reversed(self._cuts[word]) if since <= step)
        cut = self.symbols(word)
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
        cuts = {word: self.cut(word, step) for word in set(self.words_of(text))}
        return [token for word in self.words_of(text) for token in cuts[word]]


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


def in_order_of_stand_ins() -> list[int]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return printable + [byte for byte in range(256) if byte not in printable]
