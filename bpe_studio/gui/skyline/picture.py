"""The whole picture of a skyline: rows under each other with their scales and the line of the step.

The view shows a part of the picture, an export all of it. The picture has the text, the run and the
step; it handles no mouse and no keys. Positions are in its pixels, with the zoom applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPalette, QPen, QTransform

from bpe_studio.engine.encoding.border import TextBorder
from bpe_studio.explain.merge_tree import NEVER
from bpe_studio.explain.text_pieces import SkylinePieces
from bpe_studio.explain.wording import number as number_text
from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.glyphs import WordShapes
from bpe_studio.gui.skyline.painting import (
    Lights,
    Measures,
    Tokens,
    between,
    cut_row,
    paint_borders,
    paint_letters,
    paint_row,
)
from bpe_studio.gui.skyline.rank_scale import Scale
from bpe_studio.gui.skyline.rows import Rows
from bpe_studio.gui.tokens.colours import ColoursOfRun

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

LETTERS = 1.3
"""The size of the letters, relative to the interface's font."""
LEAST_TREE_PX = 40.0
TREE_PX = 96.0
MOST_TREE_PX = 240.0
_RIGHT_PX = 12.0
_SLACK_S = 0.03


_MARGIN_PX = 8.0
_TICK_PX = 4.0
_PAD_PX = 5.0
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


class Joint(NamedTuple):
    """A joint of the picture.

    Attributes:
        gap: the symbol after the gap that it closes, among all symbols of the text.
        rank: the merge that makes it.
    """

    gap: int
    rank: int


