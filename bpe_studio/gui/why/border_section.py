"""The reasons for a border: the pair that meets there, the earlier pairs, and the pair's words.

It draws a `BorderAnswer`. A click selects the clicked token or word, and the panel requests the
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.why.answers import Piece, plain_names
from bpe_studio.explain.why.border import BorderAnswer, BorderPlace, MeetingRow
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, pair_target
from bpe_studio.gui.tables.model import Column, Export, RowsModel, RowState, each_row
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.why.words_section import ContainingWordsSection
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import arrow_button, named
from bpe_studio.gui.widgets.fact_list import Facts
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class BorderSection(QWidget):
    """Facts, a table of the tokens that met there, and the words with the pair.

    Args:
        selection: the selection that clicks change.
    """

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._answer: BorderAnswer | None = None
        self.title = heading("Why the text is cut here", "why.border_title", self)
        self.trouble = named(
            Note("", "plain", self), "why.border_trouble", "Why there is no answer"
        )
        left = Qt.ArrowType.LeftArrow
        right = Qt.ArrowType.RightArrow
        self.before = arrow_button(
            "why.border_before", left, "Go to the previous border in the word", self
        )
        self.behind = arrow_button(
            "why.border_behind", right, "Go to the next border in the word", self
        )
        self.pair = named(
            QPushButton("Why this pair", self),
            "why.border_pair",
            "Ask why this pair is merged or not",
            "Explains why the two tokens that meet here are or are not merged at this step",
        )
        self.facts = Facts("why.border", self)
        self.history_title = heading("The tokens that meet here", "why.border_history_title", self)
        self.model = MeetingModel(self)
        self.history = named(
            CompactTable(self),
            "why.border_history",
            "The tokens that meet at the border, from step 0 on",
        )
        self.history.setModel(self.model)
        self.history.target_of = self._target_of
        self.history.fit_columns()
        self.history.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.history.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.words = ContainingWordsSection(
            "why.border", "Where the pair occurs", of_pairs=True, selection=selection, parent=self
        )
        head = row((self.title, 1), self.before, self.behind, spacing=TIGHT_PX)
        pair = row(self.pair, (QWidget(self), 1))
        column(
            head,
            self.trouble,
            pair,
            self.facts,
            self.history_title,
            self.history,
            self.words,
            parent=self,
        )
        self.pair.clicked.connect(self._on_pair_clicked)
        self.before.clicked.connect(self._on_before_clicked)
        self.behind.clicked.connect(self._on_behind_clicked)
        self.history.clicked.connect(self._on_chosen)
        self.history.activated.connect(self._on_chosen)

    @property
    def answer(self) -> BorderAnswer | None:
        """The answer that is shown."""
        return self._answer

    def forget(self) -> None:
        """Drop the answer of a run that may be closed."""
        self._answer = None
        self.words.table.show_rows(())

    def show_answer(self, answer: BorderAnswer) -> None:
        """Show another answer."""
        self._answer = answer
        self.trouble.set_message(answer.trouble)
        self.trouble.setVisible(bool(answer.trouble))
        self.facts.show_facts(answer.facts)
        self.before.setEnabled(answer.before > 0)
        self.behind.setEnabled(answer.behind > 0)
        self.pair.setVisible(
            answer.pair is not None and min(each.token for each in answer.pair) >= 0
        )
        has_history = bool(answer.meetings)
        self.history_title.setVisible(has_history)
        self.history.setVisible(has_history)
        self.model.show(answer.meetings, answer.step)
        self.history.show_high(len(answer.meetings))
        self.words.setVisible(bool(answer.words.n_words))
        self.words.show_words(answer.words, answer.run.at(answer.step), "occurs")

    @Slot()
    def _on_before_clicked(self) -> None:
        if self._answer is not None:
            self._go(self._answer.place, self._answer.before)

    @Slot()
    def _on_behind_clicked(self) -> None:
        if self._answer is not None:
            self._go(self._answer.place, self._answer.behind)

    def _go(self, border: BorderPlace, place: int) -> None:
        """Select another border of the same word."""
        if border.word >= 0:
            self._selection.select_word_border(border.word, place)
        else:
            self._selection.select_border(border.piece, place)

    @Slot()
    def _on_pair_clicked(self) -> None:
        if self._answer is not None and self._answer.pair is not None:
            left, right = self._answer.pair
            self._selection.select_pair(left.token, right.token)

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        """The pair of a row."""
        if self._answer is None:
            return None
        row = self.model.meeting(index.row())
        return pair_target(self._answer.run, row.left.token, row.right.token)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        rank = self.model.meeting(index.row()).ended_by
        if rank >= 0:
            self._selection.select_merge(rank)


def _token_name(title: str, piece: Callable[[MeetingRow], Piece]) -> Export[MeetingModel]:

    def names(model: MeetingModel, rows: Sequence[int], run: Run | None) -> list[str]:
        pieces = [piece(model.meeting(row)) for row in rows]
        return plain_names(pieces, run)

    return Export(title, names)


class MeetingModel(RowsModel["MeetingRow"]):
    """The pairs of tokens that meet at a border, in the order of the steps."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = 0

    def show(self, rows: Sequence[MeetingRow], step: int) -> None:
        """Show the pairs of a border at a step."""
        self._step = step
        self.show_rows(rows)

    def meeting(self, row: int) -> MeetingRow:
        return self.rows[row]

    # The columns.

    def _first_step(self, row: int) -> str:
        return number(self.rows[row].first_step)

    def _pair(self, row: int) -> Chips:
        return Chips.of(self.rows[row].left.name, self.rows[row].right.name, between=" | ")

    def _then(self, row: int) -> str:
        return self.rows[row].then

    columns = (
        Column(
            "from step",
            "The first step at which these two tokens meet at the border",
            _first_step,
            sample="000,000",
            exports=(
                Export("from step", each_row(lambda model, row: model.meeting(row).first_step)),
            ),
        ),
        Column(
            "left | right",
            "The tokens before and after the border",
            is_number=False,
            chips=_pair,
            exports=(
                _token_name("left", lambda row: row.left),
                _token_name("right", lambda row: row.right),
            ),
        ),
        Column(
            "until",
            "What ends it: a merge joins the two, or an earlier merge uses one of them",
            _then,
            is_number=False,
        ),
    )
    STEP, PAIR, THEN = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        return f"{self._pair(row).text}\nfrom step {self._first_step(row)}: {self._then(row)}"

    def state(self, row: int) -> RowState:
        each = self.rows[row]
        if each.first_step > self._step:
            return RowState.AHEAD
        is_now = each.ended_by < 0 or each.ended_by >= self._step
        return RowState.CURRENT if is_now else RowState.APPLIED
