"""Saving: the tokenizer of the current step, or everything as a studio document.

The worker saves one file at a time; training continues afterwards. After a failure, the old file is
still there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.embedded_text import text_in_words, text_size
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.documents import save_document
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.training import check_saved, save_tokenizer
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.session import Document, Project, RunEntry
from bpe_studio.workspace.state import State

_WHY_NOT_SAVED = {
    False: "There is no {} to save: open a text and train on it first.",
    True: "Another job is running: save the {} again when it has ended.",
}


class Saver(QObject):
    """Saves tokenizers and documents.

    Signals:
        saved: Path, the file or folder of a saved tokenizer.
        compared: ExportReport, on how a saved tokenizer encodes the words of the corpus.
        ended: bool, true if a document or a tokenizer was saved, false if saving failed or was
            cancelled.
    """

    saved = Signal(object)
    compared = Signal(object)
    ended = Signal(object)

    def __init__(
        self,
        open_state: OpenState,
        jobs: Jobs,
        transport: Transport,
        runs: RunList,
        backend: Backend,
        parent: QObject | None = None,
    ) -> None:
        """Nothing is being saved.

        Args:
            open_state: the open values.
            jobs: the worker that writes.
            transport: knows how long runs were trained.
            runs: the runs to save.
            backend: the file layer.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._jobs = jobs
        self._transport = transport
        self._runs = runs
        self._backend = backend
        self._job: int | None = None

    @property
    def is_saving(self) -> bool:
        """Whether something is being saved."""
        return self._job is not None

    def save_tokenizer(
        self,
        path: str | PathLike[str],
        form: str = "huggingface",
        *,
        step: int | None = None,
        is_compared: bool = False,
    ) -> None:
        """Saves the tokenizer of a step.

        Args:
            path: the folder or file, depending on the format.
            form: the name of the format.
            step: the number of merges; None for the current step.
            is_compared: whether to read it again, and compare its tokens of the corpus's words.
        """
        self._open.leave_failure()
        run = self._open.run
        if run is None or not self._can_save:
            self._open.notice(_WHY_NOT_SAVED[run is not None].format("tokenizer"))
            self.ended.emit(False)
            return
        target = Path(path)
        step = self._open.step if step is None else step
        make = partial(save_tokenizer, self._backend, run, step, target, form)
        corpus = self._open.corpus
        then = None
        if is_compared and corpus is not None:
            then = partial(check_saved, self._backend, run, step, target, form, corpus.corpus)
        shown = self._runs.shown
        # A tokenizer that is open by itself has no unsaved work once all of it is in a file.
        saved = None
        if shown is not None and not shown.corpus.has_words and step == shown.position.n_merges:
            saved = shown
        on_end = partial(self._on_tokenizer_saved, f"Save {target.name}", saved, then)
        self._job = self._jobs.start(make, self._open.set_progress, on_end)

    def save_document(
        self,
        path: str | PathLike[str],
        view: Mapping[str, Any] | None = None,
        *,
        holds_text: bool = False,
    ) -> None:
        """Saves everything that is open as a studio document.

        Args:
            path: the file; its suffix is ".bpestudio".
            view: the state of the window to store with it, as JSON values.
            holds_text: also store the text of the corpus, and not only its words and their counts.
        """
        self._open.leave_failure()
        if view is None:
            view = {}
        document = Document(Path(path), view, holds_text)
        project = replace(self._runs.project(), document=document)
        if project.session is None or not self._can_save:
            self._open.notice(_WHY_NOT_SAVED[project.session is not None].format("document"))
            self.ended.emit(False)
            return
        make = partial(save_document, self._backend, project)
        self._job = self._jobs.start(
            make, self._open.set_progress, partial(self._on_document_saved, project)
        )

    def cancel(self) -> None:
        """Cancels saving; nothing is written."""
        if self._job is not None:
            self._jobs.stop(self._job)

    @property
    def _can_save(self) -> bool:
        return self._job is None and self._open.state is not State.loading

    def _on_tokenizer_saved(
        self, what: str, entry: RunEntry | None, then: Callable[[], Work] | None, ended: Ended
    ) -> None:
        self._job = None
        self._open.set_progress(None)
        if ended.outcome is Outcome.finished:
            if entry is not None:
                self._open.saved_work.remember_runs((entry,), self._transport.trained_s)
            self._open.notice(f"The tokenizer was saved as {ended.result}.", is_report=True)
            self.saved.emit(ended.result)
            if then is not None and self._job is None:
                self._job = self._jobs.start(then, self._open.set_progress, self._on_compared)
        elif ended.error is not None:
            self._open.fail(failure_of(what, ended.error))
        self.ended.emit(ended.outcome is Outcome.finished)

    def _on_compared(self, ended: Ended) -> None:
        self._job = None
        self._open.set_progress(None)
        if ended.outcome is Outcome.finished:
            self.compared.emit(ended.result)
        elif ended.error is not None:
            self._open.fail(failure_of("Read the saved tokenizer again", ended.error))

    def _on_document_saved(self, project: Project, ended: Ended) -> None:
        document = project.document
        saved = project.session
        assert document is not None and saved is not None
        self._job = None
        self._open.set_progress(None)
        if ended.outcome is Outcome.finished:
            self._open.saved_work.remember(project, self._transport.trained_s)
            corpus = self._open.corpus
            if corpus is not None and corpus.request is saved.corpus.request:
                # Another text, which is not in that document, may have been opened meanwhile.
                self._open.set_document(document)
            size_bytes = text_size(saved.entries[0].corpus) if document.holds_text else 0
            said = text_in_words(document.path, size_bytes)
            self._open.notice(f"The document was saved as {document.path}. {said}.", is_report=True)
        elif ended.error is not None:
            self._open.fail(failure_of(f"Save {document.path.name}", ended.error))
        self.ended.emit(ended.outcome is Outcome.finished)
