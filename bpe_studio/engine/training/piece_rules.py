"""The tokens that merges may make: one table of piece classes for all rules that refuse some.

Each token has a small number, its class. The table has a row and a column for each class, and gives
the class of the token that two tokens make. The first classes are those of refused tokens, one for
each rule: such a token is part of no longer one. So one look-up says whether a pair may be merged,
and the class of its token. The merge loop, candidates and explanations read the same table. The
length of a token is not a class but a number; the table has its limit as well.

To add a rule, write a `PieceRule` and name it in `rules_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import BoolArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels.buffers import CLASS, LENGTH, NEVER
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import CONTINUING, Alphabet
from bpe_studio.engine.text.unicode_scripts import (
    ANY,
    MIXED,
    NO_SCRIPT,
    joined_script,
    script_of,
    script_of_text,
)
from bpe_studio.errors import ConfigError

if TYPE_CHECKING:
    from bpe_studio.engine.training.corpus_array import CorpusArray

_MOST_CLASSES = 4096
"""The most classes. The table has the square of this many entries, 128 MB in the merge loop."""
DIGITS = frozenset("0123456789０１２３４５６７８９")
"""The characters that SentencePiece takes for digits."""


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
    """A rule about tokens. It knows one value of each token; there must be few of them.

    Attributes:
        words: the reason why it refuses a token, as a clause.
        of_symbol: gives the value of a symbol; `None` for one that is part of no longer token.
        joined: gives the value of the token that two make, from theirs; `None` to refuse it.
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
    if config.keeps_characters:
        yield PieceRule("it would end inside a character", _Part.of, _Part.with_next)
    if config.one_script:
        yield PieceRule("it would join two scripts", _own_script, _one_script)
    if config.limits_words:
        most = config.superwords_words
        yield PieceRule(
            f"it would have more than {most:,} words, or a colon before a space",
            lambda symbol: _Words.of(symbol.content, most),
            lambda left, right: left.with_next(right, most),
        )


class _Words(NamedTuple):
    """The value of a token for the limits of superwords.

    Attributes:
        n: the number of its words, which are the non-empty parts between spaces.
        begins_with_space: whether its first character is a space.
        last: its last character if that is a space or a colon; otherwise empty.
    """

    n: int
    begins_with_space: bool
    last: bytes

    @classmethod
    def of(cls, content: bytes, most: int) -> _Words | None:
        n = len([word for word in content.split(b" ") if word])
        if n > most or b": " in content:
            return None
        last = content[-1:] if content.endswith((b" ", b":")) else b""
        return cls(n, content.startswith(b" "), last)

    def with_next(self, right: _Words, most: int) -> _Words | None:
        if right == _NO_WORDS:
            return self
        if self == _NO_WORDS:
            return right
        if self.last == b":" and right.begins_with_space:
            return None
        n = self.n + right.n
        if self.last != b" " and not right.begins_with_space:
            n -= 1
        return None if n > most else _Words(n, self.begins_with_space, right.last)


_NO_WORDS = _Words(0, False, b"")
"""A word-end mark that is a symbol of its own."""


