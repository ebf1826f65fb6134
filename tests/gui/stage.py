"""A workspace without jobs, whose values a test sets: for panels that draw a run and change
nothing.
"""

from __future__ import annotations

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import CorpusInfo, State
from bpe_studio.workspace.workspace import Workspace


def put_run(
    state: OpenState, run, n_merges: int, step: int, corpus: CorpusInfo | None = None
) -> None:
    """Puts a run that nothing trains in place of what is open, and announces nothing."""
    state.corpus = state.corpus if corpus is None else corpus
    state.run = run
    state.n_merges = n_merges
    state.step = step
    state._apply_special()


class Stage(Workspace):
    """Says what it is told, by the signals of a workspace."""

    def __init__(self) -> None:
        super().__init__(config=TrainingConfig.preset("textbook"))

    def open(self, run, n_merges, step, state=State.paused):
        """Another run, at a step."""
        put_run(self, run, n_merges, step)
        self.run_changed.emit()
        self.set_state(state)

    def grow(self, n_merges):
        """So many merges are learned, and the last one is shown."""
        super().grow(n_merges)
        self.set_step(n_merges)

    def run_at(self, speed):
        """It learns, at a speed."""
        self.transport.set_speed(speed)
        self.set_state(State.running)

    def go_to(self, step):
        self.set_step(step)
