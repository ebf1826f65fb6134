"""The curve of tokens against vocabulary size over the whole run, with the chosen sizes as marks that can be dragged.

The handles of the marks paint nothing: they serve the mouse, the keyboard and screen readers, so that an exported
picture has the marks, too. The widget is given its curves and steps and measures nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.explain.comparison.curves import Series
from bpe_studio.explain.wording import plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale, plain_tip
from bpe_studio.gui.plots.axes import StepScale, label_rows, round_ticks
from bpe_studio.gui.plots.curve_painting import (
    CENTRE,
    GAP_PX,
    LEFT,
    RIGHT,
    line_of,
    paint_dot,
    paint_hover_line,
    paint_value_ticks,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.curves import IntArray
    from bpe_studio.gui.plots.axes import FloatArray

FAR_SHARE = 0.04
"""How far Page Up and Page Down move a mark, of the width of the curve."""


class SizeHandle(QWidget):
    """The strip around the line of one mark.

    Args:
        number: the number of the mark; part of the object name.

    Signals:
        pulled: (number, float), dragged to this x of the curve.
        nudged: (number, int, bool), moved by keys by so many pixels, or merges if the last is true.
        chosen: number, the window should go to its step.
        removed: number.
        rested: (QPointF, QPointF), the pointer rests at this position of the curve, and of the screen.
        changed: it has got or lost the mouse or the keyboard focus.
    """

    pulled = Signal(int, object)
    nudged = Signal(int, int, bool)
    chosen = Signal(int)
    removed = Signal(int)
    rested = Signal(object, object)
    changed = Signal()

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.number = number
        self._is_held = False
        self._offset = 0.0
        self.setObjectName(f"compare.mark_{number + 1}" if number >= 0 else "compare.mark_step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setMouseTracking(True)
        self.setToolTip(
            "Drag it, or press Left and Right (with Shift by one merge) or Page Up and Page Down. Enter or a "
            "double-click goes to its step; Delete removes it"
        )

    @property
    def is_held(self) -> bool:
        """Whether it is being dragged."""
        return self._is_held

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._is_held = True
            # It is dragged from where it was grabbed, and does not jump.
            self._offset = event.position().x() - self.width() / 2
            self.changed.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = QPointF(self.mapToParent(event.position().toPoint()))
        if self._is_held:
            self.pulled.emit(self.number, place.x() - self._offset)
        self.rested.emit(place, event.globalPosition())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_held = False
        self.changed.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit(self.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        curve = self.parentWidget()
        far = max(1, round(FAR_SHARE * (curve.width() if curve is not None else 0)))
        ways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -far, Qt.Key.Key_PageUp: far}
        if key in ways:
            self.nudged.emit(self.number, ways[key], bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.pulled.emit(self.number, -1e9 if key == Qt.Key.Key_Home else 1e9)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.number)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self.number)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.raise_()
        self.changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.changed.emit()


LABEL_ROWS = 3
LOW_LINES, LEAST_LINES = 14, 8
"""Below these heights, in lines of text, the labels have two rows, or one, so that the curve has the rest."""
RIGHT_PX = 14.0
CURRENT = -1
"""The number of the window's step; the marks are numbered from 0."""


class Mark(NamedTuple):
    """A size that is marked.

    Attributes:
        step: its step.
        number: from 0, or `CURRENT`.
        label: the rectangle of its label; None where there is no room for it.
        text: the text of the label.
    """

    step: int
    number: int
    label: QRectF | None
    text: str


@dataclass(frozen=True)
class Point:
    """Another run or a tokenizer: a point at its vocabulary size and its tokens of the corpus, or the end of a curve.

    Attributes:
        name: what it is called.
        vocab_size: its vocabulary.
        n_tokens: its tokens of the corpus.
        n_bytes: the size of the corpus; 0 if unknown.
        key: what identifies it.
        curve: (n,) int64, for a run, its tokens of the corpus at the sizes up to `vocab_size`, one merge apart.
    """

    name: str
    vocab_size: int
    n_tokens: int
    n_bytes: int
    key: str = ""
    curve: IntArray | None = field(default=None, compare=False)

    @property
    def base(self) -> int:
        """The vocabulary size at which its curve begins."""
        return self.vocab_size + 1 - (1 if self.curve is None else len(self.curve))

    def n_tokens_at(self, vocab_size: int) -> int | None:
        """Its tokens of the corpus at a size; None where its curve has none."""
        place = vocab_size - self.base
        return int(self.curve[place]) if self.curve is not None and 0 <= place < len(self.curve) else None


