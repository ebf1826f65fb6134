"""The table of words: each word with its count and how it is cut at the step, with a filter.

Only the rows on the screen are cut, and while the timeline is dragged not in each frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT
from bpe_studio.gui.actions_on.targets import Target, border_target, token_target, word_target
from bpe_studio.gui.background.panel import Panel, StepNote, every, resting
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.corpus.words_model import WordsModel
from bpe_studio.gui.tables.filtered_table import N_INSTANT, FilteredTable, ObjectNames
from bpe_studio.gui.tables.view import MARGIN
from bpe_studio.gui.tokens.chips import ChipRow
from bpe_studio.gui.tokens.merged_pairs import MergedPair, joined
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, row
from bpe_studio.workspace.selection import word_border

if TYPE_CHECKING:
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

FRAME_MS = 16
REST_MS = 45


class WordsView(Panel):
    """The filter and the table."""

    at_rest = resting(REST_MS)
    while_training = every(FRAME_MS)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._step = 0
        self.model = WordsModel(self)
        self._corpus_slot = RefreshSlot(workspace, self)
        self._build()
        self._connect()
        self._on_corpus_changed()

    def _build(self) -> None:
        self.filtered = FilteredTable(
            self.model,
            self._workspace,
            names=ObjectNames("corpus.filter", "corpus.shown", "corpus.words"),
            label="Words of the corpus",
            rows="words",
            contain="that contain this text",
            of_all="of all distinct words of the corpus",
            order=(WordsModel.COUNT, Qt.SortOrder.DescendingOrder),
            no_match="No word contains “{}”",
            no_rows=self._no_rows,
            parent=self,
        )
        self.show_count = self.filtered.show_count
        self.filter = self.filtered.filter
        self.count = self.filtered.count
        self.table = self.filtered.table
        self.filter.setPlaceholderText("Filter words")
        self.table.target_of = self._target_of
        self.step_note = StepNote(self, "corpus.step")
        self.heading_items = QWidget(self)
        row((self.step_note, 1), parent=self.heading_items)
        column(self.filtered, parent=self, margins=PANEL_MARGINS)

    def minimumSizeHint(self) -> QSize:
        # Four columns with short words, at any text size, and a row or two.
        return QSize(11 * self.fontMetrics().height(), super().minimumSizeHint().height())

    def _connect(self) -> None:
        self._workspace.corpus_changed.connect(self._on_corpus_changed)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._corpus_slot.granted.connect(self._show_corpus)
        self.model.modelReset.connect(self.show_count)
        self.filtered.chosen.connect(self._on_chosen)
        self._workspace.selection.changed.connect(self._on_selected)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the words are cut as at the step."""
        return self._step == self._workspace.step

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        self.setEnabled(info is not None)
        if info is not None and len(info.corpus) > N_INSTANT:
            self._corpus_slot.request()  # sorting so many words takes a while
        else:
            self._show_corpus()

    @Slot()
    def _show_corpus(self) -> None:
        self._corpus_slot.cancel()
        info = self._workspace.corpus
        corpus = info.corpus if info is not None else None
        self.model.set_corpus(corpus)
        self.table.fit_columns()
        self._on_run_changed()

    @Slot()
    def _on_run_changed(self) -> None:
        self.cancel_refresh()
        self._step = self._workspace.step
        self.model.set_run(self._workspace.run, self._step)
        self.table.viewport().update()
        self.show_count()

    @Slot()
    def _on_step_changed(self) -> None:
        self.follow_step()
        self.step_note.show_step(self._step)

    def show_state(self) -> None:
        if self._workspace.step != self._step:
            self._step = self._workspace.step
            self.model.set_step(self._step)
            self.table.viewport().update()
        self.step_note.show_step(self._step)

    def merged_pairs(self, rank: int, pair: tuple[int, int], token: int) -> list[MergedPair]:
        """Where a merge joins two tokens of a visible word, in the coordinates of the table's
        viewport.
        """
        run = self._workspace.run
        found = []
        if run is None:
            return []
        before = run.words_at(rank)
        metrics = QFontMetricsF(self.table.font())
        for number in self.table.visible_rows():
            index = self.model.index(number, WordsModel.CUT)
            cut = self.model.cut_at(before, self.model.source_row(number))
            cell = QRectF(self.table.visualRect(index).adjusted(MARGIN, 0, -MARGIN, 0))
            chips = ChipRow.fitted(cut.names, cell, metrics, is_rtl=cut.is_rtl)
            found += joined(cut.ids, chips.rects, pair)
        return found

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        """Select the border between two chips that was clicked, or the word."""
        source = self.model.source_row(index.row())
        click = self.table.take_click()
        chips = self.table.chips_in(index)
        place = 0
        if chips is not None and click is not None:
            place = self.model.border_place(source, chips.border_at(click))
        if place > 0:
            self._workspace.selection.select_word_border(source, place)
        else:
            self._workspace.selection.select_word(source)

    def _target_of(self, index: QModelIndex, place: QPoint | None) -> Target | None:
        """The token or the border under the mouse, or else the word."""
        run = self._workspace.run
        step = self._workspace.step
        source = self.model.source_row(index.row())
        chips = self.table.chips_in(index)
        cut = self.model.cut(source)
        if place is None or chips is None or cut is None or run is None:
            return None if run is None else word_target(run.at(step), source)
        border = self.model.border_place(source, chips.border_at(place.toPointF()))
        if border > 0:
            return border_target(
                run, word_border(run.at(step), source, border), step, self._workspace.n_merges
            )
        number = chips.token_at(place.toPointF())
        is_token = 0 <= number < len(cut.ids) and chips.texts[number - chips.first] != "…"
        if is_token:
            return token_target(run, cut.ids[number])
        return word_target(run.at(step), source)

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        """Mark the selected word, and in every word the selected token or pair."""
        self.model.set_selected(selected)
        if selected is not None:
            self.filtered.show_source_row(selected.word)
        self.table.viewport().update()

    def _no_rows(self) -> str:
        return "" if self._workspace.corpus is None else WITHOUT_TEXT
