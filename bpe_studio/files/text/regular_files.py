"""Opens only regular files, without ever waiting: no pipes, devices or folders.

A path may name anything. Opening a named pipe waits for a writer, reading a device may never end,
and opening some devices has side effects. So the path is checked first, opened without waiting, and
checked again after opening, because another file may have replaced it in between. Links are
followed, and their targets checked. A file that was replaced since it was read is recognized by its
`fingerprint`.
"""

from __future__ import annotations

import os
import stat
from typing import IO

from bpe_studio.errors import SourceError

Fingerprint = tuple[int, int, int, int, int]
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)


def open_regular(path: str | os.PathLike[str]) -> IO[bytes]:
    """A regular file, opened for reading.

    Raises:
        SourceError: it is a folder, a pipe or a device, or the path cannot be the name of a file.
        OSError: it is missing, or may not be read.
    """
    place = os.fspath(path)
    try:
        _check(place, os.stat(place))
        handle = os.open(place, _FLAGS)
    except ValueError:
        raise SourceError(f"{place!r} cannot be the name of a file: choose another") from None
    try:
        _check(place, os.fstat(handle))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether there is a regular file at a path; it is not opened."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def fingerprint(path: str | os.PathLike[str]) -> Fingerprint | None:
    """The identity of a file (its disk, its number there, its size and its times of change); `None`
    if it is missing.
    """
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def unreadable(name: str, error: OSError) -> SourceError:
    """The error that says why a file cannot be read."""
    name = name or "''"
    if isinstance(error, FileNotFoundError):
        return SourceError(f"{name} does not exist: check the name, or choose another file")
    if isinstance(error, PermissionError):
        return SourceError(
            f"{name} cannot be read (permission denied): change its permissions, or choose another"
        )
    reason = error.strerror or str(error)
    return SourceError(
        f"{name} cannot be read ({reason}): check the disk it is on, or choose another file"
    )


def _check(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(f"{path} is a folder: choose the text files in it")
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(
            f"{path} is a pipe or a device, not a file: save its text in a file, and open that"
        )
