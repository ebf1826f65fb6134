"""Two curves over the share of a text: the vocabulary in common with the run on all of it, and tokens per byte.

It shows what `explain/inspection/enough.py` measured, also as text for screen readers; the mouse or the arrow keys
choose the sample whose values are written above the curves. The picture is an `EnoughPlot` below it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.plots.late_plot import LatePlot

if TYPE_CHECKING:
    from bpe_studio.explain.inspection.enough import Enough, SampleRun
    from bpe_studio.gui.plots.curve_plot import CurvePlot

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


class EnoughCurve(LatePlot):
    """The curves, one above the other, over a logarithmic axis of shares.

    Attributes:
        export_name: its name in the menu File > Export.
        found: what is shown; None for nothing.
        hovered: the number of the sample under the pointer; below 0 none.
    """

    export_name = "How much text"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: Enough | None = None
        self.hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def make_plot(self) -> CurvePlot:
        from bpe_studio.gui.plots.enough_plot import EnoughPlot

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
