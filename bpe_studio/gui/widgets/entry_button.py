"""A button that reads as an entry of a list: a title, and one phrase about it below."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import SMALLER

# Absolute, so that a title in a right-to-left script is aligned as the others are.
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextSingleLine
_TOP = int(_LEFT | Qt.AlignmentFlag.AlignTop)
_BOTTOM = int(_LEFT | Qt.AlignmentFlag.AlignBottom)


class EntryButton(QAbstractButton):
    """One entry.

    Args:
        title: its first line.
        about: its second line; elided where it is too long.
        name: its objectName.
        does: what a screen reader calls it, such as "Open the sample X".

    Attributes:
        about: the second line, whole.
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
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, self.fontMetrics().lineSpacing() * 2 + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            if self.underMouse() or self.hasFocus() or self.isChecked():
                painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Midlight))
            if self.hasFocus() or self.isChecked():
                painter.fillRect(QRect(0, 0, 3, self.height()), palette.color(QPalette.ColorRole.WindowText))
            inner = self.rect().adjusted(8, 4, -8, -4)
            painter.setPen(palette.color(QPalette.ColorRole.WindowText))
            title = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, _TOP, title)
            font = painter.font()
            if font.pointSizeF() > 0:
                font.setPointSizeF(font.pointSizeF() * SMALLER)
            painter.setFont(font)
            painter.setPen(theme.muted(palette))
            about = painter.fontMetrics().elidedText(self.about, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, _BOTTOM, about)
