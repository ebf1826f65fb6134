"""The page Advice: a sentence about the best size, and the curves of tokens and of operations.

The curve of tokens marks the size that is enough; the curve of operations for each byte of text
marks the cheapest. *More* shows the reasons: the savings of further merges, and the costs of a
size. The page is given the curves and the measured sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QRect, QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QSpinBox,
    QWidget,
)

from bpe_studio.explain.comparison.advice import (
    advice,
    cheapest,
    cost_sentence,
    enough,
    flops,
    headline,
    merges_per_interval,
    size_beyond,
)
from bpe_studio.explain.comparison.measures import Row
from bpe_studio.explain.merges import WITHOUT_TEXT, has_pairs
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.scheduling import Debouncer
from bpe_studio.gui.compare.held_out import HoldOut
from bpe_studio.gui.compare.table_model import Found
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.line_chart import LineChart
from bpe_studio.gui.tables.model import (
    NO_VALUE,
    Column,
    Export,
    Index,
    RowsModel,
    RowState,
    TableModel,
    each_row,
)
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row, scrolled
from bpe_studio.gui.widgets.controls import WholeNumber, more_button, named, point_arrow
from bpe_studio.gui.widgets.labels import Note, heading, statement
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.size_advice import EmbeddingCost, ModelShape
    from bpe_studio.explain.comparison.curves import Curves
    from bpe_studio.explain.comparison.measure_curves import Line
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 60
ASIDE_PX = 860
"""From this width on, the halves of a page are side by side."""
CHART_PX = 200
TABLE_PX = 150
GREATEST_WIDTH = 65_536
MOST_LAYERS = 1_000
LONGEST_CONTEXT = 10_000_000
OWN_NUMBERS = "own numbers"
MODELS = {
    "small": (768, 12, 1_024, True),
    "1B": (2_048, 16, 8_192, True),
    "7B": (4_096, 32, 4_096, False),
}
"""Usual models: width, layers, context, and whether input and output embeddings are tied."""
NUMBERS = (("16 bits", 2), ("32 bits", 4), ("8 bits", 1))
EMPTY = "Open a text and train on it to see what a vocabulary size saves and costs"
UNLEARNED = "Run first to see what the sizes save and cost"
COUNTING = "Counting the tokens at every size …"
FAILED = "The tokens at every size could not be counted; see the page Curve."
LARGEST = "is the largest vocabulary that the corpus and the settings allow"
NOT_REACHED = (
    "With a far target, a run ends at the largest vocabulary that the corpus and the settings allow"
)
FORMULA = (
    "Reading a token takes 2 (12 L d² + V d) + 2 L c d operations: L layers of width d, a context"
    " of c tokens, and V entries in the vocabulary (Kaplan et al. 2020, table 1, with the output"
    " layer added). A byte takes as many, divided by the bytes per token."
)
WITHOUT_SIZE = "The size of the text is not known, because only its counted words were given"
NO_STRETCH = "Each row will be a range of merges"


class AdvicePage(QWidget):
    """A sentence and two curves; below *More*, more sentences, two tables and the held-out part.

    Signals:
        step_chosen: int, the step of a row, to which the window should go.
        tokens_requested: (step, bool), the user wants to see the tokens of a size: all, or the rare
            ones.
    """

    step_chosen = Signal(object)
    tokens_requested = Signal(int, bool)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._curves: Curves | None = None
        self._has_failed = False
        self._has_corpus: bool | None = None
        self._steps: tuple[int, ...] = ()
        self._size_beyond = 0
        # A sentence of another length makes Qt lay out the whole tab again, so it waits for a pause
        # in the drag.
        self._rest = Debouncer(REST_MS, self)
        self._rest.timeout.connect(self._say)
        self.savings = _SavingsModel(self)
        self.costs = _CostsModel(self)
        # `resizeEvent` places these again, and may be called before the page is built.
        self.savings_title = heading("What further merges save")
        self._cost_titles = WrappingRow()
        self._charts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._tables = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._build(workspace)
        self.more.toggled.connect(self._on_more)
        self.train.clicked.connect(self._on_train)
        for chart in (self.chart, self.cost_chart):
            chart.place_chosen.connect(self._on_size_chosen)
        for field in self._model_fields:
            field.valueChanged.connect(self._on_model_changed)
        self.model_field.activated.connect(self._on_usual_model)
        self.bytes_field.currentIndexChanged.connect(self._on_model_chosen)
        self.tied.toggled.connect(self._on_model_changed)
        for table in (self.savings_table, self.costs_table):
            table.activated.connect(self._on_chosen)
            table.doubleClicked.connect(self._on_chosen)
        self.costs_table.link_chosen.connect(self._on_number_chosen)
        self.show_curves(None)

    @property
    def _model_fields(self) -> tuple[QSpinBox, QSpinBox, QSpinBox]:
        return self.width_field, self.layers_field, self.context_field

    def _build(self, workspace: Workspace) -> None:
        self.headline = statement("compare.enough", "Which size is enough")
        self.train = named(
            QPushButton(self),
            "compare.train_further",
            "Train to a larger size",
            "Raises the target and trains on, so that the curve shows larger sizes",
        )
        self.words = named(Note(role="plain"), "compare.advice", "Advice")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.chart = LineChart(
            "compare.advice_curve",
            "Tokens at each vocabulary size",
            "vocabulary size",
            self,
            starts_at_zero=True,
        )
        self.chart.setMinimumHeight(CHART_PX)
        self.cost_chart = LineChart(
            "compare.cost_curve",
            "Operations for a byte at each vocabulary size",
            "vocabulary size",
            self,
        )
        self.cost_chart.setMinimumHeight(CHART_PX)
        self.more = more_button(
            self,
            "compare.advice_more",
            "More advice",
            "Shows what further merges save, what a size costs a model, and the held-out part",
        )
        self.savings_table = _table("compare.savings", "Savings of further merges", self.savings)
        self.savings_table.setItemDelegateForColumn(
            _SavingsModel.BAR, ShareDelegate(self.savings_table)
        )
        self.savings_table.fit_columns()
        self.costs_table = _table("compare.costs", "Costs to a model", self.costs)
        self.costs_table.fit_columns()
        self.width_field = named(
            WholeNumber(self),
            "compare.width",
            "Embedding width (hidden size)",
            "The number of parameters of an embedding: the width, or hidden size, of the model",
        )
        self.width_field.setRange(1, GREATEST_WIDTH)
        self.layers_field = named(
            WholeNumber(self), "compare.layers", "Layers", "The number of layers of the model"
        )
        self.layers_field.setRange(1, MOST_LAYERS)
        self.context_field = named(
            WholeNumber(self),
            "compare.context",
            "Context",
            "The number of tokens that attend to each other",
        )
        self.context_field.setRange(1, LONGEST_CONTEXT)
        for field in self._model_fields:
            field.setGroupSeparatorShown(True)
        self.model_field = named(
            QComboBox(self), "compare.model", "Model", "Fills in the numbers of a usual model"
        )
        self.model_field.addItems([*MODELS, OWN_NUMBERS])
        self.tied = named(
            QCheckBox("Tied", self), "compare.tied", "Tied input and output embeddings"
        )
        self.tied.setToolTip(
            "Counts the input and output embeddings as one table; otherwise they are two"
        )
        self.bytes_field = named(
            QComboBox(self),
            "compare.number_bytes",
            "Bits per parameter",
            "The format of the parameters: bfloat16, float32, or one byte each",
        )
        for name, n_bytes in NUMBERS:
            self.bytes_field.addItem(name, n_bytes)
        self._fill_in(next(iter(MODELS)))
        self.hold_out = HoldOut(workspace)
        model_row = WrappingRow()
        model_row.add(heading("Model"), self.model_field)
        model_row.add_spring()
        for text, field in zip(("width", "layers", "context"), self._model_fields, strict=True):
            label = QLabel(text)
            label.setBuddy(field)
            label.setToolTip(FORMULA)
            model_row.add(label, field)
        titles = self._cost_titles
        titles.add(heading("What a size costs a model"))
        titles.add_spring()
        titles.add(self.tied)
        titles.add(self.bytes_field)
        self._charts.setSpacing(16)
        self._charts.addWidget(self.chart, 1)
        self._charts.addLayout(column(model_row, (self.cost_chart, 1), spacing=TIGHT_PX), 1)
        self._tables.setSpacing(16)
        self._tables.addLayout(
            column(self.savings_title, (self.savings_table, 1), spacing=TIGHT_PX), 1
        )
        self._tables.addLayout(column(titles, (self.costs_table, 1), spacing=TIGHT_PX), 1)
        self._details = QWidget()
        column(
            self.words,
            8,
            (self._tables, 1),
            Note(FORMULA),
            4,
            heading("Held-out part"),
            self.hold_out,
            parent=self._details,
        )
        self._on_more(False)
        inside = QWidget()
        column(
            row(
                (self.headline, 1),
                (self.train, 0, Qt.AlignmentFlag.AlignTop),
            ),
            (self._charts, 1),
            self.more,
            self._details,
            parent=inside,
            spacing=TIGHT_PX,
            margins=(0, 0, 8, 0),
        )
        column(scrolled(inside, "compare.advice_area"), parent=self)

    def show_curves(self, curves: Curves | None) -> None:
        """Show the counted curves; None for none."""
        self._curves = curves
        if curves is None:
            self.savings.set_rows((), 1)
            placeholder = WITHOUT_TEXT if self._has_corpus is False else NO_STRETCH
            self.savings_table.set_placeholder(placeholder)
        else:
            per = merges_per_interval(curves.n_merges)
            self.savings.set_rows(_savings(curves, per), per)
            title = f"What each further {per:,} merges save" if per > 1 else "What each merge saves"
            self.savings_title.setText(title)
        self._say()
        self._draw()
        self._offer_training()

    def show_advice(
        self,
        curves: Curves | None,
        rows: Sequence[Row],
        found: Sequence[Found],
        *,
        has_failed: bool = False,
    ) -> None:
        """Show the advice on sizes, of which the last is the window's, or that counting failed."""
        run = self._workspace.run
        has_corpus = None if run is None else has_pairs(run)
        if (curves, has_failed, has_corpus) != (self._curves, self._has_failed, self._has_corpus):
            self._has_failed = has_failed
            self._has_corpus = has_corpus
            self.show_curves(curves)
        steps = tuple(row.step for row in rows)
        if steps != self._steps:
            self._steps = steps
            self._rest.restart()
            self._show_step()
        self._offer_training()
        self.costs.set_rows(rows, found)
        step = self._steps[-1] if self._steps else 0
        self.savings.set_step(step)
        self.savings_table.viewport().update()

    def _draw(self) -> None:
        """Draw the tokens of the corpus and of the held-out part, as shares of those at step 0."""
        curves = self._curves
        lines: list[Line] = []
        callout = None
        if curves is not None:
            import numpy as np

            from bpe_studio.explain.comparison.measure_curves import Line

            sizes = curves.base + np.arange(curves.n_merges + 1)
            for series in filter(None, (curves.corpus, curves.held_out)):
                lines.append(
                    Line(series.name, sizes, series.n_tokens / max(1, int(series.n_tokens[0])))
                )
            step = enough(curves)
            if step is not None:
                callout = curves.base + step, f"{number(curves.base + step)} is enough"
        title = "tokens, in percent of those before the first merge"
        self.chart.show_lines(
            lines, title, is_share=True, callout=callout, placeholder=self.words.text()
        )
        self._draw_costs()
        self._show_step()

    def _draw_costs(self) -> None:
        """Draw the operations for each byte of the corpus at each size."""
        curves = self._curves
        lines: list[Line] = []
        callout = None
        placeholder = self.words.text()
        if curves is not None and curves.corpus.n_bytes:
            import numpy as np

            from bpe_studio.explain.comparison.measure_curves import Line

            sizes = curves.base + np.arange(curves.n_merges + 1)
            millions = flops(curves, self._shape) / curves.corpus.n_bytes / 1e6
            lines.append(Line(curves.corpus.name, sizes, millions))
            step = cheapest(curves, self._shape)
            # If the cheapest step is the last one, the line still falls there.
            if step < curves.n_merges:
                callout = curves.base + step, f"{number(curves.base + step)} is cheapest"
        elif curves is not None:
            placeholder = WITHOUT_SIZE
        title = "million operations for a byte of text"
        self.cost_chart.show_lines(lines, title, callout=callout, placeholder=placeholder)

    def _show_step(self) -> None:
        base = 0 if self._curves is None else self._curves.base
        mark = base + self._steps[-1] if self._steps else None
        self.chart.set_marks((), mark)
        self.cost_chart.set_marks((), mark)

    def _offer_training(self) -> None:
        """Offer a size beyond the run if no size of the run is enough."""
        workspace = self._workspace
        size = size_beyond(self._curves)
        is_offered = (
            size is not None
            and workspace.state is not State.running
            and workspace.transport.can_train_more
        )
        self.train.setVisible(is_offered)
        if size is not None:
            self._size_beyond = max(size, self._size_at(workspace.target))
            self.train.setText(f"Train to {number(self._size_beyond)}")

    def _size_at(self, step: int) -> int:
        return step if self._curves is None else self._curves.base + step

    @Slot()
    def _on_train(self) -> None:
        workspace = self._workspace
        workspace.transport.extend_target(self._size_beyond - self._size_at(workspace.target))
        workspace.transport.run_training()

    @Slot(bool)
    def _on_more(self, is_shown: bool) -> None:
        self._details.setVisible(is_shown)
        point_arrow(self.more, is_open=is_shown)

    @Slot(object)
    def _on_size_chosen(self, size: int) -> None:
        if self._curves is not None:
            self.step_chosen.emit(size - self._curves.base)

    @Slot()
    def _say(self) -> None:
        self._rest.stop()
        lines = advice(self._curves, self._steps)
        workspace = self._workspace
        answer = ""
        if lines and workspace.run is not None:
            answer = f"{headline(self._curves)} {cost_sentence(self._curves, self._shape)}"
        self.headline.setText(answer)
        self.headline.setVisible(bool(answer))
        if lines and workspace.run is not None:
            largest = f"{number(workspace.run.vocab_size_at(workspace.n_merges))} {LARGEST}"
            if workspace.stop_reason:
                lines.append(f"{largest}: {workspace.stop_reason}")
            else:
                lines.append(NOT_REACHED)
        text = "\n".join(f"{line}." for line in lines)
        if workspace.run is None:
            text = EMPTY
        elif self._has_corpus is False:
            text = WITHOUT_TEXT
        elif not text and self._has_failed:
            text = FAILED
        elif not text:
            text = COUNTING if self._workspace.n_merges else UNLEARNED
        self.words.set_message(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= ASIDE_PX
        direction = QBoxLayout.Direction.TopToBottom
        if is_wide:
            direction = QBoxLayout.Direction.LeftToRight
        self._tables.setDirection(direction)
        self._charts.setDirection(direction)
        # Side by side, both titles get the same height, so that both tables begin at the same
        # height.
        height = self._cost_titles.sizeHint().height() if is_wide else 0
        self.savings_title.setMinimumHeight(height)

    @property
    def _shape(self) -> ModelShape:
        """The model whose costs are shown."""
        from bpe_studio.engine.analysis.size_advice import ModelShape

        width, layers, context = (field.value() for field in self._model_fields)
        return ModelShape(width, layers, context, self.tied.isChecked())

    @Slot()
    def _on_usual_model(self) -> None:
        name = self.model_field.currentText()
        if name in MODELS:
            self._fill_in(name)
            self._on_model_chosen()

    def _fill_in(self, name: str) -> None:
        """Show the numbers of a usual model."""
        *numbers, is_tied = MODELS[name]
        for field, value in zip(self._model_fields, numbers, strict=True):
            with QSignalBlocker(field):
                field.setValue(value)
        with QSignalBlocker(self.tied):
            self.tied.setChecked(is_tied)

    @Slot()
    def _on_model_changed(self) -> None:
        self.model_field.setCurrentText(OWN_NUMBERS)
        self._on_model_chosen()

    @Slot()
    def _on_model_chosen(self) -> None:
        self._rest.restart()
        self._draw_costs()
        self._show_step()
        self.costs.set_model(
            self.width_field.value(), self.bytes_field.currentData(), is_tied=self.tied.isChecked()
        )

    @Slot(QModelIndex)
    def _on_number_chosen(self, index: QModelIndex) -> None:
        self.tokens_requested.emit(self.costs.step(index.row()), index.column() == _CostsModel.RARE)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        model = index.model()
        if isinstance(model, _SavingsModel):
            self.step_chosen.emit(model.rows[index.row()].step)
        elif isinstance(model, _CostsModel):
            self.step_chosen.emit(model.step(index.row()))


class ShareDelegate(CellDelegate):
    """Two bars, one above the other: the corpus's filled, the held-out part's outlined."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, _SavingsModel)
        most = model.most
        row = model.rows[cell.row]
        if most <= 0:
            return
        muted = theme.muted(cell.palette)
        height = 0.45 * rect.height()
        top = rect.top() + 0.28 * rect.height()
        if row.held_out is not None:
            height = 0.3 * rect.height()
            top = rect.top() + 0.16 * rect.height()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(muted)
        painter.drawRect(QRectF(rect.left(), top, rect.width() * row.share / most, height))
        if row.held_out is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(muted, 1))
            width = rect.width() * max(0.0, row.held_out) / most
            painter.drawRect(QRectF(rect.left() + 0.5, top + height + 1.5, width, height))


def _table(name: str, said: str, model: _SavingsModel | _CostsModel) -> CompactTable:
    table = named(
        CompactTable(), name, said, "Double-click a row, or press Enter, to go to its step"
    )
    table.setModel(model)
    table.setMinimumHeight(TABLE_PX)
    return table


class _Saving(NamedTuple):
    """The savings of a range of merges.

    Attributes:
        step: the step at its end.
        size: the vocabulary size at its end.
        saved: the number of tokens by which the corpus becomes shorter.
        share: the same divided by the tokens at its beginning, from 0 to 1.
        held_out: the share for the held-out part; None if there is none.
    """

    step: int
    size: int
    saved: int
    share: float
    held_out: float | None


def _savings(curves: Curves, per: int) -> list[_Saving]:
    """The savings of each range of `per` merges, from the first on."""
    from bpe_studio.engine.analysis.size_advice import saved_per_thousand

    own = saved_per_thousand(curves.corpus.n_tokens, per)
    on_held_out = (
        None if curves.held_out is None else saved_per_thousand(curves.held_out.n_tokens, per)
    )
    found = []
    for k, saved in enumerate(own.tolist()):
        step = per * (k + 1)
        before = int(curves.corpus.n_tokens[step - per])
        held = None
        if on_held_out is not None and curves.held_out is not None:
            there = int(curves.held_out.n_tokens[step - per])
            held = int(on_held_out[k]) / there if there else 0.0
        share = saved / before if before else 0.0
        found.append(_Saving(step, curves.base + step, saved, share, held))
    return found


def _saving(title: str, value: Callable[[_Saving], Value]) -> Export[_SavingsModel]:
    return Export(title, lambda model, rows, run: [value(model.rows[row]) for row in rows])


class _SavingsModel(RowsModel[_Saving]):
    """The savings of further merges, a row for each range of merges."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self._per = 1

    @property
    def most(self) -> float:
        """The largest share; its bar fills the cell."""
        return max((max(row.share, row.held_out or 0.0) for row in self.rows), default=0.0)

    def set_rows(self, rows: Sequence[_Saving], per: int) -> None:
        """Replace the ranges, of `per` merges each."""
        self._per = per
        self.show_rows(rows)

    def set_step(self, step: int) -> None:
        """Mark the range that contains the step of the window; the caller repaints the view."""
        self._step = step

    def state(self, row: int) -> RowState:
        end = self.rows[row].step
        return RowState.CURRENT if end - self._per < self._step <= end else RowState.APPLIED

    columns = (
        Column(
            "up to",
            "The vocabulary size at the end of these merges",
            lambda model, row: number(model.rows[row].size),
            sample="000,000",
            exports=(
                _saving("step", lambda row: row.step),
                _saving("vocabulary", lambda row: row.size),
            ),
        ),
        Column(
            "saves",
            "The number of tokens of the corpus that these merges save",
            lambda model, row: number(model.rows[row].saved),
            sample="00,000,000",
            exports=(_saving("tokens saved", lambda row: row.saved),),
        ),
        Column(
            "corpus",
            "The same number, as a share of the tokens before these merges",
            lambda model, row: _percent(model.rows[row].share, 2),
            sample="00.00 %",
            exports=(_saving("share of the corpus", lambda row: row.share),),
        ),
        Column(
            "held out",
            "Share of the held-out tokens that these merges save. If it is lower than for the"
            " corpus, they overfit.",
            lambda model, row: _percent(model.rows[row].held_out, 2, NO_VALUE),
            sample="00.00 %",
            exports=(_saving("share of the held-out part", lambda row: row.held_out),),
        ),
        Column(
            "",
            "Filled: the corpus's share; outlined: the held-out part's. Where they differ, the"
            " merges overfit",
            is_number=False,
        ),
    )
    BAR = 4


def _percent(share: float | None, digits: int, unknown: str = "…") -> str:
    return unknown if share is None else f"{number(100 * share, digits)} %"


class _CostsModel(TableModel):
    """The costs of each chosen size, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[Row, Found], ...] = ()
        self._width = 768
        self._is_tied = True
        self._n_bytes = 2

    def set_rows(self, rows: Sequence[Row], found: Sequence[Found]) -> None:
        """Replace the sizes; they are sorted, and each is shown once."""
        by_size = {row.vocab_size: (row, each) for row, each in zip(rows, found, strict=True)}
        ordered = tuple(by_size[key] for key in sorted(by_size))
        if ordered != self._rows:
            is_as_long = len(ordered) == len(self._rows)
            if not is_as_long:
                self.beginResetModel()
            self._rows = ordered
            if is_as_long:
                self.emit_all_changed()
            else:
                self.endResetModel()

    def set_model(self, width: int, n_bytes: int, *, is_tied: bool) -> None:
        """Set the model whose embedding is priced.

        Args:
            width: the embedding width.
            n_bytes: bytes per parameter.
            is_tied: whether input and output embeddings are one table.
        """
        self._width = width
        self._n_bytes = n_bytes
        self._is_tied = is_tied
        self.emit_all_changed()

    def step(self, row: int) -> int:
        return self._rows[row][0].step

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self._rows[row][0].is_current else RowState.APPLIED

    def _size(self, row: int) -> int:
        return self._rows[row][0].vocab_size

    def _rare(self, row: int) -> int | None:
        found = self._rows[row][1]
        corpus = None if found.use is None or found.is_late else found.use.corpus
        return None if corpus is None else corpus.n_rare

    def _rare_text(self, row: int) -> str:
        rare = self._rare(row)
        return self._unknown(row) if rare is None else number(rare)

    def _unknown(self, row: int) -> str:
        """An ellipsis while the tokens are counted, a dash if there is no corpus."""
        found = self._rows[row][1]
        return "…" if found.use is None or found.is_late else NO_VALUE

    def _share(self, row: int) -> float | None:
        rare = self._rare(row)
        return None if rare is None else rare / self._size(row)

    def _cost(self, row: int) -> EmbeddingCost:
        from bpe_studio.engine.analysis.size_advice import embedding_cost

        return embedding_cost(self._size(row), self._width, self._is_tied, self._n_bytes)

    columns = (
        Column(
            "vocabulary",
            "Alphabet, merges and special tokens; click to see them",
            lambda model, row: number(model._size(row)),
            sample="000,000",
            is_link=True,
            exports=(Export("step", each_row(step)), Export("vocabulary", each_row(_size))),
        ),
        Column(
            "rare",
            "Entries that occur fewer times in the corpus than chosen under Numbers; click to see"
            " them",
            lambda model, row: model._rare_text(row),
            sample="000,000",
            is_link=True,
            exports=(Export("rare", each_row(_rare)),),
        ),
        Column(
            "of all",
            "Their share of the vocabulary: a model sees them too rarely to learn them well",
            lambda model, row: _percent(model._share(row), 1, model._unknown(row)),
            sample="00.0 %",
            exports=(Export("rare of all", each_row(_share)),),
        ),
        Column(
            "parameters",
            "Parameters of the input embedding, and of the output embedding if it is not tied",
            lambda model, row: number(model._cost(row).parameters),
            sample="000,000,000",
            exports=(
                Export("parameters", each_row(lambda model, row: model._cost(row).parameters)),
            ),
        ),
        Column(
            "size",
            "The memory that these parameters take; 1 MB is a million bytes",
            lambda model, row: f"{number(model._cost(row).size_bytes / 1e6, 1)} MB",
            sample="0,000.0 MB",
            exports=(
                Export("size in bytes", each_row(lambda model, row: model._cost(row).size_bytes)),
            ),
        ),
    )
    SIZE, RARE, SHARE, PARAMETERS, BYTES = range(len(columns))
