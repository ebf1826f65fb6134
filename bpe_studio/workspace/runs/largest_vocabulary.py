"""How large a vocabulary the run that is shown can reach, found on request.

It is learned to the end by a trainer of its own, in a thread of its own: the run that is shown stays as it is, and may
be trained meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.relay import relay
from bpe_studio.workspace.state import LargestVocabularyInfo

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class LargestVocabulary(QObject):
    """The largest vocabulary of the run that is shown, as far as it is known.

    Signals:
        changed: LargestVocabularyInfo, or None where it is not known and not looked for.
    """

    changed = Signal(object)

    def __init__(self, open_state: OpenState, parent: QObject | None = None) -> None:
        """Nothing is looked for.

        Args:
            open_state: the run that is shown.
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
        """What is known of it; None where nobody asked for it."""
        return self._found

    def find(self) -> None:
        """Looks for it; at once where the run has come to its end by itself."""
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
        """Stops looking for it, and forgets it: another run has another one."""
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
            # The run that is shown goes on as if nothing had been asked.
            failure = failure_of("Find the largest vocabulary", ended.error)
            self._open.notice(f"The largest vocabulary was not found. {failure.message}")

    def _set_found(self, found: LargestVocabularyInfo | None) -> None:
        if found != self._found:
            self._found = found
            self.changed.emit(found)


def find_largest_vocabulary(run: Run) -> Generator[LargestVocabularyInfo, None, LargestVocabularyInfo]:
    """Learns what a run leaves to be learned, and lets go of it."""
    from bpe_studio.engine.analysis.size_advice import largest_vocabulary

    n_before = run.vocab_size_at(0)
    end = yield from relay(largest_vocabulary(run), lambda n: LargestVocabularyInfo(n, n_before + n))
    return LargestVocabularyInfo(end.n_merges, end.vocab_size, end.reason)
