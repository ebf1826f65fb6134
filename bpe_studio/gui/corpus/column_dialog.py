"""The dialog that asks for the column with the text, and shows the first rows of each column.

It is shown if the columns do not make that clear. It reads nothing; the rows come with the
question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from bpe_studio.explain.names import is_right_to_left, isolated, isolated_title
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.tables.view import PlainHeader
from bpe_studio.gui.widgets.containers import SPACING_PX, column
from bpe_studio.gui.widgets.controls import enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import (
    FORM_MARGINS,
    accept_or_cancel,
    begin_form,
    size_within,
)
from bpe_studio.gui.widgets.labels import Note, heading

if TYPE_CHECKING:
    from bpe_studio.files.text.columns import ColumnChoice

_WIDTH_EM = 50
_HEIGHT_EM = 34
_LEAST_EM = 5
_MOST_EM = 24
_CELL_CHARACTERS = 200
_BREAKS = str.maketrans({"\n": "⏎", "\r": None, "\t": "⇥"})
_AT_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TIP = "Reads the chosen column of each record as a text"


class ColumnDialog(QDialog):
    """Asks for the column with the text.

    Args:
        choice: the columns.

    Signals:
        chosen: str, the name of the column; None for the file as plain text.
    """

    chosen = Signal(object)

    def __init__(self, choice: ColumnChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        begin_form(self, "columns", "Choose the column with the text")
        name = isolated_title(choice.name)
        question = heading(f"Which column of {name} contains the text?", "columns.question", self)
        n_rows = max((len(each.cells) for each in choice.columns), default=0)
        said = (
            f"{choice.form}, {plural(len(choice.columns), 'column')}; the first"
            f" {plural(n_rows, 'row')} below."
        )
        self.about = named(Note(said, "help", self), "columns.about")
        self.table = self._table(n_rows)
        self.text = named(
            QPlainTextEdit(self),
            "columns.text",
            "Text",
            "The beginning of the text in the chosen row",
        )
        self.text.setReadOnly(True)
        self.text.setFixedHeight(6 * self.fontMetrics().lineSpacing() + 12)
        self.status = named(Note("", "help", self), "columns.status")
        buttons, self.open_column = accept_or_cancel(
            self, "open", "&Open", _TIP, cancel_tip="Opens nothing (Esc)"
        )
        self.plain = named(
            QPushButton("Open as &plain text", self),
            "columns.plain",
            "Open as plain text",
            "Reads the whole file as one text, with all columns and punctuation",
        )
        self.plain.setAutoDefault(False)
        buttons.addButton(self.plain, QDialogButtonBox.ButtonRole.ActionRole)
        self.plain.setVisible(choice.can_be_plain)  # adding a button shows it
        column(
            question,
            self.about,
            SPACING_PX,
            (self.table, 1),
            SPACING_PX,
            self.status,
            self.text,
            SPACING_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
            spacing=4,
        )
        self.table.itemSelectionChanged.connect(self._refresh)
        self.table.currentCellChanged.connect(self._refresh)
        self.table.doubleClicked.connect(self._on_open)
        self.open_column.clicked.connect(self._on_open)
        self.plain.clicked.connect(self._on_plain)
        finish_controls(self)
        self.resize(self.sizeHint())
        self.table.setCurrentCell(0, choice.best)
        self._refresh()
        self.table.setFocus()

    def sizeHint(self) -> QSize:
        return size_within(self, _WIDTH_EM, _HEIGHT_EM)

    @property
    def column(self) -> str | None:
        """The name of the chosen column; None if none is."""
        number = self.table.currentColumn()
        if not 0 <= number < len(self._choice.columns) or not self._choice.columns[number].is_text:
            return None
        return self._choice.columns[number].name

    def _table(self, n_rows: int) -> QTableWidget:
        columns = self._choice.columns
        table = named(
            QTableWidget(n_rows, len(columns), self),
            "columns.table",
            "Columns and their first rows",
        )
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setWordWrap(False)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        metrics = QFontMetrics(table.font())
        em = metrics.height()
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(em + 8)
        heads = PlainHeader(table)
        table.setHorizontalHeader(heads)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setStretchLastSection(True)
        for place, each in enumerate(columns):
            kind = "" if each.is_text else f"  ({each.kind})"
            head = QTableWidgetItem(isolated(each.name.translate(_BREAKS)) + kind)
            if not each.is_text:
                head.setToolTip(f"This column contains {each.kind}, not text")
            if is_right_to_left("".join(cell or "" for cell in each.cells)):
                head.setTextAlignment(_AT_RIGHT)
            table.setHorizontalHeaderItem(place, head)
            widest = metrics.horizontalAdvance(each.name + kind)
            for row in range(n_rows):
                cell = each.cells[row] if row < len(each.cells) else None
                item = self._item(cell, is_text=each.is_text)
                table.setItem(row, place, item)
                widest = max(widest, metrics.horizontalAdvance(item.text()))
            table.setColumnWidth(place, max(_LEAST_EM * em, min(widest + 2 * em, _MOST_EM * em)))
        return table

    def _item(self, cell: str | None, *, is_text: bool) -> QTableWidgetItem:
        shown = "" if cell is None else cell[:_CELL_CHARACTERS].translate(_BREAKS)
        item = QTableWidgetItem(shown)
        if not is_text:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        elif is_right_to_left(shown):
            item.setTextAlignment(_AT_RIGHT)
        return item

    @Slot()
    def _refresh(self) -> None:
        name = self.column
        row = max(0, self.table.currentRow())
        why_not = "" if name is not None else "choose a column that contains text"
        enable(self.open_column, _TIP, why_not)
        if name is None:
            self.status.set_message("Click a column that contains text")
            self.text.setPlainText("")
            return
        cells = self._choice.columns[self.table.currentColumn()].cells
        cell = cells[row] if row < len(cells) else None
        what = "begins:" if cell else "is empty"
        if cell is None:
            what = "has no value"
        self.status.set_message(f"{isolated_title(name)} of record {number(row + 1)} {what}")
        # By default, Qt aligns every text to the left.
        option = self.text.document().defaultTextOption()
        side = _AT_RIGHT if is_right_to_left(cell or "") else Qt.AlignmentFlag.AlignLeft
        option.setAlignment(side)
        self.text.document().setDefaultTextOption(option)
        self.text.setPlainText(cell or "")

    @Slot()
    def _on_open(self) -> None:
        name = self.column
        if name is not None:
            self.accept()
            self.chosen.emit(name)

    @Slot()
    def _on_plain(self) -> None:
        self.accept()
        self.chosen.emit(None)
