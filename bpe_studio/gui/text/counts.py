"""What is counted of the typed text, and the line that says so."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale


@dataclass(frozen=True)
class TextCounts:
    """What is counted of a text.

    Attributes:
        n_characters: code points.
        n_bytes: of its UTF-8.
        n_words: stretches between white space.
        n_tokens: None where there is no run.
        n_unknown: tokens that are no symbol of the alphabet.
    """

    n_characters: int
    n_bytes: int
    n_words: int
    n_tokens: int | None = None
    n_unknown: int = 0

    def phrases(self) -> list[tuple[str, str]]:
        """Each number and what it counts."""
        locale = grouping_locale()
        number = locale.toString
        found = [
            (number(self.n_characters), "character" if self.n_characters == 1 else "characters"),
            (number(self.n_bytes), "byte" if self.n_bytes == 1 else "bytes"),
        ]
        if self.n_tokens is not None:
            found.append((number(self.n_tokens), "token" if self.n_tokens == 1 else "tokens"))
            if self.n_tokens:
                found.append((locale.toString(self.n_characters / self.n_tokens, "f", 2), "characters per token"))
            if self.n_words:
                found.append(
                    (locale.toString(self.n_tokens / self.n_words, "f", 2), "tokens per whitespace word (fertility)")
                )
            found.append((number(self.n_unknown), "unknown"))
        return found


class CountsLine(QLabel):
    """Counts in one wrapped line: the numbers strong, what they count muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: TextCounts | None = None
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setToolTip(
            "Of the typed text at the step: characters are code points, bytes are UTF-8, unknown are symbols that the "
            "alphabet lacks\nFertility: tokens of this text over its words between white space"
        )

    def show_counts(self, counts: TextCounts) -> None:
        """Say other counts."""
        self._counts = counts
        muted = theme.muted(self.palette()).name()
        # A number stays on the line of what it counts.
        words = [
            f"<b>{number}</b>&nbsp;<span style='color: {muted}'>{what.replace(' ', '&nbsp;')}</span>"
            for number, what in counts.phrases()
        ]
        self.setText(" &nbsp; ".join(words))
        self.setAccessibleDescription(", ".join(" ".join(phrase) for phrase in counts.phrases()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._counts is not None:
            self.show_counts(self._counts)
