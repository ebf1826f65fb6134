"""The presets by name, and the values of options that other modules ask for by name. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.options import OPTIONS, REGEX

NAMED_SPLITS = tuple(name for name in OPTIONS["split"].choices if name != REGEX)
DROPPING_SPLITS = ("whitespace", "words", "sentencepiece")
"""The named splits that drop white space."""
KEEPING_SPLITS = tuple(name for name in NAMED_SPLITS if name not in DROPPING_SPLITS)
"""The named splits that drop no text."""
NORMALIZATIONS = tuple(OPTIONS["normalize"].choices)
CLEANINGS = tuple(OPTIONS["clean"].choices)
TIE_RULES = dict(OPTIONS["ties"].choices)
"""The tie rules, each with the pair that it takes."""
TIES = tuple(TIE_RULES)


@dataclass(frozen=True)
class Preset:
    """A named set of options.

    Attributes:
        name: its name on the command line.
        title: its name in the window.
        purpose: one sentence that says when to choose it.
        values: every option that the preset sets, by field name.
    """

    name: str
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


def _preset(name: str, title: str, purpose: str, **values: Any) -> Preset:
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
            "The original paper: words end in a symbol of their own, so that suffixes can be learned",
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
            "The whole text as one run of bytes, with no split at all, to see what the split is for",
            vocab_size=512,
            split="none",
            ties="first-seen",
            full_alphabet=True,
        ),
        _preset(
            "cl100k",
            "GPT-4 (cl100k)",
            "Byte-level tokens with GPT-4's split: numbers in groups of three, line breaks kept together",
            **{**_BYTE_LEVEL, "split": "cl100k"},
        ),
        _preset(
            "o200k",
            "GPT-4o (o200k)",
            "Byte-level tokens with GPT-4o's split, which treats capitals and scripts with marks better",
            **{**_BYTE_LEVEL, "split": "o200k"},
        ),
        _preset(
            "subword-nmt",
            "subword-nmt",
            "The translation toolkit's rules: a mark on each word's last character, greatest pair first on a tie",
            merges=10000,
            units="characters",
            split="whitespace",
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
            normalize=("nfkc",),
            ties="sentencepiece",
            min_frequency=1,
            special=("<unk>", "<s>", "</s>"),
            unknown="<unk>",
        ),
    )
}

DEFAULT_PRESET = "gpt2"
PRESET_HELP = "A named set of all the options below; each of them can then be changed"
