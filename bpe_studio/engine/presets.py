"""The presets by name, the expressions of the splits, and the values of options that other modules
ask for by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_studio.engine.options import OPTIONS, REGEX

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import PresetName

NAMED_SPLITS = tuple(name for name in OPTIONS["split"].choices if name != REGEX)
DIGIT_SPLITS = ("digits-single", "digits-left", "digits-right")
"""The named splits that are GPT-2's but for digits."""
WORD_START = "▁"
WORD_STARTS = {"sentencepiece": WORD_START}
"""The splits that write a mark before each word, for the space before it."""
DROPPING_SPLITS = ("whitespace", "spaces", "words", "sentencepiece")
"""The named splits that drop white space."""
KEEPING_SPLITS = tuple(name for name in NAMED_SPLITS if name not in DROPPING_SPLITS)
"""The named splits that drop no text."""
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SIGN = r"[^\s\p{L}\p{N}]"
_LEAD = r"[^\r\n\p{L}\p{N}]"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SUPERWORDS = rf"\p{{N}}{{1,3}}| ?{_SIGN}{{2,}}[\r\n/]*| +(?!\S)"
"""The published split of superwords. The text between two matches is a piece, too."""

PATTERNS: dict[str, str] = {
    "whitespace": r"\S+",
    "spaces": r"[^ \r\n]+",
    "words": r"\w+|[^\w\s]+",
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k": rf"{_LEAD}?{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_LEAD}?{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"  # noqa: E501
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k-words": rf"{_LEAD}?{_UPPER}*{_LOWER}+|{_LEAD}?{_UPPER}+{_LOWER}*"
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama3": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "sentencepiece": "[^ \n▁]+",
    "items": r"\S(?:[^\n]*\S)?",
    "superwords": SUPERWORDS + rf"|(?:\p{{L}}|[^\S ]| ?{_SIGN}(?!{_SIGN})| (?=[\p{{L}}\p{{N}}]))+",
}
"""The published expression of each named split; `none` has no expression.

`items` cannot be chosen: it is the split for items, and matches a line without the white space
around it. `superwords` has one more alternative than the published expression, for the text between
two matches.
"""

_NUMBERS = re.compile(r"\|(?: \?)?\\p\{N\}(?:\+|\{1,3\})?(?=\|)")
_WITHOUT_NUMBERS = {
    "none": r"[^\p{N}]+",
    "whitespace": r"[^\s\p{N}]+",
    "spaces": r"[^ \r\n\p{N}]+",
    "words": r"[^\W\p{N}]+|[^\w\s\p{N}]+",
}


def pattern_of(split: str) -> str:
    """The expression of a split other than `none`: that of its name, or of `regex:PATTERN`."""
    return PATTERNS.get(split) or split.removeprefix(REGEX)


def digits_apart(split: str, digits: str = r"\p{N}") -> str:
    r"""An expression that cuts digits in one way, and the text between them by a named split.

    It matches what the two expressions match one after the other, as in a sequence of Hugging
    Face's pre-tokenizers.

    >>> digits_apart("gpt2")
    "\\p{N}|'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?![^\\s\\p{N}])|\\s+"
    """
    rest = _WITHOUT_NUMBERS.get(split) or _NUMBERS.sub("", PATTERNS[split])
    rest = rest.replace(r"(?!\S)", r"(?![^\s\p{N}])").replace(r"(?=[\p{L}\p{N}])", r"(?=\p{L})")
    return f"{digits}|{rest}"


THREES_FROM_THE_RIGHT = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
PATTERNS |= {
    "digits-single": digits_apart("gpt2"),
    "digits-left": digits_apart("gpt2", r"\p{N}{1,3}"),
    "digits-right": digits_apart("gpt2", THREES_FROM_THE_RIGHT),
}

BETWEEN = " "
"""The separator between items, in the names of tokens and in decoded text."""
OPTIONS_OF_ITEMS: dict[str, Any] = {
    "split": "none",
    "superwords_from": None,
    "split_digits": False,
    "word_end": None,
    "word_end_as": None,
    "continuing": None,
    "full_alphabet": False,
    "initial_alphabet": "",
    "byte_fallback": False,
}
"""The options that do not go with items, which are separated already."""
NORMALIZATIONS = tuple(OPTIONS["normalize"].choices)
CLEANINGS = tuple(OPTIONS["clean"].choices)


class Preset(NamedTuple):
    """A named set of options.

    Attributes:
        name: its name on the command line.
        title: its name in the window.
        purpose: one sentence that says when to choose it.
        values: every option that the preset sets, by field name.
    """

    name: PresetName
    title: str
    purpose: str
    values: dict[str, Any]


BASE_VALUES: dict[str, Any] = {name: option.base for name, option in OPTIONS.items()}

_BYTE_LEVEL: dict[str, Any] = {
    "vocab_size": 8192,
    "documents": "line",
    "full_alphabet": True,
    "special": ("<|endoftext|>",),
}


def share_for_words(size: int) -> int:
    """The size at which superwords begin in the published tokenizers: 80 % of the whole."""
    return size * 4 // 5


def _preset(name: PresetName, title: str, purpose: str, **values: Any) -> Preset:
    return Preset(name, title, purpose, {**BASE_VALUES, **values})


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        _preset(
            "gpt2",
            "GPT-2",
            "Byte-level tokens as Hugging Face trains them; nothing is ever unknown",
            **_BYTE_LEVEL,
        ),
        _preset(
            "textbook",
            "Textbook",
            "The basic algorithm on whole words, as taught in lectures and courses",
            merges=1000,
            units="characters",
            split="words",
            ties="first-seen",
            min_frequency=1,
            unknown="[UNK]",
        ),
        _preset(
            "sennrich",
            "Sennrich et al. 2016",
            "The original paper: words end in a symbol of their own, so that suffixes can be"
            " learned",
            merges=1000,
            units="characters",
            split="whitespace",
            word_end="</w>",
            word_end_as="own-symbol",
            ties="first-seen",
            min_frequency=1,
        ),
        _preset(
            "raw",
            "Raw bytes",
            "The whole text as one run of bytes, with no split at all, to see what the split"
            " is for",
            vocab_size=512,
            split="none",
            ties="first-seen",
            full_alphabet=True,
        ),
        _preset(
            "cl100k",
            "GPT-4 (cl100k)",
            "Byte-level tokens with GPT-4's split: numbers in groups of three, line breaks kept"
            " together",
            **_BYTE_LEVEL,
            split="cl100k",
        ),
        _preset(
            "o200k",
            "GPT-4o (o200k)",
            "Byte-level tokens with GPT-4o's split, which treats capitals and scripts with marks"
            " better",
            **_BYTE_LEVEL,
            split="o200k",
        ),
        _preset(
            "subword-nmt",
            "subword-nmt",
            "The translation toolkit's rules: a mark on each word's last character, greatest pair"
            " first on a tie",
            merges=10000,
            units="characters",
            split="spaces",
            documents="line",
            word_end="</w>",
            word_end_as="on-last-character",
            ties="subword-nmt",
        ),
        _preset(
            "sentencepiece",
            "SentencePiece",
            "Characters with a mark before each word, and the shortest piece first on a tie",
            vocab_size=8000,
            units="characters",
            split="sentencepiece",
            documents="line",
            normalize=("nmt-nfkc",),
            ties="sentencepiece",
            min_frequency=1,
            special=("<unk>", "<s>", "</s>"),
            unknown="<unk>",
            character_coverage=0.9995,
        ),
        _preset(
            "llama2",
            "Llama 2",
            "SentencePiece with single digits, in which an unknown character becomes its bytes",
            vocab_size=32000,
            units="characters",
            split="sentencepiece",
            split_digits=True,
            documents="line",
            ties="sentencepiece",
            min_frequency=1,
            special=("<unk>", "<s>", "</s>"),
            unknown="<unk>",
            character_coverage=0.9995,
            byte_fallback=True,
        ),
        _preset(
            "cs336",
            "CS336",
            "The assignment of Stanford's course: GPT-2's split, and the pair of the greatest bytes"
            " on a tie",
            vocab_size=10000,
            documents="separator",
            full_alphabet=True,
            ties="greatest-bytes",
            min_frequency=1,
            special=("<|endoftext|>",),
        ),
        _preset(
            "superbpe",
            "SuperBPE",
            "Words first; the last fifth of the vocabulary is for merges that join words",
            **_BYTE_LEVEL,
            split="o200k-words",
            superwords_from=share_for_words(_BYTE_LEVEL["vocab_size"]),
        ),
    )
}

DEFAULT_PRESET: PresetName = "gpt2"
PRESET_HELP = "A named set of all the options below; each of them can then be changed"
