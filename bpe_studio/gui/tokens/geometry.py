"""The places of tokens in a laid-out block of text, in every script.

A line is measured in cells, one per grapheme (`graphemes`). Cells depend only on the line, so they
are cached while the step changes. A token covers whole cells; where it begins or ends inside one,
it covers a part of the cell, in proportion to its bytes. Nothing here paints.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextLine

from bpe_studio.gui.tokens.graphemes import Cells, LaidOutText, caret_x

MARK_PX = 3.0
"""The width of a token without a width of its own, such as a word-end mark."""
REACH_PX = 3.5
LEAST_REACH_PX = 1.5
REACH_SHARE = 0.2
"""The distance from a border within which a click means the border.

In a narrow token, it is a share of the width, but at least `LEAST_REACH_PX`.
"""
BREAK_EM = 0.4
"""The width of the cell at a line's end that represents a line break, in line heights."""

_CONTEXT = 8
_MOST_KEPT = 4_000
"""The number of characters or tokens in each cache (1 MB) besides those of the last two paintings.

Each key pressed in a long paragraph adds all of its tokens.
"""

_Value = TypeVar("_Value")


class Fragment(NamedTuple):
    """An unbroken part of one token in one line.

    Attributes:
        token: the index of the token among those that were measured.
        left, right: its x coordinates in the block.
        is_part: whether the token begins or ends inside a character here.
    """

    token: int
    left: float
    right: float
    is_part: bool = False


class LineShape(NamedTuple):
    """The tokens of one line, in the order of the text.

    `baseline` is the y coordinate of its letters.
    """

    top: float
    height: float
    baseline: float
    fragments: list[Fragment]


class BorderMark(NamedTuple):
    """The place where two tokens of a line meet.

    Attributes:
        x: its x coordinate in the block.
        token: the number of the token after the border.
        reach: the distance within which a click means the border, and not one of the tokens.
    """

    x: float
    token: int
    reach: float


def borders_of(shape: LineShape) -> list[BorderMark]:
    """The borders between tokens that are neighbours both in a line and in the text."""
    found = []
    for one, other in pairwise(shape.fragments):
        if other.token != one.token + 1 or not _touch(one, other.left, other.right):
            continue
        x = one.right if abs(one.right - other.left) < abs(other.right - one.left) else one.left
        narrow = min(one.right - one.left, other.right - other.left)
        found.append(
            BorderMark(x, other.token, max(LEAST_REACH_PX, min(REACH_PX, narrow * REACH_SHARE)))
        )
    return found


class _Recent(Generic[_Value]):
    """The values used last: those of the last two paintings, and others up to `_MOST_KEPT` in all.

    Attributes:
        values: each with its number of characters or tokens, and the painting that used it last.
        painting: the number of this painting.
    """

    def __init__(self) -> None:
        self.values: dict[object, tuple[_Value, int, int]] = {}
        self.painting = 0
        self._n = 0

    def get(self, key: object) -> _Value | None:
        found = self.values.pop(key, None)
        if found is None:
            return None
        value, n, _ = found
        self.values[key] = value, n, self.painting
        return value

    def add(self, key: object, value: _Value, n: int) -> _Value:
        """Keep a value of `n` characters or tokens, and drop the least recently used ones."""
        self.values[key] = value, n, self.painting
        self._n += n
        while self._n > _MOST_KEPT:
            oldest, (_, n, painting) = next(iter(self.values.items()))
            if painting >= self.painting - 1:
                break
            del self.values[oldest]
            self._n -= n
        return value


