"""A small curve: the share of tokens that two runs have in common, from the first merge to the step.

It shows what `run_difference.compare_runs` sampled, also as text for screen readers and in its tooltip.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale, round_ticks
from bpe_studio.gui.plots.curve_painting import (
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
    from bpe_studio.engine.analysis.run_difference import RunDifference

_CURVE_PX, _DOT_PX, _NEAR = 1.6, 3.5, 0.9


class OverlapCurve(CurveWidget):
    """The curve, its minimum and maximum at the side, and where the two runs diverge.

    Attributes:
        export_name: its name in the menu File > Export.
        steps: (k,) the steps at which the share was sampled.
        shares: (k,) the share of the tokens in common at each.
        divergence: the rank at which the runs diverge; below 0 where they do not.
        hovered: the number of the sample under the pointer; below 0 none.
    """

    export_name = "Tokens in common"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference.overlap")
        self.setAccessibleName("Tokens in common, by merges")
        self.steps: list[int] = []
        self.shares: list[float] = []
        self.divergence = self.hovered = -1

    def message(self) -> str | None:
        return None if self.steps else ""

    def show_difference(self, found: RunDifference | None) -> None:
        """Show the curve of a comparison, or none."""
        self.steps = [] if found is None else found.overlap_steps.tolist()
        self.shares = [] if found is None else found.overlap.tolist()
        self.divergence = -1 if found is None or found.rank is None else found.rank
        self.hovered = -1
        self.setAccessibleDescription(self._words(len(self.steps) - 1))
        self.update()

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is compared."""
        return self.size() if self.steps else QSize()

    @property
    def lowest(self) -> float:
        """The share at the bottom of the curve: the least one, or a round one below it."""
        least = min(self.shares, default=0.0)
        parts = 10 if least < _NEAR else 100
        return max(0.0, floor(least * parts - 1e-9) / parts)

    @property
    def lines(self) -> list[float]:
        """The shares at which a line is drawn, as many as fit."""
        n = int(self.room.height() / (2 * QFontMetricsF(self.font()).height()))
        return round_ticks(self.lowest, 1.0, max(1, n), is_whole=False)

    @staticmethod
    def line_names(shares: Sequence[float]) -> list[str]:
        """The labels of the lines: percentages with as many digits as make them distinct."""
        return [f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %" for share in shares]

    @property
    def room(self) -> QRectF:
        """The rectangle of the curve."""
        metrics = QFontMetricsF(self.font())
        height = metrics.height()
        names = self.line_names((1.0, 0.95 if self.lowest < _NEAR else 0.995))
        left = max(map(metrics.horizontalAdvance, names)) + GAP_PX
        top, bottom = height / 2, height + 4
        return QRectF(left, top, max(8.0, self.width() - left - 2), max(8.0, self.height() - top - bottom))

    @property
    def scale(self) -> StepScale:
        """The positions of steps, in pixels."""
        room = self.room
        return StepScale(self.steps[-1] if self.steps else 0, left=room.left(), right=room.right())

    def _y(self, share: Any) -> Any:
        """The y of a share, or of several."""
        room, lowest = self.room, self.lowest
        return room.bottom() - room.height() * (share - lowest) / max(1e-9, 1.0 - lowest)

    def sample_at(self, x: float) -> int:
        """The number of the first sample at or after a position; -1 without a curve."""
        if not self.steps:
            return -1
        room = self.room
        step = (x - room.left()) / room.width() * self.steps[-1]
        return min(bisect_left(self.steps, step), len(self.steps) - 1)

    def paint_over(self, painter: QPainter) -> None:
        room, palette, scale = self.room, self.palette(), self.scale
        muted, ink = theme.muted(palette), palette.color(QPalette.ColorRole.Text)
        ticks = zip(map(self._y, self.lines), self.line_names(self.lines), strict=True)
        paint_value_ticks(painter, palette, room, ticks, QPalette.ColorRole.Mid)
        # Before the runs diverge they have everything in common.
        start = [] if self.divergence == 0 else [0]
        steps, shares = np.array([*start, *self.steps]), np.array([1.0] * len(start) + self.shares)
        painter.setPen(QPen(ink, _CURVE_PX))
        painter.drawPolyline(line_of(scale.places(steps), self._y(shares)))
        if 0 <= self.divergence < self.steps[-1]:
            x = scale.x(self.divergence)
            painter.setPen(QPen(muted, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        below = QRectF(room.left(), room.bottom() + 2, room.width(), painter.fontMetrics().height())
        painter.setPen(muted)
        painter.drawText(below, RIGHT, plural(self.steps[-1], "merge"))
        if not 0 <= self.hovered < len(self.steps):
            painter.drawText(below, LEFT, "tokens in common")
            return
        step, share = self.steps[self.hovered], self.shares[self.hovered]
        paint_hover_line(painter, palette, scale.x(step), room.top(), room.bottom())
        paint_dot(painter, palette, QPointF(scale.x(step), self._y(share)), _DOT_PX, is_step=False)
        painter.setPen(ink)
        painter.drawText(below, LEFT, f"{percent(share, 1)} in common after {number(step)}")

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 56)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._words(self.sample_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.sample_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, sample: int) -> None:
        if sample != self.hovered:
            self.hovered = sample
            self.update()

    def _words(self, k: int) -> str:
        if not 0 <= k < len(self.steps):
            return ""
        n = self.steps[k]
        common = number(round(self.shares[k] * n))
        share = percent(self.shares[k], 1)
        return f"After {plural(n, 'merge')} each, {common} of their tokens are the same ({share})"
