"""One of the answers that a question of a lesson offers: a button whose words may take several lines."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from bpe_studio.explain.names import display_text, is_right_to_left
from bpe_studio.gui.look import theme

RIGHT, WRONG = "✓", "✗"
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
PAD_PX = 8


def around_px(metrics: QFontMetrics) -> int:
    """How much of a choice's width its words do not have: the number, and the room around it."""
    return metrics.height() + 6 + 3 * PAD_PX


class LessonChoice(QAbstractButton):
    """A number and a sentence; after the answer a sign in place of the number."""

    def __init__(self, number: int, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number, self._sign = number, ""
        self.setObjectName(f"lesson.choice_{number}")
        self.setText(text)
        self.setShortcut(QKeySequence())  # which an ampersand in the text would make
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
        """What it turned out to be: RIGHT, WRONG, or "" while that is open."""
        return self._sign

    def set_sign(self, sign: str) -> None:
        """Say what it turned out to be."""
        if sign != self._sign:
            self._sign = sign
            said = {RIGHT: ", right", WRONG: ", not right"}.get(sign, "")
            self.setAccessibleName(f"{display_text(self.text())}{said}")
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
        return around_px(self.fontMetrics()) - PAD_PX

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
        # What turned out right is not greyed out with the rest.
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
