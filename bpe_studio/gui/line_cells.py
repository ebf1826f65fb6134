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
    lefts: list[float] = []
    rights: list[float] = []
    is_rtl: list[bool] = []
    shared = 1
    for begin, end in pairwise(borders):
        runs = line.glyphRuns(begin, end - begin, _POSITIONS)
        boxes = [run.boundingRect() for run in runs]
        if boxes:
            left, right = min(box.left() for box in boxes), max(box.right() for box in boxes)
            rtl = runs[0].isRightToLeft()
        else:
            left, right = sorted((line.cursorToX(begin)[0], line.cursorToX(end)[0]))
            rtl = bool(is_rtl) and is_rtl[-1]
        lefts.append(left)
        rights.append(right)
        is_rtl.append(rtl)
        # Letters of one ligature are all said to be where the whole of it is; each has its share.
        k = len(lefts) - 1
        if boxes and k >= shared and _is_same(left, right, lefts[k - shared : k], rights[k - shared : k]):
            shared += 1
            _share_out(lefts, rights, is_rtl, k + 1 - shared, left, right)
        else:
            shared = 1
    return Cells(borders, *_abutted(lefts, rights), is_rtl)


def _is_same(left: float, right: float, lefts: list[float], rights: list[float]) -> bool:
    return right > left and abs(min(lefts) - left) < 0.01 and abs(max(rights) - right) < 0.01


def _share_out(
    lefts: list[float], rights: list[float], is_rtl: list[bool], first: int, left: float, right: float
) -> None:
    n = len(lefts) - first
    width = (right - left) / n
    for i in range(n):
        place = n - 1 - i if is_rtl[first] else i
        lefts[first + i], rights[first + i] = left + place * width, left + (place + 1) * width


def _abutted(lefts: list[float], rights: list[float]) -> tuple[list[float], list[float]]:
    """The cells without the slivers that kerning leaves between neighbours, or takes from both."""
    order = sorted(range(len(lefts)), key=lambda k: lefts[k] + rights[k])
    for one, other in pairwise(order):
        if rights[one] != lefts[other] and abs(rights[one] - lefts[other]) < _CLOSE_PX:
            rights[one] = lefts[other] = (rights[one] + lefts[other]) / 2
    return lefts, rights
