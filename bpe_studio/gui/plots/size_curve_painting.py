"""The picture of tokens against vocabulary size: axes, curves, marks, the knee and the window's step.

It is painted one point a pixel, however many merges there are. What the mouse and the keyboard do is the widget's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPalette, QPen, QPolygonF

from bpe_studio.explain.sizes.curves import Series
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.plots.size_scale import SizeScale, round_ticks, rows_for
from bpe_studio.gui.tables.view import with_alpha

if TYPE_CHECKING:
    from bpe_studio.gui.plots.size_scale import IntArray

LABEL_ROWS = 3
LOW_LINES, LEAST_LINES = 14, 8
"""In a picture of fewer lines the labels have two rows, and one, so that the curve has the rest."""
GAP_PX = 6.0
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_LINES = (
    (Qt.PenStyle.SolidLine, 2.0, 1.0),
    (Qt.PenStyle.DashLine, 1.8, 1.0),
    (Qt.PenStyle.DotLine, 1.8, 0.9),
)
CURRENT = -1
"""The number of the window's step, where marks are numbered from 0."""


class CurvePicture:
    """What is painted, and where it stands.

    Attributes:
        series: the curves, the first being the one on which marks stand.
        base: the vocabulary size at step 0.
        n_merges: the last step.
        knee: the step of the knee, or None.
        marks: the steps of the chosen sizes.
        step: the window's step.
        is_log: whether sizes are spread by their logarithm.
        is_ratio: whether bytes for each token are shown and not tokens.
        held: the numbers of the marks that have the hand or the keyboard.
        placeholder: the sentence where there is no curve.
        size: of the picture, in pixels.
    """

    def __init__(self) -> None:
        self.series: tuple[Series, ...] = ()
        self.base, self.n_merges = 0, 0
        self.knee: int | None = None
        self.marks: tuple[int, ...] = ()
        self.step = 0
        self.is_log, self.is_ratio = True, False
        self.held: Collection[int] = ()
        self.placeholder = ""
        self.size = QSizeF(1, 1)
        self.metrics = QFontMetricsF(QFont())
        self._lines: list[QPolygonF] | None = None

    def touch(self) -> None:
        """The curves, their form, the size or the font are others: lines are made anew."""
        self._lines = None

    def scale(self) -> SizeScale:
        """Where sizes stand now."""
        room = self.room()
        return SizeScale(self.base, self.n_merges, room.left(), room.right(), self.is_log)

    def point(self, step: int) -> QPointF:
        """Where a step stands on the first curve."""
        shown = self._shown() or self.series
        return QPointF(self.scale().x(step), self._y(shown[0], step, self.room(), self._range()))

    @property
    def n_rows(self) -> int:
        """How many rows of labels there are."""
        return LABEL_ROWS - sum(self._n_lines < few for few in (LOW_LINES, LEAST_LINES))

    @property
    def _n_lines(self) -> float:
        """How many lines of text it is high."""
        return self.size.height() / self.metrics.height()

    @property
    def _n_ticks(self) -> int:
        """How many numbers have room at the side."""
        return max(1, min(5, int((self._n_lines - self.n_rows - 2.5) / 1.4)))

    def room(self) -> QRectF:
        """Where the curves are."""
        metrics = self.metrics
        height = metrics.height()
        side = max((metrics.horizontalAdvance(text) for _, text in self._y_ticks()), default=0) + GAP_PX + 2
        top = self.n_rows * (height + 2) + 6
        below = height if self._n_lines < LEAST_LINES else 2 * height
        return QRectF(
            side, top, max(20.0, self.size.width() - side - 14), max(20.0, self.size.height() - top - below - 8)
        )

    def _range(self) -> tuple[float, float]:
        """The values at the foot and the head of the room; tokens are taken as shares of those at step 0."""
        if not self.is_ratio:
            return 0.0, 1.0
        values = [each.bytes_per_token(k) for each in self.series for k in (0, self.n_merges)]
        known = [value for value in values if value is not None]
        return 0.0, max(known, default=1.0) * 1.02

    def _y_ticks(self) -> list[tuple[float, str]]:
        """Places between foot and head, 0 to 1, and what stands beside them."""
        if not self.series:
            return []
        locale = grouping_locale()
        low, high = self._range()
        if self.is_ratio:
            return [
                ((tick - low) / (high - low), locale.toString(tick, "f", 1))
                for tick in round_ticks(low, high, self._n_ticks)
            ]
        most = float(self.series[0].n_tokens[0]) or 1.0
        return [(tick / most, locale.toString(round(tick))) for tick in round_ticks(0.0, most, self._n_ticks)]

    def _y(self, series: Series, step: int, room: QRectF, span: tuple[float, float]) -> float:
        low, high = span
        if self.is_ratio:
            value = series.bytes_per_token(step) or 0.0
        else:
            value = int(series.n_tokens[step]) / max(1, int(series.n_tokens[0]))
        return room.bottom() - (value - low) / (high - low) * room.height()

    def _shown(self) -> tuple[Series, ...]:
        """The curves that have the values that are asked for."""
        return tuple(each for each in self.series if each.n_bytes or not self.is_ratio)

    def paint(self, painter: QPainter, palette: QPalette) -> None:
        """Paint all of it."""
        size = self.size
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self._shown()
        painter.fillRect(QRectF(QPointF(0, 0), size), palette.color(QPalette.ColorRole.Base))
        if not shown:
            painter.setPen(theme.muted(palette))
            inner = QRectF(QPointF(0, 0), size).adjusted(16, 16, -16, -16)
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._empty())
            return
        room, scale, span = self.room(), self.scale(), self._range()
        self._paint_axes(painter, palette, room, scale)
        self._paint_marks(painter, palette, room, scale)
        if self._lines is None:
            steps = scale.steps()
            self._lines = [self._line(each, steps, room, scale, span) for each in shown]
        ink = palette.color(QPalette.ColorRole.Text)
        for each, line in zip(shown, self._lines, strict=True):
            style, width, alpha = _LINES[each.line]
            painter.setPen(QPen(with_alpha(ink, alpha), width, style))
            painter.drawPolyline(line)
        self._paint_points(painter, palette, room, shown[0])
        self._paint_legend(painter, palette, room, shown)

    def _empty(self) -> str:
        if self.series:
            return "The corpus was given as words and counts, so nobody knows its bytes: show tokens instead"
        return self.placeholder

    def _line(
        self, series: Series, steps: IntArray, room: QRectF, scale: SizeScale, span: tuple[float, float]
    ) -> QPolygonF:
        import numpy as np

        low, high = span
        n_tokens = np.maximum(series.n_tokens[steps], 1).astype(np.float64)
        values = series.n_bytes / n_tokens if self.is_ratio else n_tokens / max(1, int(series.n_tokens[0]))
        ys = room.bottom() - (values - low) / (high - low) * room.height()
        return QPolygonF([QPointF(x, y) for x, y in zip(scale.places(steps).tolist(), ys.tolist(), strict=True)])

    def _paint_axes(self, painter: QPainter, palette: QPalette, room: QRectF, scale: SizeScale) -> None:
        metrics = self.metrics
        height = metrics.height()
        muted, hair = theme.muted(palette), QPen(palette.color(QPalette.ColorRole.Midlight), 1)
        for share, text in self._y_ticks():
            y = room.bottom() - share * room.height()
            painter.setPen(hair)
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(muted)
            painter.drawText(QRectF(0, y - height / 2, room.left() - GAP_PX, height), _RIGHT, text)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        locale, before = grouping_locale(), room.left() - 1e6
        widest = metrics.horizontalAdvance(locale.toString(self.base + self.n_merges)) + 24
        for size in scale.ticks(max(2, int(room.width() / widest))):
            text, x = locale.toString(size), scale.x(size - self.base)
            half = metrics.horizontalAdvance(text) / 2
            if x - half < before + 8 or x + half > self.size.width():
                continue
            before = x + half
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
            painter.drawLine(QPointF(x, room.bottom()), QPointF(x, room.bottom() + 3))
            painter.setPen(muted)
            painter.drawText(QRectF(x - half - 2, room.bottom() + 4, 2 * half + 4, height), _CENTRE, text)
        if self._n_lines < LEAST_LINES:
            return
        below = QRectF(room.left(), room.bottom() + 4 + height, room.width(), height)
        painter.setPen(muted)
        value = "bytes per token" if self.is_ratio else "tokens of the corpus"
        spread = ", log scale" if self.is_log else ""
        painter.drawText(below, _RIGHT, f"vocabulary size{spread}")
        painter.drawText(below, _LEFT, f"up: {value}")

    def _paint_marks(self, painter: QPainter, palette: QPalette, room: QRectF, scale: SizeScale) -> None:
        metrics, locale = self.metrics, grouping_locale()
        height = metrics.height()
        steps = [(step, number) for number, step in enumerate(self.marks)] + [(self.step, CURRENT)]
        steps.sort(key=lambda each: each[0])
        edges, texts = [], []
        for step, _ in steps:
            text = locale.toString(self.base + step)
            half = metrics.horizontalAdvance(text) / 2 + 4
            middle = min(max(scale.x(step), half + 1), self.size.width() - half - 1)
            edges.append((middle - half, middle + half))
            texts.append(text)
        rows = rows_for(edges, self.n_rows, 3)
        ink, accent = palette.color(QPalette.ColorRole.Text), theme.accent(palette)
        for (step, number), (left, right), text, row in zip(steps, edges, texts, rows, strict=True):
            x, is_current = scale.x(step), number == CURRENT
            is_held = number in self.held
            top = 2 + (self.n_rows - 1 - row) * (height + 2) if row >= 0 else room.top()
            colour = accent if is_current else with_alpha(ink, 0.9 if is_held else 0.45)
            is_thick = is_current or is_held
            painter.setPen(QPen(colour, 2 if is_thick else 1))
            x = round(x) if is_thick else int(x) + 0.5  # on whole pixels, so that it is no blur
            start = top + height + 1 if row >= 0 else room.top()
            painter.drawLine(QPointF(x, start), QPointF(x, room.bottom()))
            if row < 0:
                continue
            box = QRectF(left, top, right - left, height + 1)
            painter.setBrush(palette.color(QPalette.ColorRole.Base))
            painter.setPen(QPen(colour, 1.6 if is_held or is_current else 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
            painter.setPen(ink)
            painter.drawText(box, _CENTRE, text)

    def _paint_points(self, painter: QPainter, palette: QPalette, room: QRectF, first: Series) -> None:
        scale, span = self.scale(), self._range()
        ink, base = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
        for number, step in [*enumerate(self.marks), (CURRENT, self.step)]:
            place = QPointF(scale.x(step), self._y(first, min(step, self.n_merges), room, span))
            painter.setPen(QPen(base, 1.5))
            painter.setBrush(theme.accent(palette) if number == CURRENT else ink)
            painter.drawEllipse(place, 4.5, 4.5)
        if self.knee is not None and self.knee <= self.n_merges:
            place = QPointF(scale.x(self.knee), self._y(first, self.knee, room, span))
            corners = [QPointF(0, -6), QPointF(6, 0), QPointF(0, 6), QPointF(-6, 0)]
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(base)
            painter.drawPolygon(QPolygonF([place + corner for corner in corners]))
            text = f"knee {grouping_locale().toString(self.base + self.knee)}"
            metrics = self.metrics
            width = metrics.horizontalAdvance(text) + 4
            dy = 8.0 if self.is_ratio else -8.0 - metrics.height()
            box = QRectF(place.x() + 8, place.y() + dy, width, metrics.height())
            box.moveRight(min(box.right(), self.size.width() - 4.0))
            painter.fillRect(box, with_alpha(base, 0.85))
            painter.drawText(box, _CENTRE, text)

    def _paint_legend(self, painter: QPainter, palette: QPalette, room: QRectF, shown: Sequence[Series]) -> None:
        metrics = self.metrics
        ink, height = palette.color(QPalette.ColorRole.Text), metrics.height()
        names = [each.name for each in shown]
        width = max(metrics.horizontalAdvance(name) for name in names) + 46
        top = room.bottom() - len(names) * height - 10 if self.is_ratio else room.top() + 6
        box = QRectF(room.right() - width - 4, top, width, len(names) * height + 4)
        painter.fillRect(box, with_alpha(palette.color(QPalette.ColorRole.Base), 0.85))
        for k, each in enumerate(shown):
            style, thickness, alpha = _LINES[each.line]
            y = box.top() + 2 + (k + 0.5) * height
            painter.setPen(QPen(with_alpha(ink, alpha), thickness, style))
            painter.drawLine(QPointF(box.left() + 4, y), QPointF(box.left() + 34, y))
            painter.setPen(ink)
            painter.drawText(QRectF(box.left() + 40, y - height / 2, width - 40, height), _LEFT, each.name)
