"""How A and B differ, at a glance: where they diverge, how many tokens each needs, and how many they share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.comparison.difference import Difference, cost_words, differs_words, shares_words
from bpe_studio.explain.comparison.subjects import ComparedTokenizer, RunAt, Subject
from bpe_studio.explain.names import short_name
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.widgets.containers import STRETCH, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note
from bpe_studio.gui.widgets.number_link import NumberLink

if TYPE_CHECKING:
    from bpe_studio.engine.training.merge_log import Merge

_ROWS = (
    ("merge", "What each run merges there"),
    ("its count", "How often that pair occurs in the whole corpus when it is merged"),
    ("vocabulary", "Alphabet, merges and special tokens at the compared step"),
    ("corpus tokens", "Tokens of the whole corpus at the compared step"),
    ("bytes per token", "Bytes of the corpus as UTF-8 for each of its tokens at the compared step"),
)


class DifferenceFacts(QWidget):
    """The first difference, a small table of A and B, and two sentences.

    Signals:
        divergence_chosen: int, the rank of the first merge that differs.
        vocabulary_requested: int, the side, 0 or 1, whose tokens the user wants to see.
    """

    divergence_chosen = Signal(object)
    vocabulary_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rank = -1
        self._build()
        self.first.clicked.connect(self._on_first)

    def _build(self) -> None:
        self.first = named(
            QPushButton(self),
            "difference.first",
            "The first merge that differs",
            "Goes to the step after the first merge that differs, and selects it",
        )
        self.first.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.differs = named(ElidedLabel(self), "difference.differs", "What differs in their settings")
        self.same = Note("", "plain", self)
        self.same.setObjectName("difference.same")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(3, 1)
        self.cells: dict[tuple[str, str], QLabel | NumberLink] = {}
        for k, letter in enumerate("AB", 1):
            self._grid.addWidget(self._quiet(letter), 0, k, Qt.AlignmentFlag.AlignRight)
        for row, (name, tip) in enumerate(_ROWS, 1):
            label = self._quiet(name)
            label.setToolTip(tip)
            self._grid.addWidget(label, row, 0)
            if row == 1:
                self._merge = label
            for k, letter in enumerate("AB", 1):
                cell: QLabel | NumberLink
                cell = NumberLink(self) if name == "vocabulary" else QLabel(self) if row > 1 else PairLabel(self)
                named(cell, f"difference.{name.replace(' ', '_')}_{letter.lower()}", f"{letter}, {name}", tip)
                if isinstance(cell, NumberLink):
                    cell.setToolTip(f"{tip}; a click shows that run and its tokens")
                    cell.clicked.connect(partial(self.vocabulary_requested.emit, k - 1))
                else:
                    cell.setTextFormat(Qt.TextFormat.PlainText)
                    cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if isinstance(cell, PairLabel):
                    cell.explain(tip)
                else:
                    cell.setFont(theme.numeric_font())
                self._grid.addWidget(cell, row, k)
                self.cells[name, letter] = cell
        self.cost = named(
            Note("", "plain", self),
            "difference.cost",
            "",
            "Tokens of the whole corpus at the compared step; the share is relative to B",
        )
        self.shares = named(
            Note("", "plain", self),
            "difference.shares",
            "",
            "Tokens that each vocabulary has, of all its tokens at the compared step",
        )
        column(self.differs, self.first, self.same, self._grid, self.cost, self.shares, STRETCH, parent=self, spacing=6)

    def _quiet(self, text: str) -> Note:
        note = Note(text, "help", self)
        note.setWordWrap(False)
        note.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        return note

    def show_difference(self, difference: Difference | None) -> None:
        """Show a difference; None for none."""
        for cell in self.cells.values():
            cell.setText("")
        self._rank = -1
        found = None if difference is None else difference.found
        is_one_run = difference is not None and difference.sides[0].run is difference.sides[1].run
        if found is not None and found.rank is not None and not is_one_run:
            self._rank = found.rank
        settings = difference.settings if difference is not None else None
        self.differs.setText(differs_words(settings or ()))
        self.differs.setVisible(bool(settings))
        self.first.setVisible(self._rank >= 0)
        self.first.setText(f"They diverge at merge {number(self._rank)}")
        self.same.setVisible(found is not None and self._rank < 0)
        self.same.set_message(
            "" if found is None else f"No merge differs up to step {number(min(found.step_a, found.step_b))}"
        )
        self._merge.set_message("merge" if self._rank < 0 else f"merge {number(self._rank)}")
        self.cost.set_message("" if difference is None else cost_words(difference))
        self.shares.set_message("" if difference is None else shares_words(difference))
        if difference is None:
            return
        merges = (None, None) if found is None or is_one_run else (found.merge_a, found.merge_b)
        for letter, side, merge in zip("AB", difference.sides, merges, strict=True):
            n_tokens = _corpus_tokens(side)
            size = next((each.run.corpus.size_bytes for each in difference.sides if each.run is not None), 0)
            per_token = grouping_locale().toString(size / n_tokens, "f", 3) if size and n_tokens else "–"
            self.cells["vocabulary", letter].setText(number(side.vocab_size))
            self.cells["merge", letter].setText(_pair_text(side, merge))
            self.cells["its count", letter].setText("–" if merge is None else number(merge.count))
            self.cells["corpus tokens", letter].setText("–" if n_tokens is None else number(n_tokens))
            self.cells["bytes per token", letter].setText(per_token)

    @Slot()
    def _on_first(self) -> None:
        if self._rank >= 0:
            self.divergence_chosen.emit(self._rank)


class PairLabel(ElidedLabel):
    """A label of a pair that is elided if there is no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def setText(self, text: str, *shorter: str) -> None:
        super().setText(text, *shorter)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 4, super().sizeHint().height())


def _corpus_tokens(side: Subject) -> int | None:
    if isinstance(side, RunAt):
        return side.run.n_tokens_at(side.step)
    counts = side.corpus_counts if isinstance(side, ComparedTokenizer) else None
    return None if counts is None else int(counts.sum())


def _pair_text(side: Subject, merge: Merge | None) -> str:
    """The text of a pair: "␣t + h"."""
    if merge is None or side.run is None:
        return "–"
    columns, rank = side.run.columns, merge.rank
    return " + ".join(short_name(side.run, int(column[rank]), 16) for column in (columns.left, columns.right))
