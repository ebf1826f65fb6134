"""Lines over one axis, drawn by pyqtgraph: tokens by merges, measures by vocabulary size.

The wheel zooms, a drag pans, and a double click shows all. Values are written at the mouse, or at
the current place. A click or an arrow key goes to a place; marks can be dragged; a click on the
name of a line hides it. A chart is given lines and measures nothing.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QTextOption,
)
from PySide6.QtWidgets import QDialog, QGraphicsItem, QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.plots.chart_parts import GAP_PX, Axis, Curve, dot
from bpe_studio.gui.tables.model import ISOLATES
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named, on_trigger, remembered_action

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.explain.comparison.measure_curves import Line
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.gui.widgets.window_settings import WindowSettings

    FloatArray = NDArray[np.float64]

NEAR_PX = 6
CURVE_PX = 2
BIN_PX = 2
LONG = 1000
"""Lines with more points than this are thin, except the first."""
MOST_ZOOM = 1000
NAMES_SHARE = 0.3
"""The largest share of the width that the names of the lines take."""
LARGE = QSize(960, 600)
HELP = (
    "Turn the wheel or press + and - to zoom, drag to move what you see, double-click to see all;"
    " right-click for more"
)
_FAR = 1 << 40
_KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageDown: -100,
    Qt.Key.Key_PageUp: 100,
    Qt.Key.Key_Home: -_FAR,
    Qt.Key.Key_End: _FAR,
}
_BELOW = [(0.5, 0.0), (0.5, 0.0)]
_KEPT = QGraphicsItem.CacheMode.DeviceCoordinateCache
_NOT_KEPT = QGraphicsItem.CacheMode.NoCache
"""Qt keeps pictures of the parts that a step does not change."""
_LEFT_TO_RIGHT = "\u200e"
_ZOOMS = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Minus: 1.25}


class LineChart(FollowsLook, pg.PlotWidget):
    """The lines, the marks, the current place, and the values under the mouse.

    Args:
        name: its object name.
        title: its accessible name, and its name in the menu File > Export.
        axis: the name of the places, such as "vocabulary size".
        memory: remembers the scales; None for a chart that always begins with the same ones.
        is_log, is_log_values: whether the scales of places and values are logarithmic at first.
        starts_at_zero: whether the axis of values shows 0.

    Attributes:
        lines: the lines; their `sizes` are the places.
        title: the name of the values.
        marks: the places that are marked.
        current: the place of the window's step, or None.
        hovered: the place under the mouse, here or in a linked chart; None if there is none.
        is_late: whether newer lines are requested and have not arrived.
        log_places, log_values: the actions that choose the scales.
        box: the part of the chart with the lines, which knows the part in view.
        tip: the text with the values at a place.
        callout: a place on the first line, and its words; None if there is none.

    Signals:
        place_chosen: int, the place that the user clicks, or to which the line of the step is
            dragged.
        mark_moved: (int, int), the number of a mark, and the place to which the user drags it.
        mouse_moved: int, the place under the mouse; None if the mouse has left.
        looked_closer: (float, float), the ends of the part that the user chose; None for all.
        lines_changed: it shows other lines.
        places_changed: it shows other marks, or another current place.
    """

    place_chosen = Signal(object)
    mark_moved = Signal(int, object)
    mouse_moved = Signal(object)
    looked_closer = Signal(object)
    lines_changed = Signal()
    places_changed = Signal()

    def __init__(
        self,
        name: str,
        title: str,
        axis: str,
        parent: QWidget | None = None,
        *,
        memory: WindowSettings | None = None,
        is_log: bool = False,
        is_log_values: bool = False,
        starts_at_zero: bool = False,
    ) -> None:
        self.lines: tuple[Line, ...] = ()
        self._given: tuple[Line, ...] = ()
        self.title = ""
        self._placeholder = ""
        self.marks: tuple[int, ...] = ()
        self.current: int | None = None
        self.hovered: int | None = None
        self.callout: tuple[int, str] | None = None
        self._first: int | None = None
        self._is_share = False
        self._is_whole = False
        self.is_late = False
        self._hidden: set[str] = set()
        self._mouse_y: float | None = None
        self._before_click: int | None = None
        self._all: tuple[float, ...] = ()
        self._is_part = False
        self._kind: tuple[object, ...] = ()
        self._axis = axis
        self._starts_at_zero = starts_at_zero
        self._places = Axis("bottom", number)
        self._values = Axis("left", self.written)
        axes = {"bottom": self._places, "left": self._values}
        super().__init__(parent, axisItems=axes)  # type: ignore[call-arg]  # of pyqtgraph's class
        named(self, name, title, HELP)
        self.export_name = title
        self._build()
        self.log_places = remembered_action(
            "Log x axis", f"{name}_log", "", memory, f"{name}_log", self, is_on=is_log
        )
        self.log_values = remembered_action(
            "Log y axis",
            f"{name}_log_values",
            "",
            memory,
            f"{name}_log_values",
            self,
            is_on=is_log_values,
        )
        show_all = named(QAction("Show all", self), f"{name}_all")
        self.open_large = named(QAction("Open in a large window", self), f"{name}_large")
        on_trigger(show_all, self.show_all)
        on_trigger(self.open_large, self._open_large)
        self.addActions([self.log_places, self.log_values, show_all, self.open_large])
        for action in (self.log_places, self.log_values):
            action.toggled.connect(self._choose_lines)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.follow_look()

    def _build(self) -> None:
        self.hideButtons()
        self.setMenuEnabled(False)
        self.box = self.plotItem.vb
        self.box.disableAutoRange()
        self.scene().setClickRadius(NEAR_PX)
        self._curves: list[Curve] = []
        self._verticals: list[pg.InfiniteLine] = []
        for axis in (self._places, self._values):
            axis.setCacheMode(_KEPT)
        self._crosshair = [pg.InfiniteLine(angle=angle) for angle in (90, 0)]
        self._step = self._vertical()
        self._step.sigDragged.connect(self._on_step_dragged)
        self._callout_words = pg.TextItem()
        for item in (*self._crosshair, self._callout_words):
            self.addItem(item, ignoreBounds=True)
        self._callout_dot = dot(self)
        for item in (self._callout_words, self._callout_dot):
            item.setZValue(1)  # above the curves
        self.tip = pg.TextItem()
        self.tip.setParentItem(self.plotItem)
        self.tip.setZValue(1)
        self._empty = pg.TextItem(anchor=(0.5, 0.5))
        self._empty.textItem.document().setDefaultTextOption(
            QTextOption(Qt.AlignmentFlag.AlignCenter)
        )
        self.scene().addItem(self._empty)
        self.box.sigRangeChanged.connect(self._on_range_changed)
        self.box.sigRangeChangedManually.connect(self._on_looked_closer)
        self.box.sigResized.connect(self._on_resized)
        self.scene().sigMouseClicked.connect(self._on_clicked)

    def _vertical(self, **options: Any) -> pg.InfiniteLine:
        """A line that can be dragged to another place."""
        vertical = pg.InfiniteLine(movable=True, **options)
        vertical.setCursor(Qt.CursorShape.SizeHorCursor)
        self.addItem(vertical, ignoreBounds=True)
        return vertical

    # Lines and marks.

    def message(self) -> str | None:
        return None if self.lines else self._placeholder

    def show_lines(
        self,
        lines: Sequence[Line],
        title: str = "",
        *,
        is_share: bool = False,
        first: int | None = None,
        callout: tuple[int, str] | None = None,
        placeholder: str = "",
    ) -> None:
        """Show lines, or a sentence if there are none.

        Unknown values are left out, and on a logarithmic axis all values that are not above 0.

        Args:
            lines: the lines.
            title: the name of the values.
            is_share: whether values are written in percent.
            first: the beginning of the axis of places; by default that of the lines.
            callout: a place on the first line, and its words.
            placeholder: the sentence.
        """
        self._given = tuple(lines)
        self.title = title
        self._is_share = is_share
        self._first = first
        self.callout = callout
        self._placeholder = placeholder
        self.is_late = False
        self._choose_lines()

    def show_same(self, other: LineChart) -> None:
        """Show the lines of another chart."""
        self.show_lines(
            other._given,
            other.title,
            is_share=other._is_share,
            first=other._first,
            callout=other.callout,
            placeholder=other._placeholder,
        )

    @Slot()
    def _choose_lines(self) -> None:
        known = []
        for line in self._given:
            is_known = np.isfinite(line.values)
            if self.log_values.isChecked():
                is_known &= line.values > 0
            if is_known.any():
                known.append(
                    replace(line, sizes=line.sizes[is_known], values=line.values[is_known])
                )
        self.lines = tuple(known)
        self._is_whole = all(bool((line.values % 1 == 0).all()) for line in known)
        self.redraw()
        ends = [
            f"{line.name} {self.written(float(line.values[-1]), n_more=2)}".strip()
            for line in known
        ]
        if self.callout is not None:
            ends.append(self.callout[1])
        description = f"{self.title}: {'; '.join(ends)}" if known else self._placeholder
        self.setAccessibleDescription(description)
        self.lines_changed.emit()

    def set_marks(self, marks: Sequence[int], current: int | None = None) -> None:
        """Set the places that are marked, and the current one."""
        before = self.marks
        if (tuple(marks), current) != (before, self.current):
            self.marks = tuple(marks)
            self.current = current
            if self.marks != before:
                self._show_marks()
            self._show_place()
            self.places_changed.emit()

    def follow(self, other: LineChart) -> None:
        """Link with another chart: both show the same part of the axis, and values at one place."""
        for here, there in ((self, other), (other, self)):
            here.looked_closer.connect(there._on_other_looked_closer)
            here.mouse_moved.connect(there.show_values_at)
            here.log_places.toggled.connect(there.log_places.setChecked)

    @Slot()
    def _on_looked_closer(self, *_: object) -> None:
        self._is_part = not self.is_all
        self.looked_closer.emit(self.box.viewRange()[0])

    @Slot(object)
    def _on_other_looked_closer(self, ends: Sequence[float] | None) -> None:
        if ends is None:
            self._show_all()
        else:
            self._is_part = True
            self.box.setXRange(*ends, padding=0)

    @Slot(object)
    def show_values_at(self, place: int | None) -> None:
        """Show the values at a place; None for the current one."""
        self.hovered = place
        self._mouse_y = None
        self._show_place()

    @Slot()
    def show_all(self) -> None:
        """Show all of the lines, here and in a linked chart."""
        self._show_all()
        self.looked_closer.emit(None)

    def _show_all(self) -> None:
        self._is_part = False
        if self._all:
            left, right, bottom, top = self._all
            self.box.setRange(xRange=(left, right), yRange=(bottom, top), padding=0)

    def toggle(self, curve: Curve) -> None:
        """Hide a line, or show it again."""
        self._hidden ^= {curve.line.name}
        self.redraw()

    @Slot()
    def _open_large(self) -> None:
        LargeChart(self).show()

    def written(self, value: float, *, n_more: int = 0) -> str:
        """The text of a value: a share in percent, a whole or large number without decimals.

        Args:
            value: the value.
            n_more: decimals beyond those that the ticks need.
        """
        if self._is_whole and not self._is_share:
            return number(round(value))
        low, high = (self._values.value(end) for end in self.box.viewRange()[1])
        scale = 100 if self._is_share else 1
        shown = (high - low) * scale
        n_decimals = max(0, 1 - math.floor(math.log10(max(shown, 1e-9))))
        n_decimals = min(n_decimals + n_more, 6) if high < 1000 else 0
        if self._is_share:
            return percent(value, n_decimals)
        return number(round(value, n_decimals), n_decimals)

    # Drawing.

    def redraw(self) -> None:
        """Draw everything again, after the lines, the scales or the look have changed."""
        self._places.is_log = self.log_places.isChecked()
        self._values.is_log = self.log_values.isChecked()
        self._values.is_whole = self._is_whole and not self._is_share
        self.plotItem.setVisible(bool(self.lines))
        self._empty.setVisible(not self.lines)
        self._empty.setText(self._placeholder)
        self._fit_curves()
        if self.lines:
            self._show_title()
            self._fit_range()
        self._show_marks()
        self._on_range_changed()

    def _fit_curves(self) -> None:
        while len(self._curves) > len(self.lines):
            self._curves.pop().remove(self)
        while len(self._curves) < len(self.lines):
            self._curves.append(Curve(self))
        colours = theme.line_colours(self.palette())
        for k, (curve, line) in enumerate(zip(self._curves, self.lines, strict=True)):
            curve.line = line
            curve.is_shown = line.name not in self._hidden
            curve.xs = self._places.coordinate(line.sizes)
            curve.ys = self._values.coordinate(line.values)
            colour = colours[k % len(colours)]
            dashes = Qt.PenStyle.SolidLine if k < len(colours) else Qt.PenStyle.DashLine
            width = CURVE_PX if k == 0 or len(line.sizes) < LONG else 1
            curve.item.setPen(pg.mkPen(colour, width=width, style=dashes))
            curve.item.setZValue(-k)
            curve.item.setVisible(curve.is_shown)
            curve.dot.setBrush(colour)

    def _show_title(self) -> None:
        axes = [name for name, axis in (("x", self._places), ("y", self._values)) if axis.is_log]
        log = f" (log {' and '.join(axes)})" if axes else ""
        metrics = QFontMetricsF(self.font())
        words = f"{self.title}, by {self._axis}{log}"
        words = metrics.elidedText(
            words, Qt.TextElideMode.ElideRight, 0.9 * self.width() - self._values.width()
        )
        look = {
            "color": theme.muted(self.palette()).name(),
            "size": f"{self.font().pointSizeF():g}pt",
        }
        self.plotItem.setTitle(html.escape(words), justify="left", **look)
        height = metrics.height() + GAP_PX
        self.plotItem.titleLabel.setMaximumHeight(height)
        self.plotItem.titleLabel.setMinimumWidth(0)  # it may reach above the names
        self.plotItem.layout.setRowFixedHeight(0, height)  # pyqtgraph's is 30 pixels

    def _make_room(self) -> None:
        """Leave room for the values at the left and for the names at the right."""
        metrics = QFontMetricsF(self.font())
        least_px = 3 * GAP_PX
        ends = [self.written(self._values.value(y)) for y in self.box.viewRange()[1]]
        self._values.setWidth(max(map(metrics.horizontalAdvance, ends)) + 2 * GAP_PX)
        names_px = max(metrics.horizontalAdvance(f"■ {line.name}") for line in self.lines) + GAP_PX
        has_names = len(self.lines) > 1 or bool(self.lines[0].name)
        self._names_px = min(names_px, NAMES_SHARE * self.width()) if has_names else 0.0
        self.plotItem.layout.setContentsMargins(1, 1, self._names_px + least_px, 1)

    @property
    def _ends(self) -> tuple[int, int]:
        """The first and the last place of the axis."""
        first = self._first
        if first is None:
            first = min(int(line.sizes[0]) for line in self.lines)
        return first, max(int(line.sizes[-1]) for line in self.lines)

    def _fit_range(self) -> None:
        """Show all, unless the user has zoomed into the same kind of lines."""
        shown = [curve for curve in self._curves if curve.is_shown] or self._curves
        first, last = self._ends
        left, right = (
            float(self._places.coordinate(place)) for place in (first, max(last, first + 1))
        )
        bottom = min(float(curve.ys.min()) for curve in shown)
        top = max(float(curve.ys.max()) for curve in shown)
        if self._starts_at_zero and not self._values.is_log:
            bottom = min(bottom, 0.0)
        # The values at both ends need room within the height of the lines.
        height = QFontMetricsF(self.font()).height()
        share = min(max(0.05, height / 2 / max(1.0, self._room.height() - height)), 0.5)
        room = share * (top - bottom) or 0.05 * abs(top) or 1.0
        kind = (
            self.title,
            self._places.is_log,
            self._values.is_log,
            *(curve.is_shown for curve in self._curves),
        )
        self._all = (left, right, bottom - room, top + room)
        self.box.setLimits(
            xMin=left,
            xMax=right,
            yMin=bottom - room,
            yMax=top + room,
            minXRange=(right - left) / MOST_ZOOM,
            minYRange=(top - bottom + 2 * room) / MOST_ZOOM,
        )
        if not self._is_part or kind != self._kind:
            self._show_all()
        self._kind = kind

    @property
    def is_all(self) -> bool:
        """Whether all of the lines are in view."""
        return not self._all or np.allclose(np.ravel(self.box.viewRange()), self._all)

    @Slot()
    def _on_resized(self, *_: object) -> None:
        if self.lines:
            self._show_title()
            self._fit_range()
        self._on_range_changed()

    @Slot()
    def _on_range_changed(self, *_: object) -> None:
        """Draw the part in view, and place the texts next to it."""
        self._empty.setTextWidth(max(40, self.width() - 40))
        self._empty.setPos(QRectF(self.rect()).center())
        if not self.lines:
            return
        self._make_room()
        (left, right), _ = self.box.viewRange()
        for curve in self._curves:
            # Zoomed in, the picture of a curve would be so large that it takes all memory.
            cache = _KEPT if self.is_all else _NOT_KEPT
            curve.item.setCacheMode(cache)
            curve.draw(left, right, max(1, round(self.box.width() / BIN_PX)))
        self._show_names(right)
        self._show_labels()
        self._show_callout()
        self._show_place()

    def _show_names(self, right: float) -> None:
        """Write the name of each line where it leaves the view, without covering another name."""
        room = self._room
        metrics = QFontMetricsF(self.font())
        height = metrics.height()
        palette = self.palette()
        n_fitting = max(1, int(room.height() / height))
        ends = []
        for k, curve in enumerate(self._curves):
            y = self._pixel(right, float(np.interp(right, curve.xs, curve.ys))).y()
            ends.append((min(max(y, room.top()), room.bottom()), k))
            curve.name.setVisible(False)
        middles: list[float] = []
        for y, _ in sorted(ends)[:n_fitting]:
            least = middles[-1] + height if middles else room.top() + height / 2
            middles.append(max(y, least))
        below = room.bottom() + height / 2
        for place in reversed(range(len(middles))):
            middles[place] = below = min(middles[place], below - height)
        for middle, (_, k) in zip(middles, sorted(ends), strict=False):
            curve = self._curves[k]
            room_px = self._names_px - metrics.horizontalAdvance("■ ")
            words = metrics.elidedText(curve.line.name, Qt.TextElideMode.ElideRight, room_px)
            ink = theme.muted(palette)
            block = "□"
            action = "show"
            if curve.is_shown:
                ink = palette.color(QPalette.ColorRole.Text)
                block = "■"
                action = "hide"
            colour = curve.item.opts["pen"].color().name()
            curve.name.setHtml(
                f'{_LEFT_TO_RIGHT}<span style="color:{colour}">{block}</span> '
                f'<span style="color:{ink.name()}">{html.escape(words)}</span>'
            )
            curve.name.setToolTip(f"{curve.line.name}\nClick to {action} the line")
            curve.name.setPos(room.right() + GAP_PX, middle)
            curve.name.setVisible(self._names_px > 0)

    def _show_marks(self) -> None:
        while len(self._verticals) > len(self.marks):
            self.removeItem(self._verticals.pop())
        while len(self._verticals) < len(self.marks):
            self._verticals.append(
                self._vertical(label="", labelOpts={"position": 1.0, "anchors": _BELOW})
            )
            self._verticals[-1].sigDragged.connect(self._on_mark_dragged)
        ink = self.palette().color(QPalette.ColorRole.Text)
        base = self.palette().color(QPalette.ColorRole.Base)
        for vertical, place in zip(self._verticals, self.marks, strict=True):
            vertical.setPen(pg.mkPen(theme.with_alpha(ink, 0.45)))
            vertical.setHoverPen(pg.mkPen(ink, width=2))
            vertical.setValue(self._x(place))
            vertical.label.setColor(ink)
            vertical.label.fill = pg.mkBrush(base)
        self._show_labels()

    def _show_labels(self) -> None:
        """Write the place of each mark, unless it would cover the one before."""
        if not self.lines:
            return
        metrics = QFontMetricsF(self.font())
        end = -math.inf
        for vertical, place in sorted(
            zip(self._verticals, self.marks, strict=True), key=lambda each: each[1]
        ):
            x = self.x_of(place)
            half = metrics.horizontalAdvance(number(place)) / 2 + GAP_PX
            if x - half > end:
                vertical.label.setText(number(place))
                vertical.setZValue(2)  # the label is above other marks
                end = x + half
            else:
                vertical.label.setText("")
                vertical.setZValue(1)

    def _show_callout(self) -> None:
        point = None if self.callout is None else self._curves[0].point_at(self._x(self.callout[0]))
        for item in (self._callout_dot, self._callout_words):
            item.setVisible(point is not None)
        if self.callout is not None and point is not None:
            place, words = self.callout
            room = self._room
            is_right = self.x_of(place) > room.center().x()
            self._callout_words.setText(words)
            above_px = self._pixel(*point).y() - room.top()
            is_at_top = above_px < self._callout_words.boundingRect().height()
            self._callout_words.setAnchor((int(is_right), int(not is_at_top)))
            for item in (self._callout_dot, self._callout_words):
                item.setPos(*point)

    def _show_place(self) -> None:
        """Show the current place and the one under the mouse, with the values at the latter."""
        here = self.current if self.hovered is None else self.hovered
        points: list[tuple[float, Curve]] = []
        for curve in self._curves:
            place = None if here is None else self._x(here)
            point = curve.point_at(place)
            curve.dot.setVisible(point is not None)
            if point is not None:
                curve.dot.setPos(*point)
            if point is not None and here is not None:
                points.append((point[1], curve))
        self._step.setVisible(self.current is not None)
        if self.current is not None:
            self._step.setValue(self._x(self.current))
        for line in self._crosshair:
            line.setVisible(self.hovered is not None and bool(points))
        self.tip.setVisible(bool(points))
        if here is not None and points:
            self._say_values(here, points)

    def _say_values(self, place: int, points: list[tuple[float, Curve]]) -> None:
        """Write as many values of a place as fit, next to the point nearest to the mouse.

        They keep clear of the callout.
        """
        x = self._x(place)
        room = self._room
        aim = points[0][0]
        if self._mouse_y is not None:
            aim = self.box.mapSceneToView(QPointF(0.0, self._mouse_y)).y()
        points = sorted(points, key=lambda point: abs(point[0] - aim))
        y = points[0][0]
        self._crosshair[0].setValue(x)
        self._crosshair[1].setValue(y)
        n_fitting = max(1, int(room.height() / QFontMetricsF(self.font()).height()) - 2)
        said = []
        for each, curve in points[:n_fitting]:
            value = f"{curve.line.name}  {self._written_at(each)}".strip()
            said.append((each, f"{_LEFT_TO_RIGHT}{value}"))
        where = f"{self._axis} {number(place)}"
        if len(said) == 1 or self.hovered is None:
            self.tip.setText(f"{where}: {said[0][1]}")
        else:
            self.tip.setText(
                "\n".join([where, *(value for _, value in sorted(said, reverse=True))])
            )
        point = self._pixel(x, y)
        size = self.tip.boundingRect()
        left = point.x() + GAP_PX
        if left + size.width() > self.width():
            left = point.x() - GAP_PX - size.width()
        left = max(left, 0.0)
        top = max(point.y() - size.height() - GAP_PX, room.top())
        words = self._callout_words.sceneBoundingRect()
        beside = QRectF(left, top, size.width(), size.height())
        if self._callout_words.isVisible() and words.intersects(beside):
            top = words.top() - size.height()
            if top < room.top():
                top = words.bottom()
        top = min(top, room.bottom() - size.height())
        self.tip.setPos(left, max(top, room.top()))
        self.tip.setVisible(room.left() - 1 <= point.x() <= room.right() + 1)

    def _written_at(self, y: float) -> str:
        return self.written(self._values.value(y), n_more=1)

    # Positions.

    @property
    def _room(self) -> QRectF:
        """The rectangle of the lines, in pixels of the widget."""
        rect: QRectF = self.box.sceneBoundingRect()
        return rect

    def _x(self, place: int) -> float:
        """The coordinate of a place."""
        return float(self._places.coordinate(place))

    def _pixel(self, x: float, y: float) -> QPointF:
        pixel: QPointF = self.box.mapViewToScene(QPointF(x, y))
        return pixel

    def x_of(self, place: int) -> float:
        """The x of a place, in pixels of the widget."""
        return self._pixel(self._x(place), 0.0).x()

    def place_at(self, x: float) -> int:
        """The place at an x in pixels of the widget."""
        return self._nearest_place(self.box.mapSceneToView(QPointF(x, 0.0)).x())

    def _nearest_place(self, x: float) -> int:
        first, last = self._ends
        # A value of one half, where a logarithmic axis shows 0, is 0.
        return max(first, min(last, math.floor(self._places.value(x) + 0.5 - 1e-9)))

    def value_at(self, place: int) -> float | None:
        """The value of the first line at a place; None if it has none."""
        point = self._curves[0].point_at(self._x(place)) if self._curves else None
        return None if point is None else self._values.value(point[1])

    # Events of the user and of the look.

    @Slot(object)
    def _on_step_dragged(self, vertical: pg.InfiniteLine) -> None:
        self.place_chosen.emit(self._nearest_place(vertical.value()))

    @Slot(object)
    def _on_mark_dragged(self, vertical: pg.InfiniteLine) -> None:
        self.mark_moved.emit(self._verticals.index(vertical), self._nearest_place(vertical.value()))

    @Slot(object)
    def _on_clicked(self, event: Any) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        if not (is_left and self.lines and self._room.contains(event.scenePos())):
            return
        if not event.double():
            self._before_click = self.current
            self.place_chosen.emit(self.place_at(event.scenePos().x()))
            return
        self.show_all()
        if self._before_click is not None:  # a double click begins with a click
            self.place_chosen.emit(self._before_click)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        place = self.place_at(event.position().x()) if self.lines and not event.buttons() else None
        self._say_mouse(place, event.position().y())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._say_mouse(None, None)

    def _say_mouse(self, place: int | None, y: float | None) -> None:
        self.hovered = place
        self._mouse_y = y
        self._show_place()
        self.mouse_moved.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self.lines or key not in (*_KEYS, *_ZOOMS):
            super().keyPressEvent(event)
            return
        first, last = self._ends
        here = first if self.current is None else self.current
        if key in _KEYS:
            self.place_chosen.emit(min(max(first, here + _KEYS[key]), last))
        else:
            self.box.scaleBy((_ZOOMS[key], _ZOOMS[key]))
            self._on_looked_closer()

    def font_changed(self) -> None:
        for axis in (self._places, self._values):
            axis.setTickFont(self.font())
        # pyqtgraph makes the text a fifth lower than it is, and cuts off its lower part.
        self._places.setHeight(self.fontMetrics().height() + GAP_PX // 2)
        for text in (self.tip, self._empty, self._callout_words):
            text.setFont(self.font())
        self.redraw()

    def palette_changed(self) -> None:
        palette = self.palette()
        ink = palette.color(QPalette.ColorRole.Text)
        base = palette.color(QPalette.ColorRole.Base)
        muted = theme.muted(palette)
        accent = theme.accent(palette)
        self.setBackground(base)
        for axis in (self._places, self._values):
            axis.setPen(palette.color(QPalette.ColorRole.Mid))
            axis.setTextPen(muted)
        self._values.setGrid(90)
        self._step.setPen(pg.mkPen(accent, width=2))
        self._step.setHoverPen(pg.mkPen(accent, width=4))
        for line in self._crosshair:
            line.setPen(pg.mkPen(muted))
        self.tip.setColor(ink)
        self.tip.border = pg.mkPen(palette.color(QPalette.ColorRole.Mid))
        self.tip.fill = pg.mkBrush(theme.with_alpha(base, 0.9))
        self._empty.setColor(muted)
        self._callout_words.setColor(ink)
        self._callout_words.fill = self.tip.fill
        self._callout_dot.setBrush(base)
        self._callout_dot.setPen(pg.mkPen(ink, width=2))
        self.redraw()

    # Export.

    def export_size(self) -> QSize:
        """The size of its picture; empty without lines."""
        return self.size() if self.lines else QSize()

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything for a picture; lines stay lines in a drawing."""
        items = [self._places, self._values, *(curve.item for curve in self._curves)]
        modes = [item.cacheMode() for item in items]
        for item in items:
            item.setCacheMode(_NOT_KEPT)
        pg.PlotWidget.render(self, painter, QRectF(self.rect()), self.rect())
        for item, mode in zip(items, modes, strict=True):
            item.setCacheMode(mode)

    def export_values(self) -> tuple[list[str], list[list[Value]]]:
        """Headings and rows: a row for each place in view, a column for each visible line."""
        (left, right), _ = self.box.viewRange()
        shown = [curve for curve in self._curves if curve.is_shown]
        columns: list[dict[int, float]] = []
        for curve in shown:
            is_seen = (curve.xs >= left) & (curve.xs <= right)
            places = curve.line.sizes[is_seen].tolist()
            values = curve.line.values[is_seen].tolist()
            columns.append(dict(zip(places, values, strict=True)))
        heads = [
            self._axis,
            *(curve.line.name.translate(ISOLATES) or self.title for curve in shown),
        ]
        rows: list[list[Value]] = []
        for place in sorted(set().union(*columns)):
            row: list[Value] = [place]
            for each in columns:
                value = each.get(place)
                if self._is_whole and value is not None:
                    value = int(value)
                row.append(value)
            rows.append(row)
        return heads, rows


class LargeChart(QDialog):
    """A chart in a window of its own, with the lines and marks of another one."""

    def __init__(self, source: LineChart) -> None:
        super().__init__(source.window())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(source.export_name)
        self._source = source
        self.chart = LineChart(
            f"{source.objectName()}_in_large",
            source.export_name,
            source._axis,
            self,
            starts_at_zero=source._starts_at_zero,
        )
        self.chart.removeAction(self.chart.open_large)
        self.chart.log_places.setChecked(source.log_places.isChecked())
        self.chart.log_values.setChecked(source.log_values.isChecked())
        column((self.chart, 1), parent=self)
        self.resize(LARGE)
        source.lines_changed.connect(self._show_lines)
        source.places_changed.connect(self._show_places)
        self.chart.place_chosen.connect(source.place_chosen)
        self.chart.mark_moved.connect(source.mark_moved)
        self._show_lines()
        self._show_places()

    @Slot()
    def _show_lines(self) -> None:
        self.chart.show_same(self._source)

    @Slot()
    def _show_places(self) -> None:
        self.chart.set_marks(self._source.marks, self._source.current)
