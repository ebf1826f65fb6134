"""Writes the files of a folder so that a reader sees all the old ones or all the new ones, even after a kill.

A new folder is made under a temporary name next to its place, and renamed. To replace an existing one, the whole new
folder is made next to it, including the other files of the old one; the old folder is renamed, then the new one, and
the old one is removed. If the process is killed between the two renames, there is no folder at the place: the next
reader (`restore_folder`) or writer renames the old one back. `leftovers.py` names such folders, and knows whether a
process uses them.

**If a folder cannot be replaced as a whole**, its files are replaced one by one, each in one rename and only when all
of them have been written; after an error the files are put back, but a kill between two of them leaves some old and
some new files. This happens if the parent folder is not writable, if the folder is a mount point or contains one, if it
is (or contains) the working directory, if a program on Windows has one of its files open, if it belongs to another user
or group, and if it holds so many other files that keeping them takes long.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping

from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import as_bytes, create_file, save_errors, status_of, sync_folder
from bpe_studio.files.leftovers import (
    aside_path,
    asides_of,
    hold_folder,
    is_held,
    remove_leftovers,
    temporary_path,
)

_MAX_CARRIED = 10_000
"""How many other files and folders are kept; linking so many takes half a second."""
_MAX_COPIED_BYTES = 64 << 20
"""How many bytes of them may be copied, on disks without hard links."""
_WAIT_S, _N_WAITS = 0.01, 100


class _NotWhole(Exception):  # noqa: N818 - caught here, and never shown
    """The folder cannot be replaced as a whole."""


def atomic_folder(path: str | os.PathLike[str], files: Mapping[str, bytes | str]) -> None:
    """Write several files of a folder at once; other files and folders in it are kept.

    The folder is replaced as a whole or, if that is not possible, file by file: see the module's docstring.

    Args:
        path: the folder; made if it is missing, its parent is not. A link is followed.
        files: content by plain file name; text is written as UTF-8.

    Raises:
        SaveError: the place is not writable, the disk is full, or the path is a file.
    """
    path = os.fspath(path)
    contents = {name: as_bytes(os.path.join(path, name), data) for name, data in files.items()}
    with save_errors(path):
        restore_folder(path)
        target = os.path.realpath(path)
        status = status_of(target)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        for name in contents if status is not None else ():
            if os.path.isdir(os.path.join(target, name)):
                raise SaveError(f"{os.path.join(path, name)} is a folder, not a file: move it away or save elsewhere")
        for aside in asides_of(target) if status is not None else ():
            with contextlib.suppress(OSError):
                if not is_held(aside):
                    os.rename(aside, temporary_path(target))
        remove_leftovers(*os.path.split(target))
        if status is None:
            with _unfinished(temporary_path(target)) as temporary:
                _write_all(temporary, contents, target)
                os.rename(temporary, target)
        else:
            remove_leftovers(target, os.path.basename(target))
            try:
                _replace_whole(target, contents)
            except _NotWhole:
                _replace_each(target, contents)
        sync_folder(target)
        sync_folder(os.path.dirname(target))


def restore_folder(path: str | os.PathLike[str]) -> None:
    """Rename a folder back to its place, if a process was killed after renaming it.

    It does nothing if there is anything at the place. While a process is replacing the folder, it waits a moment.

    Args:
        path: the folder, or a file in it.
    """
    target = os.path.realpath(path)
    if not os.path.lexists(target) and not os.path.lexists(os.path.dirname(target)):
        target = os.path.dirname(target)
    for _ in range(_N_WAITS):
        found = [] if os.path.lexists(target) else asides_of(target)
        if not found:
            return
        with contextlib.suppress(OSError):
            if not is_held(found[-1]):
                os.rename(found[-1], target)
                return
        time.sleep(_WAIT_S)


@contextlib.contextmanager
def _unfinished(temporary: str) -> Iterator[str]:
    """A new folder that this process holds; it is removed unless it has been renamed."""
    os.mkdir(temporary)
    try:
        with _held(temporary):
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _held(folder: str) -> Iterator[None]:
    handle = None
    with contextlib.suppress(OSError):
        handle = hold_folder(folder)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _write_all(folder: str, contents: Mapping[str, bytes], old: str) -> None:
    """Write the files, each with the permissions of the one that it replaces."""
    for name, content in contents.items():
        place = os.path.join(folder, name)
        with create_file(place) as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(OSError):
            os.chmod(place, stat.S_IMODE(os.stat(os.path.join(old, name)).st_mode))
    sync_folder(folder)


def _replace_whole(target: str, contents: Mapping[str, bytes]) -> None:
    """Make the whole folder anew and exchange the two.

    Raises:
        _NotWhole: this is not possible; nothing has changed.
        OSError: the disk is full.
    """
    if os.path.ismount(target) or _is_working_directory(target):
        raise _NotWhole
    with contextlib.ExitStack() as stack:
        try:
            temporary = stack.enter_context(_unfinished(temporary_path(target)))
        except OSError:
            raise _NotWhole from None
        _write_all(temporary, contents, target)
        try:
            _Carrier(os.stat(target).st_dev).carry(target, temporary, set(contents))
        except OSError:
            raise _NotWhole from None
        os.utime(temporary)
        sync_folder(temporary)
        stack.enter_context(_held(target))
        aside = _exchange(target, temporary)
        with contextlib.suppress(OSError):
            # A folder that is being removed must not be taken for a complete one.
            gone = temporary_path(target)
            os.rename(aside, gone)
            _remove_carried(gone, target)


def _exchange(target: str, temporary: str) -> str:
    """Rename the folder at a place, and another one to that place; returns the new name of the first.

    Raises:
        _NotWhole: one of them cannot be renamed; nothing has changed.
    """
    aside = aside_path(target)
    for _ in range(_N_WAITS):
        try:
            os.rename(target, aside)
        except FileNotFoundError:
            pass  # Another process is replacing it at this moment.
        except OSError:
            break
        try:
            os.rename(temporary, target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                aside = aside_path(target)  # Another process was quicker.
                continue
            with contextlib.suppress(OSError):
                os.rename(aside, target)
            break
        return aside
    raise _NotWhole


def _is_working_directory(target: str) -> bool:
    """Whether a folder is the working directory or contains it; then it is most likely that of the shell too."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:
        return False
    return here == target or here.startswith(os.path.join(target, ""))


