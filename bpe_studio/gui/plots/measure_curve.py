"""Curves of one measure against vocabulary size, a line for each run or group, named at its end.

The names are followed by the values at the step of the window, or under the mouse. A click or a drag goes to a size. It
is given lines and measures nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.comparison.measure_curves import Line, values_at
from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.plots.curve_painting import (
    CENTRE,
    CURVE_PX,
    GAP_PX,
    LEFT,
    RIGHT,
    line_of,
    paint_dot,
    paint_hover_line,
    paint_readout,
    paint_step_line,
    paint_value_ticks,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget

MOST_NAME_PX = 180
_TICK_PX, _SIZE_TICK_PX = 36, 90
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)


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
        self.update()

    def set_size(self, size: int) -> None:
        """Set the vocabulary size of the window's step."""
        if size != self.vocab_size:
            self.vocab_size = size
            self.update()

    def set_log(self, is_log: bool) -> None:
        """Set whether sizes are spread by their logarithm."""
        self.is_log = is_log
        self.update()

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
        return QPointF(self.scale.x(int(line.sizes[-1]) - self.scale.base), self._y_of(float(line.values[-1])))

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 100)

    # How it looks.

    def _y_of(self, value: Any) -> Any:
        """The y of a value, or of several."""
        low, high = self.span
        return self.room.bottom() - (value - low) / (high - low) * self.room.height()

    def _pen(self, k: int) -> QPen:
        """The pen of a line: the first is thicker; the others differ by their dashes."""
        ink = self.palette().color(QPalette.ColorRole.Text)
        return QPen(theme.with_alpha(ink, 0.7) if k else ink, 1.4 if k else CURVE_PX, _DASHES[k % len(_DASHES)])

    def paint_over(self, painter: QPainter) -> None:
        palette, room, scale, height = self.palette(), self.room, self.scale, QFontMetricsF(painter.font()).height()
        ticks = round_ticks(*self.span, max(2, int(room.height() / _TICK_PX)), is_whole=False)
        labels = [(self._y_of(tick), self.written(tick)) for tick in ticks]
        paint_value_ticks(painter, palette, room, labels, QPalette.ColorRole.Midlight)
        for size in scale.size_ticks(max(2, int(room.width() / _SIZE_TICK_PX))):
            place = QRectF(scale.x(size - scale.base) - _SIZE_TICK_PX / 2, room.bottom() + 4, _SIZE_TICK_PX, height)
            painter.drawText(place, CENTRE, number(size))
        below = QRectF(room.left(), self.height() - height - 2, room.width(), height)
        painter.drawText(below, LEFT, self.title)
        painter.drawText(below, RIGHT, f"vocabulary size{', log scale' if self.is_log else ''}")
        for k, line in enumerate(self.lines):
            places, values = decimate(scale.places(line.sizes - scale.base), line.values, round(room.width()))
            painter.setPen(self._pen(k))
            painter.drawPolyline(line_of(places, self._y_of(values)))
            if len(line.sizes) == 1:  # a tokenizer has one size
                paint_dot(painter, palette, self.end_of(line), 4.0, is_step=False)
        paint_step_line(painter, palette, scale.x(self.vocab_size - scale.base), room.top(), room.bottom())
        size = self.vocab_size if self.hovered is None else self.hovered
        if self.hovered is not None:
            paint_hover_line(painter, palette, scale.x(size - scale.base), room.top(), room.bottom())
            paint_readout(painter, palette, room, [(None, f"vocabulary {number(size)}")])
        self._paint_names(painter, dict(values_at(self.lines, size)))

    def _paint_names(self, painter: QPainter, values: Mapping[str, float]) -> None:
        """The name of each line at its end, with its value; moved where it would cover another one."""
        room, metrics = self.room, QFontMetricsF(painter.font())
        height = metrics.height()
        lines = sorted(self.lines, key=lambda line: self.end_of(line).y())
        tops: list[float] = []
        for line in lines:
            tops.append(max(self.end_of(line).y() - height / 2, tops[-1] + height if tops else 0.0))
        below = room.bottom() + height / 2
        for k in reversed(range(len(tops))):
            tops[k] = below = min(tops[k], below - height)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        for line, top in zip(lines, tops, strict=True):
            name = metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, MOST_NAME_PX)
            value = f"  {self.written(values[line.name], n_more=1)}" if line.name in values else ""
            painter.drawText(QRectF(room.right() + GAP_PX, top, self.width(), height), LEFT, name + value)

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
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered = None
        self.update()
