"""How a plot is drawn, as entries of its own context menu that the window remembers."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.widgets.controls import named


class Remembers(Protocol):
    """Keeps choices from one session to the next."""

    def get(self, key: str, otherwise: bool) -> bool:
        """Read a choice."""

    def put(self, key: str, value: bool) -> None:
        """Store a choice."""


def axis_choice(plot: QWidget, text: str, name: str, memory: Remembers | None) -> QAction:
    """A choice in the context menu of a plot, which is on until it is switched off.

    Args:
        plot: the widget.
        text: what it is called.
        name: its object name; what it is remembered by.
        memory: keeps it; None for a window of a test.
    """
    action = named(QAction(text, plot), name)
    action.setCheckable(True)
    action.setChecked(memory is None or memory.get(name, True))
    if memory is not None:
        action.toggled.connect(partial(memory.put, name))
    plot.addAction(action)
    plot.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return action
