"""Garbage collection in the window's thread only.

Python collects garbage in whichever thread creates an object next. If that is a thread of the pool,
and the garbage holds a widget or a timer, Qt deletes it outside its own thread, and the process
crashes.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 200


class GarbageCollection(QObject):
    """Collects garbage from the event loop of the thread that creates it, and nowhere else.

    Args:
        parent: the owner, with which the collections end.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that has reached Python's threshold, if any has."""
        counts = gc.get_count()
        thresholds = gc.get_threshold()
        due = [
            k
            for k, (count, most) in enumerate(zip(counts, thresholds, strict=True))
            if count > most
        ]
        if due:
            gc.collect(due[-1])
