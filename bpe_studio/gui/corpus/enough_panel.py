"""The panel Enough text?: the part of the text that is enough to train on, as curve and table.

The workspace trains runs on samples of the text (`workspace/corpus/sampler.py`) when the user asks
for it, in a thread of its own, with progress. It keeps them while the text is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from bpe_studio.explain.comparison.measure_curves import Line
from bpe_studio.explain.wording import data_size, number, percent
from bpe_studio.gui.plots.line_chart import LineChart
from bpe_studio.gui.tables.model import Column, RowsModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, column, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.gui.widgets.progress_line import ProgressLine, show_job

if TYPE_CHECKING:
    from bpe_studio.explain.inspection.enough import Enough, SampleRun
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

_MEASURE = (
    "Trains runs on 1, 2, 5, 10, 20, 50 and 100 % of the lines, with the settings of the shown run"
)
_INVITATION = "See how much of this text is enough to train on"
_ABOUT = (
    "Trains runs on samples of the text, from 1 % of its lines up, and compares each with the run"
    " on all of it: the share of the vocabulary that is the same, and the number of tokens in"
    " held-out text."
)
_ROWS = 7


def share_text(share: float) -> str:
    """A share in percent, without decimals where it needs none.

    >>> share_text(0.02), share_text(0.005)
    ('2 %', '0.5 %')
    """
    n_decimals = next((k for k in range(4) if abs(100 * share - round(100 * share, k)) < 1e-9), 4)
    return percent(share, n_decimals)


class SamplesModel(RowsModel["SampleRun"]):
    """The samples with their measures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._enough: SampleRun | None = None

    def show(self, found: Enough | None) -> None:
        """Show the measured samples."""
        self._enough = None if found is None else found.enough
        samples = () if found is None else found.samples
        self.show_rows(samples)

    def is_selected(self, row: int) -> bool:
        return self.rows[row] is self._enough

    def tip(self, row: int, column: int) -> str:
        cells = [f"{column.title}: {self.text(row, k)}" for k, column in enumerate(self.columns)]
        words = "; ".join(cells)
        return f"{words}\nThe smallest sample that is enough" if self.is_selected(row) else words

    columns = (
        Column(
            "share",
            "The share of the lines that are not held out",
            lambda model, row: share_text(model.rows[row].share),
            sample="100 %",
        ),
        Column(
            "text",
            "The size of the sample",
            lambda model, row: data_size(model.rows[row].n_bytes),
            sample="999 bytes",
        ),
        Column(
            "merges",
            "The number of merges trained",
            lambda model, row: number(model.rows[row].n_merges),
            sample="100,000",
        ),
        Column(
            "common",
            "The share of the full run’s merged tokens that this run has too",
            lambda model, row: percent(model.rows[row].overlap, 0),
            sample="100 %",
        ),
        Column(
            "tokens/byte",
            "Tokens per byte of the held-out text",
            lambda model, row: number(model.rows[row].tokens_per_byte, 4),
            sample=None,
        ),
    )


