"""What the definition makes of a text with any options: its pre-tokens, merges, tokens and ids, in
the plainest way.

The merges are those of the twin in `tests/engine/textbook_twin.py`, for symbols with marks. Nothing
here is shared with the engine but the options, the published expressions of the splits and the
sentence for each option."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import regex
from sentencepiece import SentencePieceNormalizer

from bpe_studio.engine import textbook
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.textbook import Pair
from tests.engine.counting.test_corpus import PUBLISHED
from tests.engine.rules import is_of_one_script, is_whole_or_part, script_of
from tests.engine.textbook_twin import STAND_INS, Twin

_CONTINUING = 1
_ENDING = 2
_DROPPED = {
    "strip-controls": (set(range(32)) | set(range(127, 160))) - {9, 10, 13},
    "strip-zero-width": {0x200B, 0x2060, 0xFEFF},
    "strip-bidi": {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)},
    "strip-soft-hyphens": {0xAD},
    "strip-kashida": {0x640},
    "strip-replacements": {0xFFFD},
    "strip-carriage-returns": {13},
    "strip-private-use": {
        *range(0xE000, 0xF900),
        *range(0xF0000, 0xFFFFE),
        *range(0x100000, 0x10FFFE),
    },
}
_REPLACED = {
    "plain-spaces": dict.fromkeys("\xa0\u2007\u202f", " "),
    "plain-separators": dict.fromkeys("\u2028\u2029", " "),
    "persian-yeh": {"\u064a": "\u06cc"},
    "arabic-yeh": {"\u06cc": "\u064a"},
    "persian-kaf": {"\u0643": "\u06a9"},
    "arabic-kaf": {"\u06a9": "\u0643"},
}
CLEANED = ("repeated-lines", "invalid-bytes", "presentation-forms", "character-runs")
"""The cleanings that are defined here."""
_LONG_LINE = 40
_LONG_RUN = 20
DIGITS = {
    "digits-single": r"\p{N}",
    "digits-left": r"\p{N}{1,3}",
    "digits-right": r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))",
}
"""How each split of digits cuts them, before GPT-2's split cuts the rest."""
_OF_LAST_PLACE = 1 << 30
_LONGEST_PIECE = 16
_NMT_NFKC = SentencePieceNormalizer(
    rule_name="nmt_nfkc",
    add_dummy_prefix=False,
    remove_extra_whitespaces=False,
    escape_whitespaces=False,
)
_script_of = lru_cache(maxsize=4096)(script_of)


def _script(name: str) -> str | None:
    return None if name == "▁" else _script_of(name[0])


def _is_form(character: str) -> bool:
    is_ligature = "\ufb00" <= character <= "\ufb06" or "\ufb13" <= character <= "\ufb17"
    is_arabic = "\ufb50" <= character <= "\ufefc" and unicodedata.name(character, "").endswith(
        " FORM"
    )
    return is_ligature or is_arabic


def _without_repeated_lines(text: str) -> str:
    seen: set[str] = set()
    kept = []
    for line in regex.findall(r"[^\n]*\n|[^\n]+$", text):
        own = line.removesuffix("\n").removesuffix("\r")
        if len(own) < _LONG_LINE or own not in seen:
            kept.append(line)
        if len(own) >= _LONG_LINE:
            seen.add(own)
    return "".join(kept)


@dataclass(frozen=True)
class Symbol:
    """A symbol of the alphabet: how it is written, its own bytes, the marks on it, and its place
    among bytes.
    """

    name: str
    content: bytes
    text: bytes
    marks: int
    place: int


