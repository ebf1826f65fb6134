"""The header of the game: title, mode, number of rounds, and score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number
from bpe_studio.gui.look.fonts import enlarge, has_few_lines
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, Note
from bpe_studio.workspace.game.guessing import CHOICES, POINTS, WORDS

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guessing

LENGTHS = (5, 10, 20, 50)


class GameHeader(QWidget):
    """Title, mode, number of rounds, and score.

    Signals:
        mode_chosen: str, CHOICES or WORDS.
        length_chosen: int, how many rounds.
        leave_requested: the user wants to go back to the panels.
    """

    mode_chosen = Signal(str)
    length_chosen = Signal(int)
    leave_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel("Guess the next pair", self)
        self.title.setObjectName("game.title")
        enlarge(self.title, 1.0 if parent is not None and has_few_lines(parent) else 1.5, is_strong=True)
        self.about = Note("", "help", self)
        self.about.setObjectName("game.about")
        self.about.setWordWrap(False)
        self.modes = QButtonGroup(self)
        self.by_choice = self._mode_button(
            "One of four", "game.by_choice", f"Four pairs to choose from; {POINTS[CHOICES]} points"
        )
        self.by_word = self._mode_button(
            "In the words", "game.by_word", f"Any two neighbouring tokens in the words; {POINTS[WORDS]} points"
        )
        self.length = named(QComboBox(self), "game.length", "Rounds of the game", "How many guesses the game has")
        for n in LENGTHS:
            self.length.addItem(f"{n} rounds", n)
        self.round = self._figure("game.round", "Round", "The number of this guess, out of all in the game")
        self.score = self._figure("game.score", "Points", "Points for correct guesses, minus hints; half for a tie")
        self.streak = self._figure("game.streak", "In a row", "Correct guesses in a row")
        self.leave = named(QPushButton("&Leave", self), "game.leave", "", "Back to the panels; you can resume the game")
        titles = column(self.title, self.about, spacing=0)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addLayout(titles, 1)
        for widget in (self.by_choice, self.by_word, self.length):
            row.addWidget(widget)
        row.addSpacing(8)
        for figure in (self.round, self.score, self.streak):
            row.addLayout(self._with_title(figure))
            row.addSpacing(4)
        row.addWidget(self.leave)
        self.by_choice.toggled.connect(self._on_toggled)
        self.length.activated.connect(self._on_length)
        self.leave.clicked.connect(self.leave_requested)

    def _mode_button(self, text: str, name: str, tip: str) -> QRadioButton:
        button = named(QRadioButton(text, self), name, "", tip)
        self.modes.addButton(button)
        return button

    def _figure(self, name: str, title: str, tip: str) -> AccessibleLabel:
        label = named(AccessibleLabel(self), name, title, tip)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        label.setMinimumWidth(label.fontMetrics().horizontalAdvance("10 of 10") * 13 // 10)
        enlarge(label, 1.35, is_strong=True)
        return label

    def _with_title(self, figure: QLabel) -> QGridLayout:
        name = Note(figure.accessibleName(), "help", self)
        name.setWordWrap(False)
        name.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        grid = QGridLayout()
        grid.setSpacing(0)
        grid.addWidget(figure, 0, 0)
        grid.addWidget(name, 1, 0)
        return grid

    def show_game(self, game: Guessing, name: str, step: int) -> None:
        """Show the state of a game."""
        after = "before the first merge" if step == 0 else f"after {number(step)} merge{'s' * (step != 1)}"
        # An isolate, because the name may mix scripts.
        self.about.set_message(f"\u2066{elided(name, 40)}\u2069, {after}")
        (self.by_choice if game.mode == CHOICES else self.by_word).setChecked(True)
        place = self.length.findData(game.n_rounds)
        if place < 0:
            self.length.addItem(f"{game.n_rounds} rounds", game.n_rounds)
            place = self.length.count() - 1
        self.length.setCurrentIndex(place)
        self.round.setText(f"{number(game.place)} of {number(game.n_rounds)}")
        self.score.setText(number(game.score))
        self.streak.setText(number(game.streak))

    @Slot(bool)
    def _on_toggled(self, is_choice: bool) -> None:
        self.mode_chosen.emit(CHOICES if is_choice else WORDS)

    @Slot(int)
    def _on_length(self, place: int) -> None:
        self.length_chosen.emit(int(self.length.itemData(place)))
