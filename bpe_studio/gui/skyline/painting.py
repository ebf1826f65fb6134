"""Painting of one row of the skyline: tokens as buildings, letters at their feet, and their joints.

A token of the current step is a block in its colour that reaches from its letters up to its last
joint. Joints below the step are strong, those above it faint; hovered and selected ones are thick.
`rows.py` computes the positions; `picture.py` paints the scale and the line of the step.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPalette, QPen

from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.text_pieces import SkylinePieces
from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.glyphs import WordShapes
from bpe_studio.gui.skyline.rows import WORD_GAP_PX, Row
from bpe_studio.gui.tokens.geometry import LEAST_REACH_PX, REACH_PX, REACH_SHARE
from bpe_studio.gui.tokens.painting import RADIUS_PX, paint_border

TOP_PX = 12.0
BELOW_PX = 14.0
PAD_PX = 3.0
_INSET_PX = 0.75
_BRACKET_PX = 3.0
_EAVES_PX = 4.0


@dataclass(frozen=True)
class Measures:
    """The heights of every row, at a zoom of 100 %.

    Attributes:
        tree: the height of the trees.
        letters: the height of the letters.
        ascent: the height of the letters above their baseline.
    """

    tree: float
    letters: float
    ascent: float

    @property
    def base(self) -> float:
        """The y of the foot of the trees, from the row's top."""
        return TOP_PX + self.tree

    @property
    def foot(self) -> float:
        """The y at which the letters' blocks end."""
        return self.base + self.letters + 2 * PAD_PX

    @property
    def row(self) -> float:
        """The height of a row."""
        return self.foot + BELOW_PX


@dataclass(frozen=True)
class Lights:
    """The highlighted joints and tokens.

    Attributes:
        hovered: the symbol after the gap of the joint under the mouse, or None.
        focused: the same for the joint that has the keyboard focus, or None.
        selected: internal ids of the selected tokens.
    """

    hovered: int | None = None
    focused: int | None = None
    selected: frozenset[int] = frozenset()


class Tokens(NamedTuple):
    """The tokens of a row at a step.

    Attributes:
        firsts: (t,) int, their first symbols, counted within the row.
        ids: (t,) int64, internal ids; below 0 if unknown.
        last_ranks: (t,) int32, the merge that made each; -1 for a symbol.
        lefts, rights: (t,) float64.
        is_part: (t,) bool, whether it begins or ends inside a character.
        first_number: the number of the first token in its paragraph.
        colours: the number of each token's colour; None if colours go by place.
    """

    firsts: npt.NDArray[np.integer]
    ids: npt.NDArray[np.integer]
    last_ranks: npt.NDArray[np.integer]
    lefts: npt.NDArray[np.float64]
    rights: npt.NDArray[np.float64]
    is_part: npt.NDArray[np.bool_]
    first_number: int
    colours: Sequence[int] | None = None


def cut_row(row: Row, text: SkylinePieces, step: int, n_alphabet: int) -> Tokens:
    """The tokens of a row at a step."""
    gaps = text.gaps[row.first : row.last]
    firsts, last_ranks = cut = cut_at(gaps, step)
    ids = cut.ids(text.symbols[row.first : row.last], n_alphabet)
    lefts = np.minimum.reduceat(row.lefts, firsts)
    rights = np.maximum.reduceat(row.rights, firsts)
    is_start = np.append(row.begins[firsts], True)
    is_part = ~(is_start[:-1] & is_start[1:])
    return Tokens(firsts, ids, last_ranks, lefts, rights, is_part, text.n_before(row.first, step))


