"""The better one of two: on the corpus, then on a text, and the kinds of words where they differ.

Words are separated by white space. The kind of a word is the script of its first letter; a word
without letters is a number or a sign. White space belongs to the word after it, and a token to the
word in which it begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from bpe_studio.explain.wording import listed, number, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"\s*\S+")
NUMBERS = "numbers"
SIGNS = "signs and emoji"
FEWEST_TOKENS = 10
"""Kinds of words with fewer tokens are not compared."""
LEAST_CHANGE = 0.01
MOST_KINDS = 3
NO_PAIR = "Nothing to compare yet: add another size, a run or a tokenizer with + Add"
COUNTING = "Counting the tokens …"
COUNTING_CORPUS = "Counting the tokens of {} …"
FAILED = (
    "The tokens could not be counted: change the text, or remove what was added last. The details"
    " are in the log."
)


@dataclass(frozen=True)
class Side:
    """One of the two.

    Attributes:
        name: its name in a sentence.
        vocab_size: the size of its vocabulary.
        n_tokens: its tokens of the text; None if it cannot encode the text.
        n_corpus: its tokens of the corpus; None if they are not counted.
        kinds: its tokens of the text by kind of word; empty if they are not known yet.
    """

    name: str
    vocab_size: int
    n_tokens: int | None
    n_corpus: int | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)


class KindsOfWords:
    """The kinds of the words of a text, to count tokens by them."""

    def __init__(self, text: str) -> None:
        import numpy as np

        words = list(_WORD.finditer(text))
        kinds = [_kind(word[0].lstrip()) for word in words]
        self.names = list(dict.fromkeys(kinds))
        places = {name: place for place, name in enumerate(self.names)}
        labels = [places[kind] for kind in kinds]
        ends = [word.end() for word in words]
        self._labels = np.array(labels, np.int64)
        self._ends = np.array(ends, np.int64)

    def count(self, starts: NDArray[np.float64]) -> dict[str, int]:
        """The number of tokens that begin in words of each kind.

        Args:
            starts: (n,) the place where each token begins, in code points.
        """
        import numpy as np

        if not self.names:
            return {}
        words = np.searchsorted(self._ends, np.floor(starts), "right")
        labels = self._labels[np.minimum(words, len(self._labels) - 1)]
        return dict(
            zip(self.names, np.bincount(labels, minlength=len(self.names)).tolist(), strict=True)
        )


@lru_cache(maxsize=1 << 16)
def _kind(word: str) -> str:
    """The kind of a word.

    >>> [_kind(word) for word in ("(hello)", "سلام", "1,000", "😀")]
    ['Latin', 'Arabic', 'numbers', 'signs and emoji']
    """
    # Imported here, because the window is made before `regex` is loaded.
    from bpe_studio.explain.group_measures import COMMON, script_of_word

    script = script_of_word(word)
    if script != COMMON:
        return script.replace("_", " ")
    return NUMBERS if any(map(str.isnumeric, word)) else SIGNS


def verdict(
    a: Side, b: Side, corpus: str, text: str, *, is_counting: bool = False, trained: str = ""
) -> tuple[str, str]:
    """A headline that says which of two needs fewer tokens, and the sentences that follow it.

    The headline is about the corpus; if the tokens of the corpus cannot be counted, it is about the
    text.

    Args:
        a: the counts of the subject of the sentences.
        b: the counts of the other.
        corpus: the name of the corpus.
        text: the name of the text, such as "your text (69 characters)".
        is_counting: whether the tokens of the corpus are being counted.
        trained: the one of the two that was trained on the corpus; "" for both or none.
    """
    entries = _entries(a.vocab_size / max(1, b.vocab_size))
    on_text = _needs(a, b, (a.n_tokens, b.n_tokens), text)
    details = [on_text, by_kind(a, b)]
    if is_counting:
        headline = COUNTING_CORPUS.format(corpus)
    elif a.n_corpus is not None and b.n_corpus is not None:
        headline = f"{_needs(a, b, (a.n_corpus, b.n_corpus), corpus)}, {entries}."
        if trained:
            details.append(f"Only {trained} was trained on {corpus}")
    else:
        is_encoded = a.n_tokens is not None and b.n_tokens is not None
        headline = f"{on_text}, {entries}." if is_encoded else f"{on_text}."
        del details[0]
    said = [f"{each}." for each in details if each]
    return headline, " ".join(said)


def _needs(a: Side, b: Side, n_tokens: tuple[int | None, int | None], text: str) -> str:
    """A clause on which of two needs fewer tokens for a text."""
    n_a, n_b = n_tokens
    if n_a is None or n_b is None:
        cannot = a if n_a is None else b
        return f"{cannot.name} cannot encode {text}"
    if n_a == n_b:
        return f"On {text}, {a.name} needs as many tokens as {b.name}"
    change = percent(abs(n_a - n_b) / max(1, n_b))
    more = "fewer" if n_a < n_b else "more"
    return f"On {text}, {a.name} needs {change} {more} tokens than {b.name}"


def _entries(ratio: float) -> str:
    """A phrase on the size of a vocabulary compared with another.

    >>> _entries(1.0), _entries(0.65), _entries(32.0)
    ('with an equally large vocabulary', 'with a vocabulary 35 % smaller', 'with a vocabulary 32 times as large')
    """  # noqa: E501
    if ratio == 1:
        return "with an equally large vocabulary"
    if ratio >= 2:
        n_decimals = 0 if ratio >= 10 else 1
        return f"with a vocabulary {number(ratio, n_decimals)} times as large"
    change = "smaller" if ratio < 1 else "larger"
    return f"with a vocabulary {percent(abs(ratio - 1))} {change}"


def by_kind(a: Side, b: Side) -> str:
    """A clause on the kinds of words on which A is better or worse; "" for only one kind."""
    changes = [
        (abs(n - a.kinds.get(kind, 0)), kind, a.kinds.get(kind, 0) / n - 1)
        for kind, n in b.kinds.items()
        if max(n, a.kinds.get(kind, 0)) >= FEWEST_TOKENS and n
    ]
    if len(changes) < 2:
        return ""
    found = sorted((each for each in changes if abs(each[2]) >= LEAST_CHANGE), reverse=True)
    better = [each for each in found if each[2] < 0]
    worse = [each for each in found if not each[2] < 0]
    said = []
    if better:
        said.append(f"better on {_list(better[:MOST_KINDS])}")
    if worse:
        said.append(f"worse on {_list(worse[:MOST_KINDS])}")
    return f"It is {', and '.join(said)}" if said else "On each kind of words the two are alike"


def _list(kinds: list[tuple[int, str, float]]) -> str:
    words = []
    for _, kind, change in kinds:
        sign = "+" if change > 0 else "−"
        words.append(f"{kind} ({sign}{percent(abs(change))})")
    return listed(words)
