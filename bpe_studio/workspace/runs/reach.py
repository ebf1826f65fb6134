"""What helps to choose a vocabulary size, beside the run: a part of the text set aside, and how far a run can reach.

The sixth of seven layers, `open_state.py` to `workspace.py`. Setting a part aside reads the text again and begins a new
run. The largest vocabulary is learned to the end by a trainer of its own, in a thread of its own: the run that is shown
stays as it is, and may be trained meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of, loss_of_holding_out, sentence
from bpe_studio.workspace.opening.corpus import Opened, open_corpus
from bpe_studio.workspace.runs.session import ROOT_NAME
from bpe_studio.workspace.runs.side_runs import LearningBeside
from bpe_studio.workspace.runs.transport import RESTING
from bpe_studio.workspace.state import Notice, ReachInfo, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run


class Advising(LearningBeside):
    """Sets a part of the text aside, and finds how large a vocabulary can become.

    Signals:
        reach_changed: ReachInfo, or None where it is not known and not looked for.
    """

    reach_changed = Signal(object)

    def __init__(self, config: TrainingConfig, parts: Backend, parent: QObject | None = None) -> None:
        super().__init__(config, parts, parent)
        self._reach: ReachInfo | None = None
        self._reaching: int | None = None
        self._reach_jobs = Jobs(self)
        self.run_changed.connect(self.cancel_reach)

    def hold_out(self, share: float) -> None:
        """Reads the open text again with so much of it set aside, and begins a new run on the rest.

        Args:
            share: how much, from 0 (nothing) to `holding_out.MAX_SHARE`.
        """
        self._leave_failure()
        info = self._corpus
        if info is None or share == info.request.held_out or self._state not in (*RESTING, State.running):
            return
        what = f"Set {100 * share:g} % of the text aside" if share else "Set nothing of the text aside"
        make = partial(open_corpus, self._parts, replace(info.request, held_out=share), self._config)
        self._load(what, None, make, partial(self._on_held_out, what))

    def what_hold_out_loses(self, share: float) -> str:
        """What `hold_out` would discard, in one sentence, or ""; it can be undone."""
        if self._corpus is None or share == self._corpus.request.held_out:
            return ""
        return loss_of_holding_out(self._n_merges, len(self._branches), share)

    def _on_held_out(self, what: str, opened: Opened) -> None:
        before = self._session()
        # It is the same text, so bookmarks stay as they do under other settings.
        session = self._opened_as(opened.info, opened.trainer, opened.config, ROOT_NAME)
        self._restore(replace(session, bookmarks=self.marks.bookmarks))
        for notice in opened.info.notices:
            self.noticed.emit(Notice(sentence(notice)))
        self._tell_change(what, before)

    @property
    def reach(self) -> ReachInfo | None:
        """The largest vocabulary of the run that is shown, as far as it is known; None where nobody asked for it."""
        return self._reach

    def find_reach(self) -> None:
        """Looks for it; at once where the run has come to its end by itself."""
        run = self._run
        if run is None or self._reaching is not None or (self._reach is not None and self._reach.is_known):
            return
        n_merges = self._n_merges
        if self._stop_reason:
            self._set_reach(ReachInfo(n_merges, run.vocab_size_at(n_merges), self._stop_reason))
            return
        self._set_reach(ReachInfo(n_merges, run.vocab_size_at(n_merges)))
        self._reaching = self._reach_jobs.start(partial(find_reach, run), self._set_reach, self._on_reached)

    @Slot()
    def cancel_reach(self) -> None:
        """Stops looking for it, and forgets it: another run has another one."""
        if self._reaching is not None:
            self._reach_jobs.abandon(self._reaching)
            self._reaching = None
        self._set_reach(None)

    def _on_reached(self, ended: Ended) -> None:
        self._reaching = None
        self._set_reach(ended.result if ended.outcome is Outcome.finished else None)
        if ended.error is not None:
            # The run that is shown goes on as if nothing had been asked.
            failure = failure_of("Find the largest vocabulary", ended.error)
            self.noticed.emit(Notice(f"The largest vocabulary was not found. {failure.message}"))

    def _set_reach(self, reach: ReachInfo | None) -> None:
        if reach != self._reach:
            self._reach = reach
            self.reach_changed.emit(reach)

    def _stop_reaching(self) -> None:
        self._reach_jobs.shutdown()


def find_reach(run: Run) -> Generator[ReachInfo, None, ReachInfo]:
    """Learns what a run leaves to be learned, and lets go of it."""
    from bpe_studio.engine.analysis.size_advice import largest_vocabulary

    learning = largest_vocabulary(run)
    n_before = run.vocab_size_at(0)
    while True:
        try:
            n_merges = next(learning)
        except StopIteration as stop:
            reach = stop.value
            return ReachInfo(reach.n_merges, reach.vocab_size, reach.reason)
        yield ReachInfo(n_merges, n_before + n_merges)
