"""The places of the graphemes of a laid-out text, in any script: a cell for each caret step.

In a line that runs in one direction, the edges of cells are the positions of `cursorToX`, also
inside ligatures. In a line with both directions, those can be wrong by whole words, because the
caret has two positions where directions meet; so the glyphs are measured. `geometry` measures the
editor's tokens in these cells. This is the only module that handles scripts and directions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtGui import QTextLayout, QTextLine

from bpe_studio.gui.tokens.qt_positions import unit_places

_CLOSE_PX = 3.0
_POSITIONS = QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions
# Characters with one cell per code point, from left to right; most lines have no others.
_SIMPLE = re.compile(
    "[\u0020-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u23ce\u240d\u2424\u3000-\u3029\u3030-\u3098\u309b-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uff00-\uff60]*"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_LEFT_TO_RIGHT_IN_RTL = re.compile(
    "[0-9A-Za-z\u00aa-\u02ff\u0370-\u058f\u0660-\u0669\u06f0-\u06f9\u0900-\u200e\u2071-\u209c\u202a-\u202e"
    "\u2066-\u2069\u2100-\ufb1c\U00010000-\U000107ff\U00011000-\U0001e7ff\U0001f000-\U0010ffff]"
)


class Cells(NamedTuple):
    """The cells of one line, in the order of the text, as parallel lists.

    Attributes:
        starts: the unit at which each begins, and the line's end.
        lefts, rights: the x coordinates of each.
        is_rtl: whether each runs from right to left.
    """

    starts: list[int]
    lefts: list[float]
    rights: list[float]
    is_rtl: list[bool]


class LaidOutText:
    """The text of one laid-out paragraph: its lines, their cells, and the units of its code points.

    Args:
        layout: the layout, with its lines broken.
        text: its text, without the text that an input method composes.
        is_rtl: whether the paragraph runs from right to left.

    Attributes:
        lines: the lines, in order.
        n_units: the number of UTF-16 units in the layout.
        is_simple: whether each code point is one cell, from left to right.
    """

    def __init__(self, layout: QTextLayout, text: str, *, is_rtl: bool) -> None:
        self._layout = layout
        self._places = unit_places(text)
        self._text = text
        self._preedit_at = layout.preeditAreaPosition() if layout.preeditAreaText() else -1
        self._n_preedit = len(layout.preeditAreaText().encode("utf-16-le", "surrogatepass")) // 2
        n_units = len(text) if self._places is None else self._places[-1]
        self.n_units = n_units + self._n_preedit
        self.lines = [layout.lineAt(k) for k in range(layout.lineCount())]
        self.is_simple = not self._n_preedit and _SIMPLE.fullmatch(text) is not None
        self.is_rtl = is_rtl

    def cells(self, line: QTextLine) -> Cells:
        begin = line.textStart()
        end = line.textStart() + line.textLength()
        borders = self._borders(begin, end)
        if self.runs_both_ways(begin, end):
            return _of_glyphs(line, borders)
        return _of_carets(line, borders)

    def spans(self, starts: Sequence[float], ends: Sequence[float]) -> list[tuple[float, float]]:
        """The places of tokens in units, without tokens that begin after the block."""
        n = len(self._text)
        pairs = zip(starts, ends, strict=True)
        if self._places is None and not self._n_preedit:
            return [(a, b) for a, b in pairs if a < n or a == b]
        return [(self.unit(a), self.unit(b)) for a, b in pairs if a < n or a == b]

    def is_behind(self, point: float) -> bool:
        """Whether a place is after the block's last character."""
        return point > len(self._text)

    def unit(self, point: float) -> float:
        """Convert a place in code points to units; fractions remain fractions of a character."""
        places = self._places
        n = len(self._text)
        point = min(max(point, 0), n)
        whole = int(point)
        if places is None:
            unit: float = point
        elif point == whole:
            unit = places[whole]
        else:
            unit = places[whole] + (point - whole) * (places[whole + 1] - places[whole])
        # Text that an input method composes is in the layout, but not in the text.
        if 0 <= self._preedit_at <= unit:
            unit += self._n_preedit
        return unit

    def between(self, first: int, last: int) -> str:
        """The approximate text between two units, for cache keys and to detect directions."""
        first = max(0, first)
        last = max(0, last)
        if self._n_preedit:
            return f"{self._layout.preeditAreaText()}\0{self._preedit_at}\0{first}\0{last}\0{self._text}"  # noqa: E501
        if self._places is None:
            return self._text[first:last]
        return self._text[
            bisect_right(self._places, first) - 1 : bisect_right(self._places, last - 1)
        ]

    def runs_both_ways(self, begin: int, end: int) -> bool:
        """Whether part of a line's text runs from right to left."""
        text = self.between(begin, end)
        if self.is_rtl:
            return _LEFT_TO_RIGHT_IN_RTL.search(text) is not None or bool(self._n_preedit)
        return _RIGHT_TO_LEFT.search(text) is not None

    def _borders(self, begin: int, end: int) -> list[int]:
        """The units between begin and end at which the caret can be."""
        if self.is_simple:
            return list(range(begin, end + 1))
        valid = self._layout.isValidCursorPosition
        inner = [unit for unit in range(begin + 1, end) if valid(unit)]
        return [begin, *inner, end] if end > begin else [begin]

    def point(self, unit: int) -> int:
        """The code point that begins at a unit of the layout."""
        return unit if self._places is None else bisect_right(self._places, unit) - 1

    def share(self, start: int, end: int, place: float) -> float:
        """The fraction of a cell's bytes before a place in it."""
        if self._n_preedit:
            return (place - start) / (end - start)
        cluster = self.between(start, end)
        if len(cluster) == end - start:
            return share_of_bytes(cluster, place - start)
        point = 0
        unit = float(start)
        while point < len(cluster):
            n_units = 2 if cluster[point] > "\uffff" else 1
            if place < unit + n_units:
                return share_of_bytes(cluster, point + (place - unit) / n_units)
            point = point + 1
            unit = unit + n_units
        return 1.0


