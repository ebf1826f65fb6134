"""Where two runs diverge and why: sentences with the numbers, and a table of words as each run cuts
them.

The sentences are made by `explain/comparison/divergence.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QWidget

from bpe_studio.explain.comparison.divergence import CutWord, DivergenceWording
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, text_target
from bpe_studio.gui.look import theme
from bpe_studio.gui.tables.model import Column, RowsModel, widest_number
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import STRETCH, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_BETWEEN_PX = 9


class CutWordsModel(RowsModel[CutWord]):
    """The words, a row each."""

    def as_cut(self, row: int, side: int) -> str:
        """A word as it is cut by A or by B."""
        return " │ ".join(" ".join(map(isolated, tokens)) for tokens in self.rows[row].cuts[side])

    columns = (
        Column(
            "as A tokenizes it",
            "A word of the text, in A’s tokens at the divergence; a line separates its pieces",
            lambda model, row: model.as_cut(row, 0),
            is_number=False,
        ),
        Column(
            "as B tokenizes it",
            "The same, in B’s tokens at the divergence; a line separates its pieces",
            lambda model, row: model.as_cut(row, 1),
            is_number=False,
        ),
        Column(
            "in A",
            "How often the pair occurs in the word in A",
            lambda model, row: number(model.rows[row].pairs[0]),
            sample="00",
        ),
        Column(
            "in B",
            "How often the pair occurs in the word in B",
            lambda model, row: number(model.rows[row].pairs[1]),
            sample="00",
        ),
        Column(
            "times",
            "How often the word occurs in the text",
            lambda model, row: number(model.rows[row].times),
            sample=lambda model: widest_number(max((row.times for row in model.rows), default=0)),
        ),
    )
    A, B, IN_A, IN_B, TIMES = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        a, b, in_a, in_b, times = (self.text(row, each) for each in range(len(self.columns)))
        pair = f"the pair occurs in it {in_a} times in A, {in_b} times in B"
        return f"A: {a}\nB: {b}\n{pair}\nthe word occurs {times} times in the text"


class CutDelegate(CellDelegate):
    """Paints the tokens of a word as chips, with a line between its pre-tokens."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, CutWordsModel)
        word = model.rows[cell.row]
        first = 0
        is_rtl = word.is_rtl
        for k, tokens in enumerate(word.cuts[cell.column]):
            if rect.width() < _BETWEEN_PX:
                return
            if k:
                x = (
                    (rect.right() + 1 + _BETWEEN_PX // 2)
                    if is_rtl
                    else rect.left() - _BETWEEN_PX // 2 - 1
                )
                painter.setPen(theme.muted(cell.palette))
                painter.drawLine(x, rect.top() + 3, x, rect.bottom() - 3)
            highlighted = frozenset(token - first for token in word.highlighted[cell.column])
            first += len(tokens)
            width = Chips(tokens, is_rtl, highlighted).paint(painter, rect, cell.palette)
            taken = round(width) + _BETWEEN_PX
            rect = rect.adjusted(0, 0, -taken, 0) if is_rtl else rect.adjusted(taken, 0, 0, 0)


class DivergenceView(QScrollArea):
    """The sentences, with the table of words below them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference.why")
        self.setAccessibleName("Why the runs diverge")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.headline = Note("", "plain", self)
        self.headline.setObjectName("difference.why_headline")
        font = self.headline.font()
        font.setBold(True)
        self.headline.setFont(font)
        self.sentences = named(
            Note("", "plain", self), "difference.why_text", "Why the runs diverge"
        )
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.about = Note("", "help", self)
        self.about.setObjectName("difference.why_about")
        self.model = CutWordsModel(self)
        self.words = named(CompactTable(self), "difference.why_words", "Words that show it")
        self.words.setModel(self.model)
        self.words.target_of = self._target_of
        self._runs: tuple[Run, Run] | None = None
        for side in (CutWordsModel.A, CutWordsModel.B):
            self.words.setItemDelegateForColumn(side, CutDelegate(self.words))
        inside = QWidget(self)
        parts = (self.headline, self.sentences, self.about, self.words)
        column(*parts, STRETCH, parent=inside, spacing=6, margins=(0, 0, 8, 0))
        self.setWidget(inside)
        self.show_words(None)

    def show_words(
        self, words: DivergenceWording | None, runs: tuple[Run, Run] | None = None
    ) -> None:
        """Show an explanation of why two runs differ; None for none."""
        self._runs = runs
        self.headline.set_message("" if words is None else words.headline)
        self.sentences.set_message("" if words is None else "\n".join(words.sentences))
        self.about.set_message("" if words is None else words.about_words)
        rows = () if words is None else words.rows
        self.model.show_rows(rows)
        self.words.setVisible(bool(rows))
        self.about.setVisible(bool(rows))
        self.words.fit_columns()
        self.words.horizontalHeader().setSectionResizeMode(
            CutWordsModel.B, QHeaderView.ResizeMode.Stretch
        )
        self.words.show_high(len(rows))

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        """The word of a row, in the run as whose column it is clicked.

        In the first run elsewhere.
        """
        if self._runs is None:
            return None
        word = self.model.rows[index.row()]
        side = int(index.column() == CutWordsModel.B)
        run = self._runs[side]
        tokens = [run.find_token(name) for name in word.names[side]]
        return text_target(
            run, word.text, tuple(-1 if token is None else token for token in tokens)
        )
