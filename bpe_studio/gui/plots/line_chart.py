"""Lines over one axis, each named at its end: measures by vocabulary size, shares by merges or by the size of a text.

The names are followed by the values at the current place, or under the mouse. Places can be marked: a mark is dragged,
and a click goes to a place. It is given lines and measures nothing. numpy is imported where it is used, so that the
window paints before it is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale, decimate, label_rows, round_ticks
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
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.measure_curves import Line

MOST_NAME_PX = 180
NEAR_PX = 9.0
_TICK_PX, _SIZE_TICK_PX = 36, 90
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)


class LineChart(CurveWidget):
    """The lines, the marks, the current place, and the values under the mouse.

    Args:
        name: its object name.
        title: its accessible name, and its name in the menu File > Export.
        axis: what the places are, such as "vocabulary size".

    Attributes:
        lines: what is drawn; `sizes` are the places.
        title: what they measure.
        marks: the places that are marked.
        current: the place of the window's step, or None.
        knee: the place of the knee of the first line, or None.
        hovered: the place under the mouse, or None.
        is_log: whether places are spread by their logarithm.
        is_late: whether newer lines are requested and have not arrived.

    Signals:
        place_chosen: int, the place that the user clicks.
        mark_moved: (int, int), the number of a mark, and the place to which the user drags it.
    """

    place_chosen = Signal(object)
    mark_moved = Signal(int, object)
    ground = QPalette.ColorRole.Base

    def __init__(self, name: str, title: str, axis: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, title)
        self.export_name = title
        self.lines: tuple[Line, ...] = ()
        self.title = ""
        self.marks: tuple[int, ...] = ()
        self.current: int | None = None
        self.knee: int | None = None
        self.hovered: int | None = None
        self.is_log = self.is_late = False
        self._axis = axis
        self._held: int | None = None
        self._is_share = False
        self._placeholder = ""

    def message(self) -> str | None:
        return None if self.lines else self._placeholder

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no curve."""
        return self.size() if self.lines else QSize()

    def show_lines(
        self,
        lines: Sequence[Line],
        title: str = "",
        *,
        is_share: bool = False,
        knee: int | None = None,
        placeholder: str = "",
    ) -> None:
        """Show lines, or a sentence where there are none; values that are not known are left out."""
        known = [(line, line.values == line.values) for line in lines]  # nan equals nothing
        self.lines = tuple(
            replace(line, sizes=line.sizes[is_known], values=line.values[is_known])
            for line, is_known in known
            if is_known.any()
        )
        self.title, self._is_share, self.knee, self._placeholder = title, is_share, knee, placeholder
        self.hovered, self.is_late = None, False
        ends = [f"{line.name} {self.written(float(line.values[-1]), n_more=2)}".strip() for line in self.lines]
        if knee is not None:
            ends.append(f"knee at {self._axis} {number(knee)}")
        self.setAccessibleDescription(f"{title}: {'; '.join(ends)}" if self.lines else placeholder)
        self.redraw()

    def set_marks(self, marks: Sequence[int], current: int | None = None) -> None:
        """Set the places that are marked, and the current one."""
        if (tuple(marks), current) != (self.marks, self.current):
            had_marks = self._has_labels
            self.marks, self.current = tuple(marks), current
            if self._has_labels is had_marks:
                self.update()
            else:
                self.redraw()

    def set_log(self, is_log: bool) -> None:
        """Set whether places are spread by their logarithm."""
        self.is_log = is_log
        self.redraw()

    def written(self, value: float, *, n_more: int = 0) -> str:
        """A value as it is written: a share in percent, a large number without decimals.

        Args:
            value: the value.
            n_more: decimals beyond those that the ticks need.
        """
        low, high = self.span
        n_decimals = max(0, 1 - math.floor(math.log10(max(high - low, 1e-9) * (100 if self._is_share else 1))))
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
    def _has_labels(self) -> bool:
        return bool(self.marks) or self.current is not None

    @property
    def room(self) -> QRectF:
        """The rectangle of the lines; above it are the labels of the marks."""
        metrics = QFontMetricsF(self.font())
        low, high = self.span
        left = max(metrics.horizontalAdvance(self.written(value)) for value in (low, high)) + 18
        names = [min(MOST_NAME_PX, metrics.horizontalAdvance(line.name)) for line in self.lines]
        value = metrics.horizontalAdvance("  0" + self.written(high, n_more=1))
        right, below = max(names, default=0) + value + 2 * GAP_PX, 2 * metrics.height() + 10
        top = metrics.height() + 8 if self._has_labels else 8
        return QRectF(left, top, max(20.0, self.width() - left - right), max(20.0, self.height() - top - below))

    @property
    def scale(self) -> StepScale:
        """The positions of places, in pixels."""
        low, high = (pick([int(pick(line.sizes)) for line in self.lines] or [1]) for pick in (min, max))
        return StepScale(high - low, self.is_log, max(1, low), self.room.left(), self.room.right())

    def x_of(self, place: int) -> float:
        """The x of a place."""
        scale = self.scale
        return scale.x(place - scale.base)

    def _y_of(self, value: Any) -> Any:
        """The y of a value, or of several."""
        low, high = self.span
        return self.room.bottom() - (value - low) / (high - low) * self.room.height()

    def end_of(self, line: Line) -> QPointF:
        """The position of the last value of a line."""
        return QPointF(self.x_of(int(line.sizes[-1])), self._y_of(float(line.values[-1])))

    def _on_first(self, place: int) -> QPointF:
        """The position of a place on the first line."""
        return QPointF(self.x_of(place), self._y_of(self.value_of(self.lines[0], place)))

    @staticmethod
    def value_of(line: Line, place: int) -> float:
        """The value of a line at a place, between two measured ones in proportion."""
        import numpy as np

        return float(np.interp(place, line.sizes, line.values))

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 100)

    # How it looks.

    def _pen(self, k: int) -> QPen:
        """The pen of a line: the first is thicker; the others differ by their dashes."""
        ink = self.palette().color(QPalette.ColorRole.Text)
        return QPen(theme.with_alpha(ink, 0.7) if k else ink, 1.4 if k else CURVE_PX, _DASHES[k % len(_DASHES)])

    def paint_still(self, painter: QPainter) -> None:
        palette, room, scale, height = self.palette(), self.room, self.scale, QFontMetricsF(painter.font()).height()
        ticks = round_ticks(*self.span, max(2, int(room.height() / _TICK_PX)), is_whole=False)
        labels = [(self._y_of(tick), self.written(tick)) for tick in ticks]
        paint_value_ticks(painter, palette, room, labels, QPalette.ColorRole.Midlight)
        painter.setPen(theme.muted(palette))
        for size in scale.size_ticks(max(2, int(room.width() / _SIZE_TICK_PX))):
            place = QRectF(scale.x(size - scale.base) - _SIZE_TICK_PX / 2, room.bottom() + 4, _SIZE_TICK_PX, height)
            painter.drawText(place, CENTRE, number(size))
        below = QRectF(room.left(), self.height() - height - 2, room.width(), height)
        painter.drawText(below, LEFT, self.title)
        painter.drawText(below, RIGHT, f"{self._axis}{', log scale' if self.is_log else ''}")
        for k, line in reversed([*enumerate(self.lines)]):
            places, values = decimate(scale.places(line.sizes - scale.base), line.values, round(room.width()))
            painter.setPen(self._pen(k))
            painter.drawPolyline(line_of(places, self._y_of(values)))
            if len(line.sizes) == 1:  # a tokenizer has one size
                paint_dot(painter, palette, self.end_of(line), 4.0, is_step=False)

    def paint_over(self, painter: QPainter) -> None:
        palette, room = self.palette(), self.room
        self._paint_marks(painter)
        if self.knee is not None:
            self._paint_knee(painter, self._on_first(self.knee), f"knee {number(self.knee)}")
        place = self.current if self.hovered is None else self.hovered
        if self.hovered is not None:
            paint_hover_line(painter, palette, self.x_of(self.hovered), room.top(), room.bottom())
            paint_readout(painter, palette, room, [(None, f"{self._axis} {number(self.hovered)}")])
        last = max(int(line.sizes[-1]) for line in self.lines)
        self._paint_names(painter, last if place is None else place)

    def _paint_marks(self, painter: QPainter) -> None:
        """A line at each mark and at the current place, with its label above where there is room, and a dot."""
        palette, room, metrics = self.palette(), self.room, QFontMetricsF(painter.font())
        ink = palette.color(QPalette.ColorRole.Text)
        current = () if self.current is None else (self.current,)
        shown = sorted({*self.marks, *current})
        halves = [metrics.horizontalAdvance(number(place)) / 2 + 4 for place in shown]
        middles = [
            min(max(self.x_of(place), half), self.width() - half) for place, half in zip(shown, halves, strict=True)
        ]
        rows = label_rows([(x - half, x + half) for x, half in zip(middles, halves, strict=True)], 1, 3)
        for place, half, middle, row in zip(shown, halves, middles, rows, strict=True):
            x, is_current = self.x_of(place), place == self.current
            if is_current:
                paint_step_line(painter, palette, round(x), room.top(), room.bottom())
            else:
                painter.setPen(QPen(theme.with_alpha(ink, 0.45), 1))
                painter.drawLine(QPointF(int(x) + 0.5, room.top()), QPointF(int(x) + 0.5, room.bottom()))
            if row == 0:
                label = QRectF(middle - half, 3, 2 * half, metrics.height() + 1)
                painter.setBrush(palette.color(QPalette.ColorRole.Base))
                painter.setPen(QPen(theme.accent(palette) if is_current else theme.with_alpha(ink, 0.45), 1))
                painter.drawRoundedRect(label, 3, 3)
                painter.setPen(ink)
                painter.drawText(label, CENTRE, number(place))
            paint_dot(painter, palette, self._on_first(place), 4.0, is_step=is_current)

    def _paint_knee(self, painter: QPainter, place: QPointF, text: str) -> None:
        palette, metrics = self.palette(), QFontMetricsF(painter.font())
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1.5))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawPolygon(QPolygonF([place + each for each in map(QPointF, (0, 6, 0, -6), (-6, 0, 6, 0))]))
        box = QRectF(place.x() + 8, place.y() - metrics.height() - 4, metrics.horizontalAdvance(text), metrics.height())
        if box.right() > self.room.right():
            box.moveRight(place.x() - 8)
        painter.fillRect(box, theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.85))
        painter.drawText(box, CENTRE, text)

    def _paint_names(self, painter: QPainter, place: int) -> None:
        """The name of each line at its end, with its value at a place; moved where it would cover another one."""
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
            is_there = len(line.sizes) == 1 or line.sizes[0] <= place <= line.sizes[-1]
            value = f"  {self.written(self.value_of(line, place), n_more=1)}" if is_there else ""
            painter.drawText(QRectF(room.right() + GAP_PX, top, self.width(), height), LEFT, name + value)

    # User actions.

    def place_at(self, x: float) -> int:
        """The place at an x."""
        scale = self.scale
        return scale.base + scale.step(x)

    def _mark_at(self, x: float) -> int | None:
        """The number of the mark that can be dragged from here."""
        near = [(abs(self.x_of(place) - x), k) for k, place in enumerate(self.marks)]
        distance, k = min(near, default=(NEAR_PX, None))
        return k if distance < NEAR_PX else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.lines:
            self._held = self._mark_at(event.position().x())
            if self._held is None:
                self.place_chosen.emit(self.place_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not self.lines:
            return
        x = event.position().x()
        self.hovered = self.place_at(x)
        if event.buttons() & Qt.MouseButton.LeftButton:
            if self._held is None:
                self.place_chosen.emit(self.hovered)
            else:
                self.mark_moved.emit(self._held, self.hovered)
        else:
            is_near = self._mark_at(x) is not None
            self.setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered = None
        self.update()
