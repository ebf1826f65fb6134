"""The runs of the open text: all of them, the shown one, and branching off.

A branch begins at a step of another run with one override. All runs of a text stay open; the shown
one is a number, so switching between runs costs nothing. The list with everything that belongs to
it is a `Session`; undo returns to an earlier session.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bpe_studio.explain.names import branch_name
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import NewRun
from bpe_studio.workspace.messages import free_name, sentence
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.training import SLICE_S, TrainingCountdown
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.session import ROOT, Project, RunEntry, RunPosition, Session
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.undo import UndoStep

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override
    from bpe_studio.engine.training.trainer import Trainer


class RunList(QObject):
    """The open runs, and the shown one.

    Signals:
        changed: a run was added, renamed or removed, or another one is shown.
        branched: int, the number of the branch that was made and is shown now.
    """

    changed = Signal()
    branched = Signal(object)

    def __init__(
        self,
        open_state: OpenState,
        transport: Transport,
        loader: Loader,
        backend: Backend,
        parent: QObject | None = None,
    ) -> None:
        """No run is open.

        Args:
            open_state: receives the shown run.
            transport: stopped when another run is shown.
            loader: runs the jobs that make a branch.
            backend: the engine.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._open = open_state
        self._transport = transport
        self._loader = loader
        self._backend = backend
        self._entries: tuple[RunEntry, ...] = ()
        self._number = ROOT

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """All runs of the open text, with their present positions; a branch follows its parent."""
        entries = list(self._entries)
        for place, entry in enumerate(entries):
            if entry.number == self._number:
                entries[place] = self._present()
        return tuple(entries)

    @property
    def shown(self) -> RunEntry | None:
        """The shown run; None without a corpus."""
        return self._present() if self._entries else None

    def branch_off(self, override: Override, name: str = "") -> None:
        """Makes a branch of the shown run, trains it to the same number of merges, and shows it.

        Args:
            override: the override, with its step.
            name: the name of the branch; "" for a description of the override.
        """
        self._open.leave_failure()
        run = self._open.run
        if run is None or not self._open.can_be_replaced:
            return
        # A branch of a run that has ended is trained to its end, too.
        goal = self._open.target if self._open.stop_reason else self._open.n_merges
        goal = max(goal, override.step + 1)
        name = self._free_name(name or branch_name(override, run.config))
        make = partial(make_branch, self._backend, run, override, goal)
        self._loader.start(f"Branch off: {name}", make, partial(self._on_branched, override, name))

    def show(self, number: int) -> None:
        """Shows another run, at the position where it was left."""
        self._open.leave_failure()
        now = self.session()
        if (
            now is not None
            and number != self._number
            and any(entry.number == number for entry in self._entries)
        ):
            self._loader.abandon()
            self.restore(replace(now, number=number))

    def rename(self, number: int, name: str) -> None:
        """Renames a run."""
        name = name.strip()
        before = self.session()
        if (
            before is None
            or not name
            or all(each.number != number or each.name == name for each in self._entries)
        ):
            return
        entries = list(self._entries)
        for place, entry in enumerate(entries):
            if entry.number == number:
                entries[place] = replace(entry, name=name)
        self._entries = tuple(entries)
        self.changed.emit()
        self.record("Rename the branch", before)

    def remove(self, number: int) -> None:
        """Removes a run and its branches; the first run cannot be removed."""
        before = self.session()
        if before is None or number == ROOT or all(each.number != number for each in self._entries):
            return
        self._open.leave_failure()
        gone = {number}
        for each in self._entries:
            if each.parent in gone:
                gone.add(each.number)
        shown: int | None = self._number
        while shown in gone:
            shown = next(each.parent for each in self._entries if each.number == shown)
        kept = tuple(each for each in before.entries if each.number not in gone)
        self._loader.abandon()
        if shown is None:
            shown = ROOT
        self.restore(replace(before, entries=kept, number=shown))
        self.record("Remove the branch", before)

    def add(
        self, what: str, name: str, new: NewRun, position: RunPosition, *, is_shown: bool = False
    ) -> None:
        """Adds a side run.

        Args:
            what: the action, to follow "Undo" and to precede the name.
            name: its name; a number is added if another run has this name.
            new: the run, its corpus and settings.
            position: its initial position.
            is_shown: whether to show it; otherwise the shown run stays.
        """
        before = self.session()
        assert before is not None
        name = self._free_name(name)
        number = 1 + max(each.number for each in self._entries)
        entry = RunEntry(number, name, None, None, new.trainer, new.config, position, new.info)
        if is_shown:
            self.restore(replace(before, entries=(*before.entries, entry), number=number))
        else:
            self._entries += (entry,)
            self.changed.emit()
            self._open.rest()
        self.record(f"{what}: {name}", before)

    def begin_anew(self, what: str, new: NewRun) -> None:
        """Replaces all runs with a new run of the same text; its bookmarks are kept.

        Args:
            what: the action, to follow "Undo".
            new: the run, and its corpus, which may be split differently.
        """
        before = self.session()
        is_read_again = new.info is not self._open.corpus
        self.restore(new.as_session(bookmarks=self._open.marks.bookmarks))
        if is_read_again:
            for notice in new.info.notices:
                self._open.notice(sentence(notice), is_report=True)
        self.record(what, before)

    def return_to(self, session: Session) -> None:
        """Opens an earlier session again; the present one is dropped."""
        self._open.leave_failure()
        self._loader.abandon()
        self.restore(session)

    def session(self) -> Session | None:
        """The open text and its runs; None if nothing is open."""
        if self._open.corpus is None or not self._entries:
            return None
        return Session(self.entries, self._number, self._open.marks.bookmarks)

    def project(self) -> Project:
        """Everything that is open, as a document stores it."""
        state = self._open
        return Project(
            self.session(),
            state.marks.breakpoints,
            state.typed_text,
            state.compared_steps,
            state.document,
        )

    def restore(self, session: Session) -> None:
        """Opens a session; all values change before any signal is emitted."""
        old = self._entries
        self._transport.halt()
        self._entries = session.entries
        self._number = session.number
        replaced = self._open.put(session.current)
        if replaced.run:
            self._transport.forget_run()
            shown = {id(each.run) for each in self._entries}
            for each in old:
                self._transport.release(each.trainer)
                if id(each.run) not in shown:
                    each.run.forget_derived()
        self._open.announce(replaced)
        if replaced.corpus:
            self._open.marks.set_all(self._open.marks.breakpoints, session.bookmarks)
        self.changed.emit()
        self._open.set_progress(None)
        self._open.rest()

    def record(self, text: str, before: Session | None) -> None:
        """Emits an undo step for an action on the open session."""
        if before is not None:
            self._open.record(UndoStep(text, before, self.session, self.return_to))

    def _free_name(self, name: str) -> str:
        """A name that no run has: the given one, perhaps with a number."""
        return free_name(name, {entry.name for entry in self._entries})

    def _present(self) -> RunEntry:
        """The shown run, at its present position."""
        state = self._open
        position = RunPosition(
            state.n_merges, state.step, state.target, state.stop_reason, state.was_run
        )
        entry = next(each for each in self._entries if each.number == self._number)
        return replace(entry, position=position, config=state.config)

    def _on_branched(self, override: Override, name: str, trainer: Trainer) -> None:
        before = self.session()
        assert before is not None
        number = 1 + max(each.number for each in self._entries)
        n_merges = len(trainer.run_record.merges)
        reason = trainer.stop_reason if trainer.finished and n_merges < trainer.target else ""
        step = override.step
        if override.kind.value == "force":
            step += 1
        step = min(n_merges, step)
        position = RunPosition(
            n_merges, step, max(self._open.target, n_merges), reason, was_run=True
        )
        config = self._open.config.replace(ties=trainer.run_record.config.ties)
        entry = RunEntry(
            number, name, self._number, override, trainer, config, position, before.corpus
        )
        self.restore(replace(before, entries=(*before.entries, entry), number=number))
        self.record(f"Branch off: {name}", before)
        self.branched.emit(number)


def make_branch(
    backend: Backend, run: Run, override: Override, goal: int
) -> Generator[Progress, None, Trainer]:
    """Makes a branch of a run and trains it to `goal` merges in all.

    Raises:
        BpeError: the override names a token that does not exist at its step.
    """
    what = "Branching off"
    yield Progress(what, 0, 0, "merges")
    trainer = backend.branch(run, override)
    for fraction in trainer.prepare():
        yield Progress(what, round(100 * fraction), 100, "%")
    n_merges = len(trainer.run_record.merges)
    trainer.target = max(trainer.target, goal)
    countdown = TrainingCountdown(n_merges)
    while n_merges < goal:
        trainer.advance(goal - n_merges, SLICE_S)
        n_merges = len(trainer.run_record.merges)
        if trainer.finished:
            break
        yield Progress(
            "Training the branch", n_merges, goal, "merges", countdown.seconds_left(n_merges, goal)
        )
    # The window first asks a run for the tokens of the typed text.
    trainer.run_record.segmenter.refresh()
    return trainer
