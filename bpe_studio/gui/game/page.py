"""The page of the game "Guess the next pair": the question, its choices and the verdict.

It shows `workspace.game`, and the segmentation of words of the corpus. Rounds are computed in the
thread pool. The keys 1 to 4 guess, with Shift they show the count of a pair, and Enter continues.
"""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.present.words import PresentedWords
from bpe_studio.gui.widgets.answer_button import AnswerButton
from bpe_studio.gui.widgets.containers import MARGIN_PX, STRETCH, column, row, scrolled
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, Note
from bpe_studio.workspace.game.guessing import HINT_POINTS
from bpe_studio.workspace.game.rounds import N_CHOICES, GuessRound, Verdict, make_round
from bpe_studio.workspace.game.verdicts import HEADINGS, SIGNS, pair_name, verdict_text
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.game.rounds import Choice
    from bpe_studio.workspace.workspace import Workspace

QUESTION = 3.3
CHOICE = 1.8
WORDS = 1.8
NOTE = 1.25
"""The sizes of letters relative to those of panels; the game is read from farther away."""
LEAST_EM = 9
"""The least width, in heights of a letter."""
MOST_EM = 64
"""The most width of the question and its choices, in heights of a letter."""
LEAST_WORDS = 6
"""The least height of the words, in heights of a letter."""
REMARK_LINES = 2
"""The lines reserved below a choice and for the final sentence, so that an answer moves nothing."""
_CENTRED = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_REMARKS = {Verdict.right: "merged next", Verdict.tied: "as frequent", Verdict.wrong: ""}


