"""The column of a lesson, next to the panels that it describes: the text of a step, its question,
and the buttons to move between steps.
It shows `workspace.lesson`, which prepares the workspace for each step. While it has the keyboard
focus, 1 to 9 answer, Enter and Page Down go to the next step, and Page Up to the previous one. The
column has the language and the direction of the lesson.
"""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton, QWidget

from bpe_studio.explain.wording import progress_text
from bpe_studio.gui.lessons.words import in_language
from bpe_studio.gui.look import icons
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets.answer_button import RIGHT, WRONG, AnswerButton
from bpe_studio.gui.widgets.containers import MARGIN_PX, STRETCH, column, row, scrolled
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, ReadingLabel
from bpe_studio.workspace.lessons.language import directed, inserted, locale_of

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Lesson, Question
    from bpe_studio.workspace.lessons.player import Verdict
    from bpe_studio.workspace.workspace import Workspace

LARGER = 4 / 3
"""The size of a lesson's text, which is read from farther away than the panels: 16 pixels to 12."""
WIDTH_EM = 16
LEAST_EM = 9
"""The usual and the least width, in line heights."""


_HINTS = {"number": "A number", "text": "Your answer", "pair": "Left token"}


class LessonPanel(QWidget):
    """The current step of the open lesson.

    Signals:
        look_requested: str, the key of the panel to raise and frame.
        save_requested: the user wants to save the results.
    """

    look_requested = Signal(object)
    save_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setAccessibleName("Lesson")
        self._workspace = workspace
        self._player = workspace.lesson
        self._shown_step: tuple[object, int] | None = None
        self._shown_lesson: Lesson | None = None
        self._texts: dict[QPushButton, str] = {}
        enlarge(self, LARGER)
        self._build()
        self._player.changed.connect(self.refresh)
        self._player.answered.connect(self._on_answered)
        workspace.progress_changed.connect(self._show_state)
        self.refresh()

    def _build(self) -> None:
        self.title = named(Note("", "help", self), "lesson.title")
        self.leave = self._button("&Leave", "lesson.leave", "Ends the lesson; its text stays open")
        self.heading = ReadingLabel("lesson.heading", "Heading of the step", self)
        enlarge(self.heading, 1.3, is_strong=True)
        self.say = ReadingLabel("lesson.say", "Text of the step", self)
        self.look = self._button("", "lesson.look", "Brings that panel to the front and frames it")
        self.look.setIcon(icons.icon("shown"))
        self.state = named(Note("", "help", self), "lesson.state")
        self.again = self._button("Try &again", "lesson.again", "Prepares this step again")
        self.save = self._button(
            "&Save your results…", "lesson.save", "Saves your answers as a file to hand in"
        )
        self.question = _LessonQuestion(self)
        self.back = self._button("&Back", "lesson.back", "Goes to the previous step (Ctrl+PgUp)")
        self.place = named(
            QPushButton(self, flat=True), "lesson.place", "", "Goes to any step of the lesson"
        )
        self.steps = named(QMenu(self.place), "lesson.steps")
        self.place.setMenu(self.steps)
        self.next = self._button("&Next", "lesson.next", "")
        self.next.setDefault(True)
        self.setFocusProxy(self.next)
        self.question.answered.connect(self._player.answer)
        self.question.reveal_requested.connect(self._player.reveal)
        self.steps.aboutToShow.connect(self._fill_steps)
        self.leave.clicked.connect(self._player.leave)
        self.back.clicked.connect(self._player.back)
        self.next.clicked.connect(self._on_next)
        self.again.clicked.connect(self._on_again)
        self.look.clicked.connect(self._on_look)
        self.save.clicked.connect(self.save_requested)
        self._said_area = QWidget()
        column(
            self.heading,
            self.say,
            row(self.look, self.again, STRETCH),
            self.state,
            row(self.save, STRETCH),
            4,
            self.question,
            STRETCH,
            parent=self._said_area,
            margins=(0, 0, 8, 0),
        )
        self.area = scrolled(self._said_area, "lesson.area")
        column(
            row((self.title, 1), self.leave),
            (self.area, 1),
            row(self.back, STRETCH, self.place, STRETCH, self.next),
            parent=self,
            margins=MARGIN_PX,
        )

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_EM * self.fontMetrics().height(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        least = LEAST_EM * self.fontMetrics().height()
        said = self._said_area.minimumSizeHint().width()
        beside = self.area.verticalScrollBar().sizeHint().width() + 2 * MARGIN_PX
        return QSize(max(least, said + beside), 0)

    def _button(self, text: str, name: str, tip: str) -> QPushButton:
        button = named(QPushButton(text, self), name, "", tip)
        self._texts[button] = text
        return button

    def _said(self, text: str, *values: int | str) -> str:
        """A text of the column in the language of the lesson, and numbers in its digits."""
        lesson = self._player.lesson
        language = lesson.language if lesson is not None else ""
        locale = locale_of(language)
        shown = list(values)
        for place, value in enumerate(values):
            if isinstance(value, int):
                shown[place] = locale.toString(value)
        return in_language(language, text).format(*shown)

    @Slot()
    def refresh(self) -> None:
        """Show the state of the lesson."""
        player = self._player
        lesson = player.lesson
        step = player.step
        if lesson is None or step is None:
            self._shown_step = None
            return
        if lesson is not self._shown_lesson:
            self._shown_lesson = lesson
            self.setLayoutDirection(locale_of(lesson.language).textDirection())
            for button, text in self._texts.items():
                button.setText(self._said(text))
        n_steps = len(lesson.steps)
        place = player.place
        locale = locale_of(lesson.language)
        self.title.set_message(directed(lesson.question or lesson.title, locale))
        self.place.setText(self._said("{} of {}", place + 1, n_steps))
        self.heading.set_message(directed(step.heading, locale))
        is_ready = player.is_ready
        self.say.set_message(step.say)
        # Values from the run are in braces until they are known.
        self.say.setVisible(is_ready or "{" not in step.say)
        self.look.setVisible(step.look is not None)
        if step.look is not None:
            self.look.setText(self._said("Show: {}", self._panel_name(step.look)))
        self._show_state()
        self.question.show_question(step.ask, player.verdict, is_ready, lesson.language)
        self.back.setEnabled(place > 0)
        if place + 1 < n_steps:
            self.next.setText(self._said("&Next"))
            self.next.setToolTip("Goes to the next step (Enter, Ctrl+PgDown)")
        else:
            self.next.setText(self._said("&Finish"))
            self.next.setToolTip(self.leave.toolTip())
        if self._shown_step != (lesson, place):
            self._shown_step = (lesson, place)
            self.area.verticalScrollBar().setValue(0)

    @Slot()
    def _show_state(self) -> None:
        """Show the progress of preparing a step, its failure, or the number of right answers."""
        player = self._player
        lesson = self._player.lesson
        if lesson is None:
            return
        is_stuck = not player.is_ready and not player.is_busy
        is_last = player.place + 1 == len(lesson.steps)
        message = ""
        if is_stuck:
            message = self._said(
                "This step could not be prepared. Try again, go to another step, or leave the"
                " lesson."
            )
        elif not player.is_ready:
            progress = self._workspace.progress
            # The usual line of progress is hidden during a lesson: it would reveal the next merge.
            if progress is None:
                message = self._said("Preparing …")
            else:
                figures = progress_text(
                    progress.done, progress.total, progress.unit, progress.seconds_left
                )
                message = f"{progress.what} … {figures}"
        elif is_last:
            n_asked = sum(each.ask is not None for each in lesson.steps)
            n_right = sum(answer.right for answer in player.answers)
            if n_asked:
                message = self._said("You answered {} of {} questions right.", n_right, n_asked)
        role = "error" if is_stuck else "help"
        self.state.set_message(message.strip(), role)
        self.state.setVisible(bool(message))
        self.again.setVisible(is_stuck)
        self.save.setVisible(is_last and bool(player.answers))

    @Slot()
    def _fill_steps(self) -> None:
        self.steps.clear()
        steps = self._player.lesson.steps if self._player.lesson is not None else ()
        for place, step in enumerate(steps):
            action = self.steps.addAction(f"{place + 1}  {step.heading}".replace("&", "&&"))
            action.triggered.connect(partial(self._player.go, place))

    @Slot(object)
    def _on_answered(self, _verdict: Verdict) -> None:
        self.refresh()
        if not self.question.is_open:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, self._show_verdict)

    @Slot()
    def _show_verdict(self) -> None:
        for label in (self.question.why, self.question.verdict):
            if label.isVisible():
                self.area.ensureWidgetVisible(label, 0, 4)

    @Slot()
    def _on_next(self) -> None:
        lesson = self._player.lesson
        if lesson is not None and self._player.place + 1 >= len(lesson.steps):
            self._player.leave()
        else:
            self._player.next()

    @Slot()
    def _on_again(self) -> None:
        self._player.go(self._player.place)

    @Slot()
    def _on_look(self) -> None:
        step = self._player.step
        if step is not None and step.look is not None:
            self.look_requested.emit(step.look)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        number = unicodedata.decimal(text, 0) if len(text) == 1 else 0
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            pressed = focused if isinstance(focused, QPushButton) else self.next
            pressed.click()
        elif event.key() == Qt.Key.Key_PageDown:
            self.next.click()
        elif event.key() == Qt.Key.Key_PageUp:
            self.back.click()
        elif not (number and self.question.choose(number)):
            super().keyPressEvent(event)

    def _panel_name(self, key: str) -> str:
        """The name of a panel in the language of the lesson, and its title in the window."""
        title = PANELS[key]
        said = self._said(title)
        return title if said == title else f"{said} ({title})"


