"""The empty state of the corpus panel: drop a file, or try a sample."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.gui import theme
from bpe_studio.gui.note import SMALLER
from bpe_studio.workspace.samples import Sample

# Absolute, so that a title in a right-to-left script stands where the others do.
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextSingleLine
_TOP = int(_LEFT | Qt.AlignmentFlag.AlignTop)
_BOTTOM = int(_LEFT | Qt.AlignmentFlag.AlignBottom)


class Invitation(QWidget):
    """What to do while nothing is open: drop a file, or try a sample.

    Signals:
        sample_chosen: str, the sample's id.
    """

    sample_chosen = Signal(str)

    def __init__(self, samples: tuple[Sample, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        drop = DropHint("Drop text files here", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(drop)
        column.addSpacing(8)
        if samples:
            column.addWidget(QLabel("Or try a sample"))
        for sample in samples:
            button = SampleButton(sample, self)
            button.clicked.connect(self._on_clicked)
            column.addWidget(button)
        column.addStretch(1)

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, SampleButton):
            self.sample_chosen.emit(button.sample.id)


class SampleButton(QAbstractButton):
    """A sample's title, and one phrase about it below."""

    def __init__(self, sample: Sample, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sample = sample
        self.setText(sample.title)
        self.setObjectName(f"corpus.try.{sample.id}")
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
                painter.fillRect(QRect(0, 0, 3, self.height()), theme.accent(palette))
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


class DropHint(QLabel):
    """A dashed frame that says where files may be dropped."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumHeight(96)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.muted(self.palette()), 1.2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        super().paintEvent(event)
