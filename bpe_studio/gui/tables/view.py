"""The view of all tables: no grid, a muted header, tabular figures, and a bar that marks the step.

It holds no rows and knows no run. Models filter and sort themselves, because a proxy model takes 14
seconds to sort 250,000 rows. An empty table shows a placeholder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygon,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.tables.export import TableExport
from bpe_studio.gui.tables.model import RowState, TableModel
from bpe_studio.gui.tokens.chips import ChipRow

MARGIN = 6
LEAST_ROWS = 3
N_FIRST = 24
"""The number of first rows that decide whether a column of words runs from right to left."""
CHOSEN_ALPHA = 0.12
AHEAD_OPACITY = 0.45
"""The opacity of chips in a row that is ahead of the step."""
_MOST_BANDS = 12
_LEFT_TO_RIGHT = int(Qt.TextFlag.TextForceLeftToRight)
_RIGHT = Qt.TextElideMode.ElideRight
_TEXT = QPalette.ColorRole.Text


class PlainHeader(QHeaderView):
    """A header of muted titles over a thin line; the sorted column has a small arrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.rowsInserted.connect(self._on_rows_inserted)
            model.modelReset.connect(self._on_reset)

    @Slot(QModelIndex, int)
    def _on_rows_inserted(self, _parent: QModelIndex, first: int) -> None:
        """Repaint, because the first rows decide on which side a title is."""
        if first < N_FIRST:
            self.viewport().update()

    @Slot()
    def _on_reset(self) -> None:
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height() + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        behind = self.length() - self.offset()
        if behind < self.width():
            # Qt fills the space after the last column with the window's colour.
            rest = QRect(behind, 0, self.width() - behind, self.height())
            with QPainter(self.viewport()) as painter:
                painter.fillRect(rest, self.palette().color(QPalette.ColorRole.Base))
                painter.fillRect(
                    rest.adjusted(0, rest.height() - 1, 0, 0),
                    self.palette().color(QPalette.ColorRole.Mid),
                )

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        painter.fillRect(rect, self.palette().color(QPalette.ColorRole.Base))
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        colour = theme.muted(self.palette())
        title = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        is_number = self._is_at_right(section)
        inner = rect.adjusted(MARGIN, 0, -MARGIN, 0)
        painter.setPen(colour)
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        flags = Qt.AlignmentFlag.AlignVCenter | side
        painter.drawText(inner, int(flags), title)
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == section and title:
            width = self.fontMetrics().horizontalAdvance(title)
            middle = inner.right() - width - 9 if is_number else inner.left() + width + 9
            self._paint_arrow(painter, QPoint(middle, rect.center().y()), colour)
        painter.restore()

    def _is_at_right(self, section: int) -> bool:
        """Whether a column holds numbers, or most of its first rows run from right to left."""
        model = self.model()
        if isinstance(model, TableModel) and (
            model.columns[section].is_rtl or model.columns[section].chips
        ):
            n = min(model.rowCount(), N_FIRST)
            return 2 * sum(_is_right_aligned(model.alignment(row, section)) for row in range(n)) > n
        role = Qt.ItemDataRole.TextAlignmentRole
        return _is_right_aligned(model.headerData(section, Qt.Orientation.Horizontal, role))

    def _paint_arrow(self, painter: QPainter, at: QPoint, colour: QColor) -> None:
        down = -1 if self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder else 1
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        points = [QPoint(-4, -2 * down), QPoint(4, -2 * down), QPoint(0, 2 * down)]
        corners = [at + point for point in points]
        painter.drawPolygon(QPolygon(corners))


