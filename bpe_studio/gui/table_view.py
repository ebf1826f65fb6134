"""The compact table that merges, candidates and words share: how it looks, and how one row of it is painted.

Calm and dense: no grid, no boxes, a quiet heading, numbers in tabular figures, an accent bar on the current row, and
a sentence where rows would be when there are none; and the index of names by which rows are searched and sorted.
What it does not do: it holds no rows and knows no run; filtering and sorting are the models' (a proxy model takes 14
seconds to sort 250,000 rows). numpy is imported where it is used, so that the window paints before it is loaded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import repeat
from operator import contains
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPolygon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from bpe_studio.gui import theme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RowStateRole = int(Qt.ItemDataRole.UserRole) + 1
"""The role by which a model says what a row is to the step."""

NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WORD = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MARGIN = 6
_LEFT_TO_RIGHT = int(Qt.TextFlag.TextForceLeftToRight)
_SLICE = 512
Index = QModelIndex | QPersistentModelIndex


class RowState(IntEnum):
    """What a row is to the step; rows ahead of it are painted dimmed."""

    APPLIED = 0
    CURRENT = 1
    AHEAD = 2


class Column(NamedTuple):
    """A column's heading, what its values count and over what, and how it lies and sorts."""

    title: str
    tip: str
    is_number: bool = True
    sorts_by_name: bool = False


class PlainHeader(QHeaderView):
    """A heading of muted words over a hair line; the sorted column carries a small arrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height() + 10)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        painter.fillRect(rect, self.palette().color(QPalette.ColorRole.Base))
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        colour = theme.muted(self.palette())
        title = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        is_number = _is_right_aligned(
            self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        )
        inner = rect.adjusted(MARGIN, 0, -MARGIN, 0)
        painter.setPen(colour)
        flags = Qt.AlignmentFlag.AlignVCenter | (
            Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        )
        painter.drawText(inner, int(flags), title)
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == section and title:
            width = self.fontMetrics().horizontalAdvance(title)
            middle = inner.right() - width - 9 if is_number else inner.left() + width + 9
            self._paint_arrow(painter, QPoint(middle, rect.center().y()), colour)
        painter.restore()

    def _paint_arrow(self, painter: QPainter, at: QPoint, colour: QColor) -> None:
        down = -1 if self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder else 1
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        points = [QPoint(-4, -2 * down), QPoint(4, -2 * down), QPoint(0, 2 * down)]
        painter.drawPolygon(QPolygon([at + point for point in points]))


class CompactTable(QTableView):
    """A table in the house's look, whose rows are one line high.

    Signals:
        looked_away(): the person scrolled (wheel, bar, keys); programs that scroll use `scroll_quietly`.
    """

    looked_away = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.placeholder = ""
        self._hovered_row = -1
        self._is_scrolling_quietly = False
        self._samples: Sequence[str | None] = ()
        self.number_columns: frozenset[int] = frozenset()
        self.numeric_font = theme.numeric_font()
        self.setHorizontalHeader(PlainHeader(self))
        self.setItemDelegate(CellDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = self.verticalHeader()
        rows.hide()
        # Sizes that follow content measure every row: 14 seconds for 250,000 of them.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)
        self._fit_to_font()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def set_samples(self, samples: Sequence[str | None]) -> None:
        """Set each column's width by a text that must fit; None takes what is left (call after setModel)."""
        self._samples = samples
        self._fit_to_font()

    def scroll_quietly(self, index: QModelIndex, hint: QAbstractItemView.ScrollHint) -> None:
        """Scroll without taking it for the person's hand."""
        self._is_scrolling_quietly = True
        try:
            self.scrollTo(index, hint)
        finally:
            self._is_scrolling_quietly = False

    def is_row_visible(self, row: int) -> bool:
        """Whether a row's whole height is on the screen."""
        top = self.rowViewportPosition(row)
        return top >= 0 and top + self.rowHeight(row) <= self.viewport().height()

    def set_placeholder(self, text: str) -> None:
        """The sentence that stands where rows would be."""
        if text != self.placeholder:
            self.placeholder = text
            self.viewport().update()

    def _fit_to_font(self) -> None:
        self.numeric_font = theme.numeric_font()
        numeric = QFontMetrics(self.numeric_font)
        self.verticalHeader().setDefaultSectionSize(max(self.fontMetrics().height(), numeric.height()) + 6)
        header, model = self.horizontalHeader(), self.model()
        if model is None or len(self._samples) != model.columnCount():
            return
        role = Qt.ItemDataRole.TextAlignmentRole
        numbers = (
            c
            for c in range(len(self._samples))
            if _is_right_aligned(model.headerData(c, Qt.Orientation.Horizontal, role))
        )
        self.number_columns = frozenset(numbers)
        for column, sample in enumerate(self._samples):
            if sample is None:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            title = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            heading = self.fontMetrics().horizontalAdvance(title) + (14 if self.isSortingEnabled() else 0)
            header.resizeSection(column, max(heading, numeric.horizontalAdvance(sample)) + 2 * MARGIN)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._fit_to_font()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(event.position().toPoint().y()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._hovered_row:
            self._hovered_row = row
            self.viewport().update()

    @property
    def hovered_row(self) -> int:
        """The row under the pointer; -1 where there is none."""
        return self._hovered_row

    def _on_scrolled(self) -> None:
        if not self._is_scrolling_quietly:
            self.looked_away.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.placeholder and (self.model() is None or self.model().rowCount() == 0):
            with QPainter(self.viewport()) as painter:
                painter.setPen(theme.muted(self.palette()))
                inner = self.viewport().rect().adjusted(16, 16, -16, -16)
                flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(inner, int(flags) | int(Qt.TextFlag.TextWordWrap), self.placeholder)


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: the row's ground (hover, current, focus), then the text by the model's alignment."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        state = index.data(RowStateRole)
        self._paint_ground(painter, option, index, state == RowState.CURRENT)
        inner = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        self.paint_content(painter, inner, option.palette, index, is_ahead=state == RowState.AHEAD)
        painter.restore()

    def paint_content(self, painter: QPainter, rect: QRect, palette: QPalette, index: Index, *, is_ahead: bool) -> None:
        """Paint what the cell holds into `rect`; subclasses draw bars and tokens here."""
        text = index.data()
        if not text:
            return
        table = self.parent()
        if isinstance(table, CompactTable) and index.column() in table.number_columns:
            painter.setFont(table.numeric_font)
        painter.setPen(with_alpha(theme.muted(palette), 0.8) if is_ahead else palette.color(QPalette.ColorRole.Text))
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, alignment | _LEFT_TO_RIGHT, elided)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, is_current: bool) -> None:
        table = self.parent()
        if isinstance(table, CompactTable) and table.hovered_row == index.row():
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Midlight))
        if is_current:
            accent = theme.accent(option.palette)
            painter.fillRect(option.rect, with_alpha(accent, 0.14))
            if index.column() == 0:
                painter.fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), accent)
        if option.state & QStyle.StateFlag.State_Selected and isinstance(table, CompactTable) and table.hasFocus():
            painter.setPen(QPen(with_alpha(theme.accent(option.palette), 0.7)))
            painter.drawLine(option.rect.topLeft(), option.rect.topRight())
            painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())


