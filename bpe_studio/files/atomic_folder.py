"""Writes the files of a folder so that a reader sees all the old ones or all the new ones, even
after a kill.

The whole new folder is made beside its place, with links to the other files of the old one. Then
the old folder is renamed, then the new one, and the old one is removed. If the process is killed
between the two renames, there is no folder at the place: the next reader (`restore_folder`) or
writer renames the old one back. Saves into the same parent folder wait for each other. A folder
that cannot be replaced as a whole is refused: the working directory, a mount point, a folder with
very many other files.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping

from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import as_bytes, place_of, save_errors, sync_folder

_MOST_OTHERS = 10_000
"""The most other files and folders that are kept; linking so many takes half a second."""
_threads = threading.Lock()


def atomic_folder(
    path: str | os.PathLike[str],
    files: Mapping[str, bytes | str | None],
    check: Callable[[str], object] | None = None,
) -> None:
    """Write several files of a folder at once; other files and folders in it are kept.

    Args:
        path: the folder; made if it is missing, its parent is not. A link is followed.
        files: content by its path in the folder, with slashes; text is written as UTF-8. `None` is
            removed.
        check: given the new folder before it takes its place; it may raise an error.

    Raises:
        SaveError: the place is not writable or cannot be replaced, the disk is full, or the path is
            a file.
    """
    path = os.fspath(path)
    contents: dict[str, bytes | None] = {}
    for name, data in files.items():
        contents[name] = None if data is None else as_bytes(os.path.join(path, name), data)
    with save_errors(path):
        target, _ = place_of(path)
        with _alone_in(os.path.dirname(target)):
            new, old = _beside(target)
            _restore(target, old)
            target, status = place_of(path)
            if status is not None:
                _check(path, target, status, contents)
            _remove(new)
            try:
                _make(new, target, contents, is_there=status is not None)
                if check is not None:
                    check(new)
                if status is not None:
                    _swap(target, new, old)
                else:
                    os.rename(new, target)
            finally:
                # What was at the place, or what could not be completed.
                _remove(new)
            sync_folder(os.path.dirname(target))


def restore_folder(path: str | os.PathLike[str]) -> None:
    """Rename a folder back to its place, if a process was killed after renaming it.

    It does nothing if there is anything at the place. While a process is replacing the folder, it
    waits.

    Args:
        path: the folder, or a file in it.
    """
    target = os.path.realpath(path)
    if not os.path.lexists(target) and not os.path.lexists(os.path.dirname(target)):
        target = os.path.dirname(target)
    _, old = _beside(target)
    if not os.path.lexists(target) and os.path.lexists(old):
        with _alone_in(os.path.dirname(target)), contextlib.suppress(OSError):
            _restore(target, old)


def _beside(target: str) -> tuple[str, str]:
    """The places of the new folder while it is made, and of the old one while it is replaced."""
    folder, name = os.path.split(target)
    new = os.path.join(folder, f".{name}.bpe-studio.new")
    old = os.path.join(folder, f".{name}.bpe-studio.old")
    return new, old


@contextlib.contextmanager
def _alone_in(parent: str) -> Iterator[None]:
    """Waits for the saves of other threads and processes into folders of the same parent."""
    handle = None
    with _threads:
        if sys.platform != "win32":
            import fcntl

            with contextlib.suppress(OSError):  # not every disk has locks
                handle = os.open(parent, os.O_RDONLY)
                fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)


def _restore(target: str, old: str) -> None:
    if os.path.lexists(old):
        if os.path.lexists(target):
            _remove(old)
        else:
            os.rename(old, target)


def _check(
    path: str, target: str, status: os.stat_result, contents: Mapping[str, bytes | None]
) -> None:
    """Refuses a folder that cannot be replaced.

    Raises:
        SaveError: it cannot be replaced as a whole.
        NotADirectoryError: it is not a folder.
    """
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    for name, content in contents.items():
        if content is not None and os.path.isdir(os.path.join(target, name)):
            raise SaveError(
                f"{os.path.join(path, name)} is a folder, not a file: move it away or save"
                " elsewhere"
            )
    why = ""
    n_others = 0
    if f"{os.path.realpath(os.getcwd())}{os.sep}".startswith(f"{target}{os.sep}"):
        why = "it is the working folder, or contains it"
    for folder, folders, names in os.walk(target):
        n_others += len(folders) + len(names)
        if os.path.ismount(folder):
            why = "a disk is mounted there"
        elif n_others > _MOST_OTHERS:
            why = f"it has more than {_MOST_OTHERS:,} other files"
        if why:
            break
    if why:
        raise SaveError(
            f"{path} was not saved because it cannot be replaced: {why}; save in a new folder"
            " inside it"
        )


def _make(new: str, target: str, contents: Mapping[str, bytes | None], *, is_there: bool) -> None:
    """Makes the new folder: links to the files that are kept, and new files with the permissions of
    the old ones.
    """
    if is_there:
        replaced = {os.path.join(target, name) for name in contents}
        try:
            shutil.copytree(
                target,
                new,
                symlinks=True,
                copy_function=_link,
                ignore=lambda folder, names: [
                    name for name in names if os.path.join(folder, name) in replaced
                ],
            )
        except shutil.Error as error:
            raise OSError(
                errno.EIO, f"its other files cannot be kept: {error.args[0][0][-1]}"
            ) from error
        status = os.stat(target)
        if sys.platform != "win32":
            os.chown(new, status.st_uid, status.st_gid)
    else:
        os.mkdir(new)
    for name, content in contents.items():
        if content is None:
            continue
        place = os.path.join(new, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(OSError):
            os.chmod(place, stat.S_IMODE(os.stat(os.path.join(target, name)).st_mode))
    sync_folder(new)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)


def _swap(target: str, new: str, old: str) -> None:
    """Exchanges the two folders; the old one then has the name of the new one, to be removed."""
    os.rename(target, old)
    try:
        os.rename(new, target)
    except BaseException:
        os.rename(old, target)
        raise
    # While it is removed, it must not be taken for a folder to restore.
    os.rename(old, new)


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