class Definition:
    """What the definition says of one set of options."""

    def __init__(self, config: TrainingConfig) -> None:
        self.config = config
        self.specials = list(config.special)
        if config.unknown is not None and config.unknown not in self.specials:
            self.specials.append(config.unknown)

    # From text to words.

    def documents(self, text: str) -> list[str]:
        """The stretches of a corpus that are split by themselves."""
        if self.config.documents == "line":
            return [line for line in regex.findall(r"[^\n]*\n|[^\n]+$", text) if line]
        if self.config.documents == "separator":
            return [part for part in self.parts(text) if part not in self.specials]
        return [text] if text else []

    def parts(self, text: str) -> list[str]:
        """The special tokens of a text and what is between them.

        The longest of those that begin at a place.
        """
        if not self.specials:
            return [text]
        longest_first = sorted(self.specials, key=len, reverse=True)
        expression = "|".join(map(regex.escape, longest_first))
        return [part for part in regex.split(f"({expression})", text) if part]

    def cleaned(self, text: str) -> str:
        """A corpus without what the option `clean` names, as far as `CLEANED` goes."""
        clean = self.config.clean
        if "repeated-lines" in clean:
            text = _without_repeated_lines(text)
        if "invalid-bytes" in clean:
            text = "".join(character for character in text if not "\udc80" <= character <= "\udcff")
        if "presentation-forms" in clean:
            text = "".join(
                unicodedata.normalize("NFKC", character) if _is_form(character) else character
                for character in text
            )
        if "character-runs" in clean:
            runs = ["".join(run) for _, run in groupby(text)]
            text = "".join(
                run[0] if len(run) >= _LONG_RUN and not run[0].isspace() else run for run in runs
            )
        return text

    def normalized(self, text: str) -> str:
        """The text after the changes that the options name."""
        for name in self.config.normalize:
            if name == "lowercase":
                text = "".join(character.lower() for character in text)
            elif name == "strip-accents":
                apart = unicodedata.normalize("NFD", text) if not text.isascii() else text
                text = "".join(c for c in apart if unicodedata.category(c) != "Mn")
            elif name in _REPLACED:
                text = "".join(_REPLACED[name].get(character, character) for character in text)
            elif name == "nmt-nfkc":
                # A line at once, but for line ends and bytes that are no UTF-8.
                text = regex.sub(
                    "[^\n\ud800-\udfff]+", lambda line: _NMT_NFKC.normalize(line[0]), text
                )
            elif name in _DROPPED:
                text = "".join(
                    character for character in text if ord(character) not in _DROPPED[name]
                )
            else:
                text = unicodedata.normalize(name.upper(), text)
        return text

    def pre_tokens(self, text: str) -> list[str]:
        """The pieces of a normalized text."""
        split = self.config.split
        if split == "sentencepiece":
            return ["▁" + word for word in regex.split("[ \n▁]", text) if word]
        digits = DIGITS.get("digits-single" if self.config.split_digits else split)
        if digits:
            rest = "gpt2" if split in DIGITS else split
            parts = regex.findall(rf"{digits}|\P{{N}}+", text)
            return [
                word
                for part in parts
                for word in ([part] if regex.match(r"\p{N}", part) else self._words(part, rest))
            ]
        return self._words(text, split)

    def _words(self, text: str, split: str) -> list[str]:
        if split == "none":
            return [text] if text else []
        pattern = PUBLISHED.get(split) or split.removeprefix("regex:")
        return [match.group() for match in regex.finditer(pattern, text) if match.group()]

    def table(self, text: str) -> dict[bytes, int]:
        """The distinct pre-tokens of a corpus as bytes, in the order in which they come first, and
        their counts.
        """
        counts: dict[bytes, int] = {}
        for document in self.documents(self.cleaned(text)):
            for word in self.pre_tokens(self.normalized(document)):
                content = word.encode("utf-8", "surrogateescape")
                counts[content] = counts.get(content, 0) + 1
        return counts

    def pieces(self, text: str, *, finds_special: bool) -> list[str | bytes]:
        """The special tokens of a text, if they are found, and the pre-tokens between them as
        bytes.
        """
        pieces: list[str | bytes] = []
        for part in self.parts(text) if finds_special else [text]:
            if finds_special and part in self.specials:
                pieces.append(part)
            else:
                words = self.pre_tokens(self.normalized(part))
                pieces += [word.encode("utf-8", "surrogateescape") for word in words]
        return pieces

    def symbols(self, content: bytes) -> list[Symbol]:
        """A pre-token's symbols."""
        config = self.config
        prefix = config.continuing or ""
        mark = config.word_end or ""
        if config.units == "bytes":
            units = [(STAND_INS[byte], bytes([byte]), byte) for byte in content]
        else:
            units = [(c, c.encode(), ord(c)) for c in content.decode("utf-8", "replace")]
        symbols = []
        for k, (name, own, place) in enumerate(units):
            continues = bool(prefix) and k > 0
            ends = config.word_end_as == "on-last-character" and k == len(units) - 1
            symbols.append(
                Symbol(
                    (prefix if continues else "") + name + (mark if ends else ""),
                    own,
                    (prefix.encode() if continues else b"")
                    + own
                    + (mark.encode() if ends else b""),
                    _CONTINUING * continues + _ENDING * ends,
                    place,
                )
            )
        if config.word_end_as == "own-symbol":
            symbols.append(Symbol(mark, b"", mark.encode(), 0, _OF_LAST_PLACE))
        return symbols

    def every_symbol(self, table: Mapping[bytes, int]) -> Iterator[Symbol]:
        """Every symbol that a corpus begins with, many of them several times."""
        for content in table:
            yield from self.symbols(content)
        is_bytes = self.config.units == "bytes"
        for name in self.specials:
            # A special token of one character is that character, too.
            if len(name) == 1 and (not is_bytes or "!" <= name <= "~"):
                yield Symbol(name, name.encode(), name.encode(), 0, ord(name))
        for name in self.config.initial_alphabet:
            own = bytes([STAND_INS.index(name)]) if is_bytes else name.encode()
            yield Symbol(name, own, own, 0, own[0] if is_bytes else ord(name))
        if self.config.full_alphabet:
            for byte in range(256):
                for n in (1, 2, 3):
                    yield from (
                        each for each in self.symbols(bytes([byte]) * n) if each.place == byte
                    )

    def alphabet(self, table: Mapping[bytes, int]) -> dict[str, Symbol]:
        """Every symbol of a corpus by its name, in no order that matters."""
        return {symbol.name: symbol for symbol in self.every_symbol(table)}

    def is_ambiguous(self, table: Mapping[bytes, int]) -> bool:
        """Whether two different symbols are written alike, the mark among them where it is one and
        others are there.
        """
        seen: dict[str, Symbol] = {}
        symbols = [
            *self.every_symbol(table),
            *(self.symbols(b"a")[1:] if self.config.full_alphabet else []),
        ]
        return any(seen.setdefault(symbol.name, symbol) != symbol for symbol in symbols)

    def order(self, rule: str, table: Mapping[bytes, int], symbols: Iterable[Symbol]) -> list[str]:
        """The alphabet's names as a tie rule numbers them."""
        if rule == "sentencepiece":
            counts: dict[str, int] = {}
            for content, count in table.items():
                for symbol in self.symbols(content):
                    counts[symbol.name] = counts.get(symbol.name, 0) + count
            return [s.name for s in sorted(symbols, key=lambda s: (-counts.get(s.name, 0), s.name))]
        if self.config.units == "characters":
            names = sorted(symbol.name for symbol in symbols)
        elif rule == "huggingface":
            names = [s.name for s in sorted(symbols, key=lambda s: (s.marks, s.name))]
        else:
            names = [s.name for s in sorted(symbols, key=lambda s: (s.place, s.marks))]
        if rule == "huggingface":
            names.sort(
                key=lambda name: (
                    self.specials.index(name) if name in self.specials else len(self.specials)
                )
            )
        return names

    def twin(self, table: Mapping[bytes, int]) -> MarkedTwin:
        """A twin that has learned nothing yet."""
        return MarkedTwin.of(self, table)

    # From merges to tokens.

    def encode(
        self, content: bytes, known: set[Symbol], merges: list[textbook.Merge]
    ) -> list[str] | None:
        """The tokens of one pre-token; None where it holds what has no token.

        The unknown token stands for the rest.
        """
        names: list[str] = []
        for symbol in self.symbols(content):
            if symbol in known:
                names.append(symbol.name)
            elif self.config.unknown is None:
                return None
            elif self.config.split != "sentencepiece" or names[-1:] != [self.config.unknown]:
                names.append(self.config.unknown)
        return textbook.encode(names, merges)

    def decoded(self, pieces: list[str | bytes]) -> bytes | None:
        """What decoding gives of pieces without unknown characters.

        None where that is a matter of taste.
        """
        config = self.config
        is_marked = bool(config.word_end or config.continuing)
        if config.split.startswith("regex:") and is_marked:
            return None
        if config.split == "sentencepiece" and config.word_end:
            return None
        before = after = b""
        if config.split == "sentencepiece":
            before = b" "
        elif config.split in ("whitespace", "spaces", "words") and is_marked:
            before, after = (b"", b" ") if config.word_end else (b" ", b"")
        decoded = b""
        for piece in pieces:
            if isinstance(piece, str):
                decoded += piece.encode()
            else:
                content = (
                    piece.decode("utf-8", "replace").encode()
                    if config.units == "characters"
                    else piece
                )
                if config.split == "sentencepiece":
                    content = content.removeprefix("▁".encode())
                decoded += before + content + after
        return decoded.removeprefix(before).removesuffix(after)


