"""The permission to read the files of a document: asks the user, checks the files, and remembers the answer.

`document_text.py` says why, and what a permission covers. There is no dialog: whatever needs the text shows that it
waits for the permission (`gui/widgets/text_access.py`), and continues when `changed` is emitted and the text is
available.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_files import awaits_permission
from bpe_studio.workspace.document_text import DocumentText
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread


class Access(Enum):
    """Whether the text of what is open can be read.

    Values:
        open: it can; or there is none, or nothing is open.
        asked: the user has not allowed it yet.
        checking: its files are being compared with what the document says of them.
        different: they do not hold the text.
    """

    open = "open"
    asked = "asked"
    checking = "checking"
    different = "different"


class Permissions(Protocol):
    """Remembers which documents' files may be read."""

    def is_allowed(self, key: str) -> bool:
        """Whether the user has allowed the files of a document, by its key."""

    def allow(self, key: str) -> None:
        """Remember that the user has allowed them."""


class PermissionsOfSession:
    """Remembers permissions until the program ends."""

    def __init__(self) -> None:
        self._keys: set[str] = set()

    def is_allowed(self, key: str) -> bool:
        """Whether the user has allowed the files of a document, by its key."""
        return key in self._keys

    def allow(self, key: str) -> None:
        """Remember that the user has allowed them."""
        self._keys.add(key)


class TextAccess(QObject):
    """The permission to read the files of the open document.

    Attributes:
        permissions: the permissions that were given; the window sets those that are stored with its settings.

    Signals:
        changed: the state has changed, or another document is open.
        progressed: the check has made progress.
    """

    changed = Signal()
    progressed = Signal()

    def __init__(self, open_state: OpenState, backend: Backend, parent: QObject | None = None) -> None:
        """Starts without a document.

        Args:
            open_state: what is open.
            backend: the files layer.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._backend = backend
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._text: DocumentText | None = None
        self._progress: Progress | None = None
        self.permissions: Permissions = PermissionsOfSession()
        open_state.corpus_changed.connect(self._on_corpus_changed)

    @property
    def text(self) -> DocumentText | None:
        """The text that needs the permission; None if none does."""
        return self._text

    @property
    def state(self) -> Access:
        """Whether the text can be read."""
        if self._text is None:
            return Access.open
        if self._job is not None:
            return Access.checking
        return Access.different if self._text.problem else Access.asked

    @property
    def progress(self) -> Progress | None:
        """The progress of the check; None while none runs."""
        return self._progress

    def allow(self) -> None:
        """Give the permission to read the files that the document names, and check them."""
        if self._text is not None:
            self._text.is_allowed = True
            self.permissions.allow(self._text.key)
            self._check(())

    def choose(self, paths: Sequence[Path]) -> None:
        """Check other files that the user has chosen, which must have the same text."""
        if self._text is not None and paths:
            self._check(paths)

    def remember(self, key: str) -> None:
        """Give the permission for a document that was saved."""
        self.permissions.allow(key)

    @Slot()
    def cancel(self) -> None:
        """Cancel the check; it can be started again."""
        if self._job is not None and self._text is not None:
            self._abandon()
            self._text.problem = "The check was cancelled."
            self.changed.emit()

    @Slot()
    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._open.corpus
        text = info.request.stored if info is not None and awaits_permission(info.request) else None
        if text is self._text:
            return
        self._abandon()
        self._text = text
        if text is not None and not text.problem:
            text.is_allowed = text.is_allowed or self.permissions.is_allowed(text.key)
            if text.is_allowed:
                self._check(())
                return
        self.changed.emit()

    def _check(self, chosen: Sequence[Path]) -> None:
        from bpe_studio.workspace.corpus.text_check import check_text

        assert self._text is not None
        self._abandon()
        self._text.problem = ""
        make = partial(check_text, self._backend, self._text, tuple(chosen))
        # In a thread of its own: a disk that does not respond must not block the worker.
        on_end = partial(self._on_end, self._text)
        self._job = self._jobs.start(partial(run_in_thread, make), self._on_progress, on_end)
        self.changed.emit()

    def _abandon(self) -> None:
        if self._job is not None:
            self._jobs.abandon(self._job)
        self._job = self._progress = None

    def _on_progress(self, progress: Progress) -> None:
        self._progress = progress
        self.progressed.emit()

    def _on_end(self, text: DocumentText, ended: Ended) -> None:
        self._job = self._progress = None
        if ended.outcome is Outcome.finished:
            text.checked = ended.result
            self._text = None
        else:
            cancelled = "The check was cancelled."
            text.problem = cancelled if ended.error is None else failure_of("Check the text", ended.error).message
        self.changed.emit()
