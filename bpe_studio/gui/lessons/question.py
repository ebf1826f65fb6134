"""A question of a lesson: its text, the choices or fields for the answer, and the verdict.

After a wrong answer the user can try again; the right answer is shown when it was given or
requested. The lesson's player judges the answers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from bpe_studio.gui.lessons.words import in_language
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.widgets.answer_button import RIGHT, WRONG, AnswerButton
from bpe_studio.gui.widgets.containers import STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ReadingLabel
from bpe_studio.workspace.lessons.language import inserted, locale_of

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Question
    from bpe_studio.workspace.lessons.player import Verdict

_HINTS = {"number": "A number", "text": "Your answer", "pair": "Left token"}


class LessonQuestion(QWidget):
    """The question.

    Signals:
        answered: str, or (str, str) for a pair: the user's answer.
        reveal_requested: the user wants to see the answer.
    """

    answered = Signal(object)
    reveal_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask: Question | None = None
        self._choices: list[AnswerButton] = []
        self._wrong_answers: set[str] = set()
        self._language = ""
        self.text = ReadingLabel("lesson.question", "Question", self)
        enlarge(self.text, 1.1, is_strong=True)
        self._choices_column = column(spacing=6)
        self.first = self._field("lesson.answer", "Answer")
        self.plus = QLabel("+", self)
        self.second = self._field("lesson.answer_right", "Right token")
        self.check = named(
            QPushButton("&Check", self), "lesson.check", "", "Checks the answer (Enter)"
        )
        self.reveal = named(
            QPushButton("&Show the answer", self), "lesson.reveal", "", "Shows the answer"
        )
        self.verdict = ReadingLabel("lesson.verdict", "Whether the answer is right", self)
        enlarge(self.verdict, 1.15, is_strong=True)
        self.why = ReadingLabel("lesson.why", "Why", self)
        fields = row((self.first, 1), self.plus, (self.second, 1), spacing=6)
        buttons = row(self.check, STRETCH, self.reveal, spacing=6)
        column(
            self.text, self._choices_column, fields, buttons, self.verdict, self.why, parent=self
        )
        self.check.clicked.connect(self._on_check)
        self.reveal.clicked.connect(self.reveal_requested)

    def _field(self, name: str, text: str) -> QLineEdit:
        field = named(
            QLineEdit(self), name, text, "Type a space as it is, or as ␣; Enter checks the answer"
        )
        field.returnPressed.connect(self._on_check)
        field.textChanged.connect(self._on_typed)
        return field

    @property
    def is_open(self) -> bool:
        """Whether an answer can be given."""
        return self._ask is not None and self.reveal.isVisibleTo(self)

    def show_question(
        self, ask: Question | None, verdict: Verdict | None, is_ready: bool, language: str
    ) -> None:
        """Show a question and its state.

        Args:
            ask: the question; None if the step asks nothing.
            verdict: the result of the last answer; None before the first.
            is_ready: whether it can be answered yet.
            language: the language of the lesson.
        """
        self._language = language
        self.setVisible(ask is not None)
        if ask is None:
            self._ask = None
            return
        if self._ask is None or (ask.line, ask.text, ask.kind) != (
            self._ask.line,
            self._ask.text,
            self._ask.kind,
        ):
            self._begin(ask)
        self._ask = ask
        is_over = verdict is not None and (verdict.is_right or verdict.is_revealed)
        if verdict is None:
            self._wrong_answers = set()
        elif verdict.given and not verdict.is_right:
            self._wrong_answers.add(verdict.given)
        self.text.set_message(ask.text)
        for choice in self._choices:
            is_wrong = choice.answer in self._wrong_answers
            is_answer = is_over and verdict is not None and choice.answer == verdict.right
            choice.show_answer(choice.answer, RIGHT if is_answer else WRONG if is_wrong else "")
            choice.setEnabled(is_ready and not is_over and not is_wrong)
        # The verdict says the right answer, in the place of the fields.
        for widget in (self.first, self.check, self.plus, self.second):
            is_of_pair = widget in (self.plus, self.second)
            widget.setVisible(
                not is_over and (ask.kind == "pair" if is_of_pair else ask.kind != "choice")
            )
        for field in (self.first, self.second):
            field.setEnabled(is_ready and not is_over)
        self.reveal.setVisible(not is_over)
        self.reveal.setEnabled(is_ready)
        self._on_typed()
        self._show_verdict(ask, verdict)
        self.why.setVisible(is_over and bool(self.why.text()))

    def _begin(self, ask: Question) -> None:
        self._wrong_answers = set()
        for choice in self._choices:
            choice.hide()
            choice.deleteLater()
        self._choices = []
        for number, text in enumerate(ask.choices if ask.kind == "choice" else (), 1):
            choice = named(
                AnswerButton(number, f"lesson.choice_{number}", self),
                f"lesson.choice_{number}",
                text,
            )
            choice.setToolTip(f"Choose this answer ({number})")
            choice.show_answer(text)
            choice.clicked.connect(partial(self.answered.emit, text))
            self._choices_column.addWidget(choice)
            self._choices.append(choice)
        for field in (self.first, self.second):
            field.clear()
        self.first.setPlaceholderText(self._said(_HINTS[ask.kind]) if ask.kind in _HINTS else "")
        self.first.setAccessibleName(self.first.placeholderText() or "Answer")
        self.second.setPlaceholderText(self._said("Right token"))
        for button, text in ((self.check, "&Check"), (self.reveal, "&Show the answer")):
            button.setText(self._said(text))

    def _show_verdict(self, ask: Question, verdict: Verdict | None) -> None:
        text = ""
        if verdict is not None and verdict.is_right:
            # The chosen answer has its own sign above.
            text = self._said("Right" if ask.kind == "choice" else "Right: {}", verdict.right)
            text = f"{RIGHT} {text}"
        elif verdict is not None and verdict.is_revealed:
            text = self._said("→ The answer is {}", verdict.right)
        elif verdict is not None:
            text = f"{WRONG} {self._said('Not {}: try again', verdict.given)}"
        self.verdict.set_message(text)
        self.verdict.setVisible(bool(text))
        self.why.set_message(verdict.why if verdict is not None else "")

    def _said(self, text: str, answer: str = "") -> str:
        """A text in the language of the lesson, with an answer in it that keeps its own
        direction.
        """
        return in_language(self._language, text).format(inserted(answer, locale_of(self._language)))

    def choose(self, number: int) -> bool:
        """Answer with a choice.

        Args:
            number: the number of the choice, from 1.

        Returns:
            Whether there is an enabled choice with this number.
        """
        if 1 <= number <= len(self._choices) and self._choices[number - 1].isEnabled():
            self._choices[number - 1].click()
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        focused = self.focusWidget()
        if is_enter and isinstance(focused, QPushButton):
            focused.click()
        elif not is_enter:  # Enter in a field has checked the answer, and must not go on
            super().keyPressEvent(event)

    @Slot()
    def _on_typed(self) -> None:
        is_pair = self._ask is not None and self._ask.kind == "pair"
        # Not stripped, because a space may be the token.
        is_full = bool(self.first.text()) and (not is_pair or bool(self.second.text()))
        self.check.setEnabled(is_full and self.first.isEnabled())

    @Slot()
    def _on_check(self) -> None:
        if self.check.isEnabled() and self._ask is not None:
            left = self.first.text()
            right = self.second.text()
            self.answered.emit((left, right) if self._ask.kind == "pair" else left)
