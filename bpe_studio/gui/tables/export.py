"""Export of tables, lists and trees: all rows as CSV, or rows to the clipboard.

Every table creates these actions itself; the `Exporter` of its window saves the file. A table is
exported as it is shown, filtered and sorted, including rows outside the visible part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.look.qt_menus import pop_up_actions
from bpe_studio.gui.tables.model import TableModel, plain_value

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.gui.background.sliced_save import Making

ROWS_AT_A_TIME = 50
MOST_COPIED = 20_000
"""The most rows that are copied to the clipboard."""


class Exporter(Protocol):
    """Saves the tables of a window."""

    @property
    def run(self) -> Run | None:
        """The run that is open, for the names of tokens."""

    def save_table(self, table: QAbstractItemView) -> None:
        """Ask for a file, and save all rows of a table."""

    def refuse_to_copy(self, n_rows: int, most: int) -> None:
        """Tell the user that a table has more rows than can be copied."""


@runtime_checkable
class HasExporter(Protocol):
    """A window whose tables can be saved."""

    export_menu: Exporter


@runtime_checkable
class ExportsTable(Protocol):
    """A table, list or tree that can be saved."""

    table_export: TableExport


class TableExport(QObject):
    """The actions of one table.

    Args:
        table: the table, list or tree; the actions are added to its context menu.
    """

    def __init__(self, table: QAbstractItemView) -> None:
        super().__init__(table)
        self._table = table
        self.save = self._action(
            "Save as CSV…", "Saves all rows of this table, sorted and filtered as shown"
        )
        self.copy_row = self._action(
            "Copy row", "Copies the selected row, or else all rows, with tabs between cells"
        )
        self.copy_all = self._action(
            "Copy all rows", "Copies all rows with tabs between cells, as spreadsheets paste"
        )
        self.copy_row.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self.copy_row.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.save.triggered.connect(self._on_save)
        self.copy_row.triggered.connect(self._on_copy_row)
        self.copy_all.triggered.connect(self._on_copy_all)
        table.addActions([self.save, self.copy_row, self.copy_all])
        if not isinstance(table, HasContextMenu):
            pop_up_actions(table)

    def _action(self, text: str, tip: str) -> QAction:
        action = QAction(text, self._table)
        action.setToolTip(tip)
        return action

    @Slot()
    def _on_save(self) -> None:
        exporter = exporter_of(self._table)
        if exporter is not None:
            exporter.save_table(self._table)

    @Slot()
    def _on_copy_row(self) -> None:
        rows = sorted({index.row() for index in self._table.selectionModel().selectedRows()})
        self._copy(rows or None)

    @Slot()
    def _on_copy_all(self) -> None:
        self._copy(None)

    def _copy(self, rows: Sequence[int] | None) -> None:
        exporter = exporter_of(self._table)
        n = n_rows_of(self._table)
        if rows is None and n > MOST_COPIED:
            if exporter is not None:
                exporter.refuse_to_copy(n, MOST_COPIED)
            return
        from bpe_studio.files.exports.csv_tables import tab_separated

        run = exporter.run if exporter is not None else None
        wanted = range(n) if rows is None else rows
        rows_of_each = (rows_of(self._table, row, row + 1, run) for row in wanted)
        cells = chain.from_iterable(rows_of_each)
        QGuiApplication.clipboard().setText(tab_separated(heads_of(self._table), cells))


def exporter_of(widget: QWidget) -> Exporter | None:
    """The exporter of a widget's window; None if that has none, like a dialog."""
    parent: QObject | None = widget
    while parent is not None:
        if isinstance(parent, HasExporter):
            return parent.export_menu
        parent = parent.parent()
    return None


def n_rows_of(table: QAbstractItemView) -> int:
    """The number of rows of a table that are exported."""
    return table.model().rowCount()


def heads_of(table: QAbstractItemView) -> list[str]:
    """The headings of the exported columns."""
    model = table.model()
    across = Qt.Orientation.Horizontal
    if isinstance(model, TableModel):
        return model.plain_heads()
    return [
        str(model.headerData(k, across) or f"column {k + 1}") for k in range(model.columnCount())
    ]


def rows_of(
    table: QAbstractItemView, first: int, last: int, run: Run | None
) -> Sequence[Sequence[Value]]:
    """The exported cells of the rows from `first` up to `last`, which is excluded."""
    model = table.model()
    if isinstance(model, TableModel):
        return model.plain_rows(first, last, run)
    rows = []
    for row in range(first, last):
        cells = [_plain_cell(model.index(row, k)) for k in range(model.columnCount())]
        rows.append(cells)
    return rows


def _plain_cell(index: QModelIndex) -> Value:
    return plain_value(
        str(index.data()), is_number=index.data(Qt.ItemDataRole.TextAlignmentRole) is not None
    )


def table_in_pieces(
    table: QAbstractItemView, run: Run | None, *, is_marked: bool = False
) -> Making:
    """Make a table's CSV, some rows at a time; rows that are appended meanwhile are left out.

    Raises:
        ChangedMeanwhileError: the rows changed.
    """
    from bpe_studio.files.exports.csv_tables import csv_in_pieces

    watch = _Watch(table)
    try:
        n = n_rows_of(table)
        yield 0, n
        return (
            yield from csv_in_pieces(heads_of(table), watch.rows(n, run), n, is_marked=is_marked)
        )
    finally:
        watch.end()


class _Watch(QObject):
    """Watches a table for changes while its rows are read."""

    def __init__(self, table: QAbstractItemView) -> None:
        super().__init__()
        self._table = table
        self._model = table.model()
        model = self._model
        self._state = self._state_now()
        self._n = model.rowCount()
        self._has_changed = False
        self._all = (
            model.modelReset,
            model.layoutChanged,
            model.rowsRemoved,
            model.rowsMoved,
            model.dataChanged,
        )
        for signal in self._all:
            signal.connect(self._on_changed)
        model.rowsInserted.connect(self._on_inserted)

    def end(self) -> None:
        for signal in self._all:
            signal.disconnect(self._on_changed)
        self._model.rowsInserted.disconnect(self._on_inserted)

    def rows(self, n: int, run: Run | None) -> Iterator[Sequence[Value]]:
        from bpe_studio.gui.background.sliced_save import ChangedMeanwhileError

        for first in range(0, n, ROWS_AT_A_TIME):
            if self._has_changed or self._state is not self._state_now():
                raise ChangedMeanwhileError
            yield from rows_of(self._table, first, min(n, first + ROWS_AT_A_TIME), run)

    def _state_now(self) -> object:
        return self._model.plain_state() if isinstance(self._model, TableModel) else None

    @Slot()
    def _on_changed(self) -> None:
        self._has_changed = True

    @Slot(QModelIndex, int, int)
    def _on_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self._has_changed = self._has_changed or first < self._n
