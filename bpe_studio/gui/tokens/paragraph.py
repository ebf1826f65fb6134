"""Where the characters of a read-only paragraph stand on the screen, in any script.

A paragraph is laid out once for a width. Each grapheme (what the caret steps over) becomes a cell with its place;
a token or a cut is then a matter of adding up cells, at any step, without laying out again. Formats are never set on
the text, as they would tear ligatures, joiners and marks apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QTextLayout, QTextLine, QTextOption

from bpe_studio.explain.names import is_right_to_left

LINE_GAP_PX = 9.0
SLIVER_PX = 6.0
# Letters whose carets stand exactly where `cursorToX` says: one left-to-right cell each.
_SIMPLE = re.compile(
    r"[\u0020-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u3000-\u3029\u3030-\u9fff\uac00-\ud7a3\uff00-\uff60⏎]*"
)
_POSITIONS = QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions


@dataclass(frozen=True)
class Cell:
    """One grapheme, or several that share a ligature.

    Attributes:
        start, end: its code points in the text, [start, end).
        rect: where it stands, from the paragraph's top left.
        is_rtl: whether it runs to the left.
    """

    start: int
    end: int
    rect: QRectF
    is_rtl: bool

    def part(self, start: float, end: float) -> QRectF:
        """The share of the cell that the code points [start, end) take; they may be fractions."""
        length = self.end - self.start
        low = (max(start, self.start) - self.start) / length
        high = (min(end, self.end) - self.start) / length
        width = self.rect.width()
        left = self.rect.right() - high * width if self.is_rtl else self.rect.left() + low * width
        return QRectF(left, self.rect.top(), (high - low) * width, self.rect.height())


class Paragraph:
    """One line of a text, wrapped.

    Args:
        text: the line as it is painted; its code points are those of the source, one to one.
        start: where it begins in the whole text, in code points.
    """

    def __init__(self, text: str, start: int, font: QFont, width: float) -> None:
        self.text = text
        self.start = start
        self.end = start + len(text)
        self._units = [0, *accumulate(2 if char > "\uffff" else 1 for char in text)]
        is_rtl = is_right_to_left(text)
        option = QTextOption(Qt.AlignmentFlag.AlignRight if is_rtl else Qt.AlignmentFlag.AlignLeft)
        # An absolute alignment: in a right-to-left option "left" would mean the side where reading begins.
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
        """The cells in the order of the text."""
        if self._cells is None:
            if _SIMPLE.fullmatch(self.text):
                self._cells = self._simple_cells()
            else:
                self._cells = self._shaped_cells()
        return self._cells

    def cell_at(self, place: float) -> Cell | None:
        """The cell that holds a code-point position of the whole text."""
        cells = self.cells()
        k = bisect_right(cells, place, key=lambda cell: cell.start) - 1
        return cells[k] if k >= 0 and place < cells[k].end else None

    def rects(self, start: float, end: float) -> list[QRectF]:
        """Where the code points [start, end) of the whole text stand: one rectangle for each unbroken stretch."""
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
        """Paint the text in the painter's pen."""
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

    def _lines(self) -> list[QTextLine]:
        return [self._layout.lineAt(k) for k in range(self._layout.lineCount())]

    def _simple_cells(self) -> list[Cell]:
        cells = []
        for line in self._lines():
            begin, end = line.textStart(), line.textStart() + line.textLength()
            xs = [line.cursorToX(k)[0] for k in range(begin, end + 1)]
            for k in range(begin, end):
                left, right = xs[k - begin], xs[k + 1 - begin]
                cells.append(Cell(self.start + k, self.start + k + 1, _rect(line, left, right), False))
        return cells

    def _shaped_cells(self) -> list[Cell]:
        cells: list[Cell] = []
        lines = self._lines()
        borders = [k for k in range(len(self.text)) if self._layout.isValidCursorPosition(self._units[k])]
        number = 0
        for begin, end in zip(borders, [*borders[1:], len(self.text)], strict=True):
            unit, n_units = self._units[begin], self._units[end] - self._units[begin]
            while number + 1 < len(lines) and unit >= lines[number + 1].textStart():
                number += 1
            line = lines[number]
            runs = line.glyphRuns(unit, n_units, _POSITIONS)
            boxes = [run.boundingRect() for run in runs]
            left = min((box.left() for box in boxes), default=0.0)
            right = max((box.right() for box in boxes), default=0.0)
            is_rtl = runs[0].isRightToLeft() if runs else False
            before = cells[-1] if cells else None
            rect = _rect(line, left, right)
            if before is not None and (not runs or right - left < 0.01 or before.rect == rect):
                # No glyph of its own: it is drawn by the ligature before it, so the two share one cell.
                cells[-1] = Cell(before.start, self.start + end, before.rect, before.is_rtl)
            else:
                cells.append(Cell(self.start + begin, self.start + end, rect, is_rtl))
        return _abutted(cells)


def _rect(line: QTextLine, left: float, right: float) -> QRectF:
    return QRectF(min(left, right), line.y(), abs(right - left), line.height())


def _abutted(cells: list[Cell]) -> list[Cell]:
    """The same cells without the slivers that kerning leaves between neighbours, or takes from both."""
    order = sorted(range(len(cells)), key=lambda k: (cells[k].rect.top(), cells[k].rect.center().x()))
    for left, right in pairwise(order):
        one, other = cells[left].rect, cells[right].rect
        if one.top() == other.top() and one.right() != other.left() and abs(one.right() - other.left()) < SLIVER_PX:
            border = (one.right() + other.left()) / 2
            cells[left] = replace(cells[left], rect=QRectF(one.topLeft(), QPointF(border, one.bottom())))
            cells[right] = replace(cells[right], rect=QRectF(QPointF(border, other.top()), other.bottomRight()))
    return cells


def _touches(one: QRectF, other: QRectF) -> bool:
    if one.top() != other.top():
        return False
    return abs(one.right() - other.left()) < 0.75 or abs(other.right() - one.left()) < 0.75
