"""The tokens that only one of A and B has, the most used first, as a table with a heading.

It shows the tokens that it is given and emits the user's choice; the panel acts on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QWidget

from bpe_studio.explain.comparison.difference import OwnTokens
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.tables.model import NO_VALUE, Column, Export, Index, TableModel, each_row
from bpe_studio.gui.tables.selection import TableSelection
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.subjects import Subject


class OwnTokensModel(TableModel):
    """The tokens, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._own: OwnTokens | None = None

    def show(self, own: OwnTokens | None) -> None:
        """Replace the tokens; None for none."""
        self.beginResetModel()
        self._own = own
        self.selected = -1
        self.endResetModel()

    def token(self, row: int) -> int:
        """The internal id of the token in a row."""
        return -1 if self._own is None else int(self._own.tokens[row])

    @property
    def has_counts(self) -> bool:
        return self._own is None or self._own.uses is not None

    @property
    def subject(self) -> Subject | None:
        """The subject that has the tokens."""
        return None if self._own is None else self._own.subject

    def target(self, row: int) -> Target | None:
        """The token in a row, with its run."""
        if self._own is None or self._own.subject.run is None:
            return None
        return token_target(self._own.subject.run, self.token(row))

    def row_of(self, token: int) -> int:
        """The row of a token; -1 if it is not in the table."""
        rows = [] if self._own is None else (self._own.tokens == token).nonzero()[0].tolist()
        return int(rows[0]) if rows else -1

    def name(self, row: int) -> str:
        """The display name of the token in a row."""
        assert self._own is not None
        return self._own.subject.shown(self.token(row))

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() or self._own is None else len(self._own.tokens)

    # The columns.

    def _exported_token(self, row: int) -> str:
        assert self._own is not None
        return self._own.subject.written(self.token(row))

    def _exported_bytes(self, row: int) -> str:
        assert self._own is not None
        return self._own.subject.content(self.token(row)).hex(" ")

    def _uses(self, row: int) -> int | None:
        """The number of times that a token occurs in the corpus; None if not counted."""
        uses = None if self._own is None else self._own.uses
        return None if uses is None else int(uses[row])

    def _merge_number(self, row: int) -> int | None:
        rank = self._rank(row)
        return None if rank is None else rank + 1

    def _rank(self, row: int) -> int | None:
        """The rank of the merge that made a token; None for the alphabet, or in a tokenizer."""
        run = None if self._own is None else self._own.subject.run
        rank = -1 if run is None else run.rank_of(self.token(row))
        return rank if rank >= 0 else None

    def _count(self, row: int) -> int | None:
        run = None if self._own is None else self._own.subject.run
        rank = self._rank(row)
        if run is None or rank is None or not has_pairs(run):
            return None
        return int(run.columns.count[rank])

    columns = (
        Column(
            "token",
            "A token that the other does not have",
            is_number=False,
            chips=lambda model, row: Chips((model.name(row),)),
            exports=(
                Export("token", each_row(_exported_token)),
                Export("bytes of the token", each_row(_exported_bytes)),
            ),
        ),
        Column(
            "uses",
            "The number of times that the token occurs in the corpus",
            lambda model, row: _text(model._uses(row)),
            sample="000,000",
            is_counted=True,
            exports=(Export("uses", each_row(_uses)),),
        ),
        Column(
            "merge",
            "The merge that made it",
            lambda model, row: _text(model._merge_number(row)),
            sample="000,000",
            least_em=14,
            exports=(Export("rank", each_row(_rank)),),
        ),
        Column(
            "when created",
            "The count of its pair when it was merged",
            lambda model, row: _text(model._count(row)),
            sample="when created",
            least_em=17,
            is_counted=True,
            exports=(Export("count when created", each_row(_count)),),
        ),
    )
    extra_exports = (Export("token as shown", each_row(name)),)
    TOKEN, USES, MERGE, CREATED = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        token, uses, rank, count = (self.text(row, each) for each in range(len(self.columns)))
        made = f"made by merge {rank}"
        if count != NO_VALUE:
            made += f", when its pair occurred {count} times"
        if rank == NO_VALUE:
            is_of_run = self._own is None or self._own.subject.run is not None
            made = "a symbol of the alphabet" if is_of_run else f"id {self.token(row):,}"
        occurs = f"occurs {uses} times in the corpus" if uses != NO_VALUE else ""
        return "\n".join(filter(None, (token, made, occurs, self.columns[column].tip)))


def _text(value: int | None) -> str:
    return NO_VALUE if value is None else number(value)


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
        self.table = named(
            CompactTable(self), f"difference.own_{side}", f"Tokens only in {self._letter}"
        )
        self.table.setModel(self.model)
        self._selection = TableSelection(self.table)
        self.table.target_of = self._target_of
        column(self.heading, (self.table, 1), parent=self, spacing=TIGHT_PX)
        self._selection.chosen.connect(self._on_chosen)
        self.table.doubleClicked.connect(self._on_opened)
        # Not by `activated`, which a single click emits on some desktops.
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), self.table)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(self._on_enter)
        self.setMinimumWidth(150)

    def show_tokens(self, own: OwnTokens | None) -> None:
        """Replace the tokens; None for none."""
        self.model.show(own)
        n = self.model.rowCount()
        self.table.fit_columns()
        heading = ""
        if own is not None:
            heading = f"Only in {self._letter}: {number(n)} of {number(own.n_all)}"
        self.heading.setText(heading)
        self.heading.setToolTip(f"Tokens that only {self._letter} has, of all its tokens")
        placeholder = "" if own is None or n else "None: the other has all of them"
        self.table.set_placeholder(placeholder)

    def show_selected(self, token: int) -> None:
        """Mark the row of a token, or none, without emitting `selected`."""
        row = self.model.row_of(token)
        self.model.selected = row
        self._selection.mark(row)

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
