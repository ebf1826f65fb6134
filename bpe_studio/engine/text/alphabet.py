"""The initial symbols: the 256 bytes, or the characters or items of a corpus, with their marks.

An alphabet turns a pre-token into symbol ids (`symbol_ids`) and has the name of each symbol, as
logs and tokenizer files write it, and its content, as decoding gives it back. It does not train or
merge anything.

A symbol has a *code*: the unit (a byte, a code point, or the number of an item) times four, plus 1
if it has a continuing prefix, plus 2 if it has a word-end mark. Symbols that are not units of text
have codes beyond all units: a mark that is a symbol of its own, the symbol for characters that are
left out, and the bytes of unknown characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.arrays import BoolArray, ByteArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import BETWEEN
from bpe_studio.engine.text.items import item_name, item_number, item_numbers
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.errors import ConfigError, CorpusError, VocabularyError

if TYPE_CHECKING:
    import numpy.typing as npt

_BLOCK_BYTES = 1 << 20
CONTINUING = 1
ENDING = 2
END_SYMBOL = 0x110000 << 2
"""The code of a word-end mark that is a symbol of its own."""
LEFT_OUT = END_SYMBOL + 4
"""The code of the symbol that stands for characters that are left out; it is the unknown token."""
FALLBACK = END_SYMBOL + 8
"""The code of byte 0 of an unknown character; the other bytes follow, four codes apart."""
_FALLBACK_CODES = range(FALLBACK, FALLBACK + (256 << 2), 4)
FALLBACK_NAMES = tuple(f"<0x{byte:02X}>" for byte in range(256))
_FIRST_TOKEN = FALLBACK + (256 << 2)
"""The code of the first token of `Alphabet.of_tokens`."""
_MANY = 1 << 16
"""More codes than this are looked up in a table by code, which takes some time to make."""


def _stand_ins() -> list[str]:
    # GPT-2 shows a byte as the Latin-1 character if it is printable, and the other 68 as characters
    # from U+0100 on.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    names = [""] * 256
    for byte in printable:
        names[byte] = chr(byte)
    for place, byte in enumerate(byte for byte in range(256) if byte not in printable):
        names[byte] = chr(0x100 + place)
    return names


byte_to_stand_in: list[str] = _stand_ins()
stand_in_to_byte: dict[str, int] = {name: byte for byte, name in enumerate(byte_to_stand_in)}
_STAND_IN_TABLE = dict(enumerate(byte_to_stand_in))


def are_stand_ins(text: str) -> bool:
    """Whether every character of a text is the stand-in of a byte."""
    return stand_in_to_byte.keys() >= set(text)


def to_stand_ins(content: bytes) -> str:
    """Bytes as GPT-2's printable stand-ins.

    >>> to_stand_ins(b" the")
    'Ġthe'
    """
    return content.decode("latin-1").translate(_STAND_IN_TABLE)


def from_stand_ins(name: str) -> bytes:
    """The bytes of printable stand-ins.

    Raises:
        VocabularyError: a character is not the stand-in of any byte.
    """
    try:
        return bytes(map(stand_in_to_byte.__getitem__, name))
    except KeyError as error:
        raise VocabularyError(
            f"{error.args[0]!r} in {name!r} is not the stand-in of a byte; write bytes with GPT-2's"
            " stand-ins, such as Ġ for a space"
        ) from None


@dataclass(frozen=True)
class Alphabet:
    """The symbols that a run starts from, in the order of their ids.

    Attributes:
        config: the options that decide units, marks and order.
        codes: (n,) int64, the code of each symbol, by id.
    """

    config: TrainingConfig
    codes: Int64Array

    @classmethod
    def of_tokens(
        cls, config: TrainingConfig, names: Sequence[str], contents: Sequence[bytes]
    ) -> Alphabet:
        """An alphabet of any tokens; no code is that of a byte or a character."""
        alphabet = cls(config, _FIRST_TOKEN + (np.arange(len(names), dtype=np.int64) << 2))
        vars(alphabet).update(names=tuple(names), contents=tuple(contents))
        return alphabet

    def __len__(self) -> int:
        return len(self.codes)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "names": self.names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self.config.units != "items":
            return
        # Numbers of items mean nothing in another process.
        codes = self.codes.copy()
        for place in np.flatnonzero(codes < END_SYMBOL).tolist():
            codes[place] = item_number(self.names[place]) << 2
        vars(self)["codes"] = codes
        for derived in ("_sorted", "_by_code"):
            vars(self).pop(derived, None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each symbol, in the spelling of logs and tokenizer files."""
        return tuple(self._name(code) for code in self.codes.tolist())

    @cached_property
    def contents(self) -> tuple[bytes, ...]:
        """The UTF-8 bytes of each symbol, without marks."""
        return tuple(self._content(code) for code in self.codes.tolist())

    @cached_property
    def specials(self) -> Int64Array:
        """(n,) int64, the number of the special token that each symbol is as well, or -1."""
        numbers = {name: number for number, name in enumerate(self.config.all_special)}
        return np.array([numbers.get(name, -1) for name in self.names], np.int64)

    @property
    def n_own(self) -> int:
        """The number of symbols that are not special tokens as well."""
        return int(np.count_nonzero(self.specials < 0))

    @cached_property
    def unknown(self) -> int:
        """The symbol that is also the unknown token, and can be merged; `UNKNOWN` if none is."""
        name = self.config.unknown
        if name is None or not is_plain_symbol(name, self.config):
            return UNKNOWN
        return int(self.ids(np.array([ord(name) << 2]))[0])

    @property
    def left_out(self) -> int:
        """The symbol for characters that the alphabet leaves out; `UNKNOWN` if there is none."""
        return int(self.ids(np.array([LEFT_OUT]))[0]) if self.unknown == UNKNOWN else self.unknown

    @property
    def is_text(self) -> BoolArray:
        """(n,) bool, whether a symbol can be merged: it stands neither for characters that are left
        out nor for a byte of an unknown one.
        """
        return np.asarray((self.codes <= END_SYMBOL) | (self.codes >= _FIRST_TOKEN))

    @cached_property
    def starts_word(self) -> BoolArray:
        """(n,) bool, whether a symbol begins a word, if there is a continuing prefix."""
        return np.asarray((self.codes & CONTINUING) == 0)

    @cached_property
    def ends_word(self) -> BoolArray:
        """(n,) bool, whether a symbol has, or is, the word-end mark."""
        return np.asarray(((self.codes & ENDING) != 0) | (self.codes == END_SYMBOL))

    @cached_property
    def _sorted(self) -> tuple[Int64Array, Int32Array]:
        order = np.argsort(self.codes, kind="stable")
        return self.codes[order], order.astype(np.int32)

    @cached_property
    def _by_code(self) -> Int32Array:
        ids = np.full(int(self.codes.max()) + 2, UNKNOWN, np.int32)
        ids[self.codes] = np.arange(len(self.codes))
        return ids

    def ids_by_unit(self, n_units: int) -> Int32Array:
        """(n_units,) int32, the symbol id of each unit of `symbol_units`; `UNKNOWN` for others."""
        if has_bytes_as_units(self.config):
            return self.ids(np.arange(n_units) << 2)
        ids = np.full(n_units, UNKNOWN, np.int32)
        is_used = self.codes < n_units
        ids[self.codes[is_used]] = np.flatnonzero(is_used)
        return ids

    def ids(self, codes: Int64Array) -> Int32Array:
        """The symbol id of each code; `UNKNOWN` outside the alphabet."""
        if not len(self.codes):
            return np.full(len(codes), UNKNOWN, np.int32)
        if len(codes) > _MANY:
            return self._by_code[np.minimum(codes, len(self._by_code) - 1)]
        known, ids = self._sorted
        places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        return np.where(known[places] == codes, ids[places], UNKNOWN).astype(np.int32)

    def symbols(self, codes: Int64Array) -> tuple[Int32Array, Int64Array]:
        """The symbols of a text: with byte fallback, those of a character outside the alphabet are
        its bytes.

        Args:
            codes: (n,) int64, codes of characters, with their marks.

        Returns:
            int32, the symbols, end to end; and (n,) int64, how many each code becomes, 1 or more.
            `UNKNOWN` outside the alphabet, if there is no byte fallback.
        """
        ids = self.ids(codes)
        sizes = np.ones(len(ids), np.int64)
        is_unknown = ids == UNKNOWN
        if not self.config.byte_fallback or not is_unknown.any():
            return ids, sizes
        contents = [
            chr(code >> 2).encode("utf-8", "surrogatepass") for code in codes[is_unknown].tolist()
        ]
        sizes[is_unknown] = list(map(len, contents))
        of_bytes = self.ids(np.array(_FALLBACK_CODES))[np.frombuffer(b"".join(contents), np.uint8)]
        is_byte = np.repeat(is_unknown, sizes)
        ids = np.repeat(ids, sizes)
        ids[is_byte] = of_bytes
        return ids, sizes

    def _name(self, code: int) -> str:
        if code == END_SYMBOL:
            return self.config.word_end or ""
        if code == LEFT_OUT:
            return self.config.unknown or ""
        if code >= FALLBACK:
            return FALLBACK_NAMES[code - FALLBACK >> 2]
        unit = code >> 2
        name = byte_to_stand_in[unit] if self.config.units == "bytes" else self._text(unit)
        before = (self.config.continuing or "") if code & CONTINUING else ""
        if not code & ENDING:
            return before + name
        return before + name + (self.config.word_end or "")

    def _content(self, code: int) -> bytes:
        if code == END_SYMBOL:
            return b""
        if code == LEFT_OUT:
            return (self.config.unknown or "").encode("utf-8", "surrogatepass")
        if code >= FALLBACK:
            return bytes([code - FALLBACK >> 2])
        unit = code >> 2
        if self.config.units == "bytes":
            return bytes([unit])
        return self._text(unit).encode("utf-8", "surrogatepass")

    def _text(self, unit: int) -> str:
        return item_name(unit) if self.config.units == "items" else chr(unit)


