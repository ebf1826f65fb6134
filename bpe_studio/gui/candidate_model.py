"""The pairs that stand to be merged next, as table rows, and the sentence that says why the first of them wins.

Counting candidates is one pass over the whole corpus, so `CandidateJob` does it beside the window: one count at a time,
the newest question next, answers to questions that no longer stand dropped.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRunnable, Qt, QThreadPool, Signal, Slot

from bpe_studio.engine.presets import TIE_RULES
from bpe_studio.gui.numbers_text import grouping_locale
from bpe_studio.gui.table_view import NUMBER, WORD, Column, Index, RowState, RowStateRole
from bpe_studio.gui.token_names import display_name, display_text, display_token, isolated

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Candidate, Run

N_SHOWN = 50


@dataclass(frozen=True)
class CandidateRow:
    """A pair that could be merged next.

    Attributes:
        left: the left token, as a person reads it.
        right: the right token.
        token: what they would make.
        count: how often the pair stands in the corpus at this step.
        tied: how many pairs stand that often.
        mark: "next", "tied" or "".
    """

    left: str
    right: str
    token: str
    count: int
    tied: int
    mark: str


@dataclass(frozen=True)
class CandidateList:
    """The answer for one step: the rows, and one sentence about the winner."""

    step: int
    rows: tuple[CandidateRow, ...]
    reason: str


def list_candidates(run: Run, step: int, n: int = N_SHOWN) -> CandidateList:
    """Count the pairs of a run at a step; slow on a large corpus, so call it beside the window."""
    found = run.candidates_at(step, n)
    forced = run.config.force[step] if step < len(run.config.force) else None
    rows = []
    for candidate in found:
        names = run.token_name(candidate.left), run.token_name(candidate.right)
        is_next = candidate.is_winner if forced is None else names == forced
        rows.append(_row(run, candidate, is_next, found[0].count))
    return CandidateList(step, tuple(rows), reason(rows, run.config, step))


def reason(rows: Sequence[CandidateRow], config: TrainingConfig, step: int) -> str:
    """Why the winner wins, in one sentence.

    Args:
        rows: the candidates, best first.
        config: the run's settings, for its tie rule, its forced pairs and its least count.
        step: how many merges apply.

    Example: "u + g stands 20 times, 4 more than the next pair".
    """
    number = grouping_locale().toString
    if step < len(config.force):
        left, right = map(isolated, config.force[step])
        return f"{left} + {right} is next because the settings force it, whatever the counts"
    if not rows:
        return "No pair is left: every word is a single token"
    row = next((row for row in rows if row.mark == "next"), None)
    first = rows[0] if row is None else row
    pair = f"{isolated(first.left)} + {isolated(first.right)}"
    times = f"{number(first.count)} time{'s' * (first.count != 1)}"
    if row is None and first.count < config.min_frequency:
        least = number(config.min_frequency)
        return f"Nothing is merged: {pair} stands {times}, below the minimum frequency of {least}"
    if row is None:
        return f"{pair} stands {times} and is not merged"
    if first.tied > 1:
        rule = f"the rule “{config.ties}” takes {TIE_RULES[config.ties]}"
        return f"{number(first.tied)} pairs stand {times}; {rule}: {pair}"
    below = [other.count for other in rows if other.count < first.count]
    if not below:
        return f"{pair} stands {times}, and no other pair is left"
    return f"{pair} stands {times}, {number(first.count - below[0])} more than the next pair"


def _row(run: Run, candidate: Candidate, is_next: bool, highest: int) -> CandidateRow:
    left, right = display_name(run, candidate.left), display_name(run, candidate.right)
    token = _joined_name(run, candidate.left, candidate.right)
    mark = "next" if is_next else "tied" if candidate.count == highest and candidate.tied > 1 else ""
    return CandidateRow(left, right, token, candidate.count, candidate.tied, mark)


def _joined_name(run: Run, left: int, right: int) -> str:
    """What the token of two tokens would be called; it need not be in the run."""
    if run.config.units == "bytes":
        return display_token(run.token_content(left) + run.token_content(right))
    return display_text(run.token_name(left) + run.token_name(right).removeprefix(run.config.continuing or ""))


class CandidateModel(QAbstractTableModel):
    """The candidates at one step, best first."""

    columns = (
        Column("pair", "Two neighbouring tokens and the token that they would make", False),
        Column("count", "How often the pair stands in the corpus at this step"),
        Column("", "The pair's count against the highest one", False),
        Column("mark", "Which pair is merged next, and which stand equally often", False),
    )
    PAIR, COUNT, BAR, MARK = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CandidateRow, ...] = ()
        self._locale = grouping_locale()

    def show(self, rows: tuple[CandidateRow, ...]) -> None:
        """Show other rows; the table keeps its place, so that scrubbing does not flicker."""
        n_old, n_new = len(self._rows), len(rows)
        if n_new > n_old:
            self.beginInsertRows(QModelIndex(), n_old, n_new - 1)
            self._rows = rows
            self.endInsertRows()
        elif n_new < n_old:
            self.beginRemoveRows(QModelIndex(), n_new, n_old - 1)
            self._rows = rows
            self.endRemoveRows()
        self._rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(n_new - 1, len(self.columns) - 1))

    def row(self, row: int) -> CandidateRow:
        """What stands in a row."""
        return self._rows[row]

    def share(self, row: int) -> float:
        """A row's count against the highest one, 0 to 1."""
        highest = max((each.count for each in self._rows), default=0)
        return self._rows[row].count / highest if highest else 0.0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            column = self.columns[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return column.title
            if role == Qt.ItemDataRole.ToolTipRole:
                return column.tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(NUMBER if column.is_number else WORD)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            left, right, token = map(isolated, (row.left, row.right, row.token))
            return (f"{left} + {right} → {token}", self._locale.toString(row.count), "", row.mark)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(NUMBER if self.columns[column].is_number else WORD)
        if role == RowStateRole:
            return RowState.APPLIED
        if role == Qt.ItemDataRole.ToolTipRole:
            pair, count = index.siblingAtColumn(self.PAIR).data(), self._locale.toString(row.count)
            return f"{pair}\nstands {count} times at this step, {self.share(index.row()):.0%} of the highest count"
        return None


class CandidateJob(QObject):
    """Counts candidates in a thread of the pool.

    Signals:
        counted: CandidateList, for the newest question only.
    """

    counted = Signal(object)
    _answered = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: tuple[Run, int] | None = None
        self._is_busy = False
        self._answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether a count is being made."""
        return self._is_busy

    def ask(self, run: Run, step: int) -> None:
        """Count for this step as soon as the present count is done."""
        self._wanted = (run, step)
        self._begin()

    def forget(self) -> None:
        """Drop the question; an answer on its way is not delivered."""
        self._wanted = None

    def _begin(self) -> None:
        if self._wanted is not None and not self._is_busy:
            self._is_busy = True
            QThreadPool.globalInstance().start(_Count(self._wanted, self._answered))

    @Slot(object, object)
    def _on_answered(self, question: tuple[Run, int], answer: CandidateList | None) -> None:
        self._is_busy = False
        if question is self._wanted:
            self._wanted = None
            if answer is not None:
                self.counted.emit(answer)
        self._begin()


class _Count(QRunnable):
    def __init__(self, question: tuple[Run, int], answered: Any) -> None:
        super().__init__()
        self._question, self._answered = question, answered

    def run(self) -> None:
        answer = None
        try:
            answer = list_candidates(*self._question)
        except Exception:
            # Whatever goes wrong, the table must not wait for ever.
            traceback.print_exc()
        try:
            self._answered.emit(self._question, answer)
        except RuntimeError:
            # The window was closed meanwhile.
            return
