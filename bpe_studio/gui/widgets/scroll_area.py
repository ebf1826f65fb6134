"""Areas that scroll what has more height, or width, than the window gives it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


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
