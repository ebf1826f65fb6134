"""A button that reads as an entry of a list: a title, and one phrase about it below."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import SMALLER

# Absolute, so that a title in a right-to-left script is aligned as the others are.
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
_TOP = int(_LEFT | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
_BOTTOM = int(_LEFT | Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextSingleLine)
_SIDE_PX, _ABOVE_PX = 8, 4


class EntryButton(QAbstractButton):
    """One entry.

    Args:
        title: the title, which is wrapped where it is too long.
        about: the line below; elided where it is too long.
        name: its objectName.
        does: what a screen reader calls it, such as "Open the sample X".

    Attributes:
        about: the line below, whole.
    """

    def __init__(self, title: str, about: str, name: str, does: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.about = about
        self.setText(title)
        named(self, name, does, about)
        self.setAccessibleDescription(about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        return QSize(240, self.fontMetrics().lineSpacing() * 2 + 10)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        room = QRect(0, 0, max(1, width - 2 * _SIDE_PX), 10_000)
        title = self.fontMetrics().boundingRect(room, _TOP, self.text()).height()
        return title + self.fontMetrics().lineSpacing() + 10

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            if self.underMouse() or self.hasFocus() or self.isChecked():
                painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Midlight))
            if self.hasFocus() or self.isChecked():
                painter.fillRect(QRect(0, 0, 3, self.height()), palette.color(QPalette.ColorRole.WindowText))
            inner = self.rect().adjusted(_SIDE_PX, _ABOVE_PX, -_SIDE_PX, -_ABOVE_PX)
            painter.setPen(palette.color(QPalette.ColorRole.WindowText))
            painter.drawText(inner, _TOP, self.text())
            font = painter.font()
            if font.pointSizeF() > 0:
                font.setPointSizeF(font.pointSizeF() * SMALLER)
            painter.setFont(font)
            painter.setPen(theme.muted(palette))
            about = painter.fontMetrics().elidedText(self.about, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, _BOTTOM, about)
