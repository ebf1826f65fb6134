"""Writes a file so that a reader sees the old one or the new one, never a part of one.

The new file is written under a temporary name in the same folder, flushed to the disk, and renamed:
finished bytes with `atomic_write`, and what is too large for memory, block by block, with
`atomic_file`. Of two programs that save the same file at once, the last one wins. A killed process
leaves its temporary file; a later save in that folder removes it. `atomic_folder.py` writes the
files of a folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from itertools import islice
from typing import IO

from bpe_studio.errors import SaveError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
_SUFFIX = ".bpe-studio.tmp"
_OURS = re.compile(rf"\..*\.[0-9a-f]{{12}}{re.escape(_SUFFIX)}", re.DOTALL)
_MOST_NAME_BYTES = 150
_MOST_ENTRIES = 100_000
_AGE_S = 3600
"""A temporary file that nobody has written to for this long was left by a killed process."""


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place when the block ends.

    After an error, the old one stays as it was.
    A link is followed. A path that is not a regular file (a pipe, a device) is written to directly.

    Args:
        path: the file to write.

    Raises:
        SaveError: the folder is missing or not writable, the disk is full, or the path is a folder.
    """
    path = os.fspath(path)
    with save_errors(path):
        target, status = place_of(path)
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open(target, "wb") as stream:
                yield stream
            return
        _remove_leftovers(os.path.dirname(target))
        temporary = _temporary_path(target)
        try:
            with open(temporary, "x+b") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if status is not None:
                with contextlib.suppress(OSError):
                    os.chmod(temporary, stat.S_IMODE(status.st_mode))
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        sync_folder(os.path.dirname(target))


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically; see `atomic_file`.

    Args:
        path: the file to write.
        data: its content; text is written as UTF-8, line breaks as they are.

    Raises:
        SaveError: it cannot be written, or text has lone surrogates.
    """
    content = as_bytes(os.fspath(path), data)
    with atomic_file(path) as stream:
        stream.write(content)


def _temporary_path(target: str) -> str:
    """A free name in the folder of a file, so that the rename stays on one disk."""
    folder, name = os.path.split(target)
    while len(os.fsencode(name)) > _MOST_NAME_BYTES:
        name = name[:-1]
    return os.path.join(folder, f".{name}.{os.urandom(6).hex()}{_SUFFIX}")


def _remove_leftovers(folder: str) -> None:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if entry.name.endswith(_SUFFIX) and _OURS.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > _AGE_S:
                        os.unlink(entry.path)


def place_of(path: str) -> tuple[str, os.stat_result | None]:
    """The path without links, and the status of what is there; `None` if nothing is.

    Raises:
        SaveError: there can be no file of that name.
    """
    try:
        target = os.path.realpath(path)
        return target, os.stat(target)
    except FileNotFoundError:
        return target, None
    except ValueError:
        raise SaveError(f"{path!r} cannot be the name of a file: choose another") from None


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
            f"{path} was not saved: {data[error.start]!a} stands for a byte that is not valid"
            " UTF-8, which this format cannot store; train from a clean text, or with byte units"
        ) from None


@contextlib.contextmanager
def save_errors(path: str) -> Iterator[None]:
    """Converts errors of the disk to a `SaveError` of one sentence."""
    try:
        yield
    except OSError as error:
        raise SaveError(_reason(path, error)) from error


def _reason(path: str, error: OSError) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno in FULL:
        return (
            f"{path} was not saved because the disk is full: free some space, or save on another"
            " disk"
        )
    if error.errno in DENIED:
        return (
            f"{path} was not saved because you cannot write to the folder {folder}: save in another"
            " folder"
        )
    if error.errno == errno.EISDIR:
        return f"{path} was not saved because it is a folder: give the name of a file"
    if error.errno == errno.ENOTDIR:
        blocker = _blocking_file(path)
        return (
            f"{path} was not saved because {blocker} is a file, not a folder: choose another place"
        )
    if error.errno == errno.ENOENT and not os.path.isdir(folder):
        return (
            f"{path} was not saved because there is no folder {folder}: create it first, or save in"
            " another folder"
        )
    return (
        f"{path} was not saved ({error.strerror or error}): check the disk, or save in another"
        " folder"
    )


def _blocking_file(path: str) -> str:
    """The part of a path that is a file instead of a folder."""
    place = os.path.abspath(path)
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    return place
