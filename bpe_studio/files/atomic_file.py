"""Writes files so that a reader sees the old one or the new one, never a part of one.

A new file is written under a temporary name in the same folder, flushed to disk, and renamed: finished bytes with
`atomic_write`, and what is too large for memory, block by block, with an `AtomicFile`. `atomic_folder.py` writes the
files of a folder. This module knows nothing about the content. Files that a killed process left there are removed first
(`leftovers`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import IO

from bpe_studio.errors import SaveError
from bpe_studio.files.leftovers import ATTEMPTS, hold, remove_leftovers, temporary_path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)


class AtomicFile:
    """A file that is written block by block. Its creator commits it or not, and then releases it.

    Another thread may write to it (`opened`), and continue for a moment after its creator has released it.

    Args:
        path: its place. A link is followed; a path that is not a regular file (a pipe, a device) is written to on
            commit.

    Raises:
        SaveError: the folder is missing or not writable, or the path is a folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        self._n_users = 1
        self._temporary = ""
        with save_errors(self._path):
            self._target = os.path.realpath(self._path)
            status = status_of(self._target)
            if status is not None and stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            is_ordinary = status is None or stat.S_ISREG(status.st_mode)
            self._mode = None if status is None or not is_ordinary else stat.S_IMODE(status.st_mode)
            self._stream: IO[bytes] = self._create() if is_ordinary else tempfile.TemporaryFile()  # noqa: SIM115

    def _create(self) -> IO[bytes]:
        remove_leftovers(*os.path.split(self._target))
        for attempt in range(ATTEMPTS):
            self._temporary = temporary_path(self._target)
            stream = create_file(self._temporary)
            if hold(stream.fileno()) or attempt == ATTEMPTS - 1:
                break
            stream.close()
        return stream

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The stream to write to; the file is not removed before the block ends.

        Raises:
            SaveError: the disk is full.
        """
        with self._lock:
            self._n_users += 1
        try:
            with save_errors(self._path):
                yield self._stream
        finally:
            self.release()

    def commit(self) -> None:
        """Rename the file to its place.

        Raises:
            SaveError: it cannot be renamed, or the disk is full.
        """
        with save_errors(self._path):
            self._stream.flush()
            if not self._temporary:
                self._stream.seek(0)
                with open(self._target, "wb") as target:
                    shutil.copyfileobj(self._stream, target, 1 << 20)
                return
            os.fsync(self._stream.fileno())
            if sys.platform == "win32":
                self._stream.close()  # an open file cannot be renamed there; elsewhere it stays locked until it is
            if self._mode is not None:
                with contextlib.suppress(OSError):
                    os.chmod(self._temporary, self._mode)
            os.replace(self._temporary, self._target)
            self._temporary = ""
            self._stream.close()
            sync_folder(os.path.dirname(self._target))

    def release(self) -> None:
        """Stop using it; the last user's release removes an uncommitted file."""
        with self._lock:
            self._n_users -= 1
            if self._n_users > 0:
                return
        with contextlib.suppress(OSError):
            self._stream.close()
        if self._temporary:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = ""


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically; the old file stays as it was if anything fails.

    A link is followed. A path that is not a regular file (a pipe, a device) is written to directly.

    Args:
        path: the file to write.
        data: its content; text is written as UTF-8, line breaks as they are.

    Raises:
        SaveError: the folder is missing or not writable, the disk is full, or the path is a folder.
    """
    content = as_bytes(os.fspath(path), data)
    file = AtomicFile(path)
    try:
        with file.opened() as stream:
            stream.write(content)
        file.commit()
    finally:
        file.release()


def create_file(path: str) -> IO[bytes]:
    """A new empty file; raises an error if the path exists."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o666), "w+b")


def status_of(path: str) -> os.stat_result | None:
    """The status of a path; None if it does not exist."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def sync_folder(path: str) -> None:
    """Make a rename durable across a power failure, if the system can do that for folders."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def as_bytes(path: str, data: bytes | str) -> bytes:
    """The content of a file; text as UTF-8.

    Raises:
        SaveError: the text has lone surrogates, which are not valid UTF-8.
    """
    if isinstance(data, bytes):
        return data
    try:
        return data.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SaveError(
            f"{path} was not saved: {data[error.start]!a} stands for a byte that is not valid UTF-8, which this format "
            "cannot hold; train from a clean text, or with byte units"
        ) from None


@contextlib.contextmanager
def save_errors(path: str) -> Iterator[None]:
    """Converts errors of the disk to a `SaveError` of one sentence."""
    try:
        yield
    except ValueError:
        raise SaveError(f"{path!r} cannot be the name of a file: choose another") from None
    except OSError as error:
        raise SaveError(_reason(path, error)) from error


def _reason(path: str, error: OSError) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno in FULL:
        return f"{path} was not saved because the disk is full: free some space, or save on another disk"
    if error.errno in DENIED:
        return f"{path} was not saved because the folder {folder} may not be written to: save in another folder"
    if error.errno == errno.EISDIR:
        return f"{path} was not saved because it is a folder: give the name of a file"
    if error.errno == errno.ENOTDIR:
        blocker = _blocking_file(path)
        return f"{path} was not saved because {blocker} is a file, not a folder: choose another place"
    if error.errno == errno.ENOENT:
        return f"{path} was not saved because there is no folder {folder}: make it first, or save in another folder"
    return f"{path} was not saved ({error.strerror or error}): check the disk, or save in another folder"


def _blocking_file(path: str) -> str:
    """The part of a path that is a file instead of a folder."""
    place = os.path.abspath(path)
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    return place
