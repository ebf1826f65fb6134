"""What differs in the settings of two runs: one row a setting, with A's value and B's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtWidgets import QHeaderView, QWidget

from bpe_studio.gui.tables.model import Column, Index, TableModel
from bpe_studio.gui.tables.view import CompactTable

if TYPE_CHECKING:
    from bpe_studio.explain.settings import SettingDifference

_NONE_DIFFERS = "Nothing differs in their settings"


class SettingsModel(TableModel):
    """One row a setting in which the two differ."""

    columns = (
        Column("setting", "An option in which the two runs differ, or the overrides of one of them", False),
        Column("A", "Its value in A", False),
        Column("B", "Its value in B", False),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SettingDifference, ...] = ()

    def show(self, rows: Sequence[SettingDifference]) -> None:
        """Show other settings."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def text(self, row: int, column: int) -> str:
        return self._rows[row][column + 1]

    def tip(self, row: int, column: int) -> str:
        _, name, a, b = self._rows[row]
        return f"{name}\nA: {a}\nB: {b}"


class SettingsTable(CompactTable):
    """The table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = SettingsModel(self)
        self.setObjectName("branches.settings")
        self.setAccessibleName("Settings that differ")
        self.setModel(self.rows)
        self.set_samples(["Forbidden pairs", None, None])
        self.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)

    def show_settings(self, found: Sequence[SettingDifference] | None) -> None:
        """Show other settings; None where nothing is compared."""
        self.rows.show(found or ())
        self.set_placeholder(_NONE_DIFFERS if found is not None else "")
