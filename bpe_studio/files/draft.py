"""A file that is written piece by piece beside its place, and moved there in one step when it is whole.

For what is too large to be made in memory before; finished bytes are written by `saving.py`, whose words for what goes
wrong are used here.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from typing import IO

from bpe_studio.files.saving import beside, remove, status_of, sync_folder, told_plainly


class Draft:
    """The file, empty at first. Whoever begins it keeps it or leaves it; what was not kept is gone without a trace.

    Another thread may write to it (`held`), and continue for a moment when the one that began it has left.

    Args:
        path: where it is to stand. A link is followed; what is no ordinary file (a pipe, a device) is written to when
            all of it is there.

    Raises:
        SaveError: the folder is missing or not writable, or the path is a folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        self._n_users = 1
        self._temporary = ""
        with told_plainly(self._path):
            self._target = os.path.realpath(self._path)
            status = status_of(self._target)
            if status is not None and stat.S_ISDIR(status.st_mode):
                open(self._target, "wb").close()  # says that it is a folder
            is_ordinary = status is None or stat.S_ISREG(status.st_mode)
            self._mode = None if status is None or not is_ordinary else stat.S_IMODE(status.st_mode)
            self._stream: IO[bytes] = self._begin() if is_ordinary else tempfile.TemporaryFile()  # noqa: SIM115

    def _begin(self) -> IO[bytes]:
        temporary = beside(self._target)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        stream = os.fdopen(os.open(temporary, flags, 0o666), "w+b")
        self._temporary = temporary
        return stream

    @contextlib.contextmanager
    def held(self) -> Iterator[IO[bytes]]:
        """What is to be written to, for as long as it is written.

        Raises:
            SaveError: the disk is full.
        """
        with self._lock:
            self._n_users += 1
        try:
            with told_plainly(self._path):
                yield self._stream
        finally:
            self.leave()

    def keep(self) -> None:
        """Put it in its place, in one move.

        Raises:
            SaveError: it cannot be moved there, or the disk is full.
        """
        with told_plainly(self._path):
            self._stream.flush()
            if not self._temporary:
                self._stream.seek(0)
                with open(self._target, "wb") as target:
                    shutil.copyfileobj(self._stream, target, 1 << 20)
                return
            os.fsync(self._stream.fileno())
            self._stream.close()
            if self._mode is not None:
                with contextlib.suppress(OSError):
                    os.chmod(self._temporary, self._mode)
            os.replace(self._temporary, self._target)
            self._temporary = ""
            sync_folder(os.path.dirname(self._target))

    def leave(self) -> None:
        """Have nothing to do with it any more; the last one to leave takes away what was not kept."""
        with self._lock:
            self._n_users -= 1
            if self._n_users > 0:
                return
        with contextlib.suppress(OSError):
            self._stream.close()
        if self._temporary:
            remove(self._temporary)
            self._temporary = ""
