"""Every tie rule as a configuration of the engine and as a twin of it, over the same words.

The twin's pre-tokens are found here in the plainest way, so a case names a rule and a text and gets
both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest
import regex

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.engine.text.unicode_scripts import FURTHER_SCRIPTS, HAN_SCRIPTS, OTHER_SCRIPTS
from tests.engine.textbook_twin import Twin, count_words

if TYPE_CHECKING:
    from bpe_studio import Run

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_SCRIPTS = {
    name: regex.compile(rf"\p{{Script={name}}}")
    for name in (*HAN_SCRIPTS, *OTHER_SCRIPTS, *FURTHER_SCRIPTS, "Inherited")
}


@cache
def unicode_script(character: str) -> str:
    return next((name for name, pattern in _SCRIPTS.items() if pattern.match(character)), "Common")


@cache
def is_of_one_script(text: str) -> bool:
    scripts = set(map(unicode_script, text))
    return len(scripts - {"Common", "Inherited"}) < 2


_SECOND = (0x80, 0x90, 0xA0)
_ENDS = [bytes((byte, *rest)) for byte in _SECOND for rest in ((), (0x80,), (0x80, 0x80))]
"""What completes any part of a character that has its first byte."""


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@cache
def is_whole_or_part(content: bytes) -> bool:
    """Whether bytes are whole characters or part of one; a single byte may be part of none."""
    if len(content) == 1 or _is_text(content):
        return True
    if all(0x80 <= byte < 0xC0 for byte in content):
        return len(content) < 4
    return any(_is_text(content + end) and len((content + end).decode()) == 1 for end in _ENDS)


def is_whole_of_one_script(content: bytes) -> bool:
    """What one script asks of bytes; the script of a part is not known."""
    return is_whole_or_part(content) and is_of_one_script(content.decode(errors="ignore"))


@cache
def script_of(character: str) -> str | None:
    """The script sentencepiece sees.

    None where a character goes with any (combining marks, joiners).
    """
    if character == "\u30fc":
        return "Han"
    # Private and unassigned characters, and scripts newer than that trainer's list, are Common to
    # it.
    name = unicode_script(character)
    if name == "Inherited":
        return None
    if name in FURTHER_SCRIPTS:
        return "Common"
    return "Han" if name in ("Hiragana", "Katakana") else name


@cache
def is_sentencepiece(piece: str) -> bool:
    """Whether that trainer's defaults let a piece be: 16 code points at most, one script, `▁` only
    in front.
    """
    if len(piece) > 16 or "▁" in piece[1:]:
        return False
    seen = None
    for character in piece.removeprefix("▁"):
        script = script_of(character) or seen
        if None not in (seen, script) and script != seen:
            return False
        seen = script
    return True


def _whole(text: str) -> list[str]:
    return [text] if text else []


def _sentencepiece_words(text: str) -> list[str]:
    return ["▁" + word for line in text.split("\n") for word in line.split(" ") if word]


@dataclass(frozen=True)
class Rule:
    """One row of the table of trainers: what the engine is told, and how the twin is to read and
    rank.
    """

    name: str
    preset: str
    options: dict[str, object]
    cut: Callable[[str], list[str]]
    allowed: Callable[[str], bool] = lambda token: True

    @property
    def is_bytes(self) -> bool:
        return self.marks["units"] == "bytes"

    @property
    def marks(self) -> dict[str, str | None]:
        names = ("units", "word_end", "word_end_as", "continuing")
        return {"units": "characters"} | {
            n: str(self.options[n]) for n in names if self.options.get(n)
        }

    def config(self, **overrides: object) -> TrainingConfig:
        # A preset's own target would stand in the way of the other one.
        targets = {"vocab_size": None, "merges": None}
        return TrainingConfig.preset(self.preset, **(targets | self.options | overrides))

    def twin(self, text: str | Sequence[str], **overrides: object) -> Twin:
        documents = [text] if isinstance(text, str) else text
        words = count_words(
            [word for document in documents for word in self.cut(document)], **self.marks
        )
        ties = str(self.options.get("ties", self.preset))
        options = {
            "min_frequency": self.options.get("min_frequency", 1),
            "is_characters": not self.is_bytes,
        } | overrides
        return Twin(
            words,
            ties=ties,
            continuing=self.marks.get("continuing"),
            allowed=self.allowed,
            **options,
        )  # type: ignore[arg-type]


_BYTES: dict[str, object] = {
    "units": "bytes",
    "split": "none",
    "min_frequency": 1,
    "special": (),
    "documents": "file",
}
_CHARACTERS: dict[str, object] = {
    "units": "characters",
    "split": "whitespace",
    "min_frequency": 1,
    "unknown": None,
}

_SENTENCEPIECE: dict[str, object] = {
    "split": "sentencepiece",
    "normalize": (),
    "character_coverage": 1.0,
    "ties": "sentencepiece",
}

RULES = {
    rule.name: rule
    for rule in (
        Rule("first-seen", "textbook", {"ties": "first-seen", **_CHARACTERS}, str.split),
        Rule("first-seen, bytes", "raw", {"ties": "first-seen", **_BYTES}, _whole),
        Rule(
            "first-seen, </w> as a symbol",
            "sennrich",
            {"ties": "first-seen", "word_end": "</w>", "word_end_as": "own-symbol", **_CHARACTERS},
            str.split,
        ),
        Rule(
            "first-seen, ##",
            "textbook",
            {"ties": "first-seen", "continuing": "##", **_CHARACTERS},
            str.split,
        ),
        Rule("huggingface", "gpt2", {"ties": "huggingface", **_BYTES}, _whole),
        Rule(
            "huggingface, gpt2 words",
            "gpt2",
            {"ties": "huggingface", **_BYTES, "split": "gpt2", "full_alphabet": False},
            lambda text: regex.findall(GPT2, text),
        ),
        Rule(
            "huggingface, characters", "textbook", {"ties": "huggingface", **_CHARACTERS}, str.split
        ),
        Rule(
            "huggingface, short tokens",
            "textbook",
            {"ties": "huggingface", "max_token_length": 7, **_CHARACTERS},
            str.split,
            lambda token: len(token) < 7,
        ),
        Rule("raw-ids", "raw", {"ties": "raw-ids", **_BYTES}, _whole),
        Rule("greatest-bytes", "raw", {"ties": "greatest-bytes", **_BYTES}, _whole),
        Rule(
            "subword-nmt",
            "subword-nmt",
            {
                "ties": "subword-nmt",
                "word_end": "</w>",
                "word_end_as": "on-last-character",
                **_CHARACTERS,
            },
            str.split,
        ),
        Rule(
            "sentencepiece", "sentencepiece", _SENTENCEPIECE, _sentencepiece_words, is_sentencepiece
        ),
        Rule(
            "sentencepiece, single digits",
            "sentencepiece",
            {"split_digits": True, **_SENTENCEPIECE},
            _sentencepiece_words,
            lambda token: is_sentencepiece(token) and not re.search("[0-9０-９]", token),
        ),
    )
}
BYTE_RULES = [name for name, rule in RULES.items() if rule.is_bytes]
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


def trained(rule: Rule, text: str, **options: object) -> Run:
    config = rule.config(**options)
    return train(Corpus.from_text(text, config), config)


def log_of(run: Run) -> list[tuple[str, str, str, int, int, bool, int]]:
    """The merges of a run as plain tuples, to compare with `log_of_twin`."""
    return [(m.left, m.right, m.token, m.count, m.tied, m.forced, m.n_tokens) for m in run.merges]


def log_of_twin(twin: Twin) -> list[tuple[str, str, str, int, int, bool, int]]:
    return [(m.left, m.right, m.token, m.count, m.tied, m.forced, m.n_tokens) for m in twin.merges]


def is_plain(text: str) -> bool:
    """Whether all ways to tell white space agree on this text (information separators and the like
    are told apart).
    """
    return all(
        bool(re.match(r"\s", c)) == bool(regex.match(r"\s", c)) == c.isspace() for c in text
    ) and not any(unicodedata.category(c) in ("Cs", "Cn") for c in text)
