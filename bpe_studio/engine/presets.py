"""The presets by name, the values that options may take, and one sentence of help for each option.

Plain data: the command line, the settings panel and `TrainingConfig` all read it, so that they never differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNITS = ("bytes", "characters")
NAMED_SPLITS = ("none", "whitespace", "words", "gpt2", "cl100k", "o200k", "llama3", "qwen2", "sentencepiece")
DROPPING_SPLITS = ("whitespace", "words", "sentencepiece")
"""The named splits that drop white space."""
KEEPING_SPLITS = tuple(name for name in NAMED_SPLITS if name not in DROPPING_SPLITS)
"""The named splits that drop no text."""
DOCUMENTS = ("file", "line", "separator")
NORMALIZATIONS = (
    "nfc", "nfd", "nfkc", "nfkd", "lowercase", "strip-accents", "strip-controls", "strip-zero-width", "strip-bidi",
    "strip-soft-hyphens", "strip-kashida", "strip-replacements", "strip-carriage-returns", "plain-spaces",
    "plain-separators", "strip-private-use", "persian-yeh", "arabic-yeh", "persian-kaf", "arabic-kaf",
)  # fmt: skip
CLEANINGS = (
    "mojibake", "invalid-bytes", "unassigned", "presentation-forms", "special-tokens", "urls", "base64", "hashes",
    "mixed-scripts", "character-runs", "long-lines", "repeated-lines", "repeated-documents",
)  # fmt: skip
WORD_END_PLACES = ("own-symbol", "on-last-character")
TIES = ("first-seen", "huggingface", "raw-ids", "greatest-bytes", "subword-nmt", "sentencepiece")


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


BASE_VALUES: dict[str, Any] = {
    "vocab_size": None,
    "merges": None,
    "min_frequency": 2,
    "units": "bytes",
    "split": "gpt2",
    "documents": "file",
    "normalize": (),
    "clean": (),
    "word_end": None,
    "word_end_as": None,
    "continuing": None,
    "full_alphabet": False,
    "ties": "huggingface",
    "special": (),
    "unknown": None,
    "force": (),
    "forbid": (),
}

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
            "The plain algorithm on whole words, as lectures and courses show it",
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
            "Byte-level tokens with GPT-4o's split, which is kinder to capitals and to scripts with marks",
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

OPTION_HELP: dict[str, str] = {
    "preset": "A named set of all the options below; each of them can then be changed",
    "vocab_size": "Stop when alphabet, merges and special tokens together reach this number",
    "merges": "Stop after this many merges",
    "min_frequency": "Stop when the best pair occurs fewer times than this",
    "units": "What a text is made of before the first merge: the 256 bytes, or its characters",
    "split": "How text is cut into pre-tokens, which no merge may cross",
    "documents": "What is split separately: a whole file, each line, or the text between special tokens",
    "normalize": "Changes made to the text before it is cut, in this order",
    "clean": "What is left out of the corpus, or put right in it, before it is cut; the tokenizer still encodes it",
    "word_end": "A mark that tells a word's end from the same letters inside a word, such as </w>",
    "word_end_as": "Whether the mark is a symbol of its own or sits on the last character",
    "continuing": "A prefix, such as ##, on every symbol but a word's first",
    "full_alphabet": "Start from all 256 bytes instead of only those that occur",
    "ties": "Which pair is merged first when several occur equally often",
    "special": "Tokens with a meaning of their own; they are numbered first and never merged",
    "unknown": "The token that stands for a character outside the alphabet",
    "force": "Pairs merged first, in this order, whatever their counts",
    "forbid": "Pairs that are never merged",
}

TIE_RULES: dict[str, str] = {
    "first-seen": "the pair that occurs first in the text",
    "huggingface": "the pair with the smallest token ids",
    "raw-ids": "the pair with the smallest token ids, bytes numbered 0 to 255",
    "greatest-bytes": "the pair whose bytes sort last",
    "subword-nmt": "the pair whose text sorts last",
    "sentencepiece": "the pair that makes the shortest token, then the one that sorts first",
}
