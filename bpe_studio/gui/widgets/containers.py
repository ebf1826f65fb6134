"""Containers of other widgets: rows and columns, scroll areas, and a container with a
stable size.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
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
"""Left, top, right and bottom margins of a panel; the top is smaller, as it is below a heading."""
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
            part, stretch, alignment = (
                (*item, _ANYWHERE)[:3] if isinstance(item, tuple) else (item, 0, _ANYWHERE)
            )
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
    """Parts whose border is dragged, none of which can be closed by that, each with its share of
    the room.
    """
    whole = QSplitter(orientation)
    whole.setChildrenCollapsible(False)
    for place, (part, share) in enumerate(parts):
        whole.addWidget(part)
        whole.setStretchFactor(place, share)
    sizes = [10 * share for _, share in parts]
    whole.setSizes(sizes)
    return whole


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
    """Whether a widget belongs to what a main window would show that was never shown, as when a
    program drives it.
    """
    window = widget.window()
    was_shown = window.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
    return isinstance(window, QMainWindow) and not was_shown and widget.isVisibleTo(window)


class StableSize(QWidget):
    """Holds one widget, and requests a new layout only if the height that the widget needs has
    changed.

    For labels that change 60 times a second: when a label gets another text, the layouts of all its
    ancestors up to the window are redone, which takes 2 ms because all panels are laid out again.
    Most texts need the same height as the one before.

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
        """The heights that matter; for wrapped text only its height at this width, as its hints
        cost three layouts.
        """
        if self.hasHeightForWidth():
            return self.heightForWidth(self.width()), 0
        return self.sizeHint().height(), self.minimumSizeHint().height()
