"""A timer for what is too heavy to follow a hand: it waits until the hand rests, and not for ever where it does not."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer

MOST_MS = 1000
LATE_MS = 100


class Debouncer(QTimer):
    """Fires once, a while after the last `nudge`; while nudges go on, once a second.

    A hand that rests stops nudging, and so does a window that is late with its frames; so the wait is never shorter
    than two of the pauses between nudges.

    Args:
        rest_ms: how long the hand must have rested.
    """

    def __init__(self, rest_ms: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self._rest_ms = rest_ms
        self._begun_s = self._nudged_s = 0.0

    def nudge(self) -> None:
        """Something moved: wait anew, unless that has gone on for long."""
        now_s = monotonic()
        if not self.isActive():
            self._begun_s = now_s
        left_ms = round(MOST_MS - 1000 * (now_s - self._begun_s))
        pause_ms = round(1000 * (now_s - self._nudged_s))
        self._nudged_s = now_s
        wanted_ms = max(self._rest_ms, 2 * pause_ms) if pause_ms < LATE_MS else self._rest_ms
        self.start(min(wanted_ms, max(0, left_ms)))