def with_alpha(colour: QColor, alpha: float) -> QColor:
    """The colour, translucent."""
    faded = QColor(colour)
    faded.setAlphaF(alpha)
    return faded


def _is_right_aligned(alignment: object) -> bool:
    return alignment is not None and bool(int(alignment) & int(Qt.AlignmentFlag.AlignRight))  # type: ignore[call-overload]


class NameIndex:
    """The names of many things, made little by little, to be searched and put in alphabetical order.

    Args:
        name_of: gives the name of thing `i`.
    """

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of
        self.names: list[str] = []
        self._lower: list[str] = []
        self.ranks: NDArray[np.int32] | None = None

    def name(self, i: int) -> str:
        """The name of thing `i`, made now if it is not there yet."""
        return self.names[i] if i < len(self.names) else self._name_of(i)

    @property
    def n_ranked(self) -> int:
        """How many names have a place in the alphabetical order."""
        return 0 if self.ranks is None else len(self.ranks)

    def fill(self, n: int) -> Iterator[None]:
        """Make the names of the first `n` things."""
        while len(self.names) < n:
            for i in range(len(self.names), min(n, len(self.names) + _SLICE)):
                name = self._name_of(i)
                lower = name.lower()
                self.names.append(name)
                self._lower.append(name if lower == name else lower)
            yield

    def mask(self, pattern: str, start: int, end: int) -> NDArray[np.bool_]:
        """Which of the things `start` to `end` hold the pattern; capitals in it make it exact."""
        import numpy as np

        names = self._lower if pattern == pattern.lower() else self.names
        return np.frombuffer(bytearray(map(contains, names[start:end], repeat(pattern))), np.bool_)

    def rank(self) -> Iterator[None]:
        """Put the names known by now in order: `ranks[i]` becomes the place of thing `i`; equal names share a place.

        One sort of 250,000 names would hold the window up for 200 ms, so they are dealt into buckets whose borders
        come from a sample, and each bucket is sorted by itself.
        """
        import numpy as np

        n, keys = len(self.names), self._lower
        borders = sorted(keys[: n : max(1, n // 4096)])[::16]
        buckets: list[list[int]] = [[] for _ in range(len(borders) + 1)]
        for start in range(0, n, _SLICE):
            for i in range(start, min(n, start + _SLICE)):
                buckets[bisect_right(borders, keys[i])].append(i)
            yield
        ranks = np.empty(n, np.int32)
        place, last = -1, None
        for bucket in buckets:
            for i in sorted(bucket, key=keys.__getitem__):
                if keys[i] != last:
                    place, last = place + 1, keys[i]
                ranks[i] = place
            yield
        self.ranks = ranks
        yield
