"""Hands a change of theme on to the widgets that Qt leaves behind.

A widget with a style sheet of its own, and what stands in it or around it, keeps the palette in which it was polished.
"""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

ROLES = (
    QPalette.ColorRole.Window,
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Base,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.Button,
    QPalette.ColorRole.ButtonText,
)


def hand_on(window: QWidget) -> None:
    """Gives each widget of a window that has no colours of its own those of the application, where it lacks them."""
    wanted = QApplication.palette()
    for widget in window.findChildren(QWidget):
        palette = widget.palette()
        # The colours that a style sheet gives count as a widget's own.
        has_none = palette.resolveMask() == 0 or bool(widget.styleSheet())
        if has_none and any(palette.color(role) != wanted.color(role) for role in ROLES):
            widget.setPalette(QPalette())
        if isinstance(widget, QTabBar) and widget.styleSheet():
            # The colours that its rules take from the palette are kept too, tab by tab.
            widget.setStyleSheet(widget.styleSheet())
