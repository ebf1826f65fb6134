"""Folders of this process alone, which only their owner can read: for temporary files, and for
unsaved work.

The process holds a lock in its folder as long as it lives, which the system releases when it ends
in any way. So a folder whose lock nobody holds was left by a killed process; whoever finds it
(`abandoned`) holds it from then on. Where locks are not supported, none is found. On Windows an
open file cannot be removed, which serves as the lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import weakref
from itertools import islice
from pathlib import Path

PREFIX = "bpe-studio-"
_LOCK = ".lock"
_MOST_ENTRIES = 100_000
_AGE_S = 3600
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class PrivateFolder:
    """A folder that is removed after the last reference to it.

    It is removed in a thread of its own: a disk can take half a second for it, and the reference
    may be the window's.

    Args:
        parent: the folder that it is made in; `None` for the system's folder for temporary files.

    Attributes:
        path: its path.
    """

    def __init__(self, parent: Path | None = None) -> None:
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
            lock = open_private(os.path.join(self.path, _LOCK))
            if _lock(lock) is not False:
                break
            os.close(lock)  # another process took it for abandoned before it was locked
        self._own(lock)

    def _own(self, lock: int) -> None:
        self._finalizer = weakref.finalize(self, _discard_in_thread, self.path, lock)

    def remove(self) -> None:
        """Remove it with its content, and return when it is gone."""
        if (kept := self._finalizer.detach()) is not None:
            _discard(*kept[2])

    def leave(self) -> None:
        """Leave it for another process to find."""
        if (kept := self._finalizer.detach()) is not None:
            os.close(kept[2][1])


def abandoned(parent: Path | None = None) -> list[PrivateFolder]:
    """The folders of killed processes; this process holds them now."""
    found = []
    with contextlib.suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if not entry.name.startswith(PREFIX):
                continue
            if (lock := _claim(entry.path)) is not None:
                folder = PrivateFolder.__new__(PrivateFolder)
                folder.path = entry.path
                folder._own(lock)
                found.append(folder)
            else:
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _AGE_S:
                        # It is empty: the process was killed right after it had made it.
                        os.rmdir(entry.path)
    return found


def remove_abandoned() -> None:
    """Remove the temporary folders of processes that were killed."""
    for folder in abandoned():
        folder.remove()


def open_private(path: str) -> int:
    """The descriptor of a new file that only its owner can read and write."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _NO_LINK
    return os.open(path, flags, 0o600)


def _claim(folder: str) -> int | None:
    """Hold the lock of a folder; `None` if a process holds it, there is none, or it is another
    user's.
    """
    lock = os.path.join(folder, _LOCK)
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return None
        if sys.platform == "win32":
            os.unlink(lock)  # fails while it is open
            return open_private(lock)
        handle = os.open(lock, os.O_RDWR | _NO_LINK)
    except OSError:
        return None
    if os.fstat(handle).st_uid == os.geteuid() and _lock(handle):
        return handle
    os.close(handle)
    return None


def _lock(handle: int) -> bool | None:
    """Lock an open file without waiting; `None` if that is not supported, False if another process
    has or removes it.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return os.fstat(handle).st_nlink > 0


def _discard_in_thread(path: str, lock: int) -> None:
    if threading.main_thread().is_alive():
        threading.Thread(target=_discard, args=(path, lock), name="removing").start()
    else:
        _discard(path, lock)  # Python exits, and would not wait for a thread


def _discard(path: str, lock: int) -> None:
    # The lock last: it says that the rest may be removed.
    names = os.listdir(path) if os.path.isdir(path) else ()
    for name in names:
        if name != _LOCK:
            place = os.path.join(path, name)
            shutil.rmtree(place, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.unlink(place)
    if sys.platform == "win32":
        os.close(lock)  # an open file cannot be removed there
        shutil.rmtree(path, ignore_errors=True)
        return
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)
