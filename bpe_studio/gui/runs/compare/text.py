"""A text as two runs cut it, side by side, with the differences highlighted.

Tokens that both have are faded; the others keep their colours, with the marks of `tokens/cut_text.py` where one cuts
and the other has merged.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QColor, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.explain.cut_text import CutText
from bpe_studio.explain.runs.comparison import CutSide, RunComparison
from bpe_studio.explain.runs.vocabularies import VocabularyComparison
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.tokens.cut_text import CompareText, tokens_of
from bpe_studio.gui.tokens.paragraph import Paragraph
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

FADED = 0.78
_BETWEEN_PX = 12


class DifferingText(CompareText):
    """A text as one run cuts it; the tokens that both have are faded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cut: CutSide | None = None

    def show_cut(self, cut: CutSide | None) -> None:
        """Show a cut text; None for none."""
        self._cut = cut
        self.set_content(None if cut is None else cut.content)

    def _paint_tokens(
        self, painter: QPainter, content: CutText, paragraph: Paragraph, colours: Sequence[QColor]
    ) -> None:  # fmt: skip
        super()._paint_tokens(painter, content, paragraph, list(colours))
        if self._cut is None:
            return
        veil = theme.with_alpha(self.palette().color(QPalette.ColorRole.Base), FADED)
        for token in range(*tokens_of(content, paragraph)):
            if not self._cut.is_own[token]:
                for rect in paragraph.rects(float(content.starts[token]), float(content.ends[token])):
                    painter.fillRect(rect, veil)


class DifferingTexts(FollowsLook, QWidget):
    """Two columns, each with its number of tokens above; they scroll together."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.which = Note("", "help", self)
        self.which.setObjectName("branches.text_which")
        self.texts = (DifferingText(self), DifferingText(self))
        self.headings = (QLabel(self), QLabel(self))
        row = QHBoxLayout()
        row.setSpacing(_BETWEEN_PX)
        for side, letter, text, heading in zip(("left", "right"), "AB", self.texts, self.headings, strict=True):
            named(text, f"branches.text_{side}", f"The text as {letter} tokenizes it")
            heading.setObjectName(f"branches.text_{side}_heading")
            heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(heading)
            column.addWidget(text, 1)
            row.addLayout(column, 1)
            text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(row, 1)
        whole.addWidget(self.which)
        self.follow_look(fit_now=False)

    def show_difference(self, difference: RunComparison | VocabularyComparison | None) -> None:
        """Show the text of a comparison; None for none."""
        cuts = () if difference is None else difference.cut
        for k, (text, heading, letter) in enumerate(zip(self.texts, self.headings, "AB", strict=True)):
            cut = cuts[k] if cuts else None
            text.show_cut(cut)
            if cut is None:
                heading.setText("")
                continue
            n_own = int(cut.is_own.sum())
            more = cut.n_tokens - cuts[1 - k].n_tokens
            change = "" if k == 0 or not more else f" ({'+' if more > 0 else '−'}{number(abs(more))})"
            heading.setText(f"{letter}: {plural(cut.n_tokens, 'token')}{change}, {number(n_own)} differ")
            heading.setToolTip(
                "Tokens of the whole text, and how many of those that are drawn the other tokenizes differently"
            )
            text.setAccessibleDescription(heading.text())
        self.which.set_message("" if difference is None else _which(difference))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Columns whose widths differ by a pixel may break lines at different words.
        for text in self.texts:
            text.setMaximumWidth(max(1, (self.width() - _BETWEEN_PX) // 2))

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for text in self.texts:
            text.verticalScrollBar().setValue(value)

    def palette_changed(self) -> None:
        for text in self.texts:
            text.viewport().update()


def _which(difference: RunComparison | VocabularyComparison) -> str:
    if not difference.text:
        return "Type a text to see how both tokenize it"
    if not difference.cut:
        return "One of them cannot encode this text"
    whose = "The beginning of the corpus, as nothing is typed" if difference.is_excerpt else "Your text"
    if not any(cut.is_own.any() for cut in difference.cut):
        return f"{whose}: both tokenize it alike"
    marks = "▴\u00a0boundary\u00a0here\u00a0only  ‿\u00a0merged\u00a0here\u00a0only"
    return f"{whose}; what both tokenize alike is faded.  {marks}"