def share_of_bytes(text: str, place: float) -> float:
    """The fraction of a text's UTF-8 bytes before a place, given in (fractions of) code points.

    >>> share_of_bytes("aé", 1), share_of_bytes("é", 0.5)
    (0.3333333333333333, 0.5)
    """
    whole = int(place)
    if len(text) == 1:
        return place
    sizes = [len(char.encode("utf-8", "surrogatepass")) for char in text]
    inside = (place - whole) * sizes[whole] if whole < len(sizes) else 0.0
    return (sum(sizes[:whole]) + inside) / sum(sizes)


def caret_x(line: QTextLine, unit: int) -> float:
    """The x coordinate of the caret before a unit, or at the line's end for a unit beyond it."""
    return line.cursorToX(unit)[0]  # type: ignore[index, no-any-return]


def _of_carets(line: QTextLine, borders: list[int]) -> Cells:
    """The cells of a line that runs in one direction."""
    xs = [caret_x(line, border) for border in borders]
    lefts = [min(a, b) for a, b in pairwise(xs)]
    rights = [max(a, b) for a, b in pairwise(xs)]
    is_rtl = [b < a for a, b in pairwise(xs)]
    return Cells(borders, lefts, rights, is_rtl)


def _of_glyphs(line: QTextLine, borders: list[int]) -> Cells:
    """The cells of a line with both directions, from the glyphs that are painted."""
    found: list[_Glyphs] = []
    first = 0
    for k, (begin, end) in enumerate(pairwise(borders)):
        glyphs = _glyphs(line, begin, end)
        if glyphs is None:
            # There is no glyph, for example for a tab.
            left, right = sorted((caret_x(line, begin), caret_x(line, end)))
            glyphs = _Glyphs(left, right, is_rtl=bool(found) and found[-1].is_rtl, origin=-1.0)
        found.append(glyphs)
        if k and _is_ligature(found[first], glyphs):
            # Qt misplaces the letters of a ligature, but not the whole, so it is divided equally.
            whole = _glyphs(line, borders[first], end)
            if whole is not None:
                found[first:] = _shares(whole, k + 1 - first)
        else:
            first = k
    own_lefts = [glyphs.left for glyphs in found]
    own_rights = [glyphs.right for glyphs in found]
    lefts, rights = _abutted(own_lefts, own_rights)
    is_rtl = [glyphs.is_rtl for glyphs in found]
    return Cells(borders, lefts, rights, is_rtl)


class _Glyphs(NamedTuple):
    """The glyphs of a part of the text; `origin` is the x coordinate of the first one."""

    left: float
    right: float
    is_rtl: bool
    origin: float


def _glyphs(line: QTextLine, begin: int, end: int) -> _Glyphs | None:
    runs = line.glyphRuns(begin, end - begin, _POSITIONS)
    if not runs:
        return None
    boxes = [run.boundingRect() for run in runs]
    places = runs[0].positions()
    left = min(box.left() for box in boxes)
    right = max(box.right() for box in boxes)
    origin = places[0].x() if places else -1.0
    return _Glyphs(left, right, runs[0].isRightToLeft(), origin)


def _is_ligature(one: _Glyphs, other: _Glyphs) -> bool:
    are_drawn = one.right - one.left > 0.01 and other.right - other.left > 0.01
    return are_drawn and one.origin >= 0 and abs(one.origin - other.origin) < 0.01


def _shares(whole: _Glyphs, n: int) -> list[_Glyphs]:
    width = (whole.right - whole.left) / n
    places = range(n - 1, -1, -1) if whole.is_rtl else range(n)
    return [
        _Glyphs(whole.left + k * width, whole.left + (k + 1) * width, whole.is_rtl, whole.origin)
        for k in places
    ]


def _abutted(lefts: list[float], rights: list[float]) -> tuple[list[float], list[float]]:
    """The edges of cells without the gaps and overlaps that kerning makes between neighbours."""
    order = sorted(range(len(lefts)), key=lambda k: lefts[k] + rights[k])
    for one, other in pairwise(order):
        if rights[one] != lefts[other] and abs(rights[one] - lefts[other]) < _CLOSE_PX:
            rights[one] = lefts[other] = (rights[one] + lefts[other]) / 2
    return lefts, rights
