"""The line of counts under the typed text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook

if TYPE_CHECKING:
    from bpe_studio.explain.text_counts import TextCounts


SHORTER = {
    "characters per token": "characters/token",
    "tokens per whitespace word (fertility)": "fertility",
}
"""Labels where there is no room for all in one line; the tooltip says what they mean."""


class CountsLine(FollowsLook, QLabel):
    """Counts in one wrapped line, with bold numbers and muted labels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: TextCounts | None = None
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setToolTip(
            "Characters are code points, bytes are UTF-8; unknown symbols are not in the alphabet\n"
            "Fertility: tokens per whitespace word"
        )
        self.follow_look(fit_now=False)

    def show_counts(self, counts: TextCounts) -> None:
        """Show counts."""
        self._counts = counts
        phrases = counts.phrases()
        self.setAccessibleDescription(", ".join(" ".join(phrase) for phrase in phrases))
        if self._width_of(phrases) > self.width():
            phrases = [(number, SHORTER.get(what, what)) for number, what in phrases]
        muted = theme.muted(self.palette()).name()
        # A number and its label stay on the same line.
        words = [
            f"<b>{number}</b>&nbsp;<span style='color:"
            f" {muted}'>{what.replace(' ', '&nbsp;')}</span>"
            for number, what in phrases
        ]
        self.setText(" &nbsp; ".join(words))

    def _width_of(self, phrases: list[tuple[str, str]]) -> int:
        """How wide a line is; numbers are bold."""
        bold = QFont(self.font())
        bold.setBold(True)
        numbers = QFontMetrics(bold).horizontalAdvance("".join(number for number, _ in phrases))
        return numbers + self.fontMetrics().horizontalAdvance(
            "   ".join(f" {what}" for _, what in phrases)
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.palette_changed()

    def palette_changed(self) -> None:
        if self._counts is not None:
            self.show_counts(self._counts)
