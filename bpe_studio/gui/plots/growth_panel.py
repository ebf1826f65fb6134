"""Growth: how the vocabulary and the corpus change with every merge, as curves with the step in them.

The curves are made after the panel was first shown, because importing pyqtgraph takes a fifth of a second;
`ensure_plot` makes them at once. Until there is a merge, a sentence is shown instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT, has_pairs, no_merges_text
from bpe_studio.explain.wording import number, plural, times
from bpe_studio.gui.background.panel import Needs, Panel, every
from bpe_studio.gui.plots.axis_menu import Remembers, axis_choice
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, column
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.plots.growth_plot import Growth, GrowthPlot
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

AFTER_PAINT_MS = 30
FRAME_MS = 16
RUNNING_MS = 120
"""At full speed the curves are drawn eight times a second: they take the window a frame each time."""


class GrowthPanel(Panel):
    """The curves, whose context menu chooses scales and other runs.

    Signals:
        drawn: the curves are built.
    """

    while_training, needs = every(FRAME_MS, full_speed_ms=RUNNING_MS), Needs.sight
    drawn = Signal()

    def __init__(self, workspace: Workspace, memory: Remembers | None = None, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._memory = memory
        self._plot: GrowthPlot | None = None
        self._build()
        self._drawn: tuple[object, ...] = ()
        self._growths: dict[tuple[Run, int, str], Growth] = {}
        self._connect()
        self._show_run()

    def _build(self) -> None:
        self.area = PlotArea(self)
        self.log_merges, self.log_counts, self.other_runs = (
            axis_choice(self.area, text, name, self._memory)
            for text, name in (
                ("Log scale of merges", "growth.log_merges"),
                ("Log scale of pair counts", "growth.log_counts"),
                ("Other runs", "growth.other_runs"),
            )
        )
        column((self.area, 1), parent=self, margins=(MARGIN_PX, 0, MARGIN_PX, SPACING_PX))

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._show_run)
        self._workspace.run_grew.connect(self._on_run_grew)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.state_changed.connect(self.request_refresh)
        self._workspace.runs.changed.connect(self._show_run)
        self.other_runs.toggled.connect(self._show_run)
        self.log_merges.toggled.connect(self._on_log_toggled)
        self.log_counts.toggled.connect(self._on_log_toggled)
        self.area.moved.connect(self._on_moved)

    @property
    def plot(self) -> GrowthPlot | None:
        """The curves, once they are built."""
        return self._plot

    @Slot()
    def ensure_plot(self) -> None:
        """Make the curves now, if they are not made."""
        if self._plot is not None:
            return
        from bpe_studio.gui.plots.growth_plot import GrowthPlot

        self._plot = plot = GrowthPlot(self.area)
        plot.setAccessibleName("Growth curves")
        plot.step_dragged.connect(self._on_step_dragged)
        plot.set_log(self.log_merges.isChecked(), self.log_counts.isChecked())
        self.area.hold(plot)
        self._show_run()
        self.drawn.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(AFTER_PAINT_MS, self, self.ensure_plot)

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

    @Slot(bool)
    def _on_log_toggled(self, _is_on: bool) -> None:
        if self._plot is not None:
            self._plot.set_log(self.log_merges.isChecked(), self.log_counts.isChecked())

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
        if run is None or n == 0 or self._plot is None or not has_pairs(run):
            self._drawn, self._growths = (), {}
        name = "" if shown is None else shown.name
        # Several signals announce a new run; it is plotted once.
        wanted = (run, n, name, *((each.run, each.position.n_merges, each.name) for each in others))
        if run is None:
            self.area.set_message("Open a text to see its vocabulary grow")
        elif n == 0:
            self.area.set_message(no_merges_text(self._workspace.stop_reason))
            if self._plot is not None:
                self._plot.clear_curves()
        elif not has_pairs(run):
            self.area.set_message(WITHOUT_TEXT)
        elif self._plot is None:
            self.area.set_message("Drawing the curves …")
        elif self._drawn != wanted:
            self._drawn = wanted
            columns, base = run.columns, run.vocab_size_at(0)
            behind = self._growths_of(others)
            self.area.set_message("")
            self._plot.set_data(run.initial_n_tokens, columns.n_tokens[:n], columns.count[:n], base, name, behind)
        self._show_step()

    def _others(self) -> list[RunEntry]:
        """The runs that are drawn behind the one that is shown."""
        shown, entries = self._workspace.runs.shown, self._workspace.runs.entries
        if shown is None or not self.other_runs.isChecked():
            return []
        return [each for each in entries if each.number != shown.number and each.position.n_merges > 0]

    def _growths_of(self, entries: list[RunEntry]) -> list[Growth]:
        """The curves of other runs; made once, as those runs do not grow while this one is shown."""
        from bpe_studio.gui.plots.growth_plot import Growth

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
            self.area.setAccessibleDescription(self.area.note.text())
            return
        parts = [f"vocabulary {number(run.vocab_size_at(step))}"]
        if has_pairs(run):
            parts.append(f"{plural(run.n_tokens_at(step), 'token')} in the corpus")
        if step and has_pairs(run):
            parts.append(f"pair counted {times(int(run.columns.count[step - 1]))}")
        # A screen reader cannot query a painted plot for its values.
        place = f"step {number(step)} of {number(self._workspace.n_merges)}"
        self.area.setAccessibleDescription(f"{place}: {', '.join(parts)}. {self.area.toolTip()}")
        if self._plot is not None and step <= self._plot.n_merges:
            self._plot.set_step(step)


class PlotArea(QWidget):
    """The area of the curves, or of a sentence instead of them; arrow keys move the step.

    Signals:
        moved: int, by how many steps to move.
    """

    moved = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("growth.plot")
        self.setAccessibleName("Growth of the vocabulary")
        self.setToolTip("Press or drag to move the step; the arrow keys move it by one; right-click for the scales")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.note = Note("", "plain", self)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QStackedLayout(self)
        self._layout.addWidget(self.note)
        self._plot: QWidget | None = None

    def hold(self, plot: QWidget) -> None:
        """Set the widget that shows the curves."""
        self._plot = plot
        plot.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # this widget has the menu
        self._layout.addWidget(plot)

    def set_message(self, sentence: str) -> None:
        """Show a sentence; "" shows the curves."""
        self.note.set_message(sentence)
        self._layout.setCurrentWidget(self.note if sentence or self._plot is None else self._plot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        n_steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: -100,
            Qt.Key.Key_PageUp: 100,
        }.get(Qt.Key(event.key()))
        if n_steps is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(n_steps)
