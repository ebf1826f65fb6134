"""The panel Growth: charts of the tokens in the corpus and of the merged pairs' counts.

Until there is a merge, a sentence is shown instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT, has_pairs, no_merges_text
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import number, plural, times
from bpe_studio.gui.background.panel import FRAME_MS, Needs, Panel, every
from bpe_studio.gui.plots.line_chart import HELP, LineChart
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, column
from bpe_studio.gui.widgets.controls import named, remembered_action
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.measure_curves import Line
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

WIDE = 2.2
"""If the width is more than this many times the height, the charts are side by side."""
TOKENS = "tokens in the corpus"
COUNTS = "count of the merged pair"


class Plot(QWidget):
    """The two charts, side by side in a wide panel, above each other in a high one."""

    def __init__(self, memory: WindowSettings | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "growth.charts", "Growth of the vocabulary")
        self.tokens = LineChart(
            "growth.tokens",
            "Tokens in the corpus by merges",
            "merge",
            self,
            memory=memory,
            is_log=True,
        )
        self.counts = LineChart(
            "growth.counts",
            "Count of the merged pair by merges",
            "merge",
            self,
            memory=memory,
            is_log=True,
            is_log_values=True,
        )
        self.tokens.follow(self.counts)
        for chart in self.charts:
            chart.setToolTip(f"Click to go to a step; the arrow keys move it by one. {HELP}")
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(SPACING_PX)
        for chart in self.charts:
            self._layout.addWidget(chart, 1)

    @property
    def charts(self) -> tuple[LineChart, LineChart]:
        """Both charts."""
        return self.tokens, self.counts

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() > WIDE * self.height()
        direction = (
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )
        self._layout.setDirection(direction)


class GrowthPanel(Panel):
    """The charts, whose context menu chooses scales and other runs.

    Attributes:
        plot: the charts, or a sentence in each.
    """

    while_training = every(FRAME_MS)
    needs = Needs.sight

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workspace, parent)
        self._drawn: list[tuple[str, Run, int]] = []
        self._build(memory)
        self._connect()
        self._show_run()

    def _build(self, memory: WindowSettings | None) -> None:
        self.plot = Plot(memory, self)
        name = "growth.other_runs"
        self.other_runs = remembered_action("Other runs", name, "", memory, name, self.plot)
        for chart in self.plot.charts:
            chart.addAction(self.other_runs)
        column((self.plot, 1), parent=self, margins=(MARGIN_PX, 0, MARGIN_PX, SPACING_PX))

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._show_run)
        self._workspace.run_grew.connect(self._on_run_grew)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.state_changed.connect(self.request_refresh)
        self._workspace.runs.changed.connect(self._show_run)
        self.other_runs.toggled.connect(self._show_run)
        for chart in self.plot.charts:
            chart.place_chosen.connect(self._on_place_chosen)

    @Slot(object)
    def _on_run_grew(self, n_merges: int) -> None:
        if self._workspace.state is not State.running:
            self._show_run()
        else:
            self.request_refresh()

    @Slot(object)
    def _on_step_changed(self, step: int) -> None:
        if self._workspace.state is State.running:
            self.follow_step()
        else:
            self._show_step()

    @Slot(object)
    def _on_place_chosen(self, step: int) -> None:
        self._workspace.transport.go_to(min(step, self._workspace.n_merges))

    @Slot()
    def _show_run(self) -> None:
        if self.window().isVisible() and not self.isVisible():
            # Many panels show a new run, and the page with this panel comes last.
            self.take_turn()
        else:
            self.show_state()

    def show_state(self) -> None:
        self.cancel_refresh()
        workspace = self._workspace
        run = self._workspace.run
        n = self._workspace.n_merges
        self.other_runs.setVisible(len(workspace.runs.entries) > 1)
        if run is None or n == 0 or not has_pairs(run):
            sentence = WITHOUT_TEXT if n else no_merges_text(workspace.stop_reason)
            if run is None:
                sentence = "Open a text to see its vocabulary grow"
            self._drawn = []
            for chart in self.plot.charts:
                chart.show_lines((), placeholder=sentence)
            self._show_step()
            return
        runs = [("", run, n), *self._others()]
        if len(runs) > 1 and workspace.runs.shown is not None:
            runs[0] = (isolated(workspace.runs.shown.name), run, n)
        # Several signals announce a new run, but it is drawn only once.
        if self._drawn != runs:
            self._drawn = runs
            for chart, title, make in (
                (self.plot.tokens, TOKENS, _tokens),
                (self.plot.counts, COUNTS, _counts),
            ):
                series = [make(*each) for each in runs]
                chart.show_lines(series, title, first=0)
        self._show_step()

    def _others(self) -> list[tuple[str, Run, int]]:
        """The runs that are drawn behind the one that is shown."""
        shown = self._workspace.runs.shown
        entries = self._workspace.runs.entries
        if shown is None or not self.other_runs.isChecked():
            return []
        others = (
            each for each in entries if each.number != shown.number and each.position.n_merges > 0
        )
        return [(isolated(each.name), each.run, each.position.n_merges) for each in others]

    def _show_step(self) -> None:
        run = self._workspace.run
        step = self._workspace.step
        n = self._workspace.n_merges
        if run is None or n == 0:
            self.plot.setAccessibleDescription(self.plot.tokens.message() or "")
            return
        parts = [f"vocabulary {number(run.vocab_size_at(step))}"]
        if has_pairs(run):
            parts.append(f"{plural(run.n_tokens_at(step), 'token')} in the corpus")
        if step and has_pairs(run):
            parts.append(f"pair counted {times(int(run.columns.count[step - 1]))}")
        # A screen reader cannot query a painted plot for its values.
        place = f"step {number(step)} of {number(n)}"
        self.plot.setAccessibleDescription(f"{place}: {', '.join(parts)}")
        for chart in self.plot.charts:
            chart.set_marks((), step)


def _tokens(name: str, run: Run, n_merges: int) -> Line:
    """The tokens in the corpus before the first merge of a run and after each merge."""
    import numpy as np

    from bpe_studio.explain.comparison.measure_curves import Line

    values = run.curve(n_merges)
    return Line(name, np.arange(n_merges + 1), values.astype(np.float64))


def _counts(name: str, run: Run, n_merges: int) -> Line:
    """The count of each merged pair of a run."""
    import numpy as np

    from bpe_studio.explain.comparison.measure_curves import Line

    return Line(name, np.arange(1, n_merges + 1), run.columns.count[:n_merges].astype(np.float64))
