"""The settings that the window remembers: its geometry and panels, the theme, the last files.

Every stored value is checked before it is used; a damaged one is ignored.

The settings are a small JSON file, read once and written by a thread of the pool. Qt's own settings
would wait for the disk in the window's thread, or with the interpreter's lock held; on a busy disk,
that takes seconds.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QRect, QStandardPaths, QThreadPool

from bpe_studio.errors import SaveError
from bpe_studio.files import atomic_file
from bpe_studio.files.third_party.hub import is_address
from bpe_studio.files.third_party.known import name_of
from bpe_studio.gui.look import theme

LAYOUT_VERSION = 3
MOST_RECENT = 10
MOST_SPLITS = 500
MOST_SIZES = 200
_MOST_BYTES = 16_000_000
_RECENT = "files/recent"
TEXT, DOCUMENT, TOKENIZER = KINDS = ("text", "document", "tokenizer")

_log = logging.getLogger(__name__)
_folder: Path | None = None


def keep_in(folder: str | PathLike[str] | None) -> None:
    """Read and write all settings in a folder from now on; None for the user's own."""
    global _folder
    _folder = None if folder is None else Path(folder)


class Recent(NamedTuple):
    """Something that was opened before, and can be opened again.

    Attributes:
        kind: "text", "document" or "tokenizer".
        paths: the files; for a tokenizer one file, or an address.
    """

    kind: str
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name."""
        if self.kind == TOKENIZER:
            return name_of(self.paths[0])
        n_more = len(self.paths) - 1
        others = f" and {n_more} more" if n_more else ""
        return Path(self.paths[0]).name + others

    @property
    def place(self) -> str:
        """Its folder, or the site that has it."""
        return "Hugging Face" if self.is_address else str(Path(self.paths[0]).parent)

    @property
    def is_address(self) -> bool:
        """Whether it is named by an address instead of a path."""
        return self.kind == TOKENIZER and is_address(self.paths[0])


class WindowSettings:
    """Reads and writes the user's settings of the window.

    Args:
        path: the file; by default, that of the user or of `keep_in`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path if path is not None else _own_path()
        self._values = _read(self._path)
        self._changed: dict[str, Any] = {}
        self._change_lock = threading.Lock()
        self._write_lock = threading.Lock()

    @property
    def theme(self) -> str:
        """The theme: "system", "light" or "dark"."""
        mode = str(self._values.get("view/theme", "system"))
        return mode if mode in theme.MODES else "system"

    @theme.setter
    def theme(self, mode: str) -> None:
        self._put("view/theme", mode)

    @property
    def folder(self) -> str:
        """The folder of the last file dialog; the home folder if it does not exist any more."""
        folder = str(self._values.get("files/folder", ""))
        return folder if folder and Path(folder).is_dir() else str(Path.home())

    @folder.setter
    def folder(self, folder: str | PathLike[str]) -> None:
        self._put("files/folder", str(folder))

    @property
    def save_format(self) -> str:
        """The format in which a tokenizer was saved last, or ""."""
        return str(self._values.get("files/save_format", ""))

    @save_format.setter
    def save_format(self, name: str) -> None:
        self._put("files/save_format", name)

    @property
    def lesson_language(self) -> str:
        """The language of the lessons that was chosen, by its English name, or ""."""
        return str(self._values.get("learn/language", ""))

    @lesson_language.setter
    def lesson_language(self, name: str) -> None:
        self._put("learn/language", name)

    @property
    def recent(self) -> list[Recent]:
        """The files opened last, newest first."""
        found = map(_recent, _strings(self._values.get(_RECENT)))
        return [each for each in found if each.paths]

    def add_recent(self, newest: Recent) -> None:
        """Add something that was opened, at the beginning of the list."""
        others = [each for each in self.recent if each.paths != newest.paths]
        kept = [newest, *others][:MOST_RECENT]
        entries = ["\n".join((each.kind, *each.paths)) for each in kept]
        self._put(_RECENT, entries)

    def clear_recent(self) -> None:
        """Clear the list."""
        self._put(_RECENT, None)

    @property
    def splits(self) -> dict[str, str]:
        """The splits that the user chose for tokenizers without one, by the keys of their files."""
        pairs = (entry.partition(" ") for entry in _strings(self._values.get("tokenizers/splits")))
        return {key: split for key, _, split in pairs if key and split}

    def remember_split(self, key: str, split: str) -> None:
        """Remember the split of a tokenizer; the oldest are forgotten."""
        kept = [f"{one} {its}" for one, its in self.splits.items() if one != key]
        self._put("tokenizers/splits", [f"{key} {split}", *kept][:MOST_SPLITS])

    @property
    def zoom(self) -> int:
        """The text size, in percent of the system's."""
        percent = self._values.get("view/zoom")
        return percent if type(percent) is int else 100

    @zoom.setter
    def zoom(self, percent: int) -> None:
        self._put("view/zoom", percent)

    @property
    def place(self) -> QRect | None:
        """The place where the window was, which may be on a screen that is gone."""
        return _rect(self._values.get("window/rect"))

    def store_place(self, place: QRect, *, is_maximized: bool) -> None:
        """Store the place of the window when it is not maximized, and whether it is."""
        self._put("window/rect", [place.x(), place.y(), place.width(), place.height()])
        self._put("window/maximized", is_maximized)

    @property
    def was_maximized(self) -> bool:
        """Whether the window was maximized."""
        return self._flag("window/maximized", False)

    @property
    def layout(self) -> QByteArray | None:
        """The state of the views; None if there is none for this version."""
        state = self._values.get(f"window/layout_{LAYOUT_VERSION}")
        if not isinstance(state, str) or not state.isascii():
            return None
        coded = QByteArray.fromBase64(state.encode())
        return None if coded.isEmpty() else coded

    @layout.setter
    def layout(self, state: QByteArray) -> None:
        self._put(f"window/layout_{LAYOUT_VERSION}", bytes(state.toBase64().data()).decode("ascii"))

    @property
    def compared_sizes(self) -> list[int]:
        """The vocabulary sizes that were compared last, in ascending order."""
        entries = self._values.get("compare/sizes")
        if not isinstance(entries, list):
            return []
        sizes = {n for n in entries if type(n) is int and 0 <= n < 1 << 40}
        return sorted(sizes)[:MOST_SIZES]

    @compared_sizes.setter
    def compared_sizes(self, sizes: Iterable[int]) -> None:
        self._put("compare/sizes", list(sizes))

    @property
    def used_actions(self) -> list[str]:
        """The actions used from the command palette, the last one first."""
        return _strings(self._values.get("palette/used"))

    @used_actions.setter
    def used_actions(self, keys: Iterable[str]) -> None:
        self._put("palette/used", list(keys))

    def get(self, key: str, otherwise: bool) -> bool:
        """Read a boolean setting."""
        return self._flag(f"view/{key}", otherwise)

    def put(self, key: str, value: bool) -> None:
        """Store a boolean setting."""
        self._put(f"view/{key}", value)

    def clear(self) -> None:
        """Forget everything."""
        for key in list(self._values):
            self._put(key, None)

    def sync(self) -> None:
        """Write pending changes and wait until the disk has them; a failure is logged."""
        with self._write_lock:
            while changed := self._take_changed():
                # Changes that another window has written meanwhile are kept.
                stored = _read(self._path)
                if newest := changed.get(_RECENT):
                    others = [
                        entry for entry in _strings(stored.get(_RECENT)) if entry not in newest
                    ]
                    changed[_RECENT] = [*newest, *others][:MOST_RECENT]
                stored = {
                    key: value for key, value in (stored | changed).items() if value is not None
                }
                try:
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                    atomic_file.atomic_write(self._path, json.dumps(stored, indent=1))
                except (OSError, SaveError) as error:
                    _log.warning("Settings were not saved: %s", error)

    def _flag(self, key: str, otherwise: bool) -> bool:
        value = self._values.get(key)
        return value if isinstance(value, bool) else otherwise

    def _put(self, key: str, value: Any) -> None:
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value
        with self._change_lock:
            is_waiting = bool(self._changed)
            self._changed[key] = value
        if not is_waiting:
            self._write_soon()

    def _write_soon(self) -> None:
        QThreadPool.globalInstance().start(self.sync)

    def _take_changed(self) -> dict[str, Any]:
        with self._change_lock:
            changed = self._changed
            self._changed = {}
        return changed


def _own_path() -> Path:
    kind = QStandardPaths.StandardLocation.GenericConfigLocation
    folder = _folder if _folder is not None else Path(QStandardPaths.writableLocation(kind))
    return folder / "BPE Studio" / "settings.json"


def _read(path: Path) -> dict[str, Any]:
    """The values of a settings file; empty if it is missing or damaged."""
    try:
        with path.open("rb") as stream:
            values = json.loads(stream.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _strings(stored: object) -> list[str]:
    """The strings of a stored list; empty if it is no list."""
    if not isinstance(stored, list):
        return []
    return [entry for entry in stored if isinstance(entry, str)]


def _recent(entry: str) -> Recent:
    """Read a stored entry: a line with the kind, which may be missing, and one for each path."""
    lines = [line for line in entry.split("\n") if line]
    kind = lines.pop(0) if lines and lines[0] in KINDS else TEXT
    return Recent(kind, tuple(lines))


def _rect(stored: object) -> QRect | None:
    """A geometry of four whole numbers, or None for anything else."""
    if (
        not isinstance(stored, list)
        or len(stored) != 4
        or not all(type(n) is int and abs(n) < 1 << 30 for n in stored)
    ):
        return None
    return QRect(*stored)
