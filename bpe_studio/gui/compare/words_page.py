"""The page Words: the longest words of the corpus or of the compared text, as each size cuts them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPoint, QRect, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from bpe_studio.explain.comparison.subjects import LiveTexts, Subject
from bpe_studio.explain.comparison.words import LongWord, cut_words, longest_of_corpus, longest_of_text
from bpe_studio.gui.actions_on.targets import Target, text_target, token_target, word_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.compare.words_model import ComparedWordsModel, OtherWords
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_log = logging.getLogger(__name__)
N_WORDS, MOST_WORDS = 8, 100
CORPUS, TEXT = range(2)


class WordsPage(QWidget):
    """The choice of words, and the table.

    Signals:
        step_chosen: int, the user wants to go to the step of a row.
    """

    step_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComparedWordsModel(self)
        self._run: Run | None = None
        self._text, self._n_merges = "", 0
        self._others: tuple[Subject, ...] = ()
        self._sizes: tuple[list[int], int] = ([], 0)
        self._shown_for: tuple[object, ...] | None = None
        self._job = LatestAnswer(self._find, self)
        self._build()
        self._job.answered.connect(self._on_answered)
        self.whose.currentIndexChanged.connect(self._ask)
        self.n_words.valueChanged.connect(self._ask)
        self.table.doubleClicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)

    def _build(self) -> None:
        self.whose = named(QComboBox(self), "compare.words_of", "Whose longest words are shown")
        self.whose.addItems(["of the corpus", "of the compared text"])
        self.whose.setToolTip("The corpus is what the run was trained on; the compared text is what you typed")
        self.n_words = named(WholeNumber(self), "compare.n_words", "How many of the longest words are shown")
        self.n_words.setRange(1, MOST_WORDS)
        self.n_words.setValue(N_WORDS)
        self.n_words.setToolTip("How many of the longest words are shown")
        label = QLabel("Longest words", self)
        label.setBuddy(self.whose)
        self.table = named(
            CompactTable(self),
            "compare.words",
            "Longest words",
            "Double-click a row, or press Enter, to go to its step",
        )
        self.table.setItemDelegate(BlockDelegate(self.table))
        self.table.setModel(self.model)
        self.table.fit_columns()
        self.table.target_of = self._target_of
        row = WrappingRow(self)
        row.add(label, self.whose)
        row.add(self.n_words)
        column(row, (self.table, 1), parent=self)

    def show_text(self, run: Run | None, n_merges: int, text: str, others: Sequence[Subject] = ()) -> None:
        """Show the words of a run or a text; the old ones stay until the new ones are found.

        Args:
            run: the open run, which has the words.
            n_merges: how many merges it has.
            text: the compared text.
            others: other runs and tokenizers that cut the words too.
        """
        self._run, self._text, self._others = run, text, tuple(others)
        self._n_merges = n_merges
        self._ask()
        self._cut()

    def set_steps(self, steps: list[int], reference: int) -> None:
        """Cut the words at these steps of the run."""
        self._sizes = steps, reference
        self._cut()

    def _cut(self) -> None:
        # The words of the previous run keep their steps, as the new run may be shorter.
        if self._run is None or self.model.run is self._run:
            self.model.set_steps(*self._sizes)
            self.table.viewport().update()

    @Slot()
    def _ask(self) -> None:
        run = self._run
        if run is None:
            self._job.forget()
            self._shown_for = None
            self.model.set_words(None, ())
            self.table.set_placeholder("The longest words as each size cuts them; run first")
            return
        of_text = self.whose.currentIndex() == TEXT
        # The gap ranks of the corpus grow with the run; those of a text stay as they were computed.
        grown = (self._n_merges, self._text) if of_text else ()
        question = (run, of_text, self.n_words.value(), self._others, *grown)
        if question != self._shown_for:
            self._shown_for = question
            self._job.ask(run, self._text if of_text else None, self.n_words.value(), self._others)
            if not self.model.rowCount():
                self.table.set_placeholder("Looking for the longest words …")

    def _find(
        self, run: Run, text: str | None, n: int, others: Sequence[Subject]
    ) -> tuple[Run, list[LongWord], list[OtherWords]]:
        """Find the longest words, in the thread pool."""
        try:
            words = longest_of_corpus(run, n) if text is None else longest_of_text(run, text, n)
            lives = LiveTexts()
            return (
                run,
                words,
                [OtherWords(each.name, each.vocab_size, cut_words(each, words, lives)) for each in others],
            )
        except Exception:
            _log.exception("The longest words could not be found.")
            return run, [], []

    @Slot(object)
    def _on_answered(self, answer: Any) -> None:
        run, words, others = answer
        if run is self._run:
            self.model.set_words(run, words, others)
            self.table.fit_columns()
            self._cut()
            self.table.set_placeholder("No words")

    def _target_of(self, index: QModelIndex, place: QPoint | None) -> Target | None:
        """The token under the mouse, or else the word."""
        run, row = self.model.run, index.row()
        if run is None:
            return None
        cut, word = self.model.cut(row), self.model.word(row)
        if place is not None and index.column() == ComparedWordsModel.CUT:
            chips = self.table.chips_in(index)
            number = -1 if chips is None else chips.token_at(place.toPointF())
            if 0 <= number < len(cut.tokens):
                return token_target(run, cut.tokens[number])
        return word_target(run, word.word) or text_target(run, word.text, cut.tokens)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        step = self.model.step(index.row())
        if step is not None:
            self.step_chosen.emit(step)


class BlockDelegate(CellDelegate):
    """Paints a word only in the first row of its block, below a line."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, ComparedWordsModel)
        is_first = cell.row % model.n_sizes == 0
        if is_first and cell.row and cell.column == ComparedWordsModel.WORD:
            painter.setPen(cell.palette.color(cell.palette.ColorRole.Mid))
            painter.drawLine(0, rect.top(), 1 << 14, rect.top())
        if cell.column != ComparedWordsModel.WORD or is_first:
            super().paint_content(painter, rect, cell)
