"""The growth curves: tokens in the corpus and count of the merged pair, with the step as a line to drag.

Other runs of the same text have curves behind those of the open run, told apart by their dashes; a legend above
the areas names them. What the curves are at the step under the mouse is written in the corner of each area. It imports
pyqtgraph (`curve_plot.py`): import it late, as the growth panel does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QMouseEvent, QPainter, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.plots.curve_plot import (
    CURVE_PX,
    CurvePlot,
    TickAxis,
    legend_lines,
    paint_dot,
    paint_hover_line,
    paint_named_sample,
    paint_readout,
    paint_step_line,
)

if TYPE_CHECKING:
    from bpe_studio.gui.plots.axes import FloatArray

N_BINS = 400
WIDE = 2.2
AXIS = " by merges"
"""What is appended to a title where there is no room for the label of the axis."""
TITLES = ("tokens in the corpus", "count of the merged pair")
NEAR_PX = 4
_RIGHT_PX = 8
_LEGEND_LEFT_PX = 6
_LOW_LEGEND, _HIGH_LEGEND = 2, 4
"""How many lines the legend has at most, in a low plot and in others."""
_SIDE_TICK_PX, _FOOT_TICK_PX = 34, 78
_PADDING = 0.015
_OTHER_PX = 1.6
_DASHES = (
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
Rows = list[tuple[QPen | None, str]]
LOW_LINES = 11
"""A plot of fewer lines of text names its axes in the titles, so that the curves have the room."""


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
        tokens = np.concatenate([[float(initial_n_tokens)], np.asarray(n_tokens, np.float64)])
        return cls(name, tokens, np.asarray(counts, np.float64))

    @property
    def n_merges(self) -> int:
        """How many merges it has."""
        return len(self.counts)

    def points(self, *, log_merges: bool, log_counts: bool) -> tuple[FloatArray, ...]:
        """Steps and values of both curves, shortened; counted once for each kind of axes."""
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


class GrowthPlot(CurvePlot):
    """Two curves above each other, one axis of merges, one step; pressing and dragging in it moves the step.

    Signals:
        step_dragged: int, the step to which the line was dragged.
    """

    step_dragged = Signal(object)
    export_name = "Growth"
    _is_made = False  # pyqtgraph sends events while the view is constructed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.log_merges = self.log_counts = True
        self._step = 0
        self._vocab_size = 0
        self._growth = Growth("", np.zeros(1), np.zeros(0))
        self._others: tuple[Growth, ...] = ()
        self._hovered: int | None = None
        self._is_low = False
        self._is_near = False
        self._grip_px = 0.0
        self._is_wide = False
        self._legend_lines: list[list[tuple[QPen, str, float]]] = []
        self._legend_px = 0
        self.ci.setContentsMargins(0, 0, _RIGHT_PX, 0)
        self.ci.setSpacing(4)
        self._make()

    def _make(self) -> None:
        self.vocabulary_axis, sizes_again = (TickAxis("top", self._size_ticks, _FOOT_TICK_PX) for _ in range(2))
        merges, again = (TickAxis("bottom", self._merge_ticks, _FOOT_TICK_PX) for _ in range(2))
        tokens, counts = (TickAxis("left", partial(self._value_ticks, k), _SIDE_TICK_PX) for k in range(2))
        self.tokens = self.add_area(0, {"left": tokens, "top": self.vocabulary_axis, "bottom": again})
        self.counts = self.add_area(1, {"left": counts, "top": sizes_again, "bottom": merges})
        self.counts.setXLink(self.tokens)
        self.tokens.hideAxis("bottom")
        self.counts.hideAxis("top")
        self.tokens.showAxis("top")
        self.titles = tuple(_title(area, text) for area, text in zip(self.areas, TITLES, strict=True))
        for area in self.areas:
            self.add_curve(area)
        self.viewport().setMouseTracking(True)
        self._is_made = True
        self.dress()

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no merge to draw."""
        return self.viewport().size() if self.n_merges else QSize()

    # What is shown.

    @property
    def n_merges(self) -> int:
        """How many merges the curves show."""
        return self._growth.n_merges

    @property
    def others(self) -> tuple[Growth, ...]:
        """The other runs that are drawn."""
        return self._others

    @property
    def hovered(self) -> int | None:
        """The step under the mouse; None while the mouse is elsewhere."""
        return self._hovered

    @property
    def step(self) -> int:
        """The step that the line is at."""
        return self._step

    @property
    def scale(self) -> StepScale:
        """The positions of steps, from 0 to 1 along the axis of merges."""
        return StepScale(max(2, *(each.n_merges for each in (self._growth, *self._others))), self.log_merges)

    def set_data(
        self,
        initial_n_tokens: int,
        n_tokens: Any,
        counts: Any,
        initial_vocab_size: int,
        name: str = "",
        others: Sequence[Growth] = (),
    ) -> None:
        """Show a run, or more of it.

        Args:
            initial_n_tokens: tokens in the corpus before the first merge.
            n_tokens: (n,) tokens in the corpus after each merge.
            counts: (n,) count of each merged pair.
            initial_vocab_size: the vocabulary's size before the first merge.
            name: of the run, for the legend.
            others: the runs that are drawn behind it.
        """
        self._growth, self._others = Growth.of(name, initial_n_tokens, n_tokens, counts), tuple(others)
        while len(self.curves) < 2 * (1 + len(self._others)):
            for area in self.areas:
                self.add_curve(area).setZValue(-1)
            self._dress_curves()
        self._place_legend()
        self._vocab_size = initial_vocab_size
        self.redraw()

    def clear_curves(self) -> None:
        """Show no curve, as until another run has merges."""
        for curve in self.curves:
            curve.setData([], [])

    def set_log(self, merges: bool, counts: bool) -> None:
        """Choose logarithmic axes: for merges (both plots), for counts of pairs."""
        self.log_merges, self.log_counts = merges, counts
        self._place_titles()
        self.redraw()

    def set_step(self, step: int) -> None:
        """Move the line to the step."""
        self._step = step
        self.over.update()

    def redraw(self) -> None:
        """Draw the curves, the axes and the line again."""
        scale = self.scale
        for place, area in enumerate(self.areas):
            self._scale_axes(place, area)
            for curve, growth in zip_longest(self.curves[place::2], (self._growth, *self._others)):
                if growth is None:
                    curve.setData([], [])
                    continue
                points = growth.points(log_merges=self.log_merges, log_counts=self.log_counts)
                x, y = points[2 * place : 2 * place + 2]
                curve.setData(scale.places(x), y)
        self.over.update()

    def values_at(self, step: int) -> tuple[float, float]:
        """The values of the curves at a step, as drawn; nan where a curve has no point."""
        n_tokens, count = self._growth.values_at(step)
        if self.log_counts and math.isfinite(count):
            count = math.log10(count) if count > 0 else math.nan
        return n_tokens, count

    def paint_over(self, painter: QPainter) -> None:
        x, palette = self.scale.x(self._step), self.palette()
        for area, value in zip(self.areas, self.values_at(self._step), strict=True):
            room: QRectF = area.getViewBox().sceneBoundingRect()
            place = self.place(area, x, value if math.isfinite(value) else 0.0)
            paint_step_line(painter, palette, place.x(), room.top(), room.bottom(), is_held=self._is_near)
            if math.isfinite(value):
                paint_dot(painter, palette, place, is_step=True)
        if self._hovered is not None:
            self._paint_hovered(painter, self._hovered)
        self._paint_legend(painter)
        for area, title, is_above, rows in zip(
            self.areas, self.titles, self.are_titles_above, self.readout, strict=True
        ):
            if rows:
                room = area.getViewBox().sceneBoundingRect()
                room.setTop(room.top() + (title.height() if is_above else 0.0))
                paint_readout(painter, palette, room, rows)

    def _paint_hovered(self, painter: QPainter, step: int) -> None:
        palette = self.palette()
        for area, value in zip(self.areas, self.values_at(step), strict=True):
            room: QRectF = area.getViewBox().sceneBoundingRect()
            place = self.place(area, self.scale.x(step), value if math.isfinite(value) else 0.0)
            paint_hover_line(painter, palette, place.x(), room.top(), room.bottom())
            if math.isfinite(value):
                paint_dot(painter, palette, place, 3.0, is_step=False)

    @property
    def legend(self) -> list[tuple[QPen, str]]:
        """The curve and the name of each run, if there are several."""
        runs = (self._growth, *self._others) if self._others else ()
        return [(self._pen(k), each.name) for k, each in enumerate(runs)]

    @property
    def legend_lines(self) -> list[list[str]]:
        """The names in the lines of the legend, as they are painted."""
        return [[name for _, name, _ in line] for line in self._legend_lines]

    def _place_legend(self) -> None:
        """Make room for the legend above the areas: names are cut only where too many lines would be needed."""
        metrics, most = QFontMetricsF(self.font()), _LOW_LEGEND if self._is_low else _HIGH_LEGEND
        room, legend = max(1.0, self.width() - _LEGEND_LEFT_PX - _RIGHT_PX), self.legend
        lines = legend_lines(legend, metrics, room, room)
        if len(lines) > most:
            lines = legend_lines(legend, metrics, room, room / math.ceil(len(legend) / most))
        self._legend_lines, height = lines, math.ceil(len(lines) * metrics.height())
        if height != self._legend_px:
            self._legend_px = height
            self.ci.setContentsMargins(0, height, _RIGHT_PX, 0)

    def _paint_legend(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(painter.font())
        for place, line in enumerate(self._legend_lines):
            x, top = float(_LEGEND_LEFT_PX), place * metrics.height()
            for pen, name, width in line:
                paint_named_sample(painter, self.palette(), QPointF(x, top), pen, name)
                x += width

    @property
    def readout(self) -> tuple[Rows, Rows]:
        """What is written in each area: the values under the mouse, after a piece of the curve if there are several."""
        step = self._hovered
        runs = (self._growth, *self._others)
        if step is None:
            return [], []
        found: list[Rows] = []
        for area, what in enumerate(("token", "time")):
            values = [each.values_at(step)[area] for each in runs]
            texts = [number(round(value)) if math.isfinite(value) else "–" for value in values]
            head = f"step {number(step)}"
            if area == 0 and not self._others:  # another run may begin with another alphabet
                head += f" · vocabulary {number(self._vocab_size + step)}"
            if self._others:
                found.append([(None, head), *((self._pen(k), text) for k, text in enumerate(texts))])
            else:
                value = f" · {texts[0]} {what}{'s' * (values[0] != 1)}" if math.isfinite(values[0]) else ""
                found.append([(None, head + value)])
        return found[0], found[1]

    def _pen(self, number: int) -> QPen:
        """The pen of a run's curves: the open run's is solid."""
        palette = self.palette()
        if number == 0:
            pen: QPen = pg.mkPen(palette.color(QPalette.ColorRole.Text), width=CURVE_PX)
        else:
            style = _DASHES[(number - 1) % len(_DASHES)]
            pen = pg.mkPen(theme.muted(palette), width=_OTHER_PX, style=style)
        return pen

    def _scale_axes(self, place: int, area: pg.PlotItem) -> None:
        area.setXRange(0.0, 1.0, padding=_PADDING)
        for axis in area.axes.values():
            if isinstance(axis["item"], TickAxis):
                axis["item"].refresh()
        runs = (self._growth, *self._others)
        if place == 0:
            highest = max(float(each.n_tokens.max()) for each in runs) or 1.0
            self.tokens.setYRange(-0.04 * highest, 1.05 * highest, padding=0)
            return
        highest_count = max(float(each.counts.max(initial=1.0)) for each in runs)
        if self.log_counts:
            lowest = min(float(each.counts[each.counts > 0].min(initial=highest_count)) for each in runs)
            bottom = min(math.log10(lowest), math.log10(highest_count) - 0.5)
            self.counts.setYRange(bottom, math.log10(highest_count), padding=0.06)
        else:
            self.counts.setYRange(-0.04 * highest_count, 1.05 * highest_count, padding=0)

    # The ticks.

    def _value_ticks(self, number: int, low: float, high: float, n: int) -> list[tuple[float, str]]:
        if not (number and self.log_counts):
            return [(tick, _short(tick)) for tick in round_ticks(low, high, n)]
        ticks = round_ticks(10.0**low, 10.0 ** min(high, 300.0), n, log=True)
        return [(math.log10(tick), _short(tick)) for tick in ticks]

    def _merge_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        return self._step_ticks(n, 0)

    def _size_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        return self._step_ticks(n, self._vocab_size)

    def _step_ticks(self, n: int, offset: int) -> list[tuple[float, str]]:
        """Ticks at round steps, or, on the axis of the vocabulary size, at round sizes."""
        scale, last = self.scale, self.scale.n_merges
        if not scale.is_log:
            steps = [tick - offset for tick in round_ticks(offset, offset + last, n)]
        else:
            steps = round_ticks(1.0, last, n, log=True)
            if offset:
                sizes = sorted({_round_size(step, offset) for step in steps})
                steps = [size - offset for size in sizes if size - offset <= last]
            steps = [0.0, *steps]
        return [(scale.x(step), _short(step + offset)) for step in steps]

    # What the mouse does.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        # The line is dragged from where it was grabbed, and does not jump.
        distance = self._distance_px(event.position())
        self._grip_px = distance if abs(distance) <= NEAR_PX else 0.0
        if not self._grip_px:
            self._scrub(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event.position())
        else:
            self._hover(event.position())

    def _scrub(self, position: QPointF) -> None:
        room = self._area_at(position).getViewBox()
        share = room.mapSceneToView(position + QPointF(self._grip_px, 0)).x()
        self._hovered = None  # the values of the step are said above the plot
        self.step_dragged.emit(min(self.scale.step(float(share)), self.n_merges))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = None
        self.over.update()

    def _hover(self, position: QPointF) -> None:
        """Shows what the curves are under the pointer, and that the line can be dragged, where it is near that."""
        if self.n_merges:
            share = self._area_at(position).getViewBox().mapSceneToView(position).x()
            hovered = self.scale.step(float(share))
            if hovered != self._hovered:
                self._hovered = hovered
                self.over.update()
        is_near = abs(self._distance_px(position)) <= NEAR_PX
        if is_near != self._is_near:
            self._is_near = is_near
            self.viewport().setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
            self.over.update()

    def _distance_px(self, position: QPointF) -> float:
        """The distance from a position to the line, to the right, in pixels."""
        return self.place(self._area_at(position), self.scale.x(self._step), 0.0).x() - position.x()

    def _area_at(self, position: QPointF) -> pg.PlotItem:
        """The area at a position, or the nearest: a drag may leave it."""

        def distance(area: pg.PlotItem) -> float:
            room: QRectF = area.getViewBox().sceneBoundingRect()
            return float((room.center() - position).manhattanLength()) * (not room.contains(position))

        return min(self.areas, key=distance)

    # How it looks.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_made:
            self._place_areas()

    def _place_areas(self) -> None:
        """Places the areas side by side in a wide panel, above each other in a high one."""
        is_low = self.height() < LOW_LINES * self.fontMetrics().height()
        if is_low != self._is_low:
            self._is_low = is_low
            self._label_axes()
        self._place_legend()
        is_wide = self.width() > WIDE * self.height()
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        for area in self.areas:
            self.ci.removeItem(area)
        self.ci.addItem(self.tokens, 0, 0)
        self.ci.addItem(self.counts, *((0, 1) if is_wide else (1, 0)))
        self.tokens.showAxis("bottom", is_wide)
        self.counts.showAxis("top", is_wide)
        self.ci.setSpacing(12 if is_wide else 4)

    def dress(self) -> None:
        if not self._is_made:
            return
        super().dress()
        palette = self.palette()
        muted, text = theme.muted(palette), palette.color(QPalette.ColorRole.Text)
        font = theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5))
        width = QFontMetrics(font).horizontalAdvance("0,000,000") + 10
        labels = {
            (self.tokens, "left"): "",
            (self.tokens, "top"): "vocabulary size",
            (self.tokens, "bottom"): "merges",
            (self.counts, "left"): "",
            (self.counts, "top"): "vocabulary size",
            (self.counts, "bottom"): "merges",
        }
        for (area, side), label in labels.items():
            axis = area.getAxis(side)
            axis.setPen(palette.color(QPalette.ColorRole.Mid))
            axis.setTextPen(muted)
            axis.setTickFont(font)
            if label:
                axis.setLabel(label, color=muted.name(), **{"font-size": f"{font.pointSizeF():.1f}pt"})
            axis.setStyle(tickLength=-4, maxTickLevel=0)
            if side == "left":
                axis.setWidth(width)
            axis.setGrid(40)
        for title, words in zip(self.titles, TITLES, strict=True):
            title.setText(words + AXIS * self._is_low, color=text.name(), size=f"{font.pointSizeF() + 0.5:.1f}pt")
        self._dress_curves()
        self._label_axes()

    def _dress_curves(self) -> None:
        for k, curve in enumerate(self.curves):
            curve.setPen(self._pen(k // 2))

    def _label_axes(self) -> None:
        """Where there is little height, the titles say what the axis is."""
        size = f"{theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5)).pointSizeF() + 0.5:.1f}pt"
        for title, words in zip(self.titles, TITLES, strict=True):
            title.setText(words + AXIS * self._is_low, size=size)
        for area in self.areas:
            for side in ("top", "bottom"):
                area.getAxis(side).showLabel(not self._is_low)
        self._place_titles()

    @property
    def are_titles_above(self) -> tuple[bool, bool]:
        """Whether the title of each area is above its curve: a curve that falls at once leaves no room below it."""
        return not self.log_merges, not (self.log_merges and self.log_counts)

    def _place_titles(self) -> None:
        for title, is_above in zip(self.titles, self.are_titles_above, strict=True):
            if is_above:  # the line of the last step is at the right
                title.anchor(itemPos=(1, 0), parentPos=(1, 0), offset=(-16, 0))
            else:
                title.anchor(itemPos=(0, 1), parentPos=(0, 1), offset=(6, -2))


def _title(area: pg.PlotItem, text: str) -> pg.LabelItem:
    """The title of a curve; it is placed when it is dressed."""
    title = pg.LabelItem(text)
    title.setParentItem(area.getViewBox())
    return title


def _round_size(merges: float, offset: int) -> float:
    """A round vocabulary size near the one after so many merges, at least one above the offset."""
    unit = 10.0 ** math.floor(math.log10(merges) + 1e-9)
    size = round((offset + merges) / unit) * unit
    return size if size > offset else size + unit


def _short(value: float) -> str:
    count, locale = round(value), grouping_locale()
    for power, unit in ((1_000_000_000, "G"), (1_000_000, "M")):
        if abs(count) >= power:
            return f"{locale.toString(count / power, 'g', 4)} {unit}"
    return locale.toString(count)
