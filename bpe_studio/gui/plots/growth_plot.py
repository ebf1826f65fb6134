"""The growth curves: tokens in the corpus and count of the merged pair, with the step as a line to drag.

This module imports pyqtgraph, which takes half a second; import it late, as the growth panel does. Positions on the
axes are transformed here and not by pyqtgraph, whose log mode cannot show 0 merges; ticks and labels are our own for
the same reason.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QGraphicsItem, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.plots.axes import LOG_ORIGIN, FloatArray, decimate, position_of_step, round_ticks, step_at_position

N_BINS = 400
# Wide pens are ten times slower than hair lines above 10,000 points; the decimated curves stay far below.
CURVE_PX = 2
WIDE = 2.2
TITLES = ("tokens in the corpus", "count of the merged pair")
_TICK_PX = {"left": 34, "bottom": 78, "top": 78}


class CountAxis(pg.AxisItem):
    """An axis of whole numbers with round ticks, linear or logarithmic, counted from an offset.

    The axis of the vocabulary size is the axis of merges with the alphabet's size as its offset.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.is_log = False
        self.offset = 0
        self._locale = grouping_locale()
        self.enableAutoSIPrefix(False)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        n_wanted = max(2, int(size / _TICK_PX[self.orientation]))
        if not self.is_log:
            ticks = round_ticks(low + self.offset, high + self.offset, n_wanted, log=False)
            return [(1.0, [tick - self.offset for tick in ticks])]
        bottom, top = 10.0**low, 10.0 ** min(high, 300.0)
        if self.orientation == "left":
            return [(1.0, [math.log10(tick) for tick in round_ticks(bottom, top, n_wanted, log=True)])]
        merges = round_ticks(max(bottom, 1.0), top, n_wanted, log=True)
        sizes = sorted({self._round_size(tick) for tick in merges}) if self.offset else merges
        ticks = [math.log10(size - self.offset) for size in sizes if size - self.offset <= top]
        return [(1.0, [math.log10(LOG_ORIGIN), *ticks])]

    def _round_size(self, merges: float) -> float:
        """A round vocabulary size near that after so many merges, at least one above the offset."""
        unit = 10.0 ** math.floor(math.log10(merges) + 1e-9)
        size = round((self.offset + merges) / unit) * unit
        return size if size > self.offset else size + unit

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        counts = [10.0**value if self.is_log else value for value in values]
        # round() takes the half at which a logarithmic axis shows 0 to 0.
        return [self._short(round(count) + self.offset) for count in counts]

    def _short(self, count: int) -> str:
        for power, unit in ((1_000_000_000, "G"), (1_000_000, "M")):
            if abs(count) >= power:
                return f"{self._locale.toString(count / power, 'g', 4)} {unit}"
        return self._locale.toString(count)


class ScrubBox(pg.ViewBox):
    """A plot's inside; pressing and dragging in it moves the step, and nothing pans or zooms.

    Signals:
        scrubbed: float, the place on the x axis.
    """

    scrubbed = Signal(object)

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(False, False)
        self.disableAutoRange()

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            event.accept()
            self.scrubbed.emit(self.mapSceneToView(event.scenePos()).x())

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            event.accept()
            self.scrubbed.emit(self.mapSceneToView(event.scenePos()).x())

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        event.ignore()


def _title(plot: pg.PlotItem, text: str) -> pg.LabelItem:
    """What the curve shows, in the corner under a falling curve."""
    title = pg.LabelItem(text)
    title.setParentItem(plot.getViewBox())
    title.anchor(itemPos=(0, 1), parentPos=(0, 1), offset=(6, -2))
    return title


