"""The place of the window: wholly on a screen, at the start and when a screen goes or shrinks.
The stored place may belong to a larger screen, or to one that no longer exists. If the screen is
too small, the window becomes smaller, and its content scrolls or folds.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.widgets.window_settings import WindowSettings

FIRST_SIZE = QSize(1440, 900)
LEAST_SIZE = QSize(480, 320)
FRAME = QMargins(8, 40, 8, 8)
"""Room for the frame and the title bar that a desktop puts around the window."""


class WindowPlace(QObject):
    """Restores and stores the place of a window.

    Args:
        window: the window; the parent.
        memory: stores its place.
    """

    def __init__(self, window: QWidget, memory: WindowSettings) -> None:
        super().__init__(window)
        self._window = window
        self._memory = memory
        window.setMinimumSize(LEAST_SIZE)
        window.setGeometry(fitted(memory.place, screens()))
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.fit)
        window.installEventFilter(self)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenAdded.connect(self._on_screen_added)
        application.screenRemoved.connect(self._on_screens_changed)
        for screen in QGuiApplication.screens():
            self._on_screen_added(screen)

    @Slot(QScreen)
    def _on_screen_added(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._on_screens_changed)

    @Slot()
    def _on_screens_changed(self) -> None:
        self._soon.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowStateChange, QEvent.Type.Show):
            # For example, it is no longer maximized, and on another screen than before.
            self._soon.start()
        return False

    @Slot()
    def fit(self) -> None:
        """Move the window onto a screen, and make it no larger than that."""
        self._soon.stop()
        window = self._window
        if not window.windowState() & (
            Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen
        ):
            place = fitted(window.geometry(), screens())
            if place != window.geometry():
                window.setGeometry(place)

    def show(self) -> None:
        """Show the window as it was when it was closed; the first time it fills a small screen."""
        is_first = self._memory.place is None
        if self._memory.was_maximized or (is_first and self._window.size() != FIRST_SIZE):
            self._window.showMaximized()
        else:
            self._window.show()

    def turn_full_screen(self) -> None:
        """Fill the screen, or restore the state before."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def store(self) -> None:
        """Store the place of the window while it does not fill the screen."""
        window = self._window
        place = window.normalGeometry()
        if window.windowState() == Qt.WindowState.WindowNoState:
            place = window.geometry()
        self._memory.store_place(place, is_maximized=window.isMaximized())


def screens() -> list[QRect]:
    """The available area of each screen; empty if there is no screen."""
    if QGuiApplication.platformName() == "offscreen":
        return []
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def fitted(place: QRect | None, areas: Sequence[QRect]) -> QRect:
    """The place nearest to the wanted one that is wholly on a screen.

    Args:
        place: the wanted place, without frame and title bar; None for the first time.
        areas: the available area of each screen; the first is the primary one.
    """
    if place is None or place.isEmpty():
        place = QRect(QPoint(0, 0), FIRST_SIZE)
        if areas:
            place.moveCenter(areas[0].center())
    if not areas:
        return place
    wanted = place
    area = max(areas, key=lambda each: _shared(wanted, each)).marginsRemoved(FRAME)
    size = wanted.size().boundedTo(area.size())
    left = min(max(wanted.left(), area.left()), area.right() + 1 - size.width())
    top = min(max(wanted.top(), area.top()), area.bottom() + 1 - size.height())
    return QRect(QPoint(left, top), size)


def _shared(rect: QRect, screen: QRect) -> int:
    both = rect.intersected(screen)
    return max(0, both.width()) * max(0, both.height())
