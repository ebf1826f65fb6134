"""The choice of colours: by the place in the text, or one for each token everywhere."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.tokens import colours
from bpe_studio.gui.widgets.controls import remembered_action
from bpe_studio.gui.widgets.window_settings import WindowSettings

TIP = (
    "Gives a token the same colour everywhere and at every step; otherwise neighbouring tokens"
    " always have different colours"
)


def colour_action(memory: WindowSettings, parent: QWidget) -> QAction:
    """The action of the menu *View*, which is checked if each token has one colour everywhere."""
    action = remembered_action(
        "Colour by &token", "view.colour_by_token", TIP, memory, "colour_by_token", parent
    )
    action.toggled.connect(_colour)
    colours.set_by_token(action.isChecked())
    return action


def _colour(by_token: bool) -> None:
    colours.set_by_token(by_token)
    for widget in QApplication.allWidgets():
        if widget.isVisible():
            widget.update()
