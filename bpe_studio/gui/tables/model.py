"""What the program's tables have in common as models: columns with headings, and a text, a side and a state a cell.

Delegates ask a model's methods directly: a question by way of `QModelIndex.data` goes through Qt and back and takes
five times as long, and a table asks several hundred times for each frame that it paints.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.look.plain_tip import plain_tip

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

RowStateRole = int(Qt.ItemDataRole.UserRole) + 1
"""The role by which a model says what a row is to the step."""

NUMBER = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
WORD = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
Index = QModelIndex | QPersistentModelIndex


class RowState(IntEnum):
    """What a row is to the step; rows ahead of it are painted dimmed."""

    APPLIED = 0
    CURRENT = 1
    AHEAD = 2


ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))
"""For `str.translate`: takes away what keeps a text's direction from what stands around it."""
_NOTHING = ("–", "—")
_SAID_STATES = {RowState.CURRENT: "the current step", RowState.AHEAD: "ahead of the step"}


class Column(NamedTuple):
    """A column's heading, what its values count and over what, and how it lies and sorts."""

    title: str
    tip: str
    is_number: bool = True
    sorts_by_name: bool = False


class TableModel(QAbstractTableModel):
    """Rows of cells; subclasses define how many rows there are, and their content."""

    columns: tuple[Column, ...] = ()

    def text(self, row: int, column: int) -> str:
        """What a cell says."""
        raise NotImplementedError

    def tip(self, row: int, column: int) -> str:
        """The tooltip of a cell."""
        return self.columns[column].tip

    def alignment(self, row: int, column: int) -> int:
        """The alignment of a cell's text."""
        return NUMBER if self.columns[column].is_number else WORD

    def state(self, row: int) -> RowState:
        """What a row is to the step."""
        return RowState.APPLIED

    def is_selected(self, row: int) -> bool:
        """Whether a row is the selection that all panels share."""
        return False

    def states(self, first: int, last: int) -> list[tuple[int, RowState]]:
        """The rows from first to last, and what each is to the step."""
        return [(row, self.state(row)) for row in range(first, last + 1)]

    # The table as it is taken away: exact texts and plain numbers, and of what is elided or counted also the rest.

    def plain_heads(self) -> list[str]:
        """The headings of the cells of `plain_row`; columns that are bars or marks alone have none."""
        titles = [column.title for column in self.columns if column.title]
        return [
            title if titles.index(title) == k else f"{title} {titles[: k + 1].count(title)}"
            for k, title in enumerate(titles)
        ]

    def n_plain_rows(self) -> int:
        """How many rows are taken away; those that the table shows, in its order."""
        return self.rowCount()

    def plain_state(self) -> object:
        """What rows that are taken away one after another must have in common, beside the model's own signals."""
        return None

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        """The cells of a row for other programs.

        Args:
            row: its number in the table.
            run: the run that is open, for the names of tokens.
        """
        return [
            plain_value(self.text(row, k), is_number=column.is_number)
            for k, column in enumerate(self.columns)
            if column.title
        ]

    def plain_rows(self, first: int, last: int, run: Run | None) -> Sequence[Sequence[Value]]:
        """The same of the rows from first up to last, which is not one of them; for tables of many rows."""
        return [self.plain_row(row, run) for row in range(first, last)]

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            column = self.columns[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return column.title
            if role == Qt.ItemDataRole.ToolTipRole:
                return column.tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return NUMBER if column.is_number else WORD
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(row, column)
        if role == RowStateRole:
            return self.state(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # What is painted as a bar, or dimmed, is said with the first cell of the row.
            said = _SAID_STATES.get(self.state(row), "") if column == 0 else ""
            return f"{self.text(row, column)}, {said}" if said else self.text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self.tip(row, column))
        return None


def plain_value(text: str, *, is_number: bool) -> Value:
    """What a cell says, without what only helps the eye: groups of digits, isolates, a dash for nothing."""
    text = text.translate(ISOLATES)
    if not is_number:
        return text
    if text in _NOTHING:
        return None
    locale = grouping_locale()
    digits = text.replace(locale.groupSeparator(), "").replace("−", "-").replace(locale.decimalPoint(), ".")
    try:
        return float(digits) if "." in digits else int(digits)
    except ValueError:
        return text