def paint_row(
    painter: QPainter,
    row: Row,
    tokens: Tokens,
    measures: Measures,
    step: int,
    line: float,
    lights: Lights,
    n_alphabet: int,
    palette: QPalette,
) -> None:
    """Paint a row without its letters; `line` is the height of the step's line.

    The painter's origin is the row's top left corner.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_blocks(painter, tokens, row_heights(row, tokens, line), measures, lights, palette)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    made, coming = row.lines(step, measures.base)
    painter.setPen(_pen(faint(palette), 1.0))
    painter.drawLines(coming)
    width = 1.0 if painter.transform().m11() < 1.5 else 2.0
    painter.setPen(_pen(strong(palette), width))
    painter.drawLines(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_parts(painter, tokens, measures, palette)
    _paint_lit(painter, row, measures, lights, n_alphabet, palette)


def between(tokens: Tokens, token: int) -> tuple[float, float]:
    """The middle of the border before a token, and the distance within which a click selects it.

    Between two words, the whole gap is the border. If the two tokens are not adjacent on the
    screen, because the direction changes, the distance is negative.
    """
    left = float(tokens.lefts[token - 1])
    right = float(tokens.rights[token - 1])
    other_left = float(tokens.lefts[token])
    other_right = float(tokens.rights[token])
    gap = other_left - right
    middle = (other_left + right) / 2
    if abs(left - other_right) < abs(gap):
        gap = left - other_right
        middle = (left + other_right) / 2
    reach = max(
        LEAST_REACH_PX, min(REACH_PX, min(right - left, other_right - other_left) * REACH_SHARE)
    )
    are_adjacent = -1.0 < gap <= WORD_GAP_PX + 1.0
    distance = reach + max(0.0, gap) / 2 if are_adjacent else -1.0
    return middle, distance


def paint_borders(
    painter: QPainter, tokens: Tokens, symbols: Set[int], measures: Measures, palette: QPalette
) -> None:
    """Mark the borders before the tokens of a row that begin with given symbols."""
    for token, first in enumerate(tokens.firsts.tolist()):
        if token and first in symbols:
            middle, reach = between(tokens, token)
            if reach > 0:
                paint_border(
                    painter,
                    middle,
                    measures.base,
                    measures.foot - measures.base,
                    palette,
                    is_faint=False,
                )


def paint_letters(
    painter: QPainter,
    row: Row,
    shapes: WordShapes,
    measures: Measures,
    palette: QPalette,
    seen: tuple[float, float],
) -> None:
    """Paint the letters of a row between two x positions."""
    baseline = measures.base + PAD_PX + measures.ascent
    painter.setFont(shapes.font)
    words = [(x, shape) for x, shape in row.words if x + shape.width >= seen[0] and x <= seen[1]]
    painter.setPen(theme.token_text_colour(palette))
    for x, shape in words:
        shape.draw(painter, x, baseline, measures.ascent)
    painter.setPen(theme.muted(palette))
    for x, shape in words:
        shape.draw_marks(painter, x, baseline)


def row_heights(row: Row, tokens: Tokens, line: float) -> list[float]:
    """The heights of the tokens' blocks: a little above the last joint, below the step's line."""
    roofs = np.zeros(row.last - row.first)
    roofs[row.gaps - row.first] = row.heights[:, 0]
    # Only joints inside a token count; the gap before its first symbol is open.
    roofs[tokens.firsts] = 0.0
    highest = np.maximum.reduceat(roofs, tokens.firsts)
    covered = np.maximum(highest, np.minimum(highest + _EAVES_PX, line - 1.0))
    found: list[float] = np.where(highest > 0, covered, 0.0).tolist()
    return found


def strong(palette: QPalette) -> QColor:
    """The colour of joints that are made."""
    return theme.token_text_colour(palette)


def faint(palette: QPalette) -> QColor:
    """The colour of joints that are not made yet."""
    return palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)


def _paint_blocks(
    painter: QPainter,
    tokens: Tokens,
    heights: Sequence[float],
    measures: Measures,
    lights: Lights,
    palette: QPalette,
) -> None:
    colours = theme.token_colours(palette)
    n = len(colours)
    rects: list[list[QRectF]] = [[] for _ in colours]
    unknown: list[QRectF] = []
    selected: list[QRectF] = []
    foot = measures.foot
    columns = (tokens.ids.tolist(), tokens.lefts.tolist(), tokens.rights.tolist(), heights)
    by_token = tokens.colours
    for k, (token, left, right, height) in enumerate(zip(*columns, strict=True)):
        top = measures.base - height
        inset = min(_INSET_PX, (right - left) * 0.15)
        rect = QRectF(left + inset, top, right - left - 2 * inset, foot - top)
        if token == UNKNOWN:
            unknown.append(rect)
        else:
            number = (tokens.first_number + k) % n if by_token is None else by_token[k]
            rects[number].append(rect)
        if token in lights.selected:
            selected.append(rect)
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, some in zip(colours, rects, strict=True):
        painter.setBrush(colour)
        for rect in some:
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
    if unknown:
        painter.setBrush(QBrush(theme.muted(palette), Qt.BrushStyle.BDiagPattern))
        painter.drawRects(unknown)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_pen(strong(palette), 2.5))
    for rect in selected:
        painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)


def _paint_parts(painter: QPainter, tokens: Tokens, measures: Measures, palette: QPalette) -> None:
    """Paint a bracket below each token that is part of a character."""
    painter.setPen(_pen(theme.muted(palette), 1.0))
    low = measures.foot + _BRACKET_PX
    for left, right in zip(
        tokens.lefts[tokens.is_part].tolist(), tokens.rights[tokens.is_part].tolist(), strict=True
    ):
        a = left + 1.0
        b = right - 1.0
        points = [QPointF(a, low - 2), QPointF(a, low), QPointF(b, low), QPointF(b, low - 2)]
        painter.drawPolyline(points)


def _paint_lit(
    painter: QPainter,
    row: Row,
    measures: Measures,
    lights: Lights,
    n_alphabet: int,
    palette: QPalette,
) -> None:
    painter.setPen(_pen(strong(palette), 2.5))
    if lights.selected:
        for joint in np.flatnonzero(
            np.isin(row.ranks + n_alphabet, list(lights.selected))
        ).tolist():
            painter.drawLines(row.bracket(joint, measures.base))
    for gap, radius in ((lights.hovered, 3.5), (lights.focused, 4.5)):
        if gap is None or not row.first <= gap < row.last:
            continue
        for joint in np.flatnonzero(row.gaps == gap).tolist():
            painter.setPen(_pen(strong(palette), 3.0))
            painter.drawLines(row.bracket(joint, measures.base))
            middle = QPointF(
                float(row.legs[joint].mean()), measures.base - float(row.heights[joint, 0])
            )
            painter.setPen(_pen(strong(palette), 1.5))
            painter.setBrush(palette.color(QPalette.ColorRole.Base))
            painter.drawEllipse(middle, radius, radius)
            if gap == lights.focused:
                painter.setBrush(strong(palette))
                painter.drawEllipse(middle, radius - 2.5, radius - 2.5)


def _pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    cap = Qt.PenCapStyle.SquareCap if width <= 1 else Qt.PenCapStyle.RoundCap
    pen.setCapStyle(cap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen
