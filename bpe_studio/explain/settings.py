"""Settings in words: the labels of options and values, and the options in which two configurations differ.

Example:
    `difference_words(gpt2, gpt2.replace(split="cl100k"))` is "split cl100k instead of gpt2".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

REGEX = "regex:"


# (value, label, short description)
Choice = tuple[object, str, str]
SPLIT_CHOICES: tuple[Choice, ...] = (
    ("none", "none", "the whole text is one pre-token; merges may cross spaces"),
    ("whitespace", "whitespace", "split at white space, which is dropped"),
    ("words", "words", "letters and digits, or punctuation; white space is dropped"),
    ("gpt2", "gpt2 (GPT-2)", "a space goes with the word after it"),
    ("cl100k", "cl100k (GPT-4)", "digits in groups of three, line breaks separate"),
    ("o200k", "o200k (GPT-4o)", "also splits where lowercase turns into uppercase"),
    ("llama3", "llama3 (Llama 3)", "the pattern of Llama 3"),
    ("qwen2", "qwen2 (Qwen 2)", "like llama3, digits one at a time"),
    ("sentencepiece", "sentencepiece (▁)", "▁ is the space before a word"),
    (REGEX, "regex: your own", "each match is a pre-token"),
)
UNIT_CHOICES: tuple[Choice, ...] = (
    ("bytes", "bytes", "any text can be written with 256 symbols"),
    ("characters", "characters", "those of the corpus; others are unknown"),
)
TIE_CHOICES: tuple[Choice, ...] = (
    ("first-seen", "first-seen (textbooks)", "the pair that occurs first"),
    ("huggingface", "huggingface", "the smallest ids, symbols by code point"),
    ("raw-ids", "raw-ids (rustbpe, bpeasy)", "the smallest ids, bytes from 0 to 255"),
    ("greatest-bytes", "greatest-bytes (CS336)", "the greatest bytes"),
    ("subword-nmt", "subword-nmt", "the greatest strings, a space of bytes read as Ġ"),
    ("sentencepiece", "sentencepiece", "the shortest token, then the smallest string"),
)
DOCUMENT_CHOICES: tuple[Choice, ...] = (
    ("file", "file", "a file is one text"),
    ("line", "line", "each line with its line break is split by itself"),
    ("separator", "separator", "special tokens in the text separate documents"),
)
WORD_END_CHOICES: tuple[Choice, ...] = (
    ("on-last-character", "on-last-character", "the mark is part of the last character"),
    ("own-symbol", "own-symbol", "the mark is a symbol of its own"),
)
NORMALIZE_CHOICES: tuple[Choice, ...] = (
    ("nfc", "nfc", "compose: e + ◌́ becomes é"),
    ("nfd", "nfd", "decompose: é becomes e + ◌́"),
    ("nfkc", "nfkc", "compose, and replace compatibility characters: ﬁ becomes fi"),
    ("nfkd", "nfkd", "decompose, and replace compatibility characters"),
    ("lowercase", "lowercase", "uppercase letters become lowercase"),
    ("strip-accents", "strip-accents", "combining marks are dropped"),
    ("strip-controls", "strip-controls", "control characters are dropped, but tabs and line ends"),
    ("strip-zero-width", "strip-zero-width", "zero-width spaces, word joiners and byte-order marks are dropped"),
    ("strip-bidi", "strip-bidi", "controls of the writing direction are dropped"),
    ("strip-soft-hyphens", "strip-soft-hyphens", "soft hyphens are dropped"),
    ("strip-kashida", "strip-kashida", "kashidas, which stretch Arabic words, are dropped"),
    ("strip-replacements", "strip-replacements", "replacement characters (U+FFFD) are dropped"),
    ("strip-carriage-returns", "strip-carriage-returns", "carriage returns are dropped"),
    ("plain-spaces", "plain-spaces", "no-break spaces become spaces"),
    ("plain-separators", "plain-separators", "line and paragraph separators (U+2028, U+2029) become spaces"),
    ("strip-private-use", "strip-private-use", "characters for private use are dropped"),
    ("persian-yeh", "persian-yeh", "the Arabic yeh becomes the Persian one"),
    ("arabic-yeh", "arabic-yeh", "the Persian yeh becomes the Arabic one"),
    ("persian-kaf", "persian-kaf", "the Arabic kaf becomes the Persian one"),
    ("arabic-kaf", "arabic-kaf", "the Persian kaf becomes the Arabic one"),
)
CLEAN_CHOICES: tuple[Choice, ...] = (
    ("mojibake", "mojibake", "lines that were once read in the wrong encoding are decoded again, as ftfy would"),
    ("invalid-bytes", "invalid-bytes", "bytes that are not valid UTF-8 are left out"),
    ("unassigned", "unassigned", "code points that Unicode has not assigned are left out"),
    ("presentation-forms", "presentation-forms", "presentation forms become the letters themselves"),
    ("special-tokens", "special-tokens", "special tokens of well-known tokenizers are left out"),
    ("urls", "urls", "addresses are left out"),
    ("base64", "base64", "pieces of Base64 are left out"),
    ("hashes", "hashes", "hashes in hexadecimal digits are left out"),
    ("mixed-scripts", "mixed-scripts", "words with letters of two scripts are left out"),
    ("character-runs", "character-runs", "20 or more times the same character becomes one"),
    ("long-lines", "long-lines", "lines of more than 65,536 bytes are left out"),
    ("repeated-lines", "repeated-lines", "a line of 40 or more characters is counted once"),
    ("repeated-documents", "repeated-documents", "a document is counted once"),
)


@dataclass(frozen=True)
class Field:
    """One option of the form.

    Attributes:
        option: its name in a configuration.
        label: its name in the window.
        kind: the kind of its editor.
        group: the heading above it and others; groups are contiguous.
        is_main: whether it is always visible.
        choices: the values, for a choice.
        empty: what an empty editor shows, or the text of a check box.
    """

    option: str
    label: str
    kind: str
    group: str
    is_main: bool = False
    choices: tuple[Choice, ...] = ()
    empty: str = ""


END, CUT = "End of training", "Splitting and merging"
TEXT, MARKS = "The text before it is split", "Marks in words"
VOCABULARY, PAIRS = "Vocabulary", "Certain pairs"
FIELDS: tuple[Field, ...] = (
    Field("vocab_size", "Target", "target", END, is_main=True),
    Field("min_frequency", "Min frequency", "number", END, is_main=True),
    Field("units", "Units", "choice", CUT, is_main=True, choices=UNIT_CHOICES),
    Field("split", "Split", "split", CUT, is_main=True, choices=SPLIT_CHOICES),
    Field("ties", "Ties", "choice", CUT, is_main=True, choices=TIE_CHOICES),
    Field("documents", "Documents", "choice", TEXT, choices=DOCUMENT_CHOICES),
    Field("normalize", "Normalization", "order", TEXT, choices=NORMALIZE_CHOICES),
    Field("clean", "Cleaning", "set", TEXT, choices=CLEAN_CHOICES),
    Field("word_end", "Word end", "text", MARKS, empty="none; for example </w>"),
    Field("word_end_as", "Word end as", "choice", MARKS, choices=WORD_END_CHOICES),
    Field("continuing", "Continuing", "text", MARKS, empty="none; for example ##"),
    Field("full_alphabet", "Alphabet", "check", VOCABULARY, empty="All 256 bytes"),
    Field("special", "Special tokens", "lines", VOCABULARY, empty="one a line"),
    Field("unknown", "Unknown token", "text", VOCABULARY, empty="none; for example [UNK]"),
    Field("force", "Forced merges", "pairs", PAIRS, empty="left right, one pair a line"),
    Field("forbid", "Forbidden pairs", "pairs", PAIRS, empty="left right, one pair a line"),
)
_LABELS = {field.option: field.label for field in FIELDS}
NONE = "none"
MOST_NAMED = 4
_TARGET = ("vocab_size", "merges")
_MOST_CHARACTERS = 60


class SettingDifference(NamedTuple):
    """An option in which two configurations differ: its label, and both its values in words."""

    option: str
    name: str
    a: str
    b: str


def settings_that_differ(a: TrainingConfig, b: TrainingConfig) -> tuple[SettingDifference, ...]:
    """The options in which two configurations differ, in the order of the form; the target counts as one."""
    found = []
    if target_words(a) != target_words(b):
        found.append(SettingDifference("vocab_size", _LABELS["vocab_size"], target_words(a), target_words(b)))
    names = [field.option for field in FIELDS if field.option not in _TARGET]
    for name in names:
        if getattr(a, name) != getattr(b, name):
            found.append(SettingDifference(name, _LABELS[name], value_words(a, name), value_words(b, name)))
    return tuple(found)


def setting_name(option: str) -> str:
    """The label of an option in the window."""
    return _LABELS[option]


def value_words(config: TrainingConfig, option: str) -> str:
    """The value of an option in words."""
    value = getattr(config, option)
    if value is None or value == ():
        return NONE
    if isinstance(value, bool):
        return "all 256 bytes" if value else "what occurs"
    if isinstance(value, tuple):
        return elided(", ".join(" + ".join(each) if isinstance(each, tuple) else str(each) for each in value), 60)
    if isinstance(value, int):
        return number(value)
    return elided(str(value).removeprefix(REGEX), _MOST_CHARACTERS)


def target_words(config: TrainingConfig) -> str:
    """When a run with these settings ends."""
    if config.merges is not None:
        return plural(config.merges, "merge")
    return f"vocabulary of {number(config.vocab_size)}" if config.vocab_size is not None else "no limit"


def difference_words(now: TrainingConfig, other: TrainingConfig) -> str:
    """How the second of two configurations differs, in one line; "" if they are the same."""
    found = settings_that_differ(now, other)
    said = [f"{each.name.lower()} {each.b} instead of {each.a}" for each in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        said.append(f"{len(found) - MOST_NAMED} more")
    return "; ".join(said)
