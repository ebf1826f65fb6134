"""Finds the largest vocabulary of the shown run, on request.

A separate trainer trains to the end in a thread of its own: the shown run does not change, and may be trained
meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.engine.generators import relay
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.state import LargestVocabularyInfo

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class LargestVocabulary(QObject):
    """The largest vocabulary of the shown run, as far as it is known.

    Signals:
        changed: LargestVocabularyInfo, or None if it is not known and no search is running.
    """

    changed = Signal(object)

    def __init__(self, open_state: OpenState, parent: QObject | None = None) -> None:
        """No search is running.

        Args:
            open_state: has the shown run.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._jobs = Jobs(self)
        self._found: LargestVocabularyInfo | None = None
        self._job: int | None = None
        open_state.run_changed.connect(self.cancel)

    @property
    def found(self) -> LargestVocabularyInfo | None:
        """What is known of it; None before a search."""
        return self._found

    def find(self) -> None:
        """Starts the search; if the run has ended by itself, the result is immediate."""
        run = self._open.run
        if run is None or self._job is not None or (self._found is not None and self._found.is_known):
            return
        n_merges = self._open.n_merges
        found = LargestVocabularyInfo(n_merges, run.vocab_size_at(n_merges), self._open.stop_reason)
        self._set_found(found)
        if not found.is_known:
            self._job = self._jobs.start(partial(find_largest_vocabulary, run), self._set_found, self._on_end)

    @Slot()
    def cancel(self) -> None:
        """Stops the search and drops the result, because another run is shown."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._job = None
        self._set_found(None)

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    def _on_end(self, ended: Ended) -> None:
        self._job = None
        self._set_found(ended.result if ended.outcome is Outcome.finished else None)
        if ended.error is not None:
            # The shown run is not affected.
            failure = failure_of("Find the largest vocabulary", ended.error)
            self._open.notice(f"The largest vocabulary was not found. {failure.message}")

    def _set_found(self, found: LargestVocabularyInfo | None) -> None:
        if found != self._found:
            self._found = found
            self.changed.emit(found)


def find_largest_vocabulary(run: Run) -> Generator[LargestVocabularyInfo, None, LargestVocabularyInfo]:
    """Trains to the end, and frees the trainer."""
    from bpe_studio.engine.analysis.size_advice import largest_vocabulary

    n_before = run.vocab_size_at(0)
    end = yield from relay(largest_vocabulary(run), lambda n: LargestVocabularyInfo(n, n_before + n))
    return LargestVocabularyInfo(end.n_merges, end.vocab_size, end.reason)
