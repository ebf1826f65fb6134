"""The base of all table models: `Column` describes a column, `TableModel` serves it to Qt.

Delegates call a model's methods directly, because a table reads several hundred cells for each
frame, and `QModelIndex.data` goes through Qt and back, which takes five times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from bpe_studio.explain.wording import number
from bpe_studio.gui.look.qt_text import grouping_locale, plain_tip
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

RowStateRole = int(Qt.ItemDataRole.UserRole) + 1
"""The role by which a model gives the state of a row."""

NUMBER = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
WORD = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
Index = QModelIndex | QPersistentModelIndex


class RowState(IntEnum):
    """The place of a row relative to the step; rows ahead of it are painted dimmed."""

    APPLIED = 0
    CURRENT = 1
    AHEAD = 2


ISOLATES = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))
"""A table for `str.translate` that removes the characters that isolate the direction of a text."""
NO_VALUE = "–"
"""The text of a cell without a value."""
_DASHES = (NO_VALUE, "—")
_STATE_NAMES = {RowState.CURRENT: "the current step", RowState.AHEAD: "ahead of the step"}

M = TypeVar("M", bound="TableModel")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Export(Generic[M]):
    """A column of the exported table.

    Attributes:
        title: its heading.
        values: gives its cells for the model, some rows of the table, and the run that is open, for
            the names of tokens (None if there is none). Rows come in batches, because numpy reads
            many numbers at once faster.
    """

    title: str
    values: Callable[[M, Sequence[int], Run | None], Sequence[Value]]


def each_row(
    value: Callable[[M, int], Value],
) -> Callable[[M, Sequence[int], Run | None], Sequence[Value]]:
    """The `Export.values` of a function that gives the cell of one row."""
    return lambda model, rows, run: [value(model, row) for row in rows]


@dataclass(frozen=True, slots=True)
class Column(Generic[M]):
    """Everything about one column of a table. Its functions take the model and a row of the table.

    Attributes:
        title: its heading; "" for a bar, which is not exported.
        tip: the tooltip of the heading, which says what the values mean.
        text: the text of a cell; by default that of its chips; "" where a delegate paints something
            else.
        chips: the tokens that are painted in a cell instead of its text; None paints the text.
        least_em: the width of the table, in line heights, below which the column is hidden.
        is_counted: whether it counts a corpus; if so, it is hidden when the model has no counts.
        is_there: whether the model has anything for it; if not, it is hidden.
        is_number: whether its cells are right-aligned and in tabular figures.
        sample: the widest text that must fit, fixed or computed from the model; None: the column
            takes the space that is left over.
        share: the share of that space, relative to the other columns that take it.
        sort_key: (n,) numbers that order the first n rows of a `SortedTableModel` by this column,
            ascending; None: the table cannot be sorted by it.
        sorts_by_name: whether `sort_key` needs the alphabetical ranks of the names.
        is_link: whether a click on a number shows what it counts; only texts that begin with a
            digit are links.
        is_rtl: whether the text of a cell runs from right to left, and so is right-aligned.
        exports: its columns in the exported table; None: one with its title and texts.
        group: the heading above it and its neighbours, if it has one.
    """

    title: str
    tip: str
    text: Callable[[M, int], str] | None = None
    chips: Callable[[M, int], Chips | None] | None = field(default=None, kw_only=True)
    least_em: int = field(default=0, kw_only=True)
    is_counted: bool = field(default=False, kw_only=True)
    is_there: Callable[[M], bool] | None = field(default=None, kw_only=True)
    is_number: bool = field(default=True, kw_only=True)
    sample: str | Callable[[M], str | None] | None = field(default=None, kw_only=True)
    share: float = field(default=1.0, kw_only=True)
    is_link: bool = field(default=False, kw_only=True)
    sort_key: Callable[[M, int], NDArray[Any]] | None = field(default=None, kw_only=True)
    sorts_by_name: bool = field(default=False, kw_only=True)
    is_rtl: Callable[[M, int], bool] | None = field(default=None, kw_only=True)
    exports: tuple[Export[M], ...] | None = field(default=None, kw_only=True)
    group: str = field(default="", kw_only=True)

    @property
    def full_title(self) -> str:
        """Its title with that of its group, for screen readers and exports."""
        return f"{self.group}: {self.title}" if self.group else self.title

    def text_of(self, model: M, row: int) -> str:
        """The text of a cell."""
        if self.text is not None:
            return self.text(model, row)
        chips = self.chips(model, row) if self.chips is not None else None
        return "" if chips is None else chips.text

    def alignment_of(self, model: M, row: int) -> int:
        """The alignment of a cell: right for numbers and for text that runs from right to left."""
        if self.is_number:
            return NUMBER
        if self.is_rtl is not None:
            return NUMBER if self.is_rtl(model, row) else WORD
        chips = self.chips(model, row) if self.chips is not None else None
        return NUMBER if chips is not None and chips.is_rtl else WORD

    def as_exported(self) -> tuple[Export[M], ...]:
        """Its columns in the exported table."""
        if self.exports is not None:
            return self.exports
        return (Export(self.full_title, each_row(self._plain)),) if self.title else ()

    def _plain(self, model: M, row: int) -> Value:
        return plain_value(self.text_of(model, row), is_number=self.is_number)


class TableModel(QAbstractTableModel):
    """A table of `columns`; subclasses define the columns and `rowCount`.

    Attributes:
        columns: the columns as shown, from left to right.
        extra_exports: columns that are exported after them, but not shown.
        selected: the number of the selected row, as `number_of` gives it; -1 for none. The code
            that sets it repaints the view.
        has_counts: whether there is a corpus for the columns that count one.
    """

    columns: tuple[Column[Any], ...] = ()
    extra_exports: tuple[Export[Any], ...] = ()
    selected = -1

    @property
    def has_counts(self) -> bool:
        return True

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = grouping_locale()

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        return self.columns[column].text_of(self, row)

    def chips(self, row: int, column: int) -> Chips | None:
        """The tokens that are painted in a cell; None if its text is painted."""
        chips = self.columns[column].chips
        return None if chips is None else chips(self, row)

    def tip(self, row: int, column: int) -> str:
        """The tooltip of a cell."""
        return self.columns[column].tip

    def alignment(self, row: int, column: int) -> int:
        """The alignment of a cell's text."""
        return self.columns[column].alignment_of(self, row)

    def samples(self) -> list[str | None]:
        """The widest text of each column; None if the column takes the space that is left over."""
        samples = []
        for column in self.columns:
            sample = column.sample(self) if callable(column.sample) else column.sample
            samples.append(sample)
        return samples

    def is_link(self, row: int, column: int) -> bool:
        """Whether a click on a cell shows what its number counts."""
        return self.columns[column].is_link and self.text(row, column)[:1].isdigit()

    def share(self, row: int, column: int) -> float:
        """The share of a cell that a bar fills, from 0 to 1."""
        return 0.0

    def beside_bars(self, column: int) -> str:
        """The longest text beside a bar of a column, so that all bars have the same scale."""
        return max((self.text(row, column) for row in range(self.rowCount())), key=len, default="")

    def state(self, row: int) -> RowState:
        """The place of a row relative to the step."""
        return RowState.APPLIED

    def is_selected(self, row: int) -> bool:
        """Whether a row is the selection that all panels share."""
        return self.selected >= 0 and self.number_of(row) == self.selected

    def number_of(self, row: int) -> int:
        """The number by which a row is selected, such as its token."""
        return row

    def states(self, first: int, last: int) -> list[tuple[int, RowState]]:
        """The rows from first to last, both included, each with its state."""
        return [(row, self.state(row)) for row in range(first, last + 1)]

    # The exported table has exact texts and plain numbers, and nothing is elided.

    def _exports(self) -> list[Export[Any]]:
        of_columns = (column.as_exported() for column in self.columns)
        return [*chain.from_iterable(of_columns), *self.extra_exports]

    def plain_heads(self) -> list[str]:
        """The headings of the exported columns; a heading that occurs again is numbered."""
        titles = [export.title for export in self._exports()]
        heads = []
        for k, title in enumerate(titles):
            occurrence = titles[: k + 1].count(title)
            head = title if occurrence == 1 else f"{title} {occurrence}"
            heads.append(head)
        return heads

    def plain_state(self) -> object:
        """An object that must stay the same during an export, besides what signals announce."""
        return None

    def plain_rows(self, first: int, last: int, run: Run | None) -> list[tuple[Value, ...]]:
        """The exported cells of some rows.

        Args:
            first: the first row of the table.
            last: the row after the last one.
            run: the run that is open, for the names of tokens.
        """
        rows = range(first, last)
        columns = [export.values(self, rows, run) for export in self._exports()]
        return list(zip(*columns, strict=True))

    def plain_row(self, row: int, run: Run | None) -> tuple[Value, ...]:
        """The exported cells of one row."""
        return self.plain_rows(row, row + 1, run)[0]

    def emit_all_changed(self) -> None:
        """Announce that every cell may have changed, but not the number of rows."""
        if n_rows := self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(n_rows - 1, len(self.columns) - 1))

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            column = self.columns[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return column.title
            if role == Qt.ItemDataRole.AccessibleTextRole and column.group:
                return column.full_title
            if role == Qt.ItemDataRole.ToolTipRole:
                return column.tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return NUMBER if column.is_number else WORD
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        row = index.row()
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(row, column)
        if role == RowStateRole:
            return self.state(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # The state is only painted, so the first cell of the row tells it to screen readers.
            state = _STATE_NAMES.get(self.state(row), "") if column == 0 else ""
            return f"{self.text(row, column)}, {state}" if state else self.text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self.tip(row, column))
        return None


class RowsModel(TableModel, Generic[R]):
    """A short table with a record for each row.

    Attributes:
        rows: the records.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[R] = ()

    def show_rows(self, rows: Iterable[R]) -> None:
        """Replace the rows; equal rows are only repainted, so that the table keeps its place."""
        rows = tuple(rows)
        if rows == self.rows:
            self.emit_all_changed()
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)


def widest_number(*values: int) -> str:
    """A 1 with zeros, as many digits as the largest of some numbers, grouped as the locale does."""
    return number(10 ** (len(str(max(values))) - 1))


def plain_value(text: str, *, is_number: bool) -> Value:
    """The value of a cell's text without its typography: grouping, isolates, a dash for nothing."""
    text = text.translate(ISOLATES)
    if not is_number:
        return text
    if text in _DASHES:
        return None
    locale = grouping_locale()
    digits = (
        text.replace(locale.groupSeparator(), "")
        .replace("−", "-")
        .replace(locale.decimalPoint(), ".")
    )
    try:
        return float(digits) if "." in digits else int(digits)
    except ValueError:
        return text
