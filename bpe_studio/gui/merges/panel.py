"""The merges table: every merge learned so far, the current step among them, a filter, and a way back to the step.

The table follows the step, which while running is the newest merge, until the person scrolls it out of sight; then a
button offers to follow again. It draws the workspace and asks it to go to a step; it changes nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QPushButton,
    QWidget,
)

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.explain.wording import plural
from bpe_studio.gui.background.panel_refresh import AT_ONCE, PanelRefresh, every
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.merges.model import MergeModel
from bpe_studio.gui.tables.filtered_table import FilteredTable
from bpe_studio.gui.tables.view import Arriving, Cell, CellDelegate
from bpe_studio.gui.tokens.chips import paint_token_chips
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.gui.tokens.merge_animation import MergeAnimation
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

GROW_MS = 20
_AHEAD_OPACITY = 0.45


class MergesPanel(QWidget):
    """Filter, table and the button that follows."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._is_following = True
        self._locale = grouping_locale()
        self._samples: list[str | None] = []
        self.model = MergeModel(self)
        self._resized = _single_shot(self, 0, self._follow_step)
        self._build()
        self._refresh = PanelRefresh(self, workspace, self._show_growth, at_rest=AT_ONCE, running=every(GROW_MS))
        self._connect()
        self._on_run_changed()

    def _build(self) -> None:
        filtered = FilteredTable(
            self.model,
            order=(MergeModel.RANK, Qt.SortOrder.AscendingOrder),
            none_matches="No token contains “{}”",
            none_at_all=self._none_at_all,
            all_in_words=_n_merges,
            parent=self,
        )
        self.show_count = filtered.show_count
        tip = "Show only the merges whose token contains this text; ␣ or a space finds spaces"
        self.filter = named(filtered.filter, "merges.filter", "Filter merges", tip)
        self.filter.setPlaceholderText("Filter tokens")
        tip = "How many merges are shown, of all that are learned"
        self.count = named(filtered.count, "merges.count", "Merges shown", tip)
        self.table = named(filtered.table, "merges.table", "Merges")
        self.follow = QPushButton("Follow the step", self.table)
        tip = "Scroll back to the step and keep it in sight"
        named(self.follow, "merges.follow", "Follow the step in the merges table", tip).hide()
        self.table.setItemDelegateForColumn(MergeModel.PAIR, PairDelegate(self.table))
        self._fit_columns()
        column(filtered, parent=self, margins=PANEL_MARGINS)
        # Over the table and not next to the filter, so that nothing moves when it comes and goes.
        self.table.installEventFilter(self)

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.run_grew.connect(self._refresh.request)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.state_changed.connect(self._on_state_changed)
        self.follow.clicked.connect(self._on_follow_clicked)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.table.looked_away.connect(self._on_looked_away)
        self.model.modelReset.connect(self._on_rows_changed)
        self.model.rowsInserted.connect(self._on_rows_changed)
        self._workspace.selection.changed.connect(self._on_selected)

    def minimumSizeHint(self) -> QSize:
        # Five columns with short tokens, in whichever text size; and a row or two.
        em = self.fontMetrics().height()
        return QSize(11 * em, super().minimumSizeHint().height())

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._is_following = True
        self._refresh.cancel()
        self.model.set_step(self._workspace.step)
        self.model.set_run(self._workspace.run, self._workspace.n_merges)
        self.show_count()
        self._follow_step()

    @Slot(object)
    def _on_step_changed(self, step: int) -> None:
        self.model.set_step(step)
        if self._workspace.state is not State.running:
            # The person moved the step by hand, here or elsewhere: everything moves with it.
            self._is_following = True
        self._refresh.request()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        self._refresh.now()
        self.show_count()

    def _show_growth(self) -> None:
        if self._workspace.run is not None:
            self.model.grow(self._workspace.n_merges)
        self.table.viewport().update()
        self._follow_step()

    # What the person does.

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        rank = self.model.source_row(index.row())
        self._workspace.transport.go_to(rank + 1)
        self._workspace.selection.select_merge(rank)

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        """Mark the merge that made the selected token, and scroll to it."""
        run = self._workspace.run
        rank = (
            selected.token - run.n_alphabet if selected is not None and run is not None and selected.token >= 0 else -1
        )
        self.model.set_selected(rank)
        row = self.model.row_of(rank) if 0 <= rank < self.model.n_rows else -1
        if row >= 0 and not self.table.is_row_visible(row):
            self.table.scroll_quietly(self.model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
            self._is_following = self._is_step_visible()
            self._show_follow()
        self.table.viewport().update()

    @Slot(object)
    def show_merge(self, animation: MergeAnimation | None) -> None:
        """Show the step on its way to the merge that is made, if both rows can be seen; None: it is there."""
        arriving = None
        if (
            animation is not None
            and self.table.isVisible()
            and self.model.is_natural
            and animation.rank < self.model.n_rows
        ):
            row, is_first = self.model.row_of(animation.rank), animation.rank == 0
            if row >= 0 and (is_first or self.model.row_of(animation.rank - 1) == row - 1):
                is_made = animation.step > animation.rank
                opacity = animation.between(_AHEAD_OPACITY, 1.0) if is_made else 1.0
                arriving = Arriving(row, animation.closeness, is_first, opacity)
        self.table.set_arriving(arriving)

    @Slot()
    def _on_looked_away(self) -> None:
        self._is_following = self._is_step_visible()
        self._show_follow()

    @Slot()
    def _on_follow_clicked(self) -> None:
        self._is_following = True
        self._follow_step()
        self.table.setFocus()

    # How it shows.

    @Slot()
    def _on_rows_changed(self) -> None:
        self._fit_columns()
        self.show_count()
        self._follow_step()

    def _row_of_step(self) -> int:
        """The row to keep in sight; -1 where there is none, or where the order has no place that is "now"."""
        n_rows = self.model.rowCount()
        if n_rows == 0 or not self.model.is_natural:
            return -1
        is_running = self._workspace.state is State.running
        rank = self.model.n_rows - 1 if is_running else self._workspace.step - 1
        return max(0, self.model.row_at_or_before(rank))

    def _is_step_visible(self) -> bool:
        row = self._row_of_step()
        return row < 0 or self.table.is_row_visible(row)

    def _follow_step(self) -> None:
        row = self._row_of_step()
        if self._is_following and row >= 0:
            is_tail = row == self.model.rowCount() - 1
            hint = QAbstractItemView.ScrollHint
            if is_tail:
                self.table.scroll_quietly(self.model.index(row, 0), hint.PositionAtBottom)
            elif not self.table.is_row_visible(row):
                self.table.scroll_quietly(self.model.index(row, 0), hint.PositionAtCenter)
        self._show_follow()

    def _show_follow(self) -> None:
        self.follow.setVisible(not self._is_following and self._row_of_step() >= 0)
        self._place_follow()

    def _place_follow(self) -> None:
        size, room = self.follow.sizeHint(), self.table.viewport().geometry()
        self.follow.setGeometry(QRect(room.bottomRight() - QPoint(size.width() + 8, size.height() + 8), size))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and event.type() == QEvent.Type.Resize:
            self._place_follow()
            # Once the table has its new size: the row of the step stays in sight.
            self._resized.start()
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        """Give each number the room of its longest value, so that tokens have the rest."""
        n, run = self._workspace.n_merges, self._workspace.run
        number = self._locale.toString
        highest = max(1, int(run.columns.count[:n].max())) if run is not None and n else 1000
        most_tied = int(run.columns.tied[:n].max()) if run is not None and n else 10
        is_any_forced = run is not None and bool(run.columns.forced[:n].any())
        longest = [number(10 ** (len(str(value)) - 1)) for value in (max(n, 1000), highest, max(most_tied, 10))]
        samples = [longest[0], None, None, longest[1], "forced" if is_any_forced else longest[2]]
        if samples != self._samples:
            self._samples = samples
            self.table.set_samples(samples)

    def _none_at_all(self) -> str:
        if self._workspace.run is None:
            return "Open a text to learn merges from it"
        return "No merge yet: run, or take the first step"


class PairDelegate(CellDelegate):
    """The two tokens of a merge as neighbouring chips, in the colours that neighbours have everywhere."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, MergeModel)
        left, right, _ = model.names_of(model.source_row(cell.row))
        if cell.is_ahead:
            painter.setOpacity(painter.opacity() * _AHEAD_OPACITY)
        is_rtl = is_right_to_left(left) or is_right_to_left(right)
        paint_token_chips(painter, rect, (left, right), cell.palette, is_rtl=is_rtl)


def _n_merges(n: int) -> str:
    return plural(n, "merge") if n else ""


def _single_shot(parent: QWidget, delay_ms: int, slot: object) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(delay_ms)
    timer.timeout.connect(slot)
    return timer
