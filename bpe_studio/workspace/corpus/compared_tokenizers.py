"""Tokenizers that are opened to be compared: opened and counted in a thread of their own, without
touching the run.

They belong to the session, not to the text: when another text is opened, they stay, and are counted
again when they are looked at. They change neither the open run nor the settings of the next one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.engine.generators import relay
from bpe_studio.explain.comparison.subjects import ComparedTokenizer
from bpe_studio.files.third_party import known
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.token_counting import Tables, count_tokens
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of, free_name
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer

MOST = 20
CANCELLED = "Counting was cancelled"


class ComparedTokenizers(QObject):
    """The tokenizers, in the order in which they were opened.

    Signals:
        changed: the tokenizers or their counts.
        progress_changed: Progress of opening or counting, or None.
        failed: str, why a tokenizer could not be opened; the others stay.
    """

    changed = Signal()
    progress_changed = Signal(object)
    failed = Signal(str)

    def __init__(
        self, open_state: OpenState, backend: Backend, parent: QObject | None = None
    ) -> None:
        """No tokenizer is open.

        Args:
            open_state: the open values, with the corpus.
            backend: reads tokenizers and texts.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._backend = backend
        self._jobs = Jobs(self)
        self._entries: tuple[ComparedTokenizer, ...] = ()
        self._waiting: list[Path] = []
        self._tables = Tables()
        self._counted_for: tuple[object, ...] | None = None
        self._n_opened = 0
        self._job: int | None = None
        self._subject = -1
        self._progress: Progress | None = None
        open_state.corpus_changed.connect(self._on_corpus_changed)

    @property
    def entries(self) -> tuple[ComparedTokenizer, ...]:
        """The tokenizers."""
        return self._entries

    @property
    def can_count(self) -> bool:
        """Whether there is a corpus to count."""
        info = self._open.corpus
        return info is not None and info.has_words

    @property
    def progress(self) -> Progress | None:
        """The progress of opening or counting; None if nothing is opened or counted."""
        return self._progress

    @property
    def opening(self) -> str:
        """The tokenizer that is being opened, in words; "" for none."""
        return self._progress.what if self._progress is not None and self._subject < 0 else ""

    def add(self, paths: Sequence[Path]) -> None:
        """Opens tokenizers, each a file or a folder, and counts the corpus under them."""
        room = max(0, MOST - len(self._entries) - len(self._waiting))
        if len(paths) > room:
            self.failed.emit(f"At most {MOST} tokenizers can be compared: remove one first.")
        self._waiting += paths[:room]
        self._continue()

    def remove(self, number: int) -> None:
        """Removes a tokenizer."""
        if self._subject == number:
            self._abandon()
        kept = [each for each in self._entries if each.number != number]
        self._set_entries(kept)
        self._continue()

    def cancel(self) -> None:
        """Stops opening and counting; a tokenizer that is not counted says so."""
        self._waiting.clear()
        self._abandon()
        entries = list(self._entries)
        for place, each in enumerate(entries):
            if each.corpus_counts is None:
                entries[place] = replace(each, why_not=CANCELLED)
        self._set_entries(entries)

    def count(self) -> None:
        """Counts the tokenizers that are not counted yet; call it when they are looked at."""
        self._continue()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    def _text(self) -> tuple[object, ...] | None:
        """A key for the text and the way in which it is read; None without a text."""
        info = self._open.corpus
        if info is None:
            return None
        return info.request, info.corpus.config.documents, info.corpus.is_counted

    @Slot()
    def _on_corpus_changed(self) -> None:
        text = self._text()
        if text == self._counted_for and text is not None:
            return
        self._counted_for = text
        self._tables = Tables()
        if self._subject >= 0:
            self._abandon()
        uncounted = [
            replace(each, corpus_counts=None, why_not="", remark="") for each in self._entries
        ]
        self._set_entries(uncounted)

    def _continue(self) -> None:
        """Starts the next job, if none is running."""
        if self._job is not None:
            return
        if self._waiting:
            path = self._waiting.pop(0)
            make = partial(run_in_thread, partial(open_tokenizer, self._backend, path))
            self._begin(
                make,
                partial(self._on_opened, path),
                loading_progress(known.name_of(path), (0, 0)),
                -1,
            )
            return
        info = self._open.corpus
        if info is None or not self.can_count:
            return
        uncounted = (each for each in self._entries if each.corpus_counts is None)
        entry = next((each for each in uncounted if not each.why_not), None)
        if entry is not None:
            work = partial(
                count_tokens, self._backend, info, entry.tokenizer, entry.name, self._tables
            )
            begun = Progress(f"Counting the tokens of {entry.name}", 0, 0, "%")
            self._begin(
                partial(run_in_thread, work),
                partial(self._on_counted, entry.number),
                begun,
                entry.number,
            )

    def _begin(self, make: object, on_end: object, begun: Progress, subject: int) -> None:
        self._subject = subject
        self._set_progress(begun)
        self._job = self._jobs.start(make, self._set_progress, on_end)  # type: ignore[arg-type]

    def _abandon(self) -> None:
        if self._job is not None:
            self._jobs.abandon(self._job)
        self._ended()

    def _ended(self) -> None:
        self._job = None
        self._subject = -1
        self._set_progress(None)

    def _on_opened(self, path: Path, ended: Ended) -> None:
        if ended.outcome is Outcome.finished:
            self._n_opened += 1
            taken = {each.name for each in self._entries}
            name = free_name(known.name_of(path), taken)
            added = ComparedTokenizer(self._n_opened, name, ended.result)
            self._set_entries([*self._entries, added])
        elif ended.error is not None:
            self.failed.emit(failure_of(f"Open {known.name_of(path)}", ended.error).message)
        self._ended()
        self._continue()

    def _on_counted(self, number: int, ended: Ended) -> None:
        self._ended()
        why_not = ""
        if ended.error is not None:
            why_not = failure_of("Count the tokens", ended.error).message
        counts, remark = ended.result if ended.result is not None else (None, "")
        entries = list(self._entries)
        for place, each in enumerate(entries):
            if each.number == number:
                entries[place] = replace(each, corpus_counts=counts, why_not=why_not, remark=remark)
        self._set_entries(entries)
        self._continue()

    def _set_progress(self, progress: Progress | None) -> None:
        self._progress = progress
        self.progress_changed.emit(progress)

    def _set_entries(self, entries: Sequence[ComparedTokenizer]) -> None:
        is_same = len(entries) == len(self._entries) and all(map(is_, entries, self._entries))
        if not is_same:
            self._entries = tuple(entries)
            self.changed.emit()


def loading_progress(name: str, fetched: tuple[int, int]) -> Progress:
    """The progress of a tokenizer that is fetched, then read."""
    n_done, n_bytes = fetched
    if n_bytes:
        return Progress(f"Fetching {name}", n_done, n_bytes, "bytes")
    return Progress(f"Opening {name}", 0, 0, "%")


def open_tokenizer(backend: Backend, path: Path) -> Generator[Progress, None, Tokenizer]:
    """Reads a tokenizer of any kind.

    Raises:
        TokenizerFormatError: it is no tokenizer, or cannot be read or fetched.
    """
    tokenizer = yield from relay(
        backend.loading(path), partial(loading_progress, known.name_of(path))
    )
    _ = tokenizer.tokens  # made on first access: here, and not in the window's thread
    return tokenizer
