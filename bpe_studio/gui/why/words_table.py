"""A short table of words with their tokens, some of them lit up: the words that hold a pair or a token.

Of a pair each word is shown before and after the merge. A click on a token picks the token, a click beside it, or
Enter, the word. The table is as high as its rows, some of them at first, and leaves scrolling to what it stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.names import isolated
from bpe_studio.files.exports.csv_tables import joined
from bpe_studio.gui.corpus.words import CHIP_GAP_PX, CHIP_PAD_PX, joined_forms
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import Column, Index, TableModel
from bpe_studio.gui.tables.view import MARGIN, Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import Chip, paint_chips
from bpe_studio.gui.why.answers import Piece, WordRow, plain_names

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

N_FIRST = 6
"""How many rows are shown at first."""
_RADIUS_PX = 3.0


class ContainingWordsModel(TableModel):
    """The words, the most frequent first."""

    columns = (
        Column("word before", "The word as it is cut at the step; the pair's two tokens are outlined", False),
        Column("after", "The word with the pair merged; the new token is outlined", False),
        Column("count", "How often the word occurs in the corpus"),
        Column("times", "How often it holds the pair; the pair's count is the sum of count × times"),
    )
    BEFORE, AFTER, COUNT, TIMES = range(4)

    def __init__(self, *, of_pairs: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        if not of_pairs:
            self.columns = (
                Column("word", "The word as it is cut at the step; the token is outlined", False),
                Column("", "", False),
                self.columns[self.COUNT],
                Column("times", "How often it holds the token; the token's count is the sum of count × times"),
            )
        self._rows: tuple[WordRow, ...] = ()
        self._n_shown = 0
        self._locale = grouping_locale()

    @property
    def rows(self) -> tuple[WordRow, ...]:
        """All rows, shown or not."""
        return self._rows

    def show(self, rows: Sequence[WordRow], n_shown: int) -> None:
        """Show other rows, the first `n_shown` of them."""
        n_old, n_new = self._n_shown, min(len(rows), n_shown)
        none = QModelIndex()
        if n_new > n_old:
            self.beginInsertRows(none, n_old, n_new - 1)
        elif n_new < n_old:
            self.beginRemoveRows(none, n_new, n_old - 1)
        self._rows, self._n_shown = tuple(rows), n_new
        if n_new > n_old:
            self.endInsertRows()
        elif n_new < n_old:
            self.endRemoveRows()
        if n_new:
            self.dataChanged.emit(self.index(0, 0), self.index(n_new - 1, len(self.columns) - 1))

    def row(self, row: int) -> WordRow:
        """What stands in a row."""
        return self._rows[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else self._n_shown

    def text(self, row: int, column: int) -> str:
        each = self._rows[row]
        if column == self.COUNT:
            return self._locale.toString(each.count)
        if column == self.TIMES:
            return self._locale.toString(each.times)
        pieces = each.before if column == self.BEFORE else each.after
        return " | ".join(isolated(piece.name) for piece in pieces)

    def plain_heads(self) -> list[str]:
        cuts = [column.title for column in self.columns[: self.COUNT] if column.title]
        return [*cuts, "count", "times", *(f"{cut} as shown" for cut in cuts)]

    def n_plain_rows(self) -> int:
        return len(self._rows)

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        each = self._rows[row]
        cuts = [each.before, each.after] if self.columns[self.AFTER].title else [each.before]
        shown = (" | ".join(piece.name for piece in pieces) for pieces in cuts)
        return [*(joined(plain_names(pieces, run)) for pieces in cuts), each.count, each.times, *shown]

    def tip(self, row: int, column: int) -> str:
        each, number = self._rows[row], self._locale.toString
        after = f" → {self.text(row, self.AFTER)}" if each.after else ""
        return (
            f"{self.text(row, self.BEFORE)}{after}\n"
            f"occurs {number(each.count)} times in the corpus, and holds it {number(each.times)} times"
        )


class ContainingWordsTable(CompactTable):
    """The words as a table.

    Args:
        of_pairs: whether each is shown before and after a merge.

    Signals:
        word_selected: int, the number of a word.
        token_selected: int, a token's internal id.
    """

    word_selected = Signal(object)
    token_selected = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, of_pairs: bool) -> None:
        super().__init__(parent)
        self.words = ContainingWordsModel(of_pairs=of_pairs, parent=self)
        self._rows: Sequence[WordRow] = ()
        self._is_whole = False
        self._is_steady = False
        self.setModel(self.words)
        self._cuts = CutDelegate(self)
        self.setItemDelegateForColumn(ContainingWordsModel.BEFORE, self._cuts)
        self.setItemDelegateForColumn(ContainingWordsModel.AFTER, self._cuts)
        self.setColumnHidden(ContainingWordsModel.AFTER, not of_pairs)
        self._shown_samples: list[str | None] = []
        self._fit_columns()
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def n_hidden(self) -> int:
        """How many rows there are beyond those that are shown."""
        return len(self._rows) - self.words.rowCount()

    @property
    def is_whole(self) -> bool:
        """Whether all rows are shown, and not only the first."""
        return self._is_whole

    @property
    def is_steady(self) -> bool:
        """Whether it keeps the room of the first rows."""
        return self._is_steady

    def show_rows(self, rows: Sequence[WordRow]) -> None:
        """Show other words."""
        self._rows = rows
        self._fill()
        self._fit_columns()

    def set_whole(self, is_whole: bool) -> None:
        """Show all rows, or the first."""
        self._is_whole = is_whole
        self._fill()

    def set_steady(self, is_steady: bool) -> None:
        """Keep the room of the first rows even where there are fewer, so that nothing below moves."""
        if is_steady != self._is_steady:
            self._is_steady = is_steady
            self._fit_height()

    def _fill(self) -> None:
        self.words.show(self._rows, len(self._rows) if self._is_whole else N_FIRST)
        self._fit_height()

    def _fit_columns(self) -> None:
        """Give each number the room of its longest value, so that the words have the rest."""
        number = grouping_locale().toString
        counts = [max((row.count for row in self._rows), default=0), max((row.times for row in self._rows), default=0)]
        samples = [
            None,
            None,
            *(number(max(10 ** (len(str(count)) - 1), 1000 * (not place))) for place, count in enumerate(counts)),
        ]
        if samples != self._shown_samples:
            self._shown_samples = samples
            self.set_samples(samples)

    def _fit_height(self) -> None:
        n = max(self.words.rowCount(), N_FIRST if self._is_steady else 1)
        height = self.horizontalHeader().sizeHint().height() + n * self.verticalHeader().defaultSectionSize()
        if height != self.maximumHeight() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def _fit_to_font(self) -> None:
        super()._fit_to_font()
        if hasattr(self, "_is_steady"):
            self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def piece_at(self, place: QPoint) -> Piece | None:
        """The token under a place of the viewport."""
        index = self.indexAt(place)
        if not index.isValid() or index.column() > ContainingWordsModel.AFTER:
            return None
        return self._cuts.piece_at(place, self.visualRect(index), index.row(), index.column())

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
            self.word_selected.emit(self.words.row(index.row()).word)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        is_on_row = self.indexAt(event.position().toPoint()).isValid()
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_on_row else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.word_selected.emit(self.words.row(self.currentIndex().row()).word)
        else:
            super().keyPressEvent(event)


class Placed(NamedTuple):
    """A token as it is painted: its number in the word, -1 for an ellipsis; what is written; where it stands."""

    number: int
    text: str
    rect: QRectF


class CutDelegate(CellDelegate):
    """Tokens of a word as chips, those that are lit up outlined, and always among what is shown."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, ContainingWordsModel)
        row = model.row(cell.row)
        is_before = cell.column == ContainingWordsModel.BEFORE
        pieces, lit = (row.before, row.lit) if is_before else (row.after, row.lit_after)
        placed = place_pieces(pieces, lit, QRectF(rect), QFontMetricsF(painter.font()), is_rtl=row.is_rtl)
        paint_pieces(painter, placed, lit, cell.palette)

    def piece_at(self, place: QPoint, cell: QRect, row: int, column: int) -> Piece | None:
        """The token under a place; `cell` is where the cell stands."""
        table = self.parent()
        assert isinstance(table, ContainingWordsTable)
        each = table.words.row(row)
        pieces, lit = (each.before, each.lit) if column == ContainingWordsModel.BEFORE else (each.after, each.lit_after)
        room = QRectF(cell.adjusted(MARGIN, 0, -MARGIN, 0))
        for placed in place_pieces(pieces, lit, room, QFontMetricsF(table.font()), is_rtl=each.is_rtl):
            if placed.number >= 0 and placed.rect.contains(place.toPointF()):
                return pieces[placed.number]
        return None


