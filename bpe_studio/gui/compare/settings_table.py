"""The table of the settings in which two runs differ, with the values of A and of B."""

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
    """The settings that differ, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SettingDifference, ...] = ()

    def show(self, rows: Sequence[SettingDifference]) -> None:
        """Replace the settings."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    columns: tuple[Column[SettingsModel], ...] = (
        Column(
            "setting", "An option in which the two runs differ, or the overrides of one of them",
            lambda model, row: model.difference(row)[1], is_number=False, sample="Forbidden pairs",
        ),
        Column("A", "Its value in A", lambda model, row: model.difference(row)[2], is_number=False),
        Column("B", "Its value in B", lambda model, row: model.difference(row)[3], is_number=False),
    )  # fmt: skip

    def difference(self, row: int) -> SettingDifference:
        """The setting of a row, with its two values."""
        return self._rows[row]

    def tip(self, row: int, column: int) -> str:
        _, name, a, b = self._rows[row]
        return f"{name}\nA: {a}\nB: {b}"


class SettingsTable(CompactTable):
    """The table view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = SettingsModel(self)
        self.setObjectName("difference.settings")
        self.setAccessibleName("Settings that differ")
        self.setModel(self.rows)
        self.fit_columns()
        self.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)

    def show_settings(self, found: Sequence[SettingDifference] | None) -> None:
        """Show settings that differ; None while nothing is compared."""
        self.rows.show(found or ())
        self.set_placeholder(_NONE_DIFFERS if found is not None else "")
