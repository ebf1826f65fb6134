"""Growth: how the vocabulary and the corpus change with every merge, as curves with the step in them.

Until there is a merge, a sentence is shown instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT, has_pairs, no_merges_text
from bpe_studio.explain.wording import number, plural, times
from bpe_studio.gui.background.panel import Needs, Panel, every
from bpe_studio.gui.plots.axis_menu import Remembers, axis_choice
from bpe_studio.gui.plots.growth_plot import Growth, GrowthPlot
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, column
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

FRAME_MS = 16
RUNNING_MS = 120
"""At full speed the curves are drawn eight times a second: they take the window a frame each time."""


class GrowthPanel(Panel):
    """The curves, whose context menu chooses scales and other runs.

    Attributes:
        plot: the curves, or a sentence.
    """

    while_training, needs = every(FRAME_MS, full_speed_ms=RUNNING_MS), Needs.sight

    def __init__(self, workspace: Workspace, memory: Remembers | None = None, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._memory = memory
        self._build()
        self._drawn: tuple[object, ...] = ()
        self._growths: dict[tuple[Run, int, str], Growth] = {}
        self._connect()
        self._on_log_toggled()
        self._show_run()

    def _build(self) -> None:
        self.plot = GrowthPlot(self)
        self.log_merges, self.log_counts, self.other_runs = (
            axis_choice(self.plot, text, name, self._memory)
            for text, name in (
                ("Log scale of merges", "growth.log_merges"),
                ("Log scale of pair counts", "growth.log_counts"),
                ("Other runs", "growth.other_runs"),
            )
        )
        column((self.plot, 1), parent=self, margins=(MARGIN_PX, 0, MARGIN_PX, SPACING_PX))

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._show_run)
        self._workspace.run_grew.connect(self._on_run_grew)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.state_changed.connect(self.request_refresh)
        self._workspace.runs.changed.connect(self._show_run)
        self.other_runs.toggled.connect(self._show_run)
        self.log_merges.toggled.connect(self._on_log_toggled)
        self.log_counts.toggled.connect(self._on_log_toggled)
        self.plot.moved.connect(self._on_moved)
        self.plot.step_dragged.connect(self._on_step_dragged)

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
    def _on_step_dragged(self, step: int) -> None:
        self._workspace.transport.go_to(step)

    @Slot(object)
    def _on_moved(self, n_steps: int) -> None:
        self._workspace.transport.go_to(min(max(0, self._workspace.step + n_steps), self._workspace.n_merges))

    @Slot()
    def _on_log_toggled(self) -> None:
        self.plot.set_log(self.log_merges.isChecked(), self.log_counts.isChecked())

    @Slot()
    def _show_run(self) -> None:
        if self.window().isVisible() and not self.isVisible():
            self.take_turn()  # many panels show a new run, and the page with this one comes after that
        else:
            self.show_state()

    def show_state(self) -> None:
        self.cancel_refresh()
        run, n = self._workspace.run, self._workspace.n_merges
        shown, others = self._workspace.runs.shown, self._others()
        self.other_runs.setVisible(len(self._workspace.runs.entries) > 1)
        if run is None or n == 0 or not has_pairs(run):
            self._drawn, self._growths = (), {}
            no_run = "Open a text to see its vocabulary grow"
            sentence = no_run if run is None else WITHOUT_TEXT if n else no_merges_text(self._workspace.stop_reason)
            self.plot.show_runs((), 0)
            self.plot.set_sentence(sentence)
            self._show_step()
            return
        name = "" if shown is None else shown.name
        # Several signals announce a new run; it is plotted once.
        wanted = (run, n, name, *((each.run, each.position.n_merges, each.name) for each in others))
        if self._drawn != wanted:
            self._drawn = wanted
            columns, behind = run.columns, self._growths_of(others)
            own = Growth.of(name, run.initial_n_tokens, columns.n_tokens[:n], columns.count[:n])
            self.plot.set_sentence("")
            self.plot.show_runs([own, *behind], run.vocab_size_at(0))
        self._show_step()

    def _others(self) -> list[RunEntry]:
        """The runs that are drawn behind the one that is shown."""
        shown, entries = self._workspace.runs.shown, self._workspace.runs.entries
        if shown is None or not self.other_runs.isChecked():
            return []
        return [each for each in entries if each.number != shown.number and each.position.n_merges > 0]

    def _growths_of(self, entries: list[RunEntry]) -> list[Growth]:
        """The curves of other runs; made once, as those runs do not grow while this one is shown."""
        made = {}
        for entry in entries:
            run, n = entry.run, entry.position.n_merges
            key = run, n, entry.name
            columns = run.columns
            made[key] = self._growths.get(key) or Growth.of(
                entry.name, run.initial_n_tokens, columns.n_tokens[:n], columns.count[:n]
            )
        self._growths = made
        return list(made.values())

    def _show_step(self) -> None:
        run, step = self._workspace.run, self._workspace.step
        if run is None or self._workspace.n_merges == 0:
            self.plot.setAccessibleDescription(self.plot.sentence)
            return
        parts = [f"vocabulary {number(run.vocab_size_at(step))}"]
        if has_pairs(run):
            parts.append(f"{plural(run.n_tokens_at(step), 'token')} in the corpus")
        if step and has_pairs(run):
            parts.append(f"pair counted {times(int(run.columns.count[step - 1]))}")
        # A screen reader cannot query a painted plot for its values.
        place = f"step {number(step)} of {number(self._workspace.n_merges)}"
        self.plot.setAccessibleDescription(f"{place}: {', '.join(parts)}. {self.plot.toolTip()}")
        if step <= self.plot.n_merges:
            self.plot.set_step(step)
