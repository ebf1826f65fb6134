"""A read-only paragraph, laid out once for a width, with the places of its characters.

Each grapheme is a cell, measured by `graphemes`, so the places of tokens and cuts at any step follow without a new
layout. No formats are set on the text, because they would break ligatures, joiners and combining marks.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QTextLayout, QTextOption

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.tokens.graphemes import LaidOutText, share_of_bytes

LINE_GAP_PX = 9.0


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

    def part(self, start: float, end: float) -> QRectF:
        """The fraction of the cell's bytes that the code points [start, end) take; they may be fractions."""
        low = share_of_bytes(self.text, start - self.start) if start > self.start else 0.0
        high = share_of_bytes(self.text, end - self.start) if end < self.end else 1.0
        width = self.rect.width()
        left = self.rect.right() - high * width if self.is_rtl else self.rect.left() + low * width
        return QRectF(left, self.rect.top(), (high - low) * width, self.rect.height())


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

    def cell_at(self, place: float) -> Cell | None:
        """The cell of a code point of the whole text."""
        cells = self.cells()
        k = bisect_right(cells, place, key=lambda cell: cell.start) - 1
        return cells[k] if k >= 0 and place < cells[k].end else None

    def rects(self, start: float, end: float) -> list[QRectF]:
        """The rectangles of the code points [start, end) of the whole text, one for each unbroken part."""
        cells = self.cells()
        k = max(0, bisect_right(cells, start, key=lambda cell: cell.start) - 1)
        found: list[QRectF] = []
        while k < len(cells) and cells[k].start < end:
            cell = cells[k]
            k += 1
            if cell.end <= start:
                continue
            rect = cell.part(start, end)
            if found and _touches(found[-1], rect):
                found[-1] = found[-1].united(rect)
            else:
                found.append(rect)
        return found

    def draw(self, painter: QPainter, place: QPointF) -> None:
        """Paint the text with the painter's pen."""
        self._layout.draw(painter, place)

    def _break_lines(self, width: float) -> float:
        y = 0.0
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, y))
            y += line.height() + LINE_GAP_PX
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


def _touches(one: QRectF, other: QRectF) -> bool:
    if one.top() != other.top():
        return False
    return abs(one.right() - other.left()) < 0.75 or abs(other.right() - one.left()) < 0.75
