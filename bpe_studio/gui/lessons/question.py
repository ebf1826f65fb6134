"""A question of a lesson: its text, the choices or fields for the answer, and the verdict.

After a wrong answer the user can try again; the right answer is shown when it was given or requested. The lesson's
player judges the answers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from bpe_studio.explain.names import display_text, is_right_to_left, isolated
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ReadingLabel

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Question
    from bpe_studio.workspace.lessons.player import Verdict

_HINTS = {"number": "A number", "text": "Your answer", "pair": ""}


RIGHT, WRONG = "✓", "✗"
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
PAD_PX = 8


def padding_px(metrics: QFontMetrics) -> int:
    """The width of a choice that its text cannot use: its number and the padding."""
    return metrics.height() + 6 + 3 * PAD_PX


class LessonChoice(QAbstractButton):
    """A button with a number and the text of an answer; after the answer a sign replaces the number."""

    def __init__(self, number: int, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number, self._sign = number, ""
        self.setObjectName(f"lesson.choice_{number}")
        self.setText(text)
        self.setShortcut(QKeySequence())  # an ampersand in the text would set one
        self.setAccessibleName(display_text(text))
        self.setToolTip(f"Choose this answer ({number})")
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def sign(self) -> str:
        """Whether the answer is right: RIGHT, WRONG, or "" while that is not shown."""
        return self._sign

    def set_sign(self, sign: str) -> None:
        """Show whether the answer is right."""
        if sign != self._sign:
            self._sign = sign
            text = {RIGHT: ", right", WRONG: ", wrong"}.get(sign, "")
            self.setAccessibleName(f"{display_text(self.text())}{text}")
            self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max(self._words(width).height() + 2 * PAD_PX, round(2.1 * self.fontMetrics().height()))

    def sizeHint(self) -> QSize:
        return QSize(220, self.heightForWidth(max(120, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(120, self.width())))

    def _left_px(self) -> int:
        return padding_px(self.fontMetrics()) - PAD_PX

    def _flags(self) -> int:
        side = Qt.AlignmentFlag.AlignRight if is_right_to_left(self.text()) else Qt.AlignmentFlag.AlignLeft
        upright = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        return int(side | upright | Qt.TextFlag.TextWordWrap)

    def _words(self, width: int) -> QRect:
        room = QRect(0, 0, max(20, width - self._left_px() - PAD_PX), 10_000)
        return self.fontMetrics().boundingRect(room, self._flags(), self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        # The right answer is not dimmed like other disabled choices.
        text = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            is_strong = self._sign == RIGHT or self.hasFocus()
            style = Qt.PenStyle.DashLine if self._sign == WRONG else Qt.PenStyle.SolidLine
            edge = text if is_strong else palette.color(QPalette.ColorRole.Mid)
            painter.setPen(QPen(edge, 2 if is_strong else 1, style))
            is_under = self.underMouse() and self.isEnabled()
            painter.setBrush(palette.color(QPalette.ColorRole.Midlight if is_under else QPalette.ColorRole.Base))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
            side = self.fontMetrics().height() + 4
            box = QRectF(PAD_PX, (self.height() - side) / 2, side, side)
            painter.setPen(QPen(text if self._sign else theme.muted(palette), 1))
            if not self._sign:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box, 4, 4)
            painter.drawText(box, _CENTRE, self._sign or str(self._number))
            painter.setPen(text if self.isEnabled() or self._sign == RIGHT else theme.muted(palette))
            painter.drawText(self.rect().adjusted(self._left_px(), 0, -PAD_PX, 0), self._flags(), self.text())


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
        self._choices: list[LessonChoice] = []
        self._wrong_answers: set[str] = set()
        self.text = ReadingLabel("lesson.question", "Question", self)
        enlarge(self.text, 1.1, is_strong=True)
        self._n_columns = 0
        self._choice_rows = QGridLayout()
        self._choice_rows.setSpacing(6)
        self.first = self._field("lesson.answer", "Answer")
        self.plus = QLabel("+", self)
        self.second = self._field("lesson.answer_right", "Right token")
        self.check = named(QPushButton("&Check", self), "lesson.check", "", "Checks the answer (Enter)")
        self.reveal = named(QPushButton("&Show the answer", self), "lesson.reveal", "", "Shows the answer")
        self.verdict = named(QLabel(self), "lesson.verdict", "Whether the answer is right")
        self.verdict.setWordWrap(True)
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)
        enlarge(self.verdict, 1.15, is_strong=True)
        self.why = ReadingLabel("lesson.why", "Why", self)
        self.reveal.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fields = row(
            (self.first, 1), self.plus, (self.second, 1), self.check, (self.reveal, 0, Qt.AlignmentFlag.AlignRight),
            spacing=6,
        )  # fmt: skip
        column(self.text, self._choice_rows, fields, self.verdict, self.why, parent=self, spacing=6)
        self.check.clicked.connect(self._on_check)
        self.reveal.clicked.connect(self.reveal_requested)

    def _field(self, name: str, text: str) -> QLineEdit:
        field = named(QLineEdit(self), name, text)
        field.returnPressed.connect(self._on_check)
        field.textChanged.connect(self._on_typed)
        return field

    @property
    def is_open(self) -> bool:
        """Whether an answer can be given."""
        return self._ask is not None and self.reveal.isVisibleTo(self)

    def show_question(self, ask: Question | None, verdict: Verdict | None, is_ready: bool) -> None:
        """Show a question and its state.

        Args:
            ask: the question; None if the step asks nothing.
            verdict: the result of the last answer; None before the first.
            is_ready: whether it can be answered yet.
        """
        self.setVisible(ask is not None)
        if ask is None:
            self._ask = None
            return
        if self._ask is None or (ask.line, ask.text, ask.kind) != (self._ask.line, self._ask.text, self._ask.kind):
            self._begin(ask)
        self._ask = ask
        is_open = verdict is None or not (verdict.is_right or verdict.is_revealed)
        if verdict is None:
            self._wrong_answers = set()
        elif verdict.given and not verdict.is_right:
            self._wrong_answers.add(verdict.given)
        self.text.set_message(ask.text)
        for choice in self._choices:
            is_answer = not is_open and verdict is not None and choice.text() == verdict.right
            choice.set_sign(RIGHT if is_answer else WRONG if choice.text() in self._wrong_answers else "")
            choice.setEnabled(is_ready and is_open and choice.text() not in self._wrong_answers)
        # The verdict says the right answer, in the place of the fields.
        has_fields = is_open and ask.kind != "choice"
        is_pair = is_open and ask.kind == "pair"
        for widget in (self.first, self.check):
            widget.setVisible(has_fields)
        for of_pair in (self.plus, self.second):
            of_pair.setVisible(is_pair)
        for field in (self.first, self.second):
            field.setEnabled(is_ready and is_open)
        self.reveal.setVisible(is_open)
        self.reveal.setEnabled(is_ready)
        self._on_typed()
        self._show_verdict(ask, verdict)

    def _begin(self, ask: Question) -> None:
        self._wrong_answers = set()
        for choice in self._choices:
            choice.hide()
            choice.deleteLater()
        self._choices = []
        for number, text in enumerate(ask.choices if ask.kind == "choice" else (), 1):
            choice = LessonChoice(number, text, self)
            choice.clicked.connect(partial(self.answered.emit, text))
            self._choices.append(choice)
        self._arrange_choices(anew=True)
        for field in (self.first, self.second):
            field.clear()
        is_pair = ask.kind == "pair"
        self.first.setPlaceholderText("Left token" if is_pair else _HINTS.get(ask.kind, ""))
        self.first.setAccessibleName("Left token" if is_pair else "Answer")
        self.first.setToolTip(
            "The token at the left; type a space as it is, or as ␣" if is_pair else "Your answer; Enter checks it"
        )
        self.second.setPlaceholderText("Right token")
        self.second.setToolTip("The token at the right; Enter checks the pair")

    def _arrange_choices(self, *, anew: bool = False) -> None:
        """Put the choices into as many columns as their texts have room for."""
        n = n_columns(tuple(choice.text() for choice in self._choices), self.fontMetrics(), self.width())
        if n == self._n_columns and not anew:
            return
        self._n_columns = n
        for choice in self._choices:
            self._choice_rows.removeWidget(choice)
        for place, choice in enumerate(self._choices):
            self._choice_rows.addWidget(choice, *divmod(place, n))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_choices()

    def _show_verdict(self, ask: Question, verdict: Verdict | None) -> None:
        self.verdict.setText("")
        self.verdict.setVisible(verdict is not None)
        is_over = verdict is not None and (verdict.is_right or verdict.is_revealed)
        self.why.setVisible(is_over and bool(verdict.why if verdict is not None else ""))
        if verdict is None:
            return
        if verdict.is_right:
            # The chosen answer has its own sign above.
            text = f"{RIGHT} Right" if ask.kind == "choice" else f"{RIGHT} Right: {isolated(verdict.right)}"
        elif verdict.is_revealed:
            text = f"→ The answer is {isolated(verdict.right)}"
        else:
            text = f"{WRONG} Not {isolated(verdict.given)}: try again"
        self.verdict.setText(text)
        self.verdict.setAccessibleDescription(text)
        self.why.set_message(verdict.why)

    def needed_height(self, ask: Question, width: int, *, is_tight: bool = False) -> int:
        """The height that a question needs with its verdict.

        Args:
            ask: the question.
            width: the width that it is given, in pixels.
            is_tight: without the line that says that an answer was wrong while another can be given.

        Returns:
            The height in pixels.
        """
        metrics, line = self.text.fontMetrics(), self.fontMetrics().lineSpacing()
        wrapped = int(Qt.TextFlag.TextWordWrap)
        height = metrics.boundingRect(0, 0, width, 100_000, wrapped, ask.text).height()
        why = self.fontMetrics().boundingRect(0, 0, width, 100_000, wrapped, ask.why).height() if ask.why else 0
        field, verdict = 2 * line + 6, 1.4 * line + 6
        rows: float = 0
        if ask.kind == "choice":
            columns = n_columns(ask.choices, self.fontMetrics(), width)
            room = QRect(0, 0, max(20, (width - 6 * columns) // columns - padding_px(self.fontMetrics())), 10_000)
            lines = (self.fontMetrics().boundingRect(room, wrapped, each).height() for each in ask.choices)
            rows = -(-len(ask.choices) // columns) * (max(2.1 * line, max(lines, default=0) + 16) + 6)
        return int(height + rows + max(field if is_tight else field + verdict, verdict + why) + 12)

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

    def take_focus(self) -> None:
        """Move the keyboard focus to where the answer is given."""
        target: QWidget = self._choices[0] if self._choices else self.first
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_typed(self) -> None:
        is_pair = self._ask is not None and self._ask.kind == "pair"
        # Not stripped, because a space may be the token.
        is_full = bool(self.first.text()) and (not is_pair or bool(self.second.text()))
        self.check.setEnabled(is_full and self.first.isEnabled())

    @Slot()
    def _on_check(self) -> None:
        if self.check.isEnabled() and self._ask is not None:
            left, right = self.first.text(), self.second.text()
            self.answered.emit((left, right) if self._ask.kind == "pair" else left)


def n_columns(choices: tuple[str, ...], metrics: QFontMetrics, width: int) -> int:
    """How many columns the choices take: several if they are short and there is room for their words."""
    longest = max(map(len, choices), default=0)
    most = min(len(choices) or 1, 4 if longest <= 8 else 3 if longest <= 14 else 2 if longest <= 56 else 1)
    words = choices if longest <= 14 else tuple(word for choice in choices for word in choice.split())
    needed = max(map(metrics.horizontalAdvance, words), default=0) + padding_px(metrics) + 4
    return max(1, min(most, (width + 6) // (needed + 6)))
