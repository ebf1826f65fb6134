"""The same text at two or more vocabulary sizes of this run, side by side, with the differences marked.

The last column is the step of the window; the others stand at steps of their own, which the workspace keeps. The
text is what the person typed, or the beginning of the corpus while nothing is typed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from bpe_studio.gui.compare_column import CompareColumn
from bpe_studio.gui.compare_model import CompareModel
from bpe_studio.gui.comparison import Comparison
from bpe_studio.gui.excerpt import corpus_excerpt
from bpe_studio.gui.note import Note
from bpe_studio.gui.table_view import CompactTable
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

MOST_COLUMNS = 6
EXCERPT_CHARACTERS = 600
FRAME_MS = 16
HIDDEN_MS = 250
RUNNING_MS = 250
TYPING_MS = 80
LEAST_PX = 170
ROOM_FOR_LEGEND_PX = 320


class ComparePanel(QWidget):
    """Columns of text above a table of measures."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._comparison: Comparison | None = None
        self._excerpt: str | None = None
        self._columns: list[CompareColumn] = []
        self.model = CompareModel(self)
        self._timer = QTimer(self, singleShot=True)
        self._build()
        self._connect()
        self.refresh()

    def _build(self) -> None:
        self.which = Note(role="plain")
        self.which.setObjectName("compare.which")
        self.which.setToolTip("The text that every column cuts, and its length in code points")
        self.add = QPushButton("+ Add the current step")
        self.add.setObjectName("compare.add")
        self.add.setAccessibleName("Add a column at the current step")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.which, 1)
        head.addWidget(self.add)
        self._inside = QWidget()
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(12)
        area = QScrollArea()
        area.setWidget(self._inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table = CompactTable()
        self.table.setObjectName("compare.table")
        self.table.setAccessibleName("The compared vocabulary sizes, one a row")
        self.table.setToolTip("Double-click a row, or press Enter, to go to its step")
        self.table.setModel(self.model)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        samples = ["000,000", "000,000", "00,000", "−00.0 %", "0.00", "0.00", "0.00", "00,000,000", "−00.0 %", "0.00"]
        self.table.set_samples(samples)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.setSpacing(8)
        whole.addLayout(head)
        whole.addWidget(area, 1)
        whole.addWidget(self.table)
        self._legend = Note("▴ cut here and joined in another column   ‿ joined here and cut in another column")
        whole.addWidget(self._legend)
        self.setMinimumHeight(LEAST_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._legend.setVisible(self.height() >= ROOM_FOR_LEGEND_PX)

    def _connect(self) -> None:
        self._timer.timeout.connect(self.refresh)
        self.add.clicked.connect(self._on_add_clicked)
        self.table.doubleClicked.connect(self._on_row_chosen)
        self.table.activated.connect(self._on_row_chosen)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.corpus_changed.connect(self._on_corpus_changed)
        self._workspace.run_grew.connect(self._on_moved)
        self._workspace.step_changed.connect(self._on_moved)
        self._workspace.compared_steps_changed.connect(self._on_moved)
        self._workspace.state_changed.connect(self._on_moved)
        self._workspace.typed_text_changed.connect(self._on_typed_text_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_moved()

    @Slot()
    def refresh(self) -> None:
        """Compare now."""
        self._timer.stop()
        workspace = self._workspace
        run = workspace.run
        steps = [*self._own_steps(), workspace.step]
        self._set_columns(len(steps))
        for column, step in zip(self._columns, steps, strict=True):
            column.set_step(step, workspace.n_merges)
            column.set_removable(len(steps) > 2)
        self._say_add(len(steps))
        if run is None or not (text := self._text()):
            self._comparison = None
            self.model.set_rows(())
            for column in self._columns:
                column.clear()
            self._say_empty(run is not None)
            self._fit_table()
            return
        comparison = self._comparison
        if comparison is None or comparison.run is not run or comparison.text != text:
            comparison = self._comparison = Comparison(run, text)
        results = comparison.at(steps, len(steps) - 1)
        for column, result in zip(self._columns, results, strict=True):
            column.set_result(result.measures, result.words, result.content)
        self.model.set_rows([result.measures for result in results])
        self._fit_table()
        self._say_which(comparison)

    def _fit_table(self) -> None:
        """As high as its rows, so that the text has the rest."""
        table = self.table
        rows = max(2, self.model.rowCount()) * table.verticalHeader().defaultSectionSize()
        bar = table.horizontalScrollBar().sizeHint().height()
        table.setFixedHeight(table.horizontalHeader().sizeHint().height() + rows + bar)

    def _own_steps(self) -> list[int]:
        """The steps of all columns but the last, within the run."""
        workspace = self._workspace
        steps = workspace.compared_steps or (default_step(workspace.n_merges, workspace.target, workspace.state),)
        return [min(step, workspace.n_merges) for step in steps[: MOST_COLUMNS - 1]]

    def _text(self) -> str:
        if self._workspace.typed_text:
            return self._workspace.typed_text
        if self._excerpt is None:
            self._excerpt = corpus_excerpt(self._workspace.corpus, EXCERPT_CHARACTERS)
        return self._excerpt

    def _set_columns(self, n_columns: int) -> None:
        """Keep a column for each step, the last one being the step of the window."""
        if len(self._columns) == n_columns:
            return
        for column in self._columns:
            self._row.removeWidget(column)
            column.hide()
            column.deleteLater()
        self._columns = []
        for number in range(1, n_columns + 1):
            column = CompareColumn(number, number == n_columns)
            column.step_chosen.connect(self._on_step_chosen)
            column.removed.connect(self._on_removed)
            column.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
            self._row.addWidget(column, 1)
            self._columns.append(column)
        # Tab goes through the columns from the left, then to the table below them.
        parts = [part for column in self._columns for part in (column.spin, column.slider, column.remove, column.text)]
        for one, other in pairwise([self.add, *parts, self.table]):
            QWidget.setTabOrder(one, other)

    def _say_which(self, comparison: Comparison) -> None:
        workspace = self._workspace
        if workspace.typed_text:
            whose = "Your text"
        else:
            name = workspace.corpus.name if workspace.corpus is not None else "the corpus"
            whose = f"The beginning of {name}, as nothing is typed yet"
        n, n_drawn = len(comparison.text), comparison.n_drawn
        drawn = f"; the first {n_drawn:,} are drawn, all are counted" if n_drawn < n else ""
        self.which.say(f"{whose}: {n:,} {'character' if n == 1 else 'characters'}{drawn}")

    def _say_empty(self, has_run: bool) -> None:
        if has_run:
            self.which.say("Type a text to compare")
            self.table.set_placeholder("There is no text to compare yet")
        else:
            self.which.say("Open a text and train on it to compare vocabulary sizes")
            self.table.set_placeholder("One row a vocabulary size, once there is a run")

    def _say_add(self, n_columns: int) -> None:
        reason = ""
        if self._workspace.run is None:
            reason = "There is no run yet"
        elif n_columns >= MOST_COLUMNS:
            reason = f"{MOST_COLUMNS} columns are the most"
        elif self._workspace.step in self._own_steps():
            reason = "There is a column at this step already"
        self.add.setEnabled(not reason)
        self.add.setToolTip(reason or "Keeps the current step as a column beside the others")

    @Slot()
    def _on_run_changed(self) -> None:
        self._comparison = None
        self._on_moved()

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._excerpt = None
        self._on_run_changed()

    @Slot()
    def _on_moved(self) -> None:
        if self.visibleRegion().isEmpty():
            self._timer.start(HIDDEN_MS)  # behind another tab: not before all rests
            return
        is_running = self._workspace.state is State.running
        if not is_running and self._timer.isActive() and self._timer.interval() > FRAME_MS:
            self._timer.stop()
        if not self._timer.isActive():
            self._timer.start(RUNNING_MS if is_running else FRAME_MS)

    @Slot()
    def _on_typed_text_changed(self) -> None:
        self._timer.start(TYPING_MS)

    @Slot()
    def _on_add_clicked(self) -> None:
        self._workspace.set_compared_steps([*self._own_steps(), self._workspace.step])

    @Slot(int, int)
    def _on_step_chosen(self, number: int, step: int) -> None:
        steps = self._own_steps()
        if number > len(steps):
            self._workspace.go_to(step)
        elif step not in steps:
            # Two columns at one step would become one while the hand still drags.
            steps[number - 1] = step
            self._workspace.set_compared_steps(steps)

    @Slot(int)
    def _on_removed(self, number: int) -> None:
        steps = self._own_steps()
        del steps[number - 1]
        self._workspace.set_compared_steps(steps)

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        self._workspace.go_to(self.model.rows[index.row()].step)

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for column in self._columns:
            column.text.verticalScrollBar().setValue(value)


def default_step(n_merges: int, target: int, state: State) -> int:
    """Where the first column stands until the person chooses: early in the run, and still while it grows."""
    length = n_merges if state is State.done or not target else target
    return min(n_merges, length // 10 if length >= 50 else length // 2)
