"""Where tokens are in a laid-out block of text: exact for every script, and for tokens that are part of a character.

A line is measured in cells, one a grapheme (`graphemes`); they depend on the line alone, so they are kept while steps
come and go. A token takes cells, and where it begins or ends inside one, the share of the cell's bytes that it has.
Nothing here paints.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextLine

from bpe_studio.gui.tokens.graphemes import Cells, LaidOutText, caret_x

MARK_PX = 3.0
"""The width of a token that has none of its own, such as a word-end mark."""
BREAK_EM = 0.4
"""The width of the cell at a line's end that represents a line break, in line heights."""

_CONTEXT = 8
_MOST_LINES = 3000
_MOST_BLOCKS = 400


class Stretch(NamedTuple):
    """An unbroken stretch of one token in one line.

    Attributes:
        token: its number among the tokens that were asked for.
        left, right: in the block's coordinates.
        is_part: the token begins or ends inside a character here.
    """

    token: int
    left: float
    right: float
    is_part: bool = False


class LineShape(NamedTuple):
    """The tokens of one line, in the order of the text; `baseline` is that of its letters."""

    top: float
    height: float
    baseline: float
    stretches: list[Stretch]


class TokenGeometry:
    """Measures blocks; remembers the cells of lines until the font changes (`clear`)."""

    def __init__(self) -> None:
        self._cells: dict[object, Cells] = {}
        self._places: dict[str, dict[float, float]] = {}
        self._blocks: dict[object, list[LineShape]] = {}

    def clear(self) -> None:
        """Forget all lines, as another font lays them out otherwise."""
        self._cells.clear()
        self._places.clear()
        self._blocks.clear()

    def shapes(
        self, block: QTextBlock, starts: Sequence[float], ends: Sequence[float], *, has_break: bool
    ) -> list[LineShape]:
        """The tokens of a block, line by line.

        Args:
            block: laid out.
            starts: where the tokens begin, in code points of the block, in order; a fraction is a share of a
                character's bytes. They may reach beyond the block.
            ends: where they end.
            has_break: a line break follows, which may be (part of) a token.
        """
        layout, text = block.layout(), block.text()
        if not layout.lineCount():
            return []
        is_rtl = block.textDirection() == Qt.LayoutDirection.RightToLeft
        line = layout.lineAt(0)
        key = (text, tuple(starts), tuple(ends), has_break, line.width(), is_rtl and caret_x(line, 0))
        if layout.preeditAreaText():
            return self._measure(LaidOutText(layout, text, is_rtl=is_rtl), starts, ends, has_break)
        shapes = self._blocks.get(key)
        if shapes is None:
            if len(self._blocks) > _MOST_BLOCKS or len(self._places) > _MOST_LINES:
                self.clear()
            shapes = self._blocks[key] = self._measure(
                LaidOutText(layout, text, is_rtl=is_rtl), starts, ends, has_break
            )
        return shapes

    def _measure(
        self, laid_out: LaidOutText, starts: Sequence[float], ends: Sequence[float], has_break: bool
    ) -> list[LineShape]:
        spans = laid_out.spans(starts, ends)
        shapes: list[LineShape] = []
        token = 0
        for line in laid_out.lines:
            begin, end = line.textStart(), line.textStart() + line.textLength()
            while token < len(spans) and spans[token][1] <= begin and spans[token][0] < begin:
                token += 1
            last = token
            while last < len(spans) and spans[last][0] < end:
                last += 1
            if last < len(spans) and end == laid_out.n_units:
                # A mark of no width behind the last character.
                while last < len(spans) and spans[last][0] == spans[last][1] == end:
                    last += 1
            stretches = self._stretches(laid_out, line, spans, token, last)
            shapes.append(LineShape(line.y(), line.height(), line.y() + line.ascent(), stretches))
        if has_break and len(ends) > 0 and laid_out.is_behind(ends[-1]):
            self._add_break(laid_out, shapes[-1], len(ends) - 1)
        return shapes

    def _stretches(
        self, laid_out: LaidOutText, line: QTextLine, spans: list[tuple[float, float]], first: int, last: int
    ) -> list[Stretch]:
        begin, end = line.textStart(), line.textStart() + line.textLength()
        if laid_out.is_simple:
            places = self._places.setdefault(laid_out.between(begin, end), {})
            return _simple_stretches(line, places, spans, first, last)
        cells = self._line_cells(laid_out, line)
        found: list[Stretch] = []
        for token in range(first, last):
            low, high = spans[token]
            if low == high:
                found.append(_mark(token, cells, low, is_rtl=laid_out.is_rtl))
            elif max(low, begin) < min(high, end):
                _add_cells(found, token, cells, max(low, begin), min(high, end), laid_out)
        return found

    def _line_cells(self, laid_out: LaidOutText, line: QTextLine) -> Cells:
        begin, end = line.textStart(), line.textStart() + line.textLength()
        context = laid_out.between(begin - _CONTEXT, end + _CONTEXT)
        key = (
            context,
            end - begin,
            min(begin, _CONTEXT),
            caret_x(line, begin),
            line.naturalTextWidth(),
            line.width(),
            laid_out.is_rtl,
        )
        cells = self._cells.get(key)
        if cells is None:
            if len(self._cells) > _MOST_LINES:
                self._cells.clear()
            cells = self._cells[key] = laid_out.cells(line)
        # The key leaves out where in the block the line begins.
        offset = begin - cells.starts[0] if cells.starts else 0
        return cells._replace(starts=[start + offset for start in cells.starts]) if offset else cells

    def _add_break(self, laid_out: LaidOutText, shape: LineShape, token: int) -> None:
        line = laid_out.lines[-1]
        end = laid_out.n_units
        x = caret_x(line, end)
        if end > line.textStart() and laid_out.runs_both_ways(line.textStart(), end):
            # Where both directions meet, the caret's place at the end may be in the middle.
            rect = line.naturalTextRect()
            x = rect.left() if laid_out.is_rtl else rect.right()
        width = BREAK_EM * shape.height
        shape.stretches.append(Stretch(token, x - width, x) if laid_out.is_rtl else Stretch(token, x, x + width))


