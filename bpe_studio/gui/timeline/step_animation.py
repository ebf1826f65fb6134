"""The animation of a single step: one clock, by which every view shows the same frame of the merge.

A step by one merge is animated, forwards and backwards, by hand or in a slow run: the pair lights up where it occurs,
becomes one token, and the token takes its row. Nothing waits for that: the workspace is at the new step before the
animation begins, and the next step ends it at once. Steps that follow each other too fast to be looked at are not
animated, nor is a drag, a fast run, or anything where the system or the user asks for less motion.

How long it lasts goes by the speed of the run that is set: the slower, the longer. Time in which the window was busy,
as it is when a merge has just been trained, does not count: every part of the motion is seen.
"""

from __future__ import annotations

import math
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication

from bpe_studio.gui.timeline.reduced_motion import ReducedMotion
from bpe_studio.gui.tokens.merge_animation import MergeAnimation
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

CALM_MS = 220
"""Steps at shorter intervals are not animated."""
FRAME_MS = 16
LONGEST_FRAME_MS = 33
"""The maximum time of the animation between two frames, however long the window was busy."""
SHORTEST_MS, LONGEST_MS = 400, 1600
PART_OF_PAUSE = 0.8
"""In a run, the share of the time from one merge to the next."""
FASTEST = 4.0
"""The fastest run that is animated, in merges a second."""
TIP = "Animates the merge when you step by one; not in fast runs, nor where the system asks for less motion"


def duration_ms(speed: float, *, is_running: bool) -> float:
    """How long the animation of a step lasts.

    Args:
        speed: the chosen speed, in merges per second; infinite for full speed.
        is_running: whether a run makes the step, so that the next one follows automatically.

    >>> duration_ms(math.inf, is_running=False), duration_ms(1.0, is_running=False), duration_ms(4.0, is_running=True)
    (400.0, 1200.0, 200.0)
    """
    wanted = min(max(float(SHORTEST_MS), 1200.0 / speed), float(LONGEST_MS))
    return min(wanted, PART_OF_PAUSE * 1000.0 / speed) if is_running and math.isfinite(speed) else wanted


class StepAnimation(QObject):
    """Emits the frames of a merge's animation, which the views show.

    Args:
        workspace: whose steps are animated.
        memory: remembers whether they are.

    Signals:
        frame_changed: MergeAnimation, or None once it is over.
    """

    frame_changed = Signal(object)

    def __init__(self, workspace: Workspace, memory: WindowSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._memory = workspace, memory
        self._step = self._workspace.step
        self._changed_s = 0.0
        self._frame_s = 0.0
        self._passed_ms = 0.0
        self._lasts_ms = float(SHORTEST_MS)
        self._animation: MergeAnimation | None = None
        self._is_back = False
        self._waiting: tuple[int, bool] | None = None
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.setTimerType(Qt.TimerType.PreciseTimer)
        self._system = ReducedMotion(self)
        self.action = QAction("&Animate single steps", self)
        self.action.setObjectName("view.motion")
        self.action.setCheckable(True)
        self.action.setChecked(self._memory.get("motion", True))
        self._connect()
        self._on_system_changed()

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.step_changed.connect(self._on_step_changed)
        workspace.state_changed.connect(self._on_state_changed)
        workspace.run_changed.connect(self._on_run_changed)
        self._clock.timeout.connect(self._on_frame)
        self._system.changed.connect(self._on_system_changed)
        self.action.toggled.connect(self._on_toggled)

    @property
    def animation(self) -> MergeAnimation | None:
        """The frame that is shown, or None."""
        return self._animation

    @Slot()
    def _on_run_changed(self) -> None:
        self._step, self._waiting = self._workspace.step, None
        self.end()
        self._system.update()

    @Slot(object)
    def _on_step_changed(self, step: int) -> None:
        now_s = monotonic()
        before, self._step = self._step, step
        is_calm = 1000 * (now_s - self._changed_s) >= CALM_MS
        self._changed_s, self._waiting = now_s, None
        self.end()
        if abs(step - before) != 1 or not is_calm or not self._is_wanted():
            return
        if self._workspace.state is State.running and math.isinf(self._workspace.transport.speed):
            # At full speed, or a single step that had to be trained: that one comes to rest in the same turn.
            self._waiting = min(before, step), step < before
        else:
            self._begin(min(before, step), is_back=step < before)

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and state is not State.running and self._workspace.step == self._step:
            self._begin(waiting[0], is_back=waiting[1])

    def _is_wanted(self) -> bool:
        workspace = self._workspace
        is_fast = workspace.state is State.running and FASTEST < workspace.transport.speed < math.inf
        is_held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return self.action.isChecked() and self.action.isEnabled() and not is_fast and not is_held

    def _begin(self, rank: int, *, is_back: bool) -> None:
        run = self._workspace.run
        if run is None or not 0 <= rank < self._workspace.n_merges:
            return
        left, right = int(run.columns.left[rank]), int(run.columns.right[rank])
        share = 1.0 if is_back else 0.0
        self._is_back, self._frame_s, self._passed_ms = is_back, monotonic(), 0.0
        is_running = self._workspace.state is State.running
        self._lasts_ms = duration_ms(self._workspace.transport.speed, is_running=is_running)
        self._animation = MergeAnimation(rank, left, right, run.n_alphabet + rank, share, self._step)
        self._clock.start()
        self.frame_changed.emit(self._animation)

    @Slot()
    def _on_frame(self) -> None:
        now_s = monotonic()
        self._passed_ms += min(1000 * (now_s - self._frame_s), LONGEST_FRAME_MS)
        self._frame_s = now_s
        passed = self._passed_ms / self._lasts_ms
        if self._animation is None or passed >= 1.0:
            self.end()
            return
        self._animation = replace(self._animation, share=1.0 - passed if self._is_back else passed)
        self.frame_changed.emit(self._animation)

    def end(self) -> None:
        """End the animation; the views show the step that was reached."""
        self._clock.stop()
        if self._animation is not None:
            self._animation = None
            self.frame_changed.emit(None)

    @Slot(bool)
    def _on_toggled(self, is_on: bool) -> None:
        self._memory.put("motion", is_on)
        self.end()

    @Slot()
    def _on_system_changed(self) -> None:
        is_less = self._system.is_less
        self.action.setEnabled(not is_less)
        self.action.setToolTip(f"{TIP}\nNot now: the system is set to show less motion" if is_less else TIP)
        if is_less:
            self.end()
