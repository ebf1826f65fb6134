"""The table of a concordance: lines of the corpus, with the token in the middle column.

In a line that is read from right to left, the text *after* the token is left of it. A token that is
part of a character is painted as a stripe of that character. The panel searches for the lines; this
module shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette, QPen
from PySide6.QtWidgets import QAbstractItemView, QWidget

from bpe_studio.explain.names import is_right_to_left, isolated, visible_white_space
from bpe_studio.explain.neighbours import outward
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.tables.model import Column, Export, Index, TableModel, widest_number
from bpe_studio.gui.tables.view import MARGIN, Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import joined_forms

if TYPE_CHECKING:
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.corpus.concordance_search import FoundLine

MORE = "…"
LONGEST = "M" * 24
PAD_PX = 4.0
_BREAKS = str.maketrans({"\n": "⏎", "\r": "␍", "\t": "⇥"})
_UP = QPointF(0, 3)


@dataclass(frozen=True)
class ConcordanceRow:
    """A line of the corpus.

    Attributes:
        source: its file, with the text or record in it if there are several.
        line: its number there, from 1.
        before: the text before the token.
        token: the characters that the token covers in full or in part, with white space made
            visible.
        after: the text after them.
        begin: the fraction of the first character that is before the token; 0 if the token begins
            with it.
        end: the fraction of the last character that is after the token; 0 if the token ends with
            it.
        is_rtl: whether it is read from right to left.
    """

    source: str
    line: int
    before: str
    token: str
    after: str
    begin: float
    end: float
    is_rtl: bool

    @property
    def left(self) -> str:
        """The text left of the token on the screen."""
        return self.after if self.is_rtl else self.before

    @property
    def right(self) -> str:
        """The text right of the token on the screen."""
        return self.before if self.is_rtl else self.after


def line_row(
    line: FoundLine, visible: Callable[[str], str] = visible_white_space
) -> ConcordanceRow:
    """The row of a line that was found; `visible` makes the token visible."""
    found = line.found
    first = floor(found.start)
    last = max(ceil(found.end), floor(found.start))
    before = found.text[:first].translate(_BREAKS)
    after = found.text[last:].translate(_BREAKS)
    if found.is_cut_before:
        before = MORE + before
    if found.is_cut_after:
        after += MORE
    token = visible(found.text[first:last])
    return ConcordanceRow(
        line.name,
        found.line,
        before,
        token,
        after,
        found.start - first,
        last - found.end,
        _reads_left(found.text[:first], found.text[first:last], found.text[last:]),
    )


def _reads_left(before: str, token: str, after: str) -> bool:
    """Whether the token is read from right to left, by its own letters or the nearest ones."""
    nearest = before.split()[-1:] + after.split()[:1]
    for text in (token, *nearest, before, after):
        if is_right_to_left(text):
            return True
        if any(char.isalpha() for char in text):
            return False
    return False


def _export(title: str, value: Callable[[ConcordanceRow], Value]) -> Export[ConcordanceModel]:
    return Export(title, lambda model, rows, run: [value(model.row(row)) for row in rows])


class ConcordanceModel(TableModel):
    """The lines, in the order of the corpus, or sorted by the text left or right of the token.

    Attributes:
        chosen: the requested line; None for none.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: list[ConcordanceRow] = []
        self._rows: list[ConcordanceRow] = []
        self._sort = (self.LINE, Qt.SortOrder.AscendingOrder)
        self._last_line = 0
        self.chosen: ConcordanceRow | None = None

    def clear(self) -> None:
        """Remove all lines."""
        if self._rows:
            self.beginResetModel()
            self._found = []
            self._rows = []
            self._last_line = 0
            self.chosen = None
            self.endResetModel()

    def add(self, rows: Sequence[ConcordanceRow]) -> None:
        """Add the next lines of the corpus."""
        if not rows:
            return
        self._found += rows
        self._last_line = max(self._last_line, *(row.line for row in rows))
        if self._sort != (self.LINE, Qt.SortOrder.AscendingOrder):
            self._arrange()
            return
        self.beginInsertRows(QModelIndex(), len(self._rows), len(self._found) - 1)
        self._rows += rows
        self.endInsertRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by the words left or right of the token; other columns restore the order."""
        sorted_column = column if column in (self.LEFT, self.RIGHT) else self.LINE
        self._sort = sorted_column, order
        self._arrange()

    def _arrange(self) -> None:
        column, order = self._sort
        self.beginResetModel()
        self._rows = [*self._found]
        if column == self.LEFT:
            self._rows.sort(key=lambda row: outward(row.left, is_before=not row.is_rtl))
        elif column == self.RIGHT:
            self._rows.sort(key=lambda row: outward(row.right, is_before=row.is_rtl))
        if order is Qt.SortOrder.DescendingOrder:
            self._rows.reverse()
        self.endResetModel()

    def place_of(self, row: ConcordanceRow) -> int:
        """The row of a line."""
        return next(place for place, each in enumerate(self._rows) if each is row)

    def row(self, row: int) -> ConcordanceRow:
        """The line of a row."""
        return self._rows[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def is_selected(self, row: int) -> bool:
        return self._rows[row] is self.chosen

    def tip(self, row: int, column: int) -> str:
        line = self._rows[row]
        where = f"{isolated(line.source)}, line {number(line.line)}"
        part = "\nthe token is part of a character here" if line.begin or line.end else ""
        return f"{where}{part}\n{isolated(line.before + line.token + line.after)}"

    # The columns, one after another.

    def _file(self, row: int) -> str:
        return isolated(self._rows[row].source)

    def _line(self, row: int) -> str:
        return number(self._rows[row].line)

    def _widest_line(self) -> str:
        return widest_number(self._last_line, 1000)

    def _left(self, row: int) -> str:
        return isolated(self._rows[row].left)

    def _token(self, row: int) -> str:
        return isolated(self._rows[row].token)

    def _right(self, row: int) -> str:
        return isolated(self._rows[row].right)

    columns = (
        Column(
            "source",
            "The file or record of the line; broken records are not numbered",
            _file,
            is_number=False,
            sample="M" * 14,
        ),
        Column(
            "line",
            "The number of the line in its file or record, counted from 1",
            _line,
            sample=_widest_line,
            exports=(_export("line", lambda row: row.line),),
        ),
        Column(
            "left",
            "The text left of it in its line; sorting starts with the nearest word",
            _left,
            is_number=False,
            is_rtl=lambda model, row: True,
            exports=(_export("before", lambda row: row.before),),
        ),
        Column(
            "",
            "The token, as it stands in the line",
            _token,
            is_number=False,
            sample="",
            exports=(_export("token", lambda row: row.token),),
        ),
        Column(
            "right",
            "The text right of it in its line; sorting starts with the nearest word",
            _right,
            is_number=False,
            exports=(_export("after", lambda row: row.after),),
        ),
    )
    FILE, LINE, LEFT, TOKEN, RIGHT = range(len(columns))


class ConcordanceTable(CompactTable):
    """The table view, with the token in the middle column."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = ConcordanceModel(self)
        self.setModel(self.lines)
        delegate = ConcordanceDelegate(self)
        for column in (ConcordanceModel.LEFT, ConcordanceModel.TOKEN, ConcordanceModel.RIGHT):
            self.setItemDelegateForColumn(column, delegate)
        self.setColumnHidden(ConcordanceModel.FILE, True)
        self._widest = ""
        self.horizontalHeader().setSortIndicator(ConcordanceModel.LINE, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.fit_columns()

    def show_files(self, is_shown: bool) -> None:
        """Show or hide the column of file names."""
        self.setColumnHidden(ConcordanceModel.FILE, not is_shown)

    def add(self, rows: Sequence[ConcordanceRow]) -> None:
        """Append lines; the middle column becomes as wide as the widest token."""
        self.lines.add(rows)
        self.fit_columns()
        metrics = QFontMetricsF(self.font())
        widest = max([self._widest, *{row.token for row in rows}], key=metrics.horizontalAdvance)
        if widest != self._widest:
            self._widest = widest
            self.font_changed()

    def choose(self, row: ConcordanceRow) -> None:
        """Show a line as the chosen one."""
        self.lines.chosen = row
        self.updateGeometries()  # otherwise the view cannot scroll to the new rows yet
        index = self.lines.index(self.lines.place_of(row), ConcordanceModel.LINE)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.viewport().update()

    def clear(self) -> None:
        """Remove all lines."""
        self.lines.clear()
        self._widest = ""

    def font_changed(self) -> None:
        super().font_changed()
        metrics = QFontMetricsF(self.font())
        wanted = min(metrics.horizontalAdvance(self._widest), metrics.horizontalAdvance(LONGEST))
        self.horizontalHeader().resizeSection(ConcordanceModel.TOKEN, int(wanted + 2 * PAD_PX) + 6)


class ConcordanceDelegate(CellDelegate):
    """Paints the token as a chip, with the text left and right of it aligned to it."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, ConcordanceModel)
        row = model.row(cell.row)
        before, token, after = joined_forms((row.before, row.token, row.after))
        if cell.column == ConcordanceModel.TOKEN:
            _paint_token(painter, QRectF(rect), token, row, cell.palette)
            return
        is_left = cell.column == ConcordanceModel.LEFT
        # The text touches the chip, without the margins between columns.
        room = rect.adjusted(1 - MARGIN, 0, 0, 0)
        side = Qt.AlignmentFlag.AlignLeft
        if is_left:
            room = rect.adjusted(0, 0, MARGIN - 1, 0)
            side = Qt.AlignmentFlag.AlignRight
        # The end that is farther from the token is elided.
        text = after
        mode = Qt.TextElideMode.ElideRight
        if is_left != row.is_rtl:
            text = before
            mode = Qt.TextElideMode.ElideLeft
        text = painter.fontMetrics().elidedText(text, mode, room.width())
        direction = (
            Qt.TextFlag.TextForceRightToLeft if row.is_rtl else Qt.TextFlag.TextForceLeftToRight
        )
        flags = int(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(cell.palette.color(QPalette.ColorRole.Text))
        painter.drawText(room, flags | int(direction) | int(Qt.TextFlag.TextSingleLine), text)


def _paint_token(
    painter: QPainter, rect: QRectF, text: str, row: ConcordanceRow, palette: QPalette
) -> None:
    """Paint the token's characters; only the part that belongs to the token is coloured."""
    metrics = QFontMetricsF(painter.font())
    room = rect.adjusted(-MARGIN, 0, MARGIN, 0)
    height = min(rect.height() - 2.0, metrics.height() + 2.0)
    ink = min(metrics.horizontalAdvance(text), room.width() - 2 * PAD_PX)
    whole = QRectF(
        room.center().x() - ink / 2 - PAD_PX,
        rect.center().y() - height / 2,
        ink + 2 * PAD_PX,
        height,
    )
    chip = QRectF(whole)
    n = max(1, len(row.token))
    head = row.begin / n * ink
    tail = row.end / n * ink
    head, tail = (tail, head) if row.is_rtl else (head, tail)
    if head:
        chip.setLeft(whole.left() + PAD_PX + head)
    if tail:
        chip.setRight(whole.right() - PAD_PX - tail)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.token_colours(palette)[1])
    is_part = bool(head or tail)
    if is_part:
        painter.drawRect(chip)
        painter.setPen(QPen(theme.muted(palette), 1))
        painter.drawPolyline(
            [
                chip.bottomLeft() - _UP,
                chip.bottomLeft(),
                chip.bottomRight(),
                chip.bottomRight() - _UP,
            ]
        )
    else:
        painter.drawRoundedRect(chip, 3, 3)
    painter.setPen(theme.token_text_colour(palette))
    shown = painter.fontMetrics().elidedText(
        text, Qt.TextElideMode.ElideMiddle, int(whole.width()) + 1
    )
    direction = Qt.TextFlag.TextForceRightToLeft if row.is_rtl else Qt.TextFlag.TextForceLeftToRight
    flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextSingleLine) | int(direction)
    painter.drawText(whole, flags, shown)
