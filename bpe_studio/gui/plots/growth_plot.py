"""The growth curves: tokens in the corpus and count of the merged pair, with the step as a line to drag.

Other runs of the same text have curves behind those of the open run, told apart by their dashes; a legend names them.
What the curves are at the step under the mouse is written in the corner of each area.
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
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.names import elided, isolated
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.plots.curve_painting import CURVE_PX, paint_dot, paint_hover_line, paint_readout, paint_step_line
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis

if TYPE_CHECKING:
    from bpe_studio.gui.plots.axes import FloatArray

N_BINS = 400
WIDE = 2.2
TITLES = ("tokens in the corpus", "count of the merged pair")
NEAR_PX = 4
_RIGHT_PX = 8
_SIDE_TICK_PX, _FOOT_TICK_PX = 34, 78
_OTHER_PX = 1.6
_DASHES = (
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)


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
    """Two curves next to or above each other, and one step; pressing and dragging in it moves the step.

    Signals:
        step_dragged: int, the step to which the line was dragged.
    """

    step_dragged = Signal(object)
    export_name = "Growth"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.log_merges = self.log_counts = True
        self._step = 0
        self._vocab_size = 0
        self._growth = Growth("", np.zeros(1), np.zeros(0))
        self._others: tuple[Growth, ...] = ()
        self._hovered: int | None = None
        self._is_near = False
        self._is_wide = False
        self.ci.setContentsMargins(0, 0, _RIGHT_PX, 0)
        for place, title in enumerate(TITLES):
            left = TickAxis("left", partial(self._value_ticks, place), _SIDE_TICK_PX)
            area = self.add_area(place, {"left": left, "bottom": TickAxis("bottom", self._step_ticks, _FOOT_TICK_PX)})
            area.setTitle(title)
            self.add_curve(area)
        self.tokens, self.counts = self.areas
        self.counts.setXLink(self.tokens)
        self.legend = self.counts.addLegend(offset=(-8, 1), labelTextSize="8pt", verSpacing=-8)
        self.viewport().setMouseTracking(True)
        self._place_areas()
        self.apply_look()

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no merge to draw."""
        return self.viewport().size() if self.n_merges else QSize()

    # What is shown.

    @property
    def n_merges(self) -> int:
        """How many merges the curves show."""
        return self._growth.n_merges

    @property
    def step(self) -> int:
        """The step that the line is at."""
        return self._step

    @property
    def scale(self) -> StepScale:
        """The positions of steps, from 0 to 1 along the axis of merges."""
        return StepScale(max(2, *(each.n_merges for each in self._runs)), self.log_merges)

    @property
    def _runs(self) -> tuple[Growth, ...]:
        return self._growth, *self._others

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
        while len(self.curves) < 2 * len(self._runs):
            for area in self.areas:
                self.add_curve(area).setZValue(-1)
            self._dress_curves()
        self._vocab_size = initial_vocab_size
        self.legend.clear()
        for curve, each in zip(self.curves[1::2], self._runs if self._others else (), strict=False):
            self.legend.addItem(curve, isolated(elided(each.name, 40)))
        self.redraw()

    def clear_curves(self) -> None:
        """Show no curve, as until another run has merges."""
        for curve in self.curves:
            curve.setData([], [])

    def set_log(self, merges: bool, counts: bool) -> None:
        """Choose logarithmic axes: for merges (both plots), for counts of pairs."""
        self.log_merges, self.log_counts = merges, counts
        self.redraw()

    def set_step(self, step: int) -> None:
        """Move the line to the step."""
        self._step = step
        self.over.update()

    def redraw(self) -> None:
        scale = self.scale
        for place, area in enumerate(self.areas):
            self._scale_axes(place, area)
            for curve, growth in zip_longest(self.curves[place::2], self._runs):
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

    @property
    def readout(self) -> tuple[str, ...]:
        """What is written in each area: the values at the step under the mouse."""
        step = self._hovered
        if step is None:
            return ()
        found = []
        for area, what in enumerate(("token", "time")):
            values = [each.values_at(step)[area] for each in self._runs]
            texts = [plural(round(value), what) if math.isfinite(value) else "–" for value in values]
            found.append(f"step {number(step)} · {' · '.join(texts)}")
        if not self._others:  # another run may begin with another alphabet
            found[0] += f" · vocabulary {number(self._vocab_size + step)}"
        return tuple(found)

    def paint_over(self, painter: QPainter) -> None:
        palette = self.palette()
        for step in (self._step, *(() if self._hovered is None else (self._hovered,))):
            is_step = step == self._step
            for area, value in zip(self.areas, self.values_at(step), strict=True):
                room: QRectF = area.getViewBox().sceneBoundingRect()
                place = self.place(area, self.scale.x(step), value if math.isfinite(value) else 0.0)
                if is_step:
                    paint_step_line(painter, palette, place.x(), room.top(), room.bottom(), is_held=self._is_near)
                else:
                    paint_hover_line(painter, palette, place.x(), room.top(), room.bottom())
                if math.isfinite(value):
                    paint_dot(painter, palette, place, is_step=is_step)
        for area, text in zip(self.areas, self.readout, strict=False):
            paint_readout(painter, palette, area.getViewBox().sceneBoundingRect(), [(None, text)])

    # The axes.

    def _scale_axes(self, place: int, area: pg.PlotItem) -> None:
        area.setXRange(0.0, 1.0, padding=0.015)
        for axis in area.axes.values():
            if isinstance(axis["item"], TickAxis):
                axis["item"].refresh()
        values = [each.n_tokens if place == 0 else each.counts for each in self._runs]
        highest = max(float(each.max(initial=1.0)) for each in values)
        if place and self.log_counts:
            lowest = min(float(each[each > 0].min(initial=highest)) for each in values)
            bottom = min(math.log10(lowest), math.log10(highest) - 0.5)
            area.setYRange(bottom, math.log10(highest), padding=0.06)
        else:
            area.setYRange(-0.04 * highest, 1.05 * highest, padding=0)

    def _value_ticks(self, place: int, low: float, high: float, n: int) -> list[tuple[float, str]]:
        if not (place and self.log_counts):
            return [(tick, _short(tick)) for tick in round_ticks(low, high, n)]
        ticks = round_ticks(10.0**low, 10.0 ** min(high, 300.0), n, log=True)
        return [(math.log10(tick), _short(tick)) for tick in ticks]

    def _step_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        scale = self.scale
        ticks = round_ticks(1.0 if scale.is_log else 0.0, scale.n_merges, n, log=scale.is_log)
        return [(scale.x(step), _short(step)) for step in ([0.0, *ticks] if scale.is_log else ticks)]

    # What the mouse does.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._scrub(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hover(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event.position())
        else:
            self._hover(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = None
        self.over.update()

    def _step_at(self, position: QPointF) -> int:
        return self.scale.step(float(self._area_at(position).getViewBox().mapSceneToView(position).x()))

    def _scrub(self, position: QPointF) -> None:
        self._hovered = None  # the values of the step are said above the plot
        self.step_dragged.emit(min(self._step_at(position), self.n_merges))

    def _hover(self, position: QPointF) -> None:
        """Shows what the curves are under the pointer, and that the line can be dragged, where it is near that."""
        hovered = self._step_at(position) if self.n_merges else None
        line_px = self.place(self._area_at(position), self.scale.x(self._step), 0.0).x()
        is_near = abs(line_px - position.x()) <= NEAR_PX
        if (hovered, is_near) != (self._hovered, self._is_near):
            self._hovered, self._is_near = hovered, is_near
            self.viewport().setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
            self.over.update()

    def _area_at(self, position: QPointF) -> pg.PlotItem:
        """The area at a position, or the nearest: a drag may leave it."""

        def distance(area: pg.PlotItem) -> float:
            room: QRectF = area.getViewBox().sceneBoundingRect()
            return float((room.center() - position).manhattanLength()) * (not room.contains(position))

        return min(self.areas, key=distance)

    # How it looks.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "legend"):  # pyqtgraph sends events while the view is constructed
            self._place_areas()

    def _place_areas(self) -> None:
        """Places the areas side by side in a wide panel, above each other in a high one."""
        is_wide = self.width() > WIDE * self.height()
        if is_wide != self._is_wide:
            self._is_wide = is_wide
            for area in self.areas:
                self.ci.removeItem(area)
            self.ci.addItem(self.tokens, 0, 0)
            self.ci.addItem(self.counts, *((0, 1) if is_wide else (1, 0)))
            self.ci.setSpacing(12 if is_wide else 4)

    def apply_look(self) -> None:
        if not hasattr(self, "legend"):
            return
        super().apply_look()
        palette = self.palette()
        muted, text = theme.muted(palette), palette.color(QPalette.ColorRole.Text)
        font = theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5))
        width = QFontMetrics(font).horizontalAdvance("0,000,000") + 10
        for area, title in zip(self.areas, TITLES, strict=True):
            area.setTitle(f"{title} by merges", color=text.name(), size=f"{font.pointSizeF() + 0.5:.1f}pt")
            for side in ("left", "bottom"):
                axis = area.getAxis(side)
                axis.setPen(palette.color(QPalette.ColorRole.Mid))
                axis.setTextPen(muted)
                axis.setTickFont(font)
                axis.setStyle(tickLength=-4, maxTickLevel=0)
                axis.setGrid(40)
            area.getAxis("left").setWidth(width)
        self.legend.setLabelTextColor(text)
        self.legend.setBrush(theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.8))
        self._dress_curves()

    def _dress_curves(self) -> None:
        palette = self.palette()
        for k, curve in enumerate(self.curves):
            if k < 2:
                curve.setPen(pg.mkPen(palette.color(QPalette.ColorRole.Text), width=CURVE_PX))
            else:
                style = _DASHES[(k // 2 - 1) % len(_DASHES)]
                curve.setPen(pg.mkPen(theme.muted(palette), width=_OTHER_PX, style=style))


def _short(value: float) -> str:
    count, locale = round(value), grouping_locale()
    for power, unit in ((1_000_000_000, "G"), (1_000_000, "M")):
        if abs(count) >= power:
            return f"{locale.toString(count / power, 'g', 4)} {unit}"
    return locale.toString(count)
