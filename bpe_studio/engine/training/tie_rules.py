"""The order of each tie rule among pairs that occur equally often, for any run.

The merge loop has its own fast form (`kernels/heap.py`), which the tests compare with this one. A
rule that orders by ids uses the ids that *it* gives to the symbols, whatever the run's are: so any
rule can be applied to any run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.kernels.buffers import CHARACTERS
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import reorder_alphabet

_LOW = 0xFFFFFFFF
_BY_IDS = ("huggingface", "raw-ids")
_BY_NAMES = ("subword-nmt", "sentencepiece")


class TieOrder:
    """The order of one rule among pairs of equal count.

    Args:
        run: the run that has the tokens.
        rule: the name of a tie rule.
    """

    def __init__(self, run: Run, rule: str) -> None:
        self._run = run
        self.rule = rule
        self._text = text_under(run, rule)
        self._ids: Int64Array | None = None
        if rule in _BY_IDS and rule != run.config.ties:
            # The order of these rules does not depend on counts.
            none = np.zeros(run.n_alphabet, np.int64)
            changed: dict[str, Any] = {"ties": rule}
            alphabet = reorder_alphabet(run.alphabet, none, run.config.replace(**changed))
            self._ids = alphabet.ids(run.alphabet.codes).astype(np.int64)

    def best(self, pairs: Int64Array, firsts: Int64Array, n: int) -> list[int]:
        """The indices of the pairs that come first.

        Args:
            pairs: (p,) int64, left << 32 | right, all of equal count.
            firsts: (p,) int64, the position of each pair's first occurrence in the text.
            n: the maximum number of pairs.

        Returns:
            Indices into `pairs`, best first.
        """
        near = np.arange(len(pairs))
        if len(pairs) > 4 * n:
            # Late in a run, hundreds of thousands of pairs occur once; most are excluded by a rough
            # key.
            keys = self._rough(pairs, firsts)
            near = np.flatnonzero(keys <= np.partition(keys, n - 1)[n - 1])
        rows = zip(near.tolist(), pairs[near].tolist(), firsts[near].tolist(), strict=True)
        ordered = sorted(rows, key=lambda row: self._key(row[1] >> 32, row[1] & _LOW, row[2]))
        return [place for place, _, _ in ordered[:n]]

    def _rough(self, pairs: Int64Array, firsts: Int64Array) -> Int64Array:
        """Keys that never contradict the order of the rule, but may be equal for different
        pairs.
        """
        if self.rule == "first-seen":
            return firsts
        lefts = pairs >> 32
        rights = pairs & _LOW
        if self.rule in _BY_IDS:
            return self._placed(lefts) << 32 | self._placed(rights)
        if self.rule == "sentencepiece":
            lengths = self._run.facts_at(int(max(lefts.max(), rights.max())))[:, CHARACTERS].astype(
                np.int64
            )
            return np.asarray(lengths[lefts] + lengths[rights])
        distinct, inverse = np.unique(lefts, return_inverse=True)
        order = sorted(
            range(len(distinct)), key=lambda place: self._text(int(distinct[place])), reverse=True
        )
        places = np.empty(len(distinct), np.int64)
        places[order] = np.arange(len(distinct))
        return places[inverse]

    def _key(self, left: int, right: int, first: int) -> Any:
        if self.rule == "first-seen":
            return first
        if self.rule in _BY_IDS:
            return self._place(left), self._place(right)
        if self.rule == "sentencepiece":
            facts = self._run.facts_at(max(left, right))
            length = int(facts[left, CHARACTERS]) + int(facts[right, CHARACTERS])
            return length, self._text(left) + self._text(right)
        return _Reversed(self._text(left)), _Reversed(self._text(right))

    def _place(self, token: int) -> int:
        return token if self._ids is None or token >= len(self._ids) else int(self._ids[token])

    def _placed(self, tokens: Int64Array) -> Int64Array:
        if self._ids is None or not len(self._ids):
            return tokens
        return np.where(
            tokens < len(self._ids), self._ids[np.minimum(tokens, len(self._ids) - 1)], tokens
        )


def text_under(run: Run, rule: str) -> Callable[[int], Any]:
    """A function that gives a token's text as a rule compares it: its name, or with byte units its
    bytes with marks.
    """
    config = run.config
    if config.units == "characters" or rule in _BY_NAMES:
        return run.token_name
    if config.continuing is None and config.word_end is None:
        return run.token_content
    prefix = (config.continuing or "").encode()
    mark = (config.word_end or "").encode()
    alphabet = run.alphabet

    def text(token: int) -> bytes:
        first = last = token
        while (rank := run.rank_of(first)) >= 0:
            first = int(run.columns.left[rank])
        while (rank := run.rank_of(last)) >= 0:
            last = int(run.columns.right[rank])
        before = b"" if alphabet.starts_word[first] else prefix
        return before + run.token_content(token) + (mark if alphabet.ends_word[last] else b"")

    return text


class _Reversed:
    """A value with the reverse order."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self.value == other.value)
