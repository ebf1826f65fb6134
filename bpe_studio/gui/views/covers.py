"""The frames and covers of lessons and the game, which point at a panel or hide an answer."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.views.layouts import INSIDE, PANELS

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Question
    from bpe_studio.gui.views.lazy_panels import LazyPanels

LINES = {
    "text.counts": "text",
    "skyline.readout": "skyline",
    "status": "",
    "transport": "",
}
"""The lines of numbers that can be covered: the names of their widgets, and their panels."""
HARMLESS = frozenset({"text", "words", "merges", "settings", "marks", "learn"})
"""The panels that show nothing after the step; *Merges* leaves out later merges."""
HIDDEN = "Hidden until you answer"

FRAME_PX = 3
_MOVING = (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.ChildAdded)


class Cover(QWidget):
    """Covers a widget and everything in it.

    Args:
        over: the widget, its parent.
    """

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setObjectName("lesson.cover")
        self.setAccessibleName(HIDDEN)
        self.setAutoFillBackground(True)
        over.installEventFilter(self)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.place)
        self.place()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVING:
            self._soon.start()
        return False

    @Slot()
    def place(self) -> None:
        """Cover the whole widget."""
        self.setGeometry(self._over.rect())
        self.raise_()


class LookFrame(Cover):
    """A frame around a panel; it lets the mouse through."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("lesson.frame")
        self.setAccessibleName("")
        self.setAutoFillBackground(False)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def place(self) -> None:
        super().place()
        inner = self.rect().adjusted(FRAME_PX, FRAME_PX, -FRAME_PX, -FRAME_PX)
        # The mask excludes the inside, so that the panel is painted as usual.
        self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(QPen(theme.muted(self.palette()), 2 * FRAME_PX))
            painter.drawRect(self.rect())


def covered_by(question: Question, look: str | None) -> frozenset[str]:
    """The panels and lines that are covered while a question of a lesson is open.

    Nothing after the step is visible, and no number that the learner should count.

    Args:
        question: the question.
        look: the panel that the step is about. It stays visible, unless the question asks for the
            next pair.
    """
    covered = frozenset({*PANELS, *LINES}) - HARMLESS
    if look is None or question.kind == "pair":
        return covered
    return covered - {look, INSIDE.get(look, look)}


class Covers:
    """Hides panels and lines of numbers while they would reveal an answer.

    Args:
        window: the main window.
        panels: the panels by their keys.
    """

    def __init__(self, window: QWidget, panels: LazyPanels) -> None:
        self._window = window
        self._panels = panels
        self._covers: dict[str, Cover] = {}

    @property
    def keys(self) -> frozenset[str]:
        """The panels and lines that are covered."""
        return frozenset(key for key, cover in self._covers.items() if not cover.isHidden())

    def show(self, keys: Set[str]) -> None:
        """Cover these panels and lines, by their keys, and no others."""
        for key in keys - self._covers.keys():
            self._covers[key] = Cover(self._over(key))
        for key, cover in self._covers.items():
            cover.place()
            cover.setVisible(key in keys)

    def _over(self, key: str) -> QWidget:
        if key in PANELS:
            return self._panels.place(key)
        if LINES[key]:
            _ = self._panels[LINES[key]]  # made now, because the line must exist to be covered
        over = self._window.findChild(QWidget, key)
        assert isinstance(over, QWidget)
        return over
