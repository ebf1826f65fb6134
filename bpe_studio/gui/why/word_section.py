"""The reasons for the tokens of a word: the merges that apply to it, in their order.

It shows a `WordAnswer`; a click selects a token or a merge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.names import elided, in_sentence, isolated
from bpe_studio.explain.why.answers import Piece, WordAnswer, WordMerge, plain_names
from bpe_studio.explain.why.facts import word_facts
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, merge_target
from bpe_studio.gui.tables.model import Column, Export, RowsModel, RowState, each_row
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips, joined_forms
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.fact_list import Facts
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class WordSection(QWidget):
    """The facts, the chips and the table of merges.

    Args:
        selection: the selection that clicks change.
    """

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._answer: WordAnswer | None = None
        self.title = heading("How this word is cut", "why.word_title", self)
        self.cut = named(
            TokenLinks(self),
            "why.word_cut",
            "The word's tokens at the step",
            "The tokens of the word at this step; click one to see it",
        )
        self.facts = Facts("why.word", self)
        self.merges_title = heading("Its merges", "why.word_merges_title", self)
        self.merges_note = Note("", "help", self)
        self.merges_note.setObjectName("why.word_merges_note")
        self.model = WordMergeModel(self)
        self.merges = named(
            CompactTable(self),
            "why.word_merges",
            "The word's merges, in the order in which they are applied",
        )
        self.merges.setModel(self.model)
        self.merges.target_of = self._target_of
        self.merges.fit_columns()
        self.merges.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.merges.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        column(
            self.title,
            self.cut,
            self.facts,
            self.merges_title,
            self.merges_note,
            self.merges,
            parent=self,
        )
        self.cut.selected.connect(selection.select_token)
        self.merges.clicked.connect(self._on_chosen)
        self.merges.activated.connect(self._on_chosen)

    @property
    def answer(self) -> WordAnswer | None:
        """The answer that is shown."""
        return self._answer

    def forget(self) -> None:
        """Drop the answer of a run that may be closed."""
        self._answer = None

    def show_answer(self, answer: WordAnswer) -> None:
        self._answer = answer
        shown_names = [piece.name for piece in answer.cut]
        names = joined_forms(shown_names)
        links = [
            Link(
                name,
                piece.token,
                f"Show {in_sentence(elided(piece.name))}",
                is_sign=piece.token < 0 and piece.name == "…",
                joins_next=True,
            )
            for name, piece in zip(names, answer.cut, strict=True)
        ]
        self.cut.set_links(links, is_rtl=answer.is_rtl)
        self.facts.show_facts(word_facts(answer))
        n = answer.n_merges_here
        self.merges_title.setVisible(bool(n))
        if n > len(answer.merges):
            self.merges_note.set_message(
                f"The first {number(len(answer.merges))} of {number(n)}; click one to see it"
            )
        elif n:
            self.merges_note.set_message(
                "In the order in which they apply; those after this step are dimmed"
            )
        else:
            self.merges_note.set_message("No merge of this run applies to it")
        self.model.show(answer.merges, answer.step, is_rtl=answer.is_rtl)
        self.merges.setVisible(bool(n))
        self.merges.show_high(len(answer.merges))

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        if self._answer is None:
            return None
        return merge_target(self._answer.run, self.model.merge(index.row()).rank)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self._selection.select_merge(self.model.merge(index.row()).rank)


def _token_name(title: str, piece: Callable[[WordMerge], Piece]) -> Export[WordMergeModel]:

    def names(model: WordMergeModel, rows: Sequence[int], run: Run | None) -> list[str]:
        pieces = [piece(model.merge(row)) for row in rows]
        return plain_names(pieces, run)

    return Export(title, names)


class WordMergeModel(RowsModel["WordMerge"]):
    """The merges of one word, by rank."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self.is_rtl = False

    def show(self, merges: Sequence[WordMerge], step: int, *, is_rtl: bool = False) -> None:
        """Show the merges of a word.

        Args:
            merges: its merges, by rank.
            step: the step; merges beyond it are dimmed.
            is_rtl: whether the word runs from right to left.
        """
        self._step = step
        self.is_rtl = is_rtl
        self.show_rows(merges)

    def merge(self, row: int) -> WordMerge:
        return self.rows[row]

    # The columns.

    def _rank(self, row: int) -> str:
        return number(self.rows[row].rank + 1)

    def _pair(self, row: int) -> Chips:
        merge = self.rows[row]
        return Chips((merge.left.name, merge.right.name), self.is_rtl)

    def _token(self, row: int) -> str:
        return isolated(self.rows[row].made.name)

    def _exported_as_shown(self, row: int) -> str:
        merge = self.rows[row]
        return f"{merge.left.name} + {merge.right.name} → {merge.made.name}"

    columns = (
        Column(
            "merge",
            "The number of the merge, from 1",
            _rank,
            sample="000,000",
            exports=(Export("rank", each_row(lambda model, row: model.merge(row).rank)),),
        ),
        Column(
            "left + right",
            "The two tokens of the word that it joins",
            is_number=False,
            chips=_pair,
            exports=(
                _token_name("left", lambda merge: merge.left),
                _token_name("right", lambda merge: merge.right),
            ),
        ),
        Column(
            "token",
            "The token that they make",
            _token,
            is_number=False,
            exports=(_token_name("token", lambda merge: merge.made),),
        ),
    )
    extra_exports = (Export("as shown", each_row(_exported_as_shown)),)
    RANK, PAIR, TOKEN = range(len(columns))

    def state(self, row: int) -> RowState:
        rank = self.rows[row].rank
        if rank == self._step - 1:
            return RowState.CURRENT
        return RowState.AHEAD if rank >= self._step else RowState.APPLIED
