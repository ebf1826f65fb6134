"""The end of a game: the score, what was missed, and the way to another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bpe_studio.explain.names import display_name, isolated
from bpe_studio.explain.why.answers import Names
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import Column, Index, TableModel
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import natural_width, paint_token_chips
from bpe_studio.gui.widgets.containers import STRETCH, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.game.rounds import Pair, Verdict
from bpe_studio.workspace.game.shown_round import SIGNS, pair_runs_left

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guess, Guessing


class MissedModel(TableModel):
    """The guesses that were not right."""

    columns = (
        Column("step", "How many merges applied when it was guessed"),
        Column("your guess", "The pair that was guessed", False),
        Column("count", "How often that pair occurred in the corpus at the step"),
        Column("merged", "The pair that was merged", False),
        Column("count", "How often the merged pair occurred in the corpus at the step"),
        Column("", "What the guess was", False),
    )
    STEP, MINE, MY_COUNT, RIGHT, COUNT, WHAT = range(6)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._guesses: tuple[Guess, ...] = ()

    def show(self, guesses: tuple[Guess, ...]) -> None:
        """Show other guesses."""
        self.beginResetModel()
        self._guesses = guesses
        self.endResetModel()

    def guess(self, row: int) -> Guess:
        """The guess of a row."""
        return self._guesses[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._guesses)

    def _pair(self, row: int, column: int) -> Pair:
        guess = self._guesses[row]
        # There is always a right pair where a guess was made.
        return guess.pair if column == self.MINE else guess.round.right or guess.pair

    def names(self, row: int, column: int) -> tuple[str, str]:
        """The two tokens of a cell."""
        run, (left, right) = self._guesses[row].round.run, self._pair(row, column)
        return display_name(run, left), display_name(run, right)

    def runs_left(self, row: int, column: int) -> bool:
        """Whether they run to the left."""
        return pair_runs_left(Names(self._guesses[row].round.run), self._pair(row, column))

    def text(self, row: int, column: int) -> str:
        guess, number = self._guesses[row], grouping_locale().toString
        winner = guess.round.decision.winner
        if column == self.STEP:
            return number(guess.round.step)
        if column in (self.MINE, self.RIGHT):
            return " + ".join(map(isolated, self.names(row, column)))
        if column == self.MY_COUNT:
            return number(guess.count)
        if column == self.COUNT:
            return number(winner.count) if winner is not None else ""
        return f"{SIGNS[guess.verdict]} {'as frequent' if guess.verdict is Verdict.tied else 'missed'}"


class PairDelegate(CellDelegate):
    """Two tokens as neighbouring chips."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, MissedModel)
        names = model.names(cell.row, cell.column)
        # Where they run to the left they still begin at the column's left edge, like the others.
        wanted = natural_width(names, QFontMetricsF(painter.font()))
        room = QRect(rect.left(), rect.top(), min(rect.width(), int(wanted) + 1), rect.height())
        paint_token_chips(painter, room, names, cell.palette, is_rtl=model.runs_left(cell.row, cell.column))


class GameResult(QWidget):
    """What was reached.

    Signals:
        again_requested: another game.
        leave_requested: back to the panels.
        why_requested: Guess, to be explained.
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
        self.told = Note("", "plain", self)
        self.told.setObjectName("game.end_told")
        self.heading = QLabel("What was missed", self)
        self.heading.setObjectName("game.end_heading")
        font = self.heading.font()
        font.setBold(True)
        self.heading.setFont(font)
        self.model = MissedModel(self)
        self.table = named(
            CompactTable(self), "game.missed", "What was missed", "Click a row to see why that pair was merged"
        )
        self.table.setModel(self.model)
        for pair in (MissedModel.MINE, MissedModel.RIGHT):
            self.table.setItemDelegateForColumn(pair, PairDelegate(self.table))
        self.table.set_samples(["00,000", None, "0,000,000", None, "0,000,000", "✗ as frequent"])
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
        for widget in (self.score, self.told):
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
        """Show what a game has come to."""
        number = grouping_locale().toString
        guesses, missed = game.guesses, game.missed
        n_tied = sum(guess.verdict is Verdict.tied for guess in missed)
        n_right, n_wrong = len(guesses) - len(missed), len(missed) - n_tied
        self.score.setText(f"{number(game.score)} point{'s' * (game.score != 1)}")
        half = f", {number(n_tied)} half right by a tie" if n_tied else ""
        of = f"Of {number(len(guesses))} guess{'es' * (len(guesses) != 1)}"
        told = f"{of} {number(n_right)} right{half}, {number(n_wrong)} missed."
        if game.best_streak > 1:
            told += f" Longest streak: {number(game.best_streak)}."
        self.told.set_message(told if guesses else "There was nothing to guess.")
        asked = game.round
        if asked is not None and asked.right is None:
            self.told.set_message(f"{self.told.text()} The run is at its end: no pair is left that may be merged.")
        self.model.show(missed)
        for widget in (self.heading, self.help, self.table):
            widget.setVisible(bool(missed))
        if not missed and guesses:
            self.told.set_message(f"{self.told.text()} Nothing was missed.")

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self.why_requested.emit(self.model.guess(index.row()))

    def take_focus(self) -> None:
        """Put the keyboard on the button that is likely wanted."""
        self.again.setFocus(Qt.FocusReason.OtherFocusReason)
