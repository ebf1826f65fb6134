"""Explains the choice of the merge at a step: the winner, its margin, ties, and the choices of
other tie rules.

Training keeps nothing for this: the pairs are counted again from the gap ranks, in one pass over
the corpus, at any step from the first to the next one to be trained. `explain/why` puts the result
into words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from bpe_studio.engine.analysis.words_containing import words_with_pair
from bpe_studio.engine.run import Run
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.engine.training.candidates import (
    Candidate,
    chosen_pair,
    is_new,
    left_out,
    most_frequent,
)
from bpe_studio.engine.training.corpus_at_step import PairCounter
from bpe_studio.engine.training.tie_order import TieOrder

N_TIED = 50
"""The most pairs with the highest count that are listed."""

_LOW = 0xFFFFFFFF


@dataclass(frozen=True)
class LeftOut:
    """A better pair that the user skipped or forbade.

    Attributes:
        left: internal id of the left token.
        right: internal id of the right token.
        how: "skip" (at this step only) or "forbid".
        count: how often it occurs in the corpus.
    """

    left: int
    right: int
    how: str
    count: int


@dataclass(frozen=True)
class Decision:
    """The choice of the merge at a step.

    Attributes:
        step: how many merges apply; the decision is about the merge with this rank.
        winner: the pair that is merged next; `None` for none.
        runner_up: the best pair, by the tie rule, that occurs fewer times than the winner; if the
            winner was forced, the best other pair, whatever its count. `None` for none.
        margin: the count of the winner less that of the runner-up; may be negative if it was
            forced.
        tied: the pairs with the highest count, in the order of the tie rule; the first `N_TIED` of
            them.
        n_tied: the number of all of them.
        rule: the tie rule at this step.
        by: what decided: the "count" alone, the rule in a "tie", the user ("forced"), or "nothing":
            no pair is left that occurs often enough.
        left_out: skipped and forbidden pairs that would have come first, most frequent first.
        choices: for each tie rule, the pair that it chooses from the same counts; a rule that
            chooses none is missing.
    """

    step: int
    winner: Candidate | None
    runner_up: Candidate | None
    margin: int | None
    tied: tuple[Candidate, ...]
    n_tied: int
    rule: str
    by: Literal["count", "tie", "forced", "nothing"]
    left_out: tuple[LeftOut, ...]
    choices: Mapping[str, Candidate]


def decide(run: Run, step: int) -> Decision:
    """The choice of the merge at a step; one pass over the corpus, so call it in a worker thread.

    Args:
        run: the run; it may grow meanwhile.
        step: from 0 to the number of merges, which asks about the merge that is trained next.

    Raises:
        VocabularyError: there is no such step.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> run = train(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12}, TrainingConfig.preset("textbook", merges=2)))
    >>> why = decide(run, 0)
    >>> why.by, why.winner.count, why.margin, why.choices["sentencepiece"].count
    ('count', 17, 2, 17)
    """  # noqa: E501
    run.check_step(step)
    run = run.at(step)
    top = _Top(run, step)
    rule = run.plan.ties_at(step)
    choices = {name: pair for name in TIES if (pair := top.choice(name)) is not None}
    best = choices.get(rule)
    tied, n_tied = top.tied(rule)
    winner, is_forced = _winner(run, step, best)
    by: Literal["count", "tie", "forced", "nothing"]
    if is_forced:
        by = "forced"
        runner_up = best
        if best is not None and winner is not None and _same(best, winner):
            runner_up = top.below(rule, best.count)
        if runner_up is None and n_tied > 1:
            runner_up = next(
                (pair for pair in tied if winner is None or not _same(pair, winner)), None
            )
    else:
        by = "count" if n_tied == 1 else "tie"
        runner_up = None
        if winner is None:
            by = "nothing"
        else:
            runner_up = top.below(rule, winner.count)
    if winner is not None:
        tied = tuple(replace(pair, is_winner=_same(pair, winner)) for pair in tied)
        choices = {
            name: replace(pair, is_winner=_same(pair, winner)) for name, pair in choices.items()
        }
        runner_up = None if runner_up is None else replace(runner_up, is_winner=False)
    margin = None
    if winner is not None and runner_up is not None:
        margin = winner.count - runner_up.count
    return Decision(
        step=step,
        winner=winner,
        runner_up=runner_up,
        margin=margin,
        tied=tied,
        n_tied=n_tied,
        rule=rule,
        by=by,
        left_out=top.left_out(rule, best),
        choices=MappingProxyType(choices),
    )


class _Top:
    """The most frequent pairs of one step, and their order under each tie rule.

    Attributes:
        groups: (count, places in `found`) of the pairs that may be merged, by falling count; as
            many as were needed.
    """

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self._step = step
        self._counter = PairCounter(run.layout, run.gaps, step)
        self._orders: dict[str, TieOrder] = {}
        self._n = 0
        # The log of the merge has the number of tied pairs; the runner-up is needed as well.
        n = int(run.columns.tied[step]) + 1 if step < len(run.columns) else N_TIED
        self._find_most_frequent(n)

    def choice(self, rule: str) -> Candidate | None:
        """The pair that a rule chooses; `None` if no allowed pair is frequent enough."""
        at = self._find(rule)
        return None if at is None else self._candidate(at[0], at[1][0])

    def tied(self, rule: str) -> tuple[tuple[Candidate, ...], int]:
        """The pairs with the count of the one that a rule chooses, in the rule's order, and their
        number.
        """
        at = self._find(rule)
        if at is None:
            return (), 0
        level, ordered, n_passed = at
        n_tied = len(self.groups[level][1]) - n_passed
        return tuple(self._candidate(level, place, n_tied) for place in ordered[:N_TIED]), n_tied

    def below(self, rule: str, count: int) -> Candidate | None:
        """The best pair by a rule that occurs fewer than `count` times."""
        while True:
            for level, (other, _) in enumerate(self.groups):
                if other >= count:
                    continue
                ordered, _ = self._ordered(level, rule)
                if ordered:
                    return self._candidate(level, ordered[0])
            if not self._find_more():
                return None

    def left_out(self, rule: str, best: Candidate | None) -> tuple[LeftOut, ...]:
        """The skipped and forbidden pairs that a rule would have preferred to the one that it
        chooses.
        """
        found = self._found
        run = self._run
        least = max(1, run.config.min_frequency) if best is None else best.count
        out = []
        for (left, right), how in left_out(run, self._step).items():
            at = np.flatnonzero(found.pairs == (left << 32 | right))
            if not len(at):
                continue
            count = int(found.counts[at[0]])
            if count < least:
                continue
            if best is not None and count == best.count:
                both = np.append(at, np.flatnonzero(found.pairs == (best.left << 32 | best.right)))
                if self._order(rule).best(found.pairs[both], found.firsts[both], 1) != [0]:
                    continue
            out.append(LeftOut(left, right, how, count))
        return tuple(sorted(out, key=lambda pair: -pair.count))

    def _find_most_frequent(self, n: int) -> None:
        """Find the n most frequent pairs, and all others with the count of the last of them."""
        self._found, near = most_frequent(self._run, self._counter, self._step, n)
        counts = self._found.counts[near]
        self._has_more = len(near) >= n
        self._n = max(n, len(near))
        levels = np.unique(counts)[::-1].tolist()
        self.groups = [(count, near[counts == count]) for count in levels]
        self._known: dict[tuple[int, str], tuple[list[int], int]] = {}

    def _find_more(self) -> bool:
        """Find less frequent pairs; returns whether there may be any."""
        n_before = self._n
        if not self._has_more:
            return False
        self._find_most_frequent(n_before + 2)
        return self._n > n_before or self._has_more

    def _find(self, rule: str) -> tuple[int, list[int], int] | None:
        """The group from which a rule chooses, its order from the chosen pair on, and the number of
        pairs that it skipped.
        """
        least = max(1, self._run.config.min_frequency)
        level = 0
        while True:
            while level < len(self.groups):
                if self.groups[level][0] < least:
                    return None
                ordered, n_passed = self._ordered(level, rule)
                if ordered:
                    return level, ordered, n_passed
                level += 1
            if not self._find_more():
                return None

    def _ordered(self, level: int, rule: str) -> tuple[list[int], int]:
        """The first pairs of a group in a rule's order, without leading pairs that cannot be
        merged.
        """
        if (level, rule) not in self._known:
            self._known[level, rule] = self._put_in_order(level, rule)
        return self._known[level, rule]

    def _put_in_order(self, level: int, rule: str) -> tuple[list[int], int]:
        places = self.groups[level][1]
        found = self._found
        n = N_TIED
        while True:
            order = self._order(rule).best(found.pairs[places], found.firsts[places], n)
            best = places[order].tolist()
            n_passed = 0
            while n_passed < len(best) and not self._is_new(best[n_passed]):
                n_passed += 1
            if n_passed < len(best) or len(best) == len(places):
                return best[n_passed:], n_passed
            n *= 8

    def _is_new(self, place: int) -> bool:
        return is_new(self._run, self._ids(place), self._step)

    def _ids(self, place: int) -> tuple[int, int]:
        pair = int(self._found.pairs[place])
        return pair >> 32, pair & _LOW

    def _candidate(self, level: int, place: int, n_tied: int | None = None) -> Candidate:
        count, places = self.groups[level]
        if n_tied is None:
            n_tied = len(places)
        return Candidate(*self._ids(place), count, n_tied, False)

    def _order(self, rule: str) -> TieOrder:
        if rule not in self._orders:
            self._orders[rule] = TieOrder(self._run, rule)
        return self._orders[rule]


def _winner(run: Run, step: int, best: Candidate | None) -> tuple[Candidate | None, bool]:
    """The pair that the run takes, or took, at a step; and whether it was forced."""
    columns = run.columns
    if step < len(columns):
        left = int(columns.left[step])
        right = int(columns.right[step])
        count = int(columns.count[step])
        tied = int(columns.tied[step])
        return Candidate(left, right, count, tied, True), bool(columns.forced[step])
    if run.plan.forced_at(step) is None:
        if best is None:
            return None, False
        return replace(best, is_winner=True), False
    _, pair = chosen_pair(run, step)
    if pair is None:
        return None, True
    return Candidate(*pair, words_with_pair(run, *pair, step, 0).total, 1, True), True


def _same(one: Candidate, other: Candidate) -> bool:
    return (one.left, one.right) == (other.left, other.right)
