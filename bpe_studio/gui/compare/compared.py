"""The other runs and tokenizers that are compared, and the measures of all from the pool."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.explain.comparison.measures import Measured, Measurer, shared_in_run
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.gui.background.latest_answer import LatestAnswer

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)
MOST_KEPT = 2000


def run_at_end(entry: RunEntry) -> RunAt:
    """A run at its last step."""
    return RunAt(
        f"run {entry.number}",
        entry.name,
        entry.run,
        entry.position.n_merges,
        entry.config,
        entry.number,
    )


class Compared(QObject):
    """The other runs of the open text, the tokenizers that were opened, and the measures of all.

    Attributes:
        has_failed: whether the last request could not be measured.

    Signals:
        changed: other runs or tokenizers are compared.
        measured: set of Subject, the subjects with new measures; empty if measuring failed.
    """

    changed = Signal()
    measured = Signal(object)

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._hidden: set[int] = set()
        self._measurer = Measurer()
        self._subjects: tuple[Subject, ...] = ()
        self._reference: Subject | None = None
        self._of: tuple[str, int] = ("", 0)
        self._known: dict[Subject, Measured] = {}
        self._shared: dict[tuple[Subject, Subject], int] = {}
        self._latest: dict[str, Measured] = {}
        self._wanted: tuple[Any, ...] | None = None
        self.has_failed = False
        self._job = LatestAnswer(self._measure, self)
        self._job.answered.connect(self._on_measured)
        workspace.tokenizers.changed.connect(self.changed)
        workspace.runs.changed.connect(self.changed)

    # The compared tokenizers.

    @property
    def others(self) -> list[Subject]:
        """The other runs in the order of the list, then the tokenizers."""
        runs = [run_at_end(entry) for entry in self._runs() if entry.number not in self._hidden]
        return [*runs, *self._workspace.tokenizers.entries]

    @property
    def hidden_runs(self) -> list[tuple[int, str]]:
        """The number and the name of each run that is hidden."""
        return [
            (entry.number, entry.name) for entry in self._runs() if entry.number in self._hidden
        ]

    def _runs(self) -> list[RunEntry]:
        shown = self._workspace.runs.shown
        return [
            each
            for each in self._workspace.runs.entries
            if shown is not None and each.number != shown.number
        ]

    def remove(self, key: str) -> None:
        """Hide a run, or close a tokenizer."""
        kind, _, number = key.partition(" ")
        if kind == "tokenizer":
            self._workspace.tokenizers.remove(int(number))
        else:
            self._hidden.add(int(number))
            self.changed.emit()

    def add_run(self, number: int) -> None:
        """Compare a run that was hidden."""
        if number in self._hidden:
            self._hidden.discard(number)
            self.changed.emit()

    def forget(self) -> None:
        """Drop all measures, because another text was opened."""
        self._hidden.clear()
        self.want((), "", 0, None)
        self._known = {}
        self._shared = {}
        self._latest = {}
        self._measurer = Measurer()

    # The measures.

    def want(
        self, subjects: Sequence[Subject], text: str, rare: int, reference: Subject | None
    ) -> None:
        """Request the measures that are not known yet.

        Args:
            subjects: all that is compared.
            text: the compared text.
            rare: a token that occurs fewer times than this in the corpus is rare.
            reference: the subject with which tokens in common are counted.
        """
        self._subjects = tuple(subjects)
        self._reference = reference
        if (text, rare) != self._of or len(self._known) > MOST_KEPT:
            self._of = (text, rare)
            self._known = {}
        if len(self._shared) > MOST_KEPT:
            self._shared = {}
        unknown = tuple(each for each in subjects if each not in self._known)
        unshared: tuple[Subject, ...] = ()
        if reference is not None:
            unshared = tuple(each for each in subjects if self.n_shared(each) is None)
        if not unknown and not unshared:
            self._wanted = None
            self.has_failed = False
            self._job.forget()
            return
        question = (unknown, text, rare, unshared, reference)
        if question != self._wanted:
            self._wanted = question
            self.has_failed = False
            self._job.ask(*question)

    @property
    def is_up_to_date(self) -> bool:
        """Whether all requested measures are known."""
        return self._wanted is None or self.has_failed

    def is_known(self, subject: Subject) -> bool:
        """Whether the measures of a subject are of the present text, step and limit."""
        return subject in self._known

    def known(self, subject: Subject) -> Measured | None:
        """The latest measures of a subject, perhaps of an earlier text, step or limit; or None."""
        return self._known.get(subject) or self._latest.get(subject.key)

    def n_shared(self, subject: Subject) -> int | None:
        """The number of tokens that the reference has too; None until they are counted."""
        reference = self._reference
        if reference is None:
            return None
        at_once = shared_in_run(subject, reference)
        return self._shared.get((subject, reference)) if at_once is None else at_once

    def _measure(
        self,
        unknown: Sequence[Subject],
        text: str,
        rare: int,
        unshared: Sequence[Subject],
        reference: Subject | None,
    ) -> tuple[tuple[str, int], dict[Subject, Measured], dict[tuple[Subject, Subject], int]] | str:
        """Measure in the pool; returns a word if it fails."""
        measurer = self._measurer
        try:
            found = measurer.measure(unknown, text, rare)
            n_shared = measurer.n_shared(unshared, reference) if reference is not None else []
            shared = {
                (each, reference): n
                for each, n in zip(unshared, n_shared, strict=True)
                if reference is not None
            }
        except Exception:
            _log.exception("The comparison could not be measured.")
            return "failed"
        return (text, rare), found, shared

    @Slot(object)
    def _on_measured(self, answer: Any) -> None:
        if isinstance(answer, str):
            self.has_failed = True
            self.measured.emit(set())
            return
        of, found, shared = answer
        self._shared |= shared
        if of == self._of:
            self._known |= found
            self._latest |= {subject.key: each for subject, each in found.items()}
            self._wanted = None
            self.measured.emit({*found, *(subject for subject, _ in shared)})
