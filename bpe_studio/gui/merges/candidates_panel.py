"""The candidates for the next merge at the step: their counts as bars, the winner, and its reason.

The selected row is the selected pair, in whichever panel it was selected; the button below the
table overrides the pair. Counting takes a pass over the corpus, so the thread pool does it, after a
delay. While a run plays faster than a user can follow, the list is counted a few times a second; at
full speed, the last list stays, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.candidates import FORBIDDEN, SKIPPED, CandidateList, list_candidates
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import percent, times
from bpe_studio.gui.actions_on.targets import Target, pair_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, StepNote, every, resting
from bpe_studio.gui.look import theme
from bpe_studio.gui.merges.what_if import WhatIfButton
from bpe_studio.gui.tables.model import ISOLATES, Column, Export, Index, TableModel, widest_number
from bpe_studio.gui.tables.selection import TableSelection
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import Chips, natural_width
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.possible import PAUSE_FIRST

if TYPE_CHECKING:
    from bpe_studio.explain.candidates import CandidateRow
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.files.lessons.records import Question
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 30
FAST_MS = 250
ARROW_GAP_PX = 4


class CandidatesPanel(Panel):
    """The table of candidates and the sentence below it.

    Signals:
        counted: CandidateList, the candidates that are shown now.
    """

    at_rest = resting(REST_MS)
    while_training = every(FAST_MS)
    needs = Needs.paced_run
    counted = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._shown: CandidateList | None = None
        self.model = CandidateModel(self)
        self._job = LatestAnswer(list_candidates, self, in_turn_of=workspace, keeps_late=True)
        self._build()
        self._connect()
        self._on_run_changed()

    def _build(self) -> None:
        self.table = CompactTable(self)
        self.table.setObjectName("candidates.table")
        self.table.setAccessibleName("Candidates for the next merge")
        self.table.setModel(self.model)
        self._table_selection = TableSelection(self.table)
        self.table.setItemDelegateForColumn(CandidateModel.PAIR, CandidateDelegate(self.table))
        self.table.setItemDelegateForColumn(CandidateModel.BAR, BarDelegate(self.table))
        self.table.setItemDelegateForColumn(CandidateModel.MARK, MarkDelegate(self.table))
        self.table.fit_columns()
        self.reason = Note("", "plain", self)
        self.reason.setObjectName("candidates.reason")
        self.reason.setAccessibleName("Why this pair is next")
        self.step_note = StepNote(self, "candidates.step")
        self.heading_items = QWidget(self)
        row((self.step_note, 1), parent=self.heading_items)
        self.what_if = WhatIfButton(self._workspace, self)
        self.table.target_of = self._target_of
        of_every_table = self.table.actions()
        self.table.insertActions(of_every_table[0], self.what_if.menu_actions())

        what_if = (self.what_if, 0, Qt.AlignmentFlag.AlignLeft)
        column((self.table, 1), self.reason, what_if, parent=self, margins=(12, 8, 12, 12))

    def _connect(self) -> None:
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.step_changed.connect(self._on_moved)
        self._workspace.state_changed.connect(self._on_moved)
        self._job.answered.connect(self._show_answer)
        self._workspace.selection.changed.connect(self._show_selected)
        self._table_selection.chosen.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)

    def hide_answer(self, question: Question | None) -> None:
        """Hide the winner while a lesson asks a question, and all counts if it asks for one."""
        self.model.hides_marks = question is not None
        computed = None if question is None else question.computed
        self.model.hides_counts = computed is not None and computed.name == "count"
        self.model.emit_all_changed()
        self._show_note()

    @property
    def is_up_to_date(self) -> bool:
        """Whether the candidates are those of the current step."""
        return self._shown is not None and self._shown.step == self._workspace.step

    def pair_rect(self, pair: tuple[int, int]) -> QRectF:
        """The place of a pair in the panel; empty if it is not visible."""
        place = self.table.row_rect(self.model.row_of(*pair))
        if place.isEmpty():
            return place
        return place.translated(self.table.viewport().mapTo(self, QPoint(0, 0)))

    @Slot()
    def _on_run_changed(self) -> None:
        self._job.forget()
        self._shown = None
        self.model.show(())
        self.reason.set_message("")
        if self._workspace.run is None:
            self.table.set_placeholder("Open a text to see its pairs")
        else:
            self.table.set_placeholder("Counting pairs …")
        self.request_refresh()
        self._show_note()

    @Slot()
    def _on_moved(self) -> None:
        self.follow_step()
        self._show_note()

    def show_state(self) -> None:
        run = self._workspace.run
        if run is None or self.is_up_to_date:
            self._job.forget()
        else:
            self._job.ask(run, self._workspace.step)

    @Slot(object)
    def _show_answer(self, answer: CandidateList) -> None:
        self._shown = answer
        self.model.show(answer.rows)
        self.table.fit_columns()
        self._show_selected()
        reason = answer.reason if answer.rows else ""
        self.reason.set_message(reason)
        self.table.set_placeholder(answer.reason)
        self._show_note()
        self.counted.emit(answer)

    @Slot()
    def _show_selected(self) -> None:
        """Mark the row of the selected pair, whichever panel selected it."""
        selected = self._workspace.selection.current
        row = -1 if selected is None else self.model.row_of(selected.left, selected.right)
        self.model.selected = row
        self._table_selection.mark(row)
        self._offer_overrides()

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        self._workspace.selection.select_pair(*self.model.row(index.row()).pair)

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        row = self.model.row(index.row())
        is_next = row.mark == "next" if self.is_up_to_date else None
        return pair_target(self._workspace.run, *row.pair, is_next=is_next)

    def _offer_overrides(self) -> None:
        """Enable the overrides of the selected pair, or explain why they are disabled."""
        chosen = self.table.selectionModel().selectedRows()
        row = self.model.row(chosen[0].row()) if chosen else None
        if self.is_too_fast:
            why_not = PAUSE_FIRST
        else:
            why_not = "" if self.is_up_to_date else "the pairs of this step are still being counted"
        self.what_if.offer(row, why_not)

    def _show_note(self) -> None:
        step = None if self._shown is None else self._shown.step
        self.step_note.show_step(step)
        self.reason.setVisible(bool(self.reason.text()) and not self.model.hides_marks)
        self._offer_overrides()


class CandidateDelegate(CellDelegate):
    """Paints the pair as two chips, followed by the token that they would make."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        palette = cell.palette
        assert isinstance(model, CandidateModel)
        row = model.row(cell.row)
        chips = Chips.of(row.left, row.right)
        metrics = painter.fontMetrics()
        pair = QRect(rect)
        if chips.is_rtl:
            # The chips run from right to left, but lie at the left edge of the column like others.
            wanted = natural_width(chips.names, QFontMetricsF(painter.font()))
            pair.setWidth(min(rect.width(), int(wanted) + 1))
        width = int(chips.paint(painter, pair, palette))
        room = rect.width() - width - ARROW_GAP_PX
        if room < metrics.horizontalAdvance("→ ab"):
            return
        rest = QRect(rect.left() + width + ARROW_GAP_PX, rect.top(), room, rect.height())
        flags = int(
            Qt.AlignmentFlag.AlignLeft
            | Qt.AlignmentFlag.AlignVCenter
            | Qt.TextFlag.TextForceLeftToRight
        )
        painter.setPen(theme.muted(palette))
        text = painter.fontMetrics().elidedText(
            f"→ {isolated(row.token)}", Qt.TextElideMode.ElideRight, room
        )
        painter.drawText(rest, flags, text)


