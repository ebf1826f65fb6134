"""The parts of a chart of lines: an axis, a curve with its name, a dot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QGraphicsEllipseItem

from bpe_studio.gui.plots.axes import FEW_DECADES, LOG_ORIGIN, decimate, round_ticks

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.measure_curves import Line
    from bpe_studio.gui.plots.line_chart import LineChart

GAP_PX = 6
DOT_PX = 4.0


class Axis(pg.AxisItem):
    """An axis with round numbers, in the program's format.

    Attributes:
        is_log: whether its coordinates are logarithms to the base 10.
        is_whole: whether all values are whole numbers.
    """

    def __init__(self, side: str, written: Callable[[float], str]) -> None:
        super().__init__(side, maxTickLength=0)
        self._written = written
        self.is_log = False
        self.is_whole = True

    def coordinate(self, value: Any) -> Any:
        """The coordinate of a value, or of several; 0 is left of 1 on a logarithmic axis."""
        if not self.is_log:
            return value
        return np.log10(np.where(np.equal(value, 0), LOG_ORIGIN, value))

    def value(self, coordinate: float) -> float:
        return float(10.0**coordinate) if self.is_log else coordinate

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        metrics = QFontMetricsF(self.style["tickFont"])
        first = self.value(low)
        last = self.value(high)
        if self.orientation == "left":
            tick_px = 2 * metrics.height()
        else:
            tick_px = metrics.horizontalAdvance(self._written(last)) + 8 * GAP_PX
        is_log = self.is_log and last > FEW_DECADES * first
        n_ticks = max(2, int(size / tick_px))
        ticks = round_ticks(first, last, n_ticks, log=is_log, is_whole=self.is_whole)
        return [(1.0, [float(self.coordinate(tick)) for tick in ticks])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._written(self.value(each)) for each in values]


class Name(pg.TextItem):
    """The name at the end of a line; a click hides the line or shows it again."""

    clicked = Signal()

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.clicked.emit()


class Curve:
    """A drawn line: its curve, its name, and a dot at the place of interest.

    Attributes:
        line: the line.
        xs, ys: (n,) float64, its coordinates.
        is_shown: whether the user has not hidden it.
    """

    def __init__(self, chart: LineChart) -> None:
        self.line: Line
        self.xs = np.zeros(0)
        self.ys = np.zeros(0)
        self.is_shown = True
        # A thick line is drawn ten times faster as segments than as a path.
        self.item = pg.PlotCurveItem(antialias=True, segmentedLineMode="on")
        self.dot = dot(chart)
        self.name = Name(anchor=(0, 0.5))
        self.name.setCursor(Qt.CursorShape.PointingHandCursor)
        self.name.setParentItem(chart.plotItem)
        self.name.clicked.connect(partial(chart.toggle, self))
        chart.addItem(self.item, ignoreBounds=True)

    def remove(self, chart: LineChart) -> None:
        """Remove it from the chart."""
        for item in (self.item, self.dot):
            chart.removeItem(item)
        chart.scene().removeItem(self.name)

    def draw(self, left: float, right: float, n_bins: int) -> None:
        """Draw the part between two coordinates, and the points next to it."""
        first, last = np.searchsorted(self.xs, (left, right))
        part = slice(max(0, first - 1), last + 1)
        self.item.setData(*decimate(self.xs[part], self.ys[part], n_bins))

    def point_at(self, x: float | None) -> tuple[float, float] | None:
        """The point of the line at a coordinate; None if there is none, or if it is hidden.

        A single point counts everywhere.
        """
        if not self.is_shown:
            return None
        if len(self.xs) == 1:
            return float(self.xs[0]), float(self.ys[0])
        if x is None or not self.xs[0] <= x <= self.xs[-1]:
            return None
        return x, float(np.interp(x, self.xs, self.ys))


def dot(chart: LineChart) -> QGraphicsEllipseItem:
    """A dot of the same size at every zoom."""
    made = QGraphicsEllipseItem(-DOT_PX, -DOT_PX, 2 * DOT_PX, 2 * DOT_PX)
    made.setFlag(QGraphicsEllipseItem.GraphicsItemFlag.ItemIgnoresTransformations)
    made.setPen(pg.mkPen(None))
    made.setZValue(1)
    chart.addItem(made, ignoreBounds=True)
    return made
