"""The picture of the tokens in common: the curve, its lines of shares, where the runs diverge, and what is hovered.

It imports pyqtgraph (`curve_plot.py`): import it late, as `overlap_curve.py` does.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import percent, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis
from bpe_studio.gui.plots.overlap_chart import GAP_PX, OverlapChart

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
        self.dress()

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

    def dress(self) -> None:
        super().dress()
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