def added_up(sizes: Int64Array, lengths: Int64Array) -> Int64Array:
    """(w,) int64, the number of symbols of each pre-token.

    Args:
        sizes: (n,) int64, the number of symbols of each character of the pre-tokens, end to end.
        lengths: (w,) int64, the number of characters of each pre-token.
    """
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[np.cumsum(lengths)]
    return np.diff(ends, prepend=0)


def has_bytes_as_units(config: TrainingConfig) -> bool:
    """Whether symbols are bytes without any mark, so that a byte is enough to identify one."""
    return config.units == "bytes" and config.continuing is None and config.word_end is None


def marks_of_symbol(name: str, config: TrainingConfig) -> tuple[bool, bool] | None:
    """Whether a symbol's name has the continuing prefix and whether it has the word-end mark, or is
    that mark.

    Only a single character with its marks, or a single item, is the name of a symbol; any other
    text gives `None`. A mark of one character is not taken for the character of a symbol where the
    name can be read in another way, because a text that holds the mark is not trained on.

    >>> config = TrainingConfig.preset("textbook", word_end="_")
    >>> [marks_of_symbol(name, config) for name in ("a", "_", "a_", "ab_")]
    [(False, False), (False, False), (False, True), None]
    """
    prefix = config.continuing or ""
    mark = config.word_end or ""
    if config.word_end_as == "own-symbol":
        if name == mark:
            return False, True
        mark = ""
    if config.units == "items":
        return None if BETWEEN in name else (False, False)
    readings = []
    for after, before in product(dict.fromkeys(("", mark)), dict.fromkeys(("", prefix))):
        is_as_long = len(name) == len(before) + 1 + len(after)
        if is_as_long and name.startswith(before) and name.endswith(after):
            readings.append((bool(before), bool(after), name[len(before)] == mark))
    if not readings:
        return None
    is_continuing, ends_word, _ = min(readings, key=lambda reading: reading[2])
    return is_continuing, ends_word