def place_pieces(
    pieces: Sequence[Piece], lit: frozenset[int], room: QRectF, metrics: QFontMetricsF, *, is_rtl: bool
) -> list[Placed]:
    """Where the tokens of a word stand in one line; what does not fit is left out, farthest from the lit ones first.

    Args:
        pieces: the tokens in the order of the text.
        lit: which of them must be seen.
        room: the line.
        metrics: of the font that they are painted in.
        is_rtl: whether the word runs to the left.
    """
    texts = [isolated(text) for text in joined_forms([piece.name for piece in pieces])]
    widths = [metrics.horizontalAdvance(text) + 2 * CHIP_PAD_PX + CHIP_GAP_PX for text in texts]
    more = metrics.horizontalAdvance("…") + CHIP_GAP_PX
    low, high = 0, len(pieces)
    if sum(widths) > room.width() + CHIP_GAP_PX and pieces:
        low = min(lit, default=0)
        high = low + 1
        while high < len(pieces) and high in lit and high - low < 2:
            high += 1
        grew = True
        while grew:
            grew = False
            for is_ahead in (True, False):
                first, last = (low, high + 1) if is_ahead else (low - 1, high)
                marks = more * ((first > 0) + (last < len(pieces)))
                if first >= 0 and last <= len(pieces) and sum(widths[first:last]) + marks <= room.width():
                    low, high, grew = first, last, True
    taken = sum(widths[low:high])
    marks = more * ((low > 0) + (high < len(pieces)))
    has_marks = taken + marks <= room.width() + CHIP_GAP_PX
    gaps = CHIP_GAP_PX * (high - low)
    squeezed = min(1.0, (room.width() + CHIP_GAP_PX - gaps) / (taken - gaps)) if pieces else 1.0
    shown = [(number, texts[number], widths[number] - CHIP_GAP_PX) for number in range(low, high)]
    if has_marks and low > 0:
        shown.insert(0, (-1, "…", more - CHIP_GAP_PX))
    if has_marks and high < len(pieces):
        shown.append((-1, "…", more - CHIP_GAP_PX))
    height = min(room.height() - 2.0, metrics.height() + 2.0)
    top = room.top() + (room.height() - height) / 2
    x, placed = 0.0, []
    for number, text, wanted in shown:
        width = wanted
        if squeezed < 1.0:
            width = wanted * squeezed
            name = pieces[number].name
            text = metrics.elidedText(isolated(name), Qt.TextElideMode.ElideRight, width - 2 * CHIP_PAD_PX)
        left = room.right() - x - width if is_rtl else room.left() + x
        placed.append(Placed(number, text, QRectF(left, top, width, height)))
        x += width + CHIP_GAP_PX
    return placed


def paint_pieces(painter: QPainter, placed: Sequence[Placed], lit: frozenset[int], palette: QPalette) -> None:
    """Paint tokens where `place_pieces` put them; a token keeps the colour of its place in the word."""
    n = len(theme.token_colours(palette))
    for each in placed:
        if each.number < 0:
            painter.setPen(theme.muted(palette))
            painter.drawText(each.rect, int(Qt.AlignmentFlag.AlignCenter), each.text)
            continue
        # One at a time, with empty ones before it, so that its colour is that of its place.
        empty = [QRectF()] * (each.number % n)
        paint_chips(painter, [Chip("")] * len(empty) + [Chip(each.text)], [*empty, each.rect], palette)
        if each.number in lit:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.token_text_colour(palette), 1.5))
            painter.drawRoundedRect(each.rect.adjusted(0.75, 0.75, -0.75, -0.75), _RADIUS_PX, _RADIUS_PX)
            painter.restore()
