"""The options of a training run, each declared once: its values, its help, and its place in the
settings form.

Plain data. `TrainingConfig` checks values by it; the command line, the settings form, lessons and
what the window says about settings are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from bpe_studio.engine.tie_rules import TIE_RULES

Kind = Literal[
    "number",
    "share",
    "exponent",
    "choice",
    "split",
    "order",
    "set",
    "text",
    "template",
    "characters",
    "flag",
    "texts",
    "pairs",
]
Choice = tuple[object, str, str]
"""A value, its label in the window, and a phrase about it."""
REGEX = "regex:"
ROLES = ("pad_token", "bos_token", "eos_token")
"""The options that name a special token by its role, as Transformers calls them."""


class Option(NamedTuple):
    """One option.

    Attributes:
        kind: the kind of its value. In the order of `Kind`: a whole number; a number above 0 and at
            most 1; a number from 0 to 1; one of `choices`; one of them, or "regex:" and a pattern;
            several of them, in an order that matters; several, in any order; a text without white
            space; special tokens around a text; any characters; yes or no; texts; pairs of tokens.
        label: its name in the window.
        help: what it is for, as a sentence without a full stop.
        group: the heading above it in the form; groups are contiguous.
        base: its value where no preset says otherwise.
        choices: the values, each with a phrase about it.
        labels: the names of values in the window, as they are written inside a sentence.
        hint: what an empty editor shows, or the text of a check box.
        metavar: the name of its value in the help of the command line.
        least: the least number.
        is_main: whether the form always shows it.
        is_cut: whether it decides which pre-tokens a text has; a table of counts that differs in it
            is refused.
    """

    kind: Kind
    label: str
    help: str
    group: str
    base: Any = None
    choices: Mapping[str, str] = MappingProxyType({})
    labels: Mapping[str, str] = MappingProxyType({})
    hint: str = ""
    metavar: str = ""
    least: int = 0
    is_main: bool = False
    is_cut: bool = False

    @property
    def labelled_choices(self) -> tuple[Choice, ...]:
        """The values for a chooser."""
        return tuple(
            (value, capitalized(self.labels.get(value, value)), about)
            for value, about in self.choices.items()
        )


_END = "End of training"
_CUT = "Splitting and merging"
_WORDS = "Merges that join words"
_TEXT = "Text before the split"
_MARKS = "Marks in words"
_VOCABULARY = "Vocabulary"
_PAIRS = "Forced and forbidden pairs"
OPTIONS: dict[str, Option] = {
    "vocab_size": Option(
        "number",
        "Vocabulary size",
        "Stop when alphabet, merges and special tokens together reach this number",
        _END,
        metavar="N",
        least=1,
        is_main=True,
    ),
    "merges": Option(
        "number", "Merges", "Stop after this many merges", _END, metavar="N", is_main=True
    ),
    "min_frequency": Option(
        "number",
        "Min frequency",
        "Stop when the most frequent pair occurs fewer times than this",
        _END,
        2,
        metavar="N",
        is_main=True,
    ),
    "units": Option(
        "choice",
        "Units",
        "The initial symbols of a text: bytes, characters, or what white space separates",
        _CUT,
        "bytes",
        {
            "bytes": "any text can be written with 256 symbols",
            "characters": "those of the corpus; others are unknown",
            "items": "notes, codons, events: white space separates them, lines are pre-tokens",
        },
        is_main=True,
        is_cut=True,
    ),
    "split": Option(
        "split",
        "Split",
        "The rule that cuts text into pre-tokens, which no merge crosses",
        _CUT,
        "gpt2",
        {
            "none": "the whole text is one pre-token; merges may cross spaces",
            "whitespace": "split at white space, which is dropped",
            "spaces": (
                "split at spaces and line ends, which are dropped; tabs and other white space are"
                " text"
            ),
            "words": "letters and digits, or punctuation; white space is dropped",
            "gpt2": "a space goes with the word after it",
            "cl100k": "digits in groups of three, line breaks separate",
            "o200k": "also splits where lowercase turns into uppercase",
            "o200k-words": "like GPT-4o, contractions such as 's stay with what follows",
            "llama3": "the pattern of Llama 3",
            "qwen2": "like Llama 3, digits one at a time",
            "digits-single": "like GPT-2, digits one at a time",
            "digits-left": "like GPT-2, digits in groups of three from the left: 1234 is 123 4",
            "digits-right": "like GPT-2, digits in groups of three from the right: 1234 is 1 234",
            "sentencepiece": "▁ is the space before a word",
            "superwords": (
                "words side by side stay together; digits in threes, runs of punctuation and of"
                " spaces stand apart"
            ),
            REGEX: "each match is a pre-token",
        },
        {
            "none": "no split",
            "whitespace": "white space",
            "spaces": "spaces",
            "words": "words and punctuation",
            "gpt2": "GPT-2",
            "cl100k": "GPT-4 (cl100k)",
            "o200k": "GPT-4o (o200k)",
            "o200k-words": "GPT-4o without contractions",
            "llama3": "Llama 3",
            "qwen2": "Qwen 2",
            "digits-single": "GPT-2, single digits",
            "digits-left": "GPT-2, threes from the left",
            "digits-right": "GPT-2, threes from the right",
            "sentencepiece": "SentencePiece (▁)",
            "superwords": "superwords",
            REGEX: "regular expression",
        },
        metavar="SPLIT",
        is_main=True,
        is_cut=True,
    ),
    "superwords_from": Option(
        "number",
        "Superwords from",
        "Let merges join words from this vocabulary size on; before it, nothing changes",
        _WORDS,
        hint="never",
        metavar="N",
        least=1,
        is_cut=True,
    ),
    "superwords_split": Option(
        "split",
        "Superwords' split",
        "The coarser split of that second stage, which no merge crosses",
        _WORDS,
        "superwords",
        {
            "superwords": "runs of digits, of punctuation and of spaces stand apart",
            "none": "the whole text is one piece",
            REGEX: "each match is a piece, and so is what is between two matches",
        },
        {"superwords": "superwords", "none": "no split", REGEX: "regular expression"},
        metavar="SPLIT",
        is_cut=True,
    ),
    "superwords_words": Option(
        "number",
        "Words in a superword",
        "The most words, separated by spaces, in a token of that second stage",
        _WORDS,
        4,
        metavar="N",
        least=1,
    ),
    "split_digits": Option(
        "flag",
        "Digits",
        "Make each digit a token of its own, whatever the split",
        _TEXT,
        False,
        hint="Each by itself",
        is_cut=True,
    ),
    "ties": Option(
        "choice",
        "Ties",
        "The pair to merge when several share the highest count",
        _CUT,
        "huggingface",
        {name: rule.words for name, rule in TIE_RULES.items()},
        {name: rule.label for name, rule in TIE_RULES.items()},
        is_main=True,
    ),
    "documents": Option(
        "choice",
        "Documents",
        "The text that is split by itself: a whole file, a line, or what special tokens separate",
        _TEXT,
        "file",
        {
            "file": "a file is one text",
            "line": "each line with its line break is split by itself",
            "separator": "special tokens in the text separate documents",
        },
        {"file": "whole files", "line": "lines", "separator": "between special tokens"},
        is_cut=True,
    ),
    "normalize": Option(
        "order",
        "Normalization",
        "Changes to the text before it is split, in this order",
        _TEXT,
        (),
        {
            "nfc": "compose: e + ◌́ becomes é",
            "nfd": "decompose: é becomes e + ◌́",
            "nfkc": "compose, and replace compatibility characters: ﬁ becomes fi",
            "nfkd": "decompose, and replace compatibility characters",
            "nmt-nfkc": (
                "as SentencePiece does: NFKC, spaces for tabs and zero-width spaces, no control"
                " characters"
            ),
            "lowercase": "uppercase letters become lowercase",
            "strip-accents": "combining marks are dropped",
            "strip-controls": "control characters are dropped, except tabs and line ends",
            "strip-zero-width": "zero-width spaces, word joiners and byte-order marks are dropped",
            "strip-bidi": "writing-direction controls are dropped",
            "strip-soft-hyphens": "soft hyphens are dropped",
            "strip-kashida": "kashidas, which stretch Arabic words, are dropped",
            "strip-replacements": "replacement characters (U+FFFD) are dropped",
            "strip-carriage-returns": "carriage returns are dropped",
            "plain-spaces": "no-break spaces become spaces",
            "plain-separators": "line and paragraph separators (U+2028, U+2029) become spaces",
            "strip-private-use": "private-use characters are dropped",
            "persian-yeh": "the Arabic yeh becomes the Persian one",
            "arabic-yeh": "the Persian yeh becomes the Arabic one",
            "persian-kaf": "the Arabic kaf becomes the Persian one",
            "arabic-kaf": "the Persian kaf becomes the Arabic one",
        },
        {
            "nfc": "NFC",
            "nfd": "NFD",
            "nfkc": "NFKC",
            "nfkd": "NFKD",
            "nmt-nfkc": "SentencePiece's NFKC",
            "strip-accents": "no accents",
            "strip-controls": "no control characters",
            "strip-zero-width": "no zero-width characters",
            "strip-bidi": "no direction controls",
            "strip-soft-hyphens": "no soft hyphens",
            "strip-kashida": "no kashidas",
            "strip-replacements": "no replacement characters",
            "strip-carriage-returns": "no carriage returns",
            "plain-spaces": "plain spaces",
            "plain-separators": "separators as spaces",
            "strip-private-use": "no private-use characters",
            "persian-yeh": "Persian yeh",
            "arabic-yeh": "Arabic yeh",
            "persian-kaf": "Persian kaf",
            "arabic-kaf": "Arabic kaf",
        },
        metavar="FORMS",
        is_cut=True,
    ),
    "clean": Option(
        "set",
        "Cleaning",
        "Parts of the corpus to remove or repair before it is split; the tokenizer still encodes"
        " them",
        _TEXT,
        (),
        {
            "mojibake": (
                "lines that were once read in the wrong encoding are decoded again, as ftfy would"
            ),
            "invalid-bytes": "bytes that are not valid UTF-8 are left out",
            "unassigned": "code points that Unicode has not assigned are left out",
            "presentation-forms": "presentation forms become the letters themselves",
            "special-tokens": "special tokens of well-known tokenizers are left out",
            "urls": "addresses are left out",
            "base64": "pieces of Base64 are left out",
            "hashes": "hexadecimal hashes are left out",
            "mixed-scripts": "words with letters of two scripts are left out",
            "character-runs": "20 or more identical characters in a row become one",
            "long-lines": "lines of more than 65,536 bytes are left out",
            "repeated-lines": "a line of 40 or more characters is counted once",
            "repeated-documents": "a document is counted once",
        },
        {
            "mojibake": "repair mojibake",
            "invalid-bytes": "no invalid bytes",
            "unassigned": "no unassigned code points",
            "presentation-forms": "letters for presentation forms",
            "special-tokens": "no special tokens",
            "urls": "no web addresses",
            "base64": "no Base64",
            "hashes": "no hashes",
            "mixed-scripts": "no words of mixed scripts",
            "character-runs": "short runs of a character",
            "long-lines": "no very long lines",
            "repeated-lines": "repeated lines once",
            "repeated-documents": "repeated documents once",
        },
        metavar="WHAT",
        is_cut=True,
    ),
    "weight": Option(
        "texts",
        "Weights of files",
        "How many times the text of a file counts: a pattern for the end of its path, and a number;"
        " of several that fit, the last one",
        _TEXT,
        (),
        hint="one a line; for example b.txt=3",
        metavar="GLOB=W",
    ),
    "alpha": Option(
        "exponent",
        "Smoothing of files",
        "Raise each file's share of the bytes to this power; below 1, small files count more",
        _TEXT,
        1.0,
        hint="1, as they are",
        metavar="A",
    ),
    "word_end": Option(
        "text",
        "Word end",
        "A mark that distinguishes the end of a word, such as </w>",
        _MARKS,
        hint="none; for example </w>",
        metavar="MARK",
    ),
    "word_end_as": Option(
        "choice",
        "Word end as",
        "The place of the mark: a separate symbol, or part of the last character",
        _MARKS,
        None,
        {
            "on-last-character": "the mark is part of the last character",
            "own-symbol": "the mark is a separate symbol",
        },
        {"on-last-character": "on the last character", "own-symbol": "a symbol of its own"},
    ),
    "continuing": Option(
        "text",
        "Continuing",
        "A prefix, such as ##, on every symbol except the first of a word",
        _MARKS,
        hint="none; for example ##",
        metavar="PREFIX",
    ),
    "full_alphabet": Option(
        "flag",
        "Alphabet",
        "Start from all 256 bytes instead of only those that occur",
        _VOCABULARY,
        False,
        labels={"yes": "all 256 bytes", "no": "what occurs"},
        hint="All 256 bytes",
    ),
    "initial_alphabet": Option(
        "characters",
        "Initial alphabet",
        "Characters that are in the alphabet even if the text has none of them",
        _VOCABULARY,
        "",
        hint="none; for example abc",
        metavar="CHARACTERS",
    ),
    "limit_alphabet": Option(
        "number",
        "Alphabet limit",
        "Keep only this many of the most frequent characters; drop the others before training",
        _VOCABULARY,
        hint="no limit",
        metavar="N",
        least=1,
    ),
    "character_coverage": Option(
        "share",
        "Character coverage",
        "Keep the most frequent characters that make up this share of the text; words end at the"
        " others",
        _VOCABULARY,
        1.0,
        hint="1, every character",
        metavar="SHARE",
    ),
    "byte_fallback": Option(
        "flag",
        "Byte fallback",
        "Encode a character outside the alphabet as its bytes, each of which has a token",
        _VOCABULARY,
        False,
        hint="Unknown characters as bytes",
    ),
    "max_token_length": Option(
        "number",
        "Max token length",
        "Train no token longer than this, counted as Hugging Face or SentencePiece does",
        _VOCABULARY,
        hint="no limit",
        metavar="N",
        least=1,
    ),
    "whole_characters": Option(
        "flag",
        "Whole characters",
        "Train no token that ends inside a character, unless it is part of one",
        _VOCABULARY,
        False,
        hint="No token ends inside one",
    ),
    "one_script": Option(
        "flag",
        "One script",
        "Train no token that joins two scripts; with bytes, characters stay whole as well",
        _VOCABULARY,
        False,
        hint="No token joins two",
    ),
    "special": Option(
        "texts",
        "Special tokens",
        "Tokens with a meaning of their own; they get the first ids and are never merged",
        _VOCABULARY,
        (),
        hint="one a line",
        metavar="TOKEN",
        is_cut=True,
    ),
    "unknown": Option(
        "text",
        "Unknown token",
        "The token that stands for a character outside the alphabet",
        _VOCABULARY,
        hint="none; for example [UNK]",
        metavar="TOKEN",
    ),
    "pad_token": Option(
        "text",
        "Padding token",
        "The special token that fills up a batch",
        _VOCABULARY,
        hint="none; for example <pad>",
        metavar="TOKEN",
    ),
    "bos_token": Option(
        "text",
        "Beginning token",
        "The special token for the beginning of a text",
        _VOCABULARY,
        hint="none; for example <s>",
        metavar="TOKEN",
    ),
    "eos_token": Option(
        "text",
        "End token",
        "The special token for the end of a text",
        _VOCABULARY,
        hint="none; for example </s>",
        metavar="TOKEN",
    ),
    "template": Option(
        "template",
        "Template",
        "The special tokens that go around a text when a model reads it; $A is the text",
        _VOCABULARY,
        hint="none; for example <s> $A </s>",
        metavar="TEMPLATE",
    ),
    "force": Option(
        "pairs",
        "Forced merges",
        "Pairs merged first, in this order, whatever their counts",
        _PAIRS,
        (),
        hint="left right, one pair a line",
        metavar='"LEFT RIGHT"',
    ),
    "forbid": Option(
        "pairs",
        "Forbidden pairs",
        "Pairs that are never merged",
        _PAIRS,
        (),
        hint="left right, one pair a line",
        metavar='"LEFT RIGHT"',
    ),
}


def label_of(option: str, value: str) -> str:
    """The window's name for a value of an option, inside a sentence; the value itself if it has
    none.

    Example:
        `label_of("split", "whitespace")` is "white space", and `label_of("split", "gpt2")` is
        "GPT-2".
    """
    return OPTIONS[option].labels.get(value, value)


def capitalized(label: str) -> str:
    """A label as it stands alone, with a capital letter."""
    return label[:1].upper() + label[1:]
