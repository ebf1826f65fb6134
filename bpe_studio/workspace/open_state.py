"""The values that the window draws, each with the signal that says it changed.

This is the lowest of seven layers, `open_state.py` to `workspace.py`: it holds and announces, and
decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.marks import Breakpoint, Marks
from bpe_studio.workspace.selection import Selection
from bpe_studio.workspace.state import CorpusInfo, Failure, Progress, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.game.guessing import Guessing


class WorkspaceValues(QObject):
    """What is open now, where the step stands, and what the workspace is doing.

    Attributes:
        selection: what a person has picked to look at.
        marks: the breakpoints and bookmarks.

    Signals:
        state_changed: State.
        corpus_changed: another corpus is open; read `corpus`.
        run_changed: another run (or none) is open; read `run`.
        run_grew: int, the new `n_merges`.
        step_changed: int, the new `step`.
        target_changed: int, the new `target`.
        speed_changed: float, merges a second; infinite for full speed.
        config_changed: TrainingConfig.
        progress_changed: Progress, or None when no job has anything to tell.
        failed: Failure.
        noticed: Notice.
        saved: Path, where a tokenizer was saved.
        stopped: (int, Breakpoint), the step at which a breakpoint stopped, and that breakpoint.
        typed_text_changed: str.
        compared_steps_changed: tuple of int.
        changed_by_hand: Change, something was done that can be taken back.
    """

    state_changed = Signal(object)
    corpus_changed = Signal()
    run_changed = Signal()
    run_grew = Signal(object)
    step_changed = Signal(object)
    target_changed = Signal(object)
    speed_changed = Signal(object)
    config_changed = Signal(object)
    progress_changed = Signal(object)
    failed = Signal(object)
    noticed = Signal(object)
    saved = Signal(object)
    stopped = Signal(object)
    typed_text_changed = Signal(object)
    compared_steps_changed = Signal(object)
    changed_by_hand = Signal(object)

    def __init__(self, config: TrainingConfig, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.selection = Selection(self)
        self.marks = Marks(self)
        self._guessing: Guessing | None = None
        self._state = State.empty
        self._corpus: CorpusInfo | None = None
        self._run: Run | None = None
        self._n_merges = 0
        self._step = 0
        self._target = 0
        self._speed = math.inf
        self._config = config
        self._progress: Progress | None = None
        self._failure: Failure | None = None
        self._stop_reason = ""
        self._stopped_at: tuple[int, Breakpoint] | None = None
        self._typed_text = ""
        self._compared_steps: tuple[int, ...] = ()

    @property
    def state(self) -> State:
        """What the workspace is doing."""
        return self._state

    @property
    def corpus(self) -> CorpusInfo | None:
        """The open corpus and where it came from."""
        return self._corpus

    @property
    def run(self) -> Run | None:
        """The open run. It grows in the worker: read only its first `n_merges` merges."""
        return self._run

    @property
    def n_merges(self) -> int:
        """How many merges the window may read."""
        return self._n_merges

    @property
    def step(self) -> int:
        """How many merges apply in everything that is shown."""
        return self._step

    @property
    def target(self) -> int:
        """The number of merges at which training ends; 0 without a run."""
        return self._target

    @property
    def stop_reason(self) -> str:
        """Why the run can learn no more merges or has ended, or ""."""
        return self._stop_reason

    @property
    def stopped_at(self) -> tuple[int, Breakpoint] | None:
        """The step at which a breakpoint stopped, and that breakpoint, while the step is still there."""
        return self._stopped_at if self._stopped_at is not None and self._stopped_at[0] == self._step else None

    @property
    def speed(self) -> float:
        """Merges a second; infinite for full speed."""
        return self._speed

    @property
    def config(self) -> TrainingConfig:
        """The settings of the open run, or of the next one."""
        return self._config

    @property
    def progress(self) -> Progress | None:
        """How far the present job is."""
        return self._progress

    @property
    def failure(self) -> Failure | None:
        """What failed, while the state is `failed`."""
        return self._failure

    @property
    def guessing(self) -> Guessing:
        """The game over the open run; made when it is first asked for."""
        if self._guessing is None:
            from bpe_studio.workspace.game.guessing import Guessing

            self._guessing = Guessing(self)
        return self._guessing

    @property
    def typed_text(self) -> str:
        """The text that the person typed to see it cut."""
        return self._typed_text

    def set_typed_text(self, text: str) -> None:
        """Takes what the person typed."""
        if text != self._typed_text:
            self._typed_text = text
            self.typed_text_changed.emit(text)

    @property
    def compared_steps(self) -> tuple[int, ...]:
        """The steps that are shown side by side."""
        return self._compared_steps

    def set_compared_steps(self, steps: Iterable[int]) -> None:
        """Takes the steps to show side by side, each once, in the order given."""
        unique = tuple(dict.fromkeys(max(0, int(step)) for step in steps))
        if unique != self._compared_steps:
            self._compared_steps = unique
            self.compared_steps_changed.emit(unique)

    def _set_state(self, state: State) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)

    def _set_step(self, step: int) -> None:
        step = min(max(0, step), self._n_merges)
        if step != self._step:
            self._step = step
            self.step_changed.emit(step)

    def _set_progress(self, progress: Progress | None) -> None:
        if progress != self._progress:
            self._progress = progress
            self.progress_changed.emit(progress)

    def _set_config(self, config: TrainingConfig) -> None:
        if config != self._config:
            self._config = config
            self.config_changed.emit(config)

    def _set_target(self, target: int) -> None:
        if target != self._target:
            self._target = target
            self.target_changed.emit(target)