def symbol_units(
    blob: ByteArray, offsets: Int64Array, config: TrainingConfig
) -> tuple[ByteArray | Int64Array, Int64Array, int]:
    """The units that distinguish the symbols of many pre-tokens, end to end: bytes if these are
    enough, else codes.

    Args:
        blob: (size,) uint8, the UTF-8 bytes of the pre-tokens, end to end; none is empty.
        offsets: (n + 1,) int64, the start of each in `blob`, and the end.
        config: units and marks.

    Returns:
        The units; (n,) int64, the number of units of each pre-token; and a number greater than all
        units.
    """
    if has_bytes_as_units(config):
        return blob, np.diff(offsets), 256
    codes, lengths = symbol_codes(blob, offsets, config)
    return codes, lengths, int(codes.max(initial=0)) + 1


def symbol_codes(
    blob: ByteArray, offsets: Int64Array, config: TrainingConfig
) -> tuple[Int64Array, Int64Array]:
    """The codes of the symbols of many pre-tokens, end to end.

    Args:
        blob: (size,) uint8, the UTF-8 bytes of the pre-tokens, end to end; none is empty.
        offsets: (n + 1,) int64, the start of each in `blob`, and the end.
        config: units and marks.

    Returns:
        The codes; and (n,) int64, the number of codes of each pre-token.
    """
    if config.units == "bytes":
        codes = blob.astype(np.int64) << 2
        lengths = np.diff(offsets)
    elif config.units == "items":
        codes, lengths = item_numbers(blob, offsets)
        codes <<= 2
    else:
        codes, lengths = _characters(blob, offsets)
        codes <<= 2
    ends = np.cumsum(lengths)
    if config.continuing is not None:
        codes |= CONTINUING
        codes[ends - lengths] ^= CONTINUING
    if config.word_end_as == "on-last-character":
        codes[ends - 1] |= ENDING
    elif config.word_end_as == "own-symbol":
        longer = np.full(len(codes) + len(lengths), END_SYMBOL, np.int64)
        is_code = np.ones(len(longer), np.bool_)
        is_code[ends + np.arange(len(lengths))] = False
        longer[is_code] = codes
        codes = longer
        lengths = lengths + 1
    return codes, lengths


