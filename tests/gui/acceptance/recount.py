"""Byte-pair encoding as its definition says it, in plain Python, for texts of a few pages.

It shares nothing with the program: what the window says is held to it. Splits as GPT-2 does, line by line; among
equally frequent pairs it takes the one with the smallest ids, as Hugging Face's trainer does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

SPLIT = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
LEAST_COUNT = 2
SPECIAL = 1
"""The special tokens of the preset GPT-2: one more entry than bytes and merges."""
_ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069\u25cc"))
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
            pair = min(tied, key=lambda pair: (self._ids[pair[0]], self._ids[pair[1]]))
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

    def words_of(self, text: str) -> list[str]:
        """A text as words, in order."""
        return [found.group() for line in text.splitlines(keepends=True) for found in SPLIT.finditer(line)]

    def symbols(self, word: str) -> Cut:
        """A word before the first merge."""
        return tuple(bytes([byte]) for byte in word.encode())

    def words(self, step: int) -> dict[str, tuple[Cut, int]]:
        """How each word is cut at a step, and how often it stands."""
        return {word: (self.cut(word, step), n) for word, n in self._counts.items()}

    def vocabulary(self, step: int) -> list[bytes]:
        """The entries, special tokens left out."""
        return [*(bytes([byte]) for byte in range(256)), *(learned.token for learned in self.merges[:step])]

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


def in_order_of_stand_ins() -> list[int]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return printable + [byte for byte in range(256) if byte not in printable]
