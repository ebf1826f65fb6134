"""Writes files so that a reader meets the old one or the new one, never a part of one.

What is new is written beside its place, forced to the disk, and moved there in one step. It knows nothing of what it
writes; the format modules hand it finished bytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping

from bpe_studio.errors import SaveError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Writes a file in one move; the old file stays as it was if anything fails.

    A link is followed. What is no ordinary file (a pipe, a device) is written to directly.

    Args:
        path: the file to write.
        data: its content; text is written as UTF-8, line breaks as they are.

    Raises:
        SaveError: the folder is missing or not writable, the disk is full, or the path is a folder.
    """
    path = os.fspath(path)
    content = _as_bytes(path, data)
    with told_plainly(path):
        target = os.path.realpath(path)
        status = status_of(target)
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open(target, "wb") as stream:
                stream.write(content)
            return
        temporary = beside(target)
        try:
            _write_new(temporary, content, None if status is None else stat.S_IMODE(status.st_mode))
            os.replace(temporary, target)
        except BaseException:
            remove(temporary)
            raise
        sync_folder(os.path.dirname(target))


def atomic_folder(path: str | os.PathLike[str], files: Mapping[str, bytes | str]) -> None:
    """Writes several files of a folder at once.

    A new folder appears whole. In a folder that exists, only the named files are replaced, each in one move and only
    when all of them have been written beside it; other files in it are left alone.

    Args:
        path: the folder; made if it is missing, its parent is not.
        files: content by plain file name; text is written as UTF-8.

    Raises:
        SaveError: the place is not writable, the disk is full, or the path is a file.
    """
    path = os.fspath(path)
    contents = {name: _as_bytes(os.path.join(path, name), data) for name, data in files.items()}
    with told_plainly(path):
        target = os.path.realpath(path)
        status = status_of(target)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        for name in contents if status is not None else ():
            if os.path.isdir(os.path.join(target, name)):
                raise SaveError(f"{os.path.join(path, name)} is a folder, not a file: move it away or save elsewhere")
        temporary = beside(target) if status is None else os.path.join(target, os.path.basename(beside(target)))
        try:
            os.mkdir(temporary)
            for name, content in contents.items():
                _write_new(os.path.join(temporary, name), content)
            sync_folder(temporary)
            if status is None:
                os.rename(temporary, target)
            else:
                _move_all(temporary, target, list(contents))
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        sync_folder(target)
        sync_folder(os.path.dirname(target))


def _move_all(source: str, target: str, names: list[str]) -> None:
    """Moves files over those of the same name; when one cannot be moved, those before it are put back."""
    moved: list[tuple[str, str | None]] = []
    try:
        for name in names:
            place, kept = os.path.join(target, name), os.path.join(source, f"{name}.old")
            if os.path.exists(place):
                _keep(place, kept)
            os.replace(os.path.join(source, name), place)
            moved.append((place, kept if os.path.exists(kept) else None))
    except BaseException:
        for place, old in reversed(moved):
            with contextlib.suppress(OSError):
                if old is None:
                    os.unlink(place)
                else:
                    os.replace(old, place)
        raise


def _keep(place: str, kept: str) -> None:
    """A second name for a file's present content; a copy where the disk has no hard links."""
    try:
        os.link(place, kept)
    except OSError:
        shutil.copy2(place, kept)


def _write_new(path: str, content: bytes, mode: int | None = None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    if mode is not None:
        with contextlib.suppress(OSError):
            os.chmod(path, mode)


def beside(target: str) -> str:
    """A free name in the same folder, so that moving it into place stays on one disk."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:80]}.{os.urandom(6).hex()}.tmp")


def status_of(path: str) -> os.stat_result | None:
    """What stands at a path; None where nothing does."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def remove(path: str) -> None:
    """Removes a file, if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def sync_folder(path: str) -> None:
    """Makes a move last through a power cut, where the system can do that for folders."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _as_bytes(path: str, data: bytes | str) -> bytes:
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
def told_plainly(path: str) -> Iterator[None]:
    """What goes wrong with the disk, told as a `SaveError` in one sentence."""
    try:
        yield
    except ValueError:
        raise SaveError(f"{path!r} cannot be the name of a file: choose another") from None
    except OSError as error:
        raise SaveError(_reason(path, error)) from error


def _reason(path: str, error: OSError) -> str:
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno in _FULL:
        return f"{path} was not saved because the disk is full: free some space, or save on another disk"
    if error.errno in _DENIED:
        return f"{path} was not saved because the folder {folder} may not be written to: save in another folder"
    if error.errno == errno.EISDIR:
        return f"{path} was not saved because it is a folder: give the name of a file"
    if error.errno == errno.ENOTDIR:
        blocker = _file_in_the_way(path)
        return f"{path} was not saved because {blocker} is a file, not a folder: choose another place"
    if error.errno == errno.ENOENT:
        return f"{path} was not saved because there is no folder {folder}: make it first, or save in another folder"
    return f"{path} was not saved ({error.strerror or error}): check the disk, or save in another folder"


def _file_in_the_way(path: str) -> str:
    """The part of a path that is a file where a folder is needed."""
    place = os.path.abspath(path)
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    return place
