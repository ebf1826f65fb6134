"""Counts a token in the corpus at every step, and finds the tokens that absorbed it.

A token is created by one merge, wherever its two parts are next to each other, and never again.
Each occurrence lasts until the first merge that closes the gap before or after it: the smaller of
those two gap ranks. So the life of a token needs one search for the gaps that its merge closed, and
two gap ranks at each. Nothing is counted again or stored. `words_containing.py` finds the words of
these places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.kernels.buffers import LENGTH
from bpe_studio.errors import VocabularyError

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_ABSORBERS = 20


@dataclass(frozen=True)
class Absorber:
    """A token that absorbed occurrences of another.

    Attributes:
        token: its internal id.
        rank: the merge that made it.
        occurrences: the number that it absorbed, weighted by the pre-tokens' counts.
    """

    token: int
    rank: int
    occurrences: int


@dataclass(frozen=True)
class TokenLife:
    """The count of a token in the corpus at every step since it was created.

    Attributes:
        token: its internal id.
        steps: (k,) int64, strictly rising: the step at which it was created, then each step at
            which its count changed.
        counts: (k,) int64, how often it occurs in the corpus from that step on, weighted by the
            pre-tokens' counts.
        birth_count: the count of its pair when it was merged; for a symbol, how often it occurs in
            the text. More than `counts[0]` if pairs overlap: `aaa` contains `aa` twice and makes
            one token.
        absorbed_by: the tokens that absorbed most occurrences, the largest first, at most
            `MOST_ABSORBERS`.
        n_absorbers: the number of all tokens that absorbed any.
    """

    token: int
    steps: Int64Array
    counts: Int64Array
    birth_count: int
    absorbed_by: tuple[Absorber, ...]
    n_absorbers: int

    def count_at(self, step: int) -> int:
        """The count of the token in the corpus at a step; 0 before it was created."""
        place = int(np.searchsorted(self.steps, step, "right")) - 1
        return int(self.counts[place]) if place >= 0 else 0


@dataclass(frozen=True)
class Places:
    """All occurrences that a token has at any step in the distinct pre-tokens, from left to right.

    Attributes:
        starts: (p,) int64, its first symbol.
        ends: (p,) int64, the symbol after its last one; -1 in the layout at the end of the
            pre-token.
        end_ranks: (p,) int32, the rank of the merge that absorbed it; `NEVER`, or the rank of a
            merge that the caller does not know yet.
    """

    starts: Int64Array
    ends: Int64Array
    end_ranks: Int32Array

    def at(self, step: int) -> Places:
        """The occurrences at a step, which is not before it was created."""
        stands = self.end_ranks >= step
        return Places(self.starts[stands], self.ends[stands], self.end_ranks[stands])


def token_life(run: Run, token: int, n_merges: int | None = None) -> TokenLife:
    """The count of a token at every step, and the tokens that absorbed it.

    Args:
        run: the run.
        token: an internal id.
        n_merges: the last step; `None` for the end of the run.

    Raises:
        VocabularyError: the token does not exist at that step.
    """
    n_merges = len(run.columns) if n_merges is None else n_merges
    birth = birth_step(run, token, n_merges)
    stage = run.at(n_merges)
    if run.at(birth) is stage:
        return _life_in(stage, token, birth, n_merges)
    # A token of the first of two stages is counted anew in the second one.
    first = _life_in(run.at(birth), token, birth, run.n_first)
    second = _life_in(stage, token, birth, n_merges)
    is_first = first.steps < run.n_first
    is_later = second.steps > run.n_first
    step_now = np.array([run.n_first])
    count_now = np.array([second.count_at(run.n_first)])
    absorbers = [each for each in first.absorbed_by if each.rank < run.n_first]
    absorbers += [each for each in second.absorbed_by if each.rank >= run.n_first]
    absorbers.sort(key=lambda each: (-each.occurrences, each.rank))
    return TokenLife(
        token,
        np.concatenate([first.steps[is_first], step_now, second.steps[is_later]]),
        np.concatenate([first.counts[is_first], count_now, second.counts[is_later]]),
        first.birth_count,
        tuple(absorbers[:MOST_ABSORBERS]),
        int(np.count_nonzero(first.steps[1:] <= run.n_first)) + int(np.count_nonzero(is_later)),
    )


def _life_in(run: Run, token: int, birth: int, n_merges: int) -> TokenLife:
    """The life of a token in the text as one stage cuts it."""
    places = places_of(run, token)
    weights = run.layout.weights[run.layout.words_of(places.starts)]
    total = int(weights.sum())
    taken = places.end_ranks < n_merges
    lost = np.zeros(n_merges, np.int64)
    np.add.at(lost, places.end_ranks[taken], weights[taken])
    ranks = np.flatnonzero(lost)
    amounts = lost[ranks]
    largest = np.lexsort((ranks, -amounts))[:MOST_ABSORBERS]
    absorbers = zip(ranks[largest].tolist(), amounts[largest].tolist(), strict=True)
    birth_count = int(run.columns.count[birth - 1]) if birth else total
    return TokenLife(
        token,
        np.concatenate([np.array([birth], np.int64), ranks + 1]),
        total - np.concatenate([np.zeros(1, np.int64), np.cumsum(amounts)]),
        birth_count,
        tuple(Absorber(run.token_of(rank), rank, amount) for rank, amount in absorbers),
        len(ranks),
    )


def birth_step(run: Run, token: int, step: int) -> int:
    """The first step at which a token exists: 0 for a symbol of the alphabet.

    Raises:
        VocabularyError: it does not exist at `step`, or there is no such step.
    """
    run.check_step(step)
    if not 0 <= token < run.token_of(step):
        raise VocabularyError(
            f"There is no token {token} after {step:,} merges; go to a later step"
        )
    return run.rank_of(token) + 1


def places_of(run: Run, token: int) -> Places:
    """All occurrences that a token has at any step in the distinct pre-tokens, found in one pass
    over the corpus.
    """
    layout = run.layout
    gaps = run.gaps
    rank = run.rank_of(token)
    if rank < 0:
        starts = np.flatnonzero(layout.symbols == token)
        ends = starts + 1
    else:
        # The merge closed one gap in each place, and its two parts have the same lengths
        # everywhere.
        lengths = run.facts_at(token)[:, LENGTH]
        closed = np.flatnonzero(gaps == rank)
        starts = closed - lengths[run.columns.left[rank]]
        ends = closed + lengths[run.columns.right[rank]]
    # A separator has an open gap before it, and so has the first symbol of a pre-token.
    return Places(starts, ends, np.minimum(gaps[starts], gaps[ends]))
