"""Sizes that the run does not have yet: the cost of training on to them, and one button that does it.

The target is raised as in Settings, so that it can be undone in the same way, and the open run is trained on. The
requested steps are emitted once they are reached, or once the run has ended before them.
"""

from __future__ import annotations

import math
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number, time_text
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

LEAST_TIMED_MERGES = 50
"""Fewer merges give no reliable speed."""


class ContinueTraining(QWidget):
    """A button and its cost; hidden while no step beyond the run is requested.

    Signals:
        begun: training on has started.
        reached: list of int, those of the requested steps that the run has now.
    """

    begun = Signal()
    reached = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._run: Run | None = None
        self._steps: tuple[int, ...] = ()
        self._is_training = False
        self._timed_from: tuple[float, int] | None = None
        self._per_second = 0.0
        self.train = named(QPushButton(self), "compare.train_on", "Train on to the largest size that was entered")
        self.cost = named(Note(role="plain"), "compare.train_on_cost", "What training on costs")
        row = WrappingRow(self)
        row.add(self.train)
        row.add(self.cost, grows=0, least_px=200)
        column(row, parent=self)
        self.train.clicked.connect(self._on_clicked)
        workspace.state_changed.connect(self._on_state_changed)
        for signal in (workspace.run_changed, workspace.largest_vocabulary.changed, workspace.target_changed):
            signal.connect(self.refresh)
        self.hide()

    @Slot(object)
    def offer(self, steps: Sequence[int]) -> None:
        """Offer to train on to these steps, or stop offering; it does not stop training."""
        if not self._is_training:
            self._steps, self._run = tuple(steps), self._workspace.run
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current state."""
        workspace = self._workspace
        if self._run is not workspace.run:
            self._steps, self._is_training = (), False
        self.setVisible(bool(self._steps))
        if not self._steps:
            return
        why_not = self._why_not()
        goal = self._size(self._goal)
        self.train.setText(f"Train on to {goal}")
        self.train.setEnabled(not why_not)
        self.train.setVisible(not self._is_training)
        self.train.setToolTip(
            f"Not now: {why_not}" if why_not else f"Raises the target to {goal} and continues this run"
        )
        self.cost.set_message(
            f"Training on to {goal}; then the sizes are added" if self._is_training else why_not or self._cost()
        )

    @property
    def _goal(self) -> int:
        """The step to train to: the target if that is later, because a run is trained to its target."""
        return max(*self._steps, self._workspace.target)

    def _size(self, step: int) -> str:
        run = self._workspace.run
        assert run is not None
        return number(run.vocab_size_at(0) + step)

    def _why_not(self) -> str:
        workspace, reach = self._workspace, self._workspace.largest_vocabulary.found
        if workspace.state is State.loading:
            return "Another job is running"
        if workspace.stop_reason:
            return f"This run ends at {self._size(workspace.n_merges)}: {workspace.stop_reason}"
        if reach is not None and reach.is_known and reach.n_merges < max(self._steps):
            return f"This corpus reaches {self._size(reach.n_merges)} at most: {reach.reason}"
        try:
            self._raised()
        except BpeError as error:
            return str(error)
        return ""

    def _raised(self) -> TrainingConfig:
        """The settings with the target raised as far as necessary.

        Raises:
            ConfigError: it would be greater than any target may be.
        """
        workspace, goal = self._workspace, self._goal
        size = workspace.config.vocab_size
        if size is not None:
            return workspace.config.replace(vocab_size=size + goal - workspace.target)
        return workspace.config.replace(merges=goal)

    def _cost(self) -> str:
        workspace = self._workspace
        n = self._goal - workspace.n_merges
        text = f"{number(n)} {'merge' if n == 1 else 'merges'} more"
        speed = workspace.transport.speed
        seconds = 0.0
        if not math.isinf(speed):
            seconds = (self._goal - workspace.step) / speed
        elif self._per_second:
            seconds = n / self._per_second
        if seconds:
            text += f", about {time_text(seconds)}"
        return f"{text}, if the corpus has that many. Undo restores the target"

    @Slot()
    def _on_clicked(self) -> None:
        workspace = self._workspace
        if self._goal > workspace.target:
            workspace.settings.apply(self._raised())
        self._is_training = True
        workspace.transport.run_training()
        self.begun.emit()
        self.refresh()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        self._time(state)
        if self._is_training and state is not State.running and self._run is self._workspace.run:
            self._is_training = False
            n_merges = self._workspace.n_merges
            there = [step for step in self._steps if step <= n_merges]
            self._steps = tuple(step for step in self._steps if step > n_merges)
            if there:
                self.reached.emit(there)
        self.refresh()

    def _time(self, state: State) -> None:
        """Measure the merges per second whenever a run trains at full speed."""
        n_merges = self._workspace.n_merges
        if state is State.running and math.isinf(self._workspace.transport.speed):
            self._timed_from = monotonic(), n_merges
        elif self._timed_from is not None:
            began_s, n_before = self._timed_from
            self._timed_from = None
            if n_merges - n_before >= LEAST_TIMED_MERGES:
                self._per_second = (n_merges - n_before) / max(1e-3, monotonic() - began_s)