class SizeChart:
    """The values and positions of the chart.

    Attributes:
        series: the curves; the marks are on the first one.
        base: the vocabulary size at step 0.
        n_merges: the last step.
        points: other runs and tokenizers.
        knee: the step of the knee, or None.
        marks: the steps of the chosen sizes.
        step: the window's step.
        is_log: whether the axis of sizes is logarithmic.
        held: the numbers of the marks that are hovered, dragged or have the keyboard focus.
        hovered: the step under the mouse, or None.
        placeholder: the sentence where there is no curve.
        size: of the chart, in pixels.
        metrics: of its font.
    """

    def __init__(self) -> None:
        self.series: tuple[Series, ...] = ()
        self.points: tuple[Point, ...] = ()
        self.base, self.n_merges = 0, 0
        self.knee: int | None = None
        self.marks: tuple[int, ...] = ()
        self.step = 0
        self.is_log = True
        self.held: Collection[int] = ()
        self.hovered: int | None = None
        self.placeholder = ""
        self.size = QSizeF(1, 1)
        self.metrics = QFontMetricsF(QFont())

    # Positions.

    @property
    def scale(self) -> StepScale:
        """The positions of steps, in pixels."""
        room = self.room
        return StepScale(self.n_merges, self.is_log, max(1, self.base), room.left(), room.right())

    @property
    def room(self) -> QRectF:
        """The rectangle of the curves."""
        metrics = self.metrics
        height = metrics.height()
        side = max((metrics.horizontalAdvance(text) for _, text in self.value_ticks), default=0) + GAP_PX + 2
        top = self.n_rows * (height + 2) + 6
        below = height if self.is_low else 2 * height
        return QRectF(
            side, top, max(20.0, self.size.width() - side - RIGHT_PX), max(20.0, self.size.height() - top - below - 8)
        )

    def point(self, step: int) -> QPointF:
        """The position of a step on the first curve."""
        room = self.room
        value = self.value(self.series[0], min(step, self.n_merges))
        return QPointF(self.scale.x(step), room.bottom() - value / self.highest * room.height())

    def label_box(self, step: int, width: float) -> QRectF:
        """The rectangle of a label of a step on the first curve: above or below, at a side, over the fewest curves."""
        place, height, away = self.point(step), self.metrics.height(), 8.0
        tops = (place.y() - away - height, place.y() + away)
        boxes = [QRectF(x, y, width, height) for y in tops for x in (place.x() + away, place.x() - away - width)]
        whole = QRectF(0.0, 0.0, self.size.width() - 4.0, self.room.bottom())
        return min(boxes, key=lambda box: (not whole.contains(box), self._n_curves_in(box)))

    def _n_curves_in(self, box: QRectF) -> int:
        """At how many of some places in a rectangle a curve is."""
        room, scale, highest = self.room, self.scale, self.highest
        steps = [min(max(0, scale.step(box.left() + box.width() * k / 8)), self.n_merges) for k in range(9)]
        values = [self.value(each, step) for each in self.series for step in steps]
        places = [room.bottom() - value / highest * room.height() for value in values]
        return sum(box.top() <= y <= box.bottom() for y in places)

    def placed_points(self) -> list[tuple[QPointF, str]]:
        """The position of each point, and its name; one outside of the chart is at its edge, with its size."""
        found, room, scale, highest = [], self.room, self.scale, self.highest
        for each in self.points:
            # A curve that leaves the axis ends where it does.
            n_tokens = each.n_tokens_at(self.sizes_of(each)[1]) or each.n_tokens
            step, share = each.vocab_size - self.base, self.value_of(n_tokens) / highest
            is_inside = 0 <= step <= self.n_merges and share <= 1
            name = each.name if is_inside else f"{each.name} ({grouping_locale().toString(each.vocab_size)})"
            x = scale.x(min(max(0, step), self.n_merges))
            found.append((QPointF(x, room.bottom() - min(1.0, share) * room.height()), name))
        return found

    @property
    def n_rows(self) -> int:
        """How many rows of labels there are."""
        return LABEL_ROWS - sum(self._n_lines < few for few in (LOW_LINES, LEAST_LINES))

    @property
    def is_low(self) -> bool:
        """Whether there is no room for more than the curve."""
        return self._n_lines < LEAST_LINES

    @property
    def _n_lines(self) -> float:
        """The height in lines of text."""
        return self.size.height() / self.metrics.height()

    # Values and ticks.

    def value(self, series: Series, step: int) -> float:
        """The value of a curve: its tokens as a share of those at step 0."""
        return int(series.n_tokens[step]) / max(1, int(series.n_tokens[0]))

    def value_of(self, n_tokens: int) -> float:
        """The value of another run or a tokenizer: its tokens as a share of the corpus's."""
        return n_tokens / (max(1, int(self.series[0].n_tokens[0])) if self.series else 1)

    def sizes_of(self, point: Point) -> tuple[int, int]:
        """The smallest and the largest size of a run's curve that are on the axis; in reverse if there are none."""
        return max(self.base, point.base), min(self.base + self.n_merges, point.vocab_size)

    @property
    def highest(self) -> float:
        """The value at the top; 0 is at the bottom."""
        ends = [
            self.value_of(n_tokens)
            for each in self.points
            for size in self.sizes_of(each)
            if (n_tokens := each.n_tokens_at(size)) is not None
        ]
        return max([1.0, *ends])

    @property
    def value_ticks(self) -> list[tuple[float, str]]:
        """Values and their labels."""
        if not self.series:
            return []
        locale, n = grouping_locale(), max(1, min(5, int((self._n_lines - self.n_rows - 2.5) / 1.4)))
        most = float(self.series[0].n_tokens[0]) or 1.0
        ticks = round_ticks(0.0, most * self.highest, n, is_whole=False)
        return [(tick / most, locale.toString(round(tick))) for tick in ticks]

    @property
    def size_ticks(self) -> list[tuple[float, str]]:
        """Positions of round sizes in pixels, and their labels, which do not overlap."""
        locale, metrics, room, scale = grouping_locale(), self.metrics, self.room, self.scale
        widest = metrics.horizontalAdvance(locale.toString(self.base + self.n_merges)) + 24
        found, before = [], -1e6
        for size in scale.size_ticks(max(2, int(room.width() / widest))):
            text, x = locale.toString(size), scale.x(size - self.base)
            half = metrics.horizontalAdvance(text) / 2
            if x - half >= before + 8 and x + half <= self.size.width():
                before = x + half
                found.append((x, text))
        return found

    def placed_marks(self) -> list[Mark]:
        """The marks and the window's step, from left to right, with their labels in rows."""
        locale, height, scale = grouping_locale(), self.metrics.height(), self.scale
        steps = sorted([(step, number) for number, step in enumerate(self.marks)] + [(self.step, CURRENT)])
        edges, texts = [], []
        for step, _ in steps:
            text = locale.toString(self.base + step)
            half = self.metrics.horizontalAdvance(text) / 2 + 4
            middle = min(max(scale.x(step), half + 1), self.size.width() - half - 1)
            edges.append((middle - half, middle + half))
            texts.append(text)
        marks = []
        rows = label_rows(edges, self.n_rows, 3)
        for (step, number), (left, right), text, row in zip(steps, edges, texts, rows, strict=True):
            top = 2 + (self.n_rows - 1 - row) * (height + 2)
            label = QRectF(left, top, right - left, height + 1) if row >= 0 else None
            marks.append(Mark(step, number, label, text))
        return marks


