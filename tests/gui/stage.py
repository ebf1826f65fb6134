"""A workspace without jobs, whose values a test sets: for panels that draw a run and change nothing."""

from __future__ import annotations

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.open_state import WorkspaceValues
from bpe_studio.workspace.state import State


class Stage(WorkspaceValues):
    """Says what it is told, by the signals of a workspace."""

    def __init__(self) -> None:
        super().__init__(TrainingConfig.preset("textbook"))

    def open(self, run, n_merges, step, state=State.paused):
        """Another run, at a step."""
        self._run, self._n_merges, self._step = run, n_merges, step
        self.run_changed.emit()
        self._set_state(state)

    def grow(self, n_merges):
        """So many merges are learned, and the last one is shown."""
        self._n_merges = n_merges
        self.run_grew.emit(n_merges)
        self._set_step(n_merges)

    def run_at(self, speed):
        """It learns, at a speed."""
        self._speed = speed
        self._set_state(State.running)

    def go_to(self, step):
        self._set_step(step)
