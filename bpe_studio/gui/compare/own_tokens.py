"""The tokens that only one of A and B has, the most used first, as a table with a heading.

It shows the tokens that it is given and emits what the user chooses; the panel acts on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import QLabel, QWidget

from bpe_studio.explain.comparison.difference import OwnTokens
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.tables.model import Column, Export, Index, TableModel, each_row
from bpe_studio.gui.tables.selection import TableSelection
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.explain.comparison.subjects import Subject


NONE = "–"
_TOKEN_CHARACTERS = 9


class OwnTokensModel(TableModel):
    """The tokens, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._own: OwnTokens | None = None
        self._selected = -1

    def show(self, own: OwnTokens | None) -> None:
        """Replace the tokens; None for none."""
        self.beginResetModel()
        self._own, self._selected = own, -1
        self.endResetModel()

    def token(self, row: int) -> int:
        """The internal id of the token in a row."""
        return -1 if self._own is None else int(self._own.tokens[row])

    @property
    def subject(self) -> Subject | None:
        """What has the tokens."""
        return None if self._own is None else self._own.subject

    @property
    def is_of_tokenizer(self) -> bool:
        """Whether a tokenizer has the tokens; its merges were not counted in this corpus."""
        return self._own is not None and self._own.subject.run is None

    def target(self, row: int) -> Target | None:
        """The token in a row, with its run."""
        return (
            None
            if self._own is None or self._own.subject.run is None
            else token_target(self._own.subject.run, self.token(row))
        )

    def row_of(self, token: int) -> int:
        """The row of a token; -1 if it is not in the table."""
        rows = [] if self._own is None else (self._own.tokens == token).nonzero()[0].tolist()
        return int(rows[0]) if rows else -1

    def name(self, row: int) -> str:
        """The display name of the token in a row."""
        assert self._own is not None
        return self._own.subject.shown(self.token(row))

    def set_selected(self, row: int) -> None:
        """Mark a row as selected, -1 for none; the caller repaints the view."""
        self._selected = row

    def is_selected(self, row: int) -> bool:
        return row == self._selected

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._own is None else len(self._own.tokens)

    # The columns.

    def _rank_of_row(self, row: int) -> int:
        """The rank of the merge that made a token; below 0 for a symbol of the alphabet, and in a tokenizer."""
        assert self._own is not None
        return -1 if self._own.subject.run is None else self.token(row) - self._own.subject.run.n_alphabet

    def _learned_ranks(self) -> NDArray[np.int64]:
        assert self._own is not None
        n_alphabet = 1 << 62 if self._own.subject.run is None else self._own.subject.run.n_alphabet
        return self._own.tokens[self._own.tokens >= n_alphabet] - n_alphabet

    def _widest(self, numbers: Callable[[OwnTokens], NDArray[Any]]) -> str:
        found = None if self._own is None or not len(self._own.tokens) else numbers(self._own)
        return self._locale.toString(int(found.max()) if found is not None and len(found) else 0)

    def _name(self, row: int) -> str:
        return isolated(self.name(row))

    def _exported_token(self, row: int) -> str:
        assert self._own is not None
        return self._own.subject.written(self.token(row))

    def _exported_bytes(self, row: int) -> str:
        assert self._own is not None
        return self._own.subject.content(self.token(row)).hex(" ")

    def _uses(self, row: int) -> int:
        assert self._own is not None
        return int(self._own.uses[row])

    def _uses_text(self, row: int) -> str:
        return self._locale.toString(self._uses(row))

    def _widest_uses(self) -> str:
        return self._widest(lambda own: own.uses)

    def _rank(self, row: int) -> int | None:
        rank = self._rank_of_row(row)
        return rank if rank >= 0 else None

    def _rank_text(self, row: int) -> str:
        rank = self._rank(row)
        return NONE if rank is None else self._locale.toString(rank)

    def _widest_rank(self) -> str:
        return self._widest(lambda own: self._learned_ranks())

    def _count(self, row: int) -> int | None:
        rank = self._rank_of_row(row)
        run = None if self._own is None else self._own.subject.run
        return int(run.columns.count[rank]) if run is not None and rank >= 0 else None

    def _count_text(self, row: int) -> str:
        count = self._count(row)
        return NONE if count is None else self._locale.toString(count)

    def _widest_count(self) -> str:
        return self._widest(
            lambda own: (
                self._learned_ranks()
                if own.subject.run is None
                else own.subject.run.columns.count[self._learned_ranks()]
            )
        )

    columns = (
        Column(
            "token", "A token that the other does not have", _name, is_number=False,
            exports=(
                Export("token", each_row(_exported_token)), Export("bytes of the token", each_row(_exported_bytes)),
            ),
        ),
        Column(
            "uses", "How often the token occurs in the corpus at the compared step", _uses_text,
            sample=_widest_uses, exports=(Export("uses", each_row(_uses)),),
        ),
        Column(
            "rank", "The place in the list of the merge that made it, counted from 0", _rank_text,
            sample=_widest_rank, exports=(Export("rank", each_row(_rank)),),
        ),
        Column(
            "when created", "How often its pair occurred in the corpus when it was merged", _count_text,
            sample=_widest_count, exports=(Export("count when created", each_row(_count)),),
        ),
    )  # fmt: skip
    extra_exports = (Export("token as shown", each_row(name)),)
    TOKEN, USES, MERGE, CREATED = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        token, uses, rank, count = (self.text(row, each) for each in range(len(self.columns)))
        made = f"made by merge {rank}, when its pair had the count {count}"
        if rank == NONE:
            own = self._own
            made = (
                "a symbol of the alphabet" if own is None or own.subject.run is not None else f"id {self.token(row):,}"
            )
        return f"{token}\n{made}\noccurs {uses} times in the corpus at the compared step\n{self.columns[column].tip}"


