"""The merges as table rows. Going to a step is a number (`set_step`), never another model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from bpe_studio.explain.merges import WITHOUT_TEXT, forced_by, has_pairs, saved_by
from bpe_studio.explain.names import display_name, is_right_to_left, isolated
from bpe_studio.explain.wording import plural, times
from bpe_studio.gui.tables.model import Column, Export, RowState, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.merge_log import MergeColumns


def _numbers(name: str, title: str = "") -> Export[MergeModel]:
    """Exports a column of the run's merges."""
    return Export(title or name, lambda model, rows, run: model.numbers(name, rows))


def _names(name: str) -> Export[MergeModel]:
    """Exports a column of token ids as the tokens' names."""
    return Export(name, lambda model, rows, run: model.log_names(model.numbers(name, rows)))


NOTHING = "–"
"""In place of a count where there is no text to count in."""


class MergeModel(SortedTableModel):
    """The merges of a run, in the order in which they were learned.

    Column `tied` says how many pairs had the winner's count, or that the merge was forced.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._is_counted = False
        self._step = 0

    def set_run(self, run: Run | None, n_merges: int) -> None:
        """Show another run's first `n_merges` merges."""
        if run is None and self._run is None:
            return
        self._run = run
        self._is_counted = run is not None and has_pairs(run)
        self.reset_rows(
            n_merges if run else 0, NameIndex(lambda i: display_name(run, i) if run else "")
        )

    @property
    def has_counts(self) -> bool:
        """Whether any pair was counted: in the corpus, or in the text a tokenizer was just trained
        on.
        """
        return self._is_counted or self._run is None or bool(self._logged.count[: self._n].any())

    def set_step(self, step: int) -> None:
        """Set how many merges apply.

        The view repaints itself, since a step changes no cell's text.
        """
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
            name(self._run.n_alphabet + rank),
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
        return self._locale.toString(count) if count or self._is_counted else NOTHING

    def _count_order(self, n: int) -> NDArray[Any]:
        return self._logged.count[:n]

    def _widest_count(self) -> str:
        return widest_number(int(self._logged.count[: self._n].max()) if self._n else 1000)

    def _tied(self, row: int) -> str:
        rank = self.source_row(row)
        tied = int(self._logged.tied[rank])
        if not self._is_counted:
            return NOTHING
        if self._logged.forced[rank]:
            return "forced" if self._run is None or rank >= self._run.n_seed else "given"
        return self._locale.toString(tied) if tied > 1 else ""  # a pair by itself was not tied

    def _tied_order(self, n: int) -> NDArray[Any]:
        return self._logged.tied[:n]

    def _widest_tied(self) -> str:
        if self._n and bool(self._logged.forced[: self._n].any()):
            return "forced"
        return widest_number(int(self._logged.tied[: self._n].max()) if self._n else 10, 10)

    # Columns of the exported table.

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
            "Which merge it is: merge 1 is the first",
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
            "How often the pair occurred in the corpus when it was merged",
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
    )
    extra_exports = (
        _numbers("n_tokens", "tokens afterwards"),
        Export("token as shown", _exported_as_shown),
    )
    RANK, PAIR, TOKEN, COUNT, TIED = range(len(columns))

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
        if columns.forced[rank]:
            lines.append(f"{forced_by(self._run, rank)}, whatever the counts")
        elif columns.tied[rank] > 1:
            lines.append(f"{number(int(columns.tied[rank]))} pairs were equally frequent")
        lines.append(f"{plural(int(columns.n_tokens[rank]), 'token')} in the corpus afterwards")
        return "\n".join(lines)
