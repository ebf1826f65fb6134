"""A read-only paragraph, laid out once for a width, with the places of its characters.

Each grapheme is a cell, measured by `graphemes`. No formats are set on the text, because they would break ligatures,
joiners and combining marks.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QTextLayout, QTextOption

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.tokens.graphemes import LaidOutText


@dataclass(frozen=True)
class Cell:
    """One grapheme.

    Attributes:
        text: its characters.
        start, end: its code points in the text, [start, end).
        rect: its rectangle, relative to the paragraph's top left corner.
        is_rtl: whether it runs from right to left.
    """

    text: str
    start: int
    end: int
    rect: QRectF
    is_rtl: bool


class Paragraph:
    """One line of a text, wrapped.

    Args:
        text: the line as it is painted; it has the same number of code points as the source.
        start: where it begins in the whole text, in code points.
    """

    def __init__(self, text: str, start: int, font: QFont, width: float) -> None:
        self.text = text
        self.start = start
        self.end = start + len(text)
        is_rtl = self._is_rtl = is_right_to_left(text)
        option = QTextOption(Qt.AlignmentFlag.AlignRight if is_rtl else Qt.AlignmentFlag.AlignLeft)
        # An absolute alignment, as "left" in a right-to-left layout means the side where reading begins.
        option.setAlignment(option.alignment() | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if is_rtl else Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setFlags(QTextOption.Flag.IncludeTrailingSpaces)
        self._layout = QTextLayout(text, font)
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        self.height = self._break_lines(width)
        self._cells: list[Cell] | None = None

    def cells(self) -> list[Cell]:
        """The cells, in the order of the text."""
        if self._cells is None:
            self._cells = self._measure()
        return self._cells

    def draw(self, painter: QPainter, place: QPointF) -> None:
        """Paint the text with the painter's pen."""
        self._layout.draw(painter, place)

    def _break_lines(self, width: float) -> float:
        y = 0.0
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, y))
            y += line.height()
        self._layout.endLayout()
        return y

    def _measure(self) -> list[Cell]:
        laid_out = LaidOutText(self._layout, self.text, is_rtl=self._is_rtl)
        found = []
        for line in laid_out.lines:
            cells, top, height = laid_out.cells(line), line.y(), line.height()
            points = [laid_out.point(unit) for unit in cells.starts]
            for begin, end, left, right, is_rtl in zip(points, points[1:], *cells[1:], strict=False):
                rect = QRectF(left, top, right - left, height)
                found.append(Cell(self.text[begin:end], self.start + begin, self.start + end, rect, is_rtl))
        return found
