"""What the window remembers between sessions: its geometry and panels, the theme, the last folder and files.

Every stored value is checked before it is used: a window that was on a screen that is gone is moved to one that exists,
and a damaged entry is ignored.

They are read once and written by a thread of the pool: Qt waits until the disk has what it writes, which on a busy disk
takes seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, QRect, QSettings, QSize, QThreadPool
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme

LAYOUT_VERSION = 3
MOST_RECENT = 10
MOST_ALLOWED = 500
MOST_SIZES = 200
FIRST_SIZE = QSize(1440, 900)
FRAME = QSize(16, 48)
"""Room for the frame and the title bar, which desktops put around the window."""
LEAST_VISIBLE_PX = 120


class WindowSettings:
    """Reads and writes the user's settings of the window.

    Args:
        settings: where they are stored; by default, the application's own.
    """

    def __init__(self, settings: QSettings | None = None) -> None:
        stored = settings if settings is not None else _own_settings()
        self._place = (stored.fileName(), stored.format())
        self._values: dict[str, Any] = {key: stored.value(key) for key in stored.allKeys()}
        self._changed: dict[str, Any] = {}
        self._change_lock, self._write_lock = threading.Lock(), threading.Lock()

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
    def recent(self) -> list[list[str]]:
        """The corpora opened last, newest first; each is a list of paths."""
        entries = self._values.get("files/recent", [])
        if isinstance(entries, str):
            entries = [entries]
        if not isinstance(entries, list):
            return []
        return [paths for entry in entries if (paths := [line for line in str(entry).split("\n") if line])]

    def add_recent(self, paths: Iterable[str | PathLike[str]]) -> None:
        """Add a corpus at the beginning of the list."""
        newest = [str(Path(path).absolute()) for path in paths]
        if newest:
            kept = [newest, *(entry for entry in self.recent if entry != newest)]
            self._write_recent(kept[:MOST_RECENT])

    def clear_recent(self) -> None:
        """Clear the list."""
        self._put("files/recent", None)

    def _write_recent(self, entries: Sequence[Sequence[str]]) -> None:
        self._put("files/recent", ["\n".join(entry) for entry in entries])

    def is_allowed(self, key: str) -> bool:
        """Whether the person has allowed that the files of a document are read; see `workspace/document_text.py`."""
        return key in self._allowed

    def allow(self, key: str) -> None:
        """Remembers that they allow it; of many documents the last ones."""
        self._put("documents/allowed", [key, *(one for one in self._allowed if one != key)][:MOST_ALLOWED])

    @property
    def _allowed(self) -> list[str]:
        keys = self._values.get("documents/allowed", [])
        if isinstance(keys, str):
            keys = [keys]
        return [str(key) for key in keys] if isinstance(keys, list) else []

    @property
    def splits(self) -> dict[str, str]:
        """How the tokenizers split text whose files do not say it, as the person has said, by the keys of the files."""
        entries = self._values.get("tokenizers/splits", [])
        entries = [entries] if isinstance(entries, str) else entries
        pairs = (str(entry).partition(" ") for entry in entries) if isinstance(entries, list) else ()
        return {key: split for key, _, split in pairs if key and split}

    def remember_split(self, key: str, split: str) -> None:
        """Remembers how a tokenizer splits text; of many the last ones."""
        kept = [f"{one} {its}" for one, its in self.splits.items() if one != key]
        self._put("tokenizers/splits", [f"{key} {split}", *kept][:MOST_ALLOWED])

    def save_place(self, window: QWidget) -> None:
        """Store the geometry of the window."""
        self._put("window/rect", window.normalGeometry() if window.isMaximized() else window.geometry())
        self._put("window/maximized", window.isMaximized())

    def restore_place(self, window: QWidget) -> None:
        """Restore the geometry of the window, on the first screen if the stored place is not visible."""
        rect = self._values.get("window/rect")
        place = fitted(rect if isinstance(rect, QRect) else None, screens())
        window.setGeometry(place)

    @property
    def was_maximized(self) -> bool:
        """Whether the window was maximized."""
        return self._flag("window/maximized", False)

    @property
    def layout(self) -> QByteArray | None:
        """The state of the views; None if there is none for this version."""
        state = self._values.get(f"window/layout_{LAYOUT_VERSION}")
        return state if isinstance(state, QByteArray) and not state.isEmpty() else None

    @layout.setter
    def layout(self, state: QByteArray) -> None:
        self._put(f"window/layout_{LAYOUT_VERSION}", state)

    @property
    def compared_sizes(self) -> list[int]:
        """The vocabulary sizes that were compared last, rising."""
        entries = self._values.get("compare/sizes", [])
        if isinstance(entries, str):
            entries = [entries]
        sizes = {int(entry) for entry in entries if str(entry).isdecimal()} if isinstance(entries, list) else set()
        return sorted(sizes)[:MOST_SIZES]

    @compared_sizes.setter
    def compared_sizes(self, sizes: Iterable[int]) -> None:
        self._put("compare/sizes", [str(size) for size in sizes])

    @property
    def used_actions(self) -> list[str]:
        """The actions used from the command palette, the last one first."""
        entries = self._values.get("palette/used", [])
        if isinstance(entries, str):
            entries = [entries]
        return [str(entry) for entry in entries] if isinstance(entries, list) else []

    @used_actions.setter
    def used_actions(self, keys: Iterable[str]) -> None:
        self._put("palette/used", list(keys))

    def get(self, key: str, otherwise: bool) -> bool:
        """Read a boolean setting."""
        return self._flag(f"view/{key}", otherwise)

    def put(self, key: str, value: bool) -> None:
        """Store a boolean setting."""
        self._put(f"view/{key}", value)

    def sync(self) -> None:
        """Write pending changes, and wait until the disk has them."""
        with self._write_lock:
            while changed := self._take_changed():
                stored = QSettings(*self._place)
                for key, value in changed.items():
                    stored.remove(key) if value is None else stored.setValue(key, value)
                stored.sync()

    def _flag(self, key: str, otherwise: bool) -> bool:
        """Some formats store text only."""
        value = self._values.get(key, otherwise)
        return value == "true" if isinstance(value, str) else bool(value)

    def _put(self, key: str, value: Any) -> None:
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value
        with self._change_lock:
            is_waiting = bool(self._changed)
            self._changed[key] = value
        if not is_waiting:
            QThreadPool.globalInstance().start(self.sync)

    def _take_changed(self) -> dict[str, Any]:
        with self._change_lock:
            changed, self._changed = self._changed, {}
        return changed


def _own_settings() -> QSettings:
    """The program's own settings; the default format is passed so that tests can redirect it."""
    return QSettings(QSettings.defaultFormat(), QSettings.Scope.UserScope, "BPE Studio", "bpe-studio")


