"""Sentences about a guess: the counts, the tie and its rule; and the guesses as answers for a file
of results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.explain.names import display_name, elided, isolated
from bpe_studio.explain.wording import number, times
from bpe_studio.files.lessons.results import Answer
from bpe_studio.workspace.game.rounds import Pair, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.game.guessing import Guess

SIGNS = {Verdict.right: "✓", Verdict.tied: "≈", Verdict.wrong: "✗"}
HEADINGS = {Verdict.right: "Right", Verdict.tied: "Half right", Verdict.wrong: "Not this one"}


def pair_name(run: Run, pair: Pair) -> str:
    """A pair as text; its tokens are isolated, because they may run in different directions."""
    return " + ".join(isolated(elided(display_name(run, token), 24)) for token in pair)


def verdict_text(guess: Guess) -> str:
    """The text about a guess: the counts, the tie and its rule."""
    asked = guess.round
    decision = guess.round.decision
    right = asked.right
    winner = decision.winner
    assert right is not None and winner is not None
    wins = f"{pair_name(guess.round.run, right)} is merged next: it occurs {times(winner.count)}"
    mine = f"yours, {pair_name(guess.round.run, guess.pair)}, occurs {times(guess.count)}"
    rule = f"the tie rule takes {TIE_RULES[decision.rule].words}"
    if decision.by == "forced":
        wins = f"{pair_name(guess.round.run, right)} is merged next because an override forces it"
        return f"{wins}." if guess.verdict is Verdict.right else f"{wins}; {mine}."
    tie = f"{number(decision.n_tied)} pairs occur equally often, and {rule}."
    if guess.verdict is Verdict.tied:
        return f"Equally frequent: both occur {times(winner.count)}. {tie}"
    if guess.verdict is Verdict.right:
        if decision.n_tied > 1:
            return f"{wins}. {tie}"
        after = decision.runner_up
        if after is None:
            return f"{wins}."
        return f"{wins}, {number(winner.count - after.count)} more than the next."
    if guess.count >= winner.count:
        return f"{wins}. {mine[:1].upper()}{mine[1:]}, but cannot be merged here."
    end = f" {tie}" if decision.n_tied > 1 else ""
    return f"{wins}; {mine}.{end}"


def answers_of(guesses: Sequence[Guess]) -> list[Answer]:
    """The guesses as answers for a file of results.

    There, a tie is wrong, although it gives points.
    """
    return [
        Answer(
            f"Which pair is merged after {number(guess.round.step)} merges?",
            pair_name(guess.round.run, guess.round.right or guess.pair),
            (pair_name(guess.round.run, guess.pair),),
            guess.verdict is Verdict.right,
        )
        for guess in guesses
    ]
