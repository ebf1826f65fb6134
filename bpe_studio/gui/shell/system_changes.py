"""Makes an open window follow the system's text size and theme where Qt does not.

Qt passes a changed application font on to the widgets that inherit it, but not to those with a font size of their own
(numbers, titles), nor to other windows. The former are scaled by the factor by which the system's size changed; the
latter are made to inherit again. Widgets with sizes in pixels adapt them themselves.

A widget with a style sheet, and its parents and children, keep the palette with which they were polished;
`PaletteFollower` gives them the palette of the application.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QMainWindow,
    QMenu,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

LATER_MS = 100
_NEAR = 0.05
_ROLES = (
    QPalette.ColorRole.Window,
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Base,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.Button,
    QPalette.ColorRole.ButtonText,
)


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
            for kind in (QAbstractButton, QComboBox, QAbstractSpinBox):
                for styled in self._window.findChildren(kind):
                    if styled.styleSheet():
                        styled.setStyleSheet(styled.styleSheet())  # it keeps the font of the time when it was set
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


class PaletteFollower(QObject):
    """Gives the widgets of a window the application's palette where Qt does not.

    What is seen follows at once; everything follows again after the widgets with a style sheet, which follow one pass
    of the event loop later.

    Args:
        window: whose widgets; the parent.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._update_all)

    def follow(self) -> None:
        """Call it after the palette of the application has changed."""
        update_palettes([widget for widget in self._window.findChildren(QWidget) if widget.isVisible()])
        self._later.start(0)

    def follow_later(self) -> None:
        """Follow after the window is painted: for colours with which it was just made."""
        self._later.start(LATER_MS)

    @Slot()
    def _update_all(self) -> None:
        update_palettes(self._window.findChildren(QWidget))


def update_palettes(widgets: Iterable[QWidget]) -> None:
    """Gives each widget without colours of its own those of the application, where it lacks them."""
    wanted = QApplication.palette()
    lacking: dict[int, bool] = {}
    for widget in widgets:
        if not isValid(widget):
            continue
        palette = widget.palette()
        key, has_style = palette.cacheKey(), bool(widget.styleSheet())
        if key not in lacking:
            lacking[key] = any(palette.color(role) != wanted.color(role) for role in _ROLES)
        # The colours that a style sheet gives count as a widget's own.
        if lacking[key] and (has_style or palette.resolveMask() == 0):
            widget.setPalette(QPalette())
        if has_style and isinstance(widget, QTabBar | QAbstractSpinBox | QMenu):
            # The colours that its rules take from the palette are kept too.
            widget.setStyleSheet(widget.styleSheet())