class BarDelegate(CellDelegate):
    """Paints a bar for the count: darker for the winner, only outlined for an excluded pair."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        palette = cell.palette
        assert isinstance(model, CandidateModel)
        if model.hides_counts:
            return
        row = model.row(cell.row)
        is_next = row.mark == "next" and not model.hides_marks
        colour = (
            theme.muted(palette) if is_next or row.is_out else palette.color(QPalette.ColorRole.Mid)
        )
        height = max(6, rect.height() // 3)
        width = max(1.0, model.count_share(cell.row) * rect.width())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.is_out:
            painter.setPen(colour)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
        top = rect.top() + (rect.height() - height) / 2
        painter.drawRoundedRect(QRectF(rect.left(), top, width, height), 2, 2)


class MarkDelegate(CellDelegate):
    """Paints the mark of a row, in bold for the winner."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        if cell.model.text(cell.row, cell.column) in ("next", "forced"):
            font = QFont(painter.font())
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
        super().paint_content(painter, rect, cell)


def _export(title: str, value: Callable[[CandidateRow], Value]) -> Export[CandidateModel]:
    return Export(title, lambda model, rows, run: [value(model.row(row)) for row in rows])


class CandidateModel(TableModel):
    """The candidates at one step, best first, as `explain.candidates` counts and explains them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CandidateRow, ...] = ()
        self.hides_marks = False
        self.hides_counts = False

    def show(self, rows: tuple[CandidateRow, ...]) -> None:
        """Replace the rows without a reset, so that a drag of the timeline does not flicker."""
        n_old = len(self._rows)
        n_new = len(rows)
        if n_new > n_old:
            self.beginInsertRows(QModelIndex(), n_old, n_new - 1)
            self._rows = rows
            self.endInsertRows()
        elif n_new < n_old:
            self.beginRemoveRows(QModelIndex(), n_new, n_old - 1)
            self._rows = rows
            self.endRemoveRows()
        self._rows = rows
        self.emit_all_changed()

    def row(self, row: int) -> CandidateRow:
        """The candidate of a row."""
        return self._rows[row]

    def row_of(self, left: int, right: int) -> int:
        """The row of a pair, given by its internal ids; -1 if it is not in the table."""
        return next((row for row, each in enumerate(self._rows) if each.pair == (left, right)), -1)

    def count_share(self, row: int) -> float:
        """The count of a row divided by the highest one, from 0 to 1."""
        highest = max((each.count for each in self._rows), default=0)
        return self._rows[row].count / highest if highest else 0.0

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def tip(self, row: int, column: int) -> str:
        pair = self.text(row, self.PAIR)
        if self.hides_marks:
            return pair
        facts = (
            f"{pair}\noccurs {times(self._rows[row].count)} at this step, "
            f"{percent(self.count_share(row), 0)} of the highest count"
        )
        why = {SKIPPED: "skipped at this step", FORBIDDEN: "forbidden"}
        more = why.get(self._rows[row].mark, self._rows[row].obstacle)
        return f"{facts}; {more}" if more else facts

    # The columns, one after another.

    def _pair(self, row: int) -> str:
        own = self._rows[row]
        return f"{isolated(own.left)} + {isolated(own.right)} → {isolated(own.token)}"

    def _count(self, row: int) -> str:
        return "?" if self.hides_counts else self._locale.toString(self._rows[row].count)

    def _widest_count(self) -> str:
        return widest_number(max((row.count for row in self._rows), default=0), 1000)

    def _mark(self, row: int) -> str:
        return "" if self.hides_marks else self._rows[row].word

    def _widest_mark(self) -> str:
        return max(("tied", *(row.word for row in self._rows)), key=len)

    columns = (
        Column(
            "pair",
            "Two neighbouring tokens and the token that they would make",
            _pair,
            is_number=False,
            exports=(
                _export("left", lambda row: row.names[0]),
                _export("right", lambda row: row.names[1]),
            ),
        ),
        Column(
            "count",
            "The number of times that the pair occurs in the corpus at this step",
            _count,
            sample=_widest_count,
            exports=(
                _export("count", lambda row: row.count),
                _export("pairs with this count", lambda row: row.tied),
            ),
        ),
        Column(
            "",
            "The pair's count compared with the highest one",
            is_number=False,
            sample="0" * 7,
            least_em=14,
        ),
        Column(
            "mark",
            "Marks the pair that is merged next, equally frequent pairs, and overridden pairs",
            _mark,
            is_number=False,
            sample=_widest_mark,
            exports=(
                _export("mark", lambda row: row.word),
                _export("why it cannot be merged", lambda row: row.obstacle.translate(ISOLATES)),
            ),
        ),
    )
    extra_exports = (_export("as shown", lambda row: f"{row.left} + {row.right} → {row.token}"),)
    PAIR, COUNT, BAR, MARK = range(len(columns))
