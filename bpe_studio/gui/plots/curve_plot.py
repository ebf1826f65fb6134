"""The kit of a plot over pyqtgraph: areas, axes, curves, what moves over them, theme and export.

It replaces some parts of pyqtgraph: positions come from `axes.StepScale`, because its log mode cannot show 0 merges;
ticks and decimation from `axes`, because its downsampling loses the first decades of a log axis; nothing pans or zooms;
and the widget handles the mouse, because its scene drops moves that come faster than 100 a second and searches its
items for each of the others.
Qt caches curves and axes as pictures; what moves is one `Layer` over them, so that a frame of a drag paints only that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QGraphicsItem, QWidget

from bpe_studio.gui.look.follows_look import FollowsLook

CURVE_PX = 2
"""Wide pens are ten times slower than cosmetic ones above 10,000 points; decimated curves have far fewer."""

_SAMPLE_PX = 26
_MOST_OF_AREA = 0.4
_LONGEST_EM = 12

Ticks = Callable[[float, float, int], Sequence[tuple[float, str]]]
"""(lowest position, highest position, about how many) -> positions on the axis and their labels."""


class TickAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis whose ticks are given by a function.

    Args:
        side: "left", "top" or "bottom".
        ticks: gives the ticks.
        tick_px: the length along the axis that a tick needs, in pixels.
    """

    def __init__(self, side: str, ticks: Ticks, tick_px: int) -> None:
        super().__init__(side)
        self._ticks = ticks
        self._tick_px = tick_px
        self._texts: dict[float, str] = {}
        self.enableAutoSIPrefix(False)

    def refresh(self) -> None:
        """Update after the ticks have changed."""
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        # On an axis with a grid pyqtgraph leaves no room for a label at an end, and omits the label.
        m = 0 if self.style["hideOverlappingLabels"] else 15
        return QRectF(super().boundingRect()).adjusted(-m, -m, m, m)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        self._texts = dict(self._ticks(low, high, max(2, int(size / self._tick_px))))
        return [(1.0, list(self._texts))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._texts.get(value, "") for value in values]


class Layer(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """An item that is painted over the whole plot, in pixels of the view.

    Args:
        view: the plot.
        paint_on: paints it.
    """

    def __init__(self, view: CurvePlot, paint_on: Callable[[QPainter], None]) -> None:
        super().__init__()
        self._view = view
        self._paint_on = paint_on
        view.scene().addItem(self)

    def boundingRect(self) -> QRectF:
        return QRectF(self._view.viewport().rect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        painter.setFont(self._view.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_on(painter)

    def fit(self) -> None:
        """Adapt to the size of the view."""
        self.prepareGeometryChange()


class CurvePlot(FollowsLook, pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """One or more areas with curves, and a layer over them for what moves.

    A subclass adds areas and curves, and overrides `redraw`, `paint_over` and `apply_look`.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.areas: list[pg.PlotItem] = []
        self.curves: list[pg.PlotDataItem] = []
        self._kept: list[QGraphicsItem] = []
        self.ci.setContentsMargins(0, 0, 0, 0)
        self.ci.setSpacing(0)
        self.over = Layer(self, self.paint_over)
        self.over.setZValue(30)
        self.follow_look(fit_now=False)

    def add_area(self, row: int, axes: dict[str, TickAxis]) -> pg.PlotItem:
        """An area for curves with these axes."""
        box = pg.ViewBox(enableMenu=False, enableMouse=False)
        box.disableAutoRange()
        # A curve along an edge is not clipped to half its width.
        box.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape, False)
        area = self.addPlot(row=row, col=0, viewBox=box, axisItems=axes)
        area.hideButtons()
        area.setMenuEnabled(False)
        for side in ("left", "bottom"):
            if side not in axes:
                area.hideAxis(side)
        self.areas.append(area)
        # Qt caches what does not move, which halves the time of a frame.
        self._keep(*(each["item"] for each in area.axes.values()))
        for axis in axes.values():
            axis.setZValue(-10)  # the lines of its grid are below the curves
        return area

    def add_curve(self, area: pg.PlotItem) -> pg.PlotDataItem:
        """A curve in an area; its pen is set by `apply_look`."""
        curve = area.plot(antialias=True)
        self.curves.append(curve)
        self._keep(curve.curve)
        return curve

    def _keep(self, *items: QGraphicsItem) -> None:
        self._kept += items
        for item in items:
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def redraw(self) -> None:
        """Draw the curves and axes again."""

    def paint_over(self, painter: QPainter) -> None:
        """Paint what moves, in pixels of the view."""

    def apply_look(self) -> None:
        """Apply the colours and the font of the widget."""
        self.setBackground(self.palette().color(QPalette.ColorRole.Base))
        for item in self._kept:
            item.update()
        self.over.update()

    def place(self, area: pg.PlotItem, x: float, y: float) -> QPointF:
        """A point of an area in pixels of the view."""
        return QPointF(area.getViewBox().mapViewToScene(QPointF(x, y)))

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything, without cached pictures."""
        for item in self._kept:
            item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.viewport().rect())
        self.scene().render(painter, whole, self.mapToScene(self.viewport().rect()).boundingRect())
        for item in self._kept:
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for layer in self.scene().items():
            if isinstance(layer, Layer):
                layer.fit()

    def font_changed(self) -> None:
        self.apply_look()

    def palette_changed(self) -> None:
        self.apply_look()
