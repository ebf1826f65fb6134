"""The tie rules, each declared once: which of several equally frequent pairs is merged first.

The options, the merge loop, *Why*, `check` and exported pages read this table. The merge loop has
four fast forms of comparison (`kernels/heap.py`), and so has the script of exported pages; a rule
names the one that it uses. Its key is the same order in plain Python, to explain and to check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from bpe_studio.engine.kernels.buffers import (
    FIRST_SEEN,
    GREATEST_TEXTS,
    SHORTEST_TEXT,
    SMALLEST_IDS,
)


class Compared(NamedTuple):
    """The facts that a rule may use: functions of a token, or of a pair's two tokens.

    Attributes:
        id: the id of a token, if the alphabet is numbered as the rule numbers it.
        text: the text of a token as the rule compares it: its name, or its bytes.
        n_characters: the length of a token in characters.
        first_place: the first place of a pair in the text as it is cut now.
    """

    id: Callable[[Any], int]
    text: Callable[[Any], Any]
    n_characters: Callable[[Any], int]
    first_place: Callable[[Any, Any], Any]


class TieRule(NamedTuple):
    """A tie rule.

    Attributes:
        name: its name on the command line.
        label: its name in the window, as it is written inside a sentence.
        words: the pair that it takes, as a phrase.
        number: how the merge loop compares pairs.
        key: a value that is smallest for the pair that the rule takes.
        compares_names: whether it compares names where symbols are bytes.
        has_special_first: whether special tokens that are symbols as well have the lowest ids, and
            the others are numbered by name.
        has_frequent_first: whether the symbols are numbered by their count, and after the merges in
            the tokenizer.
    """

    name: str
    label: str
    words: str
    number: int
    key: Callable[[Compared, Any, Any], Any]
    compares_names: bool = False
    has_special_first: bool = False
    has_frequent_first: bool = False

    def choose(self, pairs: Sequence[Any], compared: Compared) -> Any:
        """The pair that the rule takes."""
        return min(pairs, key=lambda pair: self.key(compared, *pair))


class _Reversed:
    """A value with the reverse order."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self.value == other.value)


def _first_place(compared: Compared, left: Any, right: Any) -> Any:
    return compared.first_place(left, right)


def _ids(compared: Compared, left: Any, right: Any) -> Any:
    return compared.id(left), compared.id(right)


def _greatest_texts(compared: Compared, left: Any, right: Any) -> Any:
    return _Reversed((compared.text(left), compared.text(right)))


def _shortest_token(compared: Compared, left: Any, right: Any) -> Any:
    n_characters = compared.n_characters(left) + compared.n_characters(right)
    return n_characters, compared.text(left) + compared.text(right)


_RULES = (
    TieRule(
        "first-seen",
        "first in the text",
        "the pair that occurs first in the text",
        FIRST_SEEN,
        _first_place,
    ),
    TieRule(
        "huggingface",
        "smallest ids (Hugging Face)",
        "the pair with the smallest token ids",
        SMALLEST_IDS,
        _ids,
        has_special_first=True,
    ),
    TieRule(
        "raw-ids",
        "smallest ids by byte (rustbpe)",
        "the pair with the smallest token ids, bytes numbered 0 to 255",
        SMALLEST_IDS,
        _ids,
    ),
    TieRule(
        "greatest-bytes",
        "last by bytes (CS336)",
        "the pair whose bytes sort last",
        GREATEST_TEXTS,
        _greatest_texts,
    ),
    TieRule(
        "subword-nmt",
        "last in the alphabet (subword-nmt)",
        "the pair whose text sorts last",
        GREATEST_TEXTS,
        _greatest_texts,
        compares_names=True,
    ),
    TieRule(
        "sentencepiece",
        "shortest token (SentencePiece)",
        "the pair that makes the shortest token, then the one that sorts first",
        SHORTEST_TEXT,
        _shortest_token,
        compares_names=True,
        has_frequent_first=True,
    ),
)
TIE_RULES = MappingProxyType({rule.name: rule for rule in _RULES})
TIES = tuple(TIE_RULES)