class GrowthPlot(pg.GraphicsLayoutWidget):
    """Two curves above each other, one axis of merges, one step.

    Signals:
        step_dragged: int, the step to which the line was dragged.
    """

    step_dragged = Signal(object)
    export_name = "Growth"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.log_merges = self.log_counts = True
        self._step = 0
        self._n_tokens: FloatArray = np.zeros(1)
        self._counts: FloatArray = np.zeros(0)
        self.ci.setContentsMargins(0, 0, 8, 0)
        self.ci.setSpacing(4)
        self.vocabulary_axis = CountAxis("top")
        axes = {"left": CountAxis("left"), "top": self.vocabulary_axis, "bottom": CountAxis("bottom")}
        self.tokens = self._add_plot(0, axes)
        self.counts = self._add_plot(1, {"left": CountAxis("left"), "bottom": CountAxis("bottom")})
        self.counts.setXLink(self.tokens)
        self.tokens.hideAxis("bottom")
        self.tokens.showAxis("top")
        self.plots = (self.tokens, self.counts)
        self._is_wide = False
        self.titles = tuple(_title(plot, text) for plot, text in zip(self.plots, TITLES, strict=True))
        self.curves = tuple(plot.plot(antialias=True) for plot in self.plots)
        self.dots = tuple(self._add_dot(plot) for plot in self.plots)
        self.lines = tuple(self._add_line(plot) for plot in self.plots)
        self._keep_pictures()
        self._dress()

    def _keep_pictures(self) -> None:
        """Has Qt keep what stands still while the step moves, which halves a frame."""
        for plot, curve in zip(self.plots, self.curves, strict=True):
            for item in (curve.curve, *(axis["item"] for axis in plot.axes.values())):
                item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no merge to draw."""
        return self.viewport().size() if self.n_merges else QSize()

    def paint_export(self, painter: QPainter) -> None:
        """Paint both curves; nothing of it is a picture that was kept."""
        kept = [item for item in self.scene().items() if item.cacheMode() is not QGraphicsItem.CacheMode.NoCache]
        for item in kept:
            item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.viewport().rect())
        for dot in self.dots:
            dot.setExportMode(True, {"antialias": True, "resolutionScale": 1.0})
        self.scene().render(painter, whole, self.mapToScene(self.viewport().rect()).boundingRect())
        for dot in self.dots:
            dot.setExportMode(False)
        self._keep_pictures()

    def _add_plot(self, row: int, axes: dict[str, CountAxis]) -> pg.PlotItem:
        box = ScrubBox()
        box.scrubbed.connect(self._on_scrubbed)
        plot = self.addPlot(row=row, col=0, viewBox=box, axisItems=axes)
        plot.hideButtons()
        plot.setMenuEnabled(False)
        return plot

    def _add_line(self, plot: pg.PlotItem) -> pg.InfiniteLine:
        line = pg.InfiniteLine(angle=90, movable=True)
        line.setCursor(Qt.CursorShape.SizeHorCursor)
        line.sigDragged.connect(self._on_line_dragged)
        plot.addItem(line, ignoreBounds=True)
        return line

    def _add_dot(self, plot: pg.PlotItem) -> pg.ScatterPlotItem:
        dot = pg.ScatterPlotItem(size=8)
        dot.setZValue(20)
        plot.addItem(dot, ignoreBounds=True)
        return dot

    # What is shown.

    @property
    def n_merges(self) -> int:
        """How many merges the curves show."""
        return len(self._counts)

    def set_data(self, initial_n_tokens: int, n_tokens: Any, counts: Any, initial_vocab_size: int) -> None:
        """Show a run, or more of it.

        Args:
            initial_n_tokens: tokens in the corpus before the first merge.
            n_tokens: (n,) tokens in the corpus after each merge.
            counts: (n,) count of each merged pair.
            initial_vocab_size: the vocabulary's size before the first merge.
        """
        self._n_tokens = np.concatenate([[float(initial_n_tokens)], np.asarray(n_tokens, np.float64)])
        self._counts = np.asarray(counts, np.float64)
        self.vocabulary_axis.offset = initial_vocab_size
        self.redraw()

    def set_log(self, merges: bool, counts: bool) -> None:
        """Choose logarithmic axes: for merges (both plots), for counts of pairs."""
        self.log_merges, self.log_counts = merges, counts
        self.redraw()

    def set_step(self, step: int) -> None:
        """Put the line where the step is."""
        self._step = step
        position = position_of_step(step, log_x=self.log_merges)
        for line in self.lines:
            line.setValue(position)
        values = (
            self._n_tokens[step] if step < len(self._n_tokens) else math.nan,
            self._height(self._counts[step - 1]) if 0 < step <= len(self._counts) else math.nan,
        )
        for dot, value in zip(self.dots, values, strict=True):
            dot.setData(*(([position], [value]) if math.isfinite(value) else ([], [])))

    def redraw(self) -> None:
        """Draw the curves, the axes and the line anew."""
        n, log_x = self.n_merges, self.log_merges
        merges = np.arange(1, n + 1, dtype=np.float64)
        self._scale_axes()
        x, y = decimate(merges, self._n_tokens[1:], N_BINS, log_x=log_x)
        start = [position_of_step(0, log_x=log_x)]
        self.curves[0].setData(np.concatenate([start, self._place(x)]), np.concatenate([self._n_tokens[:1], y]))
        happened = self._counts > 0 if self.log_counts else np.ones(n, bool)
        x, y = decimate(merges[happened], self._counts[happened], N_BINS, log_x=log_x)
        self.curves[1].setData(self._place(x), np.log10(y) if self.log_counts else y)
        self.set_step(self._step)

    def _place(self, x: FloatArray) -> FloatArray:
        return np.log10(x) if self.log_merges else x

    def _height(self, count: float) -> float:
        if not self.log_counts:
            return float(count)
        return math.log10(count) if count > 0 else math.nan

    def _scale_axes(self) -> None:
        right = max(self.n_merges, 2)
        low, high = (position_of_step(k, log_x=self.log_merges) for k in (0, right))
        for plot in self.plots:
            plot.setXRange(low, high, padding=0.015)
        for axis in (self.vocabulary_axis, self.tokens.getAxis("bottom"), self.counts.getAxis("bottom")):
            axis.is_log = self.log_merges
            axis.picture = None
            axis.update()
        highest_count = float(self._counts.max(initial=1.0))
        highest = float(self._n_tokens.max()) or 1.0
        self.tokens.setYRange(-0.04 * highest, 1.05 * highest, padding=0)
        self.counts.getAxis("left").is_log = self.log_counts
        self.counts.getAxis("left").picture = None
        self.counts.getAxis("left").update()
        if self.log_counts:
            lowest = float(self._counts[self._counts > 0].min(initial=highest_count))
            bottom = min(math.log10(lowest), math.log10(highest_count) - 0.5)
            self.counts.setYRange(bottom, math.log10(highest_count), padding=0.06)
        else:
            self.counts.setYRange(-0.04 * highest_count, 1.05 * highest_count, padding=0)

    # What the hand does.

    def _on_scrubbed(self, position: float) -> None:
        self.step_dragged.emit(step_at_position(position, self.n_merges, log_x=self.log_merges))

    def _on_line_dragged(self, line: pg.InfiniteLine) -> None:
        self._on_scrubbed(line.value())

    # How it looks.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "titles"):
            self._place_plots()

    def _place_plots(self) -> None:
        """Side by side where there is more width than height, above each other elsewhere."""
        is_wide = self.width() > WIDE * self.height()
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        for plot in self.plots:
            self.ci.removeItem(plot)
        self.ci.addItem(self.tokens, 0, 0)
        self.ci.addItem(self.counts, *((0, 1) if is_wide else (1, 0)))
        self.tokens.showAxis("bottom", is_wide)
        self.ci.setSpacing(12 if is_wide else 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "lines"):
            self._dress()

    def _dress(self) -> None:
        palette = self.palette()
        muted, text, accent = theme.muted(palette), palette.color(QPalette.ColorRole.Text), theme.accent(palette)
        self.setBackground(palette.color(QPalette.ColorRole.Base))
        font = theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5))
        width = QFontMetrics(font).horizontalAdvance("0,000,000") + 10
        labels = {
            (self.tokens, "left"): "",
            (self.tokens, "top"): "vocabulary size",
            (self.tokens, "bottom"): "merges",
            (self.counts, "left"): "",
            (self.counts, "bottom"): "merges",
        }
        for (plot, side), label in labels.items():
            axis = plot.getAxis(side)
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
            title.setText(words, color=text.name(), size=f"{font.pointSizeF() + 0.5:.1f}pt")
        for curve in self.curves:
            curve.setPen(pg.mkPen(text, width=CURVE_PX))
        for line in self.lines:
            line.setPen(pg.mkPen(accent, width=2))
            line.setHoverPen(pg.mkPen(accent, width=4))
        for dot in self.dots:
            dot.setBrush(pg.mkBrush(accent))
            dot.setPen(pg.mkPen(palette.color(QPalette.ColorRole.Base), width=1.5))