class SkylinePicture:
    """The rows, trees and tokens of a text, or of a list of words, at a step.

    Attributes:
        has_whole_rows: whether it shows only rows that fit completely and fill the height, for a
            place that cannot scroll.

    Args:
        font: the interface's font.
    """

    has_whole_rows = False

    def __init__(self, font: QFont) -> None:
        self.font = QFont(font)
        self.run: Run | None = None
        self._stage: Run | None = None
        self._text: str | Sequence[str] = ""
        self._colours = ColoursOfRun()
        self.rows: Rows | None = None
        self.step = 0
        self.top = 1
        self.zoom = 1.0
        self.lights = Lights()
        self.border: TextBorder | None = None
        self.is_held = False
        self._n_shown = 0
        self._room_px = (600.0, 300.0)
        self.measures = Measures(TREE_PX, 20.0, 15.0)

    def set_font(self, font: QFont) -> None:
        self.font = QFont(font)
        if self.rows is not None:
            self._set_rows(self.rows.text)

    def set_run(self, run: Run | None, text: str | Sequence[str], top: int) -> None:
        """Tokenize the text with another run; `top` is the number of merges that the scale covers.

        Raises:
            BpeError: the text cannot be cut with the run's options.
        """
        self.run = None
        self.rows = None
        self.top = max(1, top)
        self._text = text
        if run is not None:
            self._stage = run.at(self.step)
            words = SkylinePieces(self._stage.segmenter)
            words.show(text)
            words.grow()
            self.run = run
            self._set_rows(words)

    def set_step(self, step: int) -> None:
        """Set the step; the two stages of a run with superwords have different trees."""
        self.step = step
        if self.run is not None and self.run.at(step) is not self._stage:
            self.set_run(self.run, self._text, self.top)

    def set_text(self, text: str | Sequence[str]) -> None:
        self._text = text
        if self.rows is not None:
            self.rows.follow(text)
            self.arrange()

    def grow(self, top: int) -> None:
        """Show the merges that the run has added."""
        self.top = max(1, top)
        if self.rows is not None:
            self.rows.grow()
            self.arrange()

    def set_room(self, width: float, height: float, zoom: float) -> None:
        """Lay out for a viewport of this size."""
        self._room_px = (width, height)
        self.zoom = zoom
        self.arrange()

    def arrange(self) -> None:
        """Lay out the rows that the viewport shows."""
        rows = self.rows
        if rows is None:
            return
        width, height = self._room_px
        rows.set_room(max(40.0, (width - self.left - _RIGHT_PX) / self.zoom))
        letters = self.measures.letters
        ascent = self.measures.ascent
        room = (height - 4) / self.zoom
        around = Measures(0.0, letters, ascent).row
        tree = max(LEAST_TREE_PX, min(TREE_PX, room - around))  # so that a low panel shows letters
        rows.extend(ceil(room / (tree + around)) + 1)
        self._n_shown = len(rows.starts)
        if rows.starts and self.has_whole_rows:
            self._n_shown = min(self._n_shown, max(1, int(room / (tree + around))))
            tree = max(tree, room / self._n_shown - around)
        elif rows.starts and rows.is_complete:
            tree = min(max(tree, room / len(rows.starts) - around), MOST_TREE_PX)
        self.measures = Measures(tree, letters, ascent)
        rows.set_scale(Scale(self.top, tree))

    @property
    def text(self) -> SkylinePieces | None:
        """The pieces of the text with their gap ranks, or None without a run."""
        return None if self.rows is None else self.rows.text

    @property
    def left(self) -> float:
        """The x at which the trees begin."""
        return _scale_width(self.font, self.top) + _MARGIN_PX

    @property
    def row_height(self) -> float:
        return self.measures.row * self.zoom

    @property
    def width(self) -> float:
        """The width of the whole."""
        widest = 0.0 if self.rows is None else self.rows.widest * self.zoom
        return self.left + _RIGHT_PX + widest

    @property
    def height(self) -> float:
        """The height of the whole; an estimate until all rows are laid out."""
        if self.rows is None:
            return 0.0
        n_rows = self._n_shown if self.has_whole_rows else self.rows.n_rows
        return n_rows * self.row_height

    def n_tokens(self) -> int:
        """The number of tokens in the text at the step."""
        return 0 if self.rows is None else int(np.count_nonzero(self.rows.text.gaps >= self.step))

    def joints(self) -> npt.NDArray[np.int64]:
        """The gaps that a merge closes, in the order of the text."""
        if self.rows is None:
            return np.zeros(0, np.int64)
        gaps = self.rows.text.gaps
        return np.flatnonzero((gaps >= 0) & (gaps < NEVER))

    def joint(self, gap: int) -> Joint | None:
        """The joint that closes a gap."""
        if self.rows is None or not 0 <= gap < len(self.rows.text.gaps):
            return None
        rank = int(self.rows.text.gaps[gap])
        return Joint(gap, rank) if 0 <= rank < NEVER else None

    def place_of(self, gap: int) -> QRectF:
        """The rectangle of a joint's bracket."""
        assert self.rows is not None
        piece = int(np.searchsorted(self.rows.text.offsets, gap, "right")) - 1
        number = self.rows.row_of(piece)
        row = self.rows.row(number)
        zoom = self.zoom
        joint = int(np.searchsorted(row.gaps, gap, "left"))
        low = float(row.legs[joint].min())
        high = float(row.legs[joint].max())
        top = number * self.row_height + (self.measures.base - float(row.heights[joint, 0])) * zoom
        return QRectF(
            self.left + low * zoom, top, (high - low) * zoom, float(row.heights[joint, 0]) * zoom
        )

    def line_y(self, number: int) -> float:
        """The y of the step's line in a row."""
        assert self.rows is not None
        inner = (self.measures.base - self.rows.scale.line(self.step)) * self.zoom
        return number * self.row_height + inner

    def step_at(self, y: float, number: int, most: int) -> int:
        """The step whose line is nearest to a y, on the scale of that row."""
        assert self.rows is not None
        height = self.measures.base - (y - number * self.row_height) / self.zoom
        return self.rows.scale.step_at(height, most)

    def row_at(self, y: float) -> int | None:
        """The row at a place, or None."""
        number = int(y // self.row_height) if y >= 0 else -1
        return number if self.rows is not None and 0 <= number < len(self.rows.starts) else None

    def joint_at(self, place: QPointF, reach_px: float) -> Joint | None:
        number = self.row_at(place.y())
        if number is None or self.rows is None:
            return None
        row = self.rows.row(number)
        height = self.measures.base - (place.y() - number * self.row_height) / self.zoom
        if height < -1:
            return None
        joint = row.joint_at((place.x() - self.left) / self.zoom, height, reach_px / self.zoom)
        return None if joint is None else Joint(int(row.gaps[joint]), int(row.ranks[joint]))

    def token_at(self, place: QPointF) -> int | None:
        """The internal id of the token whose letters are at a place, or None."""
        number = self.row_at(place.y())
        if number is None or self.rows is None or self.run is None:
            return None
        row = self.rows.row(number)
        below = (place.y() - number * self.row_height) / self.zoom - self.measures.base
        if not 0 <= below <= self.measures.foot - self.measures.base:
            return None
        tokens = cut_row(row, self.rows.text, self.step, self.run.n_alphabet)
        x = (place.x() - self.left) / self.zoom
        found = np.flatnonzero((tokens.lefts <= x) & (x < tokens.rights))
        return int(tokens.ids[found[0]]) if len(found) else None

    def border_at(self, place: QPointF) -> TextBorder | None:
        """The border between two tokens at a place among the letters; None if there is none."""
        number = self.row_at(place.y())
        if number is None or self.rows is None or self.run is None:
            return None
        below = (place.y() - number * self.row_height) / self.zoom - self.measures.base
        if not 0 <= below <= self.measures.foot - self.measures.base:
            return None
        row = self.rows.row(number)
        tokens = cut_row(row, self.rows.text, self.step, self.run.n_alphabet)
        x = (place.x() - self.left) / self.zoom
        for token in range(1, len(tokens.ids)):
            middle, reach = between(tokens, token)
            if abs(middle - x) <= reach:
                return self.rows.text.border_before(row.first + int(tokens.firsts[token]))
        return None

    def paint(self, painter: QPainter, seen: QRectF, palette: QPalette) -> None:
        """Paint a part; the painter's origin is the part's top left.

        Args:
            seen: the part.
            palette: the colours.
        """
        if self.rows is None:
            return
        first = int(seen.top() // self.row_height)
        last = ceil(seen.bottom() / self.row_height)
        self.rows.extend(last + 1, _SLACK_S)
        n_rows = self._n_shown if self.has_whole_rows else len(self.rows.starts)
        for number in range(max(0, first), min(last, n_rows)):
            painter.save()
            painter.translate(0, number * self.row_height - seen.top())
            self._paint_row(painter, number, seen, palette)
            painter.restore()

    def joints_of(self, rank: int, seen: QRectF) -> list[list[QLineF]]:
        """The joints of a merge in a part of the picture, as lines, relative to the part."""
        found: list[list[QLineF]] = []
        if self.rows is None:
            return found
        first = max(0, int(seen.top() // self.row_height))
        last = ceil(seen.bottom() / self.row_height)
        for number in range(first, min(last, len(self.rows.starts))):
            row = self.rows.row(number)
            place = QTransform.fromTranslate(
                self.left - seen.left(), number * self.row_height - seen.top()
            )
            place.scale(self.zoom, self.zoom)
            for joint in np.flatnonzero(row.ranks == rank).tolist():
                lines = [place.map(line) for line in row.bracket(joint, self.measures.base)]
                found.append(lines)
        return found

    def _coloured(self, tokens: Tokens) -> Tokens:
        return tokens._replace(colours=self._colours.of(self.run, tokens.ids.tolist()))

    def _paint_row(self, painter: QPainter, number: int, seen: QRectF, palette: QPalette) -> None:
        assert self.rows is not None and self.run is not None
        row = self.rows.row(number)
        measures = self.measures
        zoom = self.zoom
        left = self.left
        step = self.step
        text = self.rows.text
        n_alphabet = self.run.n_alphabet
        line = self.rows.scale.line(step)
        line_y = (measures.base - line) * zoom
        painter.setFont(_scale_font(self.font))
        ticks = self.rows.scale.ticks(1.3 * painter.fontMetrics().height() / zoom)
        heights = {
            tick: (measures.base - float(self.rows.scale.heights(tick))) * zoom for tick in ticks
        }
        _paint_scale(painter, heights, left - _MARGIN_PX, seen.width(), line_y, palette)
        painter.save()
        painter.setClipRect(
            QRectF(left - _MARGIN_PX, 0, seen.width() - left + _MARGIN_PX, self.row_height)
        )
        painter.translate(left - seen.left(), 0)
        painter.scale(zoom, zoom)
        tokens = self._coloured(cut_row(row, text, step, n_alphabet))
        paint_row(painter, row, tokens, measures, step, line, self.lights, n_alphabet, palette)
        if self.border is not None:
            symbols = {
                symbol - row.first
                for symbol in text.symbols_behind(self.border, row.first, row.last)
            }
            paint_borders(painter, tokens, symbols, measures, palette)
        low = (seen.left() - left) / zoom
        paint_letters(
            painter, row, self.rows.shapes, measures, palette, (low, low + seen.width() / zoom)
        )
        painter.restore()
        painter.setFont(_scale_font(self.font))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_line(
            painter,
            self.step,
            line_y,
            left - _MARGIN_PX,
            seen.width(),
            palette,
            is_held=self.is_held,
        )

    def _set_rows(self, text: SkylinePieces) -> None:
        letters = QFont(self.font)
        if letters.pointSizeF() > 0:
            letters.setPointSizeF(letters.pointSizeF() * LETTERS)
        else:
            letters.setPixelSize(round(letters.pixelSize() * LETTERS))
        config = text.config
        mark = (config.word_end or "") if config.word_end_as == "own-symbol" else ""
        shapes = WordShapes(letters, config.units, mark)
        self.measures = Measures(TREE_PX, shapes.metrics.height(), shapes.metrics.ascent())
        self.rows = Rows(text, shapes)
        self.arrange()


def _scale_font(font: QFont) -> QFont:
    """The font of a scale's numbers, which keeps its size at any zoom."""
    size = font.pointSizeF()
    smaller = size * 0.85 if size > 0 else None
    return theme.numeric_font(smaller)


def _scale_width(font: QFont, most: int) -> float:
    widest = QFontMetricsF(_scale_font(font)).horizontalAdvance(number_text(max(1000, most)))
    return widest + 2 * _PAD_PX + _MARGIN_PX + _TICK_PX


def _tick_label(rank: int) -> str:
    """The label of a rank next to the scale: 1, 10, 100, 1k, 10k."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if rank >= size:
            return f"{rank // size}{letter}"
    return str(rank)


def _paint_scale(
    painter: QPainter,
    ticks: dict[int, float],
    left: float,
    right: float,
    line_y: float,
    palette: QPalette,
) -> None:
    """Paint ranks, and a faint rule for each.

    Args:
        painter: has the font of the scale.
        ticks: the ranks, and the y of each.
        left: the left edge of the trees.
        right: their right edge.
        line_y: the y of the step's line, next to which no label is painted.
        palette: the colours.
    """
    room = 1.3 * painter.fontMetrics().height()
    for rank, y in ticks.items():
        painter.setPen(QPen(_rule_colour(palette), 1))
        painter.drawLine(QPointF(left, round(y)), QPointF(right, round(y)))
        if abs(y - line_y) > room:
            painter.setPen(theme.muted(palette))
            painter.drawText(
                QRectF(0, y - room, left - _TICK_PX - 2, 2 * room), _RIGHT, _tick_label(rank)
            )


def _paint_line(
    painter: QPainter,
    step: int,
    y: float,
    left: float,
    right: float,
    palette: QPalette,
    *,
    is_held: bool,
) -> None:
    """Paint the line of the step and, as its handle, the step's number."""
    accent = theme.accent(palette)
    line_px = 2.5 if is_held else 1.5
    painter.setPen(QPen(accent, line_px))
    painter.drawLine(QPointF(left - _TICK_PX, y), QPointF(right, y))
    text = number_text(step)
    metrics = painter.fontMetrics()
    height = metrics.height() + 2.0
    width = max(metrics.horizontalAdvance(text) + 2 * _PAD_PX, 18.0)
    box = QRectF(left - _TICK_PX - width, y - height / 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(accent)
    painter.drawRoundedRect(box, height / 3, height / 3)
    ink = QColor("#FFFFFF")
    if theme.is_dark(palette):
        ink = palette.color(QPalette.ColorRole.Base)
    painter.setPen(ink)
    painter.drawText(box, _CENTRE, text)


def _rule_colour(palette: QPalette) -> QColor:
    return palette.color(QPalette.ColorRole.Midlight)
