"""What takes a pass over a corpus or a vocabulary, counted in the pool for the panel that compares sizes.

Two jobs: how much of its vocabulary each size uses, and the curves over all sizes. What was counted is kept as long as
the run and the text are the same. Nothing here runs in the window's thread but the asking.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.sizes.numbers_model import UseOfVocabulary

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.plots.size_scale import Series

_log = logging.getLogger(__name__)
MOST_KEPT = 2000


@dataclass(frozen=True, eq=False)
class Subject:
    """What is measured: a text, cut by a run.

    Attributes:
        run: the run.
        text: the text.
        rare: a token that stands fewer times in the corpus is rare.
    """

    run: Run
    text: str
    rare: int

    def is_as(self, other: Subject | None) -> bool:
        """Whether what was counted for the other holds for this."""
        return other is not None and other.run is self.run and (other.text, other.rare) == (self.text, self.rare)


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves over all sizes of a run.

    Attributes:
        run: the run.
        base: the vocabulary size at step 0.
        n_merges: the last step of them.
        corpus, held_out, text: tokens at every step; None where there is no held-out part, or no text.
        knee: the step at which the corpus's curve bends most; None where it does not.
        log_knee: the same where sizes are taken by their logarithm.
    """

    run: Run
    base: int
    n_merges: int
    corpus: Series
    held_out: Series | None
    text: Series | None
    knee: int | None
    log_knee: int | None = None

    @property
    def series(self) -> list[Series]:
        """Those that there are, the corpus first."""
        return [each for each in (self.corpus, self.held_out, self.text) if each is not None]


class TextCutter:
    """Cuts texts by a run in the pool; the run's own segmenter is the window's."""

    def __init__(self) -> None:
        self._segmenter: Segmenter | None = None
        self._last: tuple[str, int, TextGaps] | None = None

    def gaps(self, run: Run, text: str, n_merges: int) -> TextGaps:
        """The text's gaps, cut by at least so many merges of the run; the last answer is kept."""
        from bpe_studio.engine.encoding.segmentation import Segmenter

        if self._segmenter is None or self._segmenter.run is not run:
            self._segmenter, self._last = Segmenter(run), None
        if self._last is None or self._last[0] != text or self._last[1] < n_merges:
            n_known = len(run.columns)
            self._last = (text, n_known, self._segmenter.text_gaps(text))
        return self._last[2]


class UseCounts(QObject):
    """How much of the vocabulary each of some steps uses.

    Signals:
        counted: more is known; ask `use` again.
    """

    counted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._subject: Subject | None = None
        self._known: dict[int, UseOfVocabulary] = {}
        self._cutter = TextCutter()
        self._wanted: frozenset[int] = frozenset()
        self._job = LatestAnswer(self._count, self)
        self._job.answered.connect(self._on_answered)

    def want(self, subject: Subject | None, steps: list[int]) -> bool:
        """Ask for what is not known of these steps; says whether another subject's counts were dropped."""
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
        """What was counted at a step, or None."""
        return self._known.get(step)

    def _count(self, subject: Subject, steps: list[int]) -> tuple[Subject, list[UseOfVocabulary]] | None:
        """Runs in the pool."""
        from bpe_studio.engine.analysis.size_measures import measure_corpus, measure_text

        try:
            gaps = self._cutter.gaps(subject.run, subject.text, max(steps))
            of_text = measure_text(gaps, subject.run, steps, subject.text)
            of_corpus = measure_corpus(subject.run, steps, subject.rare)
        except Exception:
            _log.exception("The sizes could not be measured.")
            return None
        return subject, [
            UseOfVocabulary(
                step=own.step,
                text_unused=text.n_unused,
                text_working=text.working_share,
                unused=own.n_unused,
                rare=own.n_rare,
                working=own.working_share,
            )
            for text, own in zip(of_text, of_corpus, strict=True)
        ]

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
        failed: those that were asked for last could not be counted.
    """

    counted = Signal(object)
    failed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cutter = TextCutter()
        self._held_out: tuple[Run, Corpus, int, Any] | None = None
        self._job = LatestAnswer(self._count, self)
        self._job.answered.connect(self._on_answered)

    def ask(self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None) -> None:
        """Ask for the curves of a run as far as it is learned."""
        self._job.ask(run, n_merges, text, text_name, held_out)

    def forget(self) -> None:
        """What was asked for is not wanted any more."""
        self._job.forget()

    @Slot(object)
    def _on_answered(self, answer: Curves | str) -> None:
        if isinstance(answer, str):
            self.failed.emit()
        else:
            self.counted.emit(answer)

    def _count(self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None) -> Curves | str:
        """Runs in the pool; a word where it fails."""
        import numpy as np

        from bpe_studio.engine.analysis.size_advice import knee
        from bpe_studio.engine.analysis.size_curves import corpus_curve, text_curve
        from bpe_studio.gui.plots.size_scale import Series

        try:
            base = int(run.vocab_size_at(0))
            sizes = np.arange(base, base + n_merges + 1)
            of_corpus = corpus_curve(run, n_merges)
            of_text = None
            if text:
                n_tokens = text_curve(self._cutter.gaps(run, text, n_merges), n_merges)
                of_text = Series(text_name, n_tokens, len(text.encode("utf-8", "surrogatepass")), line=2)
            aside = None
            if held_out is not None and len(held_out):
                aside = Series("held-out part", self._aside(run, held_out, n_merges), int(held_out.size_bytes), line=1)
            return Curves(
                run=run,
                base=base,
                n_merges=n_merges,
                corpus=Series("corpus", of_corpus, int(run.corpus.size_bytes)),
                held_out=aside,
                text=of_text,
                knee=knee(sizes, of_corpus, "linear"),
                log_knee=knee(sizes, of_corpus) if base else None,
            )
        except Exception:
            _log.exception("The curve of the sizes could not be counted.")
            return "failed"

    def _aside(self, run: Run, held_out: Corpus, n_merges: int) -> Any:
        """The held-out part's curve, counted once as far as the run is learned."""
        from bpe_studio.engine.analysis.size_curves import table_curve

        kept = self._held_out
        if kept is None or kept[0] is not run or kept[1] is not held_out or kept[2] < n_merges:
            kept = self._held_out = (run, held_out, n_merges, table_curve(run, held_out, n_merges))
        return kept[3][: n_merges + 1]