class _Part(NamedTuple):
    """A part of a character: its first bytes, or bytes that follow them.

    Attributes:
        n_missing: the number of bytes that the character needs after it; 0 for whole characters;
            for bytes that follow others, minus their number.
        low: the least byte that may come next; for bytes that follow others, the least that its
            first byte may be.
        high: the greatest such byte.
    """

    n_missing: int
    low: int
    high: int

    @classmethod
    def of(cls, symbol: Symbol) -> _Part | None:
        if not symbol.content:
            return _NOTHING
        try:
            symbol.content.decode()
        except UnicodeDecodeError:
            made = cls.of_byte(symbol.content[0])
            for byte in symbol.content[1:]:
                following = cls.of_byte(byte)
                made = made and following and made.with_next(following)
            return made
        return _WHOLE

    @classmethod
    def of_byte(cls, byte: int) -> _Part | None:
        """The part that one byte is, if it is not a character; `None` if it is part of none."""
        for low, high in _FOLLOWING:
            if low <= byte <= high:
                return cls(-1, low, high)
        if not 0xC2 <= byte <= 0xF4:
            return None
        if byte < 0xE0:
            n_missing = 1
        elif byte < 0xF0:
            n_missing = 2
        else:
            n_missing = 3
        return cls(n_missing, *_AFTER.get(byte, _ANY_FOLLOWING))

    def with_next(self, right: _Part) -> _Part | None:
        """Both together; `None` if they are neither whole characters nor part of one."""
        if right == _NOTHING:
            return self
        if _WHOLE in (self, right):
            return _WHOLE if self == right else None
        n_missing = self.n_missing + right.n_missing
        if right.n_missing > 0:
            return None
        if self.n_missing < 0:
            return self._replace(n_missing=n_missing) if n_missing >= -3 else None
        if n_missing < 0 or right.low < self.low or right.high > self.high:
            return None
        return _Part(n_missing, *_ANY_FOLLOWING) if n_missing else _WHOLE


_NOTHING = _Part(0, 0, -1)
"""A word-end mark that is a symbol of its own."""
_WHOLE = _Part(0, 0, 0)
_ANY_FOLLOWING = (0x80, 0xBF)
_FOLLOWING = ((0x80, 0x8F), (0x90, 0x9F), (0xA0, 0xBF))
"""The bytes that follow others in a character, in groups of which no first byte allows a part."""
_AFTER = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
"""The second bytes after those first bytes that do not allow every one."""


_MADE = Symbol("", b"?", True)
"""A character that its parts have made, whose script is not known yet."""


def _own_script(symbol: Symbol) -> int | None:
    if symbol == _MADE:
        return NO_SCRIPT
    script = script_of_text(symbol.content.decode(errors="ignore"))
    return None if script == MIXED else script


