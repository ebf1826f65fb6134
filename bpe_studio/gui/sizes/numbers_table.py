"""The table of the compared sizes: the common table with headings in groups, and numbers that are old dimmed.

The first columns, which say what a row is, stay where they are while the others are scrolled sideways below them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QPen, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.sizes.numbers_model import GROUPS, NumbersModel
from bpe_studio.gui.tables.model import RowState, TableModel
from bpe_studio.gui.tables.view import MARGIN, Cell, CellDelegate, CompactTable, PlainHeader

_LEAST = ("000,000", "000,000")
_TEXT = ("000,000", "−00.0 %", "00.00", "00.00", "00.00", "00,000", "00.0 %")
_CORPUS = ("0,000,000", "−00.0 %", "00.00", "00.00", "00,000", "00,000", "00.0 %")
N_HELD = len(_LEAST)
"""How many columns stay in sight."""
SAMPLES = (*_LEAST, *_TEXT, *_CORPUS)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class GroupHeader(PlainHeader):
    """Headings in two lines: what a group of columns is of, over a line, and the columns' own names.

    Args:
        groups: (name, first column, column behind the last); a group without a name has none.
    """

    def __init__(self, groups: Sequence[tuple[str, int, int]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups = tuple(groups)
        self._names = {name: name for name, _, _ in groups}
        self.sectionResized.connect(self.viewport().update)

    def rename(self, group: str, name: str) -> None:
        """Call a group otherwise."""
        if self._names.get(group) != name:
            self._names[group] = name
            self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * self.fontMetrics().height() + 12)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        own = self.fontMetrics().height() + 8
        painter.fillRect(rect, self.palette().color(QPalette.ColorRole.Base))
        super().paintSection(painter, QRect(rect.left(), rect.bottom() + 1 - own, rect.width(), own), section)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        held = sum(self.sectionSize(k) for k in range(N_HELD)) if self.offset() else 0
        height = self.fontMetrics().height() + 4
        with QPainter(self.viewport()) as painter:
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            for group, first, last in self._groups:
                if not group:
                    continue
                left = self.sectionViewportPosition(first)
                right = self.sectionViewportPosition(last - 1) + self.sectionSize(last - 1)
                # The name stays in sight where the group is scrolled out in part.
                inner = QRect(max(left, held) + MARGIN, 0, right - max(left, held) - MARGIN, height)
                if inner.width() <= 0:
                    continue
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Mid)))
                painter.drawLine(max(left, held) + MARGIN, height, right, height)
                painter.setPen(theme.muted(self.palette()))
                name = painter.fontMetrics().elidedText(
                    self._names[group], Qt.TextElideMode.ElideRight, inner.width() - MARGIN
                )
                painter.drawText(inner, _LEFT, name)
            if held:
                painter.setFont(self.font())
                painter.fillRect(QRect(0, 0, held, self.height()), self.palette().color(QPalette.ColorRole.Base))
                left = 0
                for section in range(N_HELD):
                    self.paintSection(painter, QRect(left, 0, self.sectionSize(section), self.height()), section)
                    left += self.sectionSize(section)
                _paint_edge(painter, held, self.height(), self.palette())


class UseDelegate(CellDelegate):
    """Numbers that are still those of the step before are dimmed."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        is_old = isinstance(model, NumbersModel) and model.is_old(cell.row, cell.column)
        super().paint_content(painter, rect, cell._replace(state=RowState.AHEAD) if is_old else cell)


class SizeTable(CompactTable):
    """One row a size."""

    def __init__(self, model: NumbersModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.table")
        self.setAccessibleName("Numbers of each size")
        self.setToolTip("Double-click a row, or press Enter, to go to its step; Delete removes it")
        self.header = GroupHeader(GROUPS, self)
        self.setHorizontalHeader(self.header)
        self.setItemDelegate(UseDelegate(self))
        self.setModel(model)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(CompactTable.ScrollMode.ScrollPerPixel)
        self._longest: list[str] = []
        self._unscrolled_px = 0
        self.horizontalScrollBar().valueChanged.connect(self.header.viewport().update)
        self.fit_numbers(())

    @property
    def held_px(self) -> int:
        """The width of the columns that stay in sight."""
        return sum(self.columnWidth(column) for column in range(N_HELD))

    def columnViewportPosition(self, column: int) -> int:
        """Where a column is painted."""
        return super().columnViewportPosition(column) + self._unscrolled_px

    def indexAt(self, pos: QPoint) -> QModelIndex:
        found = super().indexAt(pos)
        if not found.isValid() or not self.header.offset() or pos.x() >= self.held_px:
            return found
        return found.siblingAtColumn(0 if pos.x() < self.columnWidth(0) else 1)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if dx:
            # What stays would be moved along with the rest.
            self.viewport().update()

    def _paint_rows(self, painter: QPainter, dirty: QRect, model: TableModel) -> None:
        super()._paint_rows(painter, dirty, model)
        offset, held = self.header.offset(), self.held_px
        if not offset:
            return
        # The same rows once more, as if nothing were scrolled, and cut off where the held columns end.
        painter.save()
        strip = QRect(0, 0, held, self.viewport().height())
        painter.setClipRegion(QRegion(strip))
        painter.fillRect(strip, self.palette().color(QPalette.ColorRole.Base))
        self._unscrolled_px = offset
        super()._paint_rows(painter, dirty, model)
        self._unscrolled_px = 0
        painter.restore()
        _paint_edge(painter, held, self.viewport().height(), self.palette())

    def fit_numbers(self, texts: Sequence[Sequence[str]]) -> None:
        """Give every column the room of its longest number; one that has more keeps it, so that nothing jumps."""
        found = [
            max((sample, *(row[k] for row in texts)), key=len) for k, sample in enumerate(self._longest or SAMPLES)
        ]
        if found != self._longest:
            self._longest = found
            hidden = [k for k in range(len(found)) if self.isColumnHidden(k)]
            self.set_samples(found)
            for k in hidden:
                self.setColumnHidden(k, True)


def _paint_edge(painter: QPainter, x: int, height: int, palette: QPalette) -> None:
    """A line where the columns that stay end."""
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid)))
    painter.drawLine(x, 0, x, height)
