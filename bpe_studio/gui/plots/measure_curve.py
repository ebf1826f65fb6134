"""Curves of one measure against vocabulary size, a line for each run or group, named at its end.

The names are followed by the values at the step of the window, or under the mouse. A click or a drag goes to a size. It
is given lines and measures nothing. The picture is a `MeasurePlot` below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.comparison.measure_curves import Line, values_at
from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.plots.curve_plot import (
    CURVE_PX,
    CurvePlot,
    TickAxis,
    paint_dot,
    paint_hover_line,
    paint_readout,
    paint_step_line,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget

MOST_NAME_PX = 180
GAP_PX = 6.0
_TICK_PX, _SIZE_TICK_PX = 36, 90
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)


class MeasurePlot(CurvePlot):
    """The picture of what a `MeasureCurve` shows.

    Args:
        curve: the widget, which computes the positions.
    """

    def __init__(self, curve: MeasureCurve) -> None:
        super().__init__(curve)
        self._curve = curve
        self._axes = {
            "left": TickAxis("left", self._value_ticks, _TICK_PX),
            "bottom": TickAxis("bottom", self._size_ticks, _SIZE_TICK_PX),
        }
        self.area = self.add_area(0, self._axes)
        self._words = self.add_kept_layer(self._paint_words)
        self.apply_look()

    def _value_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        return [(tick, self._curve.written(tick)) for tick in round_ticks(low, high, n, is_whole=False)]

    def _size_ticks(self, low: float, high: float, n: int) -> list[tuple[float, str]]:
        scale = self._curve.scale
        return [(scale.x(size - scale.base), number(size)) for size in scale.size_ticks(n)]

    def redraw(self) -> None:
        """Draw again after the lines, their form, the size or the font have changed."""
        curve, room, scale = self._curve, self._curve.room, self._curve.scale
        if not curve.lines:
            return
        self.area.layout.setContentsMargins(0, room.top(), self.width() - room.right(), 0)
        self._axes["left"].setWidth(room.left())
        self._axes["bottom"].setHeight(self.height() - room.bottom())
        self.area.setXRange(room.left(), room.right(), padding=0)
        self.area.setYRange(*curve.span, padding=0)
        for axis in self._axes.values():
            axis.refresh()
        self.area.layout.activate()
        while len(self.curves) < len(curve.lines):
            self.add_curve(self.area)
        for k, plotted in enumerate(self.curves):
            if k >= len(curve.lines):
                plotted.setData([], [])
                continue
            line = curve.lines[k]
            plotted.setData(*decimate(scale.places(line.sizes - scale.base), line.values, round(room.width())))
            plotted.setPen(self.pen_of(k))
        self._words.update()
        self.over.update()

    def apply_look(self) -> None:
        super().apply_look()
        palette = self.palette()
        muted, grid = theme.muted(palette), pg.mkPen(palette.color(QPalette.ColorRole.Midlight), width=1)
        for axis in self._axes.values():
            axis.setPen(pg.mkPen(None))
            axis.setTickPen(grid)
            axis.setTextPen(muted)
            axis.setTickFont(self.font())
            axis.setStyle(tickLength=0, maxTickLevel=0, tickTextOffset=6, autoExpandTextSpace=False,
                          hideOverlappingLabels=True)  # fmt: skip
        self._axes["left"].setGrid(255)
        self.redraw()

    def pen_of(self, k: int) -> QPen:
        """The pen of a line: the first is thicker; the others differ by their dashes."""
        ink = self.palette().color(QPalette.ColorRole.Text)
        pen: QPen = pg.mkPen(ink if not k else theme.with_alpha(ink, 0.7), width=CURVE_PX if not k else 1.4,
                             style=_DASHES[k % len(_DASHES)])  # fmt: skip
        return pen

    def _paint_words(self, painter: QPainter) -> None:
        """What the axes show."""
        curve, room, height = self._curve, self._curve.room, QFontMetricsF(painter.font()).height()
        painter.setPen(theme.muted(self.palette()))
        below = QRectF(room.left(), self.height() - height - 2, room.width(), height)
        painter.drawText(below, _LEFT, curve.title)
        painter.drawText(below, _RIGHT, f"vocabulary size{', log scale' if curve.is_log else ''}")

    def paint_over(self, painter: QPainter) -> None:
        curve, palette, room = self._curve, self.palette(), self._curve.room
        if not curve.lines:
            return
        for line in curve.lines:
            if len(line.sizes) == 1:  # a tokenizer has one size
                paint_dot(painter, palette, curve.end_of(line), 4.0, is_step=False)
        paint_step_line(painter, palette, curve.scale.x(curve.vocab_size - curve.scale.base), room.top(), room.bottom())
        size = curve.vocab_size if curve.hovered is None else curve.hovered
        if curve.hovered is not None:
            paint_hover_line(painter, palette, curve.scale.x(size - curve.scale.base), room.top(), room.bottom())
            paint_readout(painter, palette, room, [(None, f"vocabulary {number(size)}")])
        self._paint_names(painter, dict(values_at(curve.lines, size)))

    def _paint_names(self, painter: QPainter, values: Mapping[str, float]) -> None:
        """The name of each line at its end, with its value; moved where it would cover another one."""
        curve, room, metrics = self._curve, self._curve.room, QFontMetricsF(painter.font())
        height = metrics.height()
        lines = sorted(curve.lines, key=lambda line: curve.end_of(line).y())
        tops: list[float] = []
        for line in lines:
            tops.append(max(curve.end_of(line).y() - height / 2, tops[-1] + height if tops else 0.0))
        below = room.bottom() + height / 2
        for k in reversed(range(len(tops))):
            tops[k] = below = min(tops[k], below - height)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        for line, top in zip(lines, tops, strict=True):
            name = metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, MOST_NAME_PX)
            value = f"  {curve.written(values[line.name], n_more=1)}" if line.name in values else ""
            painter.drawText(QRectF(room.right() + GAP_PX, top, self.width(), height), _LEFT, name + value)


class MeasureCurve(CurveWidget):
    """The lines, the size of the window's step, and the values under the mouse.

    Attributes:
        lines: what is drawn.
        title: what they measure.
        vocab_size: that of the window's step.
        hovered: the size under the mouse, or None.
        is_log: whether sizes are spread by their logarithm.

    Signals:
        size_chosen: int, the vocabulary size that the user clicks.
    """

    size_chosen = Signal(object)
    export_name = "Measures by vocabulary size"
    ground = QPalette.ColorRole.Base

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.measures")
        self.setAccessibleName("Measures against vocabulary size")
        self.lines: tuple[Line, ...] = ()
        self.title = ""
        self.vocab_size = 0
        self.hovered: int | None = None
        self.is_log = True
        self._is_share = False
        self._placeholder = ""

    def make_plot(self) -> CurvePlot:
        return MeasurePlot(self)

    def message(self) -> str | None:
        return None if self.lines else self._placeholder

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no curve."""
        return self.size() if self.lines else QSize()

    def show_lines(self, lines: Sequence[Line], title: str, *, is_share: bool, placeholder: str = "") -> None:
        """Show lines, or a sentence where there are none; values that are not known are left out."""
        known = [~np.isnan(line.values) for line in lines]
        self.lines = tuple(
            Line(line.name, line.sizes[is_known], line.values[is_known])
            for line, is_known in zip(lines, known, strict=True)
            if is_known.any()
        )
        self.title, self._is_share, self._placeholder, self.hovered = title, is_share, placeholder, None
        ends = "; ".join(f"{line.name} {self.written(float(line.values[-1]), n_more=2)}" for line in self.lines)
        self.setAccessibleDescription(f"{title}: {ends}" if ends else placeholder)
        self.redraw_plot()

    def set_size(self, size: int) -> None:
        """Set the vocabulary size of the window's step."""
        if size != self.vocab_size:
            self.vocab_size = size
            self.update_plot()

    def set_log(self, is_log: bool) -> None:
        """Set whether sizes are spread by their logarithm."""
        self.is_log = is_log
        self.redraw_plot()

    def written(self, value: float, *, n_more: int = 0) -> str:
        """A value as it is written: a share in percent, a large number without decimals.

        Args:
            value: the value.
            n_more: decimals beyond those that the ticks need.
        """
        low, high = self.span
        n_decimals = max(0, 1 - round(np.floor(np.log10(max(high - low, 1e-9) * (100 if self._is_share else 1)))))
        n_decimals = min(n_decimals + n_more, 6) if high < 1000 else 0
        return percent(value, n_decimals) if self._is_share else number(round(value, n_decimals), n_decimals)

    # Positions.

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest value that are shown."""
        if not self.lines:
            return 0.0, 1.0
        low, high = (pick([float(pick(line.values)) for line in self.lines]) for pick in (min, max))
        room = max(0.05 * (high - low), 1e-9, 1e-6 * abs(high))
        return low - room, high + room

    @property
    def room(self) -> QRectF:
        """The rectangle of the lines."""
        metrics = QFontMetricsF(self.font())
        low, high = self.span
        left = max(metrics.horizontalAdvance(self.written(value)) for value in (low, high)) + 18
        names = [min(MOST_NAME_PX, metrics.horizontalAdvance(line.name)) for line in self.lines]
        value = metrics.horizontalAdvance("  0" + self.written(high, n_more=1))
        right, below = max(names, default=0) + value + 2 * GAP_PX, 2 * metrics.height() + 10
        width, height = self.size().width(), self.size().height()
        return QRectF(left, 8, max(20.0, width - left - right), max(20.0, height - 8 - below))

    @property
    def scale(self) -> StepScale:
        """The positions of sizes, in pixels."""
        low, high = (pick([int(pick(line.sizes)) for line in self.lines] or [1]) for pick in (min, max))
        return StepScale(high - low, self.is_log, max(1, low), self.room.left(), self.room.right())

    def end_of(self, line: Line) -> QPointF:
        """The position of the last value of a line."""
        low, high = self.span
        share = (float(line.values[-1]) - low) / (high - low)
        x = self.scale.x(int(line.sizes[-1]) - self.scale.base)
        return QPointF(x, self.room.bottom() - share * self.room.height())

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 100)

    # User actions.

    def _size_at(self, place: QPointF) -> int:
        return self.scale.base + self.scale.step(place.x())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.lines:
            self.size_chosen.emit(self._size_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self.lines:
            self.hovered = self._size_at(event.position())
            if event.buttons() & Qt.MouseButton.LeftButton:
                self.size_chosen.emit(self.hovered)
            self.update_plot()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered = None
        self.update_plot()
