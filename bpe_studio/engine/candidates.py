"""The pairs that stand to be merged next at any step, counted from the corpus as it stood.

It needs nothing that training left behind but the gap ranks; `states.py` counts, and here they are ranked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.layout import Int64Array
from bpe_studio.engine.scripts import script_of
from bpe_studio.engine.states import PairCounter, PairCounts
from bpe_studio.engine.training_state import MAX_PIECE_CHARACTERS

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

Pair = tuple[int, int]
_LOW = 0xFFFFFFFF
_MIXED = -1


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


def rank_candidates(run: Run, step: int, n: int) -> list[Candidate]:
    """The best `n` pairs at a step, as the run's tie rule ranks them.

    The pair that the run took there, or is forced to take, is among them even where it is not so good.

    Args:
        run: the run.
        step: how many merges apply.
        n: how many to give.
    """
    counter = PairCounter(run.layout, run.gaps, step)
    found, near = _most_frequent(run, counter, step, n)
    values, how_many = np.unique(found.counts[near], return_counts=True)
    tied = dict(zip(values.tolist(), how_many.tolist(), strict=True))
    near = _without_ties_behind(run, found, near, n)
    rows = list(zip(*(column[near].tolist() for column in (found.pairs, found.counts, found.firsts)), strict=True))
    rule = _tie_key(run)
    rows.sort(key=lambda row: (-row[1], rule(row[0] >> 32, row[0] & _LOW, row[2])))
    top = [((key >> 32, key & _LOW), count) for key, count, _ in rows[:n]]
    is_chosen, winner = _chosen(run, step)
    if not is_chosen:
        least = max(1, run.config.min_frequency)
        winner = next((pair for pair, count in top if count >= least and _is_new(run, pair, step)), None)
    elif winner is not None and all(pair != winner for pair, _ in top):
        # A forced merge need not be among the best, or occur at all.
        found = counter.counts()
        count = int(found.counts[found.pairs == (winner[0] << 32 | winner[1])].sum())
        top = [*top[: n - 1], (winner, count)]
        if count not in tied:
            same = np.flatnonzero(found.counts == count)
            tied[count] = max(1, int(np.count_nonzero(_allowed(run, found.pairs[same]))))
    return [Candidate(*pair, count, tied[count], pair == winner) for pair, count in top]


def _chosen(run: Run, step: int) -> tuple[bool, Pair | None]:
    """Whether counts do not decide at a step, and the pair that the run took or is forced to take.

    A forced pair has no tokens yet where the merge that makes one of them was left out.
    """
    if step < len(run.merges):
        return True, (int(run.columns.left[step]), int(run.columns.right[step]))
    if step >= len(run.config.force):
        return False, None
    left, right = (run.find_token(name) for name in run.config.force[step])
    return True, None if left is None or right is None else (left, right)


def _most_frequent(
    run: Run, counter: PairCounter, step: int, n: int
) -> tuple[PairCounts, npt.NDArray[np.intp]]:  # fmt: skip
    """Pairs, and which of them are allowed and as frequent as the n-th best, or more."""
    least = _likely_count(run, step, n)
    while True:
        found = counter.counts(least)
        near = _best(run, found, n)
        if least <= 1 or len(near) >= n:
            return found, near
        least = least * 3 // 4


def _likely_count(run: Run, step: int, n: int) -> int:
    """How often the n-th best pair occurs at a step, or somewhat less; a guess, but where n merges are known.

    A pair that was merged later, of tokens that were there already, occurred at least as often before.
    """
    columns, end = run.columns, run.n_alphabet + step
    # A run that goes on meanwhile may add to one column before the others are read.
    later = slice(step, len(columns))
    counts = columns.count[later][(columns.left[later] < end) & (columns.right[later] < end)]
    if len(counts) >= n:
        return int(np.partition(counts, len(counts) - n)[len(counts) - n])
    return int(columns.count[-1]) * 15 // 16 if len(columns) else 0


def _best(run: Run, found: PairCounts, n: int) -> npt.NDArray[np.intp]:
    """Which of the allowed pairs are as frequent as the n-th of them, or more."""
    counts, wanted = found.counts, n
    while True:
        if wanted < len(counts):
            near = np.flatnonzero(counts >= np.partition(counts, len(counts) - wanted)[len(counts) - wanted])
        else:
            near = np.arange(len(counts))
        allowed = near[_allowed(run, found.pairs[near])]
        if len(allowed) >= n or len(near) == len(counts):
            return allowed
        wanted *= 8


def _allowed(run: Run, pairs: Int64Array) -> npt.NDArray[np.bool_]:
    """Which pairs the options let merge."""
    config = run.config
    allowed = np.ones(len(pairs), bool)
    for names in config.forbid:
        left, right = (run.find_token(name) for name in names)
        if left is not None and right is not None:
            allowed &= pairs != (left << 32 | right)
    if config.split == "sentencepiece":
        lengths, scripts = _pieces(run, pairs)
        allowed &= lengths.sum(axis=0) <= MAX_PIECE_CHARACTERS
        allowed &= (scripts != _MIXED).all(axis=0) & ((scripts == 0).any(axis=0) | (scripts[0] == scripts[1]))
    return allowed


def _pieces(run: Run, pairs: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(2, p) the characters of the left and right tokens of pairs; (2, p) their scripts, 0: none, `_MIXED`: several."""
    tokens, inverse = np.unique(np.stack([pairs >> 32, pairs & _LOW]), return_inverse=True)
    names = [run.token_name(token) for token in tokens.tolist()]
    found = [{script for char in name if char != "▁" and (script := script_of(char))} for name in names]
    lengths = np.array([len(name) for name in names], np.int64)
    scripts = np.array([0 if not s else s.pop() if len(s) == 1 else _MIXED for s in found], np.int64)
    inverse = inverse.reshape(2, len(pairs))
    return lengths[inverse], scripts[inverse]


