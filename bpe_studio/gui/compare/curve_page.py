"""The page Curve: a measure over all sizes, for the corpus or for groups of its text.

The page follows the workspace; the curves come from the pool.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QWidget

from bpe_studio.explain.comparison.curves import CurveCounter, Curves
from bpe_studio.explain.comparison.measure_curves import (
    MEASURES,
    Line,
    Measure,
    line_of_run,
    point_of_tokenizer,
)
from bpe_studio.explain.comparison.subjects import ComparedTokenizer, RunAt, Subject
from bpe_studio.explain.merges import WITHOUT_TEXT, has_pairs
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.plots.line_chart import HELP, LineChart
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.gui.widgets.question import ask_for_text
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.group_measurer import COLUMN
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.measures import Row
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)
SCRIPT = "script"
QUICK = ("n_tokens", "bytes_per_token")
"""The measures that are drawn while a run trains."""
EMPTY = "Open a text and train on it to see the tokens at every vocabulary size"
SHORT = "A curve needs at least two merges, and this run has {}."
LEAST_MERGES = 2
COUNTING = "Counting the tokens at every size …"
MEASURING = "Measuring the text at a dozen sizes …"
CANCELLED = "Measuring was cancelled: choose a group again"
FAILED = (
    "The tokens at every size could not be counted. Train on, type another text, or open the text"
    " again. The details are in the log."
)


class CurvePage(QWidget):
    """The choice of a measure and of groups, above the curve.

    Signals:
        counted: Curves, or None if there is no run or they could not be counted.
        step_chosen: int, the step that the user clicks.
        mark_moved: (int, int), the number of a size from 0, and the step to which the user drags
            it.
    """

    counted = Signal(object)
    step_chosen = Signal(object)
    mark_moved = Signal(int, object)

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._curves: Curves | None = None
        self._asked: tuple[object, ...] | None = None
        self.has_failed = False
        self._counter = CurveCounter()
        self._counts = LatestAnswer(self._count, self)
        self._lines = LatestAnswer(self._lines_of, self)
        self._lines_asked: tuple[object, ...] | None = None
        self._others: tuple[tuple[Subject, int | None], ...] = ()
        self._build(memory)
        self._counts.answered.connect(self._on_answered)
        self._lines.answered.connect(self._on_lines_answered)
        self.values.currentIndexChanged.connect(self._show_measure)
        self.by.activated.connect(self._on_by_chosen)
        self.chart.place_chosen.connect(self._on_place_chosen)
        self.chart.mark_moved.connect(self._on_mark_moved)
        measurer = workspace.group_measurer
        measurer.changed.connect(self._show_measure)
        measurer.progress_changed.connect(self._show_progress)
        self.cancel.clicked.connect(measurer.cancel)
        self._show_progress(None)
        self._show_measure()

    def _build(self, memory: WindowSettings | None) -> None:
        self.values = named(QComboBox(self), "compare.values", "Values of the curve")
        titles = [measure.title for measure in MEASURES]
        self.values.addItems(titles)
        self.values.setToolTip(
            "Each curve is of the corpus; bytes per token also has your text and the held-out text"
        )
        self.by = named(QComboBox(self), "compare.measures_by", "Groups of the text")
        for title, key in (
            ("none", ""),
            ("scripts", SCRIPT),
            ("files", "file"),
            ("column…", COLUMN),
        ):
            self.by.addItem(title, key)
        self.by.setToolTip(
            "Measures each script, file or group of records of the corpus at a dozen sizes"
        )
        self.progress = named(
            ProgressLine(self),
            "compare.measures_progress",
            "The share of the text that is measured",
        )
        self.progress.setFixedSize(120, 8)
        self.cancel = named(
            QPushButton("Cancel", self), "compare.cancel_measures", "Stop measuring"
        )
        label = QLabel("Measure", self)
        label.setBuddy(self.values)
        self.chart = LineChart(
            "compare.curve",
            "Measures by vocabulary size",
            "vocabulary size",
            self,
            memory=memory,
            is_log=True,
        )
        self.chart.setToolTip(f"Drag a mark to move it; click elsewhere to go to a step. {HELP}")
        row = WrappingRow(self)
        by = QLabel("Groups", self)
        by.setBuddy(self.by)
        row.add(label, self.values)
        row.add(by, self.by)
        row.add(self.progress, self.cancel)
        self.price = statement("compare.price", "Group that pays most")
        self.prices = named(
            Note(role="plain"),
            "compare.prices",
            "Prices of the other groups, and the measured text",
        )
        column(row, self.price, self.prices, (self.chart, 1), parent=self)

    @property
    def curves(self) -> Curves | None:
        """The curves that are shown."""
        return self._curves

    def forget(self) -> None:
        """Drop the curves of a run that may be closed."""
        self._asked = None
        self._counts.forget()
        if self._curves is not None:
            self._show(None)

    def show_sizes(self, steps: list[int], text: str) -> None:
        """Set the marks, of which the last is the window's step, and request unknown curves."""
        workspace = self._workspace
        run = self._workspace.run
        if run is None:
            self._counts.forget()
            self._asked = None
            self._show(None)
            return
        if self._curves is not None and self._curves.run is not run:
            self._show(None)
        self.set_marks(steps)
        # While the run trains, the corpus is enough; the other texts are encoded when it stops.
        is_running = workspace.state is State.running
        held_out = None if is_running else self._held_out()
        name = "your text" if workspace.typed_text else ""
        read = "" if is_running or not name else text
        question = (run, workspace.n_merges, read, held_out)
        if question != self._asked:
            self._asked = question
            self.has_failed = False
            self._counts.ask(run, workspace.n_merges, question[2], name, held_out)

    def set_marks(self, steps: list[int]) -> None:
        """Mark the steps of the sizes, of which the last is the window's."""
        run = self._workspace.run
        if run is not None:
            *sizes, current = (int(run.vocab_size_at(step)) for step in steps)
            self.chart.set_marks(sizes, current)

    def show_others(self, rows: Sequence[Row]) -> None:
        """Show other runs as curves, and tokenizers with known corpus tokens as points."""
        self._others = tuple((row.subject, row.corpus_tokens) for row in rows if not row.is_size)
        self._show_measure()

    def _count(
        self, run: Run, n_merges: int, text: str, text_name: str, held_out: Corpus | None
    ) -> Curves | str:
        """Count in the pool; returns a word if it fails."""
        try:
            return self._counter.count(run, n_merges, text, text_name, held_out)
        except Exception:
            _log.exception("The size curve could not be computed.")
            return "failed"

    def _held_out(self) -> Corpus | None:
        corpus = self._workspace.corpus
        return None if corpus is None or corpus.held_out is None else corpus.held_out.corpus

    @Slot(object)
    def _on_answered(self, answer: Curves | str) -> None:
        if isinstance(answer, str):
            self.has_failed = True
            self._show(None)  # the previous counts are of another text, or of a shorter run
        elif answer.run is self._workspace.run:
            self._show(answer)

    def _show(self, curves: Curves | None) -> None:
        self._curves = curves
        self._show_measure()
        self.counted.emit(curves)

    # The measures, and those of groups.

    @Slot(int)
    def _on_by_chosen(self, place: int) -> None:
        if self.by.currentData() == COLUMN:
            title = "Measure by a column"
            label = "Column of the records"
            dialog = ask_for_text(self, "compare.column", title, label, self._on_column_chosen)
            dialog.rejected.connect(partial(self.by.setCurrentIndex, 0))
        else:
            self._show_measure()

    @Slot(str)
    def _on_column_chosen(self, name: str) -> None:
        key = COLUMN + name.strip()
        if self.by.findData(key) < 0:
            self.by.insertItem(self.by.count() - 1, f"column {name.strip()}", key)
        self.by.setCurrentIndex(self.by.findData(key))
        self._show_measure()

    @Slot(object)
    def _on_place_chosen(self, size: int) -> None:
        self.step_chosen.emit(self._step_of(size))

    @Slot(int, object)
    def _on_mark_moved(self, number: int, size: int) -> None:
        self.mark_moved.emit(number, self._step_of(size))

    def _step_of(self, size: int) -> int:
        run = self._workspace.run
        step = 0 if run is None else size - int(run.vocab_size_at(0))
        return min(max(0, step), self._workspace.n_merges)

    @Slot(object)
    def _show_progress(self, progress: Progress | None) -> None:
        for widget in (self.progress, self.cancel):
            widget.setVisible(progress is not None)
        if progress is not None:
            self.progress.setValue(round(100 * (progress.fraction or 0.0)))

    @Slot()
    def _show_measure(self) -> None:
        """Show the chosen measure, of the corpus or of its groups."""
        workspace = self._workspace
        run = self._workspace.run
        measure = MEASURES[self.values.currentIndex()]
        by = str(self.by.currentData())
        self.price.hide()
        self.prices.hide()
        is_short = run is not None and has_pairs(run) and workspace.n_merges < LEAST_MERGES
        if run is None or is_short:
            self._lines_asked = None
            self._lines.forget()
            self.chart.show_lines((), placeholder=self._why_empty())
            return
        if workspace.state is State.running and (by or measure.of_run not in QUICK):
            return
        if by or not measure.of_run:
            self._lines_asked = None
            self._lines.forget()
            self._show_groups(measure, by)
            return
        question = (measure, run, workspace.n_merges, self._others, self._curves)
        if question != self._lines_asked:
            self._lines_asked = question
            self.chart.is_late = True
            if not self.chart.lines:
                self.chart.show_lines((), placeholder=COUNTING)
            self._lines.ask(*question)

    def _why_empty(self) -> str:
        """Say what is missing for a curve."""
        workspace = self._workspace
        if workspace.run is None:
            return EMPTY
        words = SHORT.format(plural(workspace.n_merges, "merge"))
        return words if workspace.stop_reason else f"{words} Train further."

    def _show_groups(self, measure: Measure, by: str) -> None:
        workspace = self._workspace
        measurer = self._workspace.group_measurer
        measurer.measure(by)
        found = measurer.result
        why_not = measurer.why_not() or measurer.problem
        if (
            found is not None
            and found.run is workspace.run
            and found.by == by
            and not measurer.problem
        ):
            title = measure.title
            if found.by == SCRIPT and measure.is_of_words:
                title += ", for scripts with spaces between words"
            self.price.setText("".join(f"{each}." for each in found.price[:1]))
            self.price.setVisible(bool(found.price))
            self.prices.set_message(
                " ".join(f"{each}." for each in (*found.price[1:], found.remark))
            )
            self.prices.show()
            self.chart.show_lines(found.lines(measure), title, is_share=measure.is_share)
        else:
            words = MEASURING if measurer.progress else CANCELLED
            if why_not:
                words = f"{why_not[:1].upper()}{why_not[1:]}"
            self.chart.show_lines((), measure.title, placeholder=words)

    def _lines_of(
        self,
        measure: Measure,
        run: Run,
        n_merges: int,
        others: Sequence[tuple[Subject, int | None]],
        curves: Curves | None,
    ) -> tuple[Measure, list[Line], tuple[int, str] | None] | str:
        """Compute a measure, its lines and its callout in the pool; a word if that fails."""
        try:
            lines = [line_of_run(run, n_merges, measure, "corpus")] if has_pairs(run) else []
            is_of_run = curves is not None and curves.run is run
            callout = None
            if curves is not None and is_of_run and measure.key == "bytes_per_token":
                sizes = curves.base + np.arange(curves.n_merges + 1)
                lines += [
                    Line(each.name, sizes, each.bytes_per_token) for each in curves.series[1:]
                ]
            if (
                curves is not None
                and is_of_run
                and measure.key == "n_tokens"
                and curves.knee is not None
            ):
                knee = curves.base + curves.knee
                callout = knee, f"knee {number(knee)}"
            for each, _ in others:
                if isinstance(each, RunAt):
                    lines.append(line_of_run(each.run, each.step, measure, each.name))
                elif isinstance(each, ComparedTokenizer):
                    lines += filter(None, [point_of_tokenizer(each, run, measure)])
        except Exception:
            _log.exception("A measure of the runs could not be computed.")
            return "failed"
        return measure, lines, callout

    @Slot(object)
    def _on_lines_answered(
        self, answer: tuple[Measure, list[Line], tuple[int, str] | None] | str
    ) -> None:
        if isinstance(answer, str):
            self.has_failed = True
            self.chart.show_lines((), placeholder=FAILED)
            return
        measure, lines, callout = answer
        placeholder = "The corpus was given as words and counts, so this is not known"
        if self._workspace.run is not None and not has_pairs(self._workspace.run):
            placeholder = WITHOUT_TEXT
        self.chart.show_lines(
            lines,
            measure.title,
            is_share=measure.is_share,
            callout=callout,
            placeholder=placeholder,
        )
