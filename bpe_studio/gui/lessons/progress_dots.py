"""The steps of a lesson as a row of dots; a click goes to a step."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.look import theme

DOT_PX, CURRENT_PX, APART_PX = 8.0, 13.0, 22.0


class ProgressDots(QWidget):
    """A row of dots: those of earlier steps are filled, the current one is larger and ringed.

    Signals:
        chosen: int, the index of a step, from 0.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson.dots")
        self.setAccessibleName("Steps of the lesson")
        self.setToolTip("Goes to a step of the lesson")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._n_steps = self._place = 0

    def show_place(self, place: int, n_steps: int) -> None:
        """Set the current step, from 0, and how many there are."""
        self._place, self._n_steps = place, n_steps
        self.setAccessibleDescription(f"Step {place + 1} of {n_steps}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(APART_PX * max(1, self._n_steps)), round(CURRENT_PX) + 9)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, round(CURRENT_PX) + 9)

    def centre_of(self, place: int) -> QPointF:
        """The position of the dot of a step."""
        return QPointF(CURRENT_PX / 2 + 2 + place * self._apart_px(), self.height() / 2)

    def _apart_px(self) -> float:
        return min(APART_PX, (self.width() - CURRENT_PX - 4) / max(1, self._n_steps - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        text, muted = palette.color(QPalette.ColorRole.WindowText), theme.muted(palette)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for place in range(self._n_steps):
                is_current = place == self._place
                painter.setPen(QPen(text if is_current else muted, 2 if is_current else 1.2))
                painter.setBrush(muted if place < self._place else Qt.BrushStyle.NoBrush)
                size = min(CURRENT_PX if is_current else DOT_PX, max(3.0, self._apart_px() - 2))
                centre = self.centre_of(place)
                painter.drawEllipse(QRectF(centre.x() - size / 2, centre.y() - size / 2, size, size))
                if is_current:
                    painter.setBrush(text)
                    painter.drawEllipse(centre, 2.2, 2.2)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = round((event.position().x() - CURRENT_PX / 2 - 2) / max(1.0, self._apart_px()))
        if event.button() == Qt.MouseButton.LeftButton and 0 <= place < self._n_steps:
            self.chosen.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        towards = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()), 0)
        if towards and 0 <= self._place + towards < self._n_steps:
            self.chosen.emit(self._place + towards)
        elif not towards:
            super().keyPressEvent(event)
