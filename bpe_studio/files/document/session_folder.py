"""A folder in which a running program keeps its unsaved work, piece by piece, so that a killed one loses little.

    .lock        held by the living process
    index.json   what the pieces are together: the parts of a studio document, each one prefixes of files end to end
    N            a piece: the words of a corpus, a column of merges, `document.json`, the text of a pasted corpus

A piece is written once; the columns of a run that has grown are appended to. The index is replaced when all that it
names is on the disk, so it is never ahead of the pieces. What is kept is a studio document, in pieces: it is put
together as one and read as one, with all its checks (`reading.py`). Each process has a folder of its own, which only
its owner can read. A folder whose lock nobody holds is that of a process that was killed; whoever opens it holds the
lock from then on, so that no two take the same one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bpe_studio.errors import BpeError, SaveError, TokenizerFormatError
from bpe_studio.files.atomic_file import DENIED, FULL, atomic_write
from bpe_studio.files.json_parts import checked, member, optional, parse_json
from bpe_studio.files.leftovers import ATTEMPTS, claim, hold, open_private

INDEX = "index.json"
_FORMAT, _VERSION = "bpe-studio-session", 1
_LOCK, _PREFIX = ".lock", "session-"
_MAX_INDEX_BYTES = 16 << 20
_MOST_FOLDERS = 1_000
_AGE_S = 3600
_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_NAME = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a document, or a piece of one.

    Attributes:
        owner: what it is a piece of; it is kept until another content is written without it.
        label: which piece of its owner. The same piece of the same owner never changes but for growing at its end.
        size: its length in bytes.
        chunks: gives its bytes from a place on.
    """

    owner: object
    label: str
    size: int
    chunks: Callable[[int], Iterator[bytes | memoryview]]


def piece_of(owner: object, label: str, size: int, make: Callable[[], bytes | memoryview]) -> Piece:
    """A piece whose bytes are made at once when it is written."""

    def chunks(start: int) -> Iterator[bytes | memoryview]:
        content = memoryview(make())
        for place in range(start, size, _CHUNK):
            yield content[place : min(place + _CHUNK, size)]

    return Piece(owner, label, size, chunks)


@dataclass
class _Written:
    owner: object
    name: str
    n_bytes: int


class SessionFolder:
    """The folder of this process.

    Args:
        parent: the folder of all sessions; it is made if necessary.

    Attributes:
        path: its path.

    Raises:
        SaveError: it cannot be made.
    """

    def __init__(self, parent: Path) -> None:
        with _keep_errors(parent):
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for attempt in range(ATTEMPTS):
                self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
                self._lock = open_private(os.fspath(self.path / _LOCK))
                if hold(self._lock) or attempt == ATTEMPTS - 1:
                    break
                os.close(self._lock)
        self._written: dict[tuple[int, str], _Written] = {}
        self._n_files = 0

    def write(self, parts: Mapping[str, Sequence[Piece]], about: Mapping[str, Any]) -> Generator[None, None, None]:
        """Writes what has changed, a block at a time.

        Args:
            parts: the parts of a document in their order, each as its pieces.
            about: what else to keep, as JSON values.

        Raises:
            SaveError: the disk is full, or the folder cannot be written any more; what was kept before is still there.
        """
        with _keep_errors(self.path):
            index: dict[str, list[tuple[str, int]]] = {}
            used: dict[tuple[int, str], _Written] = {}
            for part, pieces in parts.items():
                index[part] = []
                for piece in pieces:
                    written = yield from self._write(piece)
                    used[id(piece.owner), piece.label] = written
                    index[part].append((written.name, piece.size))
            values = {"format": _FORMAT, "version": _VERSION, "about": dict(about), "parts": index}
            atomic_write(self.path / INDEX, json.dumps(values))
            gone = {each.name for each in self._written.values()} - {each.name for each in used.values()}
            self._written = used
            for name in gone:
                os.unlink(self.path / name)

    def _write(self, piece: Piece) -> Generator[None, None, _Written]:
        key = (id(piece.owner), piece.label)
        written = self._written.get(key)
        if written is None:
            self._n_files += 1
            written = self._written[key] = _Written(piece.owner, str(self._n_files), 0)
            os.close(open_private(os.fspath(self.path / written.name)))
        if written.n_bytes < piece.size:
            with open(self.path / written.name, "r+b", buffering=0) as file:
                file.seek(written.n_bytes)
                for chunk in piece.chunks(written.n_bytes):
                    _write_all(file, chunk)
                    yield
                os.fsync(file.fileno())
            written.n_bytes = piece.size
        return written

    def remove(self) -> None:
        """Removes it with its content."""
        _remove(self.path, self._lock)

    def leave(self) -> None:
        """Leaves it for the next start of the program."""
        os.close(self._lock)