_Line = tuple[Qt.PenStyle, float, float]
"""How a curve is drawn: its dashes, its width and its opacity."""
_LINES: tuple[_Line, ...] = (
    (Qt.PenStyle.SolidLine, 2.0, 1.0),
    (Qt.PenStyle.DashLine, 1.8, 1.0),
    (Qt.PenStyle.DotLine, 1.8, 0.9),
)
_OTHER_LINE: _Line = (Qt.PenStyle.SolidLine, 1.2, 0.55)
_TICK_PX = 3
MOST_NAME_PX = 220
NEAR_PX = 9.0
KNEE = (
    "The knee: up to here a merge saves more than the average merge of this run, beyond it less. A longer run has a "
    "later knee"
)


class SizeCurve(CurveWidget):
    """Curves, marks, the knee and the window's step.

    Attributes:
        is_late: whether newer curves are requested and have not arrived.

    Signals:
        mark_moved: (int, int), the index of a mark and the step to which the user drags it.
        mark_removed: int, the index of a mark that the user removes.
        step_chosen: int, the step to which the window is to go.
    """

    mark_moved = Signal(int, object)
    mark_removed = Signal(int)
    step_chosen = Signal(object)
    export_name = "Curve of the vocabulary sizes"
    ground = QPalette.ColorRole.Base

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.curve")
        self.setAccessibleName("Tokens against vocabulary size")
        self._chart = SizeChart()
        self._handles: dict[int, SizeHandle] = {}
        self._curves: list[tuple[_Line, QPolygonF]] = []
        self.is_late = False

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no curve."""
        return self.size() if self.series else QSize()

    def message(self) -> str | None:
        return None if self._chart.series else self._chart.placeholder

    def fit(self) -> None:
        self._chart.size, self._chart.metrics = QSizeF(self.size()), QFontMetricsF(self.font())
        self._curves = self.curves()
        self._settle()

    # What is shown.

    def show_series(self, series: Sequence[Series], base: int, n_merges: int, knee: int | None) -> None:
        """Show curves; each reaches at least to `n_merges`."""
        chart = self._chart
        chart.series, chart.base, chart.n_merges, chart.knee = tuple(series), base, n_merges, knee
        self.redraw()

    def set_marks(self, steps: Sequence[int], step: int) -> None:
        """Set the steps of the chosen sizes and of the window."""
        chart = self._chart
        if (tuple(steps), step) != (chart.marks, chart.step):
            chart.marks, chart.step = tuple(steps), step
            self._settle()

    def set_points(self, points: Sequence[Point]) -> None:
        """Set the curves of other runs and the points of tokenizers."""
        if tuple(points) != self._chart.points:
            self._chart.points = tuple(points)
            self.redraw()

    def set_log(self, is_log: bool) -> None:
        """Set whether sizes are spread by their logarithm."""
        self._chart.is_log = is_log
        self.redraw()

    def set_placeholder(self, text: str) -> None:
        """Set the sentence that is shown instead of a curve."""
        self._chart.placeholder = text
        self.update()

    @property
    def marks(self) -> tuple[int, ...]:
        """The steps of the marks."""
        return self._chart.marks

    @property
    def series(self) -> tuple[Series, ...]:
        """The curves that are shown."""
        return self._chart.series

    def handle(self, number: int) -> SizeHandle:
        """The handle of a mark, or of the window's step (`CURRENT`)."""
        return self._handles[number]

    def point(self, number: int) -> QPointF:
        """The position of a mark on the first curve."""
        return self._chart.point(self._step_of(number))

    def scale(self) -> StepScale:
        """The positions of sizes."""
        return self._chart.scale

    def _step_of(self, number: int) -> int:
        """The step of a mark, at most the end of the curves: the run may have been replaced by a shorter one."""
        chart = self._chart
        return min(chart.step if number == CURRENT else chart.marks[number], chart.n_merges)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 100)

    def _settle(self) -> None:
        """Move the handles to the marks, and update their accessible texts."""
        wanted = [*range(len(self._chart.marks)), CURRENT] if self._chart.series else []
        for number in [number for number in self._handles if number not in wanted]:
            handle = self._handles.pop(number)
            handle.hide()
            handle.deleteLater()
        if wanted:
            scale, room = self.scale(), self._chart.room
            reach = QRectF(0, 2, 2 * NEAR_PX, room.bottom() - 2)
            before: QWidget | None = None
            for number in wanted:
                if number not in self._handles:
                    handle = self._handles[number] = SizeHandle(number, self)
                    handle.pulled.connect(self._on_pulled)
                    handle.nudged.connect(self._on_nudged)
                    handle.chosen.connect(self._on_chosen)
                    handle.removed.connect(self._on_removed)
                    handle.rested.connect(self._on_rested)
                    handle.changed.connect(self._on_handle_changed)
                    handle.show()
                handle = self._handles[number]
                step = self._step_of(number)
                handle.setGeometry(reach.translated(scale.x(step) - NEAR_PX, 0).toRect())
                what = "Step of the window" if number == CURRENT else f"Size {number + 1} of {len(self._chart.marks)}"
                handle.setAccessibleName(what)
                handle.setAccessibleDescription(self.tip(step))
                if before is not None:
                    QWidget.setTabOrder(before, handle)
                before = handle
        self.setAccessibleDescription(self._words())
        self.update()

    @Slot()
    def _on_handle_changed(self) -> None:
        self._chart.held = {number for number, each in self._handles.items() if each.hasFocus() or each.is_held}
        self.update()

    # How it looks.

    def paint_still(self, painter: QPainter) -> None:
        chart, palette, room = self._chart, self.palette(), self._chart.room
        bottom, height = room.bottom(), chart.metrics.height()
        ticks = [(bottom - value / chart.highest * room.height(), text) for value, text in chart.value_ticks]
        paint_value_ticks(painter, palette, room, ticks, QPalette.ColorRole.Midlight)
        for x, text in chart.size_ticks:
            painter.setPen(palette.color(QPalette.ColorRole.Mid))
            painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + _TICK_PX))
            painter.setPen(theme.muted(palette))
            painter.drawText(QRectF(x - room.width(), bottom + _TICK_PX + 1, 2 * room.width(), height), CENTRE, text)
        painter.setPen(palette.color(QPalette.ColorRole.Mid))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        for line, points in reversed(self._curves):
            painter.setPen(self._pen(*line))
            painter.drawPolyline(points)

    def paint_over(self, painter: QPainter) -> None:
        chart, palette, room = self._chart, self.palette(), self._chart.room
        height = chart.metrics.height()
        self._paint_hovered(painter)
        self._paint_marks(painter)
        self._paint_others(painter)
        self._paint_points(painter)
        if not chart.is_low:
            below = QRectF(room.left(), room.bottom() + 4 + height, room.width(), height)
            painter.setPen(theme.muted(palette))
            painter.drawText(below, RIGHT, f"vocabulary size{', log scale' if chart.is_log else ''}")
            painter.drawText(below, LEFT, "up: tokens of the corpus")
        self._paint_legend(painter)

    def curves(self) -> list[tuple[_Line, QPolygonF]]:
        """The curves of the run, then those of other runs as far as their sizes are on the axis, in pixels."""
        chart, scale, room = self._chart, self._chart.scale, self._chart.room
        steps = scale.steps(int(room.width()) + 1)
        found = []
        for each in chart.series:
            shares = each.n_tokens[steps] / max(1, int(each.n_tokens[0]))
            found.append((_LINES[each.line], line_of(scale.places(steps), self._y_of(shares))))
        for point in chart.points if chart.series else ():
            first, last = chart.sizes_of(point)
            if point.curve is not None and first <= last:
                # Both ends belong to it, on whatever pixel they are.
                sizes = np.unique(np.clip(chart.base + steps, first, last))
                shares = point.curve[sizes - point.base] / max(1, int(chart.series[0].n_tokens[0]))
                found.append((_OTHER_LINE, line_of(scale.places(sizes - chart.base), self._y_of(shares))))
        return found

    def _y_of(self, shares: FloatArray) -> FloatArray:
        room = self._chart.room
        return room.bottom() - shares / self._chart.highest * room.height()

    def _pen(self, style: Qt.PenStyle, width: float, alpha: float) -> QPen:
        return QPen(theme.with_alpha(self.palette().color(QPalette.ColorRole.Text), alpha), width, style)

    def _paint_legend(self, painter: QPainter) -> None:
        chart, metrics, palette, room = self._chart, self._chart.metrics, self.palette(), self._chart.room
        height, shown = metrics.height(), chart.series
        width = max(metrics.horizontalAdvance(each.name) for each in shown) + 46
        box = QRectF(room.right() - width - 4, room.top() + 6, width, len(shown) * height + 4)
        painter.fillRect(box, theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.85))
        for k, each in enumerate(shown):
            y = box.top() + 2 + (k + 0.5) * height
            painter.setPen(self._pen(*_LINES[each.line]))
            painter.drawLine(QPointF(box.left() + 4, y), QPointF(box.left() + 34, y))
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.drawText(QRectF(box.left() + 40, y - height / 2, width - 40, height), LEFT, each.name)

    def _paint_hovered(self, painter: QPainter) -> None:
        """A line at the step under the mouse, whose values are in the tooltip, and where it meets the curves."""
        chart, room = self._chart, self._chart.room
        if chart.hovered is None:
            return
        x, highest = chart.scale.x(chart.hovered), chart.highest
        paint_hover_line(painter, self.palette(), x, room.top(), room.bottom())
        values = [chart.value(series, min(chart.hovered, chart.n_merges)) for series in chart.series]
        for point in chart.points:
            n_tokens = point.n_tokens_at(chart.base + chart.hovered)
            values += [] if n_tokens is None else [chart.value_of(n_tokens)]
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
                painter.drawText(mark.label, CENTRE, mark.text)

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
            # Below the point, as the curve goes on beside it.
            top = min(place.y() + 8, chart.room.bottom() - metrics.height())
            box = QRectF(place.x() + 4, top, width, metrics.height())
            if box.right() > chart.room.right():
                box.moveRight(chart.room.right())
            painter.fillRect(box, theme.with_alpha(base, 0.85))
            painter.setPen(ink)
            painter.drawText(box, CENTRE, shown)

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
        painter.drawText(box, CENTRE, text)

    # Texts.

    def tip(self, step: int) -> str:
        """The tooltip at a step: the values of the curves, those of other runs at the same vocabulary size."""
        locale = grouping_locale()
        step = min(max(0, step), self._chart.n_merges)
        lines = [f"Vocabulary {locale.toString(self._chart.base + step)}, step {locale.toString(step)}"]
        for each in self._chart.series:
            lines.append(f"{each.name}: {_tokens_of(int(each.n_tokens[step]), each.n_bytes)}")
        for point in self._chart.points:
            n_tokens = point.n_tokens_at(self._chart.base + step)
            if n_tokens is not None:
                lines.append(f"corpus by {point.name}: {_tokens_of(n_tokens, point.n_bytes)}")
        return "\n".join(lines)

    def _words(self) -> str:
        if not self._chart.series:
            return self._chart.placeholder
        ends = [self.tip(step).replace("\n", "; ") for step in (0, self._chart.n_merges)]
        knee = "" if self._chart.knee is None else f". The knee: {self.tip(self._chart.knee)}".replace("\n", "; ")
        points = "".join(f". {_words_of(each)}" for each in self._chart.points).replace("\n", "; ")
        return f"From {ends[0]} to {ends[1]}{knee}{points}"

    def _tell(self, place: QPointF, globally: QPointF) -> None:
        """Show the values at the pointer."""
        if not self._chart.series:
            return
        step = self.scale().step(place.x())
        self._hover(step)
        text = self.tip(step)
        for each, (point, _) in zip(self._chart.points, self._chart.placed_points(), strict=True):
            if (place - point).manhattanLength() < 2 * NEAR_PX:
                text = _words_of(each)
        knee = self._chart.knee
        if knee is not None and (place - self._chart.point(knee)).manhattanLength() < 2 * NEAR_PX:
            text = f"{self.tip(knee)}\n{KNEE}"
        QToolTip.showText(globally.toPoint(), plain_tip(text), self)

    # User actions.

    @Slot(int, object)
    def _on_pulled(self, number: int, x: float) -> None:
        self._move(number, self.scale().step(x))

    @Slot(int, int, bool)
    def _on_nudged(self, number: int, n: int, is_fine: bool) -> None:
        """Move a mark by so many pixels, or merges if `is_fine`; always by at least one merge."""
        step, scale = self._step_of(number), self.scale()
        wanted = step + n if is_fine else scale.step(scale.x(step) + n)
        if wanted == step or (wanted > step) != (n > 0):
            wanted = step + (1 if n > 0 else -1)
        self._move(number, min(max(0, wanted), self._chart.n_merges))

    def _move(self, number: int, step: int) -> None:
        if number == CURRENT:
            self.step_chosen.emit(step)
        else:
            self.mark_moved.emit(number, step)

    @Slot(int)
    def _on_chosen(self, number: int) -> None:
        if number != CURRENT:
            self.step_chosen.emit(self._chart.marks[number])

    @Slot(int)
    def _on_removed(self, number: int) -> None:
        if number != CURRENT:
            self.mark_removed.emit(number)

    @Slot(object, object)
    def _on_rested(self, place: QPointF, globally: QPointF) -> None:
        self._tell(place, globally)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._chart.series:
            self.step_chosen.emit(self.scale().step(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._chart.series:
            self.step_chosen.emit(self.scale().step(event.position().x()))
        self._tell(event.position(), event.globalPosition())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, step: int | None) -> None:
        if step != self._chart.hovered:
            self._chart.hovered = step
            self.update()

    def event(self, event: QEvent) -> bool:
        # The tooltip follows the mouse; it is shown in the move event.
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)


def _words_of(point: Point) -> str:
    size = grouping_locale().toString(point.vocab_size)
    return f"{point.name}: vocabulary {size}\ncorpus: {_tokens_of(point.n_tokens, point.n_bytes)}"


def _tokens_of(n_tokens: int, n_bytes: int) -> str:
    """So many tokens, and the bytes of each if the size is known."""
    per = f", {grouping_locale().toString(n_bytes / n_tokens, 'f', 3)} bytes per token" if n_bytes and n_tokens else ""
    return f"{plural(n_tokens, 'token')}{per}"
