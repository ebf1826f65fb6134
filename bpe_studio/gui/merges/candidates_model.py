"""The model of the table of candidates for the next merge.

The rows come from `explain.candidates`, which counts the pairs and explains the choice; the panel
calls it in the thread pool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.candidates import FORBIDDEN, SKIPPED
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import percent, times
from bpe_studio.gui.tables.model import ISOLATES, Column, Export, Index, TableModel, widest_number

if TYPE_CHECKING:
    from bpe_studio.explain.candidates import CandidateRow
    from bpe_studio.files.exports.csv_tables import Value


def _export(title: str, value: Callable[[CandidateRow], Value]) -> Export[CandidateModel]:
    return Export(title, lambda model, rows, run: [value(model.row(row)) for row in rows])


class CandidateModel(TableModel):
    """The candidates at one step, best first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CandidateRow, ...] = ()

    def show(self, rows: tuple[CandidateRow, ...]) -> None:
        """Replace the rows without a model reset, so that dragging the timeline does not
        flicker.
        """
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
        return self._locale.toString(self._rows[row].count)

    def _widest_count(self) -> str:
        return widest_number(max((row.count for row in self._rows), default=0), 1000)

    def _mark(self, row: int) -> str:
        return self._rows[row].word

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
            "How often the pair occurs in the corpus at this step",
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
            "Which pair is merged next, which are equally frequent, and which are overridden",
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
