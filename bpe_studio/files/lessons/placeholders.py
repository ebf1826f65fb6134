"""The placeholders in a lesson's sentences: `{next}`, `{count of u g}`, `{tokens of hugs}`.

They are read and checked here; `workspace/lessons/facts.py` finds their values in a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bpe_studio.errors import LessonError


@dataclass(frozen=True)
class Quantity:
    """A value that comes from a run.

    Attributes:
        name: one of `QUANTITIES`.
        of: the text or pair that it is about; "" for the typed text, or for the pair that is merged
            next.
    """

    name: str
    of: str = ""

    def __str__(self) -> str:
        return f"{{{self.name} of {self.of}}}" if self.of else f"{{{self.name}}}"


@dataclass(frozen=True)
class QuantityKind:
    """A kind of quantity.

    Attributes:
        kind: the type of an answer to a question about it.
        of: what may follow "of", in words; "" for nothing.
        means: its meaning, in words.
    """

    kind: Literal["pair", "number", "text"]
    of: str
    means: str


QUANTITIES: dict[str, QuantityKind] = {
    "next": QuantityKind("pair", "", "the pair that is merged next"),
    "count": QuantityKind(
        "number", "pair", "how often that pair, or another, occurs in the corpus"
    ),
    "ties": QuantityKind(
        "number", "", "how many pairs are as frequent as the one that is merged next"
    ),
    "last": QuantityKind("pair", "", "the pair that was merged last"),
    "last_count": QuantityKind(
        "number", "", "how often that pair occurred in the corpus when it was merged"
    ),
    "made": QuantityKind("text", "", "the token that the last merge made"),
    "step": QuantityKind("number", "", "how many merges apply"),
    "alphabet": QuantityKind("number", "", "how many symbols there are before the first merge"),
    "vocabulary": QuantityKind(
        "number", "", "the vocabulary size: alphabet, merges and special tokens"
    ),
    "corpus_tokens": QuantityKind("number", "", "how many tokens the corpus has"),
    "tokens": QuantityKind("number", "text", "how many tokens the typed text, or another, has"),
    "cut": QuantityKind("text", "text", "the tokens of the typed text, or of another"),
    "bytes": QuantityKind("number", "text", "how many bytes the typed text, or another, has"),
    "characters": QuantityKind(
        "number", "text", "how many characters the typed text, or another, has"
    ),
    "fertility": QuantityKind(
        "number", "text", "tokens per white-space word of the typed text, or of another"
    ),
}

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def parse_quantity(text: str, line: int) -> Quantity:
    """The quantity in a pair of braces.

    Raises:
        LessonError: there is no such quantity, or its "of" is missing or wrong.

    >>> parse_quantity("count of u g", 1)
    Quantity(name='count', of='u g')
    """
    name, has_of, of = text.partition(" of ")
    name = name.strip()
    kind = QUANTITIES.get(name)
    if kind is None:
        known = ", ".join(f"{{{known}}}" for known in QUANTITIES)
        raise LessonError(
            f"there is no {{{text}}}: choose one of {known}, or write {{{{ for a brace", line
        )
    if has_of and not kind.of:
        raise LessonError(f"{{{name}}} is {kind.means}: leave “of {of}” out", line)
    if has_of and not of.strip():
        raise LessonError(f"{{{text}}} does not say of what: write the {kind.of} after “of”", line)
    if kind.of == "pair" and has_of and len(of.split()) != 2:
        raise LessonError(
            f"{{{text}}} needs two tokens with one space between them, as in {{count of u g}}", line
        )
    if kind.of == "pair":
        of = " ".join(of.split())
    return Quantity(name, of)


def quantities_of(text: str, line: int) -> tuple[Quantity, ...]:
    """All quantities in a sentence.

    Raises:
        LessonError: one of them is not known, or there is a single brace.
    """
    found: list[Quantity] = []

    def note(quantity: Quantity) -> str:
        found.append(quantity)
        return ""

    fill_placeholders(text, note, line)
    return tuple(found)


def fill_placeholders(text: str, value_of: Callable[[Quantity], str], line: int = 0) -> str:
    """The sentence with its placeholders filled in.

    >>> fill_placeholders("{next} {{braces}} here", lambda quantity: "u g")
    'u g {braces} here'
    """

    def put(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1] is None:
            raise LessonError(f"“{match[0]}” stands alone: write {match[0] * 2} for a brace", line)
        return value_of(parse_quantity(match[1], line))

    return _PART.sub(put, text)