class TokenDelegate(CellDelegate):
    """Paints the token as a chip."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, OwnTokensModel)
        Chips((model.name(cell.row),)).paint(painter, rect, cell.palette)


class OwnTokensView(QWidget):
    """A heading with the number of tokens, and the table.

    Args:
        side: "a" or "b", part of the object names.

    Signals:
        selected: (Subject, int), the user selected a token.
        opened: (Subject, int), the user wants to see a token in its own run.
    """

    selected = Signal(object, object)
    opened = Signal(object, object)

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = OwnTokensModel(self)
        self._letter = side.upper()
        self.heading = QLabel(self)
        self.heading.setObjectName(f"difference.own_{side}_heading")
        self.table = named(CompactTable(self), f"difference.own_{side}", f"Tokens only in {self._letter}")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(OwnTokensModel.TOKEN, TokenDelegate(self.table))
        self._selection = TableSelection(self.table)
        self.table.target_of = self._target_of
        column(self.heading, (self.table, 1), parent=self, spacing=TIGHT_PX)
        self._selection.chosen.connect(self._on_chosen)
        self.table.doubleClicked.connect(self._on_opened)
        # Not `activated`, which is a single click on some desktops.
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), self.table)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(self._on_enter)
        self.setMinimumWidth(150)

    def show_tokens(self, own: OwnTokens | None) -> None:
        """Replace the tokens; None for none."""
        self.model.show(own)
        n = self.model.rowCount()
        self.table.fit_columns()
        self._hide_columns()
        self.heading.setText("" if own is None else f"Only in {self._letter}: {number(n)} of {number(own.n_all)}")
        self.heading.setToolTip(f"Tokens that only {self._letter} has, of all its tokens")
        self.table.set_placeholder("" if own is None or n else "None: the other has all of them")

    def show_selected(self, token: int) -> None:
        """Mark the row of a token, or none, without emitting `selected`."""
        row = self.model.row_of(token)
        self.model.set_selected(row)
        self._selection.mark(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _hide_columns(self) -> None:
        """Hide the columns for which there is no room; the most important ones stay longest."""
        bar = self.table.verticalScrollBar().sizeHint().width()
        room = self.width() - bar - _TOKEN_CHARACTERS * self.fontMetrics().averageCharWidth()
        for each in (OwnTokensModel.USES, OwnTokensModel.CREATED, OwnTokensModel.MERGE):
            self.table.setColumnHidden(each, False)
            room -= self.table.columnWidth(each)
            is_of_merges = each in (OwnTokensModel.CREATED, OwnTokensModel.MERGE)
            self.table.setColumnHidden(each, room < 0 or (is_of_merges and self.model.is_of_tokenizer))

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        return self.model.target(index.row())

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self.selected.emit(self.model.subject, self.model.token(index.row()))

    @Slot()
    def _on_enter(self) -> None:
        if self.table.currentIndex().isValid():
            self._on_opened(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_opened(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.subject, self.model.token(index.row()))
