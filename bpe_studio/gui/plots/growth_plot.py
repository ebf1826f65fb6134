"""The growth curves: tokens in the corpus and count of the merged pair, with the step as a line to drag.

Other runs of the same text have curves behind those of the open run, told apart by their dashes; a legend names them.
What the curves are at the step under the mouse is written in the corner of each area. Until there is a curve, a
sentence is shown. numpy is imported where it is used, so that the window paints before it is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.names import elided, isolated
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.plots.curve_painting import (
    CENTRE,
    CURVE_PX,
    GAP_PX,
    line_of,
    paint_dot,
    paint_hover_line,
    paint_readout,
    paint_step_line,
    paint_value_ticks,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget

if TYPE_CHECKING:
    from bpe_studio.gui.plots.axes import FloatArray

N_BINS = 400
WIDE = 2.2
"""From this ratio of width to height on, the two areas are side by side."""
TITLES = ("tokens in the corpus by merges", "count of the merged pair by merges")
NEAR_PX = 4
_EDGE = 0.015
"""The share of an area's width that is left free at either side of its curves."""
_SIDE_TICK_PX, _FOOT_TICK_PX = 34, 78
_OTHER_PX = 1.6
_DASHES = (
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -100, Qt.Key.Key_PageUp: 100}


@dataclass(frozen=True, eq=False)
class Growth:
    """What is drawn of a run.

    Attributes:
        name: of the run.
        n_tokens: (n + 1,) float64, tokens in the corpus before and after each merge.
        counts: (n,) float64, the count of each merged pair.
    """

    name: str
    n_tokens: FloatArray
    counts: FloatArray
    _points: dict[tuple[bool, bool], tuple[FloatArray, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, initial_n_tokens: int, n_tokens: Any, counts: Any) -> Growth:
        """From the columns of a run."""
        import numpy as np

        tokens = np.concatenate([[float(initial_n_tokens)], np.asarray(n_tokens, np.float64)])
        return cls(name, tokens, np.asarray(counts, np.float64))

    @property
    def n_merges(self) -> int:
        """How many merges it has."""
        return len(self.counts)

    def points(self, *, log_merges: bool, log_counts: bool) -> tuple[FloatArray, ...]:
        """Steps and values of both curves, shortened; counted once for each kind of axes."""
        import numpy as np

        if (log_merges, log_counts) not in self._points:
            merges = np.arange(1, self.n_merges + 1, dtype=np.float64)
            x, y = decimate(merges, self.n_tokens[1:], N_BINS, log_x=log_merges)
            happened = self.counts > 0 if log_counts else np.ones(self.n_merges, bool)
            steps, counts = decimate(merges[happened], self.counts[happened], N_BINS, log_x=log_merges)
            self._points[log_merges, log_counts] = (
                np.concatenate([[0.0], x]),
                np.concatenate([self.n_tokens[:1], y]),
                steps,
                np.log10(counts) if log_counts else counts,
            )
        return self._points[log_merges, log_counts]

    def values_at(self, step: int) -> tuple[float, float]:
        """Tokens in the corpus and the count of the pair at a step; nan where it has none."""
        n_tokens = float(self.n_tokens[step]) if step <= self.n_merges else math.nan
        return n_tokens, float(self.counts[step - 1]) if 0 < step <= self.n_merges else math.nan


class GrowthPlot(CurveWidget):
    """Two curves next to or above each other, and one step; the mouse drags it, and the arrow keys move it.

    Attributes:
        sentence: what is shown instead of the curves; "" for the curves.
        runs: what is drawn; the first is the open run.
        step: the step that the line is at.
        curves: of both areas the curve of each run, in pixels.

    Signals:
        step_dragged: int, the step to which the line was dragged.
        moved: int, by how many steps the keys move the line.
    """

    step_dragged = Signal(object)
    moved = Signal(object)
    export_name = "Growth"
    ground = QPalette.ColorRole.Base

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("growth.plot")
        self.setAccessibleName("Growth of the vocabulary")
        self.setToolTip("Press or drag to move the step; the arrow keys move it by one; right-click for the scales")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.log_merges = self.log_counts = True
        self.sentence = ""
        self.step = 0
        self.runs: tuple[Growth, ...] = ()
        self.curves: tuple[list[QPolygonF], list[QPolygonF]] = ([], [])
        self._vocab_size = 0
        self._numbers_font = theme.numeric_font()
        self._spans = ((0.0, 1.0), (0.0, 1.0))
        self._hovered: int | None = None
        self._is_near = False

    def message(self) -> str | None:
        return None if self.runs and not self.sentence else self.sentence

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no merge to draw."""
        return self.size() if self.n_merges else QSize()

    # What is shown.

    @property
    def n_merges(self) -> int:
        """How many merges the curves show."""
        return self.runs[0].n_merges if self.runs else 0

    def set_sentence(self, sentence: str) -> None:
        """Show a sentence; "" shows the curves."""
        self.sentence = sentence
        self.update()

    def show_runs(self, runs: Sequence[Growth], initial_vocab_size: int) -> None:
        """Show runs, or more of them.

        Args:
            runs: the open run, then those that are drawn behind it.
            initial_vocab_size: the vocabulary's size before the first merge of the open run.
        """
        self.runs, self._vocab_size, self._hovered = tuple(runs), initial_vocab_size, None
        self.redraw()

    def set_log(self, merges: bool, counts: bool) -> None:
        """Choose logarithmic axes: for merges (both areas), for counts of pairs."""
        self.log_merges, self.log_counts = merges, counts
        self.redraw()

    def set_step(self, step: int) -> None:
        """Move the line to the step."""
        self.step = step
        self.update()

    @property
    def readout(self) -> tuple[str, ...]:
        """What is written in each area: the values at the step under the mouse."""
        step = self._hovered
        if step is None:
            return ()
        found = []
        for area, what in enumerate(("token", "time")):
            values = [each.values_at(step)[area] for each in self.runs]
            texts = [plural(round(value), what) if math.isfinite(value) else "–" for value in values]
            found.append(f"step {number(step)} · {' · '.join(texts)}")
        if len(self.runs) == 1:  # another run may begin with another alphabet
            found[0] += f" · vocabulary {number(self._vocab_size + step)}"
        return tuple(found)

    # Where things are.

    @property
    def rooms(self) -> tuple[QRectF, QRectF]:
        """The rectangles of the curves: side by side in a wide panel, above each other in a high one."""
        left = QFontMetricsF(self._numbers_font).horizontalAdvance("0,000,000") + GAP_PX
        line = QFontMetricsF(self.font()).height() + 4
        is_wide = self.width() > WIDE * self.height()
        width, height = self.width() / (2 if is_wide else 1), self.height() / (1 if is_wide else 2)
        room = QRectF(left, line + 2, max(20.0, width - left - 12), max(16.0, height - 2 * line - 4))
        return room, room.translated(width if is_wide else 0, 0 if is_wide else height)

    def scale(self, area: int) -> StepScale:
        """The positions of steps in an area."""
        room = self.rooms[area]
        margin = _EDGE * room.width()
        n_merges = max(2, *(each.n_merges for each in self.runs), 2)
        return StepScale(n_merges, self.log_merges, 0, room.left() + margin, room.right() - margin)

    def y_of(self, area: int, values: Any) -> Any:
        """The y of values of a curve; counts are given by their logarithm where their axis is logarithmic."""
        room, (low, high) = self.rooms[area], self._spans[area]
        return room.bottom() - (values - low) / (high - low) * room.height()

    def fit(self) -> None:
        self._numbers_font = theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5))
        self._spans = self._span(0), self._span(1)
        scales = self.scale(0), self.scale(1)
        self.curves = ([], [])
        for run in self.runs:
            points = run.points(log_merges=self.log_merges, log_counts=self.log_counts)
            for area, scale in enumerate(scales):
                steps, values = points[2 * area : 2 * area + 2]
                self.curves[area].append(line_of(scale.places(steps), self.y_of(area, values)))

    def _span(self, area: int) -> tuple[float, float]:
        values = [each.counts if area else each.n_tokens for each in self.runs]
        highest = max((float(each.max(initial=1.0)) for each in values), default=1.0)
        if not area or not self.log_counts:
            return -0.04 * highest, 1.05 * highest
        lowest = min((float(each[each > 0].min(initial=highest)) for each in values), default=1.0)
        low, high = min(math.log10(lowest), math.log10(highest) - 0.5), math.log10(highest)
        return low - 0.06 * (high - low), high + 0.06 * (high - low)

    def _value_ticks(self, area: int) -> list[tuple[float, str]]:
        low, high = self._spans[area]
        n = max(2, int(self.rooms[area].height() / _SIDE_TICK_PX))
        if area and self.log_counts:
            ticks = round_ticks(10.0**low, 10.0 ** min(high, 300.0), n, log=True)
            return [(self.y_of(area, math.log10(tick)), _short(tick)) for tick in ticks]
        return [(self.y_of(area, tick), _short(tick)) for tick in round_ticks(max(low, 0.0), high, n)]

    def _step_ticks(self, scale: StepScale) -> list[tuple[float, str]]:
        n = max(2, int((scale.right - scale.left) / _FOOT_TICK_PX))
        ticks = round_ticks(1.0 if scale.is_log else 0.0, scale.n_merges, n, log=scale.is_log)
        return [(scale.x(step), _short(step)) for step in ([0.0, *ticks] if scale.is_log else ticks)]

    # What the mouse and the keys do.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.message() is None:
            self._scrub(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self.message() is None:
            self._scrub(event.position())
        else:
            self._hover(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered, self._is_near = None, False
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        n_steps = _KEYS.get(Qt.Key(event.key()))
        if n_steps is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(n_steps)

    def _area_at(self, place: QPointF) -> int:
        """The area at a place, or the nearest: a drag may leave it."""
        return min((0, 1), key=lambda area: (self.rooms[area].center() - place).manhattanLength())

    def _scrub(self, place: QPointF) -> None:
        self._hovered = None  # the values of the step are said above the plot
        self.step_dragged.emit(min(self.scale(self._area_at(place)).step(place.x()), self.n_merges))

    def _hover(self, place: QPointF) -> None:
        """Show what the curves are under the pointer, and that the line can be dragged, where it is near that."""
        scale = self.scale(self._area_at(place))
        hovered = scale.step(place.x()) if self.message() is None else None
        is_near = hovered is not None and abs(scale.x(self.step) - place.x()) <= NEAR_PX
        if (hovered, is_near) != (self._hovered, self._is_near):
            self._hovered, self._is_near = hovered, is_near
            self.setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
            self.update()

    # How it looks.

    def paint_still(self, painter: QPainter) -> None:
        for area in range(2):
            self._paint_axes(painter, area)
            for k in reversed(range(len(self.runs))):
                painter.setPen(self._pen(k))
                painter.drawPolyline(self.curves[area][k])

    def paint_over(self, painter: QPainter) -> None:
        names = [(self._pen(k), isolated(elided(each.name, 40))) for k, each in enumerate(self.runs)]
        legends: tuple[list[tuple[QPen | None, str]], ...] = ([], [*names] if len(names) > 1 else [])
        for area, (room, legend) in enumerate(zip(self.rooms, legends, strict=True)):
            for step in (self.step, *(() if self._hovered is None else (self._hovered,))):
                self._paint_step(painter, area, step)
            rows: list[tuple[QPen | None, str]] = [(None, text) for text in self.readout[area : area + 1]]
            if not rows or 3 * (1 + len(legend)) * painter.fontMetrics().height() < room.height():
                rows += legend  # a low area has room for one of the two
            if rows:
                paint_readout(painter, self.palette(), room, rows, is_at_foot=self._is_high(area))

    def _is_high(self, area: int) -> bool:
        """Whether a curve, which always falls, is still in the upper half of its area after a third of it."""
        room = self.rooms[area]
        place = room.left() + room.width() / 3
        later = (point.y() for point in self.curves[area][0].toList() if point.x() >= place)
        return next(later, room.bottom()) < room.center().y()

    def _paint_axes(self, painter: QPainter, area: int) -> None:
        palette, room, scale = self.palette(), self.rooms[area], self.scale(area)
        height = QFontMetricsF(self.font()).height()
        painter.setFont(self.font())
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(QRectF(room.left(), room.top() - height - 4, room.width(), height), CENTRE, TITLES[area])
        painter.setFont(self._numbers_font)
        paint_value_ticks(painter, palette, room, self._value_ticks(area), QPalette.ColorRole.Midlight)
        for x, text in self._step_ticks(scale):
            painter.setPen(palette.color(QPalette.ColorRole.Midlight))
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
            painter.setPen(theme.muted(palette))
            painter.drawText(QRectF(x - room.width(), room.bottom() + 2, 2 * room.width(), height), CENTRE, text)
        painter.setPen(palette.color(QPalette.ColorRole.Mid))
        painter.drawLine(room.topLeft(), room.bottomLeft())
        painter.drawLine(room.bottomLeft(), room.bottomRight())

    def _paint_step(self, painter: QPainter, area: int, step: int) -> None:
        palette, room, x = self.palette(), self.rooms[area], self.scale(area).x(step)
        if step == self.step:
            paint_step_line(painter, palette, round(x), room.top(), room.bottom(), is_held=self._is_near)
        else:
            paint_hover_line(painter, palette, x, room.top(), room.bottom())
        value = self.runs[0].values_at(step)[area]
        if area and self.log_counts:
            value = math.log10(value) if value > 0 else math.nan
        if math.isfinite(value):
            paint_dot(painter, palette, QPointF(x, self.y_of(area, value)), is_step=step == self.step)

    def _pen(self, k: int) -> QPen:
        if not k:
            return QPen(self.palette().color(QPalette.ColorRole.Text), CURVE_PX)
        return QPen(theme.muted(self.palette()), _OTHER_PX, _DASHES[(k - 1) % len(_DASHES)])


def _short(value: float) -> str:
    count, locale = round(value), grouping_locale()
    for power, unit in ((1_000_000_000, "G"), (1_000_000, "M")):
        if abs(count) >= power:
            return f"{locale.toString(count / power, 'g', 4)} {unit}"
    return locale.toString(count)
