"""The merges table: all merges learned so far, with a filter and the current step marked.

The table scrolls with the step, or with the newest merge while a run trains, until the user scrolls
away; then a button offers to follow again. A click selects a merge and goes to its step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QPushButton,
    QWidget,
)

from bpe_studio.explain.merges import WITHOUT_TEXT, forced_by, has_pairs, no_merges_text, saved_by
from bpe_studio.explain.names import display_name, is_right_to_left, isolated
from bpe_studio.explain.wording import percent, plural, times
from bpe_studio.gui.actions_on.targets import Target, merge_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Panel, every
from bpe_studio.gui.tables.filtered_table import FilteredTable, ObjectNames
from bpe_studio.gui.tables.model import NO_VALUE, Column, Export, RowState, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.merge_log import MergeColumns
    from bpe_studio.engine.training.source_shares import SourceCounts
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

GROW_MS = 20
MOSTLY = 0.995
"""The share above which a file counts as the only one."""
MOST_TOLD = 5
"""The most files that a tooltip names."""
REST_MS = 300
"""The pause in training after which the counts of files are requested."""


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
        self._counting = LatestAnswer(_counted_by_file, self, rest_ms=REST_MS)
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
            unit="merge",
            parent=self,
        )
        self.show_count = self.filtered.show_count
        self.filter = self.filtered.filter
        self.count = self.filtered.count
        self.table = self.filtered.table
        self.filter.setPlaceholderText("Filter tokens")
        self.follow = QPushButton("Follow the step")
        tip = "Scrolls back to the step and keeps it in sight"
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
        self._counting.answered.connect(self._on_counted)
        self.table.user_scrolled.connect(self._on_user_scrolled)
        self.model.modelReset.connect(self._on_rows_changed)
        self.model.rowsInserted.connect(self._on_rows_changed)
        self._workspace.selection.changed.connect(self._on_selected)

    def minimumSizeHint(self) -> QSize:
        # Room for five columns with short tokens, at any font size, and for a row or two.
        em = self.fontMetrics().height()
        return QSize(11 * em, super().minimumSizeHint().height())

    def hide_later(self, hides_later: bool) -> None:
        """Hide the merges after the step, for example while a lesson asks for the next."""
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
        run = self._workspace.run
        self.model.set_run(run, self._n_shown)
        if run is not None:
            self._ask_for_files(run)
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
        run = self._workspace.run
        if run is not None:
            self.model.grow(self._n_shown)
            self._ask_for_files(run)
        self.table.viewport().update()
        self._follow_step()

    def _ask_for_files(self, run: Run) -> None:
        if len(run.corpus.sources) > 1 and len(run.columns):
            self._counting.ask(run)

    @Slot(object)
    def _on_counted(self, found: tuple[Run, SourceCounts]) -> None:
        """Show the share of each count that each file gave."""
        run, counts = found
        if run is self._workspace.run:
            self.model.set_source_counts(counts)
            self.table.fit_columns()
            self.table.viewport().update()

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
        rank = -1 if selected is None or run is None else run.rank_of(selected.token)
        self.model.selected = rank
        if rank < self.model.n_rows and self.filtered.show_source_row(rank):
            self._is_following = self._is_step_visible()
            self._show_follow()
        self.table.viewport().update()

    def row_rect(self, rank: int) -> QRectF:
        """The place of a merge's row in the table's viewport; empty if it is not visible."""
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
        """Show the best match, or, without a filter, follow the step again."""
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


def _counted_by_file(run: Run) -> tuple[Run, SourceCounts]:
    return run, run.source_counts()


def _numbers(name: str, title: str = "") -> Export[MergeModel]:
    """Exports a column of the run's merges."""
    return Export(title or name, lambda model, rows, run: model.numbers(name, rows))


def _names(name: str) -> Export[MergeModel]:
    """Exports a column of token ids as the tokens' names."""
    return Export(name, lambda model, rows, run: model.log_names(model.numbers(name, rows)))


"""Shown in place of a count if there is no text to count in."""


