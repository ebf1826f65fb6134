"""Known tokenizers, opened one after the other to encode a few lines: those on this computer, and
others on request.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bpe_studio.files.third_party import hub
from bpe_studio.files.third_party.known import KnownTokenizer, known_tokenizers
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.compared_tokenizers import loading_progress, open_tokenizer
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome, Work
from bpe_studio.workspace.messages import failure_of, free_name
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer

MOST_AT_ONCE = 8
"""The number of tokenizers on this computer that are opened without a request; each may take a
hundred megabytes of memory.
"""
CANCELLED = "Opening was cancelled."


@dataclass(frozen=True)
class KnownEntry:
    """A known tokenizer.

    Attributes:
        name: a name that no other one has.
        known: its entry in the list of known tokenizers.
        tokenizer: the tokenizer, once it is open.
        is_waiting: whether it waits to be opened.
        progress: the progress, while it is being opened.
        why_not: a sentence on why it could not be opened.
    """

    name: str
    known: KnownTokenizer
    tokenizer: Tokenizer | None = None
    is_waiting: bool = False
    progress: Progress | None = None
    why_not: str = ""

    @property
    def is_under_way(self) -> bool:
        """Whether it is being opened, or waits to be opened."""
        return self.is_waiting or self.progress is not None


class KnownTokenizers(QObject):
    """The tokenizers, in the order in which they are listed.

    Signals:
        changed: the tokenizers, or their progress.
    """

    changed = Signal()

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        """The list is empty before `begin`.

        Args:
            backend: reads tokenizers.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._backend = backend
        self._jobs = Jobs(self)
        self._entries: dict[str, KnownEntry] = {}
        self._job: int | None = None
        self._is_begun = False
        self.is_listed = False

    @property
    def entries(self) -> tuple[KnownEntry, ...]:
        """The tokenizers."""
        return tuple(self._entries.values())

    def begin(self) -> None:
        """Look for tokenizers, and open those on this computer; further calls do nothing."""
        if self._is_begun:
            return
        self._is_begun = True
        self._start(_listed, self._on_listed)

    def open(self, name: str) -> None:
        """Open a tokenizer; fetch it if it is not on this computer."""
        self._set(name, is_waiting=True, why_not="")
        self._continue()

    def cancel(self, name: str) -> None:
        """Stop opening a tokenizer; others that wait are opened."""
        entry = self._entries[name]
        if not entry.is_under_way:
            return  # it has just been opened
        if entry.progress is not None and self._job is not None:
            self._jobs.abandon(self._job)
            self._job = None
        self._set(name, is_waiting=False, progress=None, why_not=CANCELLED)
        self._continue()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    def _start(
        self,
        make: Callable[[], Work],
        on_end: Callable[[Ended], None],
        on_progress: Callable[[Progress | None], None] = lambda _: None,
    ) -> None:
        self._job = self._jobs.start(partial(run_in_thread, make), on_progress, on_end)

    def _on_listed(self, ended: Ended) -> None:
        self._job = None
        self.is_listed = True
        n_waiting = 0
        for known in ended.result or ():
            name = free_name(known.name, self._entries)
            is_waiting = known.is_kept and n_waiting < MOST_AT_ONCE
            if is_waiting:
                n_waiting += 1
            self._entries[name] = KnownEntry(name, known, is_waiting=is_waiting)
        self.changed.emit()
        self._continue()

    def _continue(self) -> None:
        """Open the next one, if none is being opened."""
        entry = next((each for each in self._entries.values() if each.is_waiting), None)
        if entry is None or self._job is not None:
            return
        self._set(entry.name, is_waiting=False, progress=loading_progress(entry.name, (0, 0)))
        work = partial(open_tokenizer, self._backend, Path(entry.known.place))
        self._start(
            work, partial(self._on_opened, entry.name), partial(self._on_progress, entry.name)
        )

    def _on_progress(self, name: str, progress: Progress | None) -> None:
        if progress is not None:
            self._set(name, progress=progress)

    def _on_opened(self, name: str, ended: Ended) -> None:
        self._job = None
        why_not = ""
        if ended.error is not None:
            why_not = failure_of(f"Open {name}", ended.error).message
        elif ended.outcome is not Outcome.finished:
            why_not = CANCELLED
        self._set(name, tokenizer=ended.result, progress=None, why_not=why_not)
        self._continue()

    def _set(self, name: str, **changes: object) -> None:
        self._entries[name] = replace(self._entries[name], **changes)  # type: ignore[arg-type]
        self.changed.emit()


def _listed() -> Generator[Progress, None, list[KnownTokenizer]]:
    """The tokenizers that can be opened here; published ones only if they can be fetched."""
    yield Progress("Looking for tokenizers", 0, 0, "%")
    found = known_tokenizers()
    kept = [each for each in found if each.is_kept]
    if not hub.is_installed():
        return kept
    names = {each.name for each in kept}
    published = [each for each in found if not each.is_kept and each.name not in names]
    return kept + published
