"""A small curve: which share of their merges' tokens two branches have in common, from the first merge to the step.

It paints what `differences.compare_runs` sampled, and says it in words to screen readers and in its tip.
"""

from __future__ import annotations

from bisect import bisect_left
from math import floor
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.analysis.run_difference import RunDifference

_GAP_PX = 6
_NEAR = 0.9


class OverlapPlot(QWidget):
    """The curve, its least and its greatest value at the side, and where the two part.

    Attributes:
        export_name: what it is called where it can be saved.
    """

    export_name = "Tokens in common"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("branches.overlap")
        self.setAccessibleName("Tokens in common, by merges")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._steps: list[int] = []
        self._shares: list[float] = []
        self._divergence = -1
        self._hovered = -1
        self.setMouseTracking(True)

    def show_difference(self, found: RunDifference | None) -> None:
        """Show the curve of another comparison, or none."""
        self._steps = [] if found is None else found.overlap_steps.tolist()
        self._shares = [] if found is None else found.overlap.tolist()
        self._divergence = -1 if found is None or found.rank is None else found.rank
        self._hovered = -1
        self.setAccessibleDescription(self._words(len(self._steps) - 1))
        self.update()

    @property
    def lowest(self) -> float:
        """The share at the foot of the curve: the least that occurs, or a round one below it."""
        least = min(self._shares, default=0.0)
        parts = 10 if least < _NEAR else 100
        return max(0.0, floor(least * parts - 1e-9) / parts)

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is compared."""
        return self.size() if self._steps else QSize()

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 56)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._words(self._sample_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self._sample_at(event.position().toPoint().x()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, sample: int) -> None:
        if sample != self._hovered:
            self._hovered = sample
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._steps:
            return
        palette = self.palette()
        quiet, ink = theme.muted(palette), palette.color(QPalette.ColorRole.Text)
        room, line = self._room(), palette.color(QPalette.ColorRole.Mid)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(line, 1))
            for share in self._lines(room):
                y = self._y(share, room)
                painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            if 0 <= self._divergence < self._steps[-1]:
                x = self._x(self._divergence, room)
                painter.setPen(QPen(quiet, 1, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
            painter.setPen(QPen(ink, 1.6))
            points = [QPointF(room.left(), room.top())] if self._divergence else []
            points += [
                QPointF(self._x(step, room), self._y(share, room))
                for step, share in zip(self._steps, self._shares, strict=True)
            ]
            painter.drawPolyline(QPolygonF(points))
            if 0 <= self._hovered < len(self._steps):
                self._paint_hovered(painter, room)
            self._paint_words(painter, room)

    def _lines(self, room: QRectF) -> list[float]:
        """The shares that a line is drawn at, as many as have room."""
        n = 4 if room.height() > 8 * self.fontMetrics().height() else 1
        return [1.0 - (1.0 - self.lowest) * k / n for k in range(n + 1)]

    @staticmethod
    def line_names(shares: Sequence[float]) -> list[str]:
        """What stands at the lines: the percents as they are, no two alike."""
        return [f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%" for share in shares]

    def _paint_hovered(self, painter: QPainter, room: QRectF) -> None:
        ink = self.palette().color(QPalette.ColorRole.Text)
        step, share = self._steps[self._hovered], self._shares[self._hovered]
        at = QPointF(self._x(step, room), self._y(share, room))
        painter.setPen(QPen(theme.muted(self.palette()), 1))
        painter.drawLine(QPointF(at.x(), room.top()), QPointF(at.x(), room.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawEllipse(at, 3.5, 3.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        height = painter.fontMetrics().height()
        painter.setPen(theme.muted(self.palette()))
        side = QRectF(0, 0, room.left() - _GAP_PX, height)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for share, name in zip(self._lines(room), self.line_names(self._lines(room)), strict=True):
            painter.drawText(side.translated(0, self._y(share, room) - height / 2), right, name)
        below = QRectF(room.left(), room.bottom() + 2, room.width(), height)
        number = grouping_locale().toString
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"{number(self._steps[-1])} merges")
        if 0 <= self._hovered < len(self._steps):
            step, share = self._steps[self._hovered], self._shares[self._hovered]
            said = f"{share:.1%} in common after {number(step)}"
            painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        else:
            said = "tokens in common"
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, said)

    def _room(self) -> QRectF:
        metrics = self.fontMetrics()
        left = (
            max(map(metrics.horizontalAdvance, self.line_names((1.0, 0.975 if self.lowest < _NEAR else 0.9975))))
            + _GAP_PX
        )
        top, bottom = metrics.height() / 2, metrics.height() + 4
        return QRectF(left, top, max(8.0, self.width() - left - 2), max(8.0, self.height() - top - bottom))

    def _x(self, step: int, room: QRectF) -> float:
        return room.left() + room.width() * step / max(1, self._steps[-1])

    def _y(self, share: float, room: QRectF) -> float:
        return room.bottom() - room.height() * (share - self.lowest) / max(1e-9, 1.0 - self.lowest)

    def _sample_at(self, x: int) -> int:
        if not self._steps:
            return -1
        room = self._room()
        step = (x - room.left()) / room.width() * self._steps[-1]
        return min(bisect_left(self._steps, step), len(self._steps) - 1)

    def _words(self, k: int) -> str:
        if not 0 <= k < len(self._steps):
            return ""
        number = grouping_locale().toString
        n = self._steps[k]
        common = number(round(self._shares[k] * n))
        return f"After {number(n)} merges each, {common} of their tokens are the same ({self._shares[k]:.1%})"
