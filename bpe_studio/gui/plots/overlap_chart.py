"""The chart of the tokens in common without its picture: the values, and the position of each part."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import floor

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from bpe_studio.gui.plots.axes import StepScale

GAP_PX = 6
_NEAR = 0.9


class OverlapChart:
    """The values and positions of the chart.

    Attributes:
        steps: (k,) the steps at which the share was sampled.
        shares: (k,) the share of the tokens in common at each.
        divergence: the rank at which the runs diverge; below 0 where they do not.
        hovered: the number of the sample under the pointer; below 0 none.
        size: of the chart, in pixels.
        metrics: of its font.
    """

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.shares: list[float] = []
        self.divergence = -1
        self.hovered = -1
        self.size = QSizeF(1, 1)
        self.metrics = QFontMetricsF(QFont())

    @property
    def lowest(self) -> float:
        """The share at the bottom of the curve: the least one, or a round one below it."""
        least = min(self.shares, default=0.0)
        parts = 10 if least < _NEAR else 100
        return max(0.0, floor(least * parts - 1e-9) / parts)

    @property
    def lines(self) -> list[float]:
        """The shares at which a line is drawn, as many as fit."""
        n = 4 if self.room.height() > 8 * self.metrics.height() else 1
        return [1.0 - (1.0 - self.lowest) * k / n for k in range(n + 1)]

    @staticmethod
    def line_names(shares: Sequence[float]) -> list[str]:
        """The labels of the lines: percentages with as many digits as make them distinct."""
        return [f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %" for share in shares]

    @property
    def room(self) -> QRectF:
        """The rectangle of the curve."""
        height = self.metrics.height()
        names = self.line_names((1.0, 0.975 if self.lowest < _NEAR else 0.9975))
        left = max(map(self.metrics.horizontalAdvance, names)) + GAP_PX
        top, bottom = height / 2, height + 4
        width, whole = self.size.width(), self.size.height()
        return QRectF(left, top, max(8.0, width - left - 2), max(8.0, whole - top - bottom))

    @property
    def scale(self) -> StepScale:
        """The positions of steps, in pixels."""
        room = self.room
        return StepScale(self.steps[-1] if self.steps else 0, left=room.left(), right=room.right())

    def point(self, sample: int) -> QPointF:
        """The position of a sample."""
        room = self.room
        share = (self.shares[sample] - self.lowest) / max(1e-9, 1.0 - self.lowest)
        return QPointF(self.scale.x(self.steps[sample]), room.bottom() - room.height() * share)

    def sample_at(self, x: float) -> int:
        """The number of the first sample at or after a position; -1 without a curve."""
        if not self.steps:
            return -1
        room = self.room
        step = (x - room.left()) / room.width() * self.steps[-1]
        return min(bisect_left(self.steps, step), len(self.steps) - 1)
