"""The page Numbers: the verdict on A and B, and the table of all that is compared."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from bpe_studio.engine.analysis.rare_tokens import MOST_RARE_BELOW, RARE_BELOW
from bpe_studio.explain.comparison.measures import Row
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number
from bpe_studio.gui.compare.table import SizeTable
from bpe_studio.gui.compare.table_model import AGAINST, CORPUS, GOLD, TEXT, MeasuresModel
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

BOTH, TEXT_ONLY, CORPUS_ONLY = range(3)


class NumbersPage(QWidget):
    """The controls and the table.

    Signals:
        changed: the limit for rare tokens changed.
    """

    changed = Signal()

    def __init__(self, model: MeasuresModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._has_gold = False
        self._build()
        self.rare_below.valueChanged.connect(self.changed)
        self.differences.toggled.connect(model.set_differences)
        self.shown.currentIndexChanged.connect(self._show_columns)
        self.details.toggled.connect(self._show_columns)
        self._show_columns()

    def _build(self) -> None:
        self.verdict = statement("compare.verdict", "Which of A and B needs fewer tokens")
        self.by_kind = named(
            Note(role="plain"), "compare.verdict_by_kind", "On which words A is better or worse"
        )
        self.by_kind.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = named(
            QCheckBox("All numbers", self),
            "compare.details",
            "Show all numbers",
            "Shows unused and rare tokens, coverage, fertility and the tokens in common with B",
        )
        self.differences = named(
            QCheckBox("Differences", self),
            "compare.differences",
            "Show differences from B",
            "Shows every number as its difference from B, in percent",
        )
        self.shown = named(QComboBox(self), "compare.shown", "Which numbers are shown")
        self.shown.addItems(["Text and corpus", "Text", "Corpus"])
        self.shown.setToolTip("Hides the columns of the text or of the corpus to save space")
        self.rare_below = named(
            WholeNumber(self),
            "compare.rare",
            "Tokens that occur fewer times than this in the corpus are rare",
            "A token that occurs fewer times than this in the corpus is rare: a model sees it too"
            " rarely to learn it well",
        )
        self.rare_below.setRange(1, MOST_RARE_BELOW)
        self.rare_below.setValue(RARE_BELOW)
        self.rare_below.setGroupSeparatorShown(True)
        self.rare_below.setKeyboardTracking(False)
        self.table = SizeTable(self.model, self)
        row = WrappingRow(self)
        row.add(self.details)
        row.add(self.differences)
        row.add(self.shown)
        row.add_spring()
        self._rare_label = QLabel("Rare below", self)
        self._rare_label.setBuddy(self.rare_below)
        row.add(self._rare_label, self.rare_below)
        column(self.verdict, self.by_kind, row, (self.table, 1), parent=self)

    @property
    def rare(self) -> int:
        """The limit below which a token is rare, in occurrences."""
        return self.rare_below.value()

    def show_gold(self, has_gold: bool) -> None:
        """Show the columns of gold words, or not."""
        if has_gold != self._has_gold:
            self._has_gold = has_gold
            self._show_columns()

    def show_verdict(self, headline: str, by_kind: str) -> None:
        """Show the verdict on A and B, and the words that decide it; "" for none."""
        self.verdict.setText(headline)
        self.verdict.setVisible(bool(headline))
        self.by_kind.set_message(by_kind)
        # It is shown even if it is empty, so that nothing jumps while it is counted.
        self.by_kind.setVisible(bool(headline))

    def show_rows(self, rows: Sequence[Row], reference: int, *, is_typed: bool) -> None:
        """Fit the columns to the numbers, and name the groups.

        Args:
            rows: the measures, as the model has them.
            reference: the row that the others are compared with.
            is_typed: whether the compared text is the typed text; otherwise it is the beginning of
                the corpus.
        """
        columns = range(self.model.columnCount())
        texts = []
        for place in range(len(rows)):
            cells = [self.model.text(place, column) for column in columns]
            texts.append(cells)
        self.table.fit_numbers(texts)
        compared = "Your text" if is_typed else "Beginning of the corpus"
        self.table.header.rename(TEXT, compared)
        self.table.header.rename(CORPUS, "Whole corpus")
        self.table.header.rename(GOLD, "Gold words")
        names = [row.subject.name or number(row.vocab_size) for row in rows]
        against = f"Against B, {elided(names[reference], 40)}" if rows else ""
        self.table.header.rename(AGAINST, against)

    @Slot()
    def _show_columns(self) -> None:
        """Show the main columns, or all columns and controls of the chosen groups."""
        are_all = self.details.isChecked()
        for control in (self.differences, self.shown, self._rare_label, self.rare_below):
            control.setVisible(are_all)
        left_out = {TEXT_ONLY: CORPUS, CORPUS_ONLY: TEXT}.get(self.shown.currentIndex())
        for place, measure in enumerate(self.model.columns):
            is_shown = not measure.group or measure.is_main
            if are_all:
                is_shown = measure.group != left_out
            if measure.group == GOLD:
                is_shown = self._has_gold
            self.table.setColumnHidden(place, not is_shown)
        self.table.fit_numbers(())
