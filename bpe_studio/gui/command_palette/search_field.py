"""The field of the command palette: a line edit whose cursor keys move in the list below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from bpe_studio.gui.command_palette.results import MARGIN_PX, N_ROWS
from bpe_studio.gui.look.follows_look import FollowsLook

LARGER = 1.15
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -N_ROWS,
    Qt.Key.Key_PageDown: N_ROWS,
}
_CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchField(FollowsLook, QLineEdit):
    """The line edit; it emits a signal for the keys of the list.

    Signals:
        moved: int, by how many rows.
        chosen: Enter was pressed.
        cancelled: Esc was pressed.
        left: another widget has got the keyboard focus.
    """

    moved = Signal(int)
    chosen = Signal()
    cancelled = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("palette.input")
        self.setAccessibleName("What to find")
        self.setToolTip("Up and Down select, Enter runs it, Esc closes")
        self.setFrame(False)
        self.setTextMargins(MARGIN_PX - 4, 10, MARGIN_PX - 4, 10)
        self.follow_look()

    def font_changed(self) -> None:
        font = QApplication.font(self)
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * LARGER)
            self.setFont(font)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key == Qt.Key.Key_Escape or key in _MOVES or key in _CHOOSE:
                event.accept()  # the window's shortcut with this key must not be triggered
                return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self.moved.emit(1 if key == Qt.Key.Key_Tab else -1)
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _MOVES:
            self.moved.emit(_MOVES[key])
        elif key in _CHOOSE:
            self.chosen.emit()
        elif key == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        ):
            self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
            low = QRect(self.rect()).bottom()
            painter.drawLine(0, low, self.width(), low)
