"""Context menus of Qt's own widgets, shown without an event loop of their own.

For the menu of a spin box, of a scroll bar and of a widget's actions, Qt runs a loop inside the
event. Everything that happens until the menu is closed then happens below that event, and if the
window is closed there, the loop never ends.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QLineEdit,
    QMenu,
    QScrollBar,
    QWidget,
)

_Policy = Qt.ContextMenuPolicy


def without_loop(widget: QWidget) -> None:
    """Keep a widget from showing a context menu that runs a loop.

    `Style` calls it for each widget before the widget is first shown.
    """
    if isinstance(widget, QScrollBar):
        widget.setContextMenuPolicy(_Policy.PreventContextMenu)
    elif isinstance(widget, QAbstractSpinBox):
        widget.setContextMenuPolicy(_Policy.PreventContextMenu)
        for field in widget.findChildren(QLineEdit):
            field.setContextMenuPolicy(_Policy.DefaultContextMenu)
    elif widget.contextMenuPolicy() is _Policy.ActionsContextMenu:
        pop_up_actions(widget)


def pop_up_actions(widget: QWidget) -> None:
    """Show a widget's actions as its context menu."""
    widget.setContextMenuPolicy(_Policy.CustomContextMenu)
    widget.customContextMenuRequested.connect(partial(_pop_up, widget))


def _pop_up(widget: QWidget, place: QPoint) -> None:
    menu = QMenu(widget)
    menu.setToolTipsVisible(True)
    menu.addActions(widget.actions())
    menu.aboutToHide.connect(menu.deleteLater)
    seen = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    menu.popup(seen.mapToGlobal(place))