class MergeModel(SortedTableModel):
    """The merges of a run, in the order in which they were learned.

    Going to a step sets a number (`set_step`), never another model. The column `tied` has the
    number of pairs with the winner's count, or "forced".
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._is_counted = False
        self._step = 0
        self._source_counts: SourceCounts | None = None

    def set_source_counts(self, counts: SourceCounts) -> None:
        """Set the counts of the pairs in each file, for the column of files."""
        self._source_counts = counts

    def set_run(self, run: Run | None, n_merges: int) -> None:
        """Show another run's first `n_merges` merges."""
        if run is None and self._run is None:
            return
        self._run = run
        self._source_counts = None
        self._is_counted = run is not None and has_pairs(run)
        if run is None:
            self.reset_rows(0, NameIndex(str))
        else:
            self.reset_rows(n_merges, NameIndex(partial(display_name, run)))

    @property
    def has_counts(self) -> bool:
        """Whether any pair was counted, in the corpus or while a tokenizer was extended."""
        return self._is_counted or self._run is None or bool(self._logged.count[: self._n].any())

    def set_step(self, step: int) -> None:
        """Set the number of merges that apply; the view repaints itself, as no text changes."""
        self._step = step

    def number_of(self, row: int) -> int:
        return self.source_row(row)

    def names_of(self, rank: int) -> tuple[str, str, str]:
        """The left token, the right token and the token of a merge, as a user reads them."""
        assert self._run is not None
        columns = self._run.columns
        name = self._names.name
        return (
            name(int(columns.left[rank])),
            name(int(columns.right[rank])),
            name(self._run.token_of(rank)),
        )

    def n_names(self, n_rows: int) -> int:
        return self.first_name() + n_rows

    def first_name(self) -> int:
        return self._run.n_alphabet if self._run else 0

    @property
    def _logged(self) -> MergeColumns:
        assert self._run is not None
        return self._run.columns

    # The columns, one after another.

    def _rank(self, row: int) -> str:
        return self._locale.toString(self.source_row(row) + 1)

    def _widest_rank(self) -> str:
        return widest_number(self._n, 1000)

    def _rank_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        return np.arange(n)

    def _pair(self, row: int) -> Chips:
        return Chips.of(*self.names_of(self.source_row(row))[:2])

    def _pair_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        ranks = self._names.ranks
        assert ranks is not None
        left = ranks[self._logged.left[:n]].astype(np.int64)
        right = ranks[self._logged.right[:n]]
        return left * len(ranks) + right

    def _token(self, row: int) -> str:
        return isolated(self._names.name(self.first_name() + self.source_row(row)))

    def _token_order(self, n: int) -> NDArray[Any]:
        assert self._names.ranks is not None
        return self._names.ranks[self.first_name() : self.first_name() + n]

    def _is_token_rtl(self, row: int) -> bool:
        return is_right_to_left(self._names.name(self.first_name() + self.source_row(row)))

    def _count(self, row: int) -> str:
        count = int(self._logged.count[self.source_row(row)])
        return self._locale.toString(count) if count or self._is_counted else NO_VALUE

    def _count_order(self, n: int) -> NDArray[Any]:
        return self._logged.count[:n]

    def _widest_count(self) -> str:
        most = int(self._logged.count[: self._n].max()) if self._n else 1000
        return widest_number(most)

    def _tied(self, row: int) -> str:
        rank = self.source_row(row)
        tied = int(self._logged.tied[rank])
        if not self._is_counted:
            return NO_VALUE
        if self._logged.forced[rank]:
            return "forced" if self._run is None or rank >= self._run.n_seed else "given"
        return self._locale.toString(tied) if tied > 1 else ""

    def _tied_order(self, n: int) -> NDArray[Any]:
        return self._logged.tied[:n]

    def _widest_tied(self) -> str:
        if self._n and bool(self._logged.forced[: self._n].any()):
            return "forced"
        most = int(self._logged.tied[: self._n].max()) if self._n else 10
        return widest_number(most, 10)

    def _has_sources(self) -> bool:
        return self._source_counts is not None

    def _shares(self, rank: int) -> list[tuple[str, float]]:
        """The files that gave most of a count, the largest first, and their shares."""
        counts = self._source_counts
        if counts is None or rank >= counts.counts.shape[1]:
            return []
        return sorted(counts.shares(rank).items(), key=lambda each: -each[1])

    def _source(self, row: int) -> str:
        for name, share in self._shares(self.source_row(row)):
            stem = isolated(name.rpartition(".")[0] or name)
            is_all = share > MOSTLY
            return stem if is_all else f"{percent(share, 0)} {stem}"
        return ""

    def _source_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        counts = self._source_counts
        order = np.full(n, np.inf)
        if counts is not None:
            shares = counts.all_shares()[:, :n]
            order[: shares.shape[1]] = shares.argmax(axis=0) - shares.max(axis=0)
        return order

    # Columns of the exported table.

    def _exported_sources(self, rows: Sequence[int], run: Run | None) -> list[str]:
        texts = []
        for rank in self.source_rows(rows):
            shares = [f"{name} {percent(share, 1)}" for name, share in self._shares(rank)]
            texts.append(", ".join(shares))
        return texts

    def _ranks(self, rows: Sequence[int], run: Run | None) -> list[int]:
        return self.source_rows(rows)

    def numbers(self, name: str, rows: Sequence[int]) -> list[int]:
        """The numbers of a column of the run's merges, such as "n_tokens", for some rows."""
        values: list[int] = getattr(self._logged, name)[self.source_rows(rows)].tolist()
        return values

    def log_names(self, tokens: Iterable[int]) -> list[str]:
        """The names of some tokens, as logs and tokenizer files write them."""
        assert self._run is not None
        return [self._run.token_name(token) for token in tokens]

    def _ids(self, rows: Sequence[int]) -> list[int]:
        return [self.first_name() + rank for rank in self.source_rows(rows)]

    def _exported_tokens(self, rows: Sequence[int], run: Run | None) -> list[str]:
        return self.log_names(self._ids(rows))

    def _exported_bytes(self, rows: Sequence[int], run: Run | None) -> list[str]:
        assert self._run is not None
        return [self._run.token_content(token).hex(" ") for token in self._ids(rows)]

    def _exported_as_shown(self, rows: Sequence[int], run: Run | None) -> list[str]:
        assert self._run is not None
        return [display_name(self._run, token) for token in self._ids(rows)]

    columns = (
        Column(
            "merge",
            "The number of the merge, from 1",
            _rank,
            sample=_widest_rank,
            sort_key=_rank_order,
            exports=(Export("rank", _ranks),),
        ),
        Column(
            "pair",
            "The two neighbouring tokens that this merge joins",
            is_number=False,
            share=1.3,
            chips=_pair,
            sort_key=_pair_order,
            sorts_by_name=True,
            exports=(_names("left"), _names("right")),
        ),
        Column(
            "token",
            "The token that they make",
            _token,
            is_number=False,
            is_rtl=_is_token_rtl,
            least_em=19,
            sort_key=_token_order,
            sorts_by_name=True,
            exports=(
                Export("token", _exported_tokens),
                Export("bytes of the token", _exported_bytes),
            ),
        ),
        Column(
            "count",
            "The count of the pair when it was merged",
            _count,
            is_counted=True,
            sample=_widest_count,
            sort_key=_count_order,
            exports=(_numbers("count"),),
        ),
        Column(
            "tied",
            "Number of pairs that shared the highest count; 1 means no tie",
            _tied,
            least_em=16,
            is_counted=True,
            sample=_widest_tied,
            sort_key=_tied_order,
            exports=(_numbers("tied"), _numbers("forced")),
        ),
        Column(
            "most from",
            "The file that gave most of the count, and its share",
            _source,
            is_number=False,
            least_em=30,
            share=1.3,
            is_there=_has_sources,
            sort_key=_source_order,
            exports=(Export("files", _exported_sources),),
        ),
    )
    extra_exports = (
        _numbers("n_tokens", "tokens afterwards"),
        Export("token as shown", _exported_as_shown),
    )
    RANK, PAIR, TOKEN, COUNT, TIED, SOURCE = range(len(columns))

    def state(self, row: int) -> RowState:
        rank = self.source_row(row)
        if rank == self._step - 1:
            return RowState.CURRENT
        return RowState.AHEAD if rank >= self._step else RowState.APPLIED

    def tip(self, row: int, column: int) -> str:
        assert self._run is not None
        rank = self.source_row(row)
        columns = self._run.columns
        number = self._locale.toString
        left, right, token = map(isolated, self.names_of(rank))
        lines = [f"{left} + {right} → {token}"]
        if not self._is_counted:
            return "\n".join([*lines, *(saved_by(self._run, rank) or [WITHOUT_TEXT])])
        lines.append(f"occurred {times(int(columns.count[rank]))} in the corpus when it was merged")
        shares = self._shares(rank)
        lines += [f"{percent(share)} in {isolated(name)}" for name, share in shares[:MOST_TOLD]]
        if columns.forced[rank]:
            lines.append(f"{forced_by(self._run, rank)}, whatever the counts")
        elif columns.tied[rank] > 1:
            lines.append(f"{number(int(columns.tied[rank]))} pairs were equally frequent")
        lines.append(f"{plural(int(columns.n_tokens[rank]), 'token')} in the corpus afterwards")
        return "\n".join(lines)
