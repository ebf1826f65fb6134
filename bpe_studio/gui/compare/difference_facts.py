"""How A and B differ, at a glance: where they diverge, what they share, and a table of facts and
settings.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.comparison.difference import VOCABULARY, Difference, cost_words, facts
from bpe_studio.explain.settings import SettingDifference
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.gui.tables.model import Column, RowsModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note


class FactsModel(RowsModel[SettingDifference]):
    """What A and B are, and the settings that differ, a row each."""

    def is_link(self, row: int, column: int) -> bool:
        return self.rows[row].option == VOCABULARY and super().is_link(row, column)

    def tip(self, row: int, column: int) -> str:
        _, name, a, b = self.rows[row]
        shown = "\nA click shows that run and its tokens" if self.is_link(row, column) else ""
        return f"{name}\nA: {a}\nB: {b}{shown}"

    columns = (
        Column(
            "",
            "What is compared: facts, then the settings in which two runs differ, and their"
            " overrides",
            lambda model, row: model.rows[row].name,
            is_number=False,
            sample="Minimum frequency",
        ),
        Column(
            "A",
            "Its value in A",
            lambda model, row: model.rows[row].a,
            is_number=False,
            is_link=True,
        ),
        Column(
            "B",
            "Its value in B",
            lambda model, row: model.rows[row].b,
            is_number=False,
            is_link=True,
        ),
    )
    NAME, A, B = range(len(columns))


class DifferenceFacts(QWidget):
    """The first difference, what it costs, and the table.

    Signals:
        divergence_chosen: int, the rank of the first merge that differs.
        vocabulary_requested: int, the side, 0 or 1, whose tokens the user wants to see.
    """

    divergence_chosen = Signal(object)
    vocabulary_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rank = -1
        self.first = named(
            QPushButton(self),
            "difference.first",
            "The first merge that differs",
            "Goes to the step after the first merge that differs, and selects it",
        )
        self.first.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.same = named(Note("", "plain", self), "difference.same", "")
        self.cost = named(
            Note("", "plain", self), "difference.cost", "", "Tokens of the corpus; relative to B"
        )
        self.model = FactsModel(self)
        self.table = named(
            CompactTable(self), "difference.facts", "What A and B are, and the settings that differ"
        )
        self.table.setModel(self.model)
        self.table.fit_columns()
        column(self.first, self.same, self.cost, (self.table, 1), parent=self, spacing=6)
        self.setMinimumWidth(150)
        self.first.clicked.connect(self._on_first)
        self.table.link_chosen.connect(self._on_link_chosen)

    def show_difference(self, difference: Difference | None) -> None:
        """Show a difference; None for none."""
        rank = None if difference is None else difference.rank
        found = None if difference is None else difference.found
        self._rank = -1 if rank is None else rank
        self.first.setVisible(rank is not None)
        self.first.setText(f"Go to {merge_name(self._rank)}, the first difference")
        self.same.setVisible(found is not None and rank is None)
        if found is not None:
            self.same.set_message(
                f"No merge differs up to step {number(min(found.step_a, found.step_b))}"
            )
        cost = "" if difference is None else cost_words(difference)
        self.cost.set_message(cost)
        self.cost.setVisible(bool(cost))
        self.model.show_rows(
            () if difference is None else (*facts(difference), *difference.settings)
        )

    @Slot()
    def _on_first(self) -> None:
        if self._rank >= 0:
            self.divergence_chosen.emit(self._rank)

    @Slot(QModelIndex)
    def _on_link_chosen(self, index: QModelIndex) -> None:
        self.vocabulary_requested.emit(int(index.column() == FactsModel.B))
