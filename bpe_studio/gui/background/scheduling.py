"""Schedules the work of panels: after a pause in the input, and one panel after another.

`Debouncer` waits for a pause in the input, `RefreshSlot` for a panel's turn. Both use `TurnTimer`,
which lets keys and painting come first after a long turn. While a run trains at full speed, all
panels have something new at once. Painting them together would cause a noticeable pause; so each is
painted before the next begins, and keys and mouse are handled in between. A panel reads the
workspace when its slot is granted, so it always shows the latest state.
"""

from __future__ import annotations

from time import monotonic, perf_counter

from PySide6.QtCore import QObject, QTimer, QTimerEvent, Signal, Slot
from shiboken6 import isValid

MOST_MS = 1000
LATE_MS = 100
PAUSE_MS = 4
BREATH_MS = 1
"""The least time from the end of a turn to the next one, so that timers and keys that became due
meanwhile come first.
"""

BUSY_S = 0.005
"""A timer that is later than this comes after a long turn of something else."""


class TurnTimer(QTimer):
    """A timer that waits for one more pass of the event loop when it is late.

    Otherwise all timers that became due in a long turn would fire in the same pass, and keys, mouse
    and painting would wait for all of them. It waits once, even if it is started again meanwhile,
    as by each frame of a drag.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._due_s = 0.0
        self._is_held = False

    def start(self, ms: int | None = None) -> None:
        """Start or restart, by default with the interval that is set."""
        after_ms = self.interval() if ms is None else ms
        super().start(after_ms)
        self._due_s = perf_counter() + self.interval() / 1000

    def timerEvent(self, event: QTimerEvent) -> None:
        if not self._is_held and perf_counter() > self._due_s + BUSY_S:
            self._is_held = True
            if self.isSingleShot():
                super().start(BREATH_MS)
            return
        self._is_held = False
        super().timerEvent(event)
        if isValid(self) and not self.isSingleShot():
            self._due_s = perf_counter() + self.interval() / 1000


class Debouncer(TurnTimer):
    """Emits `timeout` once, some time after the last `restart`; if restarts continue, once a
    second.

    Restarts are rarer when the window is late with its frames, so the wait is at least twice the
    last interval between restarts.

    Args:
        rest_ms: the length of the pause, in milliseconds.
    """

    def __init__(self, rest_ms: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self._rest_ms = rest_ms
        self._begun_s = 0.0
        self._restarted_s = 0.0

    def restart(self) -> None:
        """Start the wait again, unless that has been done for a second."""
        now_s = monotonic()
        if not self.isActive():
            self._begun_s = now_s
        left_ms = round(MOST_MS - 1000 * (now_s - self._begun_s))
        pause_ms = round(1000 * (now_s - self._restarted_s))
        self._restarted_s = now_s
        wanted_ms = max(self._rest_ms, 2 * pause_ms) if pause_ms < LATE_MS else self._rest_ms
        self.start(min(wanted_ms, max(0, left_ms)))


class RefreshSlot(QObject):
    """A panel's place in the queue of panels that want to repaint.

    Signals:
        granted: the panel may now update.
    """

    granted = Signal()

    def __init__(self, workspace: QObject, parent: QObject) -> None:
        """Create a slot that is not requested yet.

        Args:
            workspace: its panels share one queue.
            parent: the panel.
        """
        super().__init__(parent)
        self._queue = workspace.findChild(_Queue) or _Queue(workspace)

    @property
    def is_waiting(self) -> bool:
        """Whether the slot was requested and is not granted yet."""
        return self in self._queue.waiting

    def request(self) -> None:
        """Join the queue; a slot that is requested again keeps its place."""
        self._queue.add(self)

    def cancel(self) -> None:
        """Leave the queue, as when the panel is already up to date."""
        self._queue.waiting.pop(self, None)


class _Queue(QObject):
    def __init__(self, workspace: QObject) -> None:
        super().__init__(workspace)
        self.waiting: dict[RefreshSlot, None] = {}
        self._timer = TurnTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)

    def add(self, slot: RefreshSlot) -> None:
        self.waiting.setdefault(slot)
        if not self._timer.isActive():
            self._timer.start(PAUSE_MS)

    @Slot()
    def _on_timeout(self) -> None:
        while self.waiting:
            slot = next(iter(self.waiting))
            del self.waiting[slot]
            if isValid(slot):
                # Started before the panel updates, for an update that runs an event loop.
                self._timer.start(PAUSE_MS)
                begun_s = perf_counter()
                slot.granted.emit()
                self._timer.start(
                    max(BREATH_MS, PAUSE_MS - round(1000 * (perf_counter() - begun_s)))
                )
                return
