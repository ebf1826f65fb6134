"""Containers of other widgets: rows and columns, scroll areas, and a container with a
stable size.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QMainWindow,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

TIGHT_PX = 4
"""Spacing inside a group of controls."""
SPACING_PX = 8
"""Spacing between controls."""
MARGIN_PX = 12
"""The margin around a panel's content."""
GROUP_PX = 16
"""Spacing between groups."""
PANEL_MARGINS = (MARGIN_PX, TIGHT_PX, MARGIN_PX, MARGIN_PX)
"""Left, top, right and bottom margins of a panel; the top is small, because a heading is above."""
STRETCH = "stretch"
"""An item that takes the space that is left over."""

Box = TypeVar("Box", bound=QBoxLayout)
Margins = int | tuple[int, int, int, int]
Part = QWidget | QLayout
Item = Part | int | str | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag]
_ANYWHERE = Qt.AlignmentFlag(0)


def row(
    *items: Item, parent: QWidget | None = None, spacing: int = SPACING_PX, margins: Margins = 0
) -> QHBoxLayout:
    """A layout of widgets and layouts next to each other.

    Args:
        items: a widget or a layout; with a stretch factor, `(widget, 1)`, or also an alignment,
            `(widget, 0, top)`; an int for spacing in pixels; `STRETCH` for the space that is left
            over.
        parent: the widget that gets the layout; None for a layout inside another one.
        spacing: the spacing between items, in pixels.
        margins: the margins in pixels: one for all sides, or left, top, right and bottom.

    Example:
        `row((self.filter, 1), self.count)`
    """
    return _filled(QHBoxLayout(), items, parent, spacing, margins)


def column(
    *items: Item, parent: QWidget | None = None, spacing: int = SPACING_PX, margins: Margins = 0
) -> QVBoxLayout:
    """A layout of widgets and layouts below each other; see `row`.

    Example:
        `column(top, (self.table, 1), parent=self, margins=PANEL_MARGINS)`
    """
    return _filled(QVBoxLayout(), items, parent, spacing, margins)


def _item(
    item: Part | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag],
) -> tuple[Part, int, Qt.AlignmentFlag]:
    """A widget or layout with its stretch factor and its alignment."""
    if not isinstance(item, tuple):
        return item, 0, _ANYWHERE
    if len(item) == 2:
        return *item, _ANYWHERE
    return item


def _filled(
    box: Box, items: tuple[Item, ...], parent: QWidget | None, spacing: int, margins: Margins
) -> Box:
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
            part, stretch, alignment = _item(item)
            if isinstance(part, QWidget):
                box.addWidget(part, stretch, alignment)
            else:
                box.addLayout(part, stretch)
    return box


def scrolled(content: QWidget, name: str, *, sideways: bool = False) -> QScrollArea:
    """A frameless area that scrolls its content vertically, or horizontally.

    It takes no keyboard focus itself.
    """
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


def divided(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """Parts with borders that can be dragged, and their shares of the room; none can be closed."""
    whole = QSplitter(orientation)
    whole.setChildrenCollapsible(False)
    for place, (part, share) in enumerate(parts):
        whole.addWidget(part)
        whole.setStretchFactor(place, share)
    sizes = [10 * share for _, share in parts]
    whole.setSizes(sizes)
    return whole


def line(shape: QFrame.Shape, parent: QWidget | None = None) -> QFrame:
    """A thin line between parts, `QFrame.Shape.HLine` or `VLine`."""
    drawn = QFrame(parent)
    drawn.setFrameShape(shape)
    drawn.setFrameShadow(QFrame.Shadow.Plain)
    drawn.setForegroundRole(QPalette.ColorRole.Mid)
    return drawn


def is_in_sight(widget: QWidget) -> bool:
    """Whether any part of a widget is on the screen.

    Qt's `visibleRegion` excludes what opaque children cover, which is all of a scroll area without
    margins.
    """
    if not widget.isVisible():
        return would_be_shown(widget)
    return any(
        not each.visibleRegion().isEmpty()
        for each in (widget, *widget.findChildren(QWidget))
        if each.isVisible()
    )


def would_be_shown(widget: QWidget) -> bool:
    """Whether a main window that was never shown, for example in a test, would show a widget."""
    window = widget.window()
    was_shown = window.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
    return isinstance(window, QMainWindow) and not was_shown and widget.isVisibleTo(window)


class StableSize(QWidget):
    """Holds one widget, and requests a new layout only if the height that the widget needs has
    changed.

    It is for labels that change 60 times a second. Another text in a label makes Qt lay out all its
    ancestors up to the window again, which takes 2 ms. Most texts need the same height as the one
    before.

    Args:
        content: the widget; it gets the width that the layout gives, as with a size policy of
            `Ignored`.
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
        return (
            content.minimumSizeHint()
            .expandedTo(content.minimumSize())
            .boundedTo(content.maximumSize())
        )

    def hasHeightForWidth(self) -> bool:
        return self._content.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        return self._content.heightForWidth(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._content.resize(self.size())

    def event(self, event: QEvent) -> bool:
        # Without a layout, the request of the content arrives here and is not passed on.
        if event.type() == QEvent.Type.LayoutRequest:
            needs = self._needed()
            if needs != self._needs:
                self._needs = needs
                self.updateGeometry()
        return super().event(event)

    def _needed(self) -> tuple[int, int]:
        """The heights that matter; for wrapped text only one, because hints cost three layouts."""
        if self.hasHeightForWidth():
            return self.heightForWidth(self.width()), 0
        return self.sizeHint().height(), self.minimumSizeHint().height()
