"""The cells of a laid-out line: where each grapheme, which is what the caret steps over, stands.

In a line that runs one way the borders of cells are where `cursorToX` says, ligatures included. In a line that runs
both ways that is off by whole words (the caret has two places at the border of two directions), and the glyphs
themselves are asked.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from PySide6.QtGui import QTextLayout, QTextLine

_CLOSE_PX = 3.0
_POSITIONS = QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions


class Cells(NamedTuple):
    """The cells of one line, in the order of the text: parallel lists.

    Attributes:
        starts: the unit at which each begins, and the line's end.
        lefts, rights: where each stands.
        is_rtl: whether each runs to the left.
    """

    starts: list[int]
    lefts: list[float]
    rights: list[float]
    is_rtl: list[bool]


def cells_of_carets(line: QTextLine, borders: list[int]) -> Cells:
    """The cells of a line that runs one way."""
    xs = [line.cursorToX(border)[0] for border in borders]
    lefts = [min(a, b) for a, b in pairwise(xs)]
    rights = [max(a, b) for a, b in pairwise(xs)]
    return Cells(borders, lefts, rights, [b < a for a, b in pairwise(xs)])


def cells_of_glyphs(line: QTextLine, borders: list[int]) -> Cells:
    """The cells of a line that runs both ways, by the glyphs that are drawn."""
    found: list[_Glyphs] = []
    first = 0
    for k, (begin, end) in enumerate(pairwise(borders)):
        glyphs = _glyphs(line, begin, end)
        if glyphs is None:
            # Nothing is drawn, as for a tab.
            left, right = sorted((line.cursorToX(begin)[0], line.cursorToX(end)[0]))
            glyphs = _Glyphs(left, right, is_rtl=bool(found) and found[-1].is_rtl, origin=-1.0)
        found.append(glyphs)
        if k and _is_ligature(found[first], glyphs):
            # Where a letter of a ligature stands is not told truly; the whole of it is, and each has its share.
            whole = _glyphs(line, borders[first], end)
            if whole is not None:
                found[first:] = _shares(whole, k + 1 - first)
        else:
            first = k
    lefts, rights = _abutted([glyphs.left for glyphs in found], [glyphs.right for glyphs in found])
    return Cells(borders, lefts, rights, [glyphs.is_rtl for glyphs in found])


class _Glyphs(NamedTuple):
    """What is drawn for a stretch of text; `origin` is where its first glyph stands."""

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
    left, right = min(box.left() for box in boxes), max(box.right() for box in boxes)
    return _Glyphs(left, right, runs[0].isRightToLeft(), places[0].x() if places else -1.0)


def _is_ligature(one: _Glyphs, other: _Glyphs) -> bool:
    are_drawn = one.right - one.left > 0.01 and other.right - other.left > 0.01
    return are_drawn and one.origin >= 0 and abs(one.origin - other.origin) < 0.01


def _shares(whole: _Glyphs, n: int) -> list[_Glyphs]:
    width = (whole.right - whole.left) / n
    places = range(n - 1, -1, -1) if whole.is_rtl else range(n)
    return [_Glyphs(whole.left + k * width, whole.left + (k + 1) * width, whole.is_rtl, whole.origin) for k in places]


def _abutted(lefts: list[float], rights: list[float]) -> tuple[list[float], list[float]]:
    """The cells without the slivers that kerning leaves between neighbours, or takes from both."""
    order = sorted(range(len(lefts)), key=lambda k: lefts[k] + rights[k])
    for one, other in pairwise(order):
        if rights[one] != lefts[other] and abs(rights[one] - lefts[other]) < _CLOSE_PX:
            rights[one] = lefts[other] = (rights[one] + lefts[other]) / 2
    return lefts, rights
