"""One round of the game "Guess the next pair": the choices at a step, and the verdict on a guess.

A round is made from the run alone, in two passes over the corpus, so make it in a worker thread. It
has no sentences and no score.
"""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.decision import Decision
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.candidates import Candidate
    from bpe_studio.engine.training.corpus_at_step import PairCounts

Pair = tuple[int, int]
N_CHOICES = 4
BANDS = ((0, 9), (9, 60), (60, 400))
"""One wrong choice is drawn from each of these ranges of the other candidates, from the best on: a
close one, and rarer ones that the shown words can rule out."""


class Verdict(enum.Enum):
    """The verdict on a guess: the merged pair, a pair that only the tie rule put behind it, or
    another one.
    """

    right = "right"
    tied = "tied"
    wrong = "wrong"


@dataclass(frozen=True)
class Choice:
    """An offered pair.

    Attributes:
        pair: the internal ids of its tokens.
        count: its count in the corpus.
    """

    pair: Pair
    count: int


@dataclass(frozen=True)
class GuessRound:
    """The question at a step.

    Attributes:
        run: the run.
        step: the number of merges that apply.
        decision: the pair that is merged next, and why.
        choices: up to `N_CHOICES` pairs, among them the right one; empty if nothing is merged.
        counts: every pair of the corpus and its count, sorted by pair.
    """

    run: Run
    step: int
    decision: Decision
    choices: tuple[Choice, ...]
    counts: PairCounts

    @property
    def right(self) -> Pair | None:
        """The pair that is merged; None for none."""
        winner = self.decision.winner
        return None if winner is None else (winner.left, winner.right)

    def count_of(self, pair: Pair) -> int:
        """The count of a pair in the corpus."""
        import numpy as np

        key = pair[0] << 32 | pair[1]
        pairs = self.counts.pairs
        place = int(np.searchsorted(pairs, key))
        if place == len(pairs) or int(pairs[place]) != key:
            return 0
        return int(self.counts.counts[place])

    def judge(self, pair: Pair) -> Verdict:
        """The verdict on a guess."""
        if pair == self.right:
            return Verdict.right
        return Verdict.tied if self._is_tied(pair) else Verdict.wrong

    def _is_tied(self, pair: Pair) -> bool:
        """Whether a pair has the winner's count, and could be merged, too."""
        from bpe_studio.engine.training.candidates import may_be_merged

        winner = self.decision.winner
        if winner is None or self.decision.by == "forced" or self.count_of(pair) != winner.count:
            return False
        return may_be_merged(self.run, pair, self.step)


def make_round(run: Run, step: int, seed: int) -> GuessRound:
    """The round at a step; slow on a large corpus, so call it in a worker thread.

    Args:
        run: the run; it may grow meanwhile.
        step: from 0 to the number of merges; the last asks about the merge that is trained next.
        seed: the seed of the choice of the other pairs and of their order.
    """
    import numpy as np

    from bpe_studio.engine.analysis.decision import decide
    from bpe_studio.engine.training.candidates import rank_candidates
    from bpe_studio.engine.training.corpus_at_step import PairCounter, PairCounts

    decision = decide(run, step)
    stage = run.at(step)
    found = PairCounter(stage.layout, stage.gaps, step).counts()
    order = np.argsort(found.pairs)
    counts = PairCounts(found.pairs[order], found.counts[order], found.firsts[order])
    winner = decision.winner
    if winner is None:
        return GuessRound(run, step, decision, (), counts)
    near = rank_candidates(run, step, BANDS[-1][1] + 1)
    return GuessRound(
        run, step, decision, _choices(winner, near, random.Random(f"{seed} {step}")), counts
    )


def _choices(winner: Candidate, near: list[Candidate], chance: random.Random) -> tuple[Choice, ...]:
    """The right pair among some of the best others, in random order."""
    right = Choice((winner.left, winner.right), winner.count)
    others = [Choice((each.left, each.right), each.count) for each in near]
    others = [each for each in others if each.pair != right.pair]
    drawn = [chance.choice(others[low:high]) for low, high in BANDS if others[low:high]]
    # If there are few candidates, the best others fill the choices.
    left = [each for each in others if each not in drawn]
    choices = [right, *drawn, *left][:N_CHOICES]
    chance.shuffle(choices)
    return tuple(choices)
