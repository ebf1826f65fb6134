"""Byte-pair encoding as its definition says it, in plain Python, for any of the rules that the lessons use.

It shares nothing with the program: what lessons, the game and whatever is taken away say is held to it. A token is
named by its symbols: a text of characters, or bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import regex

SPLITS = {
    "none": r"(?s:.+)",
    "words": r"\w+|[^\w\s]+",
    "whitespace": r"\S+",
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": r"(?i:'[sdmt]|'ll|'ve|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+",
    "qwen2": r"(?i:'[sdmt]|'ll|'ve|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
Symbol = str | bytes
Cut = tuple[Symbol, ...]
Pair = tuple[Symbol, Symbol]


class PlainRun:
    """A run: words and their counts, and its merges as far as they were asked for.

    Args:
        words: each word as symbols, and how often it stands, in the order in which they were first seen.
        rule: what decides among equals: "first-seen", "huggingface" (the smallest numbers) or "greatest-bytes".
        least: how often a pair must stand to be merged.
        forced: the pairs that are merged first, whatever their counts.
        alphabet: the symbols in the order of their numbers; by default those of the words, sorted.
    """

    def __init__(
        self,
        words: Mapping[Cut, int],
        rule: str = "first-seen",
        least: int = 1,
        forced: tuple[Pair, ...] = (),
        alphabet: tuple[Symbol, ...] = (),
    ) -> None:
        self._words = dict(words)
        self._cuts = [{cut: cut for cut in self._words}]
        self._rule, self._least, self._forced = rule, least, forced
        self.alphabet = alphabet or tuple(sorted({symbol for cut in self._words for symbol in cut}))
        self._ids = {symbol: number for number, symbol in enumerate(self.alphabet)}
        self.merges: list[tuple[Pair, int, int]] = []

    def learn(self, n_merges: int) -> int:
        """Learn as many merges, or as there are; returns how many there are."""
        while len(self.merges) < n_merges and (best := self.next(len(self.merges))) is not None:
            (pair, _, _) = best
            self.merges.append(best)
            self._ids.setdefault(pair[0] + pair[1], len(self._ids))
            self._cuts.append({word: merged(cut, pair) for word, cut in self._cuts[-1].items()})
        return min(n_merges, len(self.merges))

    def next(self, step: int) -> tuple[Pair, int, int] | None:
        """The pair that is merged at a step, its count, and how many pairs stand as often; None at the end."""
        if step < len(self.merges):
            return self.merges[step]
        self.learn(step)
        counts = self.pairs(step)
        if step < len(self._forced):
            return self._forced[step], counts[self._forced[step]], 1
        most = max(counts.values(), default=0)
        if most < self._least:
            return None
        tied = [pair for pair, n in counts.items() if n == most]
        if self._rule == "huggingface":
            best = min(tied, key=lambda pair: (self._ids[pair[0]], self._ids[pair[1]]))
        elif self._rule == "greatest-bytes":
            best = max(tied, key=lambda pair: tuple(as_bytes(each) for each in pair))
        else:
            best = tied[0]  # as a Counter keeps the order in which they were seen
        return best, most, len(tied)

    def pairs(self, step: int) -> Counter[Pair]:
        """How often each pair stands at a step, the first seen first."""
        found: Counter[Pair] = Counter()
        for word, cut in self.cuts(step).items():
            n = self._words[word]
            for pair in zip(cut, cut[1:], strict=False):
                found[pair] = found.get(pair, 0) + n  # twice as fast as +=
        return found

    def cuts(self, step: int) -> dict[Cut, Cut]:
        """How each word is cut at a step."""
        self.learn(step)
        return self._cuts[min(step, len(self._cuts) - 1)]

    def count(self, word: Cut) -> int:
        """How often a word stands."""
        return self._words[word]

    def n_tokens(self, step: int) -> int:
        """How many tokens the whole corpus has at a step."""
        return sum(len(cut) * self._words[word] for word, cut in self.cuts(step).items())

    def tokens(self, words: Iterator[Cut] | list[Cut], step: int) -> list[Symbol]:
        """Other words as tokens, one after the other."""
        self.learn(step)
        found: list[Symbol] = []
        for word in words:
            for pair, _, _ in self.merges[:step]:
                word = merged(word, pair)
            found += word
        return found


def merged(cut: Cut, pair: Pair) -> Cut:
    """Join a pair wherever it stands, from the left."""
    if pair[0] not in cut or pair[1] not in cut:
        return cut  # as it is in most words
    found, at = [], 0
    while at < len(cut):
        is_pair = cut[at : at + 2] == pair
        found.append(pair[0] + pair[1] if is_pair else cut[at])  # type: ignore[operator]
        at += 2 if is_pair else 1
    return tuple(found)


def words_of(text: str, split: str, *, by_line: bool = True, units: str = "bytes") -> list[Cut]:
    """A text as words of symbols, in order."""
    pattern = regex.compile(SPLITS[split])
    lines = regex.findall(r"[^\n]*\n|[^\n]+", text) if by_line else [text]
    found = [match.group() for line in lines for match in pattern.finditer(line)]
    return [symbols(word, units) for word in found]


def symbols(word: str, units: str = "bytes") -> Cut:
    """A word as the symbols that it begins with."""
    return tuple(bytes([byte]) for byte in word.encode()) if units == "bytes" else tuple(word)


def all_bytes() -> tuple[bytes, ...]:
    """The alphabet of bytes, numbered in the order of the signs that GPT-2 prints them with."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return tuple(bytes([byte]) for byte in printable + [byte for byte in range(256) if byte not in printable])


def like_gpt2(text: str, **options: object) -> PlainRun:
    """A text as the preset of that name learns it."""
    counts: Counter[Cut] = Counter(words_of(text, "gpt2"))
    given: dict[str, object] = {"rule": "huggingface", "least": 2, "alphabet": all_bytes()}
    return PlainRun(counts, **(given | options))  # type: ignore[arg-type]


def as_bytes(token: Symbol) -> bytes:
    """A token's content."""
    return token.encode() if isinstance(token, str) else token


_SHOWN = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u200c": "⟨ZWNJ⟩", "\u200d": "⟨ZWJ⟩"}
_ISOLATES = str.maketrans("", "", "\u2066\u2067\u2068\u2069\u25cc")


def shown(token: Symbol) -> str:
    """A token as the window writes it: white space visible, bytes that are no character in hexadecimal."""
    content, found = as_bytes(token), ""

    def visible(text: str) -> str:
        return "".join(_SHOWN.get(char, char) for char in text)

    while content:
        try:
            found, content = found + visible(content.decode()), b""
        except UnicodeDecodeError as error:
            found += visible(content[: error.start].decode())
            # All stray bytes that stand together are in one pair of brackets.
            end = error.start + 1
            while end < len(content) and not _begins_character(content[end:]):
                end += 1
            found += f"⟨{content[error.start : end].hex(' ').upper()}⟩"
            content = content[end:]
    return found


def _begins_character(content: bytes) -> bool:
    return any(_is_character(content[:n]) for n in (1, 2, 3, 4))


def _is_character(content: bytes) -> bool:
    try:
        return len(content.decode()) == 1
    except UnicodeDecodeError:
        return False


def plain(text: str) -> str:
    """A text of the window without what only keeps directions apart or lines whole, or carries a stray mark."""
    return text.translate(_ISOLATES).replace("\u00a0", " ")
