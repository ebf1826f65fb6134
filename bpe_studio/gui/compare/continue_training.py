"""Sizes that the run does not have yet, and one button that trains on to them.

The target is raised as in Settings, so that it can be undone in the same way, and the open run is trained on. The
requested steps are emitted once they are reached, or once the run has ended before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number
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

COST = "The sizes are added if the corpus has that many merges. Undo restores the target"


class ContinueTraining(QWidget):
    """A button and what it does; hidden while no step beyond the run is requested.

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
        self.train = named(QPushButton(self), "compare.train_on", "Train on to the largest size that was entered")
        self.cost = named(Note(role="plain"), "compare.train_on_cost", "What training on does")
        row = WrappingRow(self)
        row.add(self.train)
        row.add(self.cost, grows=0, least_px=200)
        column(row, parent=self)
        self.train.clicked.connect(self._on_clicked)
        workspace.state_changed.connect(self._on_state_changed)
        for signal in (workspace.run_changed, workspace.target_changed):
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
            f"Training on to {goal}; then the sizes are added" if self._is_training else why_not or COST
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
        workspace = self._workspace
        if workspace.state is State.loading:
            return "Another job is running"
        if workspace.stop_reason:
            return f"This run ends at {self._size(workspace.n_merges)}: {workspace.stop_reason}"
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
        if self._is_training and state is not State.running and self._run is self._workspace.run:
            self._is_training = False
            n_merges = self._workspace.n_merges
            there = [step for step in self._steps if step <= n_merges]
            self._steps = tuple(step for step in self._steps if step > n_merges)
            if there:
                self.reached.emit(there)
        self.refresh()
