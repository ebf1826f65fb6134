"""The types of presets, options and formats, for completion in editors and for type checkers.

`options.py`, `presets.py` and `files/formats/registry.py` declare the names. A type checker reads
only what is written out, so this module repeats them, and a test compares the two. The program
never imports it when it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

PresetName = Literal[
    "gpt2",
    "textbook",
    "sennrich",
    "raw",
    "cl100k",
    "o200k",
    "subword-nmt",
    "sentencepiece",
    "llama2",
    "cs336",
    "superbpe",
]
Units = Literal["bytes", "characters", "items"]
NamedSplit = Literal[
    "none",
    "whitespace",
    "spaces",
    "words",
    "gpt2",
    "cl100k",
    "o200k",
    "o200k-words",
    "llama3",
    "qwen2",
    "digits-single",
    "digits-left",
    "digits-right",
    "sentencepiece",
    "superwords",
]
Ties = Literal[
    "first-seen", "huggingface", "raw-ids", "greatest-bytes", "subword-nmt", "sentencepiece"
]
Documents = Literal["file", "line", "separator"]
Normalization = Literal[
    "nfc",
    "nfd",
    "nfkc",
    "nfkd",
    "nmt-nfkc",
    "lowercase",
    "strip-accents",
    "strip-controls",
    "strip-zero-width",
    "strip-bidi",
    "strip-soft-hyphens",
    "strip-kashida",
    "strip-replacements",
    "strip-carriage-returns",
    "plain-spaces",
    "plain-separators",
    "strip-private-use",
    "persian-yeh",
    "arabic-yeh",
    "persian-kaf",
    "arabic-kaf",
]
Cleaning = Literal[
    "mojibake",
    "invalid-bytes",
    "unassigned",
    "presentation-forms",
    "special-tokens",
    "urls",
    "base64",
    "hashes",
    "mixed-scripts",
    "character-runs",
    "long-lines",
    "repeated-lines",
    "repeated-documents",
]
WordEndAs = Literal["on-last-character", "own-symbol"]
FormatName = Literal[
    "huggingface", "gpt2", "tiktoken", "subword-nmt", "sentencepiece", "minbpe", "studio"
]


class Options(TypedDict, total=False):
    """The options that a caller may give; `OPTIONS` says what each means."""

    vocab_size: int | None
    merges: int | None
    min_frequency: int
    units: Units
    split: NamedSplit | str  # or "regex:" and a pattern
    superwords_from: int | None
    superwords_split: Literal["superwords", "none"] | str  # or "regex:" and a pattern
    superwords_words: int
    split_digits: bool
    ties: Ties
    documents: Documents
    normalize: Normalization | Iterable[Normalization] | None
    clean: Cleaning | Iterable[Cleaning] | None
    weight: str | Iterable[str] | Mapping[str, float | str] | None  # such as "b.txt=3"
    alpha: float
    word_end: str | None
    word_end_as: WordEndAs | None
    continuing: str | None
    full_alphabet: bool
    initial_alphabet: str | Iterable[str]
    limit_alphabet: int | None
    character_coverage: float
    byte_fallback: bool
    max_token_length: int | None
    whole_characters: bool
    one_script: bool
    special: str | Iterable[str] | None
    unknown: str | None
    pad_token: str | None
    bos_token: str | None
    eos_token: str | None
    template: str | None  # such as "<s> $A </s>"
    force: str | Iterable[tuple[str, str] | str] | None
    forbid: str | Iterable[tuple[str, str] | str] | None
