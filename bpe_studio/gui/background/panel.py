"""The base class of the panels: decides when one shows what is new in the workspace.

A request waits (until requests pause, or for the next frame); it is dropped while nobody can see the panel, and made
again when it becomes visible; it is held back while a run trains too fast for it; and while a run trains, it takes its
turn in the queue of panels. Long computations belong to `latest_answer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from math import isinf
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.background.scheduling import Debouncer, RefreshSlot
from bpe_studio.gui.widgets.containers import would_be_shown
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

SLOW_MERGES_PER_S = 4.0
"""Up to this speed a user can follow each merge."""


class Needs(Flag):
    """The condition under which a panel is refreshed.

    Attributes:
        nothing: always.
        shown: the panel is shown, perhaps behind the tab of another one.
        sight: part of the panel is on the screen.
        slow_run: no run trains faster than a user can follow.
        paced_run: no run trains at full speed.
        no_run: no run trains.
    """

    nothing = 0
    shown = auto()
    sight = auto()
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


class Panel(QWidget):
    """A panel of the workspace. A subclass has `show_state`, and connects signals to `request_refresh`.

    Attributes:
        at_rest: how long a request waits while no run trains.
        while_training: how long it waits while a run trains; None: as `at_rest`.
        needs: the condition.
        takes_turns_at_rest: whether it takes its turn in the queue of panels also while no run trains.
    """

    at_rest = AT_ONCE
    while_training: Wait | None = None
    needs = Needs.nothing
    takes_turns_at_rest = False

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._spent_ms = 0.0
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
        """Whether part of the panel is on the screen; behind another's tab it is shown, but has no visible region.

        In a main window that was never shown it is what would be on the screen.
        """
        return not self.visibleRegion().isEmpty() or would_be_shown(self)

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
    def is_refresh_pending(self) -> bool:
        """Whether a refresh was requested that has not come yet."""
        return self._refresh_timer.isActive() or self._refresh_turn.is_waiting

    @Slot()
    def request_refresh(self) -> None:
        """Request a refresh."""
        wait = self.while_training if self.is_training and self.while_training is not None else self.at_rest
        if wait.starts_anew:
            self._refresh_timer.restart()
        elif wait.ms == 0:
            self._on_due()
        else:
            ms = wait.ms if wait.fast_ms is None or not self.is_too_fast else wait.fast_ms
            if wait.slowest_ms:
                ms = min(wait.slowest_ms, max(ms, round(2 * self._spent_ms)))
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
        """Refresh before this returns, if the condition holds."""
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
        """Request a refresh when the panel becomes visible, because not all of it could be shown."""
        if not self._is_waiting_for_sight:
            self._is_waiting_for_sight = True
            self.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A panel that was covered, and not hidden, gets a paint event, but no show event.
        kind = event.type()
        if watched is self and kind in (QEvent.Type.Show, QEvent.Type.Paint, QEvent.Type.ShowToParent):
            self._is_waiting_for_sight = False
            self.removeEventFilter(self)
            if kind == QEvent.Type.Show and self.needs & Needs.shown:
                self.refresh()
            else:
                # The step does not move, so waiting would save nothing and leave an outdated panel in view.
                self.request_refresh_in(0)
        return False

    @Slot()
    def _on_due(self) -> None:
        self._refresh_timer.stop()
        if not self.is_training and not self.takes_turns_at_rest:
            self.refresh()
        elif self._may_show():
            self._refresh_turn.request()

    def _may_show(self) -> bool:
        if not self._is_seen():
            self.wait_for_sight()
            return False
        return not (
            (self.needs & Needs.no_run and self.is_training)
            or (self.needs & Needs.slow_run and self.is_too_fast)
            or (self.needs & Needs.paced_run and self.is_at_full_speed)
        )

    def _is_seen(self) -> bool:
        if self.needs & Needs.shown and not self.isVisible():
            return False
        return not self.needs & Needs.sight or self.is_in_sight
