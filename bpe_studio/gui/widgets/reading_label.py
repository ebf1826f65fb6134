"""A text that is read: wrapped, in the direction of its language, and to be copied with the mouse."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.explain.names import is_right_to_left

MOST_UNBROKEN = 32
_TOKENS = re.compile(r"\S+(?: [·+] \S+)+")


class ReadingLabel(QLabel):
    """A wrapped text.

    Args:
        name: its objectName.
        said: what it is called.
    """

    def __init__(self, name: str, said: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(said)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def say(self, text: str) -> None:
        """Show another text."""
        if text != self.accessibleDescription():
            side = Qt.AlignmentFlag.AlignRight if is_right_to_left(text) else Qt.AlignmentFlag.AlignLeft
            self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop)
            self.setText(unbroken(text))
            self.setAccessibleDescription(text)


def unbroken(text: str) -> str:
    """The text with a pair or a short cut, such as ``b · ug``, kept on one line."""
    return _TOKENS.sub(
        lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}") if len(found[0]) <= MOST_UNBROKEN else found[0], text
    )
