"""Whether a person can see something of a widget now, also where all that is seen of it is what stands in it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def is_in_sight(widget: QWidget) -> bool:
    """Whether any of a widget can be seen.

    Qt's `visibleRegion` leaves out what opaque children cover: of an area that scrolls, and has no margin, that is all.
    """
    if not widget.isVisible():
        return False
    return any(
        not each.visibleRegion().isEmpty() for each in (widget, *widget.findChildren(QWidget)) if each.isVisible()
    )
