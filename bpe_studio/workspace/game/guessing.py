"""The game "Guess the next pair": the current round, the hints, the score and the missed guesses.

It knows no widgets and no threads: the panel makes rounds (`rounds.py`) in the background, passes
them to `put`, and draws the values here.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.game.rounds import GuessRound, Pair, Verdict

N_ROUNDS = 10
POINTS = 10
HINT_POINTS = 2
"""The points for a right guess, and the points that a hint costs."""


@dataclass(frozen=True)
class Guess:
    """A guess.

    Attributes:
        round: its round.
        pair: the guessed pair.
        count: the count of the pair in the corpus.
        verdict: whether it is right.
        points: the points for it.
    """

    round: GuessRound
    pair: Pair
    count: int
    verdict: Verdict
    points: int


class Guessing(QObject):
    """A game of several rounds.

    Signals:
        changed: any value has changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.seed = 0
        self.n_rounds = N_ROUNDS
        self._round: GuessRound | None = None
        self._hints: dict[Pair, int] = {}
        self._guesses: list[Guess] = []
        self._is_judged = False
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Whether a game is in progress."""
        return self._is_on

    @property
    def round(self) -> GuessRound | None:
        """The current round; None while the next one is being made."""
        return self._round

    @property
    def guess(self) -> Guess | None:
        """The guess of the current round; None before the guess."""
        return self._guesses[-1] if self._is_judged else None

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """All guesses of the game."""
        return tuple(self._guesses)

    @property
    def missed(self) -> tuple[Guess, ...]:
        """The guesses that were not right."""
        return tuple(each for each in self._guesses if each.verdict is not Verdict.right)

    @property
    def hints(self) -> dict[Pair, int]:
        """The counts that were revealed in this round."""
        return dict(self._hints)

    @property
    def score(self) -> int:
        """The points of all rounds."""
        return sum(each.points for each in self._guesses)

    @property
    def streak(self) -> int:
        """The number of consecutive right guesses up to now.

        A tie neither adds to it nor ends it.
        """
        return self._streaks()[-1]

    @property
    def best_streak(self) -> int:
        """The longest streak of the game."""
        return max(self._streaks())

    @property
    def place(self) -> int:
        """The number of the current or next round, from 1."""
        number = len(self._guesses)
        if not self._is_judged:
            number += 1
        return min(self.n_rounds, number)

    @property
    def is_over(self) -> bool:
        """Whether all rounds are finished, or the run has no merge left to guess."""
        if not self._is_on:
            return False
        is_at_end = self._round is not None and self._round.right is None
        return is_at_end or (len(self._guesses) >= self.n_rounds and not self._is_judged)

    @property
    def worth(self) -> int:
        """The points for the right guess now, less those spent on hints."""
        return max(0, POINTS - HINT_POINTS * len(self._hints))

    def start(self, n_rounds: int = N_ROUNDS, seed: int | None = None) -> None:
        """Start a new game.

        Args:
            n_rounds: the number of rounds.
            seed: the seed of the choices; None for a random one.
        """
        self.n_rounds = max(1, n_rounds)
        self.seed = random.randrange(2**31) if seed is None else seed
        self._guesses = []
        self._hints = {}
        self._round = None
        self._is_judged = False
        self._is_on = True
        self.changed.emit()

    def leave(self) -> None:
        """End the game; its score is kept until the next one."""
        if self._is_on:
            self._is_on = False
            self._round = None
            self._is_judged = False
            self.changed.emit()

    def put(self, asked: GuessRound) -> None:
        """Set the current round; an unanswered round is replaced, unless it is the same."""
        before = self._round
        if not self._is_on or (
            before is not None and (before.run, before.step) == (asked.run, asked.step)
        ):
            return
        self._round = asked
        self._hints = {}
        self._is_judged = False
        self.changed.emit()

    def take_hint(self, pair: Pair) -> None:
        """Reveal the count of a pair, for some points."""
        if self._round is not None and not self._is_judged and pair not in self._hints:
            self._hints[pair] = self._round.count_of(pair)
            self.changed.emit()

    def make_guess(self, pair: Pair) -> Guess | None:
        """Make a guess; None if there is no round, or it has a guess already."""
        asked = self._round
        if (
            asked is None
            or asked.right is None
            or self._is_judged
            or len(self._guesses) >= self.n_rounds
        ):
            return None
        verdict = asked.judge(pair)
        points_for = {Verdict.right: self.worth, Verdict.tied: self.worth // 2, Verdict.wrong: 0}
        guess = Guess(asked, pair, asked.count_of(pair), verdict, points_for[verdict])
        self._guesses.append(guess)
        self._is_judged = True
        self.changed.emit()
        return guess

    def go_on(self) -> None:
        """End the current round after its guess; make the next one, unless it was the last."""
        if self._is_judged:
            self._round = None
            self._hints = {}
            self._is_judged = False
            self.changed.emit()

    def drop_round(self) -> None:
        """Drop the current round without a guess, because another step or run is shown."""
        if self._round is not None:
            self._round = None
            self._hints = {}
            self._is_judged = False
            self.changed.emit()

    def _streaks(self) -> list[int]:
        """The streak after each guess, with 0 before the first."""
        rows = [0]
        for each in self._guesses:
            if each.verdict is Verdict.right:
                rows.append(rows[-1] + 1)
            elif each.verdict is Verdict.wrong:
                rows.append(0)
            else:
                rows.append(rows[-1])
        return rows
