"""The page of the game "Guess the next pair": the words at the left, the question and its answer at the right.

It covers the panels, because candidates and merges would reveal the answer. It shows `workspace.game`; rounds are
computed in the thread pool. Keys: 1 to 4 guess, with Shift they show the count of a pair, Enter continues.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.game.board import GameBoard
from bpe_studio.gui.game.header import GameHeader
from bpe_studio.gui.game.result import GameResult
from bpe_studio.gui.widgets.containers import column
from bpe_studio.workspace.game.guessing import CHOICES
from bpe_studio.workspace.game.shown_round import ShownRound, show_round
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guess
    from bpe_studio.workspace.game.rounds import Pair
    from bpe_studio.workspace.workspace import Workspace

LARGER = 1.12
N_ROUNDS = 10


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
        self._fit_font()
        self.header = GameHeader(self)
        self.board = GameBoard(self)
        self.result = GameResult(self)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.board)
        self.stack.addWidget(self.result)
        column(self.header, (self.stack, 1), parent=self, spacing=12, margins=(24, 12, 24, 16))
        self._connect()

    def _connect(self) -> None:
        workspace = self._workspace
        self._game.changed.connect(self.refresh)
        workspace.step_changed.connect(self.refresh)
        workspace.run_changed.connect(self.refresh)
        workspace.state_changed.connect(self.refresh)
        self._job.answered.connect(self._on_made)
        self.header.mode_chosen.connect(self._game.set_mode)
        self.header.length_chosen.connect(self._game.set_length)
        self.header.leave_requested.connect(self.leave_requested)
        self.board.guessed.connect(self._game.make_guess)
        self.board.hint_requested.connect(self._game.take_hint)
        self.board.pair_changed.connect(self.refresh)
        self.board.next_requested.connect(self.go_on)
        self.board.why_requested.connect(self._on_why)
        self.result.again_requested.connect(self.begin)
        self.result.leave_requested.connect(self.leave_requested)
        self.result.why_requested.connect(self.why_requested)

    @property
    def shown(self) -> ShownRound | None:
        """The round that is shown, or None."""
        return self._shown

    @Slot()
    def begin(self) -> None:
        """Start a new game with as many rounds as the last one."""
        self._shown = None
        self._game.start(self._game.n_rounds or N_ROUNDS)
        self.board.take_focus(self._game)

    def resume(self) -> None:
        """Resume the game at the current step, or start one if there is none to resume."""
        if not self._game.is_on or self._game.is_over:
            self.begin()
            return
        if self._game.guess is not None and self._game.guess.round.step != self._workspace.step:
            self._game.go_on()
        self.refresh()
        self.board.take_focus(self._game)

    @Slot()
    def go_on(self) -> None:
        """Go to the next round, which may train one merge; after the last round show the result."""
        if self._game.guess is None:
            return
        if len(self._game.guesses) >= self._game.n_rounds:
            self._game.go_on()
        elif not self._is_busy():
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
        info = workspace.corpus
        self.header.show_game(game, info.name if info is not None else "", workspace.step)
        is_over = game.is_over
        page = self.result if is_over else self.board
        if is_over:
            self.result.show_game(game)
        else:
            self.board.show_round(game, self._shown, workspace.state is State.running)
        if page is not self.stack.currentWidget():
            self.stack.setCurrentWidget(page)
            if is_over:
                self.result.take_focus()

    @Slot(object)
    def _on_made(self, shown: ShownRound) -> None:
        workspace = self._workspace
        if (shown.round.run, shown.round.step) != (workspace.run, workspace.step) or not self._game.is_on:
            return
        self._shown = shown
        self._game.put(shown.round)
        if self.stack.currentWidget() is self.board:
            self.board.take_focus(self._game)

    @Slot()
    def _on_why(self) -> None:
        guess: Guess | None = self._game.guess
        if guess is not None:
            self.why_requested.emit(guess)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit = _digit(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.stack.currentWidget() is self.board:
            self.board.confirm()
        elif digit and self._game.mode == CHOICES and self._game.guess is None:
            pairs: list[Pair] = self.board.choices.pairs()
            if digit <= len(pairs):
                is_hint = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                (self._game.take_hint if is_hint else self._game.make_guess)(pairs[digit - 1])
        else:
            super().keyPressEvent(event)

    def _fit_font(self) -> None:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * LARGER)
            self.setFont(font)


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
