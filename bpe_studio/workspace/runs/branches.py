"""The branches of a run, and returning to what was open before.

The fourth of seven layers, `open_state.py` to `workspace.py`. A branch begins at a step of another with
one thing decided differently. All branches of a corpus stay open side by side; which of them is shown is one number,
so going from one to another costs nothing. What is open as a whole is a `Session`; undoing is going back to an earlier
one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Outcome, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.opening.corpus import Countdown
from bpe_studio.workspace.runs.session import ROOT, RunEntry, RunPosition, Session, UndoStep
from bpe_studio.workspace.runs.stops import Stopping
from bpe_studio.workspace.runs.training import SLICE_S
from bpe_studio.workspace.runs.transport import RESTING
from bpe_studio.workspace.state import CorpusInfo, Failure, OpeningRequest, Progress, State
from bpe_studio.workspace.thread_job import beside

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override
    from bpe_studio.engine.training.trainer import Trainer


class Branching(Stopping):
    """Makes branches, goes from one to another, and back to what was.

    Signals:
        branches_changed: a branch was made, renamed or removed, or another is shown.
    """

    branches_changed = Signal()

    def __init__(self, config: TrainingConfig, parts: Backend, parent: QObject | None = None) -> None:
        super().__init__(config, parent)
        self._parts = parts
        self._branches: tuple[RunEntry, ...] = ()
        self._number = ROOT
        self._loading: int | None = None
        self._request: OpeningRequest | None = None

    @property
    def branches(self) -> tuple[RunEntry, ...]:
        """All branches of the open corpus, a branch behind the one that it came from; cursors as they stand now."""
        return tuple(self._here() if branch.number == self._number else branch for branch in self._branches)

    @property
    def branch(self) -> RunEntry | None:
        """The branch that is shown; None without a corpus."""
        return self._here() if self._branches else None

    def branch_off(self, override: Override, name: str = "") -> None:
        """Makes a branch of the one that is shown, learns as much as that has learned, and shows it.

        Args:
            override: what is decided differently, and at which step.
            name: what the branch is called; without it, what the override does.
        """
        self._leave_failure()
        run = self._run
        if run is None or self._state not in (*RESTING, State.running):
            return
        # A branch of a run in which nothing is left learns until nothing is left in it either.
        goal = max(self._target if self._stop_reason else self._n_merges, override.step + 1)
        name = self._free_name(name or override.describe())
        make = partial(make_branch, self._parts, run, override, goal)
        self._load(f"Branch off: {name}", None, make, partial(self._on_branched, override, name))

    def switch_to(self, number: int) -> None:
        """Shows another branch, where the person left it."""
        self._leave_failure()
        now = self._session()
        if now is not None and number != self._number and any(branch.number == number for branch in self._branches):
            self._abandon_loading()
            self._restore(replace(now, number=number))

    def rename_branch(self, number: int, name: str) -> None:
        """Gives a branch another name."""
        name = name.strip()
        before = self._session()
        if before is None or not name or all(each.number != number or each.name == name for each in self._branches):
            return
        self._branches = tuple(
            replace(each, name=name) if each.number == number else each for each in self._branches
        )  # fmt: skip
        self.branches_changed.emit()
        self._tell_change("Rename the branch", before)

    def remove_branch(self, number: int) -> None:
        """Removes a branch, and those that came from it; the first run cannot be removed."""
        before = self._session()
        if before is None or number == ROOT or all(each.number != number for each in self._branches):
            return
        self._leave_failure()
        gone = {number}
        for each in self._branches:
            if each.parent in gone:
                gone.add(each.number)
        shown: int | None = self._number
        while shown in gone:
            shown = next(each.parent for each in self._branches if each.number == shown)
        kept = tuple(each for each in before.branches if each.number not in gone)
        self._abandon_loading()
        self._restore(replace(before, branches=kept, number=shown if shown is not None else ROOT))
        self._tell_change("Remove the branch", before)

    def return_to(self, session: Session) -> None:
        """Opens again what was open, as it stood; what is open now is let go of."""
        self._leave_failure()
        self._abandon_loading()
        self._restore(session)

    def _here(self) -> RunEntry:
        """The branch that is shown, with the cursor where it stands now."""
        cursor = RunPosition(self._n_merges, self._step, self._target, self._stop_reason, self._was_run)
        branch = next(each for each in self._branches if each.number == self._number)
        return replace(branch, cursor=cursor, config=self._config)

    def _session(self) -> Session | None:
        if self._corpus is None or not self._branches:
            return None
        return Session(self.branches, self._number, self.marks.bookmarks)

    def _tell_change(self, text: str, before: Session | None) -> None:
        if before is not None:
            self.changed_by_hand.emit(UndoStep(text, before, self._session, self.return_to))

    def _free_name(self, name: str) -> str:
        taken = {branch.name for branch in self._branches}
        return next(
            each for n in range(1, len(taken) + 2) if (each := name if n == 1 else f"{name} ({n})") not in taken
        )

    def _load(
        self, what: str, request: OpeningRequest | None, make: Callable[[], Work], take: Callable[..., None]
    ) -> None:
        """Starts a job whose result `take` takes when it has succeeded; what is open stays until then."""
        if self._loading is not None:
            self._jobs.abandon(self._loading)
        self._halt()
        self._request = request
        self._set_state(State.loading)
        on_end = partial(self._on_loaded, what, take)
        self._loading = self._jobs.start(partial(beside, make), self._set_progress, on_end)

    def _abandon_loading(self) -> None:
        if self._loading is not None:
            self._jobs.abandon(self._loading)
            self._end_loading()
            self._set_state(self._resting_state())

    def _end_loading(self) -> None:
        self._loading = None
        self._request = None
        self._set_progress(None)

    def _fail(self, failure: Failure) -> None:
        if self._loading is None:
            super()._fail(failure)
        else:
            # What was under way before, such as saving, may fail while another text is opened; that goes on.
            self.failed.emit(failure)

    def _on_loaded(self, what: str, take: Callable[..., None], ended: Ended) -> None:
        self._end_loading()
        if ended.outcome is Outcome.finished:
            take(ended.result)
        elif ended.error is not None:
            self._fail(failure_of(what, ended.error))
        else:
            self._set_state(self._resting_state())

    def _on_branched(self, override: Override, name: str, trainer: Trainer) -> None:
        before = self._session()
        assert before is not None
        number = 1 + max(each.number for each in self._branches)
        n_merges = len(trainer.run_record.merges)
        reason = trainer.stop_reason if trainer.finished and n_merges < trainer.target else ""
        step = min(n_merges, override.step + (override.kind.value == "force"))
        cursor = RunPosition(n_merges, step, max(self._target, n_merges), reason, was_run=True)
        config = self._config.replace(ties=trainer.run_record.config.ties)
        branch = RunEntry(number, name, self._number, override, trainer, config, cursor, before.corpus)
        self._restore(replace(before, branches=(*before.branches, branch), number=number))
        self._tell_change(f"Branch off: {name}", before)

    def _restore(self, session: Session | None) -> None:
        """Puts a sitting in place of what is open: every value first, then every signal."""
        if session is None:
            return
        self._halt()
        branch, old = session.current, self._branches
        is_other_corpus = session.corpus is not self._corpus
        is_same_text = self._corpus is not None and session.corpus.request is self._corpus.request
        is_other_run = branch.trainer is not self._trainer
        is_other_config = branch.config != self._config
        self._corpus, self._config, self._failure = session.corpus, branch.config, None
        self._branches, self._number = session.branches, session.number
        if is_other_run:
            self._take_run(branch.trainer)
            cursor = branch.cursor
            self._n_merges, self._step, self._target = cursor.n_merges, cursor.step, cursor.target
            self._stop_reason, self._was_run = cursor.stop_reason, cursor.was_run
            self.selection.follow(self._run, is_same_text=is_same_text)
            for each in old:
                self._release(each.trainer)
        else:
            self._target = branch.cursor.target
        if is_other_config:
            self.config_changed.emit(self._config)
        if is_other_corpus:
            self.corpus_changed.emit()
        if is_other_run:
            self.run_changed.emit()
            self.selection.tell()
        self.target_changed.emit(self._target)
        if is_other_run:
            self.run_grew.emit(self._n_merges)
            self.step_changed.emit(self._step)
        if is_other_corpus:
            self._put_bookmarks(session.bookmarks)
        self.branches_changed.emit()
        self._set_progress(None)
        self._set_state(self._resting_state())

    def _opened_as(self, info: CorpusInfo, trainer: Trainer, config: TrainingConfig, name: str) -> Session:
        """A sitting of a corpus with a run that has no merge yet."""
        root = RunEntry(ROOT, name, None, None, trainer, config, RunPosition(target=trainer.target), info)
        is_same = self._corpus is not None and self._corpus.request is info.request
        return Session((root,), ROOT, self.marks.bookmarks if is_same else ())


def make_branch(parts: Backend, run: Run, override: Override, goal: int) -> Generator[Progress, None, Trainer]:
    """Makes a branch of a run and learns on to `goal` merges in all.

    Raises:
        BpeError: the override names a token that there is not at its step.
    """
    what = "Branching off"
    yield Progress(what, 0, 0, "merges")
    trainer = parts.branch(run, override)
    for fraction in trainer.prepare():
        yield Progress(what, round(100 * fraction), 100, "%")
    begun = n_merges = len(trainer.run_record.merges)
    trainer.target = max(trainer.target, goal)
    countdown = Countdown(begun)
    while n_merges < goal:
        trainer.advance(goal - n_merges, SLICE_S)
        n_merges = len(trainer.run_record.merges)
        if trainer.finished:
            break
        yield Progress("Training the branch", n_merges, goal, "merges", countdown.seconds_left(n_merges, goal))
    # What the window asks first of a run is how it cuts the typed text.
    trainer.run_record.segmenter.refresh()
    return trainer
