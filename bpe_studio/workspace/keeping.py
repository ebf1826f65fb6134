"""Keeps unsaved work, so that the program need not ask before the window is closed or something
else is opened.

While there is unsaved work (`unsaved.py`), everything that is open is written as a studio document
(`opening/kept_session.py`): every `KEEP_EVERY_MS`, if something has changed, and when the window is
closed. Work that is replaced by something else becomes a session of its own. The next start offers
all of it. Nothing is kept before `begin`, so tests, pictures and scripts keep nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import (
    QCoreApplication,
    QDeadlineTimer,
    QEventLoop,
    QObject,
    QTimer,
    Signal,
    Slot,
)

from bpe_studio.errors import BpeError
from bpe_studio.explain.names import isolated_title
from bpe_studio.user_folders import state_folder
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.unsaved import NOTHING, TYPED_TEXT, UnsavedWork

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.private_folder import PrivateFolder
    from bpe_studio.workspace.lessons.player import LessonPlayer
    from bpe_studio.workspace.opening.kept_session import KeptSession
    from bpe_studio.workspace.session import Project

KEEP_EVERY_MS = 30_000
MOST_WAIT_MS = 20_000
"""The longest time that closing a window waits for a disk that hangs."""
_TURN_MS = 20
DRAFT = "draft.txt"
TYPED_BEFORE = "typed.txt"
_MOST_DRAFT_BYTES = 16 << 20
FIND_AFTER_MS = 500
"""Late enough for the first paint, and for the imports that it needs."""


def sessions_folder() -> Path:
    """The folder of kept sessions."""
    return state_folder("sessions")


def keep_draft(folder: Path, text: str, name: str = DRAFT) -> None:
    """Keeps a typed text that is not shown, until the next start.

    If it cannot be written, it is lost.
    """
    from bpe_studio.files.atomic_file import atomic_write

    with suppress(OSError, BpeError):
        if text:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(folder / name, text.encode("utf-8", "surrogatepass"))
        else:
            (folder / name).unlink(missing_ok=True)


def kept_draft(folder: Path, name: str = DRAFT) -> str:
    """The kept text; "" for none."""
    try:
        with (folder / name).open("rb") as stream:
            return stream.read(_MOST_DRAFT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


class Keeping(QObject):
    """Knows the unsaved work, and keeps it.

    Signals:
        found: sessions of earlier windows were found; read `sessions`.
    """

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
            open_state: the open values.
            transport: knows how long runs were trained.
            runs: gives everything that is open as one value.
            opener: opens a kept session; its `on_replaced` is set.
            lesson: the lessons; changes while a lesson is played are no work of the person.
            backend: the file layer.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._transport = transport
        self._runs = runs
        self._lesson = lesson
        self._opener = opener
        self._backend = backend
        self._jobs = Jobs(self)
        self._n_writing = 0
        self._parent_folder: Path | None = None
        self._folder: PrivateFolder | None = None
        self._view: Callable[[], Mapping[str, Any]] = dict
        self._kept: object = None
        self._problem = ""
        self._had_lesson = False
        self._sessions: list[KeptSession] = []
        self._open_again: list[KeptSession] = []
        self._set_aside: WeakKeyDictionary[Run, KeptSession] = WeakKeyDictionary()
        self._tick = QTimer(self, interval=KEEP_EVERY_MS)
        self._tick.timeout.connect(self.keep)
        opener.on_replaced = self._on_replaced
        lesson.changed.connect(self._on_lesson_changed)

    @property
    def unsaved(self) -> UnsavedWork:
        """The unsaved work in everything that is open."""
        return self._work_of(self._runs.project())

    def _work_of(self, project: Project) -> UnsavedWork:
        work = self._worth_keeping(project)
        session = project.session
        is_tokenizer = session is not None and not session.corpus.has_words
        return NOTHING if is_tokenizer and work == TYPED_TEXT else work

    def _worth_keeping(self, project: Project) -> UnsavedWork:
        """The unsaved work, with a text that was typed for an opened tokenizer."""
        if self._lesson.lesson is not None:
            return NOTHING
        return self._open.saved_work.unsaved(project, self._transport.trained_s)

    @property
    def sessions(self) -> tuple[KeptSession, ...]:
        """The kept sessions that are not open, the newest first; none before `begin`."""
        return tuple(self._sessions)

    def begin(self, folder: Path, view: Callable[[], Mapping[str, Any]]) -> None:
        """Keeps unsaved work from now on, and finds the sessions of earlier windows.

        Args:
            folder: the folder of all sessions.
            view: the state of the window, as JSON values.
        """
        self._parent_folder = folder
        self._view = view
        self._tick.start()
        QTimer.singleShot(FIND_AFTER_MS, self, self._find)

    @Slot()
    def keep(self) -> None:
        """Writes everything that is open, if there is unsaved work and something has changed."""
        if self._parent_folder is None or self._n_writing:
            return
        project = self._runs.project()
        work = self._worth_keeping(project)
        entries = () if project.session is None else project.session.entries
        for entry in entries:
            session = self._set_aside.pop(entry.run, None)
            if session in self._sessions:
                self._sessions.remove(session)
                self._open_again.append(session)
        if not work or project.session is None or work.has_tokenizer:
            # A document cannot hold this work, so it cannot be kept.
            self._forget()
            return
        view = dict(self._view())
        fingerprint = _fingerprint(project, view)
        if fingerprint != self._kept:
            self._start(project, work, view, partial(self._on_kept, fingerprint))

    def keep_at_end(self) -> str:
        """Keeps unsaved work for the next start, and waits for it.

        Returns:
            A sentence on why it cannot be kept; "" if it was kept, or there is none.
        """
        is_late = QDeadlineTimer(MOST_WAIT_MS)
        self._wait(is_late)
        self.keep()
        self._wait(is_late)
        work = self.unsaved
        if self._parent_folder is None or not work:
            return ""
        if work.has_tokenizer:
            return "A changed tokenizer is kept only if you save it."
        return self._problem

    def restore(self, session: KeptSession, on_opened: Callable[[Mapping[str, Any]], None]) -> None:
        """Opens a kept session; it is removed once this window has kept or saved its work again.

        Args:
            session: one of `sessions`.
            on_opened: called with the state of the window that was kept with it.
        """
        self._opener.open_kept(session, partial(self._on_restored, session, on_opened))

    def discard(self, session: KeptSession) -> None:
        """Removes a kept session."""
        self._sessions.remove(session)
        session.folder.remove()

    def end(self) -> None:
        """Stops keeping, and leaves the kept sessions to the next start; may be called again."""
        self._tick.stop()
        self._jobs.shutdown()
        self._parent_folder = None
        for session in (*self._sessions, *self._open_again):
            session.folder.leave()
        self._sessions = []
        self._open_again = []
        if self._folder is not None:
            self._folder.leave()
            self._folder = None

    def _wait(self, is_late: QDeadlineTimer) -> None:
        """Waits until nothing is being written; input of the person waits, too."""
        while self._n_writing and not is_late.hasExpired():
            QCoreApplication.processEvents(
                QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents, _TURN_MS
            )
        if self._n_writing:
            self._problem = "The folder of kept work does not answer."

    @Slot()
    def _find(self) -> None:
        if self._parent_folder is not None and self._parent_folder.is_dir():
            self._jobs.start(partial(_found, self._parent_folder), _ignore, self._on_found)

    def _on_replaced(self, before: Project, is_whole: bool) -> None:
        """Keeps unsaved work that something else replaces as a session of its own."""
        assert before.session is not None
        work = self._work_of(before)
        if not is_whole:
            work = replace(work, has_typed_text=False)  # it stays, or can be called back
        if (
            self._parent_folder is None
            or before.session.corpus.request.is_lesson
            or work.has_tokenizer
            or not work
        ):
            return
        done = partial(self._on_set_aside, before.session.entries[0].run)
        self._start(before, work, dict(self._view()), done, is_own=False)

    def _start(
        self,
        project: Project,
        work: UnsavedWork,
        view: Mapping[str, Any],
        on_written: Callable[[KeptSession], None],
        *,
        is_own: bool = True,
    ) -> None:
        assert self._parent_folder is not None
        self._n_writing += 1
        make = partial(self._write, self._parent_folder, project, work, view, is_own=is_own)
        self._jobs.start(make, _ignore, partial(self._on_ended, on_written))

    def _write(
        self,
        parent: Path,
        project: Project,
        work: UnsavedWork,
        view: Mapping[str, Any],
        *,
        is_own: bool,
    ) -> Work:
        """The job that writes; it makes the folder when there is something to write."""
        from bpe_studio.files.atomic_file import save_errors
        from bpe_studio.files.private_folder import PrivateFolder
        from bpe_studio.workspace.opening.kept_session import keep_session

        folder = self._folder if is_own else None
        if folder is None:
            with save_errors(str(parent)):
                parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder = PrivateFolder(parent)
        if is_own:
            self._folder = folder
        return (yield from keep_session(self._backend, folder, project, work, view))

    def _on_ended(self, on_written: Callable[[KeptSession], None], ended: Ended) -> None:
        self._n_writing -= 1
        if ended.outcome is Outcome.finished:
            self._problem = ""
            on_written(ended.result)
        elif ended.error is not None:
            failure = failure_of("Keep unsaved work", ended.error)
            if not self._problem:
                # Reported once, until writing succeeds again.
                self._open.notice(
                    f"Unsaved work is not being kept: {failure.message} {failure.hint}".strip()
                )
            self._problem = failure.message

    def _on_kept(self, fingerprint: object, session: KeptSession) -> None:
        self._kept = fingerprint
        self._remove_open_again()

    def _on_set_aside(self, run: Run, session: KeptSession) -> None:
        self._sessions.insert(0, session)
        self._set_aside[run] = session
        self._open.notice(
            f"Your work on {isolated_title(session.name)} is kept: {session.words}. Undo brings it"
            " back now; the start page offers it until you discard it."
        )

    def _forget(self) -> None:
        """Removes the kept work: it was saved, or is not there any more."""
        self._kept = None
        folder = self._folder
        self._folder = None
        if folder is not None:
            folder.remove()
        self._remove_open_again()

    def _remove_open_again(self) -> None:
        for session in self._open_again:
            session.folder.remove()
        self._open_again = []

    def _on_found(self, ended: Ended) -> None:
        if ended.outcome is Outcome.finished:
            self._sessions += ended.result
            if ended.result:
                self.found.emit()

    def _on_restored(
        self,
        session: KeptSession,
        on_opened: Callable[[Mapping[str, Any]], None],
        view: Mapping[str, Any],
    ) -> None:
        self._sessions.remove(session)
        self._open_again.append(session)
        on_opened(view)
        self._kept = None
        self.keep()

    @Slot()
    def _on_lesson_changed(self) -> None:
        if self._had_lesson:
            self._open.saved_work.remember_runs(self._runs.entries, self._transport.trained_s)
        self._had_lesson = self._lesson.lesson is not None


def _fingerprint(project: Project, view: Mapping[str, Any]) -> object:
    """A value that is equal for equal projects in equal windows."""
    session = project.session
    assert session is not None
    runs = tuple((each.run, each.name, each.config, each.position) for each in session.entries)
    marks = (session.bookmarks, project.breakpoints)
    return (
        runs,
        session.number,
        marks,
        project.typed_text,
        project.compared_steps,
        project.document,
        view,
    )


def _found(folder: Path) -> Work:
    from bpe_studio.workspace.opening.kept_session import kept_sessions

    yield
    return kept_sessions(folder)


def _ignore(_: object) -> None:
    """Writing has no progress to show."""