class GamePage(QWidget):
    """The game on the open run, from the current step on.

    Signals:
        leave_requested: the user wants to leave the game.
        why_requested: the user wants to know why the merge of the round is made.
        save_requested: the user wants to save the results.
    """

    leave_requested = Signal()
    why_requested = Signal()
    save_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game")
        self.setAccessibleName("Guess the next pair")
        self._workspace = workspace
        self._game = workspace.game
        self._job = LatestAnswer(make_round, self)
        self._build()
        self._lay_out()
        self._connect()

    def _build(self) -> None:
        self.about = named(Note("", "help", self), "game.about")
        self.figures = named(
            AccessibleLabel(self), "game.score", "Guess, points and right guesses in a row"
        )
        self.leave = named(
            QPushButton("&Leave", self), "game.leave", "", "Ends the game; you can resume it"
        )
        self.question = named(QLabel("Which pair is merged next?", self), "game.question")
        self.verdict = named(QLabel(self), "game.verdict", "Verdict on the guess")
        for heading in (self.question, self.verdict):
            enlarge(heading, QUESTION, is_strong=True)
            heading.setWordWrap(True)
            heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note = named(Note("", "plain", self), "game.because")
        self.note.setAlignment(_CENTRED)
        for line in (self.figures, self.note):
            enlarge(line, NOTE)
        self.choices: list[AnswerButton] = []
        self.hints: list[QToolButton] = []
        self.remarks: list[QLabel] = []
        for key in range(1, N_CHOICES + 1):
            choice = AnswerButton(key, f"game.choice_{key}", self)
            hint = QToolButton(self)
            enlarge(choice, CHOICE)
            named(
                hint,
                f"game.hint_{key}",
                "",
                f"Shows the count of this pair, for {HINT_POINTS} points (Shift+{key})",
            )
            hint.setText(f"Count −{HINT_POINTS}")
            hint.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            choice.clicked.connect(partial(self._guess, key))
            hint.clicked.connect(partial(self._take_hint, key))
            remark = named(QLabel(self), f"game.remark_{key}", "Remark on this pair")
            remark.setTextFormat(Qt.TextFormat.PlainText)
            remark.setWordWrap(True)
            remark.setAlignment(_CENTRED)
            enlarge(remark, NOTE)
            self.choices.append(choice)
            self.hints.append(hint)
            self.remarks.append(remark)
        self.words = PresentedWords(self)
        enlarge(self.words, WORDS)
        self.why = named(
            QPushButton("Show me &why", self), "game.why", "", "Opens the panel Why at this merge"
        )
        self.save = named(
            QPushButton("&Save your results…", self),
            "game.save",
            "",
            "Saves your guesses to hand in",
        )
        self.next = named(QPushButton("&Next", self), "game.next", "", "Goes on (Enter)")
        policy = self.next.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.next.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_EM * self.fontMetrics().height(), 0)

    def _lay_out(self) -> None:
        answers = self._answers = QGridLayout()
        answers.setHorizontalSpacing(16)
        for place in range(N_CHOICES):
            answers.setColumnStretch(place, 1)
            answers.addWidget(self.choices[place], 0, place)
            answers.addWidget(self.hints[place], 1, place, _CENTRED)
            answers.addWidget(self.remarks[place], 1, place, Qt.AlignmentFlag.AlignTop)
        middle = QWidget()
        middle.setMaximumWidth(MOST_EM * self.fontMetrics().height())
        self.words.setMinimumHeight(LEAST_WORDS * self.words.fontMetrics().height())
        column(
            self.question,
            self.verdict,
            16,
            answers,
            self.note,
            16,
            (self.words, 1),
            parent=middle,
            spacing=8,
        )
        inside = QWidget()
        row(STRETCH, (middle, 100), STRETCH, parent=inside)
        column(
            row(self.figures, (self.about, 1), self.leave),
            (scrolled(inside, "game.area"), 1),
            row(self.why, self.save, STRETCH, self.next),
            parent=self,
            margins=MARGIN_PX,
        )

    def _connect(self) -> None:
        workspace = self._workspace
        for signal in (
            self._game.changed,
            workspace.step_changed,
            workspace.run_changed,
            workspace.state_changed,
        ):
            signal.connect(self.refresh)
        self._job.answered.connect(self._on_made)
        self.leave.clicked.connect(self.leave_requested)
        self.next.clicked.connect(self.go_on)
        self.why.clicked.connect(self.why_requested)
        self.save.clicked.connect(self.save_requested)

    def resume(self) -> None:
        """Resume the game at the current step, or start one if there is none to resume."""
        if not self._game.is_on or self._game.is_over:
            self._begin()
            return
        if self._game.guess is not None and self._game.guess.round.step != self._workspace.step:
            self._game.go_on()
        self.refresh()

    def _begin(self) -> None:
        self._game.start()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def go_on(self) -> None:
        """Go to the next round, which may train a merge, then to the result, then to a new game."""
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
        game = self._game
        workspace = self._workspace
        run = workspace.run
        asked = game.round
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
        if asked is None and not game.is_over and not self._is_busy():
            self._job.ask(run, workspace.step, game.seed)
        self.words.set_run(run, workspace.step)
        if asked is not None:
            pairs = [choice.pair for choice in asked.choices]
            self.words.show_first(*pairs)
        self._show_header()
        offered = None if game.is_over else asked
        self._show_choices(offered)
        self._show_round()

    @Slot(object)
    def _on_made(self, asked: GuessRound) -> None:
        workspace = self._workspace
        is_current = asked.run is workspace.run and asked.step == workspace.step
        if is_current and self._game.is_on:
            self._game.put(asked)
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_header(self) -> None:
        game = self._game
        info = self._workspace.corpus
        step = self._workspace.step
        after = "before the first merge" if step == 0 else f"after {plural(step, 'merge')}"
        name = elided(info.name, 40) if info is not None else ""
        # The name is isolated, because it may mix scripts.
        self.about.set_message(f"\u2066{name}\u2069, {after}")
        streak = f" · {number(game.streak)} in a row" if game.streak > 1 else ""
        self.figures.setText(
            f"{number(game.place)} of {number(game.n_rounds)} ·"
            f" {plural(game.score, 'point')}{streak}"
        )

    def _show_choices(self, asked: GuessRound | None) -> None:
        choices = () if asked is None else asked.choices
        room = REMARK_LINES * self.note.fontMetrics().lineSpacing()
        self._answers.setRowMinimumHeight(1, room)
        self.note.setMinimumHeight(room)
        signs = QLabel("".join(SIGNS.values()))  # which may be of a font with higher lines
        signs.setFont(self.verdict.font())
        for heading in (self.question, self.verdict):
            heading.setMinimumHeight(signs.sizeHint().height())
        for place in range(N_CHOICES):
            is_there = place < len(choices)
            self.choices[place].setVisible(is_there)
            self.hints[place].setVisible(is_there)
            self.remarks[place].setVisible(is_there)
            if asked is not None and is_there:
                self._show_choice(place, asked, choices[place])

    def _show_choice(self, place: int, asked: GuessRound, choice: Choice) -> None:
        guess = self._game.guess
        pair = choice.pair
        name = pair_name(asked.run, pair)
        sign = ""
        remarks = []
        if guess is not None:
            verdict = asked.judge(pair)
            is_mine = guess.pair == pair
            sign = SIGNS[verdict] if is_mine or verdict is not Verdict.wrong else ""
            mine = "your guess" if is_mine else ""
            remarks = [mine, _REMARKS[verdict]]
        is_counted = guess is not None or pair in self._game.hints
        if is_counted:
            remarks.append(number(choice.count))
        remark = " · ".join(filter(None, remarks))
        self.choices[place].show_answer(name, sign)
        self.choices[place].setAccessibleDescription(remark)
        self.remarks[place].setText(remark)
        self.hints[place].setVisible(not is_counted)
        self.hints[place].setAccessibleName(f"Count {name}, for {HINT_POINTS} points")

    def _show_round(self) -> None:
        game = self._game
        asked = self._game.round
        guess = game.guess
        is_over = game.is_over
        self.question.setVisible(guess is None and not is_over)
        self.verdict.setVisible(guess is not None or is_over)
        self.why.setVisible(guess is not None)
        self.save.setVisible(is_over and bool(game.guesses))
        self.next.setVisible(guess is not None or is_over)
        self.next.setEnabled(not self._is_busy())
        if is_over:
            self.verdict.setText(plural(game.score, "point"))
            self.note.set_message(_result(game))
            self.next.setText("&Play again")
        elif asked is None or guess is None:
            note = (
                f"Press 1 to 4, or click. A right guess is worth {game.worth} points; a hint costs"
                f" {HINT_POINTS}."
            )
            if self._workspace.state is State.running:
                note = "The run is training; the next question follows."
            self.note.set_message(note)
        else:
            points = f"+{plural(guess.points, 'point')}" if guess.points else "no points"
            self.verdict.setText(f"{SIGNS[guess.verdict]} {HEADINGS[guess.verdict]}, {points}")
            self.note.set_message(verdict_text(guess))
            next_text = "&Finish" if len(game.guesses) >= game.n_rounds else "&Next"
            self.next.setText(next_text)
        self.verdict.setAccessibleDescription(f"{self.verdict.text()}. {self.note.text()}")
        if not self.next.isHidden() and self.next.isEnabled():
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _guess(self, key: int) -> None:
        asked = self._game.round
        if asked is not None and key <= len(asked.choices):
            self._game.make_guess(asked.choices[key - 1].pair)

    def _take_hint(self, key: int) -> None:
        asked = self._game.round
        if asked is not None and key <= len(asked.choices):
            self._game.take_hint(asked.choices[key - 1].pair)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit = _digit(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_on()
        elif digit and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._take_hint(digit)
        elif digit:
            self._guess(digit)
        else:
            super().keyPressEvent(event)


def _result(game: Guessing) -> str:
    """The sentence at the end of a game."""
    guesses = game.guesses
    missed = game.missed
    n_tied = sum(guess.verdict is Verdict.tied for guess in missed)
    said = "You made no guess."
    if guesses:
        half = f"{number(n_tied)} half right by a tie, " if n_tied else ""
        n_right = len(guesses) - len(missed)
        n_wrong = len(missed) - n_tied
        made = plural(len(guesses), "guess", "guesses")
        said = f"{made}: {number(n_right)} right, {half}{number(n_wrong)} wrong."
    if game.best_streak > 1:
        said += f" Longest streak: {number(game.best_streak)}."
    if game.round is not None and game.round.right is None:
        said += " The run has ended: no pair is left that may be merged."
    return said


_SHIFTED = {Qt.Key.Key_Exclam: 1, Qt.Key.Key_At: 2, Qt.Key.Key_NumberSign: 3, Qt.Key.Key_Dollar: 4}


def _digit(event: QKeyEvent) -> int:
    """The choice of a key: a digit of any script, or Shift and one; 0 for other keys."""
    shifted = _SHIFTED.get(Qt.Key(event.key()), 0)
    if shifted:
        return shifted
    if Qt.Key.Key_1 <= event.key() <= Qt.Key.Key_9:
        return event.key() - Qt.Key.Key_0
    text = event.text()
    return unicodedata.decimal(text, 0) if len(text) == 1 else 0
