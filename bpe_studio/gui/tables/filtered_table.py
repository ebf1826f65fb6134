"""A table with a filter above it and a count beside that: what merges and words have in common.

It filters at once while there are few rows, and when the hand rests where there are many. What the rows are, who chose
one and what is said where there are none is the owner's.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.labels import AccessibleLabel

FILTER_MS = 60
N_INSTANT = 20_000


class FilteredTable(FollowsLook, QWidget):
    """Filter, count and table; the owner names the three.

    Args:
        model: the rows; made by the owner.
        order: the column that the rows are in the order of at first, and its direction.
        none_matches: what is said where the filter leaves nothing, with "{}" for what was typed.
        none_at_all: asked for what is said where there is nothing to filter.
        all_in_words: the count while nothing is filtered; "" hides it.

    Signals:
        filtered: another filter is applied.
    """

    filtered = Signal()

    def __init__(
        self,
        model: SortedTableModel,
        *,
        order: tuple[int, Qt.SortOrder],
        none_matches: str,
        none_at_all: Callable[[], str],
        all_in_words: Callable[[int], str] = lambda n: "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._none_matches, self._none_at_all, self._all_in_words = none_matches, none_at_all, all_in_words
        self.filter = QLineEdit(self)
        self.filter.setClearButtonEnabled(True)
        self.count = AccessibleLabel(self)
        self.table = CompactTable(self)
        self.table.setModel(model)
        self.table.horizontalHeader().setSortIndicator(*order)
        self.table.setSortingEnabled(True)
        self._rest = QTimer(self, singleShot=True, interval=FILTER_MS)
        column(row((self.filter, 1), self.count), (self.table, 1), parent=self)
        self.filter.textChanged.connect(self._on_text_changed)
        self._rest.timeout.connect(self.apply_filter)
        self.follow_look()

    @Slot()
    def apply_filter(self) -> None:
        """Show only the rows that hold what is typed, now."""
        self._rest.stop()
        self._model.set_filter(self.filter.text().replace(" ", "␣"))
        self.show_count()
        self.filtered.emit()

    @Slot()
    def show_count(self) -> None:
        """Say how many rows are shown, or why there are none."""
        n_shown, n_all = self._model.rowCount(), self._model.n_rows
        number = grouping_locale().toString
        is_all = n_shown == n_all
        text = self._all_in_words(n_all) if is_all else f"{number(n_shown)} of {number(n_all)}"
        self.count.setText(text)
        self.count.setVisible(bool(text))
        if not n_all:
            self.table.set_placeholder(self._none_at_all())
        else:
            self.table.set_placeholder("" if self._model.is_busy else self._none_matches.format(self.filter.text()))

    def palette_changed(self) -> None:
        palette, role = self.count.palette(), self.count.foregroundRole()
        colour = theme.muted(self.palette())
        if palette.color(role) != colour:
            palette.setColor(role, colour)
            self.count.setPalette(palette)

    @Slot()
    def _on_text_changed(self) -> None:
        if self._model.n_rows <= N_INSTANT:
            self.apply_filter()
        else:
            self._rest.start()
