"""The list that breakpoints and bookmarks share: its keys, its placeholder, and which row stays
selected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from bpe_studio.gui.look import theme
from bpe_studio.gui.tables.export import TableExport
from bpe_studio.gui.tables.model import Index
from bpe_studio.gui.widgets.controls import named

MARGIN_PX = 12


class MarksList(QTreeWidget):
    """A list without a header; the name, if there is one, is in the second column and can be edited
    in place.

    Args:
        placeholder: what is shown while there are no rows.
        heads: the headings of the columns in the exported table.

    Signals:
        chosen: int, the row that was clicked or on which Enter was pressed.
        removal_requested: the user pressed Delete.
    """

    chosen = Signal(object)
    removal_requested = Signal()

    def __init__(
        self, placeholder: str, heads: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._placeholder = placeholder
        self.setHeaderLabels(heads)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAllColumnsShowFocus(True)
        self.setMinimumHeight(56)
        self.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        )  # it scrolls, and not the drawer
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.EditKeyPressed | triggers.DoubleClicked)
        # The first column is a step, so only the second one can be edited; a list of one column has
        # check boxes.
        if len(heads) > 1:
            self.header().setStretchLastSection(True)
            self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.setItemDelegate(_Delegate(self))
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._on_later)
        self._act: Callable[[], None] | None = None
        self.table_export = TableExport(self)
        self.itemClicked.connect(self._on_clicked)

    @property
    def place(self) -> int:
        """The current row; -1 if there is none."""
        items = self.selectedItems()
        return self.indexOfTopLevelItem(items[0]) if items else -1

    def show_rows(self, items: Sequence[QTreeWidgetItem]) -> None:
        """Replace the rows; the selected row stays selected if it still exists."""
        place = self.place
        texts = self._texts()
        self.clear()
        self.addTopLevelItems(list(items))
        if place >= 0:
            now = self._texts()
            self.choose(
                now.index(texts[place])
                if texts[place] in now
                else place
                if len(now) == len(texts)
                else -1
            )
        self.viewport().update()

    def choose(self, place: int) -> None:
        """Make a row the current one; -1 for none."""
        if 0 <= place < self.topLevelItemCount():
            self.setCurrentItem(self.topLevelItem(place))  # type: ignore[arg-type]  # there is one

    def later(self, act: Callable[[], None]) -> None:
        """Call a function after the list has finished the current change: rows that are edited must
        not be removed.
        """
        self._act = act
        self._later.start()

    @Slot()
    def _on_later(self) -> None:
        act = self._act
        self._act = None
        if act is not None:
            act()

    @Slot(object, object)
    def _on_clicked(self, item: QTreeWidgetItem, _column: object) -> None:
        self.chosen.emit(self.indexOfTopLevelItem(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.place >= 0:
            self.chosen.emit(self.place)
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        elif key == Qt.Key.Key_F2 and self.columnCount() > 1 and self.place >= 0:
            self.editItem(self.currentItem(), 1)  # type: ignore[arg-type]  # it is selected
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.topLevelItemCount() == 0:
            with QPainter(self.viewport()) as painter:
                painter.setPen(theme.muted(self.palette()))
                room: QRect = self.viewport().rect().adjusted(MARGIN_PX, 8, -MARGIN_PX, -8)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(room, int(flags), self._placeholder)

    def _texts(self) -> list[str]:
        rows = (self.topLevelItem(k) for k in range(self.topLevelItemCount()))
        return [
            " ".join(row.text(column) for column in range(self.columnCount()))
            for row in rows
            if row is not None
        ]


class _Delegate(QStyledItemDelegate):
    """Edits names only."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        if index.column() == 0:
            return None  # type: ignore[return-value]  # Qt's way to say that nothing is edited
        return named(
            super().createEditor(parent, option, index), "marks.new_name", "Name of the bookmark"
        )
