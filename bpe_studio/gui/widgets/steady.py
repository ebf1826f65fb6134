"""A place for a label that says something else sixty times a second: the window is laid out anew only when it must be.

A label that is given another text asks its parent's layout for room, that layout asks its parent's, and so on up to
the window, which then lays out all docks: 2 ms for one number. Most texts need the room that the text before had.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class StableSize(QWidget):
    """Holds one widget and passes on what room it needs, but asks for other room only when that has changed.

    Args:
        content: what is held; its width is the layout's to choose, as with a size policy of `Ignored`.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self._needs = (-1, -1)
        self.setSizePolicy(content.sizePolicy())
        content.setParent(self)

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        content = self._content
        return content.minimumSizeHint().expandedTo(content.minimumSize()).boundedTo(content.maximumSize())

    def hasHeightForWidth(self) -> bool:
        return self._content.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        return self._content.heightForWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._content.resize(self.size())

    def event(self, event: QEvent) -> bool:
        # This widget has no layout, so what the content asks for comes here and goes no further by itself.
        if event.type() == QEvent.Type.LayoutRequest:
            needs = self._needed()
            if needs != self._needs:
                self._needs = needs
                self.updateGeometry()
        return super().event(event)

    def _needed(self) -> tuple[int, int]:
        """The heights that count; hints of text that wraps take three layouts, and its height at this width one."""
        if self.hasHeightForWidth():
            return self.heightForWidth(self.width()), 0
        return self.sizeHint().height(), self.minimumSizeHint().height()
