"""The merges as table rows. Going to a step is a number (`set_step`), never another model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from bpe_studio.explain.names import display_name, is_right_to_left, isolated
from bpe_studio.explain.wording import times
from bpe_studio.gui.tables.model import NUMBER, WORD, Column, RowState
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value


class MergeModel(SortedTableModel):
    """The merges of a run, in the order in which they were learned.

    Column `tied` says how many pairs had the winner's count, or that the merge was forced.
    """

    columns = (
        Column("rank", "The merge's place in the list, counted from 0"),
        Column("pair", "The two neighbouring tokens that this merge joins", False, True),
        Column("token", "The token that they make", False, True),
        Column("count", "How often the pair occurred in the corpus when it was merged"),
        Column("tied", "How many pairs were equally frequent at that step; 1: there was no tie"),
    )
    RANK, PAIR, TOKEN, COUNT, TIED = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._step = 0
        self._selected = -1

    def set_run(self, run: Run | None, n_merges: int) -> None:
        """Show another run's first `n_merges` merges."""
        if run is None and self._run is None:
            return
        self._run = run
        self.reset_rows(n_merges if run else 0, NameIndex(lambda i: display_name(run, i) if run else ""))

    def set_step(self, step: int) -> None:
        """Set how many merges apply; the view repaints itself, since a step changes no cell's text."""
        self._step = step

    def set_selected(self, rank: int) -> None:
        """Mark the selected merge, -1 for none; the view repaints itself."""
        self._selected = rank

    def is_selected(self, row: int) -> bool:
        return self._selected >= 0 and self.source_row(row) == self._selected

    def names_of(self, rank: int) -> tuple[str, str, str]:
        """The left token, the right token and the token of a merge, as a person reads them."""
        assert self._run is not None
        columns, name = self._run.columns, self._names.name
        return name(int(columns.left[rank])), name(int(columns.right[rank])), name(self._run.n_alphabet + rank)

    def n_names(self, n_rows: int) -> int:
        return self.first_name() + n_rows

    def first_name(self) -> int:
        return self._run.n_alphabet if self._run else 0

    def sort_key(self, column: int, n: int) -> NDArray[Any]:
        import numpy as np

        assert self._run is not None
        columns = self._run.columns
        if column == self.COUNT:
            return columns.count[:n]
        if column == self.TIED:
            return columns.tied[:n]
        if column == self.RANK:
            return np.arange(n)
        ranks = self._names.ranks
        assert ranks is not None
        if column == self.TOKEN:
            return ranks[self.first_name() : self.first_name() + n]
        left, right = ranks[columns.left[:n]].astype(np.int64), ranks[columns.right[:n]]
        return left * len(ranks) + right

    def text(self, row: int, column: int) -> str:
        assert self._run is not None
        rank, columns, number = self.source_row(row), self._run.columns, self._locale.toString
        if column == self.RANK:
            return number(rank)
        if column == self.COUNT:
            return number(int(columns.count[rank]))
        if column == self.TIED:
            return "forced" if columns.forced[rank] else number(int(columns.tied[rank]))
        left, right, token = self.names_of(rank)
        return isolated(token) if column == self.TOKEN else f"{isolated(left)} + {isolated(right)}"

    def plain_heads(self) -> list[str]:
        own, counts = ["rank", "left", "right", "token", "bytes of the token"], ["count", "tied", "forced"]
        return [*own, *counts, "tokens afterwards", "token as shown"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        return self.plain_rows(row, row + 1, run)[0]

    def plain_rows(self, first: int, last: int, run: Run | None) -> Sequence[Sequence[Value]]:
        own = self._run
        assert own is not None
        ranks, columns = [self.source_row(row) for row in range(first, last)], own.columns
        # Asking an array for many numbers at once takes a tenth of asking for each.
        left, right, count, tied, forced, n_tokens = (
            each[ranks].tolist()
            for each in (columns.left, columns.right, columns.count, columns.tied, columns.forced, columns.n_tokens)
        )
        name, content, n_alphabet = own.token_name, own.token_content, own.n_alphabet
        return [
            [
                rank, name(left[k]), name(right[k]), name(n_alphabet + rank), content(n_alphabet + rank).hex(" "),
                count[k], tied[k], bool(forced[k]), n_tokens[k], display_name(own, n_alphabet + rank),
            ]
            for k, rank in enumerate(ranks)
        ]  # fmt: skip

    def alignment(self, row: int, column: int) -> int:
        if self.columns[column].is_number:
            return NUMBER
        is_mirrored = column == self.TOKEN and is_right_to_left(self.names_of(self.source_row(row))[2])
        return NUMBER if is_mirrored else WORD

    def state(self, row: int) -> RowState:
        rank = self.source_row(row)
        if rank == self._step - 1:
            return RowState.CURRENT
        return RowState.AHEAD if rank >= self._step else RowState.APPLIED

    def tip(self, row: int, column: int) -> str:
        assert self._run is not None
        rank, columns, number = self.source_row(row), self._run.columns, self._locale.toString
        left, right, token = map(isolated, self.names_of(rank))
        lines = [f"{left} + {right} → {token}"]
        lines.append(f"occurred {times(int(columns.count[rank]))} in the corpus when it was merged")
        if columns.forced[rank]:
            who = "in this branch" if self._run.plan.override_at(rank) is not None else "by the settings"
            lines.append(f"forced {who}, whatever the counts")
        elif columns.tied[rank] > 1:
            lines.append(f"{number(int(columns.tied[rank]))} pairs were equally frequent")
        lines.append(f"{number(int(columns.n_tokens[rank]))} tokens in the corpus afterwards")
        return "\n".join(lines)
