"""The line of counts under the typed text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook

if TYPE_CHECKING:
    from bpe_studio.explain.text_counts import TextCounts


class CountsLine(FollowsLook, QLabel):
    """Counts in one wrapped line, with bold numbers and muted labels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: TextCounts | None = None
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setToolTip(
            "Of the typed text at the step: characters are code points, bytes are UTF-8, unknown are symbols that are "
            "not in the alphabet\nFertility: tokens of this text over its words between white space"
        )
        self.follow_look(fit_now=False)

    def show_counts(self, counts: TextCounts) -> None:
        """Show counts."""
        self._counts = counts
        muted = theme.muted(self.palette()).name()
        # A number and its label stay on the same line.
        words = [
            f"<b>{number}</b>&nbsp;<span style='color: {muted}'>{what.replace(' ', '&nbsp;')}</span>"
            for number, what in counts.phrases()
        ]
        self.setText(" &nbsp; ".join(words))
        self.setAccessibleDescription(", ".join(" ".join(phrase) for phrase in counts.phrases()))

    def palette_changed(self) -> None:
        if self._counts is not None:
            self.show_counts(self._counts)
