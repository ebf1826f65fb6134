"""The tokens that merges may make: one table of piece classes for all rules that refuse some.

Each token has a small number, its class. The table has a row and a column for each class, and gives
the class of the token that two tokens make. The first classes are those of refused tokens, one for
each rule: such a token is part of no longer one. So one look-up says whether a pair may be merged,
and what its token is then. The merge loop, candidates and explanations read the same table. The
length of a token is no class but a number, whose limit the table has as well.

To add a rule, write a `PieceRule` and name it in `rules_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import BoolArray, Int32Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels.buffers import CLASS, LENGTH, NEVER
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import CONTINUING, Alphabet
from bpe_studio.engine.text.unicode_scripts import ANY, script_of

DIGITS = frozenset("0123456789０１２３４５６７８９")
"""What SentencePiece takes for digits."""


class Symbol(NamedTuple):
    """A symbol as rules see it.

    Attributes:
        name: its name, without the prefix of a continuing symbol.
        content: its bytes.
        is_text: whether it is a part of a text, and does not stand for something unknown.
    """

    name: str
    content: bytes
    is_text: bool


class PieceRule(NamedTuple):
    """A rule about tokens. What it knows of a token must have few values.

    Attributes:
        words: why it refuses a token, as a clause.
        of_symbol: what it knows of a symbol; `None` for one that is part of no longer token.
        joined: what it knows of the token of two; `None` if it refuses that token.
    """

    words: str
    of_symbol: Callable[[Symbol], Hashable | None]
    joined: Callable[[Any, Any], Hashable | None]


def rules_of(config: TrainingConfig) -> Iterator[PieceRule]:
    """The rules of some options, the first of which gives the reason where several refuse."""
    yield PieceRule(
        "what stands for unknown characters is never part of a longer token",
        lambda symbol: symbol.is_text or None,
        lambda left, right: True,
    )
    if config.has_piece_rules:
        yield PieceRule("its characters would be of two scripts", _script, _common_script)
    if config.has_piece_rules and config.split_digits:
        yield PieceRule(
            "with these settings, each digit is a token of its own",
            lambda symbol: symbol.name not in DIGITS or None,
            lambda left, right: True,
        )
    if config.superwords_from is not None:
        most = config.superwords_words
        yield PieceRule(
            f"it would have more than {most:,} words, or a colon before a space",
            lambda symbol: _Words.of(symbol.content),
            lambda left, right: left.with_next(right, most),
        )


class _Words(NamedTuple):
    """What the limits of superwords ask of a token.

    Attributes:
        n: how many words it has: parts that are not empty, between spaces.
        begins_with_space: whether its first character is a space.
        last: its last character if that is a space or a colon; otherwise empty.
    """

    n: int
    begins_with_space: bool
    last: bytes

    @classmethod
    def of(cls, content: bytes) -> _Words:
        if content == b" ":
            return cls(0, True, content)
        last = content if content == b":" else b""
        return cls(1, False, last)

    def with_next(self, right: _Words, most: int) -> _Words | None:
        if self.last == b":" and right.begins_with_space:
            return None
        n = self.n + right.n
        if self.last != b" " and not right.begins_with_space:
            n -= 1
        return None if n > most else _Words(n, self.begins_with_space, right.last)


def _script(symbol: Symbol) -> int:
    return ANY if symbol.name == WORD_START else script_of(symbol.name[0])


def _common_script(left: int, right: int) -> int | None:
    if ANY in (left, right):
        return max(left, right)
    return left if left == right else None


def symbols_of(alphabet: Alphabet, config: TrainingConfig) -> list[Symbol]:
    """The symbols of an alphabet as rules see them."""
    prefix = config.continuing or ""
    is_continuing = ((alphabet.codes & CONTINUING) != 0).tolist()
    names = list(alphabet.names)
    for number, is_cut in enumerate(is_continuing):
        if is_cut:
            names[number] = names[number].removeprefix(prefix)
    return list(map(Symbol, names, alphabet.contents, alphabet.is_text.tolist()))


@dataclass(frozen=True)
class PieceTable:
    """The classes of tokens, and which two may be merged.

    Attributes:
        refusals: why a token of class 0, 1, ... is refused, as a clause; all other classes are
            those of tokens that are allowed.
        of_symbols: (n,) int32, the class of each symbol.
        joins: (c, c) int16, the class of the token that tokens of two classes make.
        most_symbols: the most symbols that a token may have; `NEVER` for any number.
    """

    refusals: tuple[str, ...]
    of_symbols: Int32Array
    joins: npt.NDArray[np.int16]
    most_symbols: int = NEVER

    @classmethod
    def of(cls, symbols: Sequence[Symbol], config: TrainingConfig) -> PieceTable:
        """The table of the rules of some options, with the classes that the symbols can make."""
        return cls.of_rules(symbols, rules_of(config), config.most_symbols or NEVER)

    @classmethod
    def of_rules(
        cls, symbols: Sequence[Symbol], rules: Iterator[PieceRule], most_symbols: int = NEVER
    ) -> PieceTable:
        """The same for any rules. One that refuses nothing takes no room."""
        table = cls((), np.zeros(len(symbols), np.int32), np.zeros((1, 1), np.int16), most_symbols)
        for rule in rules:
            of_symbols, joins = _classes(rule, symbols)
            if (of_symbols == 0).any() or (joins[1:, 1:] == 0).any():
                table = table._with(rule.words, of_symbols, joins)
        return table

    @property
    def has_limits(self) -> bool:
        """Whether there is any pair that may not be merged."""
        return bool(self.refusals) or self.most_symbols != NEVER

    def are_allowed(self, lefts: Int32Array, rights: Int32Array) -> BoolArray:
        """Which pairs of tokens may be merged, by their rows of facts; see `TokenFacts`."""
        classes = self.joins[lefts[:, CLASS], rights[:, CLASS]]
        lengths = lefts[:, LENGTH] + rights[:, LENGTH]
        return np.asarray((classes >= len(self.refusals)) & (lengths <= self.most_symbols))

    def refusal(self, left: Sequence[int], right: Sequence[int]) -> str:
        """Why two tokens may not be merged, as a clause; empty if they may.

        Args:
            left: the row of facts of the left token; see `TokenFacts`.
            right: that of the right one.
        """
        if left[LENGTH] + right[LENGTH] > self.most_symbols:
            return f"with these settings, a token has at most {self.most_symbols:,} symbols"
        joined = int(self.joins[left[CLASS], right[CLASS]])
        return self.refusals[joined] if joined < len(self.refusals) else ""

    def can_make(self, symbols: Sequence[int]) -> bool:
        """Whether merges, in any order, may make one token of some symbols."""
        n = len(symbols)
        if n > self.most_symbols:
            return False
        if not self.refusals:
            return True
        found = {(at, at + 1): {int(self.of_symbols[each])} for at, each in enumerate(symbols)}
        for size in range(2, n + 1):
            for start in range(n - size + 1):
                end = start + size
                made: set[int] = set()
                for middle in range(start + 1, end):
                    pairs = product(found[start, middle], found[middle, end])
                    made.update(int(self.joins[left, right]) for left, right in pairs)
                found[start, end] = {each for each in made if each >= len(self.refusals)}
        return bool(found[0, n])

    def _with(self, words: str, of_symbols: Int32Array, joins: npt.NDArray[np.int16]) -> PieceTable:
        """The table of these rules and one more, in which class 0 is that of refused tokens."""
        n = len(self.refusals)
        n_more = len(joins) - 1

        def number(own: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
            both = n + 1 + (own - n) * n_more + other - 1
            return np.where(own < n, own, np.where(other == 0, n, both))

        own = np.repeat(np.arange(n, len(self.joins)), n_more)
        other = np.tile(np.arange(1, n_more + 1), len(self.joins) - n)
        # Between refused classes, the first rule gives the reason.
        places = np.arange(n + 1 + len(own))
        both = np.minimum.outer(places, places)
        both[n + 1 :, n + 1 :] = number(
            self.joins[np.ix_(own, own)].astype(np.int64), joins[np.ix_(other, other)]
        )
        symbols = number(self.of_symbols.astype(np.int64), of_symbols)
        kept = np.union1d(places[: n + 1], symbols)
        while len(more := np.union1d(kept, both[np.ix_(kept, kept)])) > len(kept):
            kept = more
        renumbered = np.searchsorted(kept, both[np.ix_(kept, kept)])
        return PieceTable(
            (*self.refusals, words),
            np.searchsorted(kept, symbols).astype(np.int32),
            renumbered.astype(np.int16),
            self.most_symbols,
        )


def _classes(
    rule: PieceRule, symbols: Sequence[Symbol]
) -> tuple[Int32Array, npt.NDArray[np.int16]]:
    """The class of each symbol by one rule, and the table of its classes; 0 is refused."""
    numbers: dict[Hashable | None, int] = {None: 0}
    of_symbols = [numbers.setdefault(rule.of_symbol(symbol), len(numbers)) for symbol in symbols]
    joined: dict[tuple[int, int], int] = {}
    n_known = 0
    while n_known < len(numbers):
        known = list(numbers)
        n_known = len(known)
        for left, right in product(range(1, n_known), repeat=2):
            if (left, right) not in joined:
                made = rule.joined(known[left], known[right])
                joined[left, right] = numbers.setdefault(made, len(numbers))
    joins = np.zeros((len(numbers), len(numbers)), np.int16)
    for pair, number in joined.items():
        joins[pair] = number
    return np.array(of_symbols, np.int32), joins
