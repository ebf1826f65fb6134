"""The base class of the panels: decides when one shows what is new in the workspace.

A request waits (until requests pause, or for the next frame); it is dropped while the user cannot
see the panel, and made again when it becomes visible; and it is held back while a run trains too
fast for it. Panels follow the step in the frame in which it moves, also at full speed, where the
transport waits for them; those that need longer say in a `StepNote` which merge they show. While a
run trains at full speed, other requests take turns in the queue of panels. Long computations belong
to `latest_answer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from math import isinf
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number
from bpe_studio.gui.background.scheduling import Debouncer, RefreshSlot
from bpe_studio.gui.widgets.containers import would_be_shown
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ElidedLabel
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

FRAME_MS = 16
"""The time of a frame on the screen."""
LATE_MS = 100
"""A panel that is behind for less than this does not say so."""
SLOW_MERGES_PER_S = 4.0
"""Up to this speed a user can follow each merge."""


class Needs(Flag):
    """The condition under which a panel is refreshed.

    Attributes:
        nothing: always.
        shown: the panel is shown, perhaps behind the tab of another one.
        sight: part of the panel is on the screen.
        paced_run: no run trains at full speed.
        no_run: no run trains.
    """

    nothing = 0
    shown = auto()
    sight = auto()
    no_run = auto()
    paced_run = auto()


@dataclass(frozen=True)
class Wait:
    """The time that a request waits.

    Attributes:
        ms: the time in milliseconds; 0 for no wait.
        starts_anew: whether each request restarts the wait, as when debouncing; otherwise it is the
            least time between two refreshes.
        slowest_ms: after a slow refresh the wait doubles, up to this; 0: it does not.
    """

    ms: int = 0
    starts_anew: bool = False
    slowest_ms: int = 0


AT_ONCE = Wait()


def resting(ms: int) -> Wait:
    """Wait until there was no request for `ms` milliseconds."""
    return Wait(ms, starts_anew=True)


def every(ms: int, *, slowest_ms: int = 0) -> Wait:
    """Refresh at most once in `ms` milliseconds; see `Wait` for `slowest_ms`."""
    return Wait(ms, slowest_ms=slowest_ms)


class Panel(QWidget):
    """A panel of the workspace. A subclass has `show_state`, and connects signals to
    `request_refresh`.

    Attributes:
        at_rest: the wait of a request while no run trains.
        while_training: its wait while a run trains; None for the same as `at_rest`.
        needs: the condition under which it is refreshed.
    """

    at_rest = AT_ONCE
    while_training: Wait | None = None
    needs = Needs.nothing

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._spent_ms = 0.0
        self._followed_s = 0.0
        self._is_waiting_for_sight = False
        self._refresh_timer = Debouncer(self.at_rest.ms, self)
        if not self.at_rest.starts_anew:
            self._refresh_timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._refresh_turn = RefreshSlot(workspace, self)
        self._refresh_timer.timeout.connect(self._on_due)
        self._refresh_turn.granted.connect(self.refresh)
        if not self._is_seen():
            self.wait_for_sight()

    def show_state(self) -> None:
        """Show the current state of the workspace."""
        raise NotImplementedError

    @property
    def is_in_sight(self) -> bool:
        """Whether part of the panel is on the screen, and not hidden behind another panel's tab.

        In a main window that was never shown, whether it would be.
        """
        return not self.visibleRegion().isEmpty() or would_be_shown(self)

    @property
    def current_step(self) -> int:
        """The step of the workspace."""
        return self._workspace.step

    @property
    def is_training(self) -> bool:
        """Whether a run trains."""
        return self._workspace.state is State.running

    @property
    def is_too_fast(self) -> bool:
        """Whether a run trains faster than a user can follow."""
        return self.is_training and self._workspace.transport.speed > SLOW_MERGES_PER_S

    @property
    def is_at_full_speed(self) -> bool:
        """Whether a run trains as fast as it can."""
        return self.is_training and isinf(self._workspace.transport.speed)

    @property
    def is_held_back(self) -> bool:
        """Whether it is not refreshed until the run pauses."""
        needs = self.needs
        return bool(
            (needs & Needs.no_run and self.is_training)
            or (needs & Needs.paced_run and self.is_at_full_speed)
        )

    @property
    def is_refresh_pending(self) -> bool:
        """Whether a refresh was requested that has not come yet."""
        return self._refresh_timer.isActive() or self._refresh_turn.is_waiting

    @Slot()
    def request_refresh(self) -> None:
        wait = self._wait
        if wait.starts_anew:
            self._refresh_timer.restart()
        elif wait.ms == 0:
            self._on_due()
        else:
            self._refresh_within(self._wait_ms(wait))

    @Slot()
    def follow_step(self) -> None:
        """Refresh in the frame in which the step moves, unless it moved a moment ago."""
        wait = self._wait
        left_ms = self._wait_ms(wait) - round(1000 * (perf_counter() - self._followed_s))
        if wait.starts_anew:
            self.request_refresh()
        elif left_ms > 0 and not self.is_at_full_speed:  # the transport waits then
            self._refresh_within(left_ms)
        else:
            self._followed_s = perf_counter()
            self.refresh()

    @property
    def _wait(self) -> Wait:
        if self.is_training and self.while_training is not None:
            return self.while_training
        return self.at_rest

    def _wait_ms(self, wait: Wait) -> int:
        if not wait.slowest_ms:
            return wait.ms
        return min(wait.slowest_ms, max(wait.ms, round(2 * self._spent_ms)))

    def _refresh_within(self, ms: int) -> None:
        if not self._refresh_timer.isActive() or self._refresh_timer.remainingTime() > ms:
            self._refresh_timer.start(ms)

    def request_refresh_in(self, ms: int) -> None:
        """Request a refresh after `ms` milliseconds, whatever else was requested."""
        self._refresh_timer.start(ms)

    def take_turn(self) -> None:
        """Request a refresh without a wait, but in the queue of panels."""
        self._refresh_turn.request()

    @Slot()
    def refresh(self) -> None:
        """Refresh at once, if the condition holds."""
        self.cancel_refresh()
        if self._may_show():
            if self._is_waiting_for_sight:
                self._is_waiting_for_sight = False
                self.removeEventFilter(self)
            start = perf_counter()
            self.show_state()
            self._spent_ms = 1000 * (perf_counter() - start)

    def cancel_refresh(self) -> None:
        """Drop the request, as when the panel is already up to date."""
        self._refresh_timer.stop()
        self._refresh_turn.cancel()

    def wait_for_sight(self) -> None:
        """Request a refresh for when the panel becomes visible."""
        if not self._is_waiting_for_sight:
            self._is_waiting_for_sight = True
            self.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A panel that was covered, and not hidden, gets a paint event, but no show event.
        kind = event.type()
        if watched is self and kind in (
            QEvent.Type.Show,
            QEvent.Type.Paint,
            QEvent.Type.ShowToParent,
        ):
            self._is_waiting_for_sight = False
            self.removeEventFilter(self)
            if kind == QEvent.Type.Show and self.needs & Needs.shown:
                self.refresh()
            else:
                # The step does not move, so a wait would only keep an outdated panel in view.
                self.request_refresh_in(0)
        return False

    @Slot()
    def _on_due(self) -> None:
        self._refresh_timer.stop()
        if not self.is_at_full_speed:
            self.refresh()
        elif self._may_show():
            self._refresh_turn.request()

    def _may_show(self) -> bool:
        if not self._is_seen():
            self.wait_for_sight()
            return False
        return not self.is_held_back

    def _is_seen(self) -> bool:
        if self.needs & Needs.shown and not self.isVisible():
            return False
        return not self.needs & Needs.sight or self.is_in_sight


class StepNote(ElidedLabel):
    """Says which merge a panel shows, while the panel takes a moment to follow the workspace.

    It is in the heading, where nothing moves when it appears or disappears.
    """

    def __init__(self, panel: Panel, name: str) -> None:
        super().__init__(panel)
        self._panel = panel
        self._step: int | None = None
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._say)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        named(self, name, "Which merge is shown", "")

    def show_step(self, step: int | None) -> None:
        """Say that the panel shows a step; None: nothing of this run yet."""
        self._step = step
        is_behind = step is not None and step != self._panel.current_step
        if not is_behind or self.text() or self._panel.is_held_back or self._panel.is_at_full_speed:
            self._say()
        elif not self._late.isActive():
            self._late.start()

    @Slot()
    def _say(self) -> None:
        self._late.stop()
        step = self._step
        wordings = []
        if step != self._panel.current_step:
            if step is not None:
                place = f"at merge {number(step)}" if step else "before the first merge"
                wordings.append(place)
            if self._panel.is_held_back:
                wordings.append("updates when paused")
        self.setText(", ".join(wordings), *wordings[:1])
