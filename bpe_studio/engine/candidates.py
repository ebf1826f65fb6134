"""The pairs that stand to be merged next at any step, counted from the corpus as it stood.

One pass over the tokens at that step; it needs nothing that training left behind but the gap ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.scripts import script_of
from bpe_studio.engine.training_state import MAX_PIECE_CHARACTERS

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


@dataclass(frozen=True)
class Candidate:
    """A pair that could be merged next.

    Attributes:
        left: internal id of the left token.
        right: internal id of the right token.
        count: occurrences in the corpus at the step, weighted by the pre-tokens' counts.
        tied: how many pairs have this count.
        is_winner: whether the merge after this step takes, or took, this pair.
    """

    left: int
    right: int
    count: int
    tied: int
    is_winner: bool


def rank_candidates(run: Run, step: int, n: int, chosen: tuple[int, int] | None) -> list[Candidate]:
    """The best `n` pairs at a step, as the run's tie rule ranks them.

    Args:
        run: the run.
        step: how many merges apply.
        n: how many to give.
        chosen: the pair that the run did take at this step, where it went on.
    """
    tokens = run.tokens_at(step)
    ids = tokens.ids.astype(np.int64)
    neighbours = tokens.words[1:] == tokens.words[:-1]
    keys = (ids[:-1] << 32 | ids[1:])[neighbours]
    weights = run.layout.weights[tokens.words[:-1][neighbours]]
    pairs, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, inverse, weights)
    allowed = np.array([_may_merge(run, int(key) >> 32, int(key) & 0xFFFFFFFF) for key in _suspects(run, pairs)], bool)
    if len(allowed):
        pairs, first, counts = pairs[allowed], first[allowed], counts[allowed]
    found = dict(zip(pairs.tolist(), counts.tolist(), strict=True)) if chosen is not None else {}
    if len(counts) > n:
        least = np.partition(counts, len(counts) - n)[len(counts) - n]
        near = counts >= least
    else:
        near = np.ones(len(counts), bool)
    rows = list(zip(pairs[near].tolist(), counts[near].tolist(), first[near].tolist(), strict=True))
    rule = _tie_key(run)
    rows.sort(key=lambda row: (-row[1], rule(row[0] >> 32, row[0] & 0xFFFFFFFF, row[2])))
    winner = chosen
    least_count = max(1, run.config.min_frequency)
    if winner is None and rows and rows[0][1] >= least_count:
        winner = rows[0][0] >> 32, rows[0][0] & 0xFFFFFFFF
    values, how_many = np.unique(counts, return_counts=True)
    tied = dict(zip(values.tolist(), how_many.tolist(), strict=True))
    top = [(key >> 32, key & 0xFFFFFFFF, count) for key, count, _ in rows[:n]]
    if chosen is not None and all((left, right) != chosen for left, right, _ in top):
        # A forced merge need not be among the best, or occur at all.
        count = found.get(chosen[0] << 32 | chosen[1], 0)
        top = [*top[: n - 1], (*chosen, count)]
    return [Candidate(left, right, count, tied.get(count, 1), (left, right) == winner) for left, right, count in top]


def _suspects(run: Run, pairs: Any) -> list[int]:
    """The pairs to ask `_may_merge` about: all of them where the options forbid any, else none."""
    return pairs.tolist() if run.config.forbid or run.config.split == "sentencepiece" else []


def _may_merge(run: Run, left: int, right: int) -> bool:
    names = run.token_name(left), run.token_name(right)
    if names in run.config.forbid:
        return False
    if run.config.split != "sentencepiece":
        return True
    piece = names[0] + names[1]
    if len(piece) > MAX_PIECE_CHARACTERS:
        return False
    scripts = [s for s in map(script_of, piece.removeprefix("▁")) if s]
    return len(set(scripts)) < 2


def _tie_key(run: Run) -> Callable[[int, int, int], Any]:
    """What sorts pairs of equal count, best first: (left, right, first place in the text) to a key."""
    name, content = run.token_name, run.token_content
    rule = run.config.ties
    if rule == "first-seen":
        return lambda left, right, first: first
    if rule in ("huggingface", "raw-ids"):
        return lambda left, right, first: (left, right)
    if rule == "greatest-bytes" and run.config.units == "bytes":
        return lambda left, right, first: (_Reversed(content(left)), _Reversed(content(right)))
    if rule in ("greatest-bytes", "subword-nmt"):
        return lambda left, right, first: (_Reversed(name(left)), _Reversed(name(right)))
    return lambda left, right, first: (len(name(left) + name(right)), name(left) + name(right))


class _Reversed:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self.value == other.value)