class EnoughPanel(QWidget):
    """The state with the one sentence, the curve and the table."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("enough")
        self._workspace = workspace
        self._sampler = workspace.sampler
        self.samples = SamplesModel(self)
        self._found_shown: Enough | None = None
        self._build()
        self._connect()
        self._show()

    def _build(self) -> None:
        self.measure = named(
            QPushButton("&Measure", self),
            "enough.measure",
            "Measure how much text is enough",
            _MEASURE,
        )
        self.cancel = named(
            QPushButton("Cancel", self), "enough.cancel", "Cancel", "Stops training on samples"
        )
        self.progress = named(
            ProgressLine(self), "enough.progress", "Progress of training on samples"
        )
        self.progress.setFixedHeight(8)
        self.copy = named(
            QToolButton(self),
            "enough.copy",
            "Copy the table",
            "Copies the table, with tabs between cells",
        )
        self.copy.setText("Copy table")
        self.state = named(Note("", "plain", self), "enough.state", "Samples that are measured")
        self.sentence = statement("enough.sentence", "Result")
        self.stale = named(Note("", "help", self), "enough.stale", "Of which settings this is")
        title = "Tokens of held-out text, by the size of the sample"
        self.curve = LineChart("enough.curve", title, "bytes of text", self, is_log=True)
        self.table = named(CompactTable(self), "enough.table", "Results of runs on samples")
        self.table.setModel(self.samples)
        self._found = QWidget(self)
        column((self.curve, 1), self.table, parent=self._found, spacing=8)
        self._spare = QWidget(self)
        column(
            self.sentence,
            row(self.measure, (self.progress, 100), self.cancel, STRETCH, self.copy),
            self.state,
            self.stale,
            (self._found, 1),
            (self._spare, 1),
            parent=self,
            margins=PANEL_MARGINS,
        )

    def _connect(self) -> None:
        self.measure.clicked.connect(self._sampler.measure)
        self.cancel.clicked.connect(self._sampler.cancel)
        self.copy.clicked.connect(self.table.table_export.copy_all.trigger)
        self._sampler.changed.connect(self._show)
        self._sampler.progress_changed.connect(self._show_progress)
        self._workspace.run_changed.connect(self._show)

    @Slot()
    def _show(self) -> None:
        sampler = self._sampler
        result = sampler.result
        problem = sampler.problem
        why_not = sampler.why_not()
        found = None if result is None else result.found
        self._show_progress(sampler.progress)
        self.copy.setVisible(found is not None)
        self._found.setVisible(found is not None)
        self._spare.setVisible(found is None)
        why_disabled = why_not
        if sampler.is_current and not why_not:
            why_disabled = "the curves are of these settings"
        if why_disabled and found is not None and self.measure.hasFocus():
            self.table.setFocus()
        enable(self.measure, _MEASURE, why_disabled)
        # A number and its sign stay on one line.
        sentence = _INVITATION
        text = _ABOUT
        if found is not None:
            sentence = f"{found.sentence}.".replace(" %", "\u00a0%")
            marked = f"{share_text(found.enough.share)} ({data_size(found.enough.n_bytes)})"
            text = f"The mark in the curve is at {marked}.".replace(" %", "\u00a0%")
        self.sentence.setText(sentence)
        self.measure.setDefault(found is None)
        if found is None and why_not:
            text = f"Samples of the text cannot be trained on: {why_not}."
        if sampler.progress is None:
            role = "help" if found is None else "plain"
            if problem:
                role = "error"
            self.state.set_message(problem or text, role)
        self.stale.setVisible(found is not None and not sampler.is_current)
        if result is not None and not sampler.is_current:
            from bpe_studio.workspace.messages import changed_fields, difference_words

            config = self._workspace.config
            what = "another target"
            if changed_fields(result.config, config):
                what = difference_words(result.config, config)
            self.stale.set_message(
                f"For other settings; this run has {what}. Measure again for this run.", "help"
            )
        if found is not self._found_shown:
            self._found_shown = found
            self._draw(found)
            self.samples.show(found)
            self.table.fit_columns()
            self.table.show_high(self.samples.rowCount() or _ROWS)

    def _draw(self, found: Enough | None) -> None:
        import numpy as np

        samples = [] if found is None else found.samples
        n_bytes = [each.n_bytes for each in samples]
        sizes = np.array(n_bytes)
        callout = None
        lines = []
        if found is not None:
            enough = found.enough
            words = f"{share_text(enough.share)} is enough"
            if enough is samples[-1]:
                words = "all is needed"
            callout = enough.n_bytes, words
            shares = [found.more_tokens(each) for each in samples]
            more = np.array(shares)
            lines = [Line("", sizes, more)]
        self.curve.show_lines(
            lines, "more tokens for held-out text", is_share=True, callout=callout
        )

    @Slot(object)
    def _show_progress(self, progress: Progress | None) -> None:
        show_job(progress, self.measure, self.progress, self.cancel, self.state)
