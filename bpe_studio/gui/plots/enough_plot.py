"""The picture of what runs on samples of a text give: two curves, their axes, and the values under the mouse.

It imports pyqtgraph (`curve_plot.py`): import it late, as `enough_curve.py` does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette, QPen

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import label_rows, round_ticks
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis, paint_dot, paint_hover_line
from bpe_studio.gui.plots.enough_curve import share_text

if TYPE_CHECKING:
    from bpe_studio.gui.plots.enough_curve import EnoughCurve

TITLES = ("Vocabulary in common", "Tokens per byte")
_CURVE_PX, _DOT_PX, _TICK_PX, _LEAST_TICKS = 1.6, 3.0, 40, 3
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)


class EnoughPlot(CurvePlot):
    """The picture of what an `EnoughCurve` shows.

    Args:
        curve: the widget, which computes the positions.
    """

    def __init__(self, curve: EnoughCurve) -> None:
        super().__init__(curve)
        self._curve = curve
        self._axes = [TickAxis("left", partial(self._ticks, k), _TICK_PX) for k in range(2)]
        for k, axis in enumerate(self._axes):
            self.add_curve(self.add_area(k, {"left": axis}))
        self._words = self.add_kept_layer(self._paint_words)
        self.dress()

    def _ticks(self, which: int, low: float, high: float, n: int) -> list[tuple[float, str]]:
        ticks = round_ticks(low, high, max(n, _LEAST_TICKS), is_whole=False)
        n_decimals = next((k for k in range(5) if all(abs(tick - round(tick, k)) < 1e-9 for tick in ticks)), 5)
        return [(tick, number(tick, n_decimals) if which else percent(tick, 0)) for tick in ticks]

    def redraw(self) -> None:
        curve = self._curve
        if curve.found is None:
            return
        width, height = self.width(), self.height() / 2
        for k, (area, room) in enumerate(zip(self.areas, curve.rooms, strict=True)):
            top = k * height
            area.setFixedHeight(height)
            area.layout.setContentsMargins(0, room.top() - top, width - room.right(), top + height - room.bottom())
            area.getAxis("left").setWidth(room.left())
            area.setXRange(0.0, 1.0, padding=0)
            area.setYRange(*curve.spans[k], padding=0)
            area.getAxis("left").refresh()
            area.layout.activate()
            self.curves[k].setData(np.array(curve.positions), np.array(curve.values[k]))
        self._words.update()
        self.over.update()

    def dress(self) -> None:
        super().dress()
        palette = self.palette()
        self.setBackground(None)
        for axis, curve in zip(self._axes, self.curves, strict=True):
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(pg.mkPen(palette.color(QPalette.ColorRole.Mid), width=1))
            axis.setTextPen(theme.muted(palette))
            axis.setTickFont(self.font())
            axis.setGrid(255)
            axis.setStyle(tickLength=0, maxTickLevel=0, tickTextOffset=6, autoExpandTextSpace=False,
                          hideOverlappingLabels=False)  # fmt: skip
            curve.setPen(pg.mkPen(palette.color(QPalette.ColorRole.Text), width=_CURVE_PX))
        self.redraw()

    def _place_of(self, which: int, sample: int) -> QPointF:
        room, (low, high) = self._curve.rooms[which], self._curve.spans[which]
        share = (self._curve.values[which][sample] - low) / (high - low)
        return QPointF(self._curve.x_of(sample), room.bottom() - share * room.height())

    def _paint_words(self, painter: QPainter) -> None:
        """The shares below the curves, and a dot at each sample."""
        curve, palette, metrics = self._curve, self.palette(), QFontMetricsF(painter.font())
        if curve.found is None:
            return
        below = curve.rooms[1].bottom() + 3
        names = [share_text(each.share) for each in curve.samples]
        widths = [metrics.horizontalAdvance(name) for name in names]
        edges = [(curve.x_of(k) - width / 2, curve.x_of(k) + width / 2) for k, width in enumerate(widths)]
        painter.setPen(theme.muted(palette))
        for k, row in enumerate(label_rows(edges, 1, 4)):
            if row == 0:
                painter.drawText(QRectF(edges[k][0] - 2, below, widths[k] + 4, metrics.height()), _CENTRE, names[k])
        for which in range(2):
            for k in range(len(names)):
                paint_dot(painter, palette, self._place_of(which, k), _DOT_PX, is_step=False)

    def paint_over(self, painter: QPainter) -> None:
        curve, palette, metrics = self._curve, self.palette(), QFontMetricsF(painter.font())
        if curve.found is None:
            return
        is_hovered = 0 <= curve.hovered < len(curve.samples)
        for which, (room, title) in enumerate(zip(curve.rooms, TITLES, strict=True)):
            line = QRectF(room.left(), room.top() - metrics.height() - 2, room.width(), metrics.height())
            value = ""
            if is_hovered:
                found = curve.values[which][curve.hovered]
                value = number(found, 4) if which else percent(found, 0)
                value = f"{value} at {share_text(curve.samples[curve.hovered].share)}"
                x = curve.x_of(curve.hovered)
                paint_hover_line(painter, palette, x, room.top(), room.bottom())
                paint_dot(painter, palette, self._place_of(which, curve.hovered), _DOT_PX + 1.5, is_step=False)
                painter.setPen(palette.color(QPalette.ColorRole.Text))
                painter.drawText(line, _RIGHT, value)
            left = line.width() - metrics.horizontalAdvance(value) - 8
            painter.setPen(theme.muted(palette))
            painter.drawText(line, _LEFT, metrics.elidedText(title, Qt.TextElideMode.ElideRight, left))
        if curve.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.with_alpha(theme.accent(palette), 0.7), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
