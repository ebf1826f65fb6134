"""The merges table: all merges learned so far, with a filter and the current step marked.

The table scrolls with the step (with the newest merge while training runs) until the user scrolls
away from it; then a button offers to follow it again. A click selects a merge and goes to its step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QPushButton,
    QWidget,
)

from bpe_studio.explain.merges import no_merges_text
from bpe_studio.explain.wording import plural
from bpe_studio.gui.actions_on.targets import Target, merge_target
from bpe_studio.gui.background.panel import Panel, every
from bpe_studio.gui.merges.model import MergeModel
from bpe_studio.gui.tables.filtered_table import FilteredTable, ObjectNames
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

GROW_MS = 20


class MergesPanel(Panel):
    """The filter, the table and the button "Follow the step"."""

    while_training = every(GROW_MS)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._is_following = True
        self._hides_later = False
        self.model = MergeModel(self)
        self._resized = QTimer(self, singleShot=True, interval=0)
        self._resized.timeout.connect(self._follow_step)
        self._build()
        self._connect()
        self._on_run_changed()

    def _build(self) -> None:
        self.filtered = FilteredTable(
            self.model,
            self._workspace,
            names=ObjectNames("merges.filter", "merges.count", "merges.table"),
            label="Merges",
            rows="merges",
            contain="whose token contains this text",
            of_all="of all that are learned",
            order=(MergeModel.RANK, Qt.SortOrder.AscendingOrder),
            no_match="No token contains “{}”",
            no_rows=self._no_rows,
            all_shown=_n_merges,
            parent=self,
        )
        self.show_count = self.filtered.show_count
        self.filter, self.count, self.table = (
            self.filtered.filter,
            self.filtered.count,
            self.filtered.table,
        )
        self.filter.setPlaceholderText("Filter tokens")
        self.follow = QPushButton("Follow the step")
        tip = "Scroll back to the step and keep it in sight"
        named(self.follow, "merges.follow", "Follow the step in the merges table", tip).hide()
        # In the heading, where it covers no row and nothing moves when it comes and goes.
        self.heading_items = QWidget(self)
        row(STRETCH, self.follow, parent=self.heading_items)
        self.table.target_of = self._target_of
        column(self.heading_items, (self.filtered, 1), parent=self, margins=PANEL_MARGINS)
        self.table.installEventFilter(self)

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.run_grew.connect(self.request_refresh)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.state_changed.connect(self._on_state_changed)
        self.follow.clicked.connect(self._on_follow_clicked)
        self.filtered.chosen.connect(self._on_chosen)
        self.filtered.filtered.connect(self._on_filtered)
        self.table.user_scrolled.connect(self._on_user_scrolled)
        self.model.modelReset.connect(self._on_rows_changed)
        self.model.rowsInserted.connect(self._on_rows_changed)
        self._workspace.selection.changed.connect(self._on_selected)

    def minimumSizeHint(self) -> QSize:
        # Wide enough for five columns with short tokens, whatever the font size; high enough for a
        # row or two.
        em = self.fontMetrics().height()
        return QSize(11 * em, super().minimumSizeHint().height())

    def hide_later(self, hides_later: bool) -> None:
        """Show no merge after the step, as while the next one is asked for."""
        if hides_later != self._hides_later:
            self._hides_later = hides_later
            self._on_run_changed()

    @property
    def _n_shown(self) -> int:
        n_merges = self._workspace.n_merges
        step = self._workspace.step
        return min(n_merges, step) if self._hides_later else n_merges

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._is_following = True
        self.cancel_refresh()
        self.model.set_step(self._workspace.step)
        self.model.set_run(self._workspace.run, self._n_shown)
        self.show_count()
        self._follow_step()

    @Slot(object)
    def _on_step_changed(self, step: int) -> None:
        self.model.set_step(step)
        if self._hides_later:
            self._on_run_changed()
        if self._workspace.state is not State.running:
            # The user moved the step, in this panel or elsewhere, so the table follows it again.
            self._is_following = True
        self.follow_step()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        self.refresh()
        self.show_count()

    def show_state(self) -> None:
        if self._workspace.run is not None:
            self.model.grow(self._n_shown)
        self.table.viewport().update()
        self._follow_step()

    # User actions.

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        rank = self.model.source_row(index.row())
        self._workspace.transport.go_to(rank + 1)
        self._workspace.selection.select_merge(rank)

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        return merge_target(self._workspace.run, self.model.source_row(index.row()))

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        """Mark the merge that made the selected token, and scroll to it."""
        run = self._workspace.run
        rank = (
            selected.token - run.n_alphabet
            if selected is not None and run is not None and selected.token >= 0
            else -1
        )
        self.model.selected = rank
        if rank < self.model.n_rows and self.filtered.show_source_row(rank):
            self._is_following = self._is_step_visible()
            self._show_follow()
        self.table.viewport().update()

    def row_rect(self, rank: int) -> QRectF:
        """Where the row of a merge is in the table's viewport; empty if it is not visible."""
        row = self.model.row_of(rank) if rank < self.model.n_rows else -1
        return self.table.row_rect(row)

    @Slot()
    def _on_user_scrolled(self) -> None:
        self._is_following = self._is_step_visible()
        self._show_follow()

    @Slot()
    def _on_follow_clicked(self) -> None:
        self._is_following = True
        self._follow_step()
        self.table.setFocus()

    # Display.

    @Slot()
    def _on_filtered(self) -> None:
        """Show what was looked for; without a filter the table follows the step again."""
        self._is_following = not self.filter.text()
        self._show_rows()

    @Slot()
    def _on_rows_changed(self) -> None:
        self.table.fit_columns()
        self.show_count()
        self._show_rows()

    def _show_rows(self) -> None:
        if self.filter.text() and not self._is_following:
            self.filtered.show_best_match()
        self._follow_step()

    def _row_of_step(self) -> int:
        """The row to keep in sight; -1 if there is none, or if the rows are not sorted by rank."""
        n_rows = self.model.rowCount()
        if n_rows == 0 or not self.model.is_natural:
            return -1
        is_running = self._workspace.state is State.running
        rank = self.model.n_rows - 1 if is_running else self._workspace.step - 1
        return max(0, self.model.row_at_or_before(rank))

    def _is_step_visible(self) -> bool:
        row = self._row_of_step()
        return row < 0 or self.table.is_row_visible(row)

    @Slot()
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and event.type() == QEvent.Type.Resize:
            # When the table has its new size, scroll the row of the step into view again.
            self._resized.start()
        return super().eventFilter(watched, event)

    def _no_rows(self) -> str:
        if self._workspace.run is None:
            return "Open a text to learn merges from it"
        return "Training …" if self.is_training else no_merges_text(self._workspace.stop_reason)


def _n_merges(n: int) -> str:
    return plural(n, "merge") if n else ""
