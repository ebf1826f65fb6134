"""The game "Guess the next pair": which round is on, the hints that were taken, the score and what was missed.

It knows no widget and no thread: who shows the game has rounds made (`rounds.py`), puts them here and draws what
stands here.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.game.rounds import GuessRound, Pair, Verdict

CHOICES, WORDS = "choices", "words"
"""The two ways to guess: one of four pairs, or any two neighbouring tokens in the words."""
POINTS = {CHOICES: 10, WORDS: 20}
HINT_POINTS = 2


@dataclass(frozen=True)
class Guess:
    """A guess that was made.

    Attributes:
        round: the round that it was made in.
        pair: the pair that was guessed.
        count: how often it occurs in the corpus.
        verdict: what it is.
        points: what it brought.
    """

    round: GuessRound
    pair: Pair
    count: int
    verdict: Verdict
    points: int


class Guessing(QObject):
    """A game of so many rounds.

    Signals:
        changed: anything of it.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.seed = 0
        self.n_rounds = 0
        self._mode = CHOICES
        self._round: GuessRound | None = None
        self._hints: dict[Pair, int] = {}
        self._guesses: list[Guess] = []
        self._is_judged = self._is_on = False

    @property
    def is_on(self) -> bool:
        """Whether a game was begun and not left."""
        return self._is_on

    @property
    def mode(self) -> str:
        """How guesses are made: CHOICES or WORDS."""
        return self._mode

    @property
    def round(self) -> GuessRound | None:
        """The round that is on; None while the next one is being made."""
        return self._round

    @property
    def guess(self) -> Guess | None:
        """The guess of the round that is on, once it was made."""
        return self._guesses[-1] if self._is_judged else None

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """Every guess of the game."""
        return tuple(self._guesses)

    @property
    def missed(self) -> tuple[Guess, ...]:
        """The guesses that were not right."""
        return tuple(each for each in self._guesses if each.verdict is not Verdict.right)

    @property
    def hints(self) -> dict[Pair, int]:
        """The counts that were asked for in this round."""
        return dict(self._hints)

    @property
    def score(self) -> int:
        """The points of all rounds."""
        return sum(each.points for each in self._guesses)

    @property
    def streak(self) -> int:
        """How many guesses were right, one after another, up to now; a tie neither adds nor ends."""
        return self._streaks()[-1]

    @property
    def best_streak(self) -> int:
        """The longest such row of the game."""
        return max(self._streaks())

    @property
    def place(self) -> int:
        """The number of the round that is on, or is being made, from 1 on."""
        return min(self.n_rounds, len(self._guesses) + (not self._is_judged))

    @property
    def is_over(self) -> bool:
        """Whether every round was played and looked at, or the run has nothing left to guess."""
        if not self._is_on:
            return False
        is_at_end = self._round is not None and self._round.right is None
        return is_at_end or (len(self._guesses) >= self.n_rounds and not self._is_judged)

    @property
    def worth(self) -> int:
        """What the right guess would bring now, less the hints that were taken."""
        return max(0, POINTS[self._mode] - HINT_POINTS * len(self._hints))

    def start(self, n_rounds: int, seed: int | None = None) -> None:
        """Begin a game anew.

        Args:
            n_rounds: how many guesses it has.
            seed: what the choices are drawn by; by chance without one.
        """
        self.n_rounds = max(1, n_rounds)
        self.seed = random.randrange(2**31) if seed is None else seed
        self._guesses, self._hints = [], {}
        self._round, self._is_judged, self._is_on = None, False, True
        self.changed.emit()

    def leave(self) -> None:
        """End the game, wherever it is; its score is kept until the next one."""
        if self._is_on:
            self._is_on, self._round, self._is_judged = False, None, False
            self.changed.emit()

    def set_mode(self, mode: str) -> None:
        """Guess in the other way from now on; hints stay paid for."""
        if mode in POINTS and mode != self._mode:
            self._mode = mode
            self.changed.emit()

    def set_length(self, n_rounds: int) -> None:
        """Make the game shorter or longer; guesses that were made stay."""
        n_rounds = max(1, n_rounds)
        if n_rounds != self.n_rounds:
            self.n_rounds = n_rounds
            self.changed.emit()

    def put(self, asked: GuessRound) -> None:
        """Ask; a question that was not answered yet is put aside for this one, unless it is the same."""
        before = self._round
        if not self._is_on or (before is not None and (before.run, before.step) == (asked.run, asked.step)):
            return
        self._round, self._hints, self._is_judged = asked, {}, False
        self.changed.emit()

    def take_hint(self, pair: Pair) -> None:
        """Tell how often a pair stands, for some points."""
        if self._round is not None and not self._is_judged and pair not in self._hints:
            self._hints[pair] = self._round.count_of(pair)
            self.changed.emit()

    def make_guess(self, pair: Pair) -> Guess | None:
        """Guess; None where nothing is asked, or the guess was made."""
        asked = self._round
        if asked is None or asked.right is None or self._is_judged or len(self._guesses) >= self.n_rounds:
            return None
        verdict = asked.judge(pair)
        points = {Verdict.right: self.worth, Verdict.tied: self.worth // 2, Verdict.wrong: 0}[verdict]
        guess = Guess(asked, pair, asked.count_of(pair), verdict, points)
        self._guesses.append(guess)
        self._is_judged = True
        self.changed.emit()
        return guess

    def go_on(self) -> None:
        """Put the round that was judged aside; the next one is to be made, unless it was the last."""
        if self._is_judged:
            self._round, self._hints, self._is_judged = None, {}, False
            self.changed.emit()

    def drop_round(self) -> None:
        """Put the round aside without a guess, as where another step or run is shown."""
        if self._round is not None:
            self._round, self._hints, self._is_judged = None, {}, False
            self.changed.emit()

    def _streaks(self) -> list[int]:
        """How long the row of right guesses was after each guess, 0 before the first."""
        rows = [0]
        for each in self._guesses:
            if each.verdict is Verdict.right:
                rows.append(rows[-1] + 1)
            elif each.verdict is Verdict.wrong:
                rows.append(0)
            else:
                rows.append(rows[-1])
        return rows