class _Carrier:
    """Copies or links the other files of an old folder into a new one.

    Args:
        device: the disk of the old folder.
    """

    def __init__(self, device: int) -> None:
        self._device = device
        self._n_carried = 0
        self._n_copied_bytes = 0

    def carry(self, source: str, target: str, replaced: set[str]) -> None:
        """Carry over the content of a folder, and its owner and permissions.

        Raises:
            _NotWhole: it is too much, on another disk, or cannot be removed from the old folder.
            OSError: something cannot be carried over.
        """
        if not os.access(source, os.R_OK | os.W_OK | os.X_OK):
            raise _NotWhole
        with os.scandir(source) as entries:
            for entry in entries:
                if entry.name in replaced:
                    continue
                self._n_carried += 1
                if self._n_carried > _MAX_CARRIED:
                    raise _NotWhole
                self._carry_entry(entry, os.path.join(target, entry.name))
        old, new = os.stat(source), os.stat(target)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            os.chown(target, old.st_uid, old.st_gid)
        shutil.copystat(source, target)

    def _carry_entry(self, entry: os.DirEntry[str], place: str) -> None:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(entry.path), place)
        elif status.st_dev != self._device:
            raise _NotWhole
        elif stat.S_ISDIR(status.st_mode):
            os.mkdir(place)
            self.carry(entry.path, place, set())
        else:
            self._link(entry.path, place, status)

    def _link(self, source: str, place: str, status: os.stat_result) -> None:
        try:
            os.link(source, place)
        except OSError as error:
            self._n_copied_bytes += status.st_size
            is_small = stat.S_ISREG(status.st_mode) and self._n_copied_bytes <= _MAX_COPIED_BYTES
            if error.errno in (errno.EXDEV, errno.EEXIST) or not is_small:
                raise _NotWhole from None
            shutil.copy2(source, place)
            if os.stat(place).st_uid != status.st_uid:
                raise _NotWhole from None
            sync_folder(place)


def _remove_carried(old: str, target: str) -> None:
    """Remove the old folder; files that another program has added meanwhile are moved to the new one."""
    with os.scandir(old) as entries:
        found = list(entries)
    for entry in found:
        place = os.path.join(target, entry.name)
        if not os.path.lexists(place):
            os.rename(entry.path, place)
        elif entry.is_dir(follow_symlinks=False):
            _remove_carried(entry.path, place)
        else:
            os.unlink(entry.path)
    os.rmdir(old)


def _replace_each(target: str, contents: Mapping[str, bytes]) -> None:
    """Rename the files to their places one by one; if one fails, those before it are put back."""
    moved: list[tuple[str, str | None]] = []
    with _unfinished(os.path.join(target, os.path.basename(temporary_path(target)))) as temporary:
        _write_all(temporary, contents, target)
        try:
            for name in contents:
                place, kept = os.path.join(target, name), os.path.join(temporary, f"{name}.old")
                if os.path.exists(place):
                    _keep(place, kept)
                os.replace(os.path.join(temporary, name), place)
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
    """A second name for a file's present content; a copy if the disk has no hard links."""
    try:
        os.link(place, kept)
    except OSError:
        shutil.copy2(place, kept)
