"""The table of the compared sizes: the common table with headings in groups, and numbers that are old dimmed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

from bpe_studio.gui import theme
from bpe_studio.gui.cell_model import RowState
from bpe_studio.gui.compare_model import GROUPS, CompareModel
from bpe_studio.gui.table_view import MARGIN, Cell, CellDelegate, CompactTable, PlainHeader

_LEAST = ("000,000", "000,000")
_TEXT = ("000,000", "−00.0 %", "00.00", "00.00", "00.00", "00,000", "00.0 %")
_CORPUS = ("0,000,000", "−00.0 %", "00.00", "00.00", "00,000", "00,000", "00.0 %")
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
                inner = QRect(max(left, 0) + MARGIN, 0, right - max(left, 0) - MARGIN, height)
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
    """Numbers that are still those of the step before are dimmed."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        is_old = isinstance(model, CompareModel) and model.is_old(cell.row, cell.column)
        super().paint_content(painter, rect, cell._replace(state=RowState.AHEAD) if is_old else cell)


class SizeTable(CompactTable):
    """One row a size."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.table")
        self.setAccessibleName("The compared vocabulary sizes, one a row")
        self.setToolTip("Double-click a row, or press Enter, to go to its step; Delete takes it out")
        self.header = GroupHeader(GROUPS, self)
        self.setHorizontalHeader(self.header)
        self.setItemDelegate(UseDelegate(self))
        self.setModel(model)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(CompactTable.ScrollMode.ScrollPerPixel)
        self._longest: list[str] = []
        self.fit_numbers(())

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
