"""A small curve: the share of tokens that two runs have in common, from the first merge to the step.

It shows what `run_difference.compare_runs` sampled, also as text for screen readers and in its tooltip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, QSizeF
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.plots.late_plot import LatePlot
from bpe_studio.gui.plots.overlap_chart import OverlapChart

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.gui.plots.curve_plot import CurvePlot


class OverlapCurve(LatePlot):
    """The curve, its minimum and maximum at the side, and where the two runs diverge.

    Attributes:
        export_name: its name in the menu File > Export.
    """

    export_name = "Tokens in common"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference.overlap")
        self.setAccessibleName("Tokens in common, by merges")
        self.chart = OverlapChart()

    def make_plot(self) -> CurvePlot:
        from bpe_studio.gui.plots.overlap_plot import OverlapPlot

        return OverlapPlot(self.chart, self)

    def message(self) -> str | None:
        return None if self.chart.steps else ""

    def fit(self) -> None:
        self.chart.size, self.chart.metrics = QSizeF(self.size()), QFontMetricsF(self.font())

    def show_difference(self, found: RunDifference | None) -> None:
        """Show the curve of a comparison, or none."""
        self.chart.steps = [] if found is None else found.overlap_steps.tolist()
        self.chart.shares = [] if found is None else found.overlap.tolist()
        self.chart.divergence = -1 if found is None or found.rank is None else found.rank
        self.chart.hovered = -1
        self.setAccessibleDescription(self._words(len(self.chart.steps) - 1))
        self.redraw_plot()

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is compared."""
        return self.size() if self.chart.steps else QSize()

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 56)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._words(self.chart.sample_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.chart.sample_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, sample: int) -> None:
        if sample != self.chart.hovered:
            self.chart.hovered = sample
            self.update_plot()

    def _words(self, k: int) -> str:
        if not 0 <= k < len(self.chart.steps):
            return ""
        n = self.chart.steps[k]
        common = number(round(self.chart.shares[k] * n))
        share = percent(self.chart.shares[k], 1)
        return f"After {plural(n, 'merge')} each, {common} of their tokens are the same ({share})"
