"""The section with the most frequent words that contain a pair or a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.why.answers import Piece, WordRow, WordRows, plain_names
from bpe_studio.explain.wording import number, plural, times
from bpe_studio.files.exports.csv_tables import joined
from bpe_studio.gui.actions_on.targets import Target, token_target, word_target
from bpe_studio.gui.tables.model import Column, Export, RowsModel, each_row, widest_number
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


_N_FIRST = 6
"""The number of rows that fit; the table scrolls to the others."""


class ContainingWordsSection(QWidget):
    """The words that contain a pair or a token.

    Args:
        name: the prefix of the object names, such as "why.pair".
        title: the heading.
        of_pairs: whether each word is shown before and after the merge.
        selection: the selection that clicks change.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        of_pairs: bool,
        selection: Selection,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = WordRows()
        self.title = heading(title, f"{name}_words_title", self)
        self.total = named(
            Note("", "help", self),
            f"{name}_words_total",
            f"{title}: how many",
            "The number of occurrences in the corpus, and of distinct words with one",
        )
        self.table = named(ContainingWordsTable(self, of_pairs=of_pairs), f"{name}_words", title)
        column(self.title, self.total, self.table, parent=self, spacing=TIGHT_PX)
        self.table.word_selected.connect(selection.select_word)
        self.table.token_selected.connect(selection.select_token)

    @property
    def words(self) -> WordRows:
        """The words that are shown."""
        return self._words

    def show_words(self, words: WordRows, run: Run, verb: str) -> None:
        """Show words.

        Args:
            words: the most frequent words, and the number of all.
            run: the run that cuts them.
            verb: the verb of the sentence, such as "occurs".
        """
        self._words = words
        n_shown = len(words.rows)
        said = "occurs in no word at this step"
        if words.n_words:
            of_all = f"{number(words.n_words)} of {plural(len(run.corpus), 'word')}"
            said = f"{verb} {times(words.total)} in {of_all}"
        if n_shown < words.n_words:
            said += f"; the {number(n_shown)} most frequent"
        self.total.set_message(said)
        self.table.show_rows(words.rows, run)
        self.table.setVisible(bool(words.rows) or self.table.is_steady)