class _LessonQuestion(QWidget):
    """The text of a question, the choices or fields for the answer, and the verdict.
    After a wrong answer the user can try again; the right answer is shown when it was given or
    requested. The lesson's player judges the answers.
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
        self.hidden = named(Note("", "help", self), "lesson.hidden", "Hidden panels")
        self.verdict = ReadingLabel("lesson.verdict", "Verdict", self)
        enlarge(self.verdict, 1.15, is_strong=True)
        self.why = ReadingLabel("lesson.why", "Explanation", self)
        fields = row((self.first, 1), self.plus, (self.second, 1), spacing=6)
        buttons = row(self.check, STRETCH, self.reveal, spacing=6)
        column(
            self.text,
            self._choices_column,
            fields,
            buttons,
            self.verdict,
            self.why,
            self.hidden,
            parent=self,
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
        shown = self._ask
        if shown is None or (ask.line, ask.text, ask.kind) != (shown.line, shown.text, shown.kind):
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
            sign = ""
            if is_over and verdict is not None and choice.answer == verdict.right:
                sign = RIGHT
            elif is_wrong:
                sign = WRONG
            choice.show_answer(choice.answer, sign)
            choice.setEnabled(is_ready and not is_over and not is_wrong)
        # The verdict says the right answer instead of the fields.
        for widget in (self.first, self.check, self.plus, self.second):
            is_asked = ask.kind != "choice"
            if widget in (self.plus, self.second):
                is_asked = ask.kind == "pair"
            widget.setVisible(is_asked and not is_over)
        for field in (self.first, self.second):
            field.setEnabled(is_ready and not is_over)
        self.hidden.set_message(
            self._said("Panels that show the answer are empty until you answer.")
        )
        self.hidden.setVisible(not is_over)
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
        choices = ask.choices if ask.kind == "choice" else ()
        for number, text in enumerate(choices, 1):
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
        hint = self._said(_HINTS[ask.kind]) if ask.kind in _HINTS else ""
        self.first.setPlaceholderText(hint)
        self.first.setAccessibleName(self.first.placeholderText() or "Answer")
        self.second.setPlaceholderText(self._said("Right token"))
        for button, text in ((self.check, "&Check"), (self.reveal, "&Show the answer")):
            button.setText(self._said(text))

    def _show_verdict(self, ask: Question, verdict: Verdict | None) -> None:
        text = ""
        if verdict is not None and verdict.is_right:
            # The chosen answer has its own sign above.
            praise = "Right" if ask.kind == "choice" else "Right: {}"
            text = self._said(praise, verdict.right)
            text = f"{RIGHT} {text}"
        elif verdict is not None and verdict.is_revealed:
            text = self._said("→ The answer is {}", verdict.right)
        elif verdict is not None:
            reason = verdict.reason or self._said("Not {}: try again", verdict.given)
            text = f"{WRONG} {reason}"
        self.verdict.set_message(text)
        self.verdict.setVisible(bool(text))
        why = verdict.why if verdict is not None else ""
        self.why.set_message(why)

    def _said(self, text: str, answer: str = "") -> str:
        """A text in the language of the lesson, and an answer in it that keeps its direction."""
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
        elif not is_enter:  # Enter in a field has checked the answer, and must not do more
            super().keyPressEvent(event)

    @Slot()
    def _on_typed(self) -> None:
        is_pair = self._ask is not None and self._ask.kind == "pair"
        # A space may be the token, so nothing is stripped.
        is_full = bool(self.first.text()) and (not is_pair or bool(self.second.text()))
        self.check.setEnabled(is_full and self.first.isEnabled())

    @Slot()
    def _on_check(self) -> None:
        if self.check.isEnabled() and self._ask is not None:
            left = self.first.text()
            right = self.second.text()
            answer = (left, right) if self._ask.kind == "pair" else left
            self.answered.emit(answer)
