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
from bpe_studio.engine.kernels.buffers import (
    CHARACTERS,
    FIRST_SEEN,
    SHORTEST_TEXT,
    SMALLEST_IDS,
)
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.alphabet import reorder_alphabet
from bpe_studio.engine.tie_rules import TIE_RULES, Compared

_LOW = 0xFFFFFFFF


class TieOrder:
    """The order of one rule among pairs of equal count.

    Args:
        run: the run that has the tokens.
        rule: the name of a tie rule.
    """

    def __init__(self, run: Run, rule: str) -> None:
        self._run = run
        self._rule = TIE_RULES[rule]
        self._text = text_under(run, rule)
        self._ids: Int64Array | None = None
        if self._rule.number == SMALLEST_IDS and rule != run.config.ties:
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
        both = list(zip((pairs[near] >> 32).tolist(), (pairs[near] & _LOW).tolist(), strict=True))
        first_places = dict(zip(both, firsts[near].tolist(), strict=True))
        places = dict(zip(both, near.tolist(), strict=True))
        # Made anew: kept in this object, it would keep an unused run from being freed at once.
        compared = Compared(
            self._place,
            self._text,
            lambda token: int(self._run.facts_at(token)[token, CHARACTERS]),
            lambda left, right: first_places[left, right],
        )
        ordered = sorted(both, key=lambda pair: self._rule.key(compared, *pair))
        return [places[pair] for pair in ordered[:n]]

    def _rough(self, pairs: Int64Array, firsts: Int64Array) -> Int64Array:
        """Keys that never contradict the order of the rule, but may be equal for different
        pairs.
        """
        if self._rule.number == FIRST_SEEN:
            return firsts
        lefts = pairs >> 32
        rights = pairs & _LOW
        if self._rule.number == SMALLEST_IDS:
            return self._placed(lefts) << 32 | self._placed(rights)
        if self._rule.number == SHORTEST_TEXT:
            facts = self._run.facts_at(int(max(lefts.max(), rights.max())))
            lengths = facts[:, CHARACTERS].astype(np.int64)
            return np.asarray(lengths[lefts] + lengths[rights])
        distinct, inverse = np.unique(lefts, return_inverse=True)
        order = sorted(
            range(len(distinct)),
            key=lambda place: self._text(int(distinct[place])),
            reverse=True,
        )
        places = np.empty(len(distinct), np.int64)
        places[order] = np.arange(len(distinct))
        return places[inverse]

    def _place(self, token: int) -> int:
        if self._ids is None or token >= len(self._ids):
            return token
        return int(self._ids[token])

    def _placed(self, tokens: Int64Array) -> Int64Array:
        if self._ids is None or not len(self._ids):
            return tokens
        ids = self._ids[np.minimum(tokens, len(self._ids) - 1)]
        return np.where(tokens < len(self._ids), ids, tokens)


def text_under(run: Run, rule: str) -> Callable[[int], Any]:
    """A function that gives a token's text as a rule compares it: its name, or with byte units its
    bytes with marks.
    """
    config = run.config
    if config.units != "bytes" or TIE_RULES[rule].compares_names:
        return run.token_name
    if config.continuing is None and config.word_end is None:
        return run.token_content
    prefix = (config.continuing or "").encode()
    mark = (config.word_end or "").encode()
    alphabet = run.alphabet

    def text(token: int) -> bytes:
        first = token
        last = token
        while (rank := run.rank_of(first)) >= 0:
            first = int(run.columns.left[rank])
        while (rank := run.rank_of(last)) >= 0:
            last = int(run.columns.right[rank])
        before = b"" if alphabet.starts_word[first] else prefix
        after = mark if alphabet.ends_word[last] else b""
        return before + run.token_content(token) + after

    return text
