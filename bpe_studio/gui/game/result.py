"""The result of a game: the score, the wrong guesses, and buttons to play again or leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bpe_studio.explain.why.answers import Names
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.tables.model import Column, Index, TableModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import STRETCH, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.game.rounds import Pair, Verdict
from bpe_studio.workspace.game.shown_round import SIGNS, pair_runs_left

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guess, Guessing


class MissedModel(TableModel):
    """The wrong guesses of a game, a row each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._guesses: tuple[Guess, ...] = ()

    def show(self, guesses: tuple[Guess, ...]) -> None:
        """Replace the guesses."""
        self.beginResetModel()
        self._guesses = guesses
        self.endResetModel()

    def guess(self, row: int) -> Guess:
        """The guess of a row."""
        return self._guesses[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._guesses)

    def _chips_of(self, row: int, pair: Pair) -> Chips:
        names = Names(self._guesses[row].round.run)
        return Chips([names.of(token) for token in pair], pair_runs_left(names, pair))

    # The columns.

    def _step(self, row: int) -> str:
        return number(self._guesses[row].round.step)

    def _guessed(self, row: int) -> Chips:
        return self._chips_of(row, self._guesses[row].pair)

    def _guessed_count(self, row: int) -> str:
        return number(self._guesses[row].count)

    def _merged(self, row: int) -> Chips:
        guess = self._guesses[row]
        return self._chips_of(row, guess.round.right or guess.pair)  # a round that was guessed always has a right pair

    def _merged_count(self, row: int) -> str:
        winner = self._guesses[row].round.decision.winner
        return number(winner.count) if winner is not None else ""

    def _verdict(self, row: int) -> str:
        verdict = self._guesses[row].verdict
        return f"{SIGNS[verdict]} {'as frequent' if verdict is Verdict.tied else 'missed'}"

    columns = (
        Column("step", "How many merges applied when you guessed", _step, sample="00,000"),
        Column("your guess", "The pair that you guessed", is_number=False, chips=_guessed),
        Column("count", "How often that pair occurred in the corpus at the step", _guessed_count, sample="0,000,000"),
        Column("merged", "The pair that was merged", is_number=False, chips=_merged),
        Column(
            "count", "How often the merged pair occurred in the corpus at the step", _merged_count, sample="0,000,000"
        ),
        Column("", "Whether your pair was as frequent as the merged one", _verdict, is_number=False,
               sample="✗ as frequent"),
    )  # fmt: skip
    STEP, MINE, MY_COUNT, RIGHT, COUNT, WHAT = range(len(columns))


class GameResult(QWidget):
    """The page at the end of a game.

    Signals:
        again_requested: the user wants another game.
        leave_requested: the user wants to go back to the panels.
        why_requested: Guess, the user wants to know why another pair was merged.
    """

    again_requested = Signal()
    leave_requested = Signal()
    why_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.score = QLabel(self)
        font = self.score.font()
        font.setPointSizeF(font.pointSizeF() * 2.4)
        self.score.setFont(font)
        self.score.setObjectName("game.end_score")
        self.summary = Note("", "plain", self)
        self.summary.setObjectName("game.end_told")
        self.heading = QLabel("Wrong guesses", self)
        self.heading.setObjectName("game.end_heading")
        font = self.heading.font()
        font.setBold(True)
        self.heading.setFont(font)
        self.model = MissedModel(self)
        self.table = named(
            CompactTable(self), "game.missed", "Wrong guesses", "Click a row to see why that pair was merged"
        )
        self.table.setModel(self.model)
        self.table.fit_columns()
        self.help = Note("Click a row, or press Enter on it, to see why that pair was merged.", "help", self)
        self.again = named(QPushButton("&Play again", self), "game.again", "", "Starts a new game at this step")
        self.leave = named(
            QPushButton("&Back to the panels", self),
            "game.end_leave",
            "",
            "Leaves the game; the step stays where it is",
        )
        self.again.clicked.connect(self.again_requested)
        self.leave.clicked.connect(self.leave_requested)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        buttons = row(self.again, self.leave, STRETCH)
        column = QVBoxLayout()
        column.setSpacing(8)
        for widget in (self.score, self.summary):
            column.addWidget(widget)
        column.addSpacing(8)
        column.addLayout(buttons)
        column.addSpacing(16)
        column.addWidget(self.heading)
        column.addWidget(self.help)
        column.addWidget(self.table, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 16, 0, 0)
        whole.addStretch(1)
        whole.addLayout(column, 6)
        whole.addStretch(1)

    def show_game(self, game: Guessing) -> None:
        """Show the result of a game."""
        guesses, missed = game.guesses, game.missed
        n_tied = sum(guess.verdict is Verdict.tied for guess in missed)
        n_right, n_wrong = len(guesses) - len(missed), len(missed) - n_tied
        self.score.setText(plural(game.score, "point"))
        summary = "You made no guess."
        if guesses:
            half = f"{number(n_tied)} half right by a tie, " if n_tied else ""
            made = plural(len(guesses), "guess", "guesses")
            summary = f"{made}: {number(n_right)} right, {half}{number(n_wrong)} wrong."
        if game.best_streak > 1:
            summary += f" Longest streak: {number(game.best_streak)}."
        if game.round is not None and game.round.right is None:
            summary += " The run has ended: no pair is left that may be merged."
        if not missed and guesses:
            summary += " No guess was wrong."
        self.summary.set_message(summary)
        self.model.show(missed)
        for widget in (self.heading, self.help, self.table):
            widget.setVisible(bool(missed))

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self.why_requested.emit(self.model.guess(index.row()))

    def take_focus(self) -> None:
        """Move the keyboard focus to "Play again"."""
        self.again.setFocus(Qt.FocusReason.OtherFocusReason)
