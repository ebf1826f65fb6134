"""A wrapped line of secondary text that keeps its colour in both themes.

A note is help, a state or a warning beside a control. It is not an error presenter: it shows what its owner tells it.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.gui.look import theme

SMALLER = 0.92


class Note(QLabel):
    """A word-wrapped label in the colour of its role.

    Args:
        role: "help" and "plain" say what is; "warning" and "error" begin with a sign, so that colour is not alone.
    """

    def __init__(self, text: str = "", role: str = "help", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._colour()
        self.say(text)

    def say(self, text: str, role: str | None = None) -> None:
        """Show another text, in another role if one is given."""
        if role is not None and role != self._role:
            self._role = role
            self._colour()
        sign = "⚠ " if text and self._role in ("warning", "error") else ""
        self.setText(sign + text)

    @property
    def role(self) -> str:
        """What kind of note it is."""
        return self._role

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        palette = self.palette()
        colour = {
            "help": theme.muted,
            "warning": theme.warning,
            "error": theme.error,
        }.get(self._role, _plain)(palette)
        if palette.color(QPalette.ColorRole.WindowText) != colour:
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)
        if self._role == "help":
            font = QFont(self.font())
            size = font.pointSizeF()
            if size > 0 and not self.property("is_small"):
                self.setProperty("is_small", True)
                font.setPointSizeF(size * SMALLER)
                self.setFont(font)


def _plain(palette: QPalette) -> QColor:
    return palette.color(QPalette.ColorRole.Text)
