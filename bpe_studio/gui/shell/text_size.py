"""The size of everything in the window: a share of the system's text size, set in the menu View.
Icons, rows, plots and fields take their sizes from the font, so only the font of the application is
changed. Qt passes it on to the widgets that inherit it, but not to widgets with a font size of
their own (numbers, titles), nor to other windows. The former are scaled by the same factor; the
latter are made to inherit again.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from bpe_studio.gui.look.style import Style
from bpe_studio.gui.widgets.window_settings import WindowSettings

PERCENTS = (75, 90, 100, 110, 125, 150, 175, 200)
_NEAR = 0.05
_SYSTEM = "system_points"
_SET = "set_points"
"""Properties of the application: the system's size, and the size that was set instead of it."""


class TextSize(QObject):
    """Sets the size; the window follows it, and the system's size.

    Args:
        window: the window; the parent.
        memory: remembers the size.
    """

    def __init__(self, window: QWidget, memory: WindowSettings) -> None:
        super().__init__(window)
        self._window = window
        self._memory = memory
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.follow)
        window.installEventFilter(self)
        self._set()
        self._size = QApplication.font().pointSizeF()

    @property
    def percent(self) -> int:
        """The size, in percent of the system's."""
        return min(PERCENTS, key=lambda each: abs(each - self._memory.zoom))

    @Slot()
    def enlarge(self) -> None:
        """Choose the next larger size."""
        self._choose(min((each for each in PERCENTS if each > self.percent), default=PERCENTS[-1]))

    @Slot()
    def reduce(self) -> None:
        """Choose the next smaller size."""
        self._choose(max((each for each in PERCENTS if each < self.percent), default=PERCENTS[0]))

    @Slot()
    def reset(self) -> None:
        """Choose the system's size."""
        self._choose(100)

    def _choose(self, percent: int) -> None:
        self._memory.zoom = percent
        self._set()

    def _set(self) -> None:
        """Set the font of the application.
        If something else has set it last, it has the system's size.
        """
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        font = QFont(application.font())
        was_set = application.property(_SET)
        if was_set is None or abs(was_set - font.pointSizeF()) >= _NEAR:
            application.setProperty(_SYSTEM, font.pointSizeF())
        points = application.property(_SYSTEM) * self.percent / 100
        Style.scale = self.percent / 100
        application.setProperty(_SET, points)
        if points > 0 and abs(points - font.pointSizeF()) > _NEAR:
            font.setPointSizeF(points)
            application.setFont(font)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._soon.start()
        return False

    @Slot()
    def follow(self) -> None:
        """Scale every widget of the window to the size."""
        self._soon.stop()
        self._set()
        before = self._size
        now = QApplication.font().pointSizeF()
        if before <= 0 or now <= 0 or abs(now - before) < _NEAR:
            return
        self._size = now
        for inner in self._window.findChildren(QMainWindow):
            inner.setFont(QFont())
        # Parents come before their children, which inherit the change.
        for widget in self._window.findChildren(QWidget):
            size = widget.font().pointSizeF()
            parent = widget.parentWidget()
            if size > 0 and abs(size - now) > _NEAR and parent is not None:
                inherited = parent.font().pointSizeF()
                if abs(size - inherited) > _NEAR or abs(inherited - now) < _NEAR:
                    font = QFont(widget.font())
                    font.setPointSizeF(size * now / before)
                    widget.setFont(font)
