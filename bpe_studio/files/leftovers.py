"""Temporary files and folders: their names, their locks, and the removal of those that killed processes leave behind.

A killed process cannot clean up; the next one does: temporary files at the next save in their folder
(`remove_leftovers`), private folders when the window starts (`remove_abandoned`). Only the program's own are removed:
the name has its pattern and the owner is the same user. And only unused ones: the writer holds a lock, which the system
releases when its process ends in any way. Where locks are not supported, nothing is removed. A folder that is renamed
while another takes its place has a different pattern (`aside_path`), because it may be the only complete one;
`atomic_folder.py` renames it back or removes it.

On Windows an open file cannot be removed, which serves as the lock.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
import time
import weakref
from itertools import islice

SUFFIX, ASIDE_SUFFIX = ".bpe-studio.tmp", ".bpe-studio.old"
PREFIX = "bpe-studio-"
ATTEMPTS = 10
"""So often a new name is tried where another process has just removed what was made; not for ever."""
_LOCK = ".lock"
_MADE = re.compile(rf"{re.escape(PREFIX)}[a-z0-9_]{{8}}")
_MOST_NAME_BYTES = 150
_MOST_ENTRIES = 100_000
_AGE_S = 3600
_RANDOM = r"\.[0-9a-f]{12}"
_OURS = re.compile(rf"\..*{_RANDOM}{re.escape(SUFFIX)}", re.DOTALL)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def temporary_path(target: str) -> str:
    """A free name in the folder of a file or folder, so that the rename stays on one disk.

    A file with such a name is removed when no process holds it: use other names for what must outlast the process.
    """
    folder, name = os.path.split(target)
    while len(os.fsencode(name)) > _MOST_NAME_BYTES:
        name = name[:-1]
    return os.path.join(folder, f".{name}.{os.urandom(6).hex()}{SUFFIX}")


def aside_path(target: str) -> str:
    """A free name in the same folder for a folder that is being replaced, from which its place can be recognized."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{_recognizable(name)}.{os.urandom(6).hex()}{ASIDE_SUFFIX}")


def asides_of(target: str) -> list[str]:
    """The renamed folders that belong to a place."""
    folder, name = os.path.split(target)
    pattern = re.compile(rf"\.{re.escape(_recognizable(name))}{_RANDOM}{re.escape(ASIDE_SUFFIX)}", re.DOTALL)
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.path for entry in islice(entries, _MOST_ENTRIES) if pattern.fullmatch(entry.name))
    except OSError:
        return []


def _recognizable(name: str) -> str:
    """The name or, if it is too long to be extended, its beginning and a unique number."""
    content = os.fsencode(name)
    if len(content) <= _MOST_NAME_BYTES:
        return name
    from hashlib import sha256

    return f"{name[:20]}-{sha256(content).hexdigest()[:24]}"


def is_held(path: str) -> bool:
    """Whether a process holds a folder, or it belongs to another user.

    Raises:
        OSError: it does not exist, or may not be opened.
    """
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or not _is_own(status):
        return True
    if sys.platform == "win32":
        return False
    handle = os.open(path, os.O_RDONLY | _NO_LINK)
    try:
        return _lock(handle) is False
    finally:
        os.close(handle)


def hold(handle: int) -> bool:
    """Lock an open file or folder until it is closed.

    Args:
        handle: its descriptor.

    Returns:
        False if it does not exist any more, because another process removes it.
    """
    return _lock(handle) is not False and os.fstat(handle).st_nlink > 0


def hold_folder(path: str) -> int | None:
    """Lock a folder; the descriptor to close, or None on a system that cannot open folders."""
    if sys.platform == "win32":
        return None
    handle = os.open(path, os.O_RDONLY | _NO_LINK)
    hold(handle)
    return handle


def claim(path: str) -> int | None:
    """Hold a lock file that no living process holds.

    Args:
        path: the lock file.

    Returns:
        Its descriptor, which holds it until it is closed; None if a process holds it, it does not exist or is another
        user's, or locks are not supported there.
    """
    try:
        if sys.platform == "win32":
            os.unlink(path)  # fails while it is open
            return open_private(path)
        handle = os.open(path, os.O_RDWR | _NO_LINK)
    except OSError:
        return None
    if _is_own(os.fstat(handle)) and _lock(handle) and os.fstat(handle).st_nlink > 0:
        return handle
    os.close(handle)
    return None