class _ContainingWordsModel(RowsModel["WordRow"]):
    """The words, the most frequent first."""

    BEFORE, AFTER, COUNT, TIMES = range(4)

    def __init__(self, *, of_pairs: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns, self.extra_exports = _pair_columns() if of_pairs else _token_columns()

    # The columns.

    def before(self, row: int) -> Chips:
        """The tokens of a word at the step."""
        each = self.rows[row]
        return Chips(
            _names(each.before),
            each.is_rtl,
            each.highlighted,
            keeps_highlighted=True,
            between=" | ",
        )

    def after(self, row: int) -> Chips:
        """Its tokens with the pair merged."""
        each = self.rows[row]
        return Chips(
            _names(each.after),
            each.is_rtl,
            each.highlighted_after,
            keeps_highlighted=True,
            between=" | ",
        )

    def count(self, row: int) -> str:
        """The number of times that the word occurs."""
        return self._locale.toString(self.rows[row].count)

    def times(self, row: int) -> str:
        """The number of times that it contains the pair or the token."""
        return self._locale.toString(self.rows[row].times)

    def widest_count(self) -> str:
        """The sample of the column of counts."""
        return widest_number(max((row.count for row in self.rows), default=0), 1000)

    def widest_times(self) -> str:
        """The sample of the column of times."""
        return widest_number(max((row.times for row in self.rows), default=0))

    def tip(self, row: int, column: int) -> str:
        each = self.rows[row]
        after = f" → {self.after(row).text}" if each.after else ""
        counts = f"occurs {times(each.count)} in the corpus, and contains it {times(each.times)}"
        return f"{self.before(row).text}{after}\n{counts}"


_Columns = tuple[
    tuple[Column[_ContainingWordsModel], ...], tuple[Export[_ContainingWordsModel], ...]
]


def _pair_columns() -> _Columns:
    tips = (
        "The word as it is cut at the step; the pair's two tokens are outlined",
        "The word with the pair merged; the new token is outlined",
        "How often it contains the pair; the pair's count is the sum of count × times",
    )
    return _columns(("word before", "after"), tips)


def _token_columns() -> _Columns:
    tips = (
        "The word as it is cut at the step; the token is outlined",
        "",
        "How often it contains the token; the token's count is the sum of count × times",
    )
    return _columns(("word", ""), tips)


def _columns(titles: tuple[str, str], tips: tuple[str, str, str]) -> _Columns:
    of_model = _ContainingWordsModel
    before, after = titles
    tokens = [_tokens(before, lambda row: row.before)]
    shown = [_shown(before, lambda row: row.before)]
    if after:
        tokens.append(_tokens(after, lambda row: row.after))
        shown.append(_shown(after, lambda row: row.after))
    columns: tuple[Column[_ContainingWordsModel], ...] = (
        Column(before, tips[0], is_number=False, chips=of_model.before, exports=tuple(tokens[:1])),
        Column(
            after,
            tips[1],
            is_number=False,
            chips=of_model.after,
            exports=tuple(tokens[1:]),
        ),
        Column(
            "count",
            "The number of times that the word occurs in the corpus",
            of_model.count,
            sample=of_model.widest_count,
            exports=(
                Export("count", lambda model, rows, run: [model.rows[row].count for row in rows]),
            ),
        ),
        Column(
            "times",
            tips[2],
            of_model.times,
            sample=of_model.widest_times,
            exports=(
                Export("times", lambda model, rows, run: [model.rows[row].times for row in rows]),
            ),
        ),
    )
    return columns, tuple(shown)


def _tokens(
    title: str, pieces: Callable[[WordRow], Sequence[Piece]]
) -> Export[_ContainingWordsModel]:
    return Export(
        title,
        lambda model, rows, run: [
            joined(plain_names(pieces(model.rows[row]), run)) for row in rows
        ],
    )


def _shown(
    title: str, pieces: Callable[[WordRow], Sequence[Piece]]
) -> Export[_ContainingWordsModel]:

    def text(model: _ContainingWordsModel, row: int) -> str:
        return " | ".join(piece.name for piece in pieces(model.rows[row]))

    return Export(f"{title} as shown", each_row(text))


class ContainingWordsTable(CompactTable):
    """The words that contain a pair or a token, with their tokens, some of them highlighted.

    For a pair, each word is shown before and after the merge. A click on a token selects the token;
    a click elsewhere in the row, or Enter, selects the word.

    Args:
        of_pairs: whether each word is shown before and after the merge of a pair.

    Signals:
        word_selected: int, the index of a word in the corpus.
        token_selected: int, a token's internal id.
    """

    word_selected = Signal(object)
    token_selected = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, of_pairs: bool) -> None:
        super().__init__(parent)
        self.words = _ContainingWordsModel(of_pairs=of_pairs, parent=self)
        self._run: Run | None = None
        self.target_of = self._row_target
        self._is_steady = False
        self.setModel(self.words)
        self.setColumnHidden(_ContainingWordsModel.AFTER, not of_pairs)
        self.fit_columns()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def is_steady(self) -> bool:
        """Whether it keeps room for the first rows."""
        return self._is_steady

    def show_rows(self, rows: Sequence[WordRow], run: Run | None = None) -> None:
        """Replace the words by those of a run."""
        self._run = run
        self.words.show_rows(rows)
        self._fit_height()
        self.fit_columns()

    def set_steady(self, is_steady: bool) -> None:
        """Keep room for the first rows even if there are fewer, so that nothing below moves."""
        if is_steady != self._is_steady:
            self._is_steady = is_steady
            self._fit_height()

    def _fit_height(self) -> None:
        n_high = _N_FIRST if self._is_steady else min(self.words.rowCount(), _N_FIRST)
        self.show_high(n_high)

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def piece_at(self, place: QPoint) -> Piece | None:
        """The token at a position of the viewport."""
        index = self.indexAt(place)
        chips = self.chips_in(index) if index.isValid() else None
        number = chips.token_at(place.toPointF()) if chips is not None else -1
        row = self.words.rows[index.row()] if number >= 0 else None
        if row is None:
            return None
        pieces = row.before if index.column() == _ContainingWordsModel.BEFORE else row.after
        return pieces[number]

    def target_at(self, place: QPoint) -> Target | None:
        piece = self.piece_at(place)
        index = self.indexAt(place)
        if piece is not None and piece.token >= 0:
            return token_target(self._run, piece.token)
        if not index.isValid():
            return None
        return word_target(self._run, self.words.rows[index.row()].word)

    def _row_target(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        return word_target(self._run, self.words.rows[index.row()].word)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        piece = self.piece_at(place)
        if piece is not None and piece.token >= 0:
            self.token_selected.emit(piece.token)
        else:
            self.word_selected.emit(self.words.rows[index.row()].word)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        is_on_row = self.indexAt(event.position().toPoint()).isValid()
        shape = Qt.CursorShape.PointingHandCursor if is_on_row else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.word_selected.emit(self.words.rows[self.currentIndex().row()].word)
        else:
            super().keyPressEvent(event)


def _names(pieces: Sequence[Piece]) -> list[str]:
    return [piece.name for piece in pieces]
