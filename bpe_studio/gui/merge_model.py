"""The merges as table rows, and the index by which the program's big tables filter and sort.

A table of 250,000 rows stays quick because its order is one numpy array of row numbers: a filter is a mask over names,
a sort is an argsort, and `data()` only formats one cell. Names are made in idle slices, so that nothing here holds up
the window. Time travel is a number (`set_step`), never another model.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, QTimer, Slot

from bpe_studio.gui.chips import is_right_to_left
from bpe_studio.gui.numbers_text import grouping_locale
from bpe_studio.gui.table_view import NUMBER, WORD, Column, Index, NameIndex, RowState, RowStateRole
from bpe_studio.gui.token_names import display_name, isolated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run

    IntArray = NDArray[np.int32]

_SLICE_S = 0.006
_EAGER_S = 0.02
_RESORT_MS = 250


class IndexedTableModel(QAbstractTableModel):
    """Rows that grow at the end, filtered and sorted through one array of row numbers.

    Subclasses say how many names a number of rows takes, which name belongs to which row, and by what columns sort.
    """

    columns: tuple[Column, ...] = ()
    natural_column = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n = 0
        self._view: IntArray | None = None  # None: every row in its natural order
        self._pattern = ""
        self._sort = (self.natural_column, Qt.SortOrder.AscendingOrder)
        self._names = NameIndex(str)
        self._steps: Iterator[None] | None = None
        self._idle = QTimer(self)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._on_idle)
        self._is_dirty = False
        self._resort = QTimer(self)
        self._resort.setSingleShot(True)
        self._resort.setInterval(_RESORT_MS)
        self._resort.timeout.connect(self._refresh)
        self._locale = grouping_locale()

    def n_names(self, n_rows: int) -> int:
        """How many names `n_rows` rows need."""
        return n_rows

    def first_name(self) -> int:
        """The number of the name that row 0 is filtered by; row r has this plus r."""
        return 0

    def sort_key(self, column: int, n: int) -> NDArray[Any]:
        """(n,) numbers that order the rows by `column`, ascending."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        """How many rows there are before filtering."""
        return self._n

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        if parent.isValid():
            return 0
        return self._n if self._view is None else len(self._view)

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
                return int(NUMBER if column.is_number else WORD)
        return None

    def source_row(self, row: int) -> int:
        """The thing that stands in a row of the table."""
        return row if self._view is None else int(self._view[row])

    def row_of(self, source: int) -> int:
        """The row of the table in which a thing stands; -1 where it is filtered out or not there yet."""
        if self._view is None:
            return source if 0 <= source < self._n else -1
        hits = (self._view == source).nonzero()[0]
        return int(hits[0]) if len(hits) else -1

    def row_at_or_before(self, source: int) -> int:
        """In natural order: the last row whose thing is `source` or stands before it; -1 where there is none."""
        if self._view is None:
            return min(source, self._n - 1)
        return int(self._view.searchsorted(source, "right")) - 1

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column that the rows are in the order of, and its direction."""
        return self._sort

    @property
    def is_natural(self) -> bool:
        """Whether the rows stand in their own order, filtered or not."""
        return self._sort == (self.natural_column, Qt.SortOrder.AscendingOrder)

    @property
    def is_busy(self) -> bool:
        """Whether a filter, a sort or new names are still being worked on."""
        return self._idle.isActive() or self._resort.isActive()

    def reset_rows(self, n: int, names: NameIndex) -> None:
        """Show other things altogether; the filter and the order stay chosen."""
        import numpy as np

        self.beginResetModel()
        self._idle.stop()
        self._resort.stop()
        self._names, self._n = names, n
        self._view = None if self.is_natural and not self._pattern else np.zeros(0, np.int32)
        self.endResetModel()
        self._refresh()

    def grow(self, n: int) -> None:
        """Show the first `n` things; those that are new come in as one batch."""
        if n <= self._n:
            return
        if self._view is None:
            self.beginInsertRows(QModelIndex(), self._n, n - 1)
            self._n = n
            self.endInsertRows()
            if not self._idle.isActive():
                self._start(0.0)
        else:
            self._n = n
            if not self._resort.isActive():
                self._resort.start()

    def set_filter(self, pattern: str) -> None:
        """Show only the rows whose name holds `pattern`."""
        if pattern != self._pattern:
            self._pattern = pattern
            self._refresh()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the rows in the order of a column; rows that are equal keep their natural order."""
        column = column if 0 <= column < len(self.columns) else self.natural_column
        if (column, order) != self._sort:
            self._sort = (column, order)
            self._refresh()

    def _refresh(self) -> None:
        self._is_dirty = True
        self._start(_EAGER_S)

    def _start(self, eager_s: float) -> None:
        self._steps = self._work()
        self._idle.start()
        if eager_s:
            self._advance(eager_s)

    @Slot()
    def _on_idle(self) -> None:
        self._advance(_SLICE_S)

    def _advance(self, budget_s: float) -> None:
        until, steps = time.perf_counter() + budget_s, self._steps
        for _ in steps or ():
            if time.perf_counter() >= until:
                return
        if self._steps is steps:
            self._idle.stop()

    def _work(self) -> Iterator[None]:
        if not self._pattern and not self._sorts_by_name():
            self._apply(self._n)
        yield from self._names.fill(self.n_names(self._n))
        n = self._n
        if self._sorts_by_name() and self._names.n_ranked < self.n_names(n):
            yield from self._names.rank()
        self._apply(n)
        while len(self._names.names) < self.n_names(self._n):
            yield from self._names.fill(self.n_names(self._n))

    def _sorts_by_name(self) -> bool:
        return self.columns[self._sort[0]].sorts_by_name

    def _apply(self, n: int) -> None:
        if not self._is_dirty:
            return
        self._is_dirty = False
        if n == 0:
            return
        view = self._new_view(n)
        old = self._view
        if view is None and old is None:
            return
        if old is not None and view is not None and self.is_natural and _continues(view, old):
            if len(view) > len(old):
                self.beginInsertRows(QModelIndex(), len(old), len(view) - 1)
                self._view = view
                self.endInsertRows()
            return
        self.beginResetModel()
        self._view = view
        self.endResetModel()

    def _new_view(self, n: int) -> IntArray | None:
        import numpy as np

        column, direction = self._sort
        rows: IntArray | None = None
        if not self.is_natural:
            key = self.sort_key(column, n)
            if direction is Qt.SortOrder.DescendingOrder:
                key = -key.astype(np.int64, copy=False)
            rows = np.argsort(key, kind="stable").astype(np.int32)
        if self._pattern:
            first = self.first_name()
            mask = self._names.mask(self._pattern, first, first + n)
            rows = np.flatnonzero(mask).astype(np.int32) if rows is None else rows[mask[rows]]
        return rows


class MergeModel(IndexedTableModel):
    """The merges of a run, in the order in which they were learned.

    Column `tied` says how many pairs had the winner's count, or that the merge was forced.
    """

    columns = (
        Column("rank", "The merge's place in the list, counted from 0"),
        Column("left + right", "The two neighbouring tokens that this merge joins", False, True),
        Column("token", "The token that they make", False, True),
        Column("count", "How often the pair stood in the corpus when it was merged"),
        Column("tied", "How many pairs stood equally often at that moment; 1: there was no tie"),
    )
    RANK, PAIR, TOKEN, COUNT, TIED = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._step = 0

    def set_run(self, run: Run | None, n_merges: int) -> None:
        """Show another run's first `n_merges` merges."""
        if run is None and self._run is None:
            return
        self._run = run
        self.reset_rows(n_merges if run else 0, NameIndex(lambda i: display_name(run, i) if run else ""))

    def set_step(self, step: int) -> None:
        """Set how many merges apply; the view repaints itself, since a step changes no cell's text."""
        self._step = step

    def names_of(self, rank: int) -> tuple[str, str, str]:
        """The left token, the right token and the token of a merge, as a person reads them."""
        assert self._run is not None
        columns, name = self._run.columns, self._names.name
        return name(int(columns.left[rank])), name(int(columns.right[rank])), name(self._run.n_alphabet + rank)

    def n_names(self, n_rows: int) -> int:
        return self.first_name() + n_rows

    def first_name(self) -> int:
        return self._run.n_alphabet if self._run else 0

    def sort_key(self, column: int, n: int) -> NDArray[Any]:
        import numpy as np

        assert self._run is not None
        columns = self._run.columns
        if column == self.COUNT:
            return columns.count[:n]
        if column == self.TIED:
            return columns.tied[:n]
        if column == self.RANK:
            return np.arange(n)
        ranks = self._names.ranks
        assert ranks is not None
        if column == self.TOKEN:
            return ranks[self.first_name() : self.first_name() + n]
        left, right = ranks[columns.left[:n]].astype(np.int64), ranks[columns.right[:n]]
        return left * len(ranks) + right

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._run is None:
            return None
        rank, column = self.source_row(index.row()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(rank, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            if self.columns[column].is_number:
                return int(NUMBER)
            mirrored = column == self.TOKEN and is_right_to_left(self.names_of(rank)[2])
            return int(NUMBER if mirrored else WORD)
        if role == RowStateRole:
            if rank == self._step - 1:
                return RowState.CURRENT
            return RowState.AHEAD if rank >= self._step else RowState.APPLIED
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(rank)
        return None

    def _text(self, rank: int, column: int) -> str:
        assert self._run is not None
        columns, number = self._run.columns, self._locale.toString
        if column == self.RANK:
            return number(rank)
        if column == self.COUNT:
            return number(int(columns.count[rank]))
        if column == self.TIED:
            return "forced" if columns.forced[rank] else number(int(columns.tied[rank]))
        left, right, token = map(isolated, self.names_of(rank))
        return token if column == self.TOKEN else f"{left} + {right}"

    def _tip(self, rank: int) -> str:
        assert self._run is not None
        columns, number = self._run.columns, self._locale.toString
        left, right, token = map(isolated, self.names_of(rank))
        lines = [f"{left} + {right} → {token}"]
        lines.append(f"stood {number(int(columns.count[rank]))} times in the corpus when it was merged")
        if columns.forced[rank]:
            lines.append("forced by the settings, whatever the counts")
        elif columns.tied[rank] > 1:
            lines.append(f"{number(int(columns.tied[rank]))} pairs stood equally often")
        lines.append(f"{number(int(columns.n_tokens[rank]))} tokens in the corpus afterwards")
        return "\n".join(lines)


def _continues(view: IntArray, old: IntArray) -> bool:
    return 0 < len(old) <= len(view) and bool((view[: len(old)] == old).all())
