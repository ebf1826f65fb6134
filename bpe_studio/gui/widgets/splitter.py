"""A splitter whose handles are empty, and show a line under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSplitter, QSplitterHandle

HANDLE_PX = 9
LINE_PX = 2


class Splitter(QSplitter):
    """Parts next to each other or one above the other, none of which can be closed by dragging."""

    def __init__(self, orientation: Qt.Orientation, handle_px: int = HANDLE_PX) -> None:
        super().__init__(orientation)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(handle_px)

    def createHandle(self) -> QSplitterHandle:
        return SplitterHandle(self.orientation(), self)


class SplitterHandle(QSplitterHandle):
    """The room between two parts, which drags their border."""

    def __init__(self, orientation: Qt.Orientation, splitter: QSplitter) -> None:
        super().__init__(orientation, splitter)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.underMouse():
            return
        rect, middle = self.rect(), self.rect().center()
        if self.orientation() == Qt.Orientation.Horizontal:
            line = QRect(middle.x(), rect.top(), LINE_PX, rect.height())
        else:
            line = QRect(rect.left(), middle.y(), rect.width(), LINE_PX)
        QPainter(self).fillRect(line, self.palette().color(QPalette.ColorRole.Mid))
