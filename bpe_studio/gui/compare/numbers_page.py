"""The page Numbers: the table of compared sizes, below the controls for reference, differences and rare tokens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from bpe_studio.engine.analysis.rare_tokens import MOST_RARE_BELOW, RARE_BELOW
from bpe_studio.explain.comparison.measures import Row
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number
from bpe_studio.gui.compare.table import SizeTable
from bpe_studio.gui.compare.table_model import AGAINST, CORPUS, TEXT, MeasuresModel, columns_of
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

BOTH, TEXT_ONLY, CORPUS_ONLY = range(3)


class NumbersPage(QWidget):
    """The controls and the table.

    Signals:
        changed: the reference row or the limit for rare tokens changed.
    """

    changed = Signal()

    def __init__(self, model: MeasuresModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._keys: list[str] = []
        self._n_sizes = 0
        self._build()
        self.against.activated.connect(self.changed)
        self.rare_below.valueChanged.connect(self.changed)
        self.differences.toggled.connect(model.set_differences)
        self.shown.currentIndexChanged.connect(self._on_shown_chosen)

    def _build(self) -> None:
        self.against = named(
            QComboBox(self),
            "compare.reference",
            "The size that the others are compared with",
            "Changes and differences are relative to this size, in the text and the words too",
        )
        self.against.setMinimumContentsLength(6)
        self.against.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.differences = named(
            QCheckBox("Differences", self),
            "compare.differences",
            "Show differences from the reference",
            "Shows every number as its difference from the reference, in percent",
        )
        self.shown = named(QComboBox(self), "compare.shown", "Which numbers are shown")
        self.shown.addItems(["Text and corpus", "Text", "Corpus"])
        self.shown.setToolTip("Hides the columns of the text or of the corpus, where there is little room")
        self.rare_below = named(
            WholeNumber(self),
            "compare.rare",
            "Tokens that occur fewer times than this in the corpus are rare",
            "A token that occurs fewer times than this in the corpus counts as rare: a model sees it too rarely to "
            "learn it well",
        )
        self.rare_below.setRange(1, MOST_RARE_BELOW)
        self.rare_below.setValue(RARE_BELOW)
        self.rare_below.setGroupSeparatorShown(True)
        self.rare_below.setKeyboardTracking(False)
        self.table = SizeTable(self.model, self)
        row = WrappingRow(self)
        row.add(*self._named("Against", self.against))
        row.add(self.differences)
        row.add(self.shown)
        row.add_spring()
        row.add(*self._named("Rare below", self.rare_below))
        column(row, (self.table, 1), parent=self)

    def _named(self, text: str, control: QWidget) -> tuple[QLabel, QWidget]:
        label = QLabel(text, self)
        label.setBuddy(control)
        return label, control

    @property
    def reference(self) -> int:
        """The row that the others are compared with, from 0."""
        return max(0, self.against.currentIndex())

    @property
    def rare(self) -> int:
        """A token that occurs fewer times than this is rare."""
        return self.rare_below.value()

    def offer(self, rows: Sequence[Row]) -> None:
        """Offer rows as the reference; the current reference stays selected, even if its row moved."""
        names = [
            elided(row.subject.name, 40) or f"{number(row.vocab_size)}{' (current)' if row.is_current else ''}"
            for row in rows
        ]
        n_sizes = sum(row.is_size for row in rows)
        keys = [str(row.vocab_size) if row.is_size else row.subject.key for row in rows]
        chosen = self._follow(keys, n_sizes)
        blocked = self.against.blockSignals(True)
        while self.against.count() > len(names):
            self.against.removeItem(self.against.count() - 1)
        for k, name in enumerate(names):
            if k >= self.against.count():
                self.against.addItem(name)
            elif self.against.itemText(k) != name:
                self.against.setItemText(k, name)
        self.against.setCurrentIndex(chosen if names else -1)
        self.against.blockSignals(blocked)
        self.against.setEnabled(bool(names))

    def _follow(self, keys: list[str], n_sizes: int) -> int:
        """The new row of the reference: the same row if their number is the same, otherwise the same size.

        Args:
            keys: the sizes, of which the last is that of the window's step, then the keys of runs and tokenizers.
            n_sizes: how many sizes there are.
        """
        before, n_before, chosen, last = self._keys, self._n_sizes, self.reference, max(0, n_sizes - 1)
        self._keys, self._n_sizes = keys, n_sizes
        if n_before <= chosen < len(before):
            return keys.index(before[chosen]) if before[chosen] in keys[n_sizes:] else 0
        if n_sizes == n_before or chosen >= n_before:
            return min(chosen, last)
        if n_before == 1:
            return 0  # there was only one, so the user did not choose it
        if chosen == n_before - 1:
            return last  # the window's step
        kept = before[chosen]
        return keys.index(kept) if kept in keys[:last] else min(chosen, last)

    def show_rows(self, rows: Sequence[Row], *, is_typed: bool) -> None:
        """Fit the columns to the numbers, and name the groups.

        Args:
            rows: the measures, as the model has them.
            is_typed: whether the compared text is typed text, or else the beginning of the corpus.
        """
        columns = range(self.model.columnCount())
        self.table.fit_numbers([[self.model.text(row, column) for column in columns] for row in range(len(rows))])
        self.table.header.rename(TEXT, "Your text" if is_typed else "Beginning of the corpus")
        self.table.header.rename(CORPUS, "Whole corpus")
        self.table.header.rename(AGAINST, f"Against {self.against.currentText()}" if rows else "")

    @Slot(int)
    def _on_shown_chosen(self, which: int) -> None:
        for group, other in ((TEXT, CORPUS_ONLY), (CORPUS, TEXT_ONLY)):
            for place in columns_of(group):
                self.table.setColumnHidden(place, which == other)
