"""Lines over one axis, each named at its end: tokens by merges, measures by vocabulary size.

The names are followed by the values at the current place, or under the mouse. Places can be marked: a mark is dragged,
and a click or an arrow key goes to a place. It is given lines and measures nothing. numpy is imported where it is used,
so that the window paints before it is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.plots.axes import StepScale, decimate, round_ticks
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.measure_curves import Line

MOST_NAME_PX, NEAR_PX, GAP_PX, CURVE_PX = 180, 9.0, 6.0, 2
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_TICK_PX, _PLACE_TICK_PX = 36, 80
_LOW_LINES = 9
"""Below this height, in lines of text, the marks have no labels, and the title is above the lines."""
_FAR = 1 << 40
_KEYS = {
    Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -100, Qt.Key.Key_PageUp: 100,
    Qt.Key.Key_Home: -_FAR, Qt.Key.Key_End: _FAR,
}  # fmt: skip
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)


class LineChart(FollowsLook, QWidget):
    """The lines, the marks, the current place, and the values under the mouse.

    Args:
        name: its object name.
        title: its accessible name, and its name in the menu File > Export.
        axis: what the places are, such as "vocabulary size".
        n_lines: its height in lines of text; None for a chart that grows.
        starts_at_zero: whether the axis of values shows 0.

    Attributes:
        lines: what is drawn; `sizes` are the places.
        title: what they measure.
        marks: the places that are marked.
        current: the place of the window's step, or None.
        knee: the place of the knee of the first line, or None.
        hovered: the place under the mouse, or None.
        is_log, is_log_values: whether places and values are spread by their logarithms.
        is_late: whether newer lines are requested and have not arrived.
        span: the lowest and the highest value of the axis.
        room: the rectangle of the lines; above it are the labels of the marks.
        scale: the positions of places from its `base` on, in pixels.

    Signals:
        place_chosen: int, the place that the user clicks.
        mark_moved: (int, int), the number of a mark, and the place to which the user drags it.
    """

    place_chosen = Signal(object)
    mark_moved = Signal(int, object)

    def __init__(
        self,
        name: str,
        title: str,
        axis: str,
        parent: QWidget | None = None,
        *,
        n_lines: int | None = None,
        starts_at_zero: bool = False,
    ) -> None:
        super().__init__(parent)
        self._n_lines, self._starts_at_zero = n_lines, starts_at_zero
        named(self, name, title)
        self.export_name = title
        self.lines: tuple[Line, ...] = ()
        self.title = ""
        self.marks: tuple[int, ...] = ()
        self.current: int | None = None
        self.knee: int | None = None
        self.hovered: int | None = None
        self.is_log = self.is_log_values = self.is_late = False
        self._axis = axis
        self._held: int | None = None
        self._is_share = self._is_whole = False
        self._placeholder = ""
        self.span, self.room, self.scale = (0.0, 1.0), QRectF(), StepScale(1)
        self._picture: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.follow_look()

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
        """Show lines, or a sentence where there are none; values that are not known are left out.

        On a logarithmic axis values that are not above 0 are left out, too.
        """
        # nan equals nothing.
        known = [(line, line.values > 0 if self.is_log_values else line.values == line.values) for line in lines]
        self.lines = tuple(
            replace(line, sizes=line.sizes[is_known], values=line.values[is_known])
            for line, is_known in known
            if is_known.any()
        )
        self._is_whole = all(bool((line.values % 1 == 0).all()) for line in self.lines)
        self.title, self._is_share, self.knee, self._placeholder = title, is_share, knee, placeholder
        self.hovered, self.is_late = None, False
        self.redraw()
        ends = [f"{line.name} {self.written(float(line.values[-1]), n_more=2)}".strip() for line in self.lines]
        if knee is not None:
            ends.append(f"knee at {self._axis} {number(knee)}")
        self.setAccessibleDescription(f"{title}: {'; '.join(ends)}" if self.lines else placeholder)

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

    @property
    def is_low(self) -> bool:
        """Whether there is no room for more than the lines."""
        return self.height() < _LOW_LINES * QFontMetricsF(self.font()).height()

    def written(self, value: float, *, n_more: int = 0) -> str:
        """A value as it is written: a share in percent, a whole or large number without decimals.

        Args:
            value: the value.
            n_more: decimals beyond those that the ticks need.
        """
        low, high = self.span
        if self._is_whole and not self._is_share:
            return number(round(value))
        n_decimals = max(0, 1 - math.floor(math.log10(max(high - low, 1e-9) * (100 if self._is_share else 1))))
        n_decimals = min(n_decimals + n_more, 6) if high < 1000 else 0
        return percent(value, n_decimals) if self._is_share else number(round(value, n_decimals), n_decimals)

    # Positions.

    def fit(self) -> None:
        """Compute anew where things are, after the lines, the size or the font has changed."""
        metrics, lines = QFontMetricsF(self.font()), self.lines
        if self._n_lines is not None:
            self.setFixedHeight(round(self._n_lines * metrics.height()))
        low = min((float(line.values.min()) for line in lines), default=0.0)
        low = min(low, 0.0) if self._starts_at_zero else low
        high = max((float(line.values.max()) for line in lines), default=1.0)
        if self.is_log_values and lines:
            room = max(1.01, (high / low) ** 0.05)
            self.span = low / room, high * room
        else:
            room = max(0.05 * (high - low), 1e-9, 1e-6 * abs(high))
            self.span = low - room, high + room
        left = max(metrics.horizontalAdvance(self.written(value)) for value in self.span) + 18
        names = [min(MOST_NAME_PX, metrics.horizontalAdvance(line.name)) for line in lines]
        value = metrics.horizontalAdvance("  0" + self.written(self.span[1], n_more=1))
        right = max(names, default=0) + value + 2 * GAP_PX
        below = (1 if self.is_low else 2) * metrics.height() + 10
        top = metrics.height() + 8 if self._has_labels and not self.is_low else 8
        self.room = QRectF(left, top, max(20.0, self.width() - left - right), max(20.0, self.height() - top - below))
        first = min((int(line.sizes[0]) for line in lines), default=0)
        last = max((int(line.sizes[-1]) for line in lines), default=1)
        self.scale = StepScale(last - first, self.is_log, first, self.room.left(), self.room.right())

    @property
    def _has_labels(self) -> bool:
        return bool(self.marks) or self.current is not None

    def x_of(self, place: int) -> float:
        """The x of a place."""
        scale = self.scale
        return scale.x(place - scale.base)

    def _y_of(self, value: Any) -> Any:
        """The y of a value, or of several."""
        low, high = self.span
        if self.is_log_values:
            import numpy as np

            value, low, high = np.log(value), math.log(low), math.log(high)
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

    def redraw(self) -> None:
        """Paint everything anew, after the lines, the size, the font or the colours have changed."""
        self.fit()
        self._picture = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    def font_changed(self) -> None:
        self.redraw()

    def palette_changed(self) -> None:
        self.redraw()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Base))
            if self.message() is not None:
                self.paint_export(painter)
                return
            ratio = self.devicePixelRatioF()
            if self._picture is None or self._picture.devicePixelRatio() != ratio:
                self._picture = QPixmap((QSizeF(self.size()) * ratio).toSize())
                self._picture.setDevicePixelRatio(ratio)
                self._picture.fill(Qt.GlobalColor.transparent)
                with QPainter(self._picture) as still:
                    self._begin(still)
                    self._paint_still(still)
            painter.drawPixmap(0, 0, self._picture)
            self._begin(painter)
            self._paint_over(painter)

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything for a picture."""
        self._begin(painter)
        message = self.message()
        if message is None:
            self._paint_still(painter)
            self._paint_over(painter)
            return
        painter.setPen(theme.muted(self.palette()))
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        painter.drawText(QRectF(self.rect()).adjusted(16, 16, -16, -16), flags, message)

    def _begin(self, painter: QPainter) -> None:
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_still(self, painter: QPainter) -> None:
        """Paint what is the same at every place; the widget keeps a picture of it until `redraw`."""
        palette, room, scale, height = self.palette(), self.room, self.scale, QFontMetricsF(painter.font()).height()
        n_ticks = max(2, int(room.height() / _TICK_PX))
        ticks = round_ticks(*self.span, n_ticks, log=self.is_log_values, is_whole=self._is_whole)
        for tick in ticks:
            y = round(self._y_of(tick)) + 0.5
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Midlight), 1))
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(theme.muted(palette))
            painter.drawText(QRectF(0, y - height / 2, room.left() - GAP_PX, height), RIGHT, self.written(tick))
        painter.setPen(theme.muted(palette))
        low, high = scale.base, scale.base + scale.n_merges
        is_log = self.is_log and high >= 8 * max(1, low)
        for tick in round_ticks(
            max(1, low) if is_log else low, high, max(2, int(room.width() / _PLACE_TICK_PX)), log=is_log
        ):
            box = QRectF(self.x_of(round(tick)) - _PLACE_TICK_PX / 2, room.bottom() + 4, _PLACE_TICK_PX, height)
            painter.drawText(box, CENTRE, number(tick))
        if not self.is_low:
            below = QRectF(room.left(), self.height() - height - 2, room.width(), height)
            painter.drawText(below, LEFT, self.title)
            painter.drawText(below, RIGHT, f"{self._axis}{', log scale' if self.is_log else ''}")
        for k, line in reversed([*enumerate(self.lines)]):
            places, values = decimate(scale.places(line.sizes - scale.base), line.values, round(room.width()))
            painter.setPen(self._pen(k))
            painter.drawPolyline(QPolygonF(list(map(QPointF, places.tolist(), self._y_of(values).tolist()))))
            if len(line.sizes) == 1:  # a tokenizer has one size
                self._paint_dot(painter, self.end_of(line), palette.color(QPalette.ColorRole.Text))

    def _paint_over(self, painter: QPainter) -> None:
        """Paint the rest."""
        self._paint_marks(painter)
        if self.knee is not None:
            self._paint_knee(painter, self._on_first(self.knee), f"knee {number(self.knee)}")
        place = self.current if self.hovered is None else self.hovered
        if self.hovered is not None:
            self._paint_line(painter, round(self.x_of(self.hovered)) + 0.5, QPen(theme.muted(self.palette()), 1))
            self._paint_corner(painter, f"{self._axis} {number(self.hovered)}")
        elif self.is_low:
            self._paint_corner(painter, self.title)
        last = max(int(line.sizes[-1]) for line in self.lines)
        self._paint_names(painter, last if place is None else place)

    def _paint_line(self, painter: QPainter, x: float, pen: QPen) -> None:
        painter.setPen(pen)
        painter.drawLine(QPointF(x, self.room.top()), QPointF(x, self.room.bottom()))

    def _paint_dot(self, painter: QPainter, place: QPointF, colour: QColor) -> None:
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Base), 1.5))
        painter.setBrush(colour)
        painter.drawEllipse(place, 4.0, 4.0)

    def _paint_corner(self, painter: QPainter, text: str) -> None:
        """Paint a text in the upper right corner of the lines, or of a low chart, whose lines need their room."""
        metrics, room, palette = QFontMetricsF(painter.font()), self.room, self.palette()
        width, right = metrics.horizontalAdvance(text), self.width() if self.is_low else room.right()
        box = QRectF(right - width - 10, room.top() + 2, width + 8, metrics.height())
        painter.fillRect(box, theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.88))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(box, CENTRE, text)

    def _paint_marks(self, painter: QPainter) -> None:
        """A line at each mark and at the current place, with its label above where there is room, and a dot."""
        palette, metrics = self.palette(), QFontMetricsF(painter.font())
        ink, accent = palette.color(QPalette.ColorRole.Text), theme.accent(palette)
        quiet = theme.with_alpha(ink, 0.45)
        places = {*self.marks} if self.current is None else {*self.marks, self.current}
        labels: list[QRectF] = []
        for place in sorted(places, key=lambda place: (place != self.current, place)):
            x, is_current = self.x_of(place), place == self.current
            self._paint_line(
                painter, round(x) if is_current else int(x) + 0.5, QPen(accent, 2) if is_current else QPen(quiet, 1)
            )
            half = metrics.horizontalAdvance(number(place)) / 2 + 4
            label = QRectF(min(max(x, half), self.width() - half) - half, 3, 2 * half, metrics.height() + 1)
            if not self.is_low and not any(label.adjusted(-3, 0, 3, 0).intersects(other) for other in labels):
                labels.append(label)
                painter.setBrush(palette.color(QPalette.ColorRole.Base))
                painter.setPen(QPen(accent if is_current else quiet, 1))
                painter.drawRoundedRect(label, 3, 3)
                painter.setPen(ink)
                painter.drawText(label, CENTRE, number(place))
            self._paint_dot(painter, self._on_first(place), accent if is_current else ink)

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
        first = room.top() + height if self.is_low else 0.0  # below the corner
        for line in lines:
            tops.append(max(self.end_of(line).y() - height / 2, tops[-1] + height if tops else first))
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        n = _KEYS.get(Qt.Key(event.key()))
        if n is None or not self.lines:
            super().keyPressEvent(event)
        else:
            first, last = self.scale.base, self.scale.base + self.scale.n_merges
            here = first if self.current is None else self.current
            self.place_chosen.emit(min(max(first, here + n), last))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered = None
        self.update()
