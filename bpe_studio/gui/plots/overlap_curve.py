"""A small curve: the share of tokens that two runs have in common, from the first merge to the step.

It shows what `run_difference.compare_runs` sampled, also as text for screen readers and in its tooltip.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale, round_ticks
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis
from bpe_studio.gui.plots.curve_widget import CurveWidget

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.gui.plots.curve_plot import CurvePlot

GAP_PX = 6
_NEAR = 0.9


class OverlapChart:
    """The values and positions of the chart.

    Attributes:
        steps: (k,) the steps at which the share was sampled.
        shares: (k,) the share of the tokens in common at each.
        divergence: the rank at which the runs diverge; below 0 where they do not.
        hovered: the number of the sample under the pointer; below 0 none.
        size: of the chart, in pixels.
        metrics: of its font.
    """

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.shares: list[float] = []
        self.divergence = -1
        self.hovered = -1
        self.size = QSizeF(1, 1)
        self.metrics = QFontMetricsF(QFont())

    @property
    def lowest(self) -> float:
        """The share at the bottom of the curve: the least one, or a round one below it."""
        least = min(self.shares, default=0.0)
        parts = 10 if least < _NEAR else 100
        return max(0.0, floor(least * parts - 1e-9) / parts)

    @property
    def lines(self) -> list[float]:
        """The shares at which a line is drawn, as many as fit."""
        return round_ticks(
            self.lowest, 1.0, max(1, int(self.room.height() / (2 * self.metrics.height()))), is_whole=False
        )

    @staticmethod
    def line_names(shares: Sequence[float]) -> list[str]:
        """The labels of the lines: percentages with as many digits as make them distinct."""
        return [f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %" for share in shares]

    @property
    def room(self) -> QRectF:
        """The rectangle of the curve."""
        height = self.metrics.height()
        names = self.line_names((1.0, 0.95 if self.lowest < _NEAR else 0.995))
        left = max(map(self.metrics.horizontalAdvance, names)) + GAP_PX
        top, bottom = height / 2, height + 4
        width, whole = self.size.width(), self.size.height()
        return QRectF(left, top, max(8.0, width - left - 2), max(8.0, whole - top - bottom))

    @property
    def scale(self) -> StepScale:
        """The positions of steps, in pixels."""
        room = self.room
        return StepScale(self.steps[-1] if self.steps else 0, left=room.left(), right=room.right())

    def point(self, sample: int) -> QPointF:
        """The position of a sample."""
        room = self.room
        share = (self.shares[sample] - self.lowest) / max(1e-9, 1.0 - self.lowest)
        return QPointF(self.scale.x(self.steps[sample]), room.bottom() - room.height() * share)

    def sample_at(self, x: float) -> int:
        """The number of the first sample at or after a position; -1 without a curve."""
        if not self.steps:
            return -1
        room = self.room
        step = (x - room.left()) / room.width() * self.steps[-1]
        return min(bisect_left(self.steps, step), len(self.steps) - 1)


_CURVE_PX = 1.6


class OverlapPlot(CurvePlot):
    """The picture of a chart.

    Args:
        chart: the values and positions.
    """

    def __init__(self, chart: OverlapChart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart = chart
        self.area = self.add_area(0, {"left": TickAxis("left", self._ticks, 1)})
        self.add_curve(self.area)
        self.apply_look()

    def _ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        shares = self._chart.lines
        return list(zip(shares, self._chart.line_names(shares), strict=True))

    def redraw(self) -> None:
        chart, room, left = self._chart, self._chart.room, self.area.getAxis("left")
        if not chart.steps:
            return
        self.area.layout.setContentsMargins(0, room.top(), chart.size.width() - room.right(),
                                            chart.size.height() - room.bottom())  # fmt: skip
        left.setWidth(room.left())
        self.area.setXRange(0.0, 1.0, padding=0)
        self.area.setYRange(chart.lowest, 1.0, padding=0)
        left.refresh()
        self.area.layout.activate()
        places = (chart.scale.places(np.asarray(chart.steps)) - room.left()) / room.width()
        # Before the runs diverge they have everything in common.
        start = [] if chart.divergence == 0 else [0.0]
        self.curves[0].setData(np.concatenate([start, places]), np.concatenate([np.ones(len(start)), chart.shares]))
        self.over.update()

    def apply_look(self) -> None:
        super().apply_look()
        palette, left = self.palette(), self.area.getAxis("left")
        self.setBackground(None)
        left.setPen(pg.mkPen(None))
        left.setTickPen(pg.mkPen(palette.color(QPalette.ColorRole.Mid), width=1))
        left.setTextPen(theme.muted(palette))
        left.setTickFont(self.font())
        left.setGrid(255)
        left.setStyle(
            tickLength=0,
            maxTickLevel=0,
            tickTextOffset=GAP_PX,
            autoExpandTextSpace=False,
            hideOverlappingLabels=False,
        )
        self.curves[0].setPen(pg.mkPen(palette.color(QPalette.ColorRole.Text), width=_CURVE_PX))
        self.redraw()

    def paint_over(self, painter: QPainter) -> None:
        chart, room, palette = self._chart, self._chart.room, self.palette()
        if not chart.steps:
            return
        quiet, ink = theme.muted(palette), palette.color(QPalette.ColorRole.Text)
        if 0 <= chart.divergence < chart.steps[-1]:
            x = chart.scale.x(chart.divergence)
            painter.setPen(QPen(quiet, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        number, height = grouping_locale().toString, painter.fontMetrics().height()
        below = QRectF(room.left(), room.bottom() + 2, room.width(), height)
        painter.setPen(quiet)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, plural(chart.steps[-1], "merge"))
        if not 0 <= chart.hovered < len(chart.steps):
            painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "tokens in common")
            return
        step, share = chart.steps[chart.hovered], chart.shares[chart.hovered]
        place = chart.point(chart.hovered)
        painter.setPen(QPen(quiet, 1))
        painter.drawLine(QPointF(place.x(), room.top()), QPointF(place.x(), room.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawEllipse(place, 3.5, 3.5)
        painter.setPen(ink)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, f"{percent(share, 1)} in common after {number(step)}")


class OverlapCurve(CurveWidget):
    """The curve, its minimum and maximum at the side, and where the two runs diverge.

    Attributes:
        export_name: its name in the menu File > Export.
    """

    export_name = "Tokens in common"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference.overlap")
        self.setAccessibleName("Tokens in common, by merges")
        self.chart = OverlapChart()

    def make_plot(self) -> CurvePlot:
        return OverlapPlot(self.chart, self)

    def message(self) -> str | None:
        return None if self.chart.steps else ""

    def fit(self) -> None:
        self.chart.size, self.chart.metrics = QSizeF(self.size()), QFontMetricsF(self.font())

    def show_difference(self, found: RunDifference | None) -> None:
        """Show the curve of a comparison, or none."""
        self.chart.steps = [] if found is None else found.overlap_steps.tolist()
        self.chart.shares = [] if found is None else found.overlap.tolist()
        self.chart.divergence = -1 if found is None or found.rank is None else found.rank
        self.chart.hovered = -1
        self.setAccessibleDescription(self._words(len(self.chart.steps) - 1))
        self.redraw_plot()

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is compared."""
        return self.size() if self.chart.steps else QSize()

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 56)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._words(self.chart.sample_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.chart.sample_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, sample: int) -> None:
        if sample != self.chart.hovered:
            self.chart.hovered = sample
            self.update_plot()

    def _words(self, k: int) -> str:
        if not 0 <= k < len(self.chart.steps):
            return ""
        n = self.chart.steps[k]
        common = number(round(self.chart.shares[k] * n))
        share = percent(self.chart.shares[k], 1)
        return f"After {plural(n, 'merge')} each, {common} of their tokens are the same ({share})"
