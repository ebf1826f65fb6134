"""The picture of tokens against vocabulary size: curves and axes, the knee, and the marks that move over them.

It paints a `SizeChart`, one point for each pixel however many merges there are. The widget (`size_curve.py`) handles
the mouse and the keyboard. It imports pyqtgraph (`curve_plot.py`): import it late.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis, paint_dot, paint_hover_line
from bpe_studio.gui.plots.size_chart import CURRENT, GAP_PX, RIGHT_PX, SizeChart

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_LINES = (
    (Qt.PenStyle.SolidLine, 2.0, 1.0),
    (Qt.PenStyle.DashLine, 1.8, 1.0),
    (Qt.PenStyle.DotLine, 1.8, 0.9),
)
_OTHER_LINE = (Qt.PenStyle.SolidLine, 1.2, 0.55)
_TICK_PX = 3
MOST_NAME_PX = 220


class SizePlot(CurvePlot):
    """The picture of a chart.

    Args:
        chart: the values and positions.
    """

    def __init__(self, chart: SizeChart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart = chart
        self.area = self.add_area(
            0, {"left": TickAxis("left", self._value_ticks, 1), "bottom": TickAxis("bottom", self._size_ticks, 1)}
        )
        self.area.getViewBox().setDefaultPadding(0.0)
        for _ in _LINES:
            self.add_curve(self.area)
        self._words = self.add_kept_layer(self._paint_words)
        self._words.setZValue(40)
        self.dress()

    def _value_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        return self._chart.value_ticks

    def _size_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        scale = self._chart.scale
        return [((x - scale.left) / (scale.right - scale.left), text) for x, text in self._chart.size_ticks]

    def redraw(self) -> None:
        """Draw again after the curves, their form, the size or the font have changed."""
        chart, room = self._chart, self._chart.room
        left, bottom = self.area.getAxis("left"), self.area.getAxis("bottom")
        self.area.layout.setContentsMargins(0, room.top(), RIGHT_PX, 0)
        left.setWidth(room.left())
        bottom.setHeight(chart.size.height() - room.bottom())
        self.area.setXRange(0.0, 1.0, padding=0)
        self.area.setYRange(0.0, chart.highest, padding=0)
        for axis in (left, bottom):
            axis.refresh()
        # At once: the handles are placed by the same numbers.
        self.area.layout.activate()
        scale, shown = chart.scale, chart.shown
        steps = scale.steps(int(room.width()) + 1)
        places = (scale.places(steps) - scale.left) / (scale.right - scale.left)
        for k, curve in enumerate(self.curves):
            if k >= len(shown):
                curve.setData([], [])
                continue
            n_tokens = np.maximum(shown[k].n_tokens[steps], 1).astype(np.float64)
            first = max(1, int(shown[k].n_tokens[0]))
            curve.setData(places, shown[k].n_bytes / n_tokens if chart.is_ratio else n_tokens / first)
            curve.setPen(self._pen(*_LINES[shown[k].line]))
        self._draw_other_runs()
        self._words.update()
        self.over.update()

    def _draw_other_runs(self) -> None:
        """The curves of other runs, as far as their sizes are on the axis."""
        chart, scale = self._chart, self._chart.scale
        runs = [each for each in chart.shown_points if each.curve is not None] if chart.shown else []
        while len(self.curves) < len(_LINES) + len(runs):
            self.add_curve(self.area).setZValue(-1)
        for k, plotted in enumerate(self.curves[len(_LINES) :]):
            each = runs[k] if k < len(runs) else None
            first, last = (1, 0) if each is None else chart.sizes_of(each)
            if each is None or each.curve is None or last < first:
                plotted.setData([], [])
                continue
            # Both ends belong to it, on whatever pixel they are.
            sizes = np.unique(np.clip(chart.base + scale.steps(int(chart.room.width()) + 1), first, last))
            places = (scale.places(sizes - chart.base) - scale.left) / (scale.right - scale.left)
            plotted.setData(places, [chart.value_of(each, n) for n in each.curve[sizes - each.base].tolist()])
            plotted.setPen(self._pen(*_OTHER_LINE))

    def dress(self) -> None:
        super().dress()
        palette, axis = self.palette(), pg.mkPen(self.palette().color(QPalette.ColorRole.Mid), width=1)
        left, bottom = self.area.getAxis("left"), self.area.getAxis("bottom")
        left.setPen(pg.mkPen(None))
        left.setTickPen(pg.mkPen(palette.color(QPalette.ColorRole.Midlight), width=1))
        left.setGrid(255)
        left.setStyle(
            tickLength=0,
            maxTickLevel=0,
            tickTextOffset=int(GAP_PX),
            autoExpandTextSpace=False,
            hideOverlappingLabels=False,
        )
        bottom.setPen(axis)
        bottom.setTickPen(axis)
        bottom.setStyle(
            tickLength=_TICK_PX,
            maxTickLevel=0,
            tickTextOffset=2,
            autoExpandTextSpace=False,
            hideOverlappingLabels=False,
        )
        for each in (left, bottom):
            each.setTextPen(theme.muted(palette))
            each.setTickFont(self.font())
        self.redraw()

    def _pen(self, style: Qt.PenStyle, width: float, alpha: float) -> QPen:
        ink = theme.with_alpha(self.palette().color(QPalette.ColorRole.Text), alpha)
        pen: QPen = pg.mkPen(ink, width=width, style=style)
        return pen

    # What is painted over the curves.

    def _paint_words(self, painter: QPainter) -> None:
        """The captions of the axes, the knee and the legend."""
        chart = self._chart
        if not chart.shown:
            return
        palette, room, height = self.palette(), chart.room, chart.metrics.height()
        if not chart.is_low:
            below = QRectF(room.left(), room.bottom() + 4 + height, room.width(), height)
            painter.setPen(theme.muted(palette))
            painter.drawText(below, _RIGHT, f"vocabulary size{', log scale' if chart.is_log else ''}")
            painter.drawText(below, _LEFT, f"up: {'bytes per token' if chart.is_ratio else 'tokens of the corpus'}")
        self._paint_legend(painter)

    def _paint_legend(self, painter: QPainter) -> None:
        chart, metrics, palette, room = self._chart, self._chart.metrics, self.palette(), self._chart.room
        height, shown = metrics.height(), chart.shown
        width = max(metrics.horizontalAdvance(each.name) for each in shown) + 46
        top = room.bottom() - len(shown) * height - 10 if chart.is_ratio else room.top() + 6
        box = QRectF(room.right() - width - 4, top, width, len(shown) * height + 4)
        painter.fillRect(box, theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.85))
        for k, each in enumerate(shown):
            y = box.top() + 2 + (k + 0.5) * height
            painter.setPen(self._pen(*_LINES[each.line]))
            painter.drawLine(QPointF(box.left() + 4, y), QPointF(box.left() + 34, y))
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.drawText(QRectF(box.left() + 40, y - height / 2, width - 40, height), _LEFT, each.name)

    def paint_over(self, painter: QPainter) -> None:
        if self._chart.shown:
            self._paint_hovered(painter)
            self._paint_marks(painter)
            self._paint_others(painter)
            self._paint_points(painter)

    def _paint_hovered(self, painter: QPainter) -> None:
        """A line at the step under the mouse, whose values are in the tooltip, and where it meets the curves."""
        chart, room = self._chart, self._chart.room
        if chart.hovered is None:
            return
        x, highest = chart.scale.x(chart.hovered), chart.highest
        paint_hover_line(painter, self.palette(), x, room.top(), room.bottom())
        values = [chart.value(series, min(chart.hovered, chart.n_merges)) for series in chart.shown]
        for point in chart.shown_points:
            n_tokens = point.n_tokens_at(chart.base + chart.hovered)
            values += [] if n_tokens is None else [chart.value_of(point, n_tokens)]
        for share in (value / highest for value in values):
            paint_dot(painter, self.palette(), QPointF(x, room.bottom() - share * room.height()), 3.0, is_step=False)

    def _paint_marks(self, painter: QPainter) -> None:
        chart, palette, room, scale = self._chart, self.palette(), self._chart.room, self._chart.scale
        ink, accent = palette.color(QPalette.ColorRole.Text), theme.accent(palette)
        for mark in chart.placed_marks():
            is_current, is_held = mark.number == CURRENT, mark.number in chart.held
            is_thick = is_current or is_held
            colour = accent if is_current else theme.with_alpha(ink, 0.9 if is_held else 0.45)
            painter.setPen(QPen(colour, 2 if is_thick else 1))
            x = scale.x(mark.step)
            x = round(x) if is_thick else int(x) + 0.5  # on whole pixels, so that it is not blurred
            top = room.top() if mark.label is None else mark.label.bottom()
            painter.drawLine(QPointF(x, top), QPointF(x, room.bottom()))
            if mark.label is not None:
                painter.setBrush(palette.color(QPalette.ColorRole.Base))
                painter.setPen(QPen(colour, 1.6 if is_thick else 1))
                painter.drawRoundedRect(mark.label.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
                painter.setPen(ink)
                painter.drawText(mark.label, _CENTRE, mark.text)

    def _paint_others(self, painter: QPainter) -> None:
        """A triangle for each other run and tokenizer, with its name."""
        chart, palette, metrics = self._chart, self.palette(), self._chart.metrics
        ink, base = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
        corners = [QPointF(0, -6), QPointF(6, 5), QPointF(-6, 5)]
        for place, name in chart.placed_points():
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(base)
            painter.drawPolygon(QPolygonF([place + corner for corner in corners]))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, MOST_NAME_PX)
            width = metrics.horizontalAdvance(shown) + 4
            box = QRectF(place.x() + 9, place.y() - metrics.height() / 2, width, metrics.height())
            if box.right() > chart.room.right():
                box.moveRight(place.x() - 9)
            painter.fillRect(box, theme.with_alpha(base, 0.85))
            painter.setPen(ink)
            painter.drawText(box, _CENTRE, shown)

    def _paint_points(self, painter: QPainter) -> None:
        chart, palette = self._chart, self.palette()
        for number, step in [*enumerate(chart.marks), (CURRENT, chart.step)]:
            paint_dot(painter, palette, chart.point(step), 4.5, is_step=number == CURRENT)
        if chart.knee is None or chart.knee > chart.n_merges:
            return
        place = chart.point(chart.knee)
        ink, base = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
        corners = [QPointF(0, -6), QPointF(6, 0), QPointF(0, 6), QPointF(-6, 0)]
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(base)
        painter.drawPolygon(QPolygonF([place + corner for corner in corners]))
        text = f"knee {grouping_locale().toString(chart.base + chart.knee)}"
        box = chart.label_box(chart.knee, chart.metrics.horizontalAdvance(text) + 4)
        painter.fillRect(box, theme.with_alpha(base, 0.85))
        painter.drawText(box, _CENTRE, text)
