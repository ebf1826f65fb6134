"""Where Tab goes next: to the next control that a person can see.

Qt keeps a dock that is behind another one's tab "visible" and only puts it outside its window, so that Tab would walk
through controls that nobody sees. A window asks this in its `focusNextPrevChild`. What is scrolled out of sight counts
as seen: the scroll area brings it back. It keeps Qt's order and shows nothing.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QWidget


def focus_next(window: QWidget, forwards: bool) -> bool:
    """Gives the keyboard to the control after, or before, the one that has it.

    Args:
        window: within which to go round.
        forwards: as for Tab; otherwise as for Shift+Tab.

    Returns:
        Whether there was another control.
    """
    start = window.focusWidget() or window
    reason = Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason
    widget = start
    while True:
        widget = _neighbour(widget, forwards)
        if widget is start:
            return False
        if takes_tab(widget, window):
            widget.setFocus(reason)
            return True


def _neighbour(widget: QWidget, forwards: bool) -> QWidget:
    """The widget after another one in Qt's order, or before it.

    WORKAROUND: PySide takes what `nextInFocusChain` gives for a child of the widget that was asked. When that one is
    deleted, PySide forgets all that it takes to be below, such as the document of an editor that still stands. Setting
    the parents that there are changes nothing in Qt, and puts this right.
    """
    found = widget.nextInFocusChain() if forwards else widget.previousInFocusChain()
    child: QWidget | None = found
    while child is not None:
        parent = child.parentWidget()
        child.setParent(parent)
        child = parent
    return found


def takes_tab(widget: QWidget, window: QWidget) -> bool:
    """Whether Tab should stop at a widget of this window."""
    policy = Qt.FocusPolicy.TabFocus
    return (
        widget.focusPolicy() & policy == policy
        and widget.focusProxy() is None
        and widget.isEnabled()
        and widget.isVisible()
        and widget.window() is window
        and not is_behind(widget)
    )


def is_behind(widget: QWidget) -> bool:
    """Whether a widget is in a dock that stands behind another one's tab."""
    dock: QWidget | None = widget
    while dock is not None and not isinstance(dock, QDockWidget):
        dock = dock.parentWidget()
    if dock is None or dock.isFloating():
        return False
    place = dock.parentWidget()
    return place is not None and not place.rect().intersects(dock.geometry())