class TokenGeometry:
    """Measures tokens in blocks; caches the cells of lines until the font changes (`clear`)."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Clear the cache; call it when the font changes."""
        self._cells: _Recent[Cells] = _Recent()
        self._places: _Recent[dict[float, float]] = _Recent()
        self._blocks: _Recent[list[LineShape]] = _Recent()

    def begin_painting(self) -> None:
        """Begin a painting; everything that is measured from now on belongs to it."""
        for cache in (self._cells, self._places, self._blocks):
            cache.painting += 1

    def shapes(
        self, block: QTextBlock, starts: Sequence[float], ends: Sequence[float], *, has_break: bool
    ) -> list[LineShape]:
        """The tokens of a block, line by line.

        Args:
            block: a block that is laid out.
            starts: the starts of the tokens, in code points of the block, ascending; the fractional
                part is a fraction of a character's bytes. They may extend beyond the block.
            ends: their ends.
            has_break: whether a line break follows, which may be a token or part of one.
        """
        layout = block.layout()
        text = block.text()
        if not layout.lineCount():
            return []
        is_rtl = block.textDirection() == Qt.LayoutDirection.RightToLeft
        line = layout.lineAt(0)
        key = (
            text,
            tuple(starts),
            tuple(ends),
            has_break,
            line.width(),
            is_rtl and caret_x(line, 0),
        )
        if layout.preeditAreaText():
            return self._measure(LaidOutText(layout, text, is_rtl=is_rtl), starts, ends, has_break)
        kept = self._blocks.get(key)
        if kept is not None:
            return kept
        shapes = self._measure(LaidOutText(layout, text, is_rtl=is_rtl), starts, ends, has_break)
        return self._blocks.add(key, shapes, len(starts) + 1)

    def _measure(
        self, laid_out: LaidOutText, starts: Sequence[float], ends: Sequence[float], has_break: bool
    ) -> list[LineShape]:
        spans = laid_out.spans(starts, ends)
        shapes: list[LineShape] = []
        token = 0
        for line in laid_out.lines:
            begin = line.textStart()
            end = line.textStart() + line.textLength()
            while token < len(spans) and spans[token][1] <= begin and spans[token][0] < begin:
                token += 1
            last = token
            while last < len(spans) and spans[last][0] < end:
                last += 1
            if last < len(spans) and end == laid_out.n_units:
                # A mark without width, after the last character.
                while last < len(spans) and spans[last][0] == spans[last][1] == end:
                    last += 1
            fragments = self._stretches(laid_out, line, spans, token, last)
            shapes.append(LineShape(line.y(), line.height(), line.y() + line.ascent(), fragments))
        if has_break and len(ends) > 0 and laid_out.is_behind(ends[-1]):
            self._add_break(laid_out, shapes[-1], len(ends) - 1)
        return shapes

    def _stretches(
        self,
        laid_out: LaidOutText,
        line: QTextLine,
        spans: list[tuple[float, float]],
        first: int,
        last: int,
    ) -> list[Fragment]:
        begin = line.textStart()
        end = line.textStart() + line.textLength()
        if laid_out.is_simple:
            simple = laid_out.between(begin, end)
            places = self._places.get(simple)
            if places is None:
                places = self._places.add(simple, {}, end - begin + 1)
            return _simple_fragments(line, places, spans, first, last)
        cells = self._line_cells(laid_out, line)
        found: list[Fragment] = []
        for token in range(first, last):
            low, high = spans[token]
            if low == high:
                found.append(_mark(token, cells, low, is_rtl=laid_out.is_rtl))
            elif max(low, begin) < min(high, end):
                _add_cells(found, token, cells, max(low, begin), min(high, end), laid_out)
        return found

    def _line_cells(self, laid_out: LaidOutText, line: QTextLine) -> Cells:
        begin = line.textStart()
        end = line.textStart() + line.textLength()
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
            cells = self._cells.add(key, laid_out.cells(line), end - begin + 1)
        # The key does not contain the place of the line in the block.
        offset = begin - cells.starts[0] if cells.starts else 0
        if not offset:
            return cells
        starts = [start + offset for start in cells.starts]
        return cells._replace(starts=starts)

    def _add_break(self, laid_out: LaidOutText, shape: LineShape, token: int) -> None:
        line = laid_out.lines[-1]
        end = laid_out.n_units
        x = caret_x(line, end)
        if end > line.textStart() and laid_out.runs_both_ways(line.textStart(), end):
            # Where two directions meet, the caret of the line's end may be in the middle.
            rect = line.naturalTextRect()
            x = rect.left() if laid_out.is_rtl else rect.right()
        width = BREAK_EM * shape.height
        fragment = (
            Fragment(token, x - width, x) if laid_out.is_rtl else Fragment(token, x, x + width)
        )
        shape.fragments.append(fragment)


def _simple_fragments(
    line: QTextLine,
    places: dict[float, float],
    spans: list[tuple[float, float]],
    first: int,
    last: int,
) -> list[Fragment]:
    """The parts of tokens in a line that has one cell per code point, from left to right.

    Args:
        line: the line.
        places: the x coordinates that were computed so far, by unit; the line's first unit is 0.
        spans: the tokens.
        first: the first token in the line.
        last: the token after the last one in the line.
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
            found.append(Fragment(token, place(low), place(low) + MARK_PX))
            continue
        low = low if low > begin else begin
        high = high if high < end else end
        left = place(low)
        if low >= high:
            continue
        if low % 1 == 0 and high % 1 == 0:
            found.append(Fragment(token, left, place(high)))
        else:
            cuts = sorted(
                {low, high, *(cut for cut in (ceil(low), floor(high)) if low < cut < high)}
            )
            for a, b in pairwise(cuts):
                found.append(Fragment(token, place(a), place(b), a % 1 != 0 or b % 1 != 0))
    return found


def _add_cells(
    found: list[Fragment], token: int, cells: Cells, low: float, high: float, laid_out: LaidOutText
) -> None:
    """Append the fragments of a token that covers the units [low, high) of a line."""
    starts = cells.starts
    k = max(0, bisect_right(starts, low) - 1)
    before: Fragment | None = None
    while k < len(cells.lefts) and starts[k] < high:
        start = starts[k]
        end = starts[k + 1]
        left = cells.lefts[k]
        right = cells.rights[k]
        is_rtl = cells.is_rtl[k]
        is_part = low > start or high < end
        if is_part:
            a = laid_out.share(start, end, low) if low > start else 0.0
            b = laid_out.share(start, end, high) if high < end else 1.0
            width = right - left
            if is_rtl:
                left = right - b * width
                right -= a * width
            else:
                right = left + b * width
                left += a * width
        if before is not None and before.is_part == is_part and _touch(before, left, right):
            before = found[-1] = Fragment(
                token, min(left, before.left), max(right, before.right), is_part
            )
        else:
            before = Fragment(token, left, right, is_part)
            found.append(before)
        k += 1


def _mark(token: int, cells: Cells, place: float, *, is_rtl: bool) -> Fragment:
    """A thin stripe for a token without width, after the character before a place."""
    k = bisect_right(cells.starts, place - 0.5) - 1
    if not 0 <= k < len(cells.lefts):
        edge = 0.0
        if cells.lefts:
            edge = max(cells.rights) if is_rtl else min(cells.lefts)
        return Fragment(token, edge, edge + MARK_PX)
    if cells.is_rtl[k]:
        return Fragment(token, cells.lefts[k] - MARK_PX, cells.lefts[k])
    return Fragment(token, cells.rights[k], cells.rights[k] + MARK_PX)


def _touch(one: Fragment, left: float, right: float) -> bool:
    return abs(one.right - left) < 0.75 or abs(right - one.left) < 0.75
