"""Two curves over the share of a text: the vocabulary in common with the run on all of it, and tokens per byte.

It shows what `explain/inspection/enough.py` measured, also as text for screen readers; the mouse or the arrow keys
choose the sample whose values are written above the curves. The picture is an `EnoughPlot` below it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import label_rows, round_ticks
from bpe_studio.gui.plots.curve_plot import CurvePlot, TickAxis, paint_dot, paint_hover_line
from bpe_studio.gui.plots.curve_widget import CurveWidget

if TYPE_CHECKING:
    from bpe_studio.explain.inspection.enough import Enough, SampleRun
    from bpe_studio.gui.plots.curve_plot import CurvePlot

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
        self.apply_look()

    def _ticks(self, which: int, low: float, high: float, n: int) -> list[tuple[float, str]]:
        ticks = round_ticks(low, high, max(n, _LEAST_TICKS), is_whole=False)
        n_decimals = next((k for k in range(5) if all(abs(tick - round(tick, k)) < 1e-9 for tick in ticks)), 5)
        return [(tick, number(tick, n_decimals) if which else percent(tick, max(0, n_decimals - 2))) for tick in ticks]

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

    def apply_look(self) -> None:
        super().apply_look()
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


_GAP_PX = 6
_HEADROOM = 0.08
"""The share of an area that stays free above and below its curve."""


def share_text(share: float) -> str:
    """A share in percent, without decimals where it needs none.

    >>> share_text(0.02), share_text(0.005)
    ('2 %', '0.5 %')
    """
    n_decimals = next((k for k in range(4) if abs(100 * share - round(100 * share, k)) < 1e-9), 4)
    return percent(share, n_decimals)


class EnoughCurve(CurveWidget):
    """The curves, one above the other, over a logarithmic axis of shares.

    Attributes:
        export_name: its name in the menu File > Export.
        found: what is shown; None for nothing.
        hovered: the number of the sample under the pointer; below 0 none.
    """

    export_name = "Enough text"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: Enough | None = None
        self.hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def make_plot(self) -> CurvePlot:
        return EnoughPlot(self)

    def message(self) -> str | None:
        return None if self.found is not None else ""

    def show_found(self, found: Enough | None) -> None:
        """Show what was measured, or nothing."""
        if found is not self.found:
            self.found, self.hovered = found, -1
            self.setAccessibleDescription("" if found is None else "; ".join(map(self.words, found.samples)))
            self.redraw_plot()

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is measured."""
        return QSize() if self.found is None else self.size()

    @property
    def samples(self) -> list[SampleRun]:
        """What is shown, by size."""
        return [] if self.found is None else self.found.samples

    @staticmethod
    def words(sample: SampleRun) -> str:
        """What a sample gives, in words."""
        values = f"{percent(sample.overlap, 0)} in common, {number(sample.tokens_per_byte, 4)} tokens per byte"
        return f"{share_text(sample.share)} of the text: {values}"

    # Where things are.

    @property
    def rooms(self) -> tuple[QRectF, QRectF]:
        """The rectangles of the two curves; above each is a line of text, below the second one the axis."""
        metrics = QFontMetricsF(self.font())
        line = metrics.height()
        left = metrics.horizontalAdvance("0.0000") + _GAP_PX
        right = self.width() - metrics.horizontalAdvance("100 %") / 2 - 2
        height = max(16.0, (self.height() - 3 * line - 3 * _GAP_PX) / 2)
        first = QRectF(left, line + 2, max(16.0, right - left), height)
        return first, first.translated(0, height + line + _GAP_PX)

    @property
    def values(self) -> tuple[list[float], list[float]]:
        """The values of the two curves."""
        return [each.overlap for each in self.samples], [each.tokens_per_byte for each in self.samples]

    @property
    def spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The lowest and highest value of each of the two axes."""
        tokens = self.values[1]
        low, high = min(tokens, default=0.0), max(tokens, default=1.0)
        margin = _HEADROOM * (high - low or high or 1.0)
        return (0.0, 1.0), (max(0.0, low - margin), high + margin)

    @property
    def positions(self) -> list[float]:
        """The place of each sample on the axis of shares, from 0 to 1."""
        logs = [math.log(each.share) for each in self.samples]
        return [(each - logs[0]) / ((logs[-1] - logs[0]) or 1.0) for each in logs]

    def x_of(self, number: int) -> float:
        """The x of a sample."""
        room = self.rooms[0]
        return room.left() + self.positions[number] * room.width()

    # What the person does.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        x = event.position().x()
        self.hover(min(range(len(self.samples)), key=lambda n: abs(self.x_of(n) - x), default=-1))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hover(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        n, key = len(self.samples), Qt.Key(event.key())
        if not n or key not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            super().keyPressEvent(event)
        elif key is Qt.Key.Key_Right:
            self.hover(min(n - 1, self.hovered + 1))
        else:
            self.hover(max(0, (n if self.hovered < 0 else self.hovered) - 1))

    def hover(self, number: int) -> None:
        """Show the values of a sample; below 0 of none."""
        if number != self.hovered:
            self.hovered = number
            self.update_plot()

    def sizeHint(self) -> QSize:
        return QSize(320, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 140)
