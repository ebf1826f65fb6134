"""Run, pause and step: moves the step along a run, and starts and stops training.

At full speed, the worker trains towards the target, and the step follows the end of the run. At a
finite speed, a timer in the window's thread moves the step by one merge at a time. After the last
existing merge, it lets the worker train the next. Either way, merges are only added. A breakpoint
stops both, and also a step over several merges. The worker evaluates breakpoints for new merges,
and the window's thread for merges that it steps over.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import plural
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.marks import Breakpoint, Watch
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.training import Growth, train
from bpe_studio.workspace.state import Progress, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer

FRAME_MS = 16
GROWTH_S = 0.045
RESTS = 2
"""At full speed, the window rests twice as long as it took to show a step."""


class _Mode(enum.Enum):
    """The last request of the user."""

    rest = "rest"
    steps = "steps"
    paced = "paced"
    full = "full"


class Transport(QObject):
    """Moves the step and lets the run grow.

    Signals:
        speed_changed: float, merges per second; infinite for full speed.
        stopped: (int, Breakpoint), the step at which a breakpoint stopped, and that breakpoint.
    """

    speed_changed = Signal(object)
    stopped = Signal(object)

    def __init__(self, open_state: OpenState, jobs: Jobs, parent: QObject | None = None) -> None:
        """The transport is stopped.

        Args:
            open_state: the open values, with the step, the target and the run.
            jobs: the worker that trains.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._jobs = jobs
        self._speed = math.inf
        self._stopped_at: tuple[int, Breakpoint] | None = None
        self._mode = _Mode.rest
        self._training: int | None = None
        self._trained_s: WeakKeyDictionary[Run, float] = WeakKeyDictionary()
        self._begun: tuple[Run, float] | None = None
        self._wanted_step: int | None = None
        self._follows = False
        self._has_asked = True
        self._pace_start_s = 0.0
        self._n_paced = 0
        self._n_asked = 0
        self._grew_s = 0.0
        self._shown_s = 0.0
        self._leaving: list[Trainer] = []
        self._waiting: list[Callable[[], None]] = []
        self._waits_after: Run | None = None
        self._watch: Watch | None = None
        self._pace = QTimer(self)
        self._pace.setTimerType(Qt.TimerType.PreciseTimer)
        self._pace.timeout.connect(self._on_pace)
        open_state.marks.changed.connect(self._on_marks_changed)
        open_state.run_changed.connect(self._on_run_changed)
        open_state.state_changed.connect(self._on_state_changed)

    @property
    def speed(self) -> float:
        """Merges per second; infinite for full speed."""
        return self._speed

    @property
    def stopped_at(self) -> tuple[int, Breakpoint] | None:
        """The step at which a breakpoint stopped, and that breakpoint, until the step moves."""
        if self._stopped_at is None or self._stopped_at[0] != self._open.step:
            return None
        return self._stopped_at

    @property
    def can_train_more(self) -> bool:
        """Whether a step beyond the end of the run may train another merge."""
        return self._open.run is not None and not self._open.stop_reason

    def trained_s(self, run: Run) -> float:
        """The time that a run has been trained in this window, in seconds."""
        trained_s = self._trained_s.get(run, 0.0)
        if self._begun is not None and self._begun[0] is run:
            trained_s += monotonic() - self._begun[1]
        return trained_s

    def add_trained_s(self, run: Run, seconds: float) -> None:
        """Counts a time for which a run was trained elsewhere."""
        self._trained_s[run] = self._trained_s.get(run, 0.0) + seconds

    def run_training(self) -> None:
        """Runs to the target: at full speed from the end of the run, at a finite speed from the
        current step.

        While something is being opened, the run begins as soon as it is open.
        """
        if self._open.is_loading:
            self._wait_for_run(self.run_training)
            return
        self._open.leave_failure()
        if self._open.trainer is None or not self._open.can_be_replaced:
            return
        self._open.was_run = True
        is_full = math.isinf(self._speed)
        plays = not is_full or (self._open.step < self._open.n_merges and bool(self._watched()))
        if (
            self._training is None
            and self._open.is_complete
            and not (plays and self._open.step < self._open.n_merges)
        ):
            self._open.set_step(self._open.n_merges)
            self._open.rest()
            self._open.notice(self._why_complete())
            return
        self._wanted_step = None
        self._mode = _Mode.full if is_full else _Mode.paced
        self._begin_mode()

    def pause(self) -> None:
        """Pauses a run at its current merge.

        The state is `paused` as soon as the worker has stopped.
        """
        if self._open.state is not State.running:
            return
        self._mode = _Mode.rest
        self._wanted_step = None
        self._pace.stop()
        if self._training is None:
            self._rest()
        else:
            self._jobs.stop(self._training)

    def step_forward(self, n: int = 1) -> None:
        """Moves the step forward; beyond the end of the run, trains more merges, even beyond a
        target that is reached.

        While something is being opened, the step moves as soon as it is open.
        """
        if self._open.is_loading:
            self._wait_for_run(partial(self.step_forward, n))
            return
        self._open.leave_failure()
        start = self._open.step if self._wanted_step is None else self._wanted_step
        goal = start + max(0, n)
        if (
            goal <= self._open.n_merges
            or self._open.trainer is None
            or not self._open.can_be_replaced
        ):
            stop = None
            if n > 1 and self._open.run is not None:
                stop = self._watched().first(start, min(goal, self._open.n_merges))
            reached = goal if stop is None else stop[0] + 1
            self._move_to(reached)
            if stop is not None:
                self._announce_stop(stop)
            return
        if self._mode in (_Mode.paced, _Mode.full):
            self._move_to(self._open.n_merges)
            return
        if self._open.stop_reason:
            self._move_to(goal)
            self._open.notice(self._why_complete())
            return
        if start < self._open.target:
            goal = min(goal, self._open.target)
        else:
            self._extend_to(goal)
            if self._open.target < goal:
                return
        self._open.was_run = True
        self._follows = False
        self._wanted_step = goal
        self._mode = _Mode.steps
        self._open.set_state(State.running)
        self._go_on()

    def step_back(self, n: int = 1) -> None:
        """Moves the step back; no merge is lost."""
        self.go_to(self._open.step - max(0, n))

    def go_to(self, step: int) -> None:
        """Moves the step, within the number of merges."""
        self._open.leave_failure()
        self._move_to(step)

    def go_to_start(self) -> None:
        """Moves the step to 0: the alphabet alone."""
        self.go_to(0)

    def go_to_end(self) -> None:
        """Moves the step to the end of the run."""
        self.go_to(self._open.n_merges)

    def go_to_stop(self, *, is_back: bool = False) -> None:
        """Moves the step to the next merge at which a breakpoint stops, or to the previous one."""
        self._open.leave_failure()
        if self._open.run is None or not self._open.is_resting:
            return
        if not self._watched():
            self._open.notice("No breakpoint is on: set one to go from stop to stop.")
            return
        if is_back:
            stop = self._watched().last(0, max(0, self._open.step - 1))
            where = "before this step"
        else:
            stop = self._watched().first(self._open.step, self._open.n_merges)
            where = "among the merges after this step"
        if stop is None:
            self._open.notice(f"No breakpoint stops {where}.")
        else:
            self._move_to(stop[0] + 1)
            self._announce_stop(stop)

    def set_speed(self, merges_per_s: float) -> None:
        """Sets the speed, also of a running run.

        Args:
            merges_per_s: merges per second; infinity for full speed.
        """
        speed = float(merges_per_s)
        if not speed > 0 or speed == self._speed:
            return
        self._speed = speed
        self.speed_changed.emit(speed)
        if self._mode in (_Mode.full, _Mode.paced):
            self._mode = _Mode.full if math.isinf(speed) else _Mode.paced
            self._begin_mode()

    def extend_target(self, n: int) -> None:
        """Raises the target by `n` merges, up to which the same run can then continue."""
        self._open.leave_failure()
        if self._open.run is not None and n > 0:
            self._extend_to(self._open.target + n)
            self._on_retargeted()

    def set_target(self, target: int, config: TrainingConfig) -> None:
        """Sets the target of changed settings; a step beyond it moves back to it."""
        self._open.set_config(config)
        self._open.set_target(target)
        if self._open.step > target:
            self._move_to(target)
        self._on_retargeted()

    def halt(self) -> None:
        """Stops training and drops pending requests, without changing the state."""
        self._mode = _Mode.rest
        self._wanted_step = None
        self._pace.stop()
        if self._training is not None:
            self._jobs.stop(self._training)

    def forget_run(self) -> None:
        """Drops the positions in the open run, because another one replaces it.

        Call `halt` first.
        """
        self._stopped_at = None
        self._follows = False

    def release(self, trainer: Trainer) -> None:
        """Frees the buffers of a trainer, unless it is the open one; waits for the worker first."""
        if self._training is not None:
            self._leaving.append(trainer)
        elif trainer is not self._open.trainer:
            trainer.release()

    def shutdown(self) -> None:
        """Stops the timer."""
        self._pace.stop()

    def _why_complete(self) -> str:
        if self._open.stop_reason:
            return f"Nothing is left to merge: {self._open.stop_reason}."
        target = plural(self._open.target, "merge")
        return f"The target of {target} is reached: choose a larger vocabulary size to continue."

    def _begin_mode(self) -> None:
        self._open.set_state(State.running)
        self._pace.stop()
        if self._mode is _Mode.full:
            self._follows = True
            self._has_asked = not self._watched()
            self._n_asked = self._open.step
            if self._has_asked:
                self._open.set_step(self._open.n_merges)
        elif self._training is not None:
            self._jobs.stop(self._training)
        if self._training is None:
            self._go_on()

    def _go_on(self) -> None:
        """Continues with the next action of the mode."""
        if self._training is not None:
            return
        wanted = self._wanted_step
        if wanted is not None and (self._open.n_merges >= wanted or self._open.stop_reason):
            self._wanted_step = None
            stop = None
            if self._mode is _Mode.paced:
                stop = self._watched().first(self._open.step, min(wanted, self._open.n_merges))
            reached = wanted if stop is None else stop[0] + 1
            self._open.set_step(reached)
            if stop is not None:
                self._mode = _Mode.rest
                self._announce_stop(stop)
        if self._mode is _Mode.steps and self._wanted_step is not None:
            self._train_to(self._wanted_step)
        elif self._mode is _Mode.full and (not self._open.is_complete or not self._has_asked):
            self._train_to(max(self._open.target, self._open.n_merges))
        elif self._mode is _Mode.paced and not (
            self._open.is_complete and self._open.step >= self._open.n_merges
        ):
            if self._wanted_step is not None:
                self._train_to(self._wanted_step)
            elif not self._pace.isActive():
                self._start_pace()
        else:
            self._rest()

    def _rest(self) -> None:
        self._mode = _Mode.rest
        self._wanted_step = None
        self._follows = False
        self._pace.stop()
        if self._open.state is State.running:
            self._open.set_progress(None)
            self._open.rest()

    def _train_to(self, goal: int) -> None:
        assert self._open.trainer is not None
        trainer = self._open.trainer
        breakpoints = self._watched().breakpoints
        begin = self._n_asked if self._mode is _Mode.full else self._open.step
        if self._mode is _Mode.steps and goal - self._open.step <= 1:
            breakpoints = ()
        job = partial(train, trainer, goal, breakpoints, begin)
        self._begun = (trainer.run_record, monotonic())
        self._training = self._jobs.start(job, self._on_batch, partial(self._on_trained, trainer))

    def _on_batch(self, growth: Growth) -> None:
        """Applies a batch; at full speed not each one, because each repaints all panels.

        All panels show one step in one frame. The time that this took decides when the next batch
        is due.
        """
        if growth.run is self._open.run:
            self._n_asked = growth.n_asked
        rest_s = max(GROWTH_S, RESTS * self._shown_s)
        if self._mode is not _Mode.full or monotonic() - self._grew_s >= rest_s:
            self._on_growth(growth)

    def _on_growth(self, growth: Growth) -> None:
        if growth.run is not self._open.run:
            return
        begun_s = monotonic()
        self._open.stop_reason = growth.stop_reason or self._open.stop_reason
        self._open.grow(growth.n_merges)
        if self._follows:
            self._open.set_step(max(self._open.step, growth.n_asked))
        if self._open.state is State.running and self._mode is _Mode.full:
            self._open.set_progress(
                Progress(
                    "Training",
                    self._open.n_merges,
                    self._open.target,
                    "merges",
                    growth.seconds_left,
                )
            )
        self._grew_s = monotonic()
        self._shown_s = self._grew_s - begun_s

    def _on_trained(self, trainer: Trainer, ended: Ended) -> None:
        """Applies all trained merges, whatever the outcome; the worker no longer uses the run."""
        self._training = None
        if self._begun is not None:
            run, begun_s = self._begun
            self._begun = None
            self.add_trained_s(run, monotonic() - begun_s)
        for each in self._leaving:
            self.release(each)
        self._leaving.clear()
        run = trainer.run_record
        n_merges = len(run.merges)
        is_watched = run is self._open.run and self._watched()
        n_asked = self._n_asked if is_watched else n_merges
        growth = Growth(run, n_merges, n_asked)
        if ended.outcome is Outcome.finished:
            growth = ended.result
        if run is self._open.run:
            self._n_asked = growth.n_asked
        self._on_growth(growth)
        if ended.error is not None:
            self._open.fail(failure_of("Train", ended.error))
        if run is self._open.run and self._open.state is State.running:
            if growth.stop is not None and self._mode is not _Mode.rest:
                self._mode = _Mode.rest
                self._wanted_step = None
                self._open.set_step(growth.stop[0] + 1)
                self._announce_stop(growth.stop)
            elif self._mode is _Mode.full and ended.outcome is Outcome.finished:
                self._has_asked = True
        if self._open.state is State.running:
            self._go_on()
        else:
            self._follows = False

    def _watched(self) -> Watch:
        """The breakpoints, for the merges of the open run."""
        assert self._open.run is not None
        if self._watch is None or self._watch.run is not self._open.run:
            self._watch = Watch(self._open.run, self._open.marks.breakpoints, is_window=True)
        return self._watch

    def _announce_stop(self, stop: tuple[int, Breakpoint]) -> None:
        """Reports the breakpoint that stopped, when the step is there."""
        self._stopped_at = (stop[0] + 1, stop[1])
        self.stopped.emit(self._stopped_at)

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        """After a failure, nothing continues by itself."""
        if state is State.failed:
            self.halt()
        if self._waiting and state is not State.loading:
            QTimer.singleShot(0, self, self._do_what_waits)

    def _wait_for_run(self, do: Callable[[], None]) -> None:
        """Has something done as soon as the run that is being opened is there."""
        self._waits_after = self._open.run
        self._waiting.append(do)

    @Slot()
    def _do_what_waits(self) -> None:
        waiting = self._waiting
        self._waiting = []
        if self._open.is_resting and self._open.run is not self._waits_after:
            for do in waiting:
                do()
        self._waits_after = None

    @Slot()
    def _on_run_changed(self) -> None:
        self._watch = None

    @Slot()
    def _on_marks_changed(self) -> None:
        before = self._watch
        self._watch = None
        if (
            self._mode is not _Mode.full
            or before is None
            or before.breakpoints == self._watched().breakpoints
        ):
            return
        self._has_asked = not self._watched()
        if self._training is not None:
            self._jobs.stop(self._training)

    def _start_pace(self) -> None:
        self._follows = False
        self._pace_start_s = monotonic()
        self._n_paced = 0
        self._pace.start(max(FRAME_MS, round(1000 / self._speed)))
        self._on_pace()

    @Slot()
    def _on_pace(self) -> None:
        """Moves the step by as many merges as are due; none becomes due while the worker trains."""
        if self._training is not None or self._mode is not _Mode.paced:
            return
        passed_s = monotonic() - self._pace_start_s
        n_due = max(1, 1 + int(passed_s * self._speed + 0.5) - self._n_paced)
        if n_due > 1 + self._speed * FRAME_MS / 250:
            self._pace_start_s = monotonic()
            self._n_paced = 0
            n_due = 1
        self._n_paced += n_due
        goal = self._open.step + n_due
        if goal > self._open.n_merges and not self._open.stop_reason:
            goal = max(self._open.n_merges, min(goal, self._open.target))
        self._wanted_step = goal
        is_trained = self._open.stop_reason or self._open.n_merges >= self._open.target
        left_s = max(0, self._open.n_merges - goal) / self._speed if is_trained else None
        self._open.set_progress(
            Progress("Training", min(goal, self._open.target), self._open.target, "merges", left_s)
        )
        self._go_on()

    def _move_to(self, step: int) -> None:
        step = min(max(0, step), self._open.n_merges)
        self._follows = self._mode is _Mode.full and step >= self._open.n_merges
        self._wanted_step = None
        if self._mode is _Mode.steps:
            self.pause()
        self._open.set_step(step)

    def _extend_to(self, target: int) -> None:
        """Raises the target, also in the settings."""
        size = self._open.config.vocab_size
        try:
            if size is not None:
                config = self._open.config.replace(vocab_size=size + target - self._open.target)
            else:
                config = self._open.config.replace(merges=target)
        except BpeError as error:
            self._open.fail(failure_of("Raise the target", error))
            return
        self._open.set_target(target)
        self._open.set_config(config)

    def _on_retargeted(self) -> None:
        """Continues with a new target, at which a running run now ends."""
        if self._open.is_resting:
            self._open.rest()
        elif (
            self._open.state is State.running
            and self._mode is _Mode.full
            and self._training is not None
        ):
            self._jobs.stop(self._training)
