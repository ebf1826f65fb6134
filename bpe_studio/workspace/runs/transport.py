"""Run, pause and step: how the step moves along a run, and when the worker learns more of it.

The second of seven layers, `open_state.py` to `workspace.py`. At full speed the worker learns towards the target and
the step follows its end; at a finite speed a timer of the window's thread moves the step by one merge at a time,
through what is learned and then through what it asks the worker to learn. Either way merges are only ever
added. A breakpoint stops both, and a step by several merges; the worker asks it of what it learns, and the window's
thread of the few merges that it steps over.
"""

from __future__ import annotations

import enum
import math
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from bpe_studio.errors import BpeError
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.marks import Breakpoint, Watch
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import WorkspaceValues
from bpe_studio.workspace.runs.training import Growth, learn
from bpe_studio.workspace.state import Failure, Notice, Progress, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer

FRAME_MS = 16
GROWTH_S = 0.045
RESTING = (State.ready, State.paused, State.done)


class _Mode(enum.Enum):
    """What the person last asked for."""

    rest = "rest"
    steps = "steps"
    paced = "paced"
    full = "full"


class Transport(WorkspaceValues):
    """Moves the step and lets the run grow."""

    def __init__(self, config: TrainingConfig, parent: QObject | None = None) -> None:
        super().__init__(config, parent)
        self._jobs = Jobs(self)
        self._trainer: Trainer | None = None
        self._mode = _Mode.rest
        self._learning: int | None = None
        self._wanted_step: int | None = None
        self._follows = self._was_run = False
        self._has_asked = True
        self._pace_start_s = 0.0
        self._n_paced = self._n_asked = 0
        self._grew_s = 0.0
        self._leaving: list[Trainer] = []
        self._watch: Watch | None = None
        self.marks.changed.connect(self._on_marks_changed)
        self._pace = QTimer(self)
        self._pace.setTimerType(Qt.TimerType.PreciseTimer)
        self._pace.timeout.connect(self._on_pace)

    @property
    def can_learn_more(self) -> bool:
        """Whether a step beyond the end of the run may bring another merge."""
        return self._run is not None and not self._stop_reason

    def run_training(self) -> None:
        """Runs to the target: at full speed from the run's end, at a finite speed from the present step."""
        self._leave_failure()
        if self._trainer is None or self._state not in (*RESTING, State.running):
            return
        self._was_run = True
        is_full = math.isinf(self._speed)
        plays = not is_full or (self._step < self._n_merges and bool(self._watched()))
        if self._learning is None and self._is_complete and not (plays and self._step < self._n_merges):
            self._set_step(self._n_merges)
            self._set_state(self._resting_state())
            self.noticed.emit(Notice(self._why_complete()))
            return
        self._wanted_step = None
        self._mode = _Mode.full if is_full else _Mode.paced
        self._begin_mode()

    def pause(self) -> None:
        """Stops a run at the merge where it is; the state is `paused` as soon as the worker has stopped."""
        if self._state is not State.running:
            return
        self._mode = _Mode.rest
        self._wanted_step = None
        self._pace.stop()
        if self._learning is None:
            self._settle()
        else:
            self._jobs.stop(self._learning)

    def step_forward(self, n: int = 1) -> None:
        """Moves the step on; beyond the run's end it learns that many more merges, beyond the target too when done."""
        self._leave_failure()
        start = self._step if self._wanted_step is None else self._wanted_step
        goal = start + max(0, n)
        if goal <= self._n_merges or self._trainer is None or self._state not in (*RESTING, State.running):
            stop = self._watched().first(start, min(goal, self._n_merges)) if n > 1 and self._run is not None else None
            self._move_to(goal if stop is None else stop[0] + 1)
            if stop is not None:
                self._tell_stop(stop)
            return
        if self._mode in (_Mode.paced, _Mode.full):
            self._move_to(self._n_merges)
            return
        if self._stop_reason:
            self._move_to(goal)
            self.noticed.emit(Notice(self._why_complete()))
            return
        if start < self._target:
            goal = min(goal, self._target)
        else:
            self._extend_to(goal)
            if self._target < goal:
                return
        self._was_run = True
        self._follows = False
        self._wanted_step = goal
        self._mode = _Mode.steps
        self._set_state(State.running)
        self._go_on()

    def step_back(self, n: int = 1) -> None:
        """Moves the step back; nothing is unlearned."""
        self.go_to(self._step - max(0, n))

    def go_to(self, step: int) -> None:
        """Moves the step, within what is learned."""
        self._leave_failure()
        self._move_to(step)

    def go_to_start(self) -> None:
        """Moves the step to 0: the alphabet alone."""
        self.go_to(0)

    def go_to_end(self) -> None:
        """Moves the step to the run's end."""
        self.go_to(self._n_merges)

    def set_speed(self, merges_per_s: float) -> None:
        """Sets the pace of a run: merges a second, or infinity for full speed. A run that is under way changes pace."""
        speed = float(merges_per_s)
        if not speed > 0 or speed == self._speed:
            return
        self._speed = speed
        self.speed_changed.emit(speed)
        if self._mode in (_Mode.full, _Mode.paced):
            self._mode = _Mode.full if math.isinf(speed) else _Mode.paced
            self._begin_mode()

    def extend_target(self, n: int) -> None:
        """Asks for `n` merges more than the target; the same run goes on when it is run again."""
        self._leave_failure()
        if self._run is not None and n > 0:
            self._extend_to(self._target + n)
            self._retarget()

    @property
    def _is_complete(self) -> bool:
        return bool(self._stop_reason) or self._n_merges >= self._target

    def _why_complete(self) -> str:
        if self._stop_reason:
            return f"Nothing is left to merge: {self._stop_reason}."
        return f"The target of {self._target:,} merges is reached: ask for a larger vocabulary to go on."

    def _resting_state(self) -> State:
        """The state while nothing happens, told from what is open."""
        if self._run is None:
            return State.empty
        if not self._was_run:
            return State.ready
        return State.done if self._is_complete else State.paused

    def _begin_mode(self) -> None:
        self._set_state(State.running)
        self._pace.stop()
        if self._mode is _Mode.full:
            self._follows = True
            self._has_asked = not self._watched()
            self._n_asked = self._step
            if self._has_asked:
                self._set_step(self._n_merges)
        elif self._learning is not None:
            self._jobs.stop(self._learning)
        if self._learning is None:
            self._go_on()

    def _go_on(self) -> None:
        """Does what the mode asks for next."""
        if self._learning is not None:
            return
        wanted = self._wanted_step
        if wanted is not None and (self._n_merges >= wanted or self._stop_reason):
            self._wanted_step = None
            stop = self._watched().first(self._step, min(wanted, self._n_merges)) if self._mode is _Mode.paced else None
            self._set_step(wanted if stop is None else stop[0] + 1)
            if stop is not None:
                self._mode = _Mode.rest
                self._tell_stop(stop)
        if self._mode is _Mode.steps and self._wanted_step is not None:
            self._learn(self._wanted_step)
        elif self._mode is _Mode.full and (not self._is_complete or not self._has_asked):
            self._learn(max(self._target, self._n_merges))
        elif self._mode is _Mode.paced and not (self._is_complete and self._step >= self._n_merges):
            if self._wanted_step is not None:
                self._learn(self._wanted_step)
            elif not self._pace.isActive():
                self._start_pace()
        else:
            self._settle()

    def _settle(self) -> None:
        self._mode = _Mode.rest
        self._wanted_step = None
        self._follows = False
        self._pace.stop()
        if self._state is State.running:
            self._set_progress(None)
            self._set_state(self._resting_state())

    def _learn(self, goal: int) -> None:
        assert self._trainer is not None
        trainer, breakpoints = self._trainer, self._watched().breakpoints
        begin = self._n_asked if self._mode is _Mode.full else self._step
        if self._mode is _Mode.steps and goal - self._step <= 1:
            breakpoints = ()
        job = partial(learn, trainer, goal, breakpoints, begin)
        self._learning = self._jobs.start(job, self._on_batch, partial(self._on_learned, trainer))

    def _on_batch(self, growth: Growth) -> None:
        """Takes in what was learned; at full speed not every batch, for each has every panel drawn anew."""
        self._n_asked = growth.n_asked if growth.run is self._run else self._n_asked
        if self._mode is not _Mode.full or monotonic() - self._grew_s >= GROWTH_S:
            self._on_growth(growth)

    def _on_growth(self, growth: Growth) -> None:
        if growth.run is not self._run:
            return
        self._grew_s = monotonic()
        self._stop_reason = growth.stop_reason or self._stop_reason
        if growth.n_merges > self._n_merges:
            self._n_merges = growth.n_merges
            self.run_grew.emit(growth.n_merges)
        if self._follows:
            self._set_step(max(self._step, growth.n_asked))
        if self._state is State.running and self._mode is _Mode.full:
            self._set_progress(Progress("Training", self._n_merges, self._target, "merges", growth.seconds_left))

    def _on_learned(self, trainer: Trainer, ended: Ended) -> None:
        """Takes in all that was learned, however the job ended: the worker has let go of the run now."""
        self._learning = None
        for each in self._leaving:
            self._release(each)
        self._leaving.clear()
        run = trainer.run_record
        n_merges = len(run.merges)
        growth = Growth(run, n_merges, self._n_asked if run is self._run and self._watched() else n_merges)
        if ended.outcome is Outcome.finished:
            growth = ended.result
        self._n_asked = growth.n_asked if run is self._run else self._n_asked
        self._on_growth(growth)
        if ended.error is not None:
            self._fail(failure_of("Train", ended.error))
        if run is self._run and self._state is State.running:
            if growth.stop is not None and self._mode is not _Mode.rest:
                self._mode, self._wanted_step = _Mode.rest, None
                self._set_step(growth.stop[0] + 1)
                self._tell_stop(growth.stop)
            elif self._mode is _Mode.full and ended.outcome is Outcome.finished:
                self._has_asked = True
        if self._state is State.running:
            self._go_on()
        else:
            self._follows = False

    def _watched(self) -> Watch:
        """The breakpoints, for the merges of the open run."""
        assert self._run is not None
        if self._watch is None or self._watch.run is not self._run:
            self._watch = Watch(self._run, self.marks.breakpoints, is_window=True)
        return self._watch

    def _tell_stop(self, stop: tuple[int, Breakpoint]) -> None:
        """Says why it stopped, once the step is there."""
        self._stopped_at = (stop[0] + 1, stop[1])
        self.stopped.emit(self._stopped_at)

    @Slot()
    def _on_marks_changed(self) -> None:
        before, self._watch = self._watch, None
        if self._mode is not _Mode.full or before is None or before.breakpoints == self._watched().breakpoints:
            return
        self._has_asked = not self._watched()
        if self._learning is not None:
            self._jobs.stop(self._learning)

    def _release(self, trainer: Trainer) -> None:
        """Lets go of what a trainer needs only to learn, unless it is the open one; the worker may still be at it."""
        if self._learning is not None:
            self._leaving.append(trainer)
        elif trainer is not self._trainer:
            trainer.release()

    def _start_pace(self) -> None:
        self._follows = False
        self._pace_start_s = monotonic()
        self._n_paced = 0
        self._pace.start(max(FRAME_MS, round(1000 / self._speed)))
        self._on_pace()

    @Slot()
    def _on_pace(self) -> None:
        """Moves on by as many merges as are due; while the worker learns, none becomes due."""
        if self._learning is not None or self._mode is not _Mode.paced:
            return
        passed_s = monotonic() - self._pace_start_s
        n_due = max(1, 1 + int(passed_s * self._speed + 0.5) - self._n_paced)
        if n_due > 1 + self._speed * FRAME_MS / 250:
            self._pace_start_s, self._n_paced, n_due = monotonic(), 0, 1
        self._n_paced += n_due
        goal = self._step + n_due
        if goal > self._n_merges and not self._stop_reason:
            goal = max(self._n_merges, min(goal, self._target))
        self._wanted_step = goal
        left = max(0, self._target - goal)
        self._set_progress(Progress("Training", min(goal, self._target), self._target, "merges", left / self._speed))
        self._go_on()

    def _move_to(self, step: int) -> None:
        step = min(max(0, step), self._n_merges)
        self._follows = self._mode is _Mode.full and step >= self._n_merges
        self._wanted_step = None
        if self._mode is _Mode.steps:
            self.pause()
        self._set_step(step)

    def _extend_to(self, target: int) -> None:
        """Raises the target, and the settings with it."""
        size = self._config.vocab_size
        try:
            if size is not None:
                config = self._config.replace(vocab_size=size + target - self._target)
            else:
                config = self._config.replace(merges=target)
        except BpeError as error:
            self._fail(failure_of("Raise the target", error))
            return
        self._set_target(target)
        self._set_config(config)

    def _retarget(self) -> None:
        """Goes on under a target that has just changed: a run that is under way heads for the new one."""
        if self._state in RESTING:
            self._set_state(self._resting_state())
        elif self._state is State.running and self._mode is _Mode.full and self._learning is not None:
            self._jobs.stop(self._learning)

    def _halt(self) -> None:
        """Stops learning and forgets what was wanted, without a word about the state."""
        self._mode = _Mode.rest
        self._wanted_step = None
        self._pace.stop()
        if self._learning is not None:
            self._jobs.stop(self._learning)

    def _take_run(self, trainer: Trainer | None) -> None:
        """Puts another run in place of the present one; the caller announces it."""
        run: Run | None = None if trainer is None else trainer.run_record
        self._trainer = trainer
        self._run = run
        self._n_merges = self._step = 0
        self._target = 0 if trainer is None else trainer.target
        self._stop_reason = ""
        self._stopped_at = None
        self._was_run = self._follows = False
        self._wanted_step = None

    def _fail(self, failure: Failure) -> None:
        self._halt()
        self._set_progress(None)
        self._failure = failure
        self._set_state(State.failed)
        self.failed.emit(failure)

    def _leave_failure(self) -> None:
        if self._state is State.failed:
            self._failure = None
            self._set_state(self._resting_state())
