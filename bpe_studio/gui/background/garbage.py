"""Garbage collection in the window's thread only.

Python collects garbage in whichever thread creates an object next. If that is a thread of the pool, and the garbage
holds a widget or a timer, Qt deletes it outside its own thread, and the process crashes.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject

from bpe_studio.gui.background.scheduling import TurnTimer
from bpe_studio.workspace.backend import objects_frozen

INTERVAL_MS = 200
STARTING_MS = 40
"""The interval after the start, when a library that is imported makes so many objects that looking at those of a fifth
of a second would block the window for a thirtieth of a second."""
STARTING_S = 600.0
"""For so long after the start only new objects are looked at, or until the objects of numba are frozen: they are half a
million. They come late where the kernels are compiled for the first time, on a busy computer after minutes."""
LARGEST_SHARE = 0.05
"""Of the time that full collections may take, each of which looks at every object and blocks the window meanwhile."""


def leave_out_what_is_made() -> None:
    """Has all later collections leave out what there is now, as the modules and the window when it is first shown.

    They live as long as the program, and looking at them takes as long as painting the window.
    """
    gc.freeze()


class GarbageCollection(QObject):
    """Replaces Python's automatic collections by collections from the event loop of the thread that makes this.

    Args:
        parent: collections end with it.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._full_took_s, self._full_ended_s = 0.0, time.monotonic()
        self._begun_s = self._full_ended_s
        self._is_starting = True
        self._timer = TurnTimer(self)  # the first paint is a long turn
        self._timer.timeout.connect(self.collect_what_is_due)
        self._timer.start(STARTING_MS)

    def collect_what_is_due(self) -> None:
        """Collects the oldest generation that has reached Python's threshold, if any has."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        due = [k for k, (count, most) in enumerate(zip(counts, thresholds, strict=True)) if count > most]
        if not due:
            return
        if self._is_starting and not self._has_started():
            gc.collect(0)
            return
        if due[-1] < 2:
            gc.collect(due[-1])
            return
        begun_s = time.monotonic()
        if begun_s - self._full_ended_s < self._full_took_s / LARGEST_SHARE:
            gc.collect(1)
            return
        gc.collect()
        self._full_ended_s = time.monotonic()
        self._full_took_s = self._full_ended_s - begun_s

    def _has_started(self) -> bool:
        self._is_starting = not objects_frozen.is_set() and time.monotonic() < self._begun_s + STARTING_S
        if not self._is_starting:
            self._timer.start(INTERVAL_MS)
        return not self._is_starting
