"""What holds other widgets: rows and columns, areas that scroll, and a place that keeps its size.

Space comes in look.md's steps: 4 inside a control group, 8 between controls, 12 around a panel's content, 16 between
groups.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

TIGHT_PX = 4
"""Inside a control group."""
SPACING_PX = 8
"""Between controls."""
MARGIN_PX = 12
"""Around a panel's content."""
GROUP_PX = 16
"""Between groups."""
PANEL_MARGINS = (MARGIN_PX, SPACING_PX, MARGIN_PX, MARGIN_PX)
"""Left, top, right and bottom of a panel: under a dock's tab less is needed."""
STRETCH = "stretch"
"""An item that takes the room that is left over."""

Box = TypeVar("Box", bound=QBoxLayout)
Margins = int | tuple[int, int, int, int]
Part = QWidget | QLayout
Item = Part | int | str | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag]
_ANYWHERE = Qt.AlignmentFlag(0)


def row(*items: Item, parent: QWidget | None = None, spacing: int = SPACING_PX, margins: Margins = 0) -> QHBoxLayout:
    """Widgets and layouts side by side.

    Args:
        items: a widget or a layout; with a stretch factor, `(widget, 1)`, and an alignment, `(widget, 0, top)`; a
            number for so many pixels of room; `STRETCH` for the room that is left over.
        parent: the widget that is laid out.
        spacing: between the items.
        margins: around them: one for all sides, or left, top, right and bottom.

    Example:
        `row((self.filter, 1), self.count)`
    """
    return _filled(QHBoxLayout(), items, parent, spacing, margins)


def column(*items: Item, parent: QWidget | None = None, spacing: int = SPACING_PX, margins: Margins = 0) -> QVBoxLayout:
    """Widgets and layouts below each other; see `row`.

    Example:
        `column(top, (self.table, 1), parent=self, margins=PANEL_MARGINS)`
    """
    return _filled(QVBoxLayout(), items, parent, spacing, margins)


def _filled(box: Box, items: tuple[Item, ...], parent: QWidget | None, spacing: int, margins: Margins) -> Box:
    if parent is not None:
        parent.setLayout(box)
    left, top, right, bottom = margins if isinstance(margins, tuple) else (margins,) * 4
    box.setContentsMargins(left, top, right, bottom)
    box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addSpacing(item)
        elif isinstance(item, str):
            box.addStretch(1)
        else:
            part, stretch, alignment = (*item, _ANYWHERE)[:3] if isinstance(item, tuple) else (item, 0, _ANYWHERE)
            if isinstance(part, QWidget):
                box.addWidget(part, stretch, alignment)
            else:
                box.addLayout(part, stretch)
    return box


def scrolled(content: QWidget, name: str, *, sideways: bool = False) -> QScrollArea:
    """An area without a frame that scrolls up and down, or sideways; the keyboard goes to its content alone."""
    area = QScrollArea()
    area.setObjectName(name)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if sideways:
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    else:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setWidget(content)
    return area


def is_in_sight(widget: QWidget) -> bool:
    """Whether a person can see any of a widget now.

    Qt's `visibleRegion` leaves out what opaque children cover: of an area that scrolls, and has no margin, that is all.
    """
    if not widget.isVisible():
        return False
    return any(
        not each.visibleRegion().isEmpty() for each in (widget, *widget.findChildren(QWidget)) if each.isVisible()
    )


class StableSize(QWidget):
    """Holds one widget and passes on what room it needs, but asks for other room only when that has changed.

    For a label that says something else sixty times a second. A label that is given another text asks its parent's
    layout for room, that layout asks its parent's, and so on up to the window, which then lays out all docks: 2 ms for
    one number. Most texts need the room that the text before had.

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
