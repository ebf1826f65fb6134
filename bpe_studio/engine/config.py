"""The options of one training run, checked on construction.

A `TrainingConfig` is immutable: presets make one, `replace` makes another. Options that contradict
each other raise an error that says which to change. Splitting and training read it; nothing here
processes text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Unpack

from bpe_studio.engine.arguments import instead, no_such, shown
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.options import OPTIONS, REGEX, ROLES, label_of
from bpe_studio.engine.presets import (
    BASE_VALUES,
    BETWEEN,
    CLEANINGS,
    DEFAULT_PRESET,
    DIGIT_SPLITS,
    DROPPING_SPLITS,
    OPTIONS_OF_ITEMS,
    PRESETS,
    WORD_STARTS,
    digits_apart,
    share_for_words,
)
from bpe_studio.errors import ConfigError

if TYPE_CHECKING:
    from bpe_studio.engine import option_types as types

MAX_VOCAB_SIZE = 10_000_000
MAX_LISTED = 10_000
"""The most special tokens, forced pairs or forbidden pairs: more than a person writes, and few
enough to check at once.
"""
MAX_SUPERWORDS_WORDS = 100
"""The highest limit on the words of a superword, because each number of words needs a few classes
of tokens."""
MAX_TOKEN_CHARACTERS = 128 << 20
"""The most characters of all tokens of a tokenizer together: a hundred times as many as in the
largest vocabularies in use (200,000 tokens of 7 bytes), or ten million tokens of 13. Each merge can
double a token, so a small file could demand any amount of memory."""
Pair = tuple[str, str]
TEXT = "$A"
"""The placeholder of the text in a template."""
_WEIGHT = re.compile(r".+=(\d{1,9}(?:\.\d{1,9}|/0*[1-9]\d{0,8})?)", re.DOTALL)
_ASCII = frozenset(map(chr, range(33, 127)))
_MAX_PIECE_CHARACTERS = 16
"""SentencePiece's default limit on the length of a piece."""


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The options of a training run, named as on the command line, with underscores for dashes.

    Without arguments it equals the `gpt2` preset. `options.py` says what each option means.

    Raises:
        ConfigError: an unknown value, a value out of range, or options that contradict each other.

    >>> TrainingConfig.preset("textbook", merges=3).units
    'characters'
    """

    preset_name: types.PresetName = DEFAULT_PRESET
    vocab_size: int | None = PRESETS[DEFAULT_PRESET].values["vocab_size"]
    merges: int | None = None
    min_frequency: int = 2
    units: types.Units = "bytes"
    split: types.NamedSplit | str = "gpt2"
    superwords_from: int | None = None
    superwords_split: Literal["superwords", "none"] | str = "superwords"
    superwords_words: int = 4
    split_digits: bool = False
    documents: types.Documents = "line"
    normalize: tuple[types.Normalization, ...] = ()
    clean: tuple[types.Cleaning, ...] = ()
    weight: tuple[str, ...] = ()
    alpha: float = 1.0
    word_end: str | None = None
    word_end_as: types.WordEndAs | None = None
    continuing: str | None = None
    full_alphabet: bool = True
    initial_alphabet: str = ""
    limit_alphabet: int | None = None
    character_coverage: float = 1.0
    byte_fallback: bool = False
    max_token_length: int | None = None
    whole_characters: bool = False
    one_script: bool = False
    ties: types.Ties = "huggingface"
    special: tuple[str, ...] = ("<|endoftext|>",)
    unknown: str | None = None
    pad_token: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    template: str | None = None
    force: tuple[Pair, ...] = ()
    forbid: tuple[Pair, ...] = ()

    def __post_init__(self) -> None:
        settle = object.__setattr__
        settle(self, "normalize", _names("normalize", self.normalize))
        settle(self, "clean", _names("clean", self.clean))
        settle(self, "weight", _weights(self.weight))
        settle(self, "initial_alphabet", _characters("initial-alphabet", self.initial_alphabet))
        settle(self, "special", _texts("special", _few("special", self.special)))
        settle(self, "force", _pairs("force", _few("force", self.force)))
        settle(self, "forbid", _pairs("forbid", _few("forbid", self.forbid)))
        if self.word_end is not None and self.word_end_as is None:
            settle(self, "word_end_as", "on-last-character")
        if self.units == "items":
            settle(self, "full_alphabet", False)
            if self.split == BASE_VALUES["split"]:
                settle(self, "split", "none")
        self._check_values()
        self._check_together()

    @classmethod
    def preset(
        cls, name: types.PresetName = DEFAULT_PRESET, **overrides: Unpack[types.Options]
    ) -> TrainingConfig:
        """The options of a preset, with some of them replaced.

        Raises:
            ConfigError: there is no such preset or option, or the options contradict each other.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise ConfigError(no_such("preset", name, PRESETS))
        values = _overridden(PRESETS[name].values, overrides)
        if values["superwords_from"] is None or "superwords_from" in overrides:
            return cls(preset_name=name, **values)
        config = cls(preset_name=name, **{**values, "superwords_from": None})
        return config.replace(superwords_from=config._share_for_words)

    def replace(
        self, *, preset_name: types.PresetName | None = None, **overrides: Unpack[types.Options]
    ) -> TrainingConfig:
        """The same options with some of them replaced; checked again."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        name = values.pop("preset_name")
        return TrainingConfig(preset_name=preset_name or name, **_overridden(values, overrides))

    def __repr__(self) -> str:
        """The preset, and the options that differ from it."""
        values = PRESETS[self.preset_name].values
        others = [""]
        for field in fields(self):
            value = getattr(self, field.name)
            is_implied = field.name == "vocab_size" and self.merges is not None and value is None
            if field.name != "preset_name" and value != values[field.name] and not is_implied:
                others.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}.preset({self.preset_name!r}{', '.join(others)})"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def with_target_of(self, other: TrainingConfig) -> TrainingConfig:
        """The same options with the target of `other`, and the default start of superwords."""
        config = self.replace(
            vocab_size=other.vocab_size, merges=other.merges, superwords_from=None
        )
        if self.superwords_from is None:
            return config
        return config.replace(superwords_from=config._share_for_words)

    @property
    def _share_for_words(self) -> int | None:
        """The size at which superwords begin by default; `None` if no merge is asked for."""
        n_before = 256 + len(self.all_special)
        size = self.vocab_size if self.merges is None else n_before + self.merges
        if size is None:
            without_target: int = PRESETS["superbpe"].values["superwords_from"]
            return without_target
        if size <= n_before:
            return None
        return max(share_for_words(size), n_before)

    @cached_property
    def all_special(self) -> tuple[str, ...]:
        """The special tokens in the order of their ids: after `special`, those that only other
        options name.
        """
        before, after = self.around
        named = (self.unknown, self.pad_token, self.bos_token, self.eos_token, *before, *after)
        return tuple(dict.fromkeys((*self.special, *(name for name in named if name is not None))))

    @cached_property
    def around(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The special tokens that the template puts before a text, and those after it."""
        parts = tuple((self.template or TEXT).split())
        place = parts.index(TEXT)
        return parts[:place], parts[place + 1 :]

    @cached_property
    def stages(self) -> tuple[TrainingConfig, ...]:
        """The options of each stage as if it were the only one; without superwords, just these.

        The second stage of superwords cuts text by the coarser split, and so does a tokenizer of
        both.
        """
        if self.superwords_from is None:
            return (self,)
        split = self.superwords_split
        if split.startswith(REGEX):
            pattern = split.removeprefix(REGEX)
            # What is between two matches is a piece, too.
            split = rf"{REGEX}(?:{pattern})|(?:(?!{pattern})[\s\S])+"
        first = self.replace(superwords_from=None, superwords_split="superwords")
        return first, first.replace(split=split)

    @property
    def drops_text(self) -> bool:
        """Whether the split drops text (white space), so that decoding cannot give the exact text
        back.
        """
        if self.superwords_from is not None:
            return False
        if self.units == "items":
            return True
        return self.split in DROPPING_SPLITS or self.split.startswith(REGEX)

    @cached_property
    def word_start(self) -> str:
        """The mark that the split writes before each word, for the space before it; empty for
        none.
        """
        return "" if self.superwords_from is not None else WORD_STARTS.get(self.split, "")

    @property
    def has_piece_rules(self) -> bool:
        """Whether tokens follow SentencePiece's rules: one script, a limited length, and digits
        that the text's split leaves alone.
        """
        return self.split == "sentencepiece"

    @property
    def limits_words(self) -> bool:
        """Whether tokens have the limits of superwords: in their second stage, and under its
        split.
        """
        return self.superwords_from is not None or self.split == "superwords"

    @property
    def keeps_characters(self) -> bool:
        """Whether tokens are whole characters or part of one.

        The script of a part of a character is not known, so with bytes, one script keeps characters
        whole as well.
        """
        return self.whole_characters or self.tells_scripts_by_bytes

    @property
    def tells_scripts_by_bytes(self) -> bool:
        """Whether the script of a character is known only when its last byte is there."""
        return self.one_script and self.units == "bytes"

    @property
    def fuses_unknown(self) -> bool:
        """Whether unknown characters side by side are one unknown token."""
        return self.split == "sentencepiece"

    @cached_property
    def cutting(self) -> str:
        """The split that cuts text: a name, or regex:PATTERN if digits are cut as well.

        With superwords, it is the coarser split. Items have a split of their own, by which lines
        are pre-tokens. If there are piece rules, `split_digits` is one of them and cuts no text.
        """
        if self.units == "items":
            return "items"
        if self.superwords_from is not None:
            return self.stages[-1].split
        if not self.split_digits or self.has_piece_rules:
            return self.split
        return REGEX + digits_apart(self.split)

    @property
    def most_symbols(self) -> int:
        """The most symbols that a token may have; 0 for any number.

        SentencePiece takes the limit as it is. Hugging Face merges a pair only if its token stays
        below the limit, but always two symbols of the alphabet.
        """
        if self.has_piece_rules:
            return self.max_token_length or _MAX_PIECE_CHARACTERS
        return 0 if self.max_token_length is None else max(2, self.max_token_length - 1)

    @property
    def is_weighted(self) -> bool:
        """Whether the texts of some files count more than those of others."""
        return bool(self.weight) or self.alpha != 1

    @cached_property
    def unweighted(self) -> TrainingConfig:
        """The same options without weights, for a text that has none of the files."""
        return self.replace(weight=(), alpha=1.0) if self.is_weighted else self

    @property
    def file_weights(self) -> tuple[tuple[str, Fraction], ...]:
        """The patterns of files and their weights, in the order given."""
        split = (entry.rpartition("=") for entry in self.weight)
        return tuple((pattern, Fraction(weight)) for pattern, _, weight in split)

    def joined(self, left: str, right: str) -> str:
        """The name of the token that two tokens make."""
        if self.units == "items":
            return left + BETWEEN + right
        return left + right[len(self.continuing or "") :]

    def joined_content(self, left: bytes, right: bytes) -> bytes:
        """The bytes of the token that two tokens make."""
        if self.units == "items":
            return left + BETWEEN.encode() + right
        return left + right

    def same_cut(self, other: TrainingConfig) -> bool:
        """Whether a corpus that was split with the other options can be used with these.

        Options for one stage can use the table that a corpus for two stages has for the second.
        """
        if self.superwords_from is None:
            other = other.stages[-1]
        return not self.different_cut(other)

    def different_cut(self, other: TrainingConfig) -> tuple[str, ...]:
        """The options by which the two split text differently."""
        # These decide how pre-tokens are written and what separates documents, and come last.
        own = ("units", "special")
        names = [name for name, option in OPTIONS.items() if option.is_cut and name not in own]
        found = [name for name in names if getattr(self, name) != getattr(other, name)]
        if None not in (self.superwords_from, other.superwords_from):
            # One corpus serves for two stages wherever the second one begins.
            found = [name for name in found if name != "superwords_from"]
        if self.superwords_from is other.superwords_from is None:
            found = [name for name in found if name != "superwords_split"]
        if self.has_piece_rules and other.has_piece_rules:
            found = [name for name in found if name != "split_digits"]
        if (
            self.documents == other.documents == "separator"
            and self.all_special != other.all_special
        ):
            found.append("special")
        if "items" in (self.units, other.units) and self.units != other.units:
            found.append("units")
        return tuple(found)

    def target_merges(self, n_alphabet: int) -> int:
        """The target as a number of merges.

        Args:
            n_alphabet: the size of the alphabet, without symbols that are special tokens as well.

        Raises:
            ConfigError: the vocabulary size is smaller than the alphabet and the special tokens.
        """
        if self.merges is not None:
            return self.merges
        if self.vocab_size is None:
            return MAX_VOCAB_SIZE
        n_special = len(self.all_special)
        if self.vocab_size < n_alphabet + n_special:
            special = "1 special token" if n_special == 1 else f"{n_special:,} special tokens"
            raise ConfigError(
                f"A vocabulary size of {self.vocab_size:,} is too small: it includes the alphabet"
                f" of {n_alphabet:,} symbols and {special} before any merge; ask for at least"
                f" {n_alphabet + n_special:,}"
            )
        return self.vocab_size - n_alphabet - n_special

    def first_merges(self, n_alphabet: int) -> int:
        """The number of merges of the first stage, before those that join words.

        Args:
            n_alphabet: the size of the alphabet, without symbols that are special tokens as well.

        Raises:
            ConfigError: the second stage would begin before the first merge, or after the last one.
        """
        if self.superwords_from is None:
            return MAX_VOCAB_SIZE
        n_before = n_alphabet + len(self.all_special)
        if self.superwords_from < n_before:
            raise ConfigError(
                f"Superwords cannot begin at {self.superwords_from:,} tokens, because the alphabet"
                f" and the special tokens have {n_before:,}; give superwords-from {n_before:,} or"
                " more"
            )
        end = n_before + self.target_merges(n_alphabet)
        if self.superwords_from >= end:
            raise ConfigError(
                f"Superwords cannot begin at {self.superwords_from:,} tokens, because training"
                f" ends at {end:,}; give a smaller superwords-from, or a larger vocabulary"
            )
        return self.superwords_from - n_before

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON values, without some that few runs set.

        `from_dict` reads them back.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        superwords = ("superwords_from", "superwords_split", "superwords_words")
        for name in (*ROLES, "template", *superwords, "whole_characters", "one_script"):
            if values[name] == BASE_VALUES[name]:
                del values[name]
        return {name: _in_lists(value) for name, value in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainingConfig:
        """Options as `to_dict` wrote them.

        Raises:
            ConfigError: an unknown name or a value that is not allowed.
        """
        values = dict(values)
        name = values.pop("preset_name", DEFAULT_PRESET)
        if not isinstance(name, str) or name not in PRESETS:
            raise ConfigError(no_such("preset", name, PRESETS))
        return cls(preset_name=PRESETS[name].name, **_overridden(BASE_VALUES, values))

    def _check_values(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            spelled = name.replace("_", "-")
            if option.kind == "choice" and (value is not None or option.base is not None):
                _choice(spelled, value, option.choices)
            elif option.kind in ("order", "set"):
                for each in value:
                    _choice(spelled, each, option.choices)
            elif option.kind == "number" and (value is not None or option.base is not None):
                _whole(spelled, value, option.least)
            elif option.kind == "share" and not (_is_number(value) and 0 < value <= 1):
                raise ConfigError(
                    f"{spelled} is a number above 0 and at most 1, such as 0.9995, not"
                    f" {shown(value)}"
                )
            elif option.kind == "exponent" and not (_is_number(value) and 0 <= value <= 1):
                raise ConfigError(
                    f"{spelled} is a number from 0 to 1, such as 0.5, not {shown(value)}"
                )
            elif option.kind == "text" and value is not None:
                if (
                    not isinstance(value, str)
                    or not value
                    or any(c.isspace() or _is_half(c) for c in value)
                ):
                    raise ConfigError(
                        f"{spelled} is a text without white space, not {shown(value)}"
                    )
            elif option.kind == "template" and value is not None:
                parts = value.split() if isinstance(value, str) else []
                if [part for part in parts if part.startswith("$")] != [TEXT]:
                    raise ConfigError(
                        f"A template has {TEXT} for the text, and special tokens around it, such as"
                        f" '<s> {TEXT} </s>' (in single quotes in a shell), unlike {shown(value)}"
                    )
            elif option.kind == "flag" and not isinstance(value, bool):
                raise ConfigError(f"{spelled} is yes or no, not {shown(value)}")
        # Always in the same order: the order in which they are given makes no difference.
        object.__setattr__(self, "clean", tuple(name for name in CLEANINGS if name in self.clean))
        self._check_split("split", self.split)
        self._check_split("superwords_split", self.superwords_split)

    def _check_split(self, name: str, split: object) -> None:
        names = [each for each in OPTIONS[name].choices if each != REGEX]
        spelled = name.replace("_", "-")
        if not isinstance(split, str) or not (split in names or split.startswith(REGEX)):
            raise ConfigError(no_such(spelled, split, (*names, "regex:PATTERN")))
        if split == REGEX:
            raise ConfigError(
                f"The {spelled} regex: has no pattern; write one after the colon, such as"
                " regex:\\w+"
            )

    def _check_together(self) -> None:
        if self.vocab_size is not None and self.merges is not None:
            raise ConfigError(
                f"A vocabulary size ({self.vocab_size:,}) and a number of merges ({self.merges:,})"
                " are both asked for; give one of them"
            )
        if self.word_end is None and self.word_end_as is not None:
            raise ConfigError(
                f"word-end-as {self.word_end_as} has no mark to place; give one with word-end, such"
                " as </w>"
            )
        if self.units == "items":
            self._check_items()
        if self.superwords_from is not None:
            self._check_superwords()
        if self.units != "characters" and self.byte_fallback:
            raise ConfigError(
                "Byte fallback is for characters, because bytes are symbols already; choose units"
                " characters"
            )
        if self.byte_fallback and (self.word_end or self.continuing):
            raise ConfigError(
                "Byte fallback cannot go with marks in words, because a byte has none; drop the"
                " word end and the prefix"
            )
        if self.limit_alphabet is not None and self.character_coverage < 1:
            raise ConfigError(
                f"An alphabet limit ({self.limit_alphabet:,}) and a character coverage"
                f" ({self.character_coverage}) both decide which characters are kept; give one of"
                " them"
            )
        if self.full_alphabet and (self.limit_alphabet is not None or self.character_coverage < 1):
            raise ConfigError(
                "A full alphabet keeps all 256 bytes; drop the alphabet limit or coverage, or"
                " choose no full alphabet"
            )
        if self.split_digits and (self.split.startswith(REGEX) or self.split in DIGIT_SPLITS):
            raise ConfigError(
                f"The split “{label_of('split', self.split[:200])}” itself says how digits are cut;"
                " write it there, or drop “Digits: each by itself” (split-digits)"
            )
        if self.units == "characters" and self.full_alphabet:
            raise ConfigError(
                "A full alphabet is only possible with bytes (there are 256 of them, but over a"
                " million characters); choose units bytes, or no full alphabet"
            )
        if self.documents == "separator" and not self.all_special:
            raise ConfigError(
                "Documents cannot be separated by special tokens, because there are none; give one"
                " with special"
            )
        if self.tells_scripts_by_bytes and self.has_piece_rules:
            raise ConfigError(
                "One script with bytes does not go with the split SentencePiece, which takes each"
                " byte for a character; drop one-script, or choose units characters"
            )
        if self.continuing is not None and self.word_start:
            raise ConfigError(
                "A continuing prefix and the split SentencePiece both mark where words start; "
                "drop the prefix, or choose the split white space"
            )
        if self.continuing is not None and self.word_end_as == "own-symbol":
            raise ConfigError(
                "A continuing prefix cannot go with a word-end mark that is a symbol of its own; "
                "put the mark on the last character, or drop one of the two"
            )
        if len(set(self.special)) < len(self.special):
            twice = Counter(self.special).most_common(1)[0][0]
            raise ConfigError(f"The special token {twice!r} is given twice; give it once")
        both = set(self.force) & set(self.forbid)
        if both:
            left, right = sorted(both)[0]
            raise ConfigError(
                f"The pair {left!r} + {right!r} is forced and forbidden at once; keep one of"
                " the two"
            )

    def _check_items(self) -> None:
        others = {
            f"the split “{label_of('split', self.split[:200])}”": self.split != "none",
            "superwords-from": self.superwords_from is not None,
            "word-end": self.word_end is not None,
            "continuing": self.continuing is not None,
            "initial-alphabet": bool(self.initial_alphabet),
            "byte-fallback": self.byte_fallback,
            "split-digits": self.split_digits,
        }
        for name, is_given in others.items():
            if is_given:
                raise ConfigError(
                    "With units items, lines are cut at white space and nothing is added to an"
                    f" item; drop {name}, or choose other units"
                )

    def _check_superwords(self) -> None:
        others = {
            f"split {self.split}": self.has_piece_rules,
            "word-end": self.word_end is not None,
            "continuing": self.continuing is not None,
            "limit-alphabet": self.limit_alphabet is not None,
            "character-coverage": self.character_coverage < 1,
            "byte-fallback": self.byte_fallback,
            "split-digits": self.split_digits,
        }
        for name, is_given in others.items():
            if is_given:
                raise ConfigError(
                    f"Superwords do not go with {name}; drop it, or drop superwords-from"
                )
        if self.superwords_words > MAX_SUPERWORDS_WORDS:
            raise ConfigError(
                f"superwords-words is a whole number from 1 to {MAX_SUPERWORDS_WORDS}, not"
                f" {self.superwords_words:,}"
            )
        if self.stages[0].drops_text and not self.full_alphabet:
            raise ConfigError(
                f"Superwords join the text that the split “{label_of('split', self.split[:200])}”"
                " drops; choose a split that keeps all text, or a full alphabet of bytes"
            )
        if self.full_alphabet:
            # A special token of one such character is the symbol of a byte, too.
            as_bytes = [name for name in self.all_special if name in _ASCII]
            self.first_merges(256 - len(as_bytes))


def _overridden(values: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Options with some replaced, and with those that depend on a replaced one adjusted."""
    unknown = set(overrides) - set(BASE_VALUES)
    if unknown:
        raise ConfigError(no_such("option", sorted(unknown)[0], BASE_VALUES))
    merged = {**values, **overrides}
    if overrides.get("merges") is not None and "vocab_size" not in overrides:
        merged["vocab_size"] = None
    if overrides.get("vocab_size") is not None and "merges" not in overrides:
        merged["merges"] = None
    follows: dict[str, Any] = {}
    if overrides.get("byte_fallback"):
        follows |= {"units": "characters", "full_alphabet": False}
    if overrides.get("units") == "characters" or overrides.get("character_coverage", 1) != 1:
        follows |= {"full_alphabet": False}
    if overrides.get("units") == "bytes":
        follows |= {"byte_fallback": False}
    if overrides.get("units") == "items":
        follows |= OPTIONS_OF_ITEMS
    if overrides.get("limit_alphabet") is not None:
        follows |= {"full_alphabet": False, "character_coverage": 1.0}
    if overrides.get("full_alphabet"):
        follows |= {"limit_alphabet": None, "character_coverage": 1.0}
    merged |= {name: value for name, value in follows.items() if name not in overrides}
    if "word_end" in overrides and overrides["word_end"] is None and "word_end_as" not in overrides:
        merged["word_end_as"] = None
    return merged


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_half(char: str) -> bool:
    """Whether a code point is half of a surrogate pair, which is not a character."""
    return "\ud800" <= char <= "\udfff"


def _choice(option: str, value: object, allowed: Collection[str]) -> None:
    if value not in tuple(allowed):  # a tuple, because the value may not be hashable
        raise ConfigError(f"{option} cannot be {shown(value)}{instead(value, allowed)}")


def _whole(option: str, value: object, low: int) -> None:
    high = 2**62 if option == "min-frequency" else MAX_VOCAB_SIZE
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(
            f"{option} is a whole number from {low:,} to {high:,}, not {shown(value)}"
        )


def _names(option: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return _texts(option, value)


def _few(option: str, value: object) -> object:
    """The value, if it has at most `MAX_LISTED` entries."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    entries = tuple(islice(value, MAX_LISTED + 1))
    if len(entries) > MAX_LISTED:
        raise ConfigError(
            f"{option} has more than {MAX_LISTED:,} entries, the most that are used: leave some out"
        )
    return entries


def _in_lists(value: Any) -> Any:
    """A value with lists instead of tuples, as in JSON."""
    if isinstance(value, tuple):
        return list(map(_in_lists, value))
    return value


def _entries(value: object) -> tuple[Any, ...]:
    """The entries of a list; one that is given alone is a list of one."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)


def _texts(option: str, value: object) -> tuple[str, ...]:
    texts = _entries(value)
    for text in texts:
        if not isinstance(text, str) or not text:
            raise ConfigError(f"{option} takes texts that are not empty, not {shown(text)}")
    return texts


def _weights(value: object) -> tuple[str, ...]:
    """Weights of files, each as "PATTERN=WEIGHT"."""
    if isinstance(value, Mapping):
        value = tuple(f"{pattern}={weight}" for pattern, weight in value.items())
    texts = _entries(_few("weight", value))
    for text in texts:
        found = _WEIGHT.fullmatch(text) if isinstance(text, str) else None
        if found is None or not Fraction(found[1]):
            raise ConfigError(
                "weight takes a pattern of file names, = and a number above 0 with at most 9 digits"
                " before and after the point, such as 'b.txt=3', 'news/*=0.5' or '*.de=1/3', not"
                f" {shown(text)}"
            )
    return texts


def _characters(option: str, value: object) -> str:
    """The distinct characters of a text, or the first one of each of several texts, as in Hugging
    Face.
    """
    if not isinstance(value, str):
        value = "".join(text[0] for text in _texts(option, value))
    return "".join(dict.fromkeys(value))


def _pairs(option: str, value: object) -> tuple[Pair, ...]:
    return tuple(_pair(option, pair) for pair in _entries(value))


def _pair(option: str, value: object) -> Pair:
    if isinstance(value, str):
        value = value.split(" ")
    parts = list(value) if isinstance(value, Iterable) else []
    if len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
        raise ConfigError(
            f'{option} takes two tokens with one space between them, such as "t h", not'
            f" {shown(value)}"
        )
    return parts[0], parts[1]


def checked_config(config: object) -> TrainingConfig:
    """The options that a caller has given.

    Raises:
        ConfigError: they are something else, such as the name of a preset.
    """
    if isinstance(config, TrainingConfig):
        return config
    raise ConfigError(
        f"{shown(config)} is not a TrainingConfig: make one, such as TrainingConfig.preset('gpt2')"
    )
