"""A label whose accessible name says what it shows, and whose text is said with it.

Qt says a label's accessible name in the place of its text, so that a named number would never be heard. What is shown
is kept here as the description too. Nothing else differs from a plain label.
"""

from __future__ import annotations

from PySide6.QtWidgets import QLabel


class AccessibleLabel(QLabel):
    """A label with a name that screen readers say before its text."""

    def setText(self, text: str) -> None:
        super().setText(text)
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
