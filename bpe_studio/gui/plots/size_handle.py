"""The invisible handle of a marked size on the curve, for the mouse, the keyboard and screen readers.

It paints nothing: the curve paints the marks, so that an exported picture has them too.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

FAR_SHARE = 0.04
"""How far Page Up and Page Down move a mark, of the width of the curve."""


class SizeHandle(QWidget):
    """The strip around the line of one mark.

    Args:
        number: the number of the mark; part of the object name.

    Signals:
        pulled: (number, float), dragged to this x of the curve.
        nudged: (number, int, bool), moved by keys by so many pixels, or merges if the last is true.
        chosen: number, the window should go to its step.
        removed: number.
        rested: (QPointF, QPointF), the pointer rests at this position of the curve, and of the screen.
        changed: it has got or lost the mouse or the keyboard focus.
    """

    pulled = Signal(int, object)
    nudged = Signal(int, int, bool)
    chosen = Signal(int)
    removed = Signal(int)
    rested = Signal(object, object)
    changed = Signal()

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.number = number
        self._is_held = False
        self._offset = 0.0
        self.setObjectName(f"compare.mark_{number + 1}" if number >= 0 else "compare.mark_step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setMouseTracking(True)
        self.setToolTip(
            "Drag, or press left and right: it moves by a pixel, with Shift by one merge, Page Up and Down by more. "
            "Enter or a double-click goes there, Delete removes it"
        )

    @property
    def is_held(self) -> bool:
        """Whether it is being dragged."""
        return self._is_held

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._is_held = True
            # It is dragged from where it was grabbed, and does not jump.
            self._offset = event.position().x() - self.width() / 2
            self.changed.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = QPointF(self.mapToParent(event.position().toPoint()))
        if self._is_held:
            self.pulled.emit(self.number, place.x() - self._offset)
        self.rested.emit(place, event.globalPosition())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_held = False
        self.changed.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit(self.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        curve = self.parentWidget()
        far = max(1, round(FAR_SHARE * (curve.width() if curve is not None else 0)))
        ways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -far, Qt.Key.Key_PageUp: far}
        if key in ways:
            self.nudged.emit(self.number, ways[key], bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.pulled.emit(self.number, -1e9 if key == Qt.Key.Key_Home else 1e9)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.number)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self.number)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.raise_()
        self.changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.changed.emit()