class CompactTable(HasContextMenu, FollowsLook, QTableView):
    """The table view of the program; its rows are one line high.

    Attributes:
        target_of: gives the target of a cell, by its index and a place of the viewport, or None for
            the whole row; None if no action applies to the rows.

    Signals:
        user_scrolled(): the user scrolled (wheel, bar, keys); code that scrolls uses
        `scroll_quietly`.
        link_chosen: QModelIndex, a number that is a link was clicked, or Enter was pressed on it.
    """

    user_scrolled = Signal()
    link_chosen = Signal(QModelIndex)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.placeholder = ""
        self._hovered_row = -1
        self._hovered_link = -1, -1
        self.lit_link = -1, -1
        self.target_of: Callable[[QModelIndex, QPoint | None], Target | None] | None = None
        self._clicked_at: QPointF | None = None
        self._is_scrolling_quietly = False
        self._samples: Sequence[str | None] = ()
        self.number_columns: frozenset[int] = frozenset()
        self.numeric_font = theme.numeric_font()
        self.digit_px = 0
        self._n_high = 0
        self.setHorizontalHeader(PlainHeader(self))
        self.setItemDelegate(CellDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = self.verticalHeader()
        rows.hide()
        # Sizes that follow content measure every row: 14 seconds for 250,000 of them.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)
        self._fit_rows()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.table_export = TableExport(self)
        self.clicked.connect(self._on_cell_chosen)
        self.activated.connect(self._on_cell_chosen)
        self.follow_look(fit_now=False)

    def minimumSizeHint(self) -> QSize:
        """The size for a few rows; only a table of a fixed height is lower."""
        rows = LEAST_ROWS * self.verticalHeader().defaultSectionSize()
        return (
            super()
            .minimumSizeHint()
            .expandedTo(QSize(0, self.horizontalHeader().sizeHint().height() + rows))
        )

    def set_samples(self, samples: Sequence[str | None]) -> None:
        """Set the width of each column.

        Args:
            samples: for each column of the model, which must be set, the widest text that must fit;
                None: the column takes what is left.
        """
        self._samples = samples
        self.font_changed()

    def fit_columns(self) -> None:
        """Set the widths of the visible columns by the samples of the model, a `TableModel`."""
        model = self.model()
        assert isinstance(model, TableModel)
        if self._hide_columns():
            return  # it has called this method
        samples = model.samples()
        if samples != self._samples:
            self.set_samples(samples)
        else:
            self._share_room()  # other columns may be hidden now

    def show_high(self, n_rows: int) -> None:
        """Keep the height of the heading and a number of rows, at least one, with any font."""
        self._n_high = max(1, n_rows)
        self._fit_rows()

    def scroll_quietly(self, index: QModelIndex, hint: QAbstractItemView.ScrollHint) -> None:
        """Scroll without emitting `user_scrolled`."""
        self._is_scrolling_quietly = True
        try:
            self.scrollTo(index, hint)
        finally:
            self._is_scrolling_quietly = False

    def is_row_visible(self, row: int) -> bool:
        """Whether a row's whole height is on the screen."""
        top = self.rowViewportPosition(row)
        return top >= 0 and top + self.rowHeight(row) <= self.viewport().height()

    def visible_rows(self) -> range:
        """The rows that are on the screen, in full or in part."""
        model = self.model()
        n_rows = 0 if model is None else model.rowCount()
        first = self.rowAt(0)
        last = self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return range(0)
        end = n_rows if last < 0 else last + 1
        return range(first, end)

    def row_rect(self, row: int) -> QRectF:
        """The place of a row in the viewport; empty if it is not visible."""
        if row not in self.visible_rows():
            return QRectF()
        width = min(self.horizontalHeader().length(), self.viewport().width())
        return QRectF(0, self.rowViewportPosition(row), width, self.rowHeight(row))

    def set_placeholder(self, text: str) -> None:
        """Set the text that is shown while there are no rows."""
        if text != self.placeholder:
            self.placeholder = text
            self.viewport().update()

    def _fit_rows(self) -> None:
        self.numeric_font = theme.numeric_font()
        numeric = QFontMetrics(self.numeric_font)
        self.digit_px = max(numeric.horizontalAdvance(letter) for letter in "0,. f")
        row_px = max(self.fontMetrics().height(), numeric.height()) + 6
        self.verticalHeader().setDefaultSectionSize(row_px)
        if self._n_high:
            frame_px = 2 * self.frameWidth()
            self.setFixedHeight(
                self.horizontalHeader().sizeHint().height() + self._n_high * row_px + frame_px
            )

    def width_of(self, column: int, sample: str) -> int:
        """The width of a column whose title and a text fit, in pixels."""
        title = str(self.model().headerData(column, Qt.Orientation.Horizontal) or "")
        arrow_px = 14 if self.isSortingEnabled() else 0
        heading = self.fontMetrics().horizontalAdvance(title) + arrow_px
        numeric = QFontMetrics(self.numeric_font)
        return max(heading, numeric.horizontalAdvance(sample)) + 2 * MARGIN

    def font_changed(self) -> None:
        self._fit_rows()
        header = self.horizontalHeader()
        model = self.model()
        if model is None or len(self._samples) != model.columnCount():
            return
        role = Qt.ItemDataRole.TextAlignmentRole
        numbers = (
            c
            for c in range(len(self._samples))
            if _is_right_aligned(model.headerData(c, Qt.Orientation.Horizontal, role))
        )
        self.number_columns = frozenset(numbers)
        for column, sample in enumerate(self._samples):
            if sample is None:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, self.width_of(column, sample))
        self._share_room()

    def _share_room(self) -> None:
        """Divide the space that is left over by the columns' shares; the largest takes the rest."""
        model = self.model()
        header = self.horizontalHeader()
        if not isinstance(model, TableModel) or len(self._samples) != model.columnCount():
            return
        visible = [
            column for column in range(len(self._samples)) if not self.isColumnHidden(column)
        ]
        shares = {
            column: model.columns[column].share
            for column in visible
            if self._samples[column] is None
        }
        if len(set(shares.values())) < 2:
            # Qt divides it equally.
            for column in shares:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
            return
        others_px = [self.columnWidth(column) for column in visible if column not in shares]
        room = self.viewport().width() - sum(others_px)
        widest = max(shares, key=shares.__getitem__)
        for column, share in shares.items():
            width = max(1, int(room * share / sum(shares.values())))
            if column != widest and header.sectionSize(column) != width:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
                header.resizeSection(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._hide_columns():
            self._share_room()

    def _hide_columns(self) -> bool:
        """Hide the columns that have no room or nothing to show, and return whether any changed."""
        model = self.model()
        is_changed = False
        if not isinstance(model, TableModel):
            return False
        width = self.width() / max(1, self.fontMetrics().height())
        for number, column in enumerate(model.columns):
            is_there = column.is_there is None or column.is_there(model)
            if not column.least_em and not column.is_counted and column.is_there is None:
                continue  # other code may hide it
            is_empty = not is_there or (column.is_counted and not model.has_counts)
            is_hidden = is_empty or width < column.least_em
            if self.isColumnHidden(number) != is_hidden:
                self.setColumnHidden(number, is_hidden)
                is_changed = True
        if is_changed:
            self.fit_columns()
        return is_changed

    def chips_in(self, index: QModelIndex) -> ChipRow | None:
        """The chips in a cell, in the coordinates of the viewport; None if it has none."""
        model = self.model()
        chips = model.chips(index.row(), index.column()) if isinstance(model, TableModel) else None
        cell = QRectF(self.visualRect(index).adjusted(MARGIN, 0, -MARGIN, 0))
        return None if chips is None else chips.row(cell, QFontMetricsF(self.font()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        place = event.position().toPoint()
        self._hover(self.rowAt(place.y()))
        model = self.model()
        if isinstance(model, TableModel) and any(column.is_link for column in model.columns):
            self._hover_link(self.indexAt(place))

    def _hover_link(self, index: QModelIndex) -> None:
        link = (-1, -1)
        shape = Qt.CursorShape.ArrowCursor
        if index.isValid() and self._is_link(index):
            link = (index.row(), index.column())
            shape = Qt.CursorShape.PointingHandCursor
        if link != self._hovered_link:
            self._hovered_link = link
            self.viewport().setCursor(shape)
            self.viewport().update()

    def _is_link(self, index: QModelIndex) -> bool:
        model = self.model()
        return isinstance(model, TableModel) and model.is_link(index.row(), index.column())

    @Slot(QModelIndex)
    def _on_cell_chosen(self, index: QModelIndex) -> None:
        if self._is_link(index):
            self.link_chosen.emit(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._clicked_at = event.position()
        super().mouseReleaseEvent(event)

    def take_click(self) -> QPointF | None:
        """The place of the last click in the viewport, once; None for a row that keys chose."""
        place = self._clicked_at
        self._clicked_at = None
        return place

    def target_at(self, place: QPoint) -> Target | None:
        index = self.indexAt(place)
        if self.target_of is None or not index.isValid():
            return None
        return self.target_of(index, place)

    def current_target(self) -> tuple[Target | None, QPoint]:
        index = self.currentIndex()
        if not index.isValid():
            return None, self.viewport().rect().center()
        self.scrollTo(index)
        rect = self.visualRect(index.siblingAtColumn(0))
        target = self.target_of(index, None) if self.target_of is not None else None
        return target, QPoint(max(0, rect.left()) + MARGIN, rect.bottom())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)
        self._hover_link(QModelIndex())

    def _hover(self, row: int) -> None:
        if row != self._hovered_row:
            self._hovered_row = row
            self.viewport().update()

    def _on_scrolled(self) -> None:
        if not self._is_scrolling_quietly:
            self.user_scrolled.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt would call a delegate for each cell, from C++ to Python and back, with an index and a
        # style option, which takes twice as long for a row.
        with QPainter(self.viewport()) as painter:
            model = self.model()
            if isinstance(model, TableModel) and model.rowCount():
                # Distant rows are repainted without the rows between them.
                bands = event.region()
                rects = bands if bands.rectCount() <= _MOST_BANDS else (event.rect(),)
                for rect in rects:  # type: ignore[union-attr]
                    painter.setClipRect(rect)
                    self._paint_rows(painter, rect, model)
            elif self.placeholder:
                painter.setPen(theme.muted(self.palette()))
                room = self.viewport().rect()
                low = max(0, min(16, (room.height() - painter.fontMetrics().height()) // 2))
                inner = room.adjusted(16, low, -16, -low)
                flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(
                    inner, int(flags) | int(Qt.TextFlag.TextWordWrap), self.placeholder
                )

    def _paint_rows(self, painter: QPainter, dirty: QRect, model: TableModel) -> None:
        first = self.rowAt(dirty.top())
        last = self.rowAt(dirty.bottom())
        if first < 0:
            return
        last = model.rowCount() - 1 if last < 0 else last
        height = self.rowHeight(first)
        top = self.rowViewportPosition(first)
        palette = self.palette()
        cells = [Cell(model, row, 0, palette, state) for row, state in model.states(first, last)]
        chosen = {index.row() for index in self.selectionModel().selectedRows()}
        focused_row = self.currentIndex().row() if self.hasFocus() else -1
        current = self.currentIndex()
        is_on_link = focused_row >= 0 and self._is_link(current)
        self.lit_link = (focused_row, current.column()) if is_on_link else self._hovered_link
        ink = palette.color(_TEXT)
        ground = QRect(0, top, self.horizontalHeader().length(), height)
        for cell in cells:
            if cell.row == self._hovered_row:
                painter.fillRect(ground, palette.brush(QPalette.ColorRole.Midlight))
            is_selected = model.is_selected(cell.row)
            if is_selected or cell.row in chosen:
                # Translucent, so that text and tokens stay legible; the accent colour is for the
                # step.
                painter.fillRect(ground, theme.with_alpha(ink, CHOSEN_ALPHA))
            if is_selected:
                _mark_selected(painter, ground, ink)
            if cell.state is RowState.CURRENT:
                _mark_step(painter, ground, theme.accent(palette))
            if cell.row == focused_row:
                painter.setPen(QPen(theme.with_alpha(ink, 0.8)))
                painter.drawRect(ground.adjusted(0, 0, -1, -1))
            ground.translate(0, height)
        for column in range(model.columnCount()):
            left = self.columnViewportPosition(column) + MARGIN
            width = self.columnWidth(column) - 2 * MARGIN
            delegate = self.itemDelegateForColumn(column) or self.itemDelegate()
            if width > 0 and isinstance(delegate, CellDelegate):
                delegate.paint_column(painter, QRect(left, top, width, height), column, cells)


class Cell(NamedTuple):
    """A cell to paint: its place in a model, the palette, and the state of its row."""

    model: TableModel
    row: int
    column: int
    palette: QPalette
    state: RowState

    @property
    def is_ahead(self) -> bool:
        """Whether it is dimmed."""
        return self.state is RowState.AHEAD


class CellDelegate(QStyledItemDelegate):
    """Paints the cells of a `CompactTable`: their chips, or their texts."""

    def paint_column(
        self, painter: QPainter, rect: QRect, column: int, cells: Sequence[Cell]
    ) -> None:
        """Paint the visible cells of a column; `rect` is the place of the first."""
        for model, row, _, palette, state in cells:
            painter.save()
            self.paint_content(painter, rect, Cell(model, row, column, palette, state))
            painter.restore()
            rect.translate(0, rect.height())

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        """Paint the content of a cell into `rect`; subclasses draw bars here."""
        chips = cell.model.chips(cell.row, cell.column)
        if chips is not None:
            opacity = AHEAD_OPACITY if cell.is_ahead else 1.0
            painter.setOpacity(opacity)
            chips.paint(painter, rect, cell.palette)
            return
        text = cell.model.text(cell.row, cell.column)
        if not text:
            return
        table = self.parent()
        is_short = False
        if isinstance(table, CompactTable) and cell.column in table.number_columns:
            painter.setFont(table.numeric_font)
            is_short = len(text) * table.digit_px <= rect.width()
        painter.setPen(_ink(cell.palette.cacheKey(), cell.palette, cell.is_ahead))
        if isinstance(table, CompactTable) and table.lit_link == (cell.row, cell.column):
            font = QFont(painter.font())
            font.setUnderline(True)
            painter.setFont(font)
        if not is_short:
            text = painter.fontMetrics().elidedText(text, _RIGHT, rect.width())
        painter.drawText(rect, cell.model.alignment(cell.row, cell.column) | _LEFT_TO_RIGHT, text)


def _mark_step(painter: QPainter, rect: QRect, accent: QColor) -> None:
    painter.fillRect(rect, theme.with_alpha(accent, 0.14))
    painter.fillRect(QRect(rect.topLeft(), QSize(3, rect.height())), accent)


def _mark_selected(painter: QPainter, rect: QRect, ink: QColor) -> None:
    """Paint a small arrow head at the row's edge."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    middle = rect.center().y() + 1
    # It is beside the digits of the first column.
    back = rect.left() + 1
    tip = rect.left() + MARGIN - 1
    points = [QPoint(back, middle - 4), QPoint(tip, middle), QPoint(back, middle + 4)]
    painter.drawPolygon(QPolygon(points))
    painter.restore()


_INKS: dict[tuple[int, bool], QPen] = {}
_MOST_INKS = 64


def _ink(key: int, palette: QPalette, is_ahead: bool) -> QPen:
    """The pen of a cell's text; cached, because hundreds of cells are painted in a frame."""
    pen = _INKS.get((key, is_ahead))
    if pen is None:
        if len(_INKS) >= _MOST_INKS:
            _INKS.clear()
        colour = theme.with_alpha(theme.muted(palette), 0.8) if is_ahead else palette.color(_TEXT)
        pen = _INKS[key, is_ahead] = QPen(colour)
    return pen


def _is_right_aligned(alignment: object) -> bool:
    return alignment is not None and bool(int(alignment) & int(Qt.AlignmentFlag.AlignRight))  # type: ignore[call-overload]
