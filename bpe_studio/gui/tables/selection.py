"""The selected row of a table: marked by the program without a signal, or chosen by the person, which is emitted."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, Signal, Slot

from bpe_studio.gui.tables.view import CompactTable


class TableSelection(QObject):
    """Follows the selection of a table; only a row chosen by the person is emitted, not a marked one.

    Args:
        table: the table, which has its model.

    Signals:
        chosen: QModelIndex, the person went to a row, by the mouse or by keys.
    """

    chosen = Signal(QModelIndex)

    def __init__(self, table: CompactTable) -> None:
        super().__init__(table)
        self._table = table
        self._is_following = False
        table.selectionModel().selectionChanged.connect(self._on_selected)
        table.clicked.connect(self.chosen)

    def mark(self, row: int) -> None:
        """Select a row, or none where it is below 0, without emitting `chosen`."""
        selection = self._table.selectionModel()
        self._is_following = True
        try:
            if row < 0:
                selection.clear()
            elif not selection.isRowSelected(row):
                flags = QItemSelectionModel.SelectionFlag
                selection.setCurrentIndex(self._table.model().index(row, 0), flags.ClearAndSelect | flags.Rows)
        finally:
            self._is_following = False

    @Slot()
    def _on_selected(self) -> None:
        if not self._is_following:
            for index in self._table.selectionModel().selectedRows():
                self.chosen.emit(index)
