"""When a panel does its work: once a hand rests, and one panel after another.

`Debouncer` waits for a pause in what a person does, `RefreshSlot` for a panel's turn in the event loop. While a run
trains at full speed, every panel has something new at the same moment. Drawn in one go that is a pause which a hand
feels; one at a time, what one panel changed is painted before the next begins, and keys and the mouse come in between.
What is shown is always the newest, for a panel reads the workspace when its slot is granted and not when it asks.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

MOST_MS = 1000
LATE_MS = 100
PAUSE_MS = 4


class Debouncer(QTimer):
    """Fires once, a while after the last `restart`; while restarts go on, once a second.

    A hand that rests stops restarting it, and so does a window that is late with its frames; so the wait is never
    shorter than two of the pauses between restarts.

    Args:
        rest_ms: how long the hand must have rested.
    """

    def __init__(self, rest_ms: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self._rest_ms = rest_ms
        self._begun_s = self._restarted_s = 0.0

    def restart(self) -> None:
        """Something moved: wait anew, unless that has gone on for long."""
        now_s = monotonic()
        if not self.isActive():
            self._begun_s = now_s
        left_ms = round(MOST_MS - 1000 * (now_s - self._begun_s))
        pause_ms = round(1000 * (now_s - self._restarted_s))
        self._restarted_s = now_s
        wanted_ms = max(self._rest_ms, 2 * pause_ms) if pause_ms < LATE_MS else self._rest_ms
        self.start(min(wanted_ms, max(0, left_ms)))


class RefreshSlot(QObject):
    """One panel's place in the queue of panels that have something new to show.

    Signals:
        granted: the panel may now change as much as is drawn within a frame.
    """

    granted = Signal()

    def __init__(self, workspace: QObject, parent: QObject) -> None:
        """A slot that is not requested yet.

        Args:
            workspace: the panels that draw it share one queue.
            parent: the panel.
        """
        super().__init__(parent)
        self._queue = workspace.findChild(_Queue) or _Queue(workspace)

    @property
    def is_waiting(self) -> bool:
        """Whether the slot was requested and is not granted yet."""
        return self in self._queue.waiting

    def request(self) -> None:
        """Join the queue; requested again before it is granted, the slot keeps its place."""
        self._queue.add(self)

    def cancel(self) -> None:
        """Leave the queue: what was to be shown is shown already."""
        self._queue.waiting.pop(self, None)


class _Queue(QObject):
    def __init__(self, workspace: QObject) -> None:
        super().__init__(workspace)
        self.waiting: dict[RefreshSlot, None] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._on_timeout)

    def add(self, slot: RefreshSlot) -> None:
        self.waiting.setdefault(slot)
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        while self.waiting:
            slot = next(iter(self.waiting))
            del self.waiting[slot]
            if isValid(slot):
                # Before the panel does its part, so that the pause is one for the others' events and not for nothing.
                self._timer.start()
                slot.granted.emit()
                return