def _characters(blob: ByteArray, offsets: Int64Array) -> tuple[Int64Array, Int64Array]:
    # Stray bytes at the end of a pre-token and at the start of the next make no character together.
    begins_amid = bool(((blob[offsets[:-1]] & 0xC0) == 0x80).any())
    try:
        codes = None if begins_amid else _decoded(blob)
    except UnicodeDecodeError:
        codes = None
    if codes is None:
        raw = blob.tobytes()
        bounds = offsets.tolist()
        words = [
            raw[a:b].decode("utf-8", "replace") for a, b in zip(bounds, bounds[1:], strict=False)
        ]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        codes = code_points("".join(words)).astype(np.int64)
    else:
        # A cumulative sum over all bytes would take eight times the memory of the corpus, and numpy
        # would hold Python's lock meanwhile.
        continuing = np.flatnonzero((blob & 0xC0) == 0x80)
        lengths = np.diff(offsets - np.searchsorted(continuing, offsets))
    return codes, lengths


def _decoded(blob: ByteArray) -> Int64Array:
    """The code points of UTF-8, block by block, because Python holds its lock while it decodes."""
    parts = [np.zeros(0, np.uint32)]
    begin = 0
    while begin < len(blob):
        end = begin + _BLOCK_BYTES
        # A block ends at a character boundary; a character has at most three more bytes.
        more = np.flatnonzero((blob[end : end + 4] & 0xC0) != 0x80)
        end += int(more[0]) if len(more) else 4
        parts.append(code_points(blob[begin:end].tobytes().decode("utf-8")))
        begin = end
    return np.concatenate(parts).astype(np.int64)


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """(n,) uint32, the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def build_alphabet(totals: Int64Array, config: TrainingConfig) -> Alphabet:
    """The alphabet of a corpus.

    Args:
        totals: int64, the count of each unit of `symbol_units` in the text.
        config: decides the symbols and their order.

    Raises:
        CorpusError: the word-end mark also occurs as a character of the text, or a symbol's name
            would be ambiguous. A mark that is a symbol of its own is one of them even if no word
            has it yet, because every encoded text will.
        ConfigError: a special token is also a symbol that means something else, or characters are
            left out for which there is no token.
    """
    units = np.flatnonzero(totals)
    seen = units << 2 if has_bytes_as_units(config) else units
    kept = _kept_units(seen, totals[units], config)
    is_kept = np.array(
        [unit in kept or unit == END_SYMBOL >> 2 for unit in (seen >> 2).tolist()], np.bool_
    )
    leaves_out = not is_kept.all()
    seen = seen[is_kept]
    units = units[is_kept]
    mark = config.word_end or ""
    everything = set(seen.tolist())
    if config.full_alphabet:
        variants = {0}
        if config.continuing is not None:
            variants |= {v | CONTINUING for v in variants}
        if config.word_end_as == "on-last-character":
            variants |= {v | ENDING for v in variants}
        for variant in variants:
            everything.update((byte << 2) | variant for byte in range(256))
    always = [unit for unit in _initial_units(config) if unit in kept]
    # A special token of one character is that character, too, as in Hugging Face.
    always += [ord(name) for name in config.all_special if is_plain_symbol(name, config)]
    everything.update(unit << 2 for unit in always)
    # With a prefix, merges can make the name of a symbol also from a byte that the text does not
    # have.
    nameable = set(seen.tolist()) if config.continuing is None else everything
    if len(mark) == 1:
        own = stand_in_to_byte.get(mark) if config.units == "bytes" else ord(mark)
        if any(code >> 2 == own for code in nameable):
            raise CorpusError(
                f"The word-end mark {mark!r} is also a character of the text; choose a mark that is"
                " not, such as </w>"
            )
    frequency: dict[int, int] = {}
    if TIE_RULES[config.ties].has_frequent_first:
        frequency = dict(zip(seen.tolist(), totals[units].tolist(), strict=True))
    codes = sorted(everything)
    with_mark = sorted({*codes, END_SYMBOL}) if config.word_end_as == "own-symbol" else codes
    _check_names(
        dict(zip(with_mark, Alphabet(config, np.array(with_mark, np.int64)).names, strict=True)),
        config,
    )
    if config.byte_fallback:
        codes += _FALLBACK_CODES
    elif leaves_out:
        if config.unknown is None and config.limit_alphabet is None:
            raise ConfigError(
                f"A character coverage of {config.character_coverage} leaves characters out, and no"
                " token stands for them: name one with unknown, or choose byte fallback or"
                " coverage 1"
            )
        if config.unknown is not None and not is_plain_symbol(config.unknown, config):
            codes.append(LEFT_OUT)
    names = dict(zip(codes, Alphabet(config, np.array(codes, np.int64)).names, strict=True))
    alphabet = Alphabet(config, np.array(_ordered(codes, names, frequency, config), np.int64))
    _check_specials(alphabet)
    return alphabet


def _initial_units(config: TrainingConfig) -> list[int]:
    """The units of the initial alphabet, by code point.

    Raises:
        ConfigError: a character is not the stand-in of a byte, if units are bytes.
    """
    chars = sorted(config.initial_alphabet)
    if config.units != "bytes":
        return list(map(ord, chars))
    try:
        return list(from_stand_ins("".join(chars)))
    except VocabularyError as error:
        raise ConfigError(f"The initial alphabet cannot be used with bytes: {error}") from None


def is_plain_symbol(name: str, config: TrainingConfig) -> bool:
    """Whether a special token is a symbol as well: one that is written like it, without marks, and
    means the same.
    """
    if len(name) != 1 or config.units == "items":
        return False
    return config.units == "characters" or (name.isascii() and name in stand_in_to_byte)


def _kept_units(codes: Int64Array, counts: Int64Array, config: TrainingConfig) -> set[int]:
    """The units that the alphabet keeps.

    A limit keeps the initial alphabet first, then the most frequent units. Of equally frequent
    ones, it keeps those of lower code points; Hugging Face leaves that to chance. A coverage keeps
    the most frequent characters until their share is reached, computed with 32 bits as in
    SentencePiece.
    """
    is_unit = codes != END_SYMBOL
    units, places = np.unique(codes[is_unit] >> 2, return_inverse=True)
    totals = np.zeros(len(units), np.int64)
    np.add.at(totals, places, counts[is_unit])
    initial = _initial_units(config)
    ranked = units[np.lexsort((units, -totals))]
    if config.limit_alphabet is not None:
        others = [unit for unit in ranked.tolist() if unit not in initial]
        return set([*initial, *others][: config.limit_alphabet])
    if config.character_coverage < 1:
        descending = -np.sort(-totals)
        before = np.cumsum(descending) - descending
        shares = (before / totals.sum()).astype(np.float32)
        ranked = ranked[shares < np.float32(config.character_coverage)]
    return {*initial, *ranked.tolist()}


def _check_specials(alphabet: Alphabet) -> None:
    """Refuses a special token that is written as a symbol and means something else.

    Raises:
        ConfigError: there is one.
    """
    for place in np.flatnonzero(alphabet.specials >= 0).tolist():
        name = alphabet.names[place]
        is_same = alphabet.contents[place] == name.encode("utf-8", "surrogatepass")
        is_item = alphabet.config.units == "items"
        if alphabet.codes[place] != LEFT_OUT and (is_item or not is_same):
            raise ConfigError(
                f"The special token {name!r} is also a symbol of the text's alphabet; choose"
                " another text for it"
            )


def _check_names(names: dict[int, str], config: TrainingConfig) -> None:
    """Raises an error if two symbols have the same name, or a name can be read as another character
    with other marks.

    With all bytes, a mark of one character is the name of a byte too. A prefix and a mark can
    overlap: with ## and #_, the name ##_ is _ with the prefix, or # with the mark.
    """
    prefix = config.continuing or ""
    mark = config.word_end or ""
    if not mark:
        return
    overlap = bool(prefix) and prefix[1:] == mark[:-1]
    seen: set[str] = set()
    for code, name in names.items():
        if name in seen or (
            overlap
            and marks_of_symbol(name, config) != (bool(code & CONTINUING), bool(code & ENDING))
        ):
            marks = f"the word-end mark {mark!r}"
            others = "another, such as </w>"
            if prefix:
                marks = f"the prefix {prefix!r} and {marks}"
                others = "others, such as ## and </w>"
            raise CorpusError(
                f"With {marks}, the symbol {name!r} can be read in two ways; choose {others}"
            )
        seen.add(name)


def reorder_alphabet(alphabet: Alphabet, totals: Int64Array, config: TrainingConfig) -> Alphabet:
    """The same symbols in the order of other options, such as another tie rule.

    Args:
        alphabet: the symbols.
        totals: (n,) int64, the count of each symbol in the text, by id.
        config: decides the order; units and marks are those of the alphabet.
    """
    codes = alphabet.codes.tolist()
    names = dict(zip(codes, alphabet.names, strict=True))
    frequency = dict(zip(codes, totals.tolist(), strict=True))
    # Equal names or frequencies do not occur, or are ordered by the code, as in `build_alphabet`.
    return Alphabet(config, np.array(_ordered(sorted(codes), names, frequency, config), np.int64))


def _ordered(
    codes: Sequence[int], names: dict[int, str], frequency: dict[int, int], config: TrainingConfig
) -> list[int]:
    others = [code for code in codes if code > END_SYMBOL]
    codes = [code for code in codes if code <= END_SYMBOL]
    rule = TIE_RULES[config.ties]
    if rule.has_frequent_first:
        codes = sorted(codes, key=lambda code: (-frequency.get(code, 0), names[code]))
    elif config.units != "bytes":
        codes = sorted(codes, key=names.__getitem__)
    elif rule.has_special_first:
        codes = sorted(codes, key=lambda code: (code & 3, names[code]))
    else:
        codes = sorted(codes)
    if rule.has_special_first:
        # The lowest ids decide ties.
        special = {name: number for number, name in enumerate(config.all_special)}
        codes.sort(key=lambda code: special.get(names[code], len(special)))
    return others + codes
