"""The page of the game "Guess the next pair": the words at the left, the question and its answer at the right.

It covers the panels, because candidates and merges would reveal the answer. It shows `workspace.game`; rounds are
computed in the thread pool. Keys: 1 to 4 guess, with Shift they show the count of a pair, Enter continues.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.game.changes import GameChanges
from bpe_studio.gui.game.choices import GameChoices
from bpe_studio.gui.game.words import GameWords
from bpe_studio.gui.look.fonts import enlarge, has_few_lines
from bpe_studio.gui.widgets.containers import STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, Note, heading
from bpe_studio.workspace.game.guessing import HINT_POINTS
from bpe_studio.workspace.game.rounds import Verdict
from bpe_studio.workspace.game.shown_round import HEADINGS, SIGNS, ShownRound, show_round, verdict_text
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guess, Guessing
    from bpe_studio.workspace.workspace import Workspace

LARGER = 1.12


class GamePage(QWidget):
    """The game on the open run, from the current step on.

    Signals:
        leave_requested: the user wants to go back to the panels.
        why_requested: Guess, the user wants to know why its merge was made.
    """

    leave_requested = Signal()
    why_requested = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game")
        self.setAccessibleName("Guess the next pair")
        self._workspace, self._game = workspace, workspace.game
        self._shown: ShownRound | None = None
        self._job = LatestAnswer(show_round, self)
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * LARGER)
            self.setFont(font)
        self._build()
        self._lay_out()
        self._connect()

    def _build(self) -> None:
        self.title = named(QLabel("Guess the next pair", self), "game.title", "")
        enlarge(self.title, 1.0 if has_few_lines(self) else 1.5, is_strong=True)
        self.about = named(Note("", "help", self), "game.about", "")
        self.about.setWordWrap(False)
        self.figures = named(AccessibleLabel(self), "game.score", "Guess, points and right guesses in a row")
        enlarge(self.figures, 1.2, is_strong=True)
        self.leave = named(QPushButton("&Leave", self), "game.leave", "", "Back to the panels; you can resume the game")
        self.words = GameWords(self)
        self.question = named(QLabel("Which pair is merged next?", self), "game.question", "")
        enlarge(self.question, 1.25, is_strong=True)
        self.verdict = named(QLabel(self), "game.verdict", "Whether the guess is right")
        enlarge(self.verdict, 1.5, is_strong=True)
        self.note = named(Note("", "plain", self), "game.because", "")
        self.choices = GameChoices(self)
        self.changed = heading("", "game.changed_title", self)
        self.changes = GameChanges(self)
        self.why = named(
            QPushButton("Show me &why", self), "game.why", "",
            "Opens the panel Why at this merge; you can resume the game",
        )  # fmt: skip
        self.next = named(QPushButton("&Next", self), "game.next", "", "Goes on (Enter)")
        for button in (self.why, self.next):
            button.setMinimumHeight(round(2.1 * button.fontMetrics().height()))
        self.next.setMinimumWidth(120)

    def _lay_out(self) -> None:
        top = row((column(self.title, self.about, spacing=0), 1), self.figures, 12, self.leave)
        answer = column(
            self.question, self.verdict, self.note, self.choices, 4, self.changed, (self.changes, 1)
        )  # fmt: skip
        answer.addStretch()
        answer.addLayout(row(self.why, STRETCH, self.next))
        board = row((self.words, 56), (answer, 44), spacing=28)
        column(top, (board, 1), parent=self, spacing=12, margins=(24, 12, 24, 16))

    def _connect(self) -> None:
        workspace = self._workspace
        for signal in (
            self._game.changed, workspace.step_changed, workspace.run_changed, workspace.state_changed
        ):  # fmt: skip
            signal.connect(self.refresh)
        self._job.answered.connect(self._on_made)
        self.choices.guessed.connect(self._game.make_guess)
        self.choices.hint_requested.connect(self._game.take_hint)
        self.leave.clicked.connect(self.leave_requested)
        self.next.clicked.connect(self.go_on)
        self.why.clicked.connect(self._on_why)

    @property
    def shown(self) -> ShownRound | None:
        """The round that is shown, or None."""
        return self._shown

    def resume(self) -> None:
        """Resume the game at the current step, or start one if there is none to resume."""
        if not self._game.is_on or self._game.is_over:
            self._begin()
            return
        if self._game.guess is not None and self._game.guess.round.step != self._workspace.step:
            self._game.go_on()
        self.refresh()

    def _begin(self) -> None:
        self._shown = None
        self._game.start()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def go_on(self) -> None:
        """Go to the next round, which may train one merge; after the last one show the result; then play again."""
        if self._game.is_over:
            self._begin()
        elif self._game.guess is not None and len(self._game.guesses) >= self._game.n_rounds:
            self._game.go_on()
        elif self._game.guess is not None and not self._is_busy():
            self._workspace.transport.step_forward()

    def _is_busy(self) -> bool:
        return self._workspace.state in (State.running, State.loading)

    @Slot()
    def refresh(self) -> None:
        """Show the state of the game, and request the round if it is not computed yet."""
        game, workspace = self._game, self._workspace
        run, asked = workspace.run, game.round
        if not self.isVisible() or not game.is_on or run is None:
            self._job.forget()
            return
        if asked is not None and (asked.run, asked.step) != (run, workspace.step):
            # The game emits `changed`, so this is called again.
            if game.guess is not None:
                game.go_on()
            else:
                game.drop_round()
            return
        if self._shown is not None and self._shown.round is not asked:
            self._shown = None
        if asked is None and not game.is_over and not self._is_busy():
            self._job.ask(run, workspace.step, game.seed)
        self._show_header()
        self._show_round()

    @Slot(object)
    def _on_made(self, shown: ShownRound) -> None:
        workspace = self._workspace
        if (shown.round.run, shown.round.step) != (workspace.run, workspace.step) or not self._game.is_on:
            return
        self._shown = shown
        self.words.set_highlighted(None)
        self.words.show_words(shown.words, shown.n_words, is_rtl=shown.is_rtl)
        self._game.put(shown.round)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_header(self) -> None:
        game, info, step = self._game, self._workspace.corpus, self._workspace.step
        after = "before the first merge" if step == 0 else f"after {plural(step, 'merge')}"
        name = elided(info.name, 40) if info is not None else ""
        self.about.set_message(f"\u2066{name}\u2069, {after}")  # isolated, because the name may mix scripts
        streak = f" · {number(game.streak)} in a row" if game.streak > 1 else ""
        self.figures.setText(f"{number(game.place)} of {number(game.n_rounds)} · {plural(game.score, 'point')}{streak}")

    def _show_round(self) -> None:
        game, shown, is_over = self._game, self._shown, self._game.is_over
        guess = game.guess if shown is not None else None
        self.choices.show_round(game, None if is_over else shown)
        self.question.setVisible(guess is None and not is_over)
        self.verdict.setVisible(guess is not None or is_over)
        self.changed.setVisible(guess is not None and not has_few_lines(self))
        self.changes.show_words(shown.why.words if shown is not None and guess is not None else None)
        self.why.setVisible(guess is not None)
        self.next.setVisible(guess is not None or is_over)
        self.next.setEnabled(not self._is_busy())
        if is_over:
            self.verdict.setText(plural(game.score, "point"))
            self.note.set_message(_result(game))
            self.next.setText("&Play again")
        elif shown is None or guess is None:
            is_learning = self._workspace.state is State.running
            self.note.set_message(
                "The run is training; the next question follows." if is_learning else
                f"Press 1 to 4, or click. A right guess is worth {game.worth} points; a hint costs {HINT_POINTS}."
            )  # fmt: skip
        else:
            points = f"+{plural(guess.points, 'point')}" if guess.points else "no points"
            self.verdict.setText(f"{SIGNS[guess.verdict]} {HEADINGS[guess.verdict]}, {points}")
            self.note.set_message(verdict_text(guess, shown.names))
            self.changed.setText(f"It changes {plural(shown.why.words.n_words, 'word')}")
            self.words.set_highlighted(guess.round.right)
            self.next.setText("&Finish" if len(game.guesses) >= game.n_rounds else "&Next")
        self.verdict.setAccessibleDescription(f"{self.verdict.text()}. {self.note.text()}")
        if not self.next.isHidden() and self.next.isEnabled():
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_why(self) -> None:
        guess: Guess | None = self._game.guess
        if guess is not None:
            self.why_requested.emit(guess)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit, pairs = _digit(event), self.choices.pairs()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_on()
        elif 0 < digit <= len(pairs) and self._game.guess is None:
            is_hint = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self._game.take_hint if is_hint else self._game.make_guess)(pairs[digit - 1])
        elif not digit:
            super().keyPressEvent(event)


def _result(game: Guessing) -> str:
    """The sentence at the end of a game."""
    guesses, missed = game.guesses, game.missed
    n_tied = sum(guess.verdict is Verdict.tied for guess in missed)
    said = "You made no guess."
    if guesses:
        half = f"{number(n_tied)} half right by a tie, " if n_tied else ""
        n_right, n_wrong = len(guesses) - len(missed), len(missed) - n_tied
        made = plural(len(guesses), "guess", "guesses")
        said = f"{made}: {number(n_right)} right, {half}{number(n_wrong)} wrong."
    if game.best_streak > 1:
        said += f" Longest streak: {number(game.best_streak)}."
    if game.round is not None and game.round.right is None:
        said += " The run has ended: no pair is left that may be merged."
    return said


_SHIFTED = {Qt.Key.Key_Exclam: 1, Qt.Key.Key_At: 2, Qt.Key.Key_NumberSign: 3, Qt.Key.Key_Dollar: 4}


def _digit(event: QKeyEvent) -> int:
    """The number of the choice that a key stands for, in any script's digits; 0 for other keys."""
    shifted = _SHIFTED.get(Qt.Key(event.key()), 0)
    if shifted:
        return shifted
    if Qt.Key.Key_1 <= event.key() <= Qt.Key.Key_9:
        return event.key() - Qt.Key.Key_0
    text = event.text()
    return unicodedata.decimal(text, 0) if len(text) == 1 else 0
