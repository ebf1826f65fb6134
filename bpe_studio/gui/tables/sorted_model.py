"""The model of large tables: filters and sorts 250,000 rows without blocking the window.

The order of the rows is one numpy array of source rows: a filter is a mask over names, a sort is an
argsort, and `data()` formats one cell. The work is a generator that an idle timer advances in
slices: continuously while a filter or sort is pending, and rarely while names are only prepared for
a later one.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Slot

from bpe_studio.gui.background.scheduling import TurnTimer
from bpe_studio.gui.tables.model import Index, TableModel
from bpe_studio.gui.tables.name_index import NameIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]

_SLICE_S = 0.004
_FIRST_SLICE_S = 0.012
_PREPARING_SLICE_S = 0.001
_PREPARING_PAUSE_MS = 12
_RESORT_MS = 250


class SortedTableModel(TableModel):
    """A table that grows at its end, is filtered by names, and is sorted by any `sort_key`.

    A *source row* is a row's number before filtering and sorting. Subclasses define the names of
    the rows.

    Attributes:
        natural_column: the column in whose ascending order the source rows are; -1 for none.
    """

    natural_column = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n = 0
        # The source row of each row; None: all rows in their natural order.
        self._view: IntArray | None = None
        self._pattern = ""
        self._mask: NDArray[np.bool_] | None = None
        self._sort = (self.natural_column, Qt.SortOrder.AscendingOrder)
        self._names = NameIndex(str)
        self._steps: Iterator[None] | None = None
        self._idle = TurnTimer(self)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._on_idle)
        self._is_dirty = False
        self._resort = QTimer(self)
        self._resort.setSingleShot(True)
        self._resort.setInterval(_RESORT_MS)
        self._resort.timeout.connect(self._refresh)

    def n_names(self, n_rows: int) -> int:
        """The number of names that `n_rows` rows need."""
        return n_rows

    def first_name(self) -> int:
        """The index of the name that source row 0 is filtered by; source row r has this plus r."""
        return 0

    def can_sort(self, column: int) -> bool:
        """Whether rows can be sorted by a column."""
        return self.columns[column].sort_key is not None

    @property
    def n_rows(self) -> int:
        """The number of rows before filtering."""
        return self._n

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        if parent.isValid():
            return 0
        return self._n if self._view is None else len(self._view)

    def source_row(self, row: int) -> int:
        """The source row that is shown in a row of the table."""
        return row if self._view is None else int(self._view[row])

    def source_rows(self, rows: Sequence[int]) -> list[int]:
        """The source rows that are shown in some rows of the table."""
        return list(rows) if self._view is None else self._view[rows].tolist()

    def row_of(self, source: int) -> int:
        """The row of the table that shows a source row; -1 if none does."""
        if self._view is None:
            return source if 0 <= source < self._n else -1
        hits = (self._view == source).nonzero()[0]
        return int(hits[0]) if len(hits) else -1

    def row_at_or_before(self, source: int) -> int:
        """The last row that shows `source` or a source row before it, in natural order; -1 for
        none.
        """
        if self._view is None:
            return min(source, self._n - 1)
        return int(self._view.searchsorted(source, "right")) - 1

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column by which the rows are sorted, and its direction."""
        return self._sort

    @property
    def is_natural(self) -> bool:
        """Whether the rows are in their natural order, filtered or not."""
        return self._sort == (self.natural_column, Qt.SortOrder.AscendingOrder)

    @property
    def is_busy(self) -> bool:
        """Whether a filter or a sort is pending."""
        return self._is_dirty or self._resort.isActive()

    def reset_rows(self, n: int, names: NameIndex) -> None:
        """Replace all rows; filter and sort order are kept.

        Args:
            n: the number of rows.
            names: their names, of which `n_names(n)` are made.
        """
        import numpy as np

        self.beginResetModel()
        self._idle.stop()
        self._resort.stop()
        self._names = names
        self._n = n
        self._view = None if self.is_natural and not self._pattern else np.zeros(0, np.int32)
        self.endResetModel()
        self._refresh()

    def grow(self, n: int) -> None:
        """Show the first `n` source rows; the new ones are inserted as one batch."""
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

    def best_match(self) -> int:
        """The row named exactly as the filter, with or without a space; else the first, or -1."""
        first = self.first_name()
        patterns = (self._pattern, f"␣{self._pattern}") if self._pattern and self.rowCount() else ()
        for wanted in patterns:
            rows = [self.row_of(place - first) for place in self._names.places(wanted)]
            if any(row >= 0 for row in rows):
                return min(row for row in rows if row >= 0)
        return 0 if self.rowCount() else -1

    def set_filter(self, pattern: str) -> None:
        """Show only the rows whose name contains a pattern; "" shows all.

        Case matters only if the pattern has capitals.
        """
        if pattern != self._pattern:
            self._pattern = pattern
            self._refresh()

    def set_mask(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only the source rows that match the filter and a mask; None for no mask."""
        if mask is not None or self._mask is not None:
            self._mask = mask
            self._refresh()

    def replace_rows(self, n: int, mask: NDArray[np.bool_] | None) -> None:
        """Show n rows with new contents, and filter and sort them again."""
        self.beginResetModel()
        if self._view is not None:
            self._view = self._view[self._view < n]
        self._n = n
        self._mask = mask
        self.endResetModel()
        self._refresh()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by a column that has a `sort_key`; equal rows keep their natural order."""
        column = column if 0 <= column < len(self.columns) else self.natural_column
        if (column, order) != self._sort and self.can_sort(column):
            self._sort = (column, order)
            self._refresh()

    def _refresh(self) -> None:
        self._is_dirty = True
        self._start(_FIRST_SLICE_S)

    def _start(self, first_slice_s: float) -> None:
        self._steps = self._work()
        pause_ms = 0 if self._is_dirty else _PREPARING_PAUSE_MS
        self._idle.start(pause_ms)
        if first_slice_s:
            self._advance(first_slice_s, only_dirty=True)

    @Slot()
    def _on_idle(self) -> None:
        slice_s = _SLICE_S if self._is_dirty else _PREPARING_SLICE_S
        self._advance(slice_s)

    def _advance(self, budget_s: float, *, only_dirty: bool = False) -> None:
        until = time.perf_counter() + budget_s
        steps = self._steps
        for _ in steps or ():
            if time.perf_counter() >= until or (only_dirty and not self._is_dirty):
                break
        else:
            if self._steps is steps:
                self._idle.stop()
            return
        pause_ms = 0 if self._is_dirty else _PREPARING_PAUSE_MS
        if self._idle.interval() != pause_ms:
            self._idle.setInterval(pause_ms)

    def _work(self) -> Iterator[None]:
        """Apply filter and sort, then make the names that a later one needs."""
        if not self._pattern and not self._sorts_by_name():
            yield from self._apply(self._n)
            yield
        yield from self._names.fill(self.n_names(self._n))
        n = self._n
        if self._sorts_by_name() and self._names.n_ranked < self.n_names(n):
            yield from self._names.rank()
        yield from self._apply(n)
        while self._names.n_made < self.n_names(self._n):
            yield from self._names.fill(self.n_names(self._n))

    def _sorts_by_name(self) -> bool:
        return self.columns[self._sort[0]].sorts_by_name

    def _apply(self, n: int) -> Iterator[None]:
        """Filter and sort the first n source rows; another request replaces this generator."""
        if not self._is_dirty:
            return
        view = (yield from self._new_view(n)) if n else self._view
        self._is_dirty = False
        if view is not None and n < self._n:
            self._resort.start()  # rows were added meanwhile
        self._show(view)

    def _show(self, view: IntArray | None) -> None:
        old = self._view
        if view is old:
            return
        if old is not None and view is not None and self.is_natural and _starts_with(view, old):
            if len(view) > len(old):
                self.beginInsertRows(QModelIndex(), len(old), len(view) - 1)
                self._view = view
                self.endInsertRows()
            return
        self.beginResetModel()
        self._view = view
        self.endResetModel()

    def _new_view(self, n: int) -> Generator[None, None, IntArray | None]:
        import numpy as np

        column, direction = self._sort
        rows: IntArray | None = None
        if not self.is_natural:
            sort_key = self.columns[column].sort_key
            assert sort_key is not None
            key = sort_key(self, n)
            if direction is Qt.SortOrder.DescendingOrder:
                key = -key.astype(np.int64, copy=False)
            yield
            rows = yield from ordered(key)
        if self._pattern:
            first = self.first_name()
            mask = yield from self._names.mask(self._pattern, first, first + n)
            rows = np.flatnonzero(mask).astype(np.int32) if rows is None else rows[mask[rows]]
            yield
        if self._mask is not None:
            kept = self._mask[:n]
            rows = np.flatnonzero(kept).astype(np.int32) if rows is None else rows[kept[rows]]
            yield
        return rows


def ordered(key: NDArray[Any]) -> Generator[None, None, IntArray]:
    """The indices that sort whole numbers in ascending order, stably.

    Each slice sorts by 16 bits, for which numpy takes linear time: 5 ms for a third of a million.
    """
    import numpy as np

    rest = (key - key.min()).astype(np.uint64)
    digits = rest.astype(np.uint16)
    yield
    rows = np.argsort(digits, kind="stable").astype(np.int32)
    yield
    while (rest := rest >> np.uint64(16)).any():
        digits = rest.astype(np.uint16)[rows]
        yield
        rows = rows[np.argsort(digits, kind="stable")]
        yield
    return rows


def _starts_with(view: IntArray, old: IntArray) -> bool:
    return 0 < len(old) <= len(view) and bool((view[: len(old)] == old).all())
