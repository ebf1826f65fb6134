"""A button that opens a sample: its title, and one phrase about it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.labels import SMALLER
from bpe_studio.workspace.samples import Sample

# Absolute, so that a title in a right-to-left script stands where the others do.
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextSingleLine
_TOP = int(_LEFT | Qt.AlignmentFlag.AlignTop)
_BOTTOM = int(_LEFT | Qt.AlignmentFlag.AlignBottom)


class SampleButton(QAbstractButton):
    """A sample's title, and one phrase about it below."""

    def __init__(self, sample: Sample, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sample = sample
        self.setText(sample.title)
        self.setObjectName(f"start.sample.{sample.id}")
        self.setAccessibleName(f"Open the sample {sample.title}")
        self.setAccessibleDescription(sample.about)
        self.setToolTip(sample.about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, self.fontMetrics().lineSpacing() * 2 + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            if self.underMouse() or self.hasFocus():
                painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Midlight))
            if self.hasFocus():
                painter.fillRect(QRect(0, 0, 3, self.height()), palette.color(QPalette.ColorRole.WindowText))
            inner = self.rect().adjusted(8, 4, -8, -4)
            painter.setPen(palette.color(QPalette.ColorRole.WindowText))
            painter.drawText(inner, _TOP, self.text())
            font = painter.font()
            if font.pointSizeF() > 0:
                font.setPointSizeF(font.pointSizeF() * SMALLER)
            painter.setFont(font)
            painter.setPen(theme.muted(palette))
            about = painter.fontMetrics().elidedText(self.sample.about, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, _BOTTOM, about)
