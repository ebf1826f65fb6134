"""The curve over all sizes with its two choices, following the workspace; the curves come from the pool."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from bpe_studio.explain.comparison.curves import CurveCounter, Curves
from bpe_studio.explain.comparison.subjects import RunAt
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.plots.axis_menu import Remembers, axis_choice
from bpe_studio.gui.plots.size_curve import Point, SizeCurve
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.measures import Row
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)
EMPTY = "The tokens at every vocabulary size, from one run: open a text and train on it"
COUNTING = "Counting the tokens at every size …"
FAILED = (
    "The tokens at every size could not be counted: train on, type another text, or open the text again. The details "
    "are in the log."
)


class CurvePage(QWidget):
    """Choices above the curve.

    Signals:
        counted: Curves, or None if there is no run or they could not be counted.
    """

    counted = Signal(object)

    def __init__(self, workspace: Workspace, memory: Remembers | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._curves: Curves | None = None
        self._asked: tuple[object, ...] | None = None
        self.has_failed = False
        self._counter = CurveCounter()
        self._counts = LatestAnswer(self._count, self)
        self._build(memory)
        self._counts.answered.connect(self._on_answered)
        self.values.currentIndexChanged.connect(self._on_form_chosen)
        self._on_form_chosen()
        self.log.toggled.connect(self._on_form_chosen)

    def _build(self, memory: Remembers | None) -> None:
        self.values = named(QComboBox(self), "compare.values", "What the curve shows")
        self.values.addItems(["Tokens", "Bytes per token"])
        self.values.setToolTip(
            "Tokens: each curve is drawn to its own scale, from its tokens at the smallest vocabulary down; the "
            "numbers at the side are the corpus's. Bytes per token: all by the same scale"
        )
        self.hint = Note("Drag a mark, or take it with Tab and the arrow keys; right-click for the scale", "help", self)
        label = QLabel("Up", self)
        label.setBuddy(self.values)
        self.curve = SizeCurve(self)
        self.log = axis_choice(self.curve, "Log scale of sizes", "compare.log", memory)
        self.curve.set_placeholder(EMPTY)
        row = WrappingRow(self)
        row.add(label, self.values)
        row.add(self.hint, grows=0, least_px=160)
        column(row, (self.curve, 1), parent=self)

    @property
    def curves(self) -> Curves | None:
        """The curves that are shown."""
        return self._curves

    def forget(self) -> None:
        """Keep no curves of a run that may be closed."""
        self._asked = None
        self._counts.forget()
        if self._curves is not None:
            self._show(None)

    def show_sizes(self, steps: list[int], text: str) -> None:
        """Set the marks, of which the last is the window's step; request the curves if they are not known."""
        workspace, run = self._workspace, self._workspace.run
        if run is None:
            self._counts.forget()
            self._asked = None
            self._show(None)
            return
        if self._curves is not None and self._curves.run is not run:
            self._show(None)
        self.curve.set_marks(steps[:-1], steps[-1])
        # The held-out part and the text are tokenized again when the run stops; while it trains, the corpus is enough.
        is_running = workspace.state is State.running
        held_out = None if is_running else self._held_out()
        name = "your text" if workspace.typed_text else ""
        question = (run, workspace.n_merges, "" if is_running or not name else text, held_out)
        if question != self._asked:
            self._asked = question
            self.curve.is_late, self.has_failed = True, False
            self._counts.ask(run, workspace.n_merges, question[2], name, held_out)
        if self._curves is None:
            self.curve.set_placeholder(FAILED if self.has_failed else COUNTING)

    def show_others(self, rows: Sequence[Row]) -> None:
        """Show other runs as curves and tokenizers as points, where their tokens of the corpus are known."""
        from bpe_studio.engine.analysis.size_curves import corpus_curve

        points = []
        for row in rows:
            if row.is_size or row.corpus_tokens is None:
                continue
            subject = row.subject
            curve = corpus_curve(subject.run, subject.step) if isinstance(subject, RunAt) else None
            points.append(Point(subject.name, row.vocab_size, row.corpus_tokens, row.corpus_bytes, subject.key, curve))
        self.curve.set_points(points)

    def _count(self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None) -> Curves | str:
        """Runs in the pool; returns a word if it fails."""
        try:
            return self._counter.count(run, n_merges, text, text_name, held_out)
        except Exception:
            _log.exception("The curve of the sizes could not be counted.")
            return "failed"

    def _held_out(self) -> Corpus | None:
        corpus = self._workspace.corpus
        return None if corpus is None or corpus.held_out is None else corpus.held_out.corpus

    @Slot(object)
    def _on_answered(self, answer: Curves | str) -> None:
        if isinstance(answer, str):
            self.has_failed = True
            self._show(None)  # the previous counts are of another text, or of a shorter run
            self.curve.set_placeholder(FAILED)
        elif answer.run is self._workspace.run:
            self._show(answer)

    def _show(self, curves: Curves | None) -> None:
        self._curves = curves
        self.curve.is_late = False
        if curves is None:
            self.curve.set_placeholder(EMPTY)
            self.curve.show_series((), 0, 0, None)
        else:
            self.curve.show_series(curves.series, curves.base, curves.n_merges, curves.knee)
        self.counted.emit(curves)

    @Slot()
    def _on_form_chosen(self) -> None:
        self.curve.set_form(is_log=self.log.isChecked(), is_ratio=self.values.currentIndex() == 1)
