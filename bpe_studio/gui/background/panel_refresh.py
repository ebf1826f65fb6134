"""Decides when a panel repaints; all panels use it.

A request waits (until requests pause, or for the next frame); it is dropped while nobody can see the panel, and made
again when it becomes visible; it is held back while a run trains too fast for it; and while a run trains, it takes its
turn in the queue of panels. A panel says once how long to wait and what it needs, connects signals to `request`, and
shows the current state when it is called, in the window's thread. Long computations belong to `latest_answer`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from math import isinf
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Slot

from bpe_studio.gui.background.scheduling import Debouncer, RefreshSlot
from bpe_studio.gui.widgets.containers import would_be_shown
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from bpe_studio.workspace.workspace import Workspace

SLOW_MERGES_PER_S = 4.0
"""Up to this speed a user can follow each merge."""


class Needs(Flag):
    """The condition under which a panel is refreshed.

    Attributes:
        nothing: always.
        shown: the panel is shown, perhaps behind the tab of another one.
        sight: part of the panel is on the screen.
        sight_while_running: the same, but only while a run trains.
        slow_run: no run trains faster than a user can follow.
        paced_run: no run trains at full speed.
        no_run: no run trains.
    """

    nothing = 0
    shown = auto()
    sight = auto()
    sight_while_running = auto()
    slow_run = auto()
    no_run = auto()
    paced_run = auto()


@dataclass(frozen=True)
class Wait:
    """How long a request waits.

    Attributes:
        ms: the time in milliseconds; 0 for no wait.
        starts_anew: whether each request restarts the wait, as when debouncing; otherwise it is the least time between
            two refreshes.
        fast_ms: the time while a run trains faster than a user can follow; None: the same as `ms`.
        slowest_ms: after a slow refresh the wait doubles, up to this; 0: it does not.
    """

    ms: int = 0
    starts_anew: bool = False
    fast_ms: int | None = None
    slowest_ms: int = 0


AT_ONCE = Wait()


def resting(ms: int) -> Wait:
    """Wait until there was no request for `ms` milliseconds."""
    return Wait(ms, starts_anew=True)


def every(ms: int, *, fast_ms: int | None = None, slowest_ms: int = 0) -> Wait:
    """Refresh at most once in `ms` milliseconds; see `Wait` for the other arguments."""
    return Wait(ms, fast_ms=fast_ms, slowest_ms=slowest_ms)


class PanelRefresh(QObject):
    """Calls a panel when it should show the current state.

    Args:
        panel: the panel.
        workspace: what it shows.
        show: called in the window's thread; shows the current state.
        at_rest: how long a request waits while no run trains.
        running: how long it waits while a run trains; by default as `at_rest`.
        hidden_ms: a hidden panel is refreshed too, after a pause of this many milliseconds, and again when it becomes
            visible; None: `needs` decides.
        needs: the condition.
        takes_turns_at_rest: whether it takes its turn in the queue of panels also while no run trains.
        held_back: called instead of `show` while a run trains too fast for the panel.

    Example:
        `self._refresh = PanelRefresh(self, workspace, self._show_step, at_rest=resting(45), needs=Needs.sight)`, then
        `workspace.step_changed.connect(self._refresh.request)`.
    """

    def __init__(
        self,
        panel: QWidget,
        workspace: Workspace,
        show: Callable[[], object],
        *,
        at_rest: Wait = AT_ONCE,
        running: Wait | None = None,
        hidden_ms: int | None = None,
        needs: Needs = Needs.nothing,
        takes_turns_at_rest: bool = False,
        held_back: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(panel)
        self._panel, self._workspace, self._show = panel, workspace, show
        self._at_rest, self._running = at_rest, running if running is not None else at_rest
        self._hidden_ms, self._needs = hidden_ms, needs
        self._takes_turns_at_rest, self._held_back = takes_turns_at_rest, held_back
        self._spent_ms = 0.0
        self._is_waiting_for_sight = False
        self._timer = Debouncer(at_rest.ms, self)
        if not at_rest.starts_anew:
            self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._slot = RefreshSlot(workspace, self)
        self._timer.timeout.connect(self._on_due)
        self._slot.granted.connect(self._on_granted)
        if not self._is_seen():
            self.wait_for_sight()

    @property
    def is_in_sight(self) -> bool:
        """Whether part of the panel is on the screen; behind another's tab it is shown, but has no visible region.

        In a main window that was never shown it is what would be on the screen.
        """
        return not self._panel.visibleRegion().isEmpty() or would_be_shown(self._panel)

    @property
    def is_running(self) -> bool:
        """Whether a run trains."""
        return self._workspace.state is State.running

    @property
    def is_too_fast(self) -> bool:
        """Whether a run trains faster than a user can follow."""
        return self.is_running and self._workspace.transport.speed > SLOW_MERGES_PER_S

    @property
    def is_at_full_speed(self) -> bool:
        """Whether a run trains as fast as it can."""
        return self.is_running and isinf(self._workspace.transport.speed)

    @property
    def is_pending(self) -> bool:
        """Whether a request was made that is not shown yet."""
        return self._timer.isActive() or self._slot.is_waiting

    @Slot()
    def request(self) -> None:
        """Request a refresh."""
        if self._hidden_ms is not None and not self.is_in_sight:
            self._timer.start(self._hidden_ms)
            # Otherwise it could come to the front before then, and show an outdated state.
            self.wait_for_sight()
            return
        wait = self._running if self.is_running else self._at_rest
        if wait.starts_anew:
            self._timer.restart()
        elif wait.ms == 0:
            self._on_due()
        else:
            ms = wait.ms if wait.fast_ms is None or not self.is_too_fast else wait.fast_ms
            if wait.slowest_ms:
                ms = min(wait.slowest_ms, max(ms, round(2 * self._spent_ms)))
            if not self._timer.isActive() or self._timer.remainingTime() > ms:
                self._timer.start(ms)

    @Slot()
    def request_soon(self, ms: int = 0) -> None:
        """Request a refresh after `ms` milliseconds, whatever else was requested."""
        self._timer.start(ms)

    @Slot()
    def take_turn(self) -> None:
        """Request a refresh without a wait, but in the queue of panels."""
        self._slot.request()

    @Slot()
    def now(self) -> None:
        """Refresh before this returns, if the condition holds."""
        self.cancel()
        if self._may_show():
            self._stop_waiting_for_sight()
            start = perf_counter()
            self._show()
            self._spent_ms = 1000 * (perf_counter() - start)

    @Slot()
    def cancel(self) -> None:
        """Drop the request, as when the panel is already up to date."""
        self._timer.stop()
        self._slot.cancel()

    def wait_for_sight(self) -> None:
        """Request a refresh when the panel becomes visible, because not all of it could be shown."""
        if not self._is_waiting_for_sight:
            self._is_waiting_for_sight = True
            self._panel.installEventFilter(self)

    def _stop_waiting_for_sight(self) -> None:
        if self._is_waiting_for_sight:
            self._is_waiting_for_sight = False
            self._panel.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A panel that was covered, and not hidden, gets a paint event, but no show event.
        kind = event.type()
        kinds = (QEvent.Type.Show, QEvent.Type.Paint, QEvent.Type.ShowToParent)
        if kind in kinds and watched is self._panel:
            self._stop_waiting_for_sight()
            if kind == QEvent.Type.Show and self._needs & Needs.shown:
                self.now()
            else:
                # The step does not move, so waiting would save nothing and leave an outdated panel in view.
                self.request_soon()
        return False

    @Slot()
    def _on_due(self) -> None:
        self._timer.stop()
        if self.is_running or self._takes_turns_at_rest:
            if self._may_show():
                self._slot.request()
        else:
            self.now()

    @Slot()
    def _on_granted(self) -> None:
        self.now()

    def _may_show(self) -> bool:
        if not self._is_seen():
            self.wait_for_sight()
            return False
        needs = self._needs
        if (
            (needs & Needs.no_run and self.is_running)
            or (needs & Needs.slow_run and self.is_too_fast)
            or (needs & Needs.paced_run and self.is_at_full_speed)
        ):
            if self._held_back is not None:
                self._held_back()
            return False
        return True

    def _is_seen(self) -> bool:
        needs = self._needs
        if needs & Needs.shown and not self._panel.isVisible():
            return False
        needs_sight = needs & Needs.sight or (needs & Needs.sight_while_running and self.is_running)
        return not needs_sight or self.is_in_sight
