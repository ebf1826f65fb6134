"""The panel of a lesson, above the panels that it describes: the text of a step, its question, and the navigation.

It spans the whole window, like a caption, in a font that can be read from the back of a room, and its height stays the
same through a lesson. It shows `workspace.lesson`, which prepares the workspace for each step. Keys while it has the
keyboard focus: 1 to 9 answer, Page Down and Page Up go to the next and the previous step.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.explain.wording import progress_text
from bpe_studio.gui.lessons.progress_dots import ProgressDots
from bpe_studio.gui.lessons.question import LessonQuestion
from bpe_studio.gui.look import icons
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.fonts import enlarge, has_few_lines
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, ReadingLabel

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Lesson
    from bpe_studio.workspace.lessons.player import Verdict
    from bpe_studio.workspace.workspace import Workspace

LARGER = 1.2
MOST_OF_HEIGHT, MOST_OF_LOW = 35, 25
"""The most of the window's height that it takes, in percent, also in a low window; the rest is scrolled."""
LOW_PX = 800
"""In a window lower than this there is no room kept for the notice of a wrong answer; it is scrolled to."""
TEXT_SHARE, QUESTION_SHARE = 56, 44
"""How the width is divided between text and question, in percent."""


class LessonPanel(FollowsLook, QWidget):
    """The current step of the open lesson.

    Signals:
        look_requested: str, the key of the panel to raise and frame.
    """

    look_requested = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setAccessibleName("Lesson")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._workspace, self._player = workspace, workspace.lesson
        self._shown_step: tuple[object, int] | None = None
        self._measured: tuple[object, ...] | None = None
        self._text_px = 0
        self._answers_of: Lesson | None = None
        self._answers: dict[int, bool] = {}
        if not has_few_lines(parent):
            enlarge(self, LARGER)
        self._build()
        self.follow_look()
        self._player.changed.connect(self.refresh)
        self._player.answered.connect(self._on_answered)
        workspace.progress_changed.connect(self._show_state)
        self.refresh()

    def _build(self) -> None:
        self.heading = QLabel(self)
        self.heading.setObjectName("lesson.heading")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        enlarge(self.heading, 1.3, is_strong=True)
        self.title = Note("", "help", self)
        self.title.setObjectName("lesson.title")
        self.title.setWordWrap(False)
        self.dots = ProgressDots(self)
        self.place = QLabel(self)
        self.place.setObjectName("lesson.place")
        self.look = self._button("", "lesson.look", "Brings that panel to the front and frames it")
        self.look.setIcon(icons.icon("shown"))
        self.look.setFlat(True)
        self.leave = self._button("&Leave", "lesson.leave", "Ends the lesson; its text stays open")
        self.back = self._button("&Back", "lesson.back", "Goes to the previous step (Ctrl+PgUp)")
        self.next = self._button("&Next", "lesson.next", "")
        self.say = ReadingLabel("lesson.say", "What the lesson says", self)
        self.state = Note("", "help", self)
        self.state.setObjectName("lesson.state")
        self.again = self._button("Try &again", "lesson.again", "Prepares this step again")
        self.question = LessonQuestion(self)
        self.question.answered.connect(self._player.answer)
        self.question.reveal_requested.connect(self._player.reveal)
        self.dots.chosen.connect(self._player.go)
        self.leave.clicked.connect(self._player.leave)
        self.back.clicked.connect(self._player.back)
        self.next.clicked.connect(self._on_next)
        self.again.clicked.connect(self._on_again)
        self.look.clicked.connect(self._on_look)
        self._lay_out()

    def _button(self, text: str, name: str, tip: str) -> QPushButton:
        return named(QPushButton(text, self), name, "", tip)

    def _lay_out(self) -> None:
        head = row(self.heading, 8, (self.title, 1), self.dots, self.place, 8)
        for button in (self.leave, self.back, self.next):
            head.addWidget(button)
        self.text_area = _Area("lesson.said_area", self)
        self.question_area = _Area("lesson.asked_area", self)
        said, asked = self.text_area.column, self.question_area.column
        buttons = QHBoxLayout()
        buttons.addWidget(self.look)
        buttons.addWidget(self.again)
        buttons.addStretch(1)
        said.addWidget(self.say)
        said.addWidget(self.state)
        said.addLayout(buttons)
        said.addStretch(1)
        asked.addWidget(self.question)
        asked.addStretch(1)
        body = row((self.text_area, TEXT_SHARE), (self.question_area, QUESTION_SHARE), spacing=32)
        column(head, (body, 1), parent=self, spacing=6, margins=(12, 6, 12, 10))

    # Height.

    def sizeHint(self) -> QSize:
        head = max(self.heading.sizeHint().height(), self.next.sizeHint().height()) + 22
        height = self.window().height()
        most = height * (MOST_OF_LOW if has_few_lines(self) or height < LOW_PX else MOST_OF_HEIGHT) // 100
        return QSize(600, min(head + self._text_px, max(most, head + 4 * self.fontMetrics().lineSpacing())))

    def minimumSizeHint(self) -> QSize:
        return QSize(400, self.sizeHint().height())

    def _measure(self, lesson: Lesson) -> None:
        """Find the height of the longest step, so that the panels below do not move from step to step."""
        is_low = self.window().height() < LOW_PX
        if self._measured == (lesson, is_low, self.width()):
            return
        self._measured = (lesson, is_low, self.width())
        room = max(300, self.width() - 56)
        metrics, line = self.fontMetrics(), self.fontMetrics().lineSpacing()
        most = 0
        for step in lesson.steps:
            wide = room * TEXT_SHARE // 100 if step.ask is not None else room
            said = _height(metrics, step.say, wide) + (round(1.9 * line) if step.look is not None else 0)
            wide = room * QUESTION_SHARE // 100
            asked = self.question.needed_height(step.ask, wide, is_tight=is_low) if step.ask is not None else 0
            most = max(most, said, asked)
        self._text_px = most + 4
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._player.lesson is not None and event.oldSize().width() != event.size().width():
            self._measure(self._player.lesson)

    def font_changed(self) -> None:
        self._measured = None
        # Longer lines are hard to read.
        self.say.setMaximumWidth(54 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
            for y in (0, self.height() - 1):
                painter.drawLine(0, y, self.width(), y)

    # Content.

    @Slot()
    def refresh(self) -> None:
        """Show the state of the lesson."""
        player = self._player
        lesson, step = player.lesson, player.step
        if lesson is None or step is None:
            self._shown_step = self._measured = None
            return
        if lesson is not self._answers_of:
            self._answers_of, self._answers = lesson, {}
        self._measure(lesson)
        n_steps, place = len(lesson.steps), player.place
        self.title.set_message(lesson.title)
        self.place.setText(f"{place + 1} of {n_steps}")
        self.heading.setText(step.heading)
        is_ready = player.is_ready
        self.say.set_message(step.say)
        # Values from the run are in braces until they are known.
        self.say.setVisible(is_ready or "{" not in step.say)
        self.look.setVisible(step.look is not None)
        self.look.setText(f"Show: {panel_name(step.look)}" if step.look is not None else "")
        self._show_state()
        self.question.show_question(step.ask, player.verdict, is_ready)
        self.question_area.setVisible(step.ask is not None)
        self.dots.show_place(place, n_steps)
        self.back.setEnabled(place > 0)
        is_last = place + 1 >= n_steps
        self.next.setText("&Finish" if is_last else "&Next")
        self.next.setToolTip(self.leave.toolTip() if is_last else "Goes to the next step (Ctrl+PgDown)")
        if self._shown_step != (lesson, place):
            self._shown_step = (lesson, place)
            for area in (self.text_area, self.question_area):
                area.verticalScrollBar().setValue(0)

    @Slot()
    def _show_state(self) -> None:
        """Show how far the preparation of a step is, that it failed, or how many answers were right."""
        player, lesson = self._player, self._player.lesson
        if lesson is None:
            return
        is_stuck = not player.is_ready and not player.is_busy
        message = ""
        if is_stuck:
            message = "This step could not be prepared. Try again, go to another step, or leave the lesson."
        elif not player.is_ready:
            progress = self._workspace.progress
            # The line that usually shows progress is hidden during a lesson, as it would reveal the next merge.
            message = "Preparing …"
            if progress is not None:
                figures = progress_text(progress.done, progress.total, progress.unit, progress.seconds_left)
                message = f"{progress.what} … {figures}"
        elif player.place + 1 == len(lesson.steps):
            n_asked = sum(each.ask is not None for each in lesson.steps)
            n_right = sum(self._answers.values())
            message = f"You answered {n_right} of {n_asked} questions right." if n_asked else ""
        self.state.set_message(message.strip(), "error" if is_stuck else "help")
        self.state.setVisible(bool(message))
        self.again.setVisible(is_stuck)

    def take_focus(self) -> None:
        """Move the keyboard focus to "Next"."""
        self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_answered(self, verdict: Verdict) -> None:
        self._answers[self._player.place] = verdict.is_right
        self.refresh()
        if not self.question.is_open:
            self.take_focus()
        QTimer.singleShot(0, self, self._show_verdict)

    @Slot()
    def _show_verdict(self) -> None:
        for label in (self.question.why, self.question.verdict):
            if label.isVisible():
                self.question_area.ensureWidgetVisible(label, 0, 4)

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
        if event.key() == Qt.Key.Key_PageDown:
            self.next.click()
        elif event.key() == Qt.Key.Key_PageUp:
            self.back.click()
        elif not (number and self.question.choose(number)):
            super().keyPressEvent(event)


class _Area(QScrollArea):
    """A column that scrolls vertically."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        inside = _Column()
        self.column = QVBoxLayout(inside)
        self.column.setContentsMargins(0, 0, 8, 0)
        self.column.setSpacing(6)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for each in (self, self.viewport(), inside):
            each.setAutoFillBackground(False)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 0)


class _Column(QWidget):
    """Its content, which may be higher than the area."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


def _height(metrics: object, text: str, width: int) -> int:
    rect = metrics.boundingRect(0, 0, width, 100_000, int(Qt.TextFlag.TextWordWrap), text)  # type: ignore[attr-defined]
    return int(rect.height())


def panel_name(key: str) -> str:
    """The name of a panel in the window."""
    return PANELS.get(key, PANELS["text"])
