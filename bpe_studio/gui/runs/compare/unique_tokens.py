"""The tokens that one of two branches alone has, the most used first, as a table with a heading.

It shows what it is given and says what was chosen; which branch is shown, and what is picked, is the panel's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import QLabel, QWidget

from bpe_studio.explain.names import display_name, isolated
from bpe_studio.explain.runs.comparison import OwnTokens
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import Column, Index, TableModel
from bpe_studio.gui.tables.selection import TableSelection
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import paint_token_chips
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

_TOKEN_CHARACTERS = 9


class OwnTokensModel(TableModel):
    """One row a token."""

    columns = (
        Column("token", "A token that the other run does not have", False),
        Column("uses", "How often the token occurs in the corpus at the compared step"),
        Column("rank", "The place in the list of the merge that made it, counted from 0"),
        Column("when created", "How often its pair occurred in the corpus when it was merged"),
    )
    TOKEN, USES, MERGE, CREATED = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._own: OwnTokens | None = None
        self._selected = -1
        self._locale = grouping_locale()

    def show(self, own: OwnTokens | None) -> None:
        """Show other tokens, or none."""
        self.beginResetModel()
        self._own, self._selected = own, -1
        self.endResetModel()

    def token(self, row: int) -> int:
        """The internal id of the token in a row."""
        return -1 if self._own is None else int(self._own.tokens[row])

    def row_of(self, token: int) -> int:
        """The row of a token; -1 where it is not among them."""
        rows = [] if self._own is None else (self._own.tokens == token).nonzero()[0].tolist()
        return int(rows[0]) if rows else -1

    def name(self, row: int) -> str:
        """The token as a person reads it."""
        assert self._own is not None
        return display_name(self._own.run, self.token(row))

    def longest_numbers(self) -> list[str]:
        """The longest text of each column of numbers."""
        own = self._own
        if own is None or not len(own.tokens):
            return ["0", "0", "0"]
        ranks = own.tokens[own.tokens >= own.run.n_alphabet] - own.run.n_alphabet
        created = int(own.run.columns.count[ranks].max()) if len(ranks) else 0
        last = int(ranks.max()) if len(ranks) else 0
        return [self._locale.toString(number) for number in (int(own.uses.max()), last, created)]

    def set_selected(self, row: int) -> None:
        """Mark a row as what is picked, -1 for none; the view repaints itself."""
        self._selected = row

    def is_selected(self, row: int) -> bool:
        return row == self._selected

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._own is None else len(self._own.tokens)

    def text(self, row: int, column: int) -> str:
        assert self._own is not None
        run: Run = self._own.run
        rank = self.token(row) - run.n_alphabet
        if column == self.TOKEN:
            return isolated(self.name(row))
        if column == self.USES:
            return self._locale.toString(int(self._own.uses[row]))
        if rank < 0:
            return "–"
        return self._locale.toString(rank if column == self.MERGE else int(run.columns.count[rank]))

    def plain_heads(self) -> list[str]:
        return ["token", "bytes of the token", "uses", "rank", "count when created", "token as shown"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        assert self._own is not None
        own, token = self._own.run, self.token(row)
        rank = token - own.n_alphabet
        told: list[Value] = [own.token_name(token), own.token_content(token).hex(" "), int(self._own.uses[row])]
        birth = (None, None) if rank < 0 else (rank, int(own.columns.count[rank]))
        return [*told, *birth, self.name(row)]

    def tip(self, row: int, column: int) -> str:
        token, uses, merge, birth = (self.text(row, each) for each in range(len(self.columns)))
        made = (
            f"made by merge {merge}, when its pair occurred {birth} times"
            if merge != "–"
            else "a symbol of the alphabet"
        )
        return f"{token}\n{made}\noccurs {uses} times in the corpus at the compared step\n{self.columns[column].tip}"


class TokenDelegate(CellDelegate):
    """The token as a chip."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, OwnTokensModel)
        paint_token_chips(painter, rect, (model.name(cell.row),), cell.palette)


class OwnTokensView(QWidget):
    """A heading that counts, and the table.

    Args:
        side: "left" or "right", part of the object names.

    Signals:
        selected: int, the person chose a token.
        opened: int, the person wants to see a token in its own branch.
    """

    selected = Signal(object)
    opened = Signal(object)

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = OwnTokensModel(self)
        self._letter = "A" if side == "left" else "B"
        self.heading = QLabel(self)
        self.heading.setObjectName(f"branches.own_{side}_heading")
        self.table = named(CompactTable(self), f"branches.own_{side}", f"Tokens only in {self._letter}")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(OwnTokensModel.TOKEN, TokenDelegate(self.table))
        self._chosen = TableSelection(self.table)
        column(self.heading, (self.table, 1), parent=self, spacing=TIGHT_PX)
        self._chosen.chosen.connect(self._on_chosen)
        self.table.doubleClicked.connect(self._on_opened)
        # Not `activated`, which is a single click on some desktops.
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), self.table)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(self._on_enter)
        self.setMinimumWidth(150)

    def show_tokens(self, own: OwnTokens | None, n_all: int) -> None:
        """Show other tokens.

        Args:
            own: the tokens; None for none.
            n_all: how many tokens the branch has in all.
        """
        self.model.show(own)
        n, number = self.model.rowCount(), grouping_locale().toString
        self.table.set_samples([None, *self.model.longest_numbers()])
        self._leave_out()
        self.heading.setText("" if own is None else f"Only in {self._letter}: {number(n)} of {number(n_all)}")
        self.heading.setToolTip(f"Tokens that only {self._letter} has, of all its tokens at the compared step")
        self.table.set_placeholder("" if own is None or n else "None: the other has all of them")

    def show_selected(self, token: int) -> None:
        """Mark the row of a token, or none; that is not choosing it."""
        row = self.model.row_of(token)
        self.model.set_selected(row)
        self._chosen.mark(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out()

    def _leave_out(self) -> None:
        """Show the columns that leave the token its room, the most telling first."""
        bar = self.table.verticalScrollBar().sizeHint().width()
        room = self.width() - bar - _TOKEN_CHARACTERS * self.fontMetrics().averageCharWidth()
        for each in (OwnTokensModel.USES, OwnTokensModel.CREATED, OwnTokensModel.MERGE):
            self.table.setColumnHidden(each, False)
            room -= self.table.columnWidth(each)
            self.table.setColumnHidden(each, room < 0)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self.selected.emit(self.model.token(index.row()))

    @Slot()
    def _on_enter(self) -> None:
        if self.table.currentIndex().isValid():
            self._on_opened(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_opened(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.token(index.row()))