def _without_ties_behind(
    run: Run, found: PairCounts, near: npt.NDArray[np.intp], n: int
) -> npt.NDArray[np.intp]:  # fmt: skip
    """Leave out pairs that cannot be among the best n: late in a run hundreds of thousands occur once."""
    if len(near) <= 4 * n:
        return near
    counts = found.counts[near]
    last = near[counts == counts.min()]
    wanted = n - (len(near) - len(last))
    pairs, rule = found.pairs[last], run.config.ties
    keys: Any
    if rule == "first-seen":
        keys = found.firsts[last]
    elif rule in ("huggingface", "raw-ids"):
        keys = pairs
    elif rule == "sentencepiece":
        lengths, _ = _pieces(run, pairs)
        keys = lengths.sum(axis=0)
    else:
        lefts, inverse = np.unique(pairs >> 32, return_inverse=True)
        text = _text(run)
        order = sorted(range(len(lefts)), key=lambda place: text(int(lefts[place])), reverse=True)
        places = np.empty(len(lefts), np.int64)
        places[order] = np.arange(len(lefts))
        keys = places[inverse]
    return np.concatenate([near[counts > counts.min()], last[keys <= np.partition(keys, wanted - 1)[wanted - 1]]])


def _is_new(run: Run, pair: Pair, step: int) -> bool:
    """Whether no token has the text of the one that a pair would make; such a pair is passed over."""
    name = run.token_name(pair[0]) + run.token_name(pair[1])[len(run.config.continuing or "") :]
    known = run.find_token(name)
    return (known is None or known >= run.n_alphabet + step) and name not in run.config.all_special


def _text(run: Run) -> Callable[[int], Any]:
    """A token's text as rules that go by texts compare it."""
    return run.token_content if run.config.ties == "greatest-bytes" and run.config.units == "bytes" else run.token_name


def _tie_key(run: Run) -> Callable[[int, int, int], Any]:
    """What sorts pairs of equal count, best first: (left, right, first place in the text) to a key."""
    rule = run.config.ties
    if rule == "first-seen":
        return lambda left, right, first: first
    if rule in ("huggingface", "raw-ids"):
        return lambda left, right, first: (left, right)
    text = _text(run)
    if rule == "sentencepiece":
        return lambda left, right, first: (len(text(left) + text(right)), text(left) + text(right))
    return lambda left, right, first: (_Reversed(text(left)), _Reversed(text(right)))


class _Reversed:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self.value == other.value)
