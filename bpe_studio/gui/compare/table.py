"""The table that compares vocabulary sizes, with groups of columns and dimmed old numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.compare.table_model import (
    AGAINST,
    CORPUS,
    GOLD,
    TEXT,
    MeasuresModel,
    columns_of,
)
from bpe_studio.gui.look import theme
from bpe_studio.gui.tables.model import RowState
from bpe_studio.gui.tables.view import MARGIN, Cell, CellDelegate, CompactTable, PlainHeader

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class GroupHeader(PlainHeader):
    """A header of two lines: the underlined names of groups of columns, and the titles.

    Args:
        groups: the columns of each group, which are neighbours.
    """

    def __init__(self, groups: Mapping[str, range], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups = dict(groups)
        self._names = {group: group for group in groups}
        self.sectionResized.connect(self.viewport().update)

    def rename(self, group: str, name: str) -> None:
        """Show another name for a group."""
        if self._names.get(group) != name:
            self._names[group] = name
            self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * self.fontMetrics().height() + 12)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        own = self.fontMetrics().height() + 8
        painter.fillRect(rect, self.palette().color(QPalette.ColorRole.Base))
        super().paintSection(
            painter, QRect(rect.left(), rect.bottom() + 1 - own, rect.width(), own), section
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        height = self.fontMetrics().height() + 4
        with QPainter(self.viewport()) as painter:
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            for group, columns in self._groups.items():
                left = max(0, self.sectionViewportPosition(columns[0]))
                right = self.sectionViewportPosition(columns[-1]) + self.sectionSize(columns[-1])
                # The name stays visible while its group is partly scrolled out.
                inner = QRect(left + MARGIN, 0, right - left - MARGIN, height)
                if inner.width() <= 0:
                    continue
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Mid)))
                painter.drawLine(left + MARGIN, height, right, height)
                painter.setPen(theme.muted(self.palette()))
                name = painter.fontMetrics().elidedText(
                    self._names[group], Qt.TextElideMode.ElideRight, inner.width() - MARGIN
                )
                painter.drawText(inner, _LEFT, name)


class UseDelegate(CellDelegate):
    """Dims numbers that are still those of the previous step."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        is_old = isinstance(model, MeasuresModel) and model.is_old(cell.row, cell.column)
        if is_old:
            cell = cell._replace(state=RowState.AHEAD)
        super().paint_content(painter, rect, cell)


class BarDelegate(UseDelegate):
    """Paints a bar, and the number of tokens after it."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        share = cell.model.share(cell.row, cell.column)
        if share:
            text = cell.model.beside_bars(cell.column)
            room = rect.width() - painter.fontMetrics().horizontalAdvance(text + "00")
            is_current = cell.state is RowState.CURRENT
            colour = theme.accent(cell.palette) if is_current else theme.muted(cell.palette)
            bar = QRectF(
                rect.left(), rect.top() + 0.3 * rect.height(), room * share, 0.4 * rect.height()
            )
            painter.fillRect(bar, theme.with_alpha(colour, 0.8))
        super().paint_content(painter, rect, cell)


class SizeTable(CompactTable):
    """The table view.

    Args:
        model: the compared sizes, a row each.
    """

    def __init__(self, model: MeasuresModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.table")
        self.setAccessibleName("Numbers of each size")
        self.setToolTip("Double-click a row, or press Enter, to go to its step; Delete removes it")
        groups = {group: columns_of(group) for group in (CORPUS, TEXT, AGAINST, GOLD)}
        self.header = GroupHeader(groups, self)
        self.setHorizontalHeader(self.header)
        self.setItemDelegate(UseDelegate(self))
        bars = BarDelegate(self)
        for column in range(len(model.columns)):
            if model.has_bar(column):
                self.setItemDelegateForColumn(column, bars)
        self.numbers = model
        self._longest: list[str] = []
        self.setModel(model)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(CompactTable.ScrollMode.ScrollPerPixel)
        self.horizontalScrollBar().valueChanged.connect(self.header.viewport().update)
        self.fit_numbers(())

    def fit_numbers(self, texts: Sequence[Sequence[str]]) -> None:
        """Widen each column to its longest number, and columns with bars to the room that is left.

        Columns never become narrower, so that they do not jump.

        Args:
            texts: the cells of each row.
        """
        longest = self._longest or [sample or "" for sample in self.numbers.samples()]
        found = [max(numbers, key=len) for numbers in zip(longest, *texts, strict=True)]
        if found != self._longest:
            self._longest = found
            hidden = [k for k in range(len(found)) if self.isColumnHidden(k)]
            self.set_samples(found)
            for k in hidden:
                self.setColumnHidden(k, True)
        self._share_room()

    def _share_room(self) -> None:
        super()._share_room()
        shown = [k for k in range(len(self._longest)) if not self.isColumnHidden(k)]
        bars = [k for k in shown if self.numbers.has_bar(k)]
        taken = sum(self.columnWidth(k) for k in shown if k not in bars)
        for k in bars:
            room = (self.viewport().width() - taken) // len(bars)
            self.setColumnWidth(k, max(room, self.width_of(k, self._longest[k])))
