"""Examines the tokenizer of the shown step on request, in a thread of its own.

The result is kept as long as its run is open: it is about one step of one run, and neither changes.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.jobs import Ended, Jobs
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.relay import relay
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.doctor.examination import Examination

_WHAT = "Examining the tokenizer"


@dataclass(frozen=True, eq=False)
class Examined:
    """What was found of the tokenizer of a step.

    Attributes:
        run, step: whose tokenizer was examined.
        found: what was found.
        tokens: the internal id in the run of each token of `found.tokens`; -1 for a special one that has none.
        n_unused: how many tokens do not occur in the open corpus, special ones not counted; None without a corpus.
    """

    run: Run
    step: int
    found: Examination
    tokens: tuple[int, ...]
    n_unused: int | None


class Examiner(QObject):
    """Examines the tokenizer of the shown step.

    Signals:
        changed: another result, or none, or why there is none.
        progress_changed: Progress, or None if nothing is being examined.
    """

    changed = Signal()
    progress_changed = Signal(object)

    def __init__(self, open_state: OpenState, runs: RunList, parent: QObject | None = None) -> None:
        """Nothing has been examined.

        Args:
            open_state: has the shown run and its step.
            runs: the runs whose results are kept.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open, self._runs = open_state, runs
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._run: Run | None = None
        self._result: Examined | None = None
        self._progress: Progress | None = None
        self._problem = ""
        open_state.run_changed.connect(self._on_run_changed)

    @property
    def result(self) -> Examined | None:
        """What was found last, of a run that is open; it may be of another run or step than the shown one."""
        return self._result

    @property
    def progress(self) -> Progress | None:
        """The progress; None if nothing is being examined."""
        return self._progress

    @property
    def problem(self) -> str:
        """Why the last examination failed; "" if it did not."""
        return self._problem

    def result_of(self, run: Run | None, step: int) -> Examined | None:
        """The result, if it is of a run and a step."""
        found = self._result
        return found if found is not None and found.run is run and found.step == step else None

    def examine(self) -> None:
        """Examines the tokenizer of the shown step, unless that is known or being done."""
        run, step, info = self._open.run, self._open.step, self._open.corpus
        if run is None or info is None or self._job is not None or self.result_of(run, step) is not None:
            return
        self._run, self._problem = run, ""
        work = partial(examined, run, step, has_words=info.has_words)
        self._set_progress(Progress(_WHAT, 0, 100, "%"))
        self._job = self._jobs.start(partial(run_in_thread, work), self._set_progress, self._on_end)
        self.changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Stops; the last result stays."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._job = self._run = None
            self._set_progress(None)
            self.changed.emit()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    @Slot()
    def _on_run_changed(self) -> None:
        open_runs = [entry.run for entry in self._runs.entries]
        if self._run is not None and not any(each is self._run for each in open_runs):
            self.cancel()
        self._problem = ""
        if self._result is not None and not any(each is self._result.run for each in open_runs):
            self._result = None
        self.changed.emit()

    def _on_end(self, ended: Ended) -> None:
        self._job = self._run = None
        if ended.error is not None:
            self._problem = failure_of("Examine the tokenizer", ended.error).message
        elif ended.result is not None:
            self._result = ended.result
        self._set_progress(None)
        self.changed.emit()

    def _set_progress(self, progress: Progress | None) -> None:
        if progress != self._progress:
            self._progress = progress
            self.progress_changed.emit(progress)


def examined(run: Run, step: int, *, has_words: bool) -> Generator[Progress, None, Examined]:
    """Examines the tokenizer of a step.

    Args:
        run: the run, which may grow meanwhile.
        step: the step.
        has_words: whether the run has a corpus, in which tokens may be unused.

    Raises:
        BpeError: the tokenizer cannot be made.
    """
    from bpe_studio.explain.doctor.examination import examining

    yield Progress(_WHAT, 0, 100, "%")
    tokenizer = run.tokenizer(step)
    work = examining(tokenizer, run.corpus if has_words else None)
    found = yield from relay(work, lambda share: Progress(_WHAT, round(100 * share), 100, "%"))
    ids = run.external_ids(step).tolist()
    n_special = len(ids) - run.n_alphabet - step
    internal = {number: place - n_special for place, number in reversed(list(enumerate(ids)))}
    yield Progress(_WHAT, 100, 100, "%")
    special = {*tokenizer.added_ids.values(), *tokenizer.special_ids.values()}
    n_unused = None if found.unused is None else sum(number not in special for number in found.unused)
    return Examined(run, step, found, tuple(max(-1, internal.get(token.id, -1)) for token in found.tokens), n_unused)
