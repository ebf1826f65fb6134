"""Inspects the open text on request, in a thread of its own; the result is kept as long as the text is open."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import source_of, whole_characters
from bpe_studio.workspace.corpus.text_files import text_files, why_no_text
from bpe_studio.workspace.jobs import Ended, Jobs
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.explain.corpus_doctor.inspection import Inspection

_WHAT = "Inspecting the text"
_BLOCK_CHARACTERS = 1 << 18


class Inspector(QObject):
    """Inspects the open text.

    Signals:
        changed: another result, or none, or why there is none.
        progress_changed: Progress, or None if nothing is being inspected.
    """

    changed = Signal()
    progress_changed = Signal(object)

    def __init__(self, open_state: OpenState, backend: Backend, parent: QObject | None = None) -> None:
        """Nothing has been inspected.

        Args:
            open_state: has the open text.
            backend: reads the files.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open, self._backend = open_state, backend
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._request: OpeningRequest | None = None
        self._result: Inspection | None = None
        self._progress: Progress | None = None
        self._problem = ""
        open_state.corpus_changed.connect(self._on_corpus_changed)

    @property
    def result(self) -> Inspection | None:
        """What was found in the open text; None if it has not been inspected."""
        return self._result

    @property
    def progress(self) -> Progress | None:
        """The progress; None if nothing is being inspected."""
        return self._progress

    @property
    def problem(self) -> str:
        """Why the inspection failed; "" if it did not."""
        return self._problem

    def why_not(self) -> str:
        """Why the open text cannot be inspected, as a phrase, or ""."""
        return why_no_text(self._open.corpus)

    def inspect(self) -> None:
        """Inspects the open text, unless that is known or being done."""
        info = self._open.corpus
        if info is None or self.why_not() or self._job is not None or self._result is not None:
            return
        self._request, self._problem = info.request, ""
        self._set_progress(Progress(_WHAT, 0, 100, "%"))
        work = partial(inspected, self._backend, info, self._open.config)
        self._job = self._jobs.start(partial(run_in_thread, work), self._set_progress, self._on_end)
        self.changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Stops."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._job = None
            self._set_progress(None)
            self.changed.emit()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._open.corpus
        # A run with another split has a corpus of its own, of the same text.
        if info is None or info.request is not self._request:
            self.cancel()
            self._request = self._result = None
            self._problem = ""
        self.changed.emit()

    def _on_end(self, ended: Ended) -> None:
        self._job = None
        if ended.error is not None:
            self._problem = failure_of("Inspect the text", ended.error).message
        elif ended.result is not None:
            self._result = ended.result
        self._set_progress(None)
        self.changed.emit()

    def _set_progress(self, progress: Progress | None) -> None:
        if progress != self._progress:
            self._progress = progress
            self.progress_changed.emit(progress)


def inspected(backend: Backend, info: CorpusInfo, config: TrainingConfig) -> Generator[Progress, None, Inspection]:
    """Inspects the text of a corpus, held-out lines included.

    Raises:
        BpeError: a file cannot be read any more.
    """
    from bpe_studio.explain.corpus_doctor.inspection import inspection_of, scanned_pieces, scanner_for

    yield Progress(_WHAT, 0, 100, "%")
    scanner = scanner_for(config)
    request = info.request
    notices: list[str] = []
    if request.text is not None:
        text, _ = whole_characters(request.text)
        scanner.begin_file(request.name)
        for start in range(0, len(text), _BLOCK_CHARACTERS):
            scanner.feed(text[start : start + _BLOCK_CHARACTERS].encode("utf-8", "surrogatepass"))
            yield Progress(_WHAT, round(100 * start / len(text)), 100, "%")
        scanner.feed(b"", (0,))
    total, done = sum(source.size_bytes for source in info.sources), 0
    for file in () if request.text is not None else text_files(request):
        source = source_of(backend, file, request.reading)
        for _ in scanned_pieces(scanner, source):
            share = (done + source.position_bytes) / total if total else 0
            yield Progress(_WHAT, min(100, round(100 * share)), 100, "%")
        done += source.size_bytes
        notices += source.notices
    yield Progress(_WHAT, 100, 100, "%")
    return inspection_of(scanner, info.corpus, notices)