class KeptSession:
    """A session that a killed process has left, held by this one.

    Attributes:
        path: its folder.
        name: what was open.
        words: what of it was not saved, as a phrase.
        saved_at_s: when it was written last, in seconds since 1970.
        about: what else was kept.
    """

    def __init__(self, path: Path, lock: int, values: dict[str, Any], saved_at_s: float) -> None:
        self.path, self._lock = path, lock
        if values.get("format") != _FORMAT or values.get("version") != _VERSION:
            raise TokenizerFormatError(f"{path} holds a session of another version of the program")
        self.about = member(values, "about", dict, INDEX)
        self.name = member(self.about, "name", str, INDEX)
        self.words = member(self.about, "words", str, INDEX)
        self.saved_at_s = saved_at_s
        self._parts = [
            (part, [_prefix(each) for each in checked(pieces, list, INDEX)])
            for part, pieces in member(values, "parts", dict, INDEX).items()
        ]

    def put_together(self, path: Path) -> Generator[tuple[int, int], None, None]:
        """Writes its document to a file; yields (bytes done, bytes in all).

        Raises:
            TokenizerFormatError: a piece is missing or cut short.
            OSError: there is not enough space.
        """
        done, total = 0, sum(size for _, pieces in self._parts for _, size in pieces)
        with zipfile.ZipFile(path, "w") as archive:
            for part, pieces in self._parts:
                with archive.open(zipfile.ZipInfo(part, _EPOCH), "w", force_zip64=total >= 1 << 31) as target:
                    for name, size in pieces:
                        for chunk in self._read(name, size):
                            target.write(chunk)
                            done += len(chunk)
                            yield done, total

    def _read(self, name: str, size: int) -> Iterator[bytes]:
        try:
            with open(self.path / name, "rb") as file:
                while size and (chunk := file.read(min(size, _CHUNK))):
                    size -= len(chunk)
                    yield chunk
        except FileNotFoundError:
            pass
        if size:
            raise TokenizerFormatError(f"a piece of the session of {self.name} is missing or cut short")

    def text(self, key: str) -> str | None:
        """A text that was kept with it; None for none."""
        return optional(self.about, key, str, INDEX)

    def discard(self) -> None:
        """Removes it."""
        _remove(self.path, self._lock)

    def leave(self) -> None:
        """Leaves it for the next start of the program."""
        os.close(self._lock)


def kept_sessions(parent: Path) -> list[KeptSession]:
    """The sessions of killed processes, the newest first; this process holds them from now on.

    Folders in which nothing was kept yet are removed.
    """
    found = []
    try:
        with os.scandir(parent) as entries:
            folders = [Path(entry.path) for entry in entries if entry.name.startswith(_PREFIX)][:_MOST_FOLDERS]
    except OSError:
        return []
    for folder in folders:
        session = _kept(folder)
        if session is not None:
            found.append(session)
    return sorted(found, key=lambda each: each.saved_at_s, reverse=True)


def _kept(folder: Path) -> KeptSession | None:
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            return None
        lock = claim(os.fspath(folder / _LOCK))
        if lock is None:
            if not (folder / _LOCK).exists() and time.time() - status.st_mtime > _AGE_S:
                folder.rmdir()  # killed right after it was made
            return None
    except OSError:
        return None
    try:
        index = folder / INDEX
        saved_at_s = index.stat().st_mtime
        with open(index, "rb") as file:
            content = file.read(_MAX_INDEX_BYTES + 1)
        if len(content) > _MAX_INDEX_BYTES:
            raise TokenizerFormatError(f"{INDEX} is too long")
        return KeptSession(folder, lock, checked(parse_json(content, INDEX), dict, INDEX), saved_at_s)
    except FileNotFoundError:
        _remove(folder, lock)
    except (OSError, BpeError):
        os.close(lock)  # of a newer version, or damaged: it is left where it is
    return None


def _prefix(value: object) -> tuple[str, int]:
    pair = checked(value, list, INDEX)
    if len(pair) != 2 or not isinstance(pair[0], str) or not _NAME.fullmatch(pair[0]):
        raise TokenizerFormatError("it names a piece that no session has")
    size = checked(pair[1], int, INDEX)
    if size < 0:
        raise TokenizerFormatError("it has a piece of negative length")
    return pair[0], size


def _write_all(file: IO[bytes], content: bytes | memoryview) -> None:
    view = memoryview(content)
    while len(view):
        view = view[file.write(view) :]


def _remove(path: Path, lock: int) -> None:
    # The index first: without it, what a kill leaves of the rest is no session. The lock last: it says that the rest
    # may be removed.
    with contextlib.suppress(OSError):
        (path / INDEX).unlink(missing_ok=True)
        for name in os.listdir(path):
            if name != _LOCK:
                os.unlink(path / name)
    if sys.platform == "win32":
        os.close(lock)  # an open file cannot be removed there
        shutil.rmtree(path, ignore_errors=True)
        return
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


@contextlib.contextmanager
def _keep_errors(path: Path) -> Iterator[None]:
    """Converts errors of the disk to a `SaveError` of one sentence."""
    try:
        yield
    except (OSError, SaveError) as error:
        reason = error if isinstance(error, OSError) else error.__cause__
        code, words = (reason.errno, reason.strerror) if isinstance(reason, OSError) else (None, None)
        if code in FULL:
            why = f"the disk of {path} is full: free some space"
        elif code in DENIED:
            why = f"{path} may not be written to: change that"
        else:
            why = f"{path} cannot be written ({words or error}): check it"
        raise SaveError(f"Unsaved work is not kept for the case of a crash, because {why}, or save it") from error
