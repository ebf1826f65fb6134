"""The selected row of a table.

A signal is emitted only if the user selected it, not if the program did.
"""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, Signal, Slot

from bpe_studio.gui.tables.view import CompactTable


class TableSelection(QObject):
    """The selection of a table.

    Args:
        table: the table; its model is already set.

    Signals:
        chosen: QModelIndex, the user went to a row with the mouse or keys.
    """

    chosen = Signal(QModelIndex)

    def __init__(self, table: CompactTable) -> None:
        super().__init__(table)
        self._table = table
        self._is_marking = False
        table.selectionModel().selectionChanged.connect(self._on_selected)
        table.clicked.connect(self.chosen)

    def mark(self, row: int) -> None:
        """Select a row, or none if it is negative, without emitting `chosen`."""
        selection = self._table.selectionModel()
        self._is_marking = True
        try:
            if row < 0:
                selection.clear()
            elif not selection.isRowSelected(row):
                flags = QItemSelectionModel.SelectionFlag
                selection.setCurrentIndex(
                    self._table.model().index(row, 0), flags.ClearAndSelect | flags.Rows
                )
        finally:
            self._is_marking = False

    @Slot()
    def _on_selected(self) -> None:
        if not self._is_marking:
            for index in self._table.selectionModel().selectedRows():
                self.chosen.emit(index)
