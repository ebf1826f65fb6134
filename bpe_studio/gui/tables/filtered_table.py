"""A table with a filter field and a count above it, like those of merges and words.

A short table is filtered at each key, a long one when typing pauses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget

from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

FILTER_MS = 60
N_INSTANT = 20_000
"""Up to this many rows are filtered at each key."""


@dataclass(frozen=True)
class ObjectNames:
    """The object names of the parts."""

    filter: str
    count: str
    table: str


class FilteredTable(QWidget):
    """A filter field, a count and a table.

    Args:
        model: the rows.
        names: the object names of the parts.
        label: the accessible name of the table.
        rows: the noun for the rows, in the plural, such as "merges".
        contain: the condition for a match, such as "that contain this text".
        of_all: the whole that the count is part of, such as "of all distinct words".
        order: the initial sort column and direction.
        no_match: the placeholder if the filter matches no row, with "{}" for the typed text.
        no_rows: gives the placeholder if there are no rows at all.
        unit: the singular of `rows`, for the count of all rows while no filter is set; "" hides
            that count.
        beside_filter: further filters, between the field and the count.
        workspace: has the corpus of the rows; another text clears the filter.

    Attributes:
        no_match: the same as the argument; a panel may change it.

    Signals:
        filtered: another filter was applied.
        text_changed: another text was opened, and further filters must be cleared too.
        chosen: QModelIndex, the user clicked or activated a row.
    """

    filtered = Signal()
    text_changed = Signal()
    chosen = Signal(QModelIndex)

    def __init__(
        self,
        model: SortedTableModel,
        workspace: Workspace,
        *,
        names: ObjectNames,
        label: str,
        rows: str,
        contain: str,
        of_all: str,
        order: tuple[int, Qt.SortOrder],
        no_match: str,
        no_rows: Callable[[], str],
        unit: str = "",
        beside_filter: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._workspace = workspace
        self._text: object = None
        self.no_match = no_match
        self._no_rows = no_rows
        self._unit = unit
        tip = f"Show only the {rows} {contain}; ␣ or a space finds spaces"
        self.filter = named(QLineEdit(self), names.filter, f"Filter {rows}", tip)
        self.filter.setClearButtonEnabled(True)
        tip = f"The number of {rows} shown, {of_all}"
        self.count = named(AccessibleLabel(self), names.count, f"{rows.capitalize()} shown", tip)
        self.count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.table = named(CompactTable(self), names.table, label)
        self.table.setModel(model)
        self.table.horizontalHeader().setSortIndicator(*order)
        self.table.setSortingEnabled(True)
        self.table.fit_columns()
        self._typing_pause = QTimer(self, singleShot=True, interval=FILTER_MS)
        column(row((self.filter, 1), *beside_filter, self.count), (self.table, 1), parent=self)
        self.filter.textChanged.connect(self._on_text_changed)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        self.filter.returnPressed.connect(self._on_return)
        self._typing_pause.timeout.connect(self.apply_filter)
        self.table.clicked.connect(self.chosen)
        self.table.activated.connect(self.chosen)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._on_sort_chosen)

    def show_source_row(self, source: int) -> bool:
        """Scroll to a source row if it is not on the screen, and return whether that was needed."""
        row = self._model.row_of(source) if 0 <= source < self._model.n_rows else -1
        if row < 0 or self.table.is_row_visible(row):
            return False
        self.table.scroll_quietly(
            self._model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter
        )
        return True

    @Slot()
    def _on_corpus_changed(self) -> None:
        """Clear the filter, unless another run of the same text is shown."""
        info = self._workspace.corpus
        text = None if info is None else info.request
        if text is not self._text:
            self._text = text
            if self.filter.text():
                self.filter.clear()
                self.apply_filter()
            self.text_changed.emit()

    @Slot()
    def apply_filter(self) -> None:
        """Filter by the typed text now."""
        self._typing_pause.stop()
        self._model.set_filter(self.filter.text().replace(" ", "␣"))
        self.show_count()
        self.filtered.emit()

    def show_best_match(self) -> None:
        """Scroll to the row whose name was typed, or else to the first one."""
        row = self._model.best_match()
        if row >= 0:
            self.table.scroll_quietly(
                self._model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtTop
            )

    @Slot()
    def _on_return(self) -> None:
        """Choose the row whose name was typed, or else the first one."""
        self.apply_filter()
        row = self._model.best_match() if self.filter.text() else -1
        if row >= 0:
            self.show_best_match()
            self.chosen.emit(self._model.index(row, 0))

    @Slot()
    def show_count(self) -> None:
        """Update the count, and the placeholder if no row is shown."""
        n_shown = self._model.rowCount()
        n_all = self._model.n_rows
        is_all = n_shown == n_all
        text = ""
        if not is_all:
            text = f"{number(n_shown)} of {number(n_all)}"
        elif n_all and self._unit:
            text = plural(n_all, self._unit)
        self.count.setText(text)
        self.count.setVisible(bool(text))
        if not n_all:
            self.table.set_placeholder(self._no_rows())
        else:
            no_match = "" if self._model.is_busy else self.no_match.format(self.filter.text())
            self.table.set_placeholder(no_match)

    @Slot()
    def _on_text_changed(self) -> None:
        if self._model.n_rows <= N_INSTANT:
            self.apply_filter()
        else:
            self._typing_pause.start()

    @Slot(int, Qt.SortOrder)
    def _on_sort_chosen(self, column: int, order: Qt.SortOrder) -> None:
        """Keep the arrow on the sorted column if rows cannot be sorted by the clicked one."""
        if not self._model.can_sort(column):
            header = self.table.horizontalHeader()
            header.blockSignals(True)
            header.setSortIndicator(*self._model.sorted_by)
            header.blockSignals(False)
            header.viewport().update()
