"""A round of the game: the words and the question, and after the guess the verdict and what the merge changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.why.answers import WordRow, WordRows
from bpe_studio.explain.wording import number
from bpe_studio.gui.game.choices import GameChoices
from bpe_studio.gui.game.words import GameWords
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.fonts import enlarge, has_few_lines
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.game.guessing import CHOICES, HINT_POINTS
from bpe_studio.workspace.game.shown_round import HEADINGS, SIGNS, ShownRound, verdict_text

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guessing


MOST_ROWS = 4
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class GameChanges(QWidget):
    """The words that a merge changes, before and after it; as many as there is room for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game.changes")
        self.setAccessibleName("Words that the merge changes")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._rows: tuple[WordRow, ...] = ()

    @property
    def rows(self) -> tuple[WordRow, ...]:
        """The words, the most frequent first; those without room are not painted."""
        return self._rows

    def show_words(self, words: WordRows | None) -> None:
        """Show the words that a merge changes; None for none."""
        self._rows = () if words is None else words.rows[:MOST_ROWS]
        changes = (
            f"{' | '.join(p.name for p in row.before)} becomes {' | '.join(p.name for p in row.after)}"
            for row in self._rows
        )
        self.setAccessibleDescription("; ".join(changes))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, MOST_ROWS * self._line_px())

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 0)

    def _line_px(self) -> int:
        return round(1.7 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, line = self.palette(), self._line_px()
        metrics = self.fontMetrics()
        count_px = max((metrics.horizontalAdvance(number(row.count)) for row in self._rows), default=0) + 8
        arrow_px = metrics.horizontalAdvance("→") + 20
        half = max(40, (self.width() - count_px - arrow_px) // 2)
        with QPainter(self) as painter:
            for place, row in enumerate(self._rows):
                top = place * line
                if top + line > self.height():
                    break
                before, after = ([piece.name for piece in pieces] for pieces in (row.before, row.after))
                painter.setPen(theme.muted(palette))
                painter.drawText(QRect(half, top, arrow_px, line), _CENTRE, "→")
                painter.drawText(QRect(self.width() - count_px, top, count_px, line), _RIGHT, number(row.count))
                left = QRect(0, top, half, line - 2)
                right = QRect(half + arrow_px, top, half, line - 2)
                Chips(before, row.is_rtl, row.highlighted).paint(painter, left, palette)
                Chips(after, row.is_rtl, row.highlighted_after).paint(painter, right, palette)


class GameBoard(QWidget):
    """The words at the left, question and verdict at the right.

    Signals:
        guessed: (int, int), the user guessed a pair.
        hint_requested: (int, int), the user wants to see the count of a pair.
        next_requested: the user wants the next round.
        why_requested: the user wants to know why the merge was made.
        pair_changed: another pair, or none, is selected in the words.
    """

    guessed = Signal(object)
    hint_requested = Signal(object)
    next_requested = Signal()
    why_requested = Signal()
    pair_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownRound | None = None
        self._has_guess = False
        self.words_note = Note("", "help", self)
        self.words_note.setObjectName("game.words_told")
        self.words = GameWords(self)
        self.question = QLabel(self)
        self.question.setObjectName("game.question")
        self.question.setWordWrap(True)
        enlarge(self.question, 1.25, is_strong=True)
        self.instruction = Note("", "help", self)
        self.instruction.setObjectName("game.told")
        self.choices = GameChoices(self)
        self.verdict = named(QLabel(self), "game.verdict", "Whether the guess is right")
        enlarge(self.verdict, 1.5, is_strong=True)
        self.because = Note("", "plain", self)
        self.because.setObjectName("game.because")
        self.changed = heading("", "game.changed_title", self)
        self.changes = GameChanges(self)
        self.guess = named(QPushButton("&Guess", self), "game.guess", "", "Guesses the selected pair (Enter)")
        self.why = named(
            QPushButton("Show me &why", self),
            "game.why",
            "",
            "Opens the panel Why at this merge; you can resume the game",
        )
        self.next = named(QPushButton("&Next", self), "game.next", "", "Goes to the next merge (Enter)")
        self._lay_out()
        self.choices.guessed.connect(self.guessed)
        self.choices.hint_requested.connect(self.hint_requested)
        self.words.selected.connect(self.pair_changed)
        self.words.confirmed.connect(self.confirm)
        self.guess.clicked.connect(self.confirm)
        self.next.clicked.connect(self.next_requested)
        self.why.clicked.connect(self.why_requested)

    def _lay_out(self) -> None:
        left = column(self.words_note, (self.words, 1), spacing=12)
        right = column(
            self.question,
            self.instruction,
            self.choices,
            4,
            self.verdict,
            self.because,
            4,
            self.changed,
            (self.changes, 1),
        )
        right.addStretch()
        buttons = row(self.why, STRETCH)
        for button in (self.guess, self.next):
            button.setMinimumWidth(120)
            buttons.addWidget(button)
        for button in (self.why, self.guess, self.next):
            button.setMinimumHeight(round(2.1 * button.fontMetrics().height()))
        right.addLayout(buttons)
        row((left, 56), (right, 44), parent=self, spacing=28)

    def show_round(self, game: Guessing, shown: ShownRound | None, is_learning: bool) -> None:
        """Show the state of a round.

        Args:
            game: the rules and the guesses.
            shown: the round; None while it is computed, and the words of the previous one stay.
            is_learning: whether the run is training.
        """
        if shown is not self._shown and shown is not None:
            self.words.set_highlighted(None)
            self.words.show_words(shown.words, shown.n_words, is_rtl=shown.is_rtl)
            self._show_words_note(shown)
        self._shown = shown
        guess = game.guess if shown is not None else None
        is_open = shown is not None and guess is None
        by_choice = game.mode == CHOICES
        self._has_guess = guess is not None
        self.words.set_can_select(is_open and not by_choice)
        self.choices.show_round(game, shown, self.words.pair)
        self._show_question(game, is_open, is_learning)
        self.verdict.setVisible(guess is not None)
        self.because.setVisible(guess is not None)
        # On a small screen the room is for the pairs and the verdict.
        has_room = not has_few_lines(self)
        self.changed.setVisible(guess is not None and has_room)
        self.changes.setVisible(guess is None or has_room)
        self.question.setVisible(guess is None or has_room)
        self.instruction.setVisible(guess is None or has_room)
        if shown is not None and guess is not None:
            self.changes.show_words(shown.why.words)
        else:
            self.changes.show_words(None)
        self.guess.setVisible(is_open and not by_choice)
        self.guess.setEnabled(self.words.pair is not None)
        self.why.setVisible(guess is not None)
        self.next.setVisible(guess is not None)
        if guess is None or shown is None:
            return
        points = f"+{guess.points} point{'s' * (guess.points != 1)}" if guess.points else "no points"
        self.verdict.setText(f"{SIGNS[guess.verdict]} {HEADINGS[guess.verdict]}, {points}")
        self.because.set_message(verdict_text(guess, shown.names))
        self.verdict.setAccessibleDescription(f"{self.verdict.text()}. {self.because.text()}")
        n_words = shown.why.words.n_words
        self.changed.setText(f"It changes {number(n_words)} word{'s' * (n_words != 1)}")
        self.words.set_highlighted(guess.round.right)
        is_last = len(game.guesses) >= game.n_rounds
        self.next.setText("&Finish" if is_last else "&Next")
        self.next.setToolTip("Shows the result (Enter)" if is_last else "Goes to the next merge (Enter)")
        self.next.setEnabled(not is_learning)
        if not self.next.hasFocus() and not is_learning:
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_question(self, game: Guessing, is_open: bool, is_learning: bool) -> None:
        hint = f"A hint shows a count for {HINT_POINTS} points."
        self.question.setText("Which pair is merged next?")
        if self._has_guess:
            self.instruction.set_message("")  # empty, it keeps its line
        elif not is_open:
            self.instruction.set_message(
                "The run is training; the next question follows when it is done." if is_learning else "Counting …"
            )
        elif game.mode == CHOICES:
            self.instruction.set_message(
                f"Press 1 to 4, or click. A correct guess is worth {game.worth} points. {hint}"
            )
        else:
            self.instruction.set_message(
                f"Click two neighbouring tokens in the words, or select them with the arrow keys and Space. "
                f"A correct guess is worth {game.worth} points. {hint}"
            )

    def _show_words_note(self, shown: ShownRound) -> None:
        whole = ""
        if shown.n_whole:
            one = shown.n_whole == 1
            whole = f" {number(shown.n_whole)} word{'' if one else 's'} that {'is' if one else 'are'} one token "
            whole += f"already {'is' if one else 'are'} left out."
        self.words_note.set_message(f"Words as they are tokenized now, with their counts in the corpus.{whole}")

    @Slot()
    def confirm(self) -> None:
        """Do what Enter does: guess the selected pair, or go to the next round."""
        if self._has_guess:
            if self.next.isEnabled():
                self.next_requested.emit()
        elif self.words.pair is not None and self._shown is not None:
            self.guessed.emit(self.words.pair)

    def take_focus(self, game: Guessing) -> None:
        """Move the keyboard focus to where the next guess is made."""
        if game.guess is not None:
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)
        elif game.mode == CHOICES:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.words.setFocus(Qt.FocusReason.OtherFocusReason)
