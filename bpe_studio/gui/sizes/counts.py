"""Counts that take a pass over a corpus or a vocabulary, made in the pool for the panel that compares sizes.

There are two: how much of its vocabulary each size uses, and the curves over all sizes. The results are cached as long
as the run and the text are the same. Only the requests run in the window's thread.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.explain.sizes.curves import CurveCounter, Curves
from bpe_studio.explain.sizes.measures import UseCounter, UseOfVocabulary
from bpe_studio.gui.background.latest_answer import LatestAnswer

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.sizes.measures import Subject

_log = logging.getLogger(__name__)
MOST_KEPT = 2000


class UseCounts(QObject):
    """How much of the vocabulary each of some steps uses.

    Signals:
        counted: more counts are known; call `use` again.
    """

    counted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._subject: Subject | None = None
        self._known: dict[int, UseOfVocabulary] = {}
        self._counter = UseCounter()
        self._wanted: frozenset[int] = frozenset()
        self._job = LatestAnswer(self._count, self)
        self._job.answered.connect(self._on_answered)

    def want(self, subject: Subject | None, steps: list[int]) -> bool:
        """Request the unknown counts of these steps; returns whether counts of another run or text were dropped."""
        is_other = subject is not None and not subject.is_as(self._subject)
        if subject is None or is_other:
            self._known.clear()
            self._wanted = frozenset()
            self._job.forget()
        self._subject = subject
        missing = frozenset(step for step in steps if step not in self._known)
        if subject is not None and missing and missing != self._wanted:
            self._wanted = missing
            self._job.ask(subject, sorted(missing))
        return is_other

    def use(self, step: int) -> UseOfVocabulary | None:
        """The counts at a step, or None."""
        return self._known.get(step)

    def _count(self, subject: Subject, steps: list[int]) -> tuple[Subject, list[UseOfVocabulary]] | None:
        """Runs in the pool."""
        try:
            return subject, self._counter.count(subject, steps)
        except Exception:
            _log.exception("The sizes could not be measured.")
            return None

    @Slot(object)
    def _on_answered(self, answer: Any) -> None:
        subject, uses = answer
        if not subject.is_as(self._subject):
            return
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        self._known.update((use.step, use) for use in uses)
        self._wanted = frozenset()
        self.counted.emit()


class CurveCounts(QObject):
    """The curves over all sizes.

    Signals:
        counted: Curves.
        failed: those of the latest request could not be counted.
    """

    counted = Signal(object)
    failed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counter = CurveCounter()
        self._job = LatestAnswer(self._count, self)
        self._job.answered.connect(self._on_answered)

    def ask(self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None) -> None:
        """Request the curves of a run as far as it is trained."""
        self._job.ask(run, n_merges, text, text_name, held_out)

    def forget(self) -> None:
        """Cancel the request."""
        self._job.forget()

    @Slot(object)
    def _on_answered(self, answer: Curves | str) -> None:
        if isinstance(answer, str):
            self.failed.emit()
        else:
            self.counted.emit(answer)

    def _count(self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None) -> Curves | str:
        """Runs in the pool; returns a sentence if it fails."""
        try:
            return self._counter.count(run, n_merges, text, text_name, held_out)
        except Exception:
            _log.exception("The curve of the sizes could not be counted.")
            return "failed"
