"""Makes an open window follow the system's text size where Qt does not.

Qt passes a changed application font on to the widgets that inherit it, but not to those with a font size of their own
(numbers, titles), nor to other windows. The former are scaled by the factor by which the system's size changed; the
latter are made to inherit again. Widgets with sizes in pixels adapt them themselves.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QWidget,
)

_NEAR = 0.05


class FontFollower(QObject):
    """Watches one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._size = QApplication.font().pointSizeF()
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.follow)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._soon.start()
        return False

    @Slot()
    def follow(self) -> None:
        """Scale every widget of the window to the system's size."""
        self._soon.stop()
        before, now = self._size, QApplication.font().pointSizeF()
        if before <= 0 or now <= 0 or abs(now - before) < _NEAR:
            return
        self._size = now
        for inner in self._window.findChildren(QMainWindow):
            inner.setFont(QFont())
        # Parents come before their children, which inherit what is changed here.
        for widget in self._window.findChildren(QWidget):
            size = widget.font().pointSizeF()
            parent = widget.parentWidget()
            if size > 0 and abs(size - now) > _NEAR and parent is not None:
                inherited = parent.font().pointSizeF()
                if abs(size - inherited) > _NEAR or not _follows(inherited, now):
                    font = QFont(widget.font())
                    font.setPointSizeF(size * now / before)
                    widget.setFont(font)


def _follows(size: float, now: float) -> bool:
    """Whether a size differs from the system's only because it was set on a widget above, and scaled there."""
    return size > 0 and abs(size - now) > _NEAR