def _simple_stretches(
    line: QTextLine, places: dict[float, float], spans: list[tuple[float, float]], first: int, last: int
) -> list[Stretch]:
    """The stretches of tokens in a line of one cell a character.

    Args:
        line: the line.
        places: the x positions of its units, as far as they were asked for; the first one of the line is 0.
        spans: the tokens.
        first: the first one in the line.
        last: the first one behind it.
    """
    begin = line.textStart()
    end = begin + line.textLength()

    def place(unit: float) -> float:
        x = places.get(unit - begin)
        if x is None:
            whole = int(unit)
            x = caret_x(line, whole)
            if unit != whole:
                x += (caret_x(line, whole + 1) - x) * (unit - whole)
            places[unit - begin] = x
        return x

    found = []
    for token in range(first, last):
        low, high = spans[token]
        if low == high:
            found.append(Stretch(token, place(low), place(low) + MARK_PX))
            continue
        low, high = low if low > begin else begin, high if high < end else end
        left = place(low)
        if low >= high:
            continue
        if low % 1 == 0 and high % 1 == 0:
            found.append(Stretch(token, left, place(high)))
        else:
            cuts = sorted({low, high, *(cut for cut in (ceil(low), floor(high)) if low < cut < high)})
            for a, b in pairwise(cuts):
                found.append(Stretch(token, place(a), place(b), a % 1 != 0 or b % 1 != 0))
    return found


def _add_cells(found: list[Stretch], token: int, cells: Cells, low: float, high: float, laid_out: LaidOutText) -> None:
    """Add the stretches that the units [low, high) of a line take."""
    starts = cells.starts
    k = max(0, bisect_right(starts, low) - 1)
    before: Stretch | None = None
    while k < len(cells.lefts) and starts[k] < high:
        start, end, left, right, is_rtl = starts[k], starts[k + 1], cells.lefts[k], cells.rights[k], cells.is_rtl[k]
        is_part = low > start or high < end
        if is_part:
            a = laid_out.share(start, end, low) if low > start else 0.0
            b = laid_out.share(start, end, high) if high < end else 1.0
            width = right - left
            left, right = (right - b * width, right - a * width) if is_rtl else (left + a * width, left + b * width)
        if before is not None and before.is_part == is_part and _touch(before, left, right):
            before = found[-1] = Stretch(token, min(left, before.left), max(right, before.right), is_part)
        else:
            before = Stretch(token, left, right, is_part)
            found.append(before)
        k += 1


def _mark(token: int, cells: Cells, place: float, *, is_rtl: bool) -> Stretch:
    """A thin stripe behind the character before a place, for a token without width."""
    k = bisect_right(cells.starts, place - 0.5) - 1
    if not 0 <= k < len(cells.lefts):
        edge = (max(cells.rights) if is_rtl else min(cells.lefts)) if cells.lefts else 0.0
        return Stretch(token, edge, edge + MARK_PX)
    if cells.is_rtl[k]:
        return Stretch(token, cells.lefts[k] - MARK_PX, cells.lefts[k])
    return Stretch(token, cells.rights[k], cells.rights[k] + MARK_PX)


def _touch(one: Stretch, left: float, right: float) -> bool:
    return abs(one.right - left) < 0.75 or abs(right - one.left) < 0.75
