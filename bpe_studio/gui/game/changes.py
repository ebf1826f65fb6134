"""The words that a merge changes, before and after it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.why.answers import WordRow, WordRows
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import Chips

MOST_ROWS = 4
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class GameChanges(QWidget):
    """The words that a merge changes; as many as there is room for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game.changes")
        self.setAccessibleName("Words that the merge changes")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._rows: tuple[WordRow, ...] = ()

    @property
    def rows(self) -> tuple[WordRow, ...]:
        """The words, the most frequent first; those without room are not painted."""
        return self._rows

    def show_words(self, words: WordRows | None) -> None:
        """Show the words that a merge changes; None for none."""
        self._rows = () if words is None else words.rows[:MOST_ROWS]
        changes = (
            f"{' | '.join(p.name for p in row.before)} becomes {' | '.join(p.name for p in row.after)}"
            for row in self._rows
        )
        self.setAccessibleDescription("; ".join(changes))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, MOST_ROWS * self._line_px())

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 0)

    def _line_px(self) -> int:
        return round(1.7 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, line = self.palette(), self._line_px()
        metrics = self.fontMetrics()
        count_px = max((metrics.horizontalAdvance(number(row.count)) for row in self._rows), default=0) + 8
        arrow_px = metrics.horizontalAdvance("→") + 20
        half = max(40, (self.width() - count_px - arrow_px) // 2)
        with QPainter(self) as painter:
            for place, row in enumerate(self._rows):
                top = place * line
                if top + line > self.height():
                    break
                before, after = ([piece.name for piece in pieces] for pieces in (row.before, row.after))
                painter.setPen(theme.muted(palette))
                painter.drawText(QRect(half, top, arrow_px, line), _CENTRE, "→")
                painter.drawText(QRect(self.width() - count_px, top, count_px, line), _RIGHT, number(row.count))
                left = QRect(0, top, half, line - 2)
                right = QRect(half + arrow_px, top, half, line - 2)
                Chips(before, row.is_rtl, row.highlighted).paint(painter, left, palette)
                Chips(after, row.is_rtl, row.highlighted_after).paint(painter, right, palette)