def _one_script(left: int, right: int) -> int | None:
    script = joined_script(left, right)
    return None if script == MIXED else script


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
    """The classes of tokens, and the pairs of classes that may be merged.

    Attributes:
        refusals: the reason why a token of class 0, 1, ... is refused, as a clause; all other
            classes are those of allowed tokens.
        of_symbols: (n,) int32, the class of each symbol.
        joins: (c, c) int16, the class of the token that tokens of two classes make.
        most_symbols: the most symbols that a token may have; `NEVER` for any number.
        contents: the bytes of each symbol.
        made: the class that `joins` gives to a character whose parts have been merged, if its own
            class is in `of_characters`; -1 if `joins` gives the class itself.
        of_characters: the classes of characters, by their bytes.
    """

    refusals: tuple[str, ...]
    of_symbols: Int32Array
    joins: npt.NDArray[np.int16]
    most_symbols: int = NEVER
    contents: tuple[bytes, ...] = ()
    made: int = -1
    of_characters: dict[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, layout: CorpusArray, config: TrainingConfig) -> PieceTable:
        """The table of the rules of some options, with the classes that the symbols of a corpus can
        make.
        """
        symbols = symbols_of(layout.alphabet, config)
        most_symbols = config.most_symbols or NEVER
        if not config.tells_scripts_by_bytes:
            return cls.of_rules(symbols, rules_of(config), most_symbols)
        characters = [Symbol(char, char.encode(), True) for char in layout.characters()]
        table = cls.of_rules([*symbols, *characters, _MADE], rules_of(config), most_symbols)
        n = len(symbols)
        *classes, made = table.of_symbols[n:].tolist()
        contents = [char.content for char in characters]
        # If all are of one script, no rule asks for it.
        made = -1 if made in classes else made
        return replace(
            table,
            of_symbols=table.of_symbols[:n],
            contents=table.contents[:n],
            made=made,
            of_characters=dict(zip(contents, classes, strict=True)),
        )

    @classmethod
    def of_rules(
        cls, symbols: Sequence[Symbol], rules: Iterator[PieceRule], most_symbols: int = NEVER
    ) -> PieceTable:
        """The table of any rules. A rule that refuses nothing takes no room."""
        contents = tuple(symbol.content for symbol in symbols)
        of_symbols = np.zeros(len(symbols), np.int32)
        table = cls((), of_symbols, np.zeros((1, 1), np.int16), most_symbols, contents)
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
        """(n,) bool, whether pairs may be merged, from their rows of facts; see `TokenFacts`."""
        classes = self.joins[lefts[:, CLASS], rights[:, CLASS]]
        lengths = lefts[:, LENGTH] + rights[:, LENGTH]
        return np.asarray((classes >= len(self.refusals)) & (lengths <= self.most_symbols))

    def refusal(self, left: Sequence[int], right: Sequence[int]) -> str:
        """The reason why two tokens may not be merged, as a clause; empty if they may.

        Args:
            left: the row of facts of the left token; see `TokenFacts`.
            right: that of the right one.
        """
        if left[LENGTH] + right[LENGTH] > self.most_symbols:
            return f"with these settings, a token has at most {self.most_symbols:,} symbols"
        joined = int(self.joins[left[CLASS], right[CLASS]])
        return self.refusals[joined] if joined < len(self.refusals) else ""

    def settled(self, joined: int, content: bytes) -> int:
        """The class of a token with these bytes, for which `joins` gives the class `joined`."""
        return self.of_characters.get(content, joined) if joined == self.made else joined

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
                content = b"".join([self.contents[each] for each in symbols[start:end]])
                made: set[int] = set()
                for middle in range(start + 1, end):
                    for left, right in product(found[start, middle], found[middle, end]):
                        made.add(self.settled(int(self.joins[left, right]), content))
                found[start, end] = {each for each in made if each >= len(self.refusals)}
        return bool(found[0, n])

    def _with(self, words: str, of_symbols: Int32Array, joins: npt.NDArray[np.int16]) -> PieceTable:
        """The table of these rules and one more, in which class 0 is that of refused tokens."""
        n = len(self.refusals)
        n_more = len(joins)

        def codes(own: npt.NDArray[Any], other: npt.NDArray[Any]) -> Int64Array:
            """Both classes as one number; -1 and below for a refused token."""
            found: Int64Array = own.astype(np.int64) * n_more + other
            is_refused = (own < n) | (other == 0)
            found[is_refused] = -1 - np.minimum(own, n)[is_refused]
            return found

        def numbers(found: Int64Array) -> Int64Array:
            places: Int64Array = n + 1 + np.searchsorted(kept, found)
            return np.asarray(np.where(found < 0, -1 - found, places))

        symbols = codes(self.of_symbols, of_symbols)
        more = np.unique(symbols[symbols >= 0])
        kept = more[:0]
        joined = np.zeros((0, 0), np.int64)
        while len(more) > len(kept):
            kept = more
            own, other = np.divmod(kept, n_more)
            joined = codes(self.joins[np.ix_(own, own)], joins[np.ix_(other, other)])
            more = np.union1d(kept, joined[joined >= 0])
            if len(more) > _MOST_CLASSES:
                raise ConfigError(
                    f"The rules about tokens tell more than {_MOST_CLASSES:,} kinds of tokens apart"
                    " in this text: drop one-script, or give a smaller superwords-words"
                )
        # Between refused classes, the first rule gives the reason.
        places = np.arange(n + 1 + len(kept))
        table = np.minimum.outer(places, places)
        table[n + 1 :, n + 1 :] = numbers(joined)
        return PieceTable(
            (*self.refusals, words),
            numbers(symbols).astype(np.int32),
            table.astype(np.int16),
            self.most_symbols,
            self.contents,
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
