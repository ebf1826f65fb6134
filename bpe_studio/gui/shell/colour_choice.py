"""The choice whether tokens are coloured by their place in the text, or each token in one colour everywhere."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.tokens import colours
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.window_settings import WindowSettings

KEY = "colour_by_token"


class ColourChoice(QObject):
    """The action of the menu *View*; the choice is remembered.

    Attributes:
        action: checked where colours go by token.
    """

    def __init__(self, memory: WindowSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._memory = memory
        self.action = named(QAction("Colour by &token", self), f"view.{KEY}")
        self.action.setCheckable(True)
        self.action.setToolTip(
            "Gives a token the same colour everywhere and at every step; otherwise neighbouring tokens always have "
            "different colours"
        )
        self.action.setChecked(bool(memory.get(KEY, True)))
        colours.set_by_token(self.action.isChecked())
        self.action.toggled.connect(self._on_toggled)

    @Slot(bool)
    def _on_toggled(self, is_on: bool) -> None:
        self._memory.put(KEY, is_on)
        colours.set_by_token(is_on)
        for widget in QApplication.allWidgets():
            if widget.isVisible():
                widget.update()