class MarkedTwin(Twin):
    """The twin, for symbols with marks in any units, and for special tokens whose text must not be
    learned.
    """

    definition: Definition
    table: Mapping[bytes, int]
    known: dict[str, Symbol]
    texts: dict[str, bytes]
    contents: dict[str, bytes]
    lengths: dict[str, int]
    sizes: dict[str, int]
    scripts: dict[str, tuple[str | None, str | None]]

    @classmethod
    def of(cls, definition: Definition, table: Mapping[bytes, int]) -> MarkedTwin:
        """A twin that has learned nothing yet."""
        config = definition.config
        twin = cls(
            [
                ([symbol.name for symbol in definition.symbols(content)], count)
                for content, count in table.items()
            ],
            ties=config.ties,
            min_frequency=config.min_frequency,
            force=config.force,
            forbid=config.forbid,
            continuing=config.continuing,
            is_characters=config.units == "characters",
        )
        twin.definition = definition
        twin.table = table
        twin.known = definition.alphabet(table)
        twin.texts = {name: symbol.text for name, symbol in twin.known.items()}
        twin.contents = {name: symbol.content for name, symbol in twin.known.items()}
        cut = len(config.continuing or "")
        twin.lengths = {
            name: len(name) - cut * (symbol.marks & 1) for name, symbol in twin.known.items()
        }
        twin.sizes = dict.fromkeys(twin.known, 1)
        twin.alphabet = list(twin.known)
        twin.scripts = {name: (_script(name),) * 2 for name in twin.known}
        return twin

    def token_of(self, pair: Pair) -> str:
        return pair[0] + pair[1][len(self.continuing or "") :]

    def ids(self, rule: str) -> dict[str, int]:
        order = self.definition.order(rule, self.table, self.known.values())
        return {
            token: i for i, token in enumerate([*order, *(merge.token for merge in self.merges)])
        }

    def text_of(self, token: str) -> str | bytes:
        return token if self.is_characters else self.texts[token]

    def n_characters(self, pair: Pair) -> int:
        return self.lengths[pair[0]] + self.lengths[pair[1]]

    def may_be(self, pair: Pair) -> bool:
        """Characters are whole, and of one script, where the options say so. Under the split of
        superwords, words are few. Pieces of the sentencepiece split are of one script and of 16
        symbols at most.

        Elsewhere, below a limit.
        """
        config = self.definition.config
        content = self.contents[pair[0]] + self.contents[pair[1]]
        if config.keeps_characters and not is_whole_or_part(content):
            return False
        if config.one_script and not is_of_one_script(content.decode(errors="ignore")):
            return False
        words = [word for word in content.split(b" ") if word]
        if config.limits_words and (len(words) > config.superwords_words or b": " in content):
            return False
        size = self.sizes[pair[0]] + self.sizes[pair[1]]
        if config.split != "sentencepiece":
            return config.max_token_length is None or size == 2 or size < config.max_token_length
        if config.split_digits and regex.search("[0-9０-９]", "".join(pair)):
            return False
        last = self.scripts[pair[0]][1]
        first = self.scripts[pair[1]][0]
        is_short = size <= (config.max_token_length or _LONGEST_PIECE)
        return is_short and (last is None or first is None or last == first)

    def is_there(self, pair: Pair) -> bool:
        return super().is_there(pair) or self.token_of(pair) in self.definition.specials

    def joined(self, pair: Pair) -> bytes:
        """The text of the token that a pair would make."""
        return self.texts[pair[0]] + self.texts[pair[1]][len((self.continuing or "").encode()) :]

    def step(self):
        merge = super().step()
        if merge is not None:
            pair = merge.left, merge.right
            self.lengths[merge.token] = self.n_characters(pair)
            self.sizes[merge.token] = self.sizes[merge.left] + self.sizes[merge.right]
            self.texts[merge.token] = self.joined(pair)
            self.contents[merge.token] = self.contents[merge.left] + self.contents[merge.right]
            (a, b), (c, d) = self.scripts[merge.left], self.scripts[merge.right]
            self.scripts[merge.token] = a or c, d or b
        return merge

    def at(self, step: int) -> MarkedTwin:
        again = MarkedTwin.of(self.definition, self.table)
        again.overrides = self.overrides
        again.train(step)
        return again

    def external(self) -> list[str]:
        """Every token of the tokenizer by its id."""
        rule = self.rule()
        order = self.definition.order(rule, self.table, self.known.values())
        learned = [merge.token for merge in self.merges]
        both = [*learned, *order] if rule == "sentencepiece" else [*order, *learned]
        specials = self.definition.specials
        return [*specials, *(name for name in both if name not in specials)]
