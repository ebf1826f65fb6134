"""Keeps unsaved work for the case that the program is killed, and offers what a killed one has left.

While there is unsaved work (`unsaved.py`), all that is open is written as a studio document every `KEEP_EVERY_MS`, if
something has changed, in a thread of its own (`opening/kept_session.py`). Closing the window removes the folder. It is
off until `begin`: tests, pictures and scripts keep nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.unsaved import NOTHING, UnsavedWork

if TYPE_CHECKING:
    from bpe_studio.files.private_folder import PrivateFolder
    from bpe_studio.workspace.lessons.player import LessonPlayer
    from bpe_studio.workspace.opening.kept_session import KeptSession
    from bpe_studio.workspace.session import Project

KEEP_EVERY_MS = 30_000
LOOK_EVERY_MS = 200
FIND_AFTER_MS = 500
"""After the first paint, and what has to be imported for it."""


def sessions_folder() -> Path:
    """Where sessions are kept: in the user's folder for the state of programs."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "BPE Studio" / "sessions"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "BPE Studio" / "sessions"
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if state and Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "bpe-studio" / "sessions"


class Keeping(QObject):
    """Knows what is not saved, and keeps it.

    Signals:
        changed: what would be lost is something else now; read `unsaved`.
        found: sessions of killed processes were found; read `sessions`.
    """

    changed = Signal()
    found = Signal()

    def __init__(
        self,
        open_state: OpenState,
        transport: Transport,
        runs: RunList,
        opener: Opener,
        lesson: LessonPlayer,
        backend: Backend,
        parent: QObject | None = None,
    ) -> None:
        """Nothing is kept.

        Args:
            open_state: what is open.
            transport: knows how long runs were trained.
            runs: all that is open, as one value.
            opener: opens a kept session.
            lesson: what is made while it is followed is no work of the person.
            backend: the file layer.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open, self._transport, self._runs, self._lesson = open_state, transport, runs, lesson
        self._opener, self._backend = opener, backend
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._unsaved = NOTHING
        self._parent_folder: Path | None = None
        self._folder: PrivateFolder | None = None
        self._view: Callable[[], Mapping[str, Any]] = dict
        self._kept: object = None
        self._has_failed = self._had_lesson = self._is_left = False
        self._sessions: list[KeptSession] = []
        self._restored: list[KeptSession] = []
        self._look = QTimer(self, singleShot=True, interval=LOOK_EVERY_MS)
        self._look.timeout.connect(self.look)
        self._tick = QTimer(self, interval=KEEP_EVERY_MS)
        self._tick.timeout.connect(self.keep)
        for signal in (
            open_state.document_changed,
            open_state.corpus_changed,
            open_state.run_changed,
            open_state.run_grew,
            open_state.state_changed,
            open_state.typed_text_changed,
            open_state.marks.changed,
            runs.changed,
        ):
            signal.connect(self._on_changed)
        lesson.changed.connect(self._on_lesson_changed)

    @property
    def unsaved(self) -> UnsavedWork:
        """What would be lost now."""
        if self._lesson.lesson is not None:
            return NOTHING
        return self._open.saved_work.unsaved(self._runs.project(), self._transport.trained_s)

    @property
    def sessions(self) -> tuple[KeptSession, ...]:
        """What killed processes have left, the newest first; none before `begin`."""
        return tuple(self._sessions)

    def begin(self, folder: Path, view: Callable[[], Mapping[str, Any]]) -> None:
        """Keeps unsaved work from now on, and finds what killed processes have left.

        Args:
            folder: the folder of all sessions.
            view: the state of the window, as JSON values.
        """
        self._parent_folder, self._view = folder, view
        self._tick.start()
        QTimer.singleShot(FIND_AFTER_MS, self, self._find)

    def keep_every(self, milliseconds: int) -> None:
        """Sets how often unsaved work is kept."""
        self._tick.setInterval(milliseconds)

    @Slot()
    def look(self) -> None:
        """Emits `changed` if what would be lost has changed."""
        self._look.stop()
        before, self._unsaved = self._unsaved, self.unsaved
        if self._unsaved != before:
            self.changed.emit()

    @Slot()
    def keep(self) -> None:
        """Writes what is open, if there is unsaved work and something has changed since."""
        if self._parent_folder is None or self._job is not None or self._open.is_loading:
            return
        project, work = self._runs.project(), self.unsaved
        if not work or project.session is None or work.has_tokenizer:
            # What no document can hold is not kept either.
            self._forget()
            return
        view = dict(self._view())
        fingerprint = _fingerprint(project, view)
        if fingerprint == self._kept:
            return
        make = partial(self._write, self._parent_folder, project, work, view)
        self._job = self._jobs.start(make, _ignore, partial(self._on_kept, fingerprint))

    def restore(self, session: KeptSession, on_opened: Callable[[Mapping[str, Any]], None]) -> None:
        """Opens a kept session; it is removed when its work is kept again by this window, or saved.

        Args:
            session: one of `sessions`.
            on_opened: called with the state of the window that was kept with it.
        """
        self._opener.open_kept(session, partial(self._on_restored, session, on_opened))

    def discard(self, session: KeptSession) -> None:
        """Removes a kept session."""
        self._sessions.remove(session)
        session.folder.remove()

    def keep_at_end(self) -> None:
        """Leaves what was kept to the next start, although the window is closed."""
        self._is_left = True

    def end(self, *, is_clean: bool = True) -> None:
        """Keeps nothing any more; may be called again.

        Args:
            is_clean: whether nothing is to be offered at the next start, because the person has decided about it.
        """
        is_clean = (is_clean and not self._is_left) or not self.unsaved
        self._tick.stop()
        self._look.stop()
        self._jobs.shutdown()
        self._parent_folder = None
        for session in self._sessions:
            session.folder.leave()
        self._sessions = []
        for session in self._restored:
            session.folder.remove() if is_clean else session.folder.leave()
        self._restored = []
        if self._folder is not None:
            self._folder.remove() if is_clean else self._folder.leave()
            self._folder = None

    @Slot()
    def _find(self) -> None:
        if self._parent_folder is not None and self._parent_folder.is_dir():
            self._jobs.start(partial(_found, self._parent_folder), _ignore, self._on_found)

    def _write(self, parent: Path, project: Project, work: UnsavedWork, view: Mapping[str, Any]) -> Work:
        """In the thread of the job; the folder is made with the first content."""
        from bpe_studio.files.atomic_file import save_errors
        from bpe_studio.files.private_folder import PrivateFolder
        from bpe_studio.workspace.opening.kept_session import keep_session

        if self._folder is None:
            with save_errors(str(parent)):
                parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._folder = PrivateFolder(parent)
        yield from keep_session(self._backend, self._folder, project, work, view)

    def _forget(self) -> None:
        """Removes what was kept: it was saved, or is not there any more."""
        self._kept = None
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.remove()
        for session in self._restored:
            session.folder.remove()
        self._restored = []

    def _on_kept(self, fingerprint: object, ended: Ended) -> None:
        self._job = None
        if ended.outcome is Outcome.finished:
            self._kept, self._has_failed = fingerprint, False
            for session in self._restored:
                session.folder.remove()
            self._restored = []
        elif ended.error is not None and not self._has_failed:
            # Said once, until it has succeeded again; nothing else stops.
            self._has_failed = True
            failure = failure_of("Keep unsaved work", ended.error)
            self._open.notice(
                f"Unsaved work is not kept for the case of a crash: {failure.message} {failure.hint}".strip()
            )

    def _on_found(self, ended: Ended) -> None:
        if ended.outcome is Outcome.finished:
            self._sessions = list(ended.result)
            if self._sessions:
                self.found.emit()

    def _on_restored(
        self, session: KeptSession, on_opened: Callable[[Mapping[str, Any]], None], view: Mapping[str, Any]
    ) -> None:
        self._sessions.remove(session)
        self._restored.append(session)
        on_opened(view)
        self._kept = None
        self.keep()

    @Slot()
    def _on_changed(self) -> None:
        if not self._look.isActive():
            self._look.start()

    @Slot()
    def _on_lesson_changed(self) -> None:
        has_lesson = self._lesson.lesson is not None
        if self._had_lesson:
            self._open.saved_work.remember_runs(self._runs.entries, self._transport.trained_s)
        self._had_lesson = has_lesson
        self._on_changed()


def _fingerprint(project: Project, view: Mapping[str, Any]) -> object:
    """Equal for what is the same."""
    session = project.session
    assert session is not None
    runs = tuple((each.run, each.name, each.config, each.position) for each in session.entries)
    marks = (session.bookmarks, project.breakpoints)
    return runs, session.number, marks, project.typed_text, project.compared_steps, project.document, view


def _found(folder: Path) -> Work:
    from bpe_studio.workspace.opening.kept_session import kept_sessions

    yield
    return kept_sessions(folder)


def _ignore(_: object) -> None:
    """Writing has no progress to show."""