def screens() -> list[QRect]:
    """The available area of each screen; empty if there is no screen."""
    if QGuiApplication.platformName() == "offscreen":
        return []
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def fitted(rect: QRect | None, areas: Sequence[QRect]) -> QRect:
    """A geometry for the window that the user can reach: its title bar on a screen, and no larger than that screen.

    Args:
        rect: the stored geometry, or None for the first time.
        areas: the available area of each screen; the first is the primary one.
    """
    if not areas:
        return rect if rect is not None else QRect(QPoint(0, 0), FIRST_SIZE)
    if rect is not None:
        title = QRect(rect.left(), rect.top(), rect.width(), 40)
        for screen in areas:
            seen = title.intersected(screen)
            if (
                seen.width() >= LEAST_VISIBLE_PX
                and seen.height() >= 20
                and rect.size().boundedTo(screen.size()) == rect.size()
            ):
                return rect
    screen = max(areas, key=lambda area: _shared(rect, area)) if rect is not None else areas[0]
    if rect is None:
        size = FIRST_SIZE.boundedTo(screen.size() - FRAME)
    else:
        size = rect.size().boundedTo(screen.size())
    place = QRect(QPoint(0, 0), size)
    place.moveCenter(screen.center())
    return place


def _shared(rect: QRect, screen: QRect) -> int:
    both = rect.intersected(screen)
    return max(0, both.width()) * max(0, both.height())
