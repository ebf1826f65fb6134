"""Gives memory back to the system: few heaps for all threads, and what is free in them once a text is closed.

glibc gives each thread a heap of its own, up to eight for each processor. What one thread made and another freed leaves
holes in all of them, which no other thread fills: a window that kept nothing more grew by a tenth in ten minutes.
Elsewhere nothing is done here.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThreadPool, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpe_studio.workspace.workspace import Workspace

REST_MS = 3000
_ARENA_MAX = -8
"""`M_ARENA_MAX` of malloc.h."""


def limit_heaps() -> None:
    """Has all threads share as many heaps as there are processors; call it before threads are started."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_ARENA_MAX, max(2, os.cpu_count() or 2))


def give_back() -> None:
    """Returns what is free in the heaps; takes some milliseconds, without the interpreter's lock."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


class MemoryReturn(QObject):
    """Returns free memory, in the pool, some seconds after another run was opened or closed.

    Where runs follow one another without a rest it is returned all the same, once in so many seconds, and after the
    last.

    Args:
        workspace: says when.
        parent: ends it.
        rest_ms: how long after a change it is returned.
        give_back: returns it; called in the pool.
    """

    def __init__(
        self,
        workspace: Workspace,
        parent: QObject,
        rest_ms: int = REST_MS,
        give_back: Callable[[], None] = give_back,
    ) -> None:
        super().__init__(parent)
        self._give_back = give_back
        self._is_due_again = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(rest_ms)
        self._rest.timeout.connect(self._on_rest)
        workspace.run_changed.connect(self._on_run_changed)

    @Slot()
    def _on_run_changed(self) -> None:
        self._is_due_again = self._rest.isActive()
        if not self._is_due_again:
            self._rest.start()

    @Slot()
    def _on_rest(self) -> None:
        if self._is_due_again:
            self._is_due_again = False
            self._rest.start()
        QThreadPool.globalInstance().start(self._give_back)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None