def remove_leftovers(folder: str, name: str) -> None:
    """Remove temporary files that killed processes left in a folder.

    Args:
        folder: the folder in which something is saved.
        name: its name; leftovers of earlier versions, which had no suffix, are recognized by it.
    """
    earlier = re.compile(rf"\.{re.escape(name[:80])}{_RANDOM}\.tmp", re.DOTALL)
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            found = entry.name.endswith(".tmp") and (_OURS.fullmatch(entry.name) or earlier.fullmatch(entry.name))
            if found:
                with contextlib.suppress(OSError):
                    _remove(entry)


def _remove(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    is_folder = stat.S_ISDIR(status.st_mode)
    if not (is_folder or stat.S_ISREG(status.st_mode)) or not _is_own(status):
        return
    if sys.platform == "win32":
        if time.time() - status.st_mtime > _AGE_S:
            _delete(entry.path, is_folder)
        return
    handle = os.open(entry.path, os.O_RDONLY | _NO_LINK)
    try:
        if os.path.samestat(os.fstat(handle), status) and _lock(handle):
            _delete(entry.path, is_folder)
    finally:
        os.close(handle)


def _delete(path: str, is_folder: bool) -> None:
    if is_folder:
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def _is_own(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def _lock(handle: int) -> bool | None:
    """Lock an open file or folder without waiting; None if that is not supported."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


class PrivateFolder:
    """A folder for temporary files that only their owner can read; it is removed after the last reference to it.

    That takes a thread of its own: a disk can take half a second for it, and the reference may be the window's.

    Attributes:
        path: its path, in the system's folder for temporary files.
    """

    def __init__(self) -> None:
        for attempt in range(ATTEMPTS):
            # Of the owner alone: mkdtemp gives it the mode 0700.
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            lock = open_private(os.path.join(self.path, _LOCK))
            if hold(lock) or attempt == ATTEMPTS - 1:
                break
            os.close(lock)
        self._finalizer = weakref.finalize(self, _discard_in_thread, self.path, lock)

    def remove(self) -> None:
        """Remove it with its content, and return when it is gone."""
        if (kept := self._finalizer.detach()) is not None:
            _discard(*kept[2])


def open_private(path: str) -> int:
    """The descriptor of a new file that only its owner can read and write."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _NO_LINK
    return os.open(path, flags, 0o600)


def _discard_in_thread(path: str, lock: int) -> None:
    if threading.main_thread().is_alive():
        threading.Thread(target=_discard, args=(path, lock), name="removing").start()
    else:
        _discard(path, lock)  # Python exits, and would not wait for a thread


def _discard(path: str, lock: int) -> None:
    if sys.platform == "win32":
        os.close(lock)  # an open file cannot be removed there
        shutil.rmtree(path, ignore_errors=True)
        return
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


def remove_abandoned() -> None:
    """Remove the private folders of processes that were killed."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _remove_abandoned(entry)


def _remove_abandoned(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or not _is_own(status):
        return
    lock = os.path.join(entry.path, _LOCK)
    if sys.platform == "win32":
        os.unlink(lock)
        shutil.rmtree(entry.path, ignore_errors=True)
        return
    try:
        handle = os.open(lock, os.O_RDWR | _NO_LINK)
    except FileNotFoundError:
        # It is not ours, or is just being created; or its process was killed before there was anything in it.
        is_old = _MADE.fullmatch(entry.name) and time.time() - status.st_mtime > _AGE_S
        if is_old and _holds_only_texts(entry.path) and not _is_open(entry.path):
            shutil.rmtree(entry.path, ignore_errors=True)
        return
    try:
        if _lock(handle):
            shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(handle)


def _holds_only_texts(folder: str) -> bool:
    """Whether it is empty, or has what earlier versions put into theirs: files named 0, 1, 2 and so on."""
    with os.scandir(folder) as entries:
        found = {entry.name: entry.is_file(follow_symlinks=False) for entry in islice(entries, _MOST_ENTRIES)}
    return all(found.values()) and found.keys() == {str(number) for number in range(len(found))}


def _is_open(folder: str) -> bool:
    """Whether a process works in a folder or has a file in it open; True where the system does not say."""
    links = []
    try:
        for process in os.listdir("/proc"):
            if process.isdigit():
                with contextlib.suppress(OSError):  # it has ended, or is another user's
                    links += [f"/proc/{process}/cwd"]
                    links += [f"/proc/{process}/fd/{name}" for name in os.listdir(f"/proc/{process}/fd")]
    except OSError:
        return True
    real = os.path.realpath(folder)
    for link in links:
        with contextlib.suppress(OSError):
            place = os.readlink(link)
            if place == real or place.startswith(real + os.sep):
                return True
    return not links
