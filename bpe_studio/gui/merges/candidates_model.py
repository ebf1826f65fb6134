"""The candidates for the next merge as table rows.

`explain.candidates` counts them and says why the first one wins; the panel calls it in the thread pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.candidates import FORBIDDEN, SKIPPED
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import times
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import ISOLATES, Column, Index, TableModel

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.candidates import CandidateRow
    from bpe_studio.files.exports.csv_tables import Value

    Pair = tuple[int, int]


class CandidateModel(TableModel):
    """The candidates at one step, best first."""

    columns = (
        Column("pair", "Two neighbouring tokens and the token that they would make", False),
        Column("count", "How often the pair occurs in the corpus at this step"),
        Column("", "The pair's count against the highest one", False),
        Column("mark", "Which pair is merged next, which are equally frequent, and which are overridden", False),
    )
    PAIR, COUNT, BAR, MARK = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CandidateRow, ...] = ()
        self._selected = -1
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
        """The candidate of a row."""
        return self._rows[row]

    def row_of(self, left: int, right: int) -> int:
        """The row of a pair, by its internal ids; -1 where it is not among the rows."""
        return next((row for row, each in enumerate(self._rows) if each.pair == (left, right)), -1)

    def set_selected(self, row: int) -> None:
        """Mark a row as selected, -1 for none; the view repaints itself."""
        self._selected = row

    def is_selected(self, row: int) -> bool:
        return row == self._selected

    def share(self, row: int) -> float:
        """A row's count against the highest one, 0 to 1."""
        highest = max((each.count for each in self._rows), default=0)
        return self._rows[row].count / highest if highest else 0.0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def text(self, row: int, column: int) -> str:
        candidate = self._rows[row]
        if column == self.PAIR:
            left, right, token = map(isolated, (candidate.left, candidate.right, candidate.token))
            return f"{left} + {right} → {token}"
        return ("", self._locale.toString(candidate.count), "", candidate.word)[column]

    def plain_heads(self) -> list[str]:
        return ["left", "right", "count", "pairs with this count", "mark", "why it cannot be merged", "as shown"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        each = self._rows[row]
        shown = f"{each.left} + {each.right} → {each.token}"
        return [*each.names, each.count, each.tied, each.word, each.obstacle.translate(ISOLATES), shown]

    def tip(self, row: int, column: int) -> str:
        pair = self.text(row, self.PAIR)
        facts = (
            f"{pair}\noccurs {times(self._rows[row].count)} at this step, {self.share(row):.0%} of the highest count"
        )
        why = {SKIPPED: "skipped at this step", FORBIDDEN: "forbidden"}
        more = why.get(self._rows[row].mark, self._rows[row].obstacle)
        return f"{facts}; {more}" if more else facts
