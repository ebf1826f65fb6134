"""The models of the two tables of the tab Advice: what further merges save, and what each chosen
size costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.comparison.measures import Row
from bpe_studio.explain.wording import number
from bpe_studio.gui.compare.table_model import NONE, Found
from bpe_studio.gui.tables.model import (
    Column,
    Export,
    Index,
    RowsModel,
    RowState,
    TableModel,
    each_row,
)

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.size_advice import EmbeddingCost
    from bpe_studio.explain.comparison.curves import Curves
    from bpe_studio.files.exports.csv_tables import Value


class Saving(NamedTuple):
    """What a range of merges saves.

    Attributes:
        step: the step at its end.
        size: the vocabulary size at its end.
        saved: by how many tokens the corpus becomes shorter.
        share: the same divided by the tokens at its beginning, from 0 to 1.
        held_out: the share for the held-out part; None if there is none.
    """

    step: int
    size: int
    saved: int
    share: float
    held_out: float | None


def savings(curves: Curves, per: int) -> list[Saving]:
    """What each range of `per` merges saves, from the first on."""
    from bpe_studio.engine.analysis.size_advice import saved_per_thousand

    own = saved_per_thousand(curves.corpus.n_tokens, per)
    on_held_out = (
        None if curves.held_out is None else saved_per_thousand(curves.held_out.n_tokens, per)
    )
    found = []
    for k, saved in enumerate(own.tolist()):
        step = per * (k + 1)
        before = int(curves.corpus.n_tokens[step - per])
        held = None
        if on_held_out is not None and curves.held_out is not None:
            there = int(curves.held_out.n_tokens[step - per])
            held = int(on_held_out[k]) / there if there else 0.0
        found.append(
            Saving(step, curves.base + step, saved, saved / before if before else 0.0, held)
        )
    return found


def _saving(title: str, value: Callable[[Saving], Value]) -> Export[SavingsModel]:
    return Export(title, lambda model, rows, run: [value(model.rows[row]) for row in rows])


class SavingsModel(RowsModel[Saving]):
    """The ranges of merges, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self._per = 1

    @property
    def most(self) -> float:
        """The largest share; its bar fills the cell."""
        return max((max(row.share, row.held_out or 0.0) for row in self.rows), default=0.0)

    def set_rows(self, rows: Sequence[Saving], per: int) -> None:
        """Replace the ranges, of `per` merges each."""
        self._per = per
        self.show_rows(rows)

    def set_step(self, step: int) -> None:
        """Mark the range that contains the step of the window; the caller repaints the view."""
        self._step = step

    def state(self, row: int) -> RowState:
        end = self.rows[row].step
        return RowState.CURRENT if end - self._per < self._step <= end else RowState.APPLIED

    columns = (
        Column(
            "up to",
            "The vocabulary size at the end of these merges",
            lambda model, row: number(model.rows[row].size),
            sample="000,000",
            exports=(
                _saving("step", lambda row: row.step),
                _saving("vocabulary", lambda row: row.size),
            ),
        ),
        Column(
            "saves",
            "How many fewer tokens the corpus has after these merges than before them",
            lambda model, row: number(model.rows[row].saved),
            sample="00,000,000",
            exports=(_saving("tokens saved", lambda row: row.saved),),
        ),
        Column(
            "corpus",
            "The same, as a share of the tokens before these merges",
            lambda model, row: _percent(model.rows[row].share, 2),
            sample="00.00 %",
            exports=(_saving("share of the corpus", lambda row: row.share),),
        ),
        Column(
            "held out",
            "Share of the held-out tokens that these merges save. If it is lower than for the"
            " corpus, they overfit.",
            lambda model, row: _percent(model.rows[row].held_out, 2, NONE),
            sample="00.00 %",
            exports=(_saving("share of the held-out part", lambda row: row.held_out),),
        ),
        Column(
            "",
            "Filled: the corpus's share; outlined: the held-out part's. Where they differ, the"
            " merges overfit",
            is_number=False,
        ),
    )
    BAR = 4


def _percent(share: float | None, digits: int, unknown: str = "…") -> str:
    return unknown if share is None else f"{number(100 * share, digits)} %"


class CostsModel(TableModel):
    """The chosen sizes, a row each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[Row, Found], ...] = ()
        self._width = 768
        self._is_tied = True
        self._n_bytes = 2

    def set_rows(self, rows: Sequence[Row], found: Sequence[Found]) -> None:
        """Replace the sizes; they are sorted, and each is shown once."""
        by_size = {row.vocab_size: (row, each) for row, each in zip(rows, found, strict=True)}
        ordered = tuple(by_size[key] for key in sorted(by_size))
        if ordered != self._rows:
            is_as_long = len(ordered) == len(self._rows)
            if not is_as_long:
                self.beginResetModel()
            self._rows = ordered
            if is_as_long:
                self.emit_all_changed()
            else:
                self.endResetModel()

    def set_model(self, width: int, n_bytes: int, *, is_tied: bool) -> None:
        """Set the model whose embedding is priced.

        Args:
            width: the embedding width.
            n_bytes: bytes per parameter.
            is_tied: whether input and output embeddings are one table.
        """
        self._width = width
        self._n_bytes = n_bytes
        self._is_tied = is_tied
        self.emit_all_changed()

    def step(self, row: int) -> int:
        """The step of a row."""
        return self._rows[row][0].step

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self._rows[row][0].is_current else RowState.APPLIED

    def _size(self, row: int) -> int:
        return self._rows[row][0].vocab_size

    def _rare(self, row: int) -> int | None:
        found = self._rows[row][1]
        corpus = None if found.use is None or found.is_late else found.use.corpus
        return None if corpus is None else corpus.n_rare

    def _rare_text(self, row: int) -> str:
        rare = self._rare(row)
        return self._unknown(row) if rare is None else number(rare)

    def _unknown(self, row: int) -> str:
        """An ellipsis while the tokens are counted, a dash where there is no corpus."""
        found = self._rows[row][1]
        return "…" if found.use is None or found.is_late else NONE

    def _share(self, row: int) -> float | None:
        rare = self._rare(row)
        return None if rare is None else rare / self._size(row)

    def _cost(self, row: int) -> EmbeddingCost:
        from bpe_studio.engine.analysis.size_advice import embedding_cost

        return embedding_cost(self._size(row), self._width, self._is_tied, self._n_bytes)

    columns = (
        Column(
            "vocabulary",
            "Alphabet, merges and special tokens; a click shows them",
            lambda model, row: number(model._size(row)),
            sample="000,000",
            is_link=True,
            exports=(Export("step", each_row(step)), Export("vocabulary", each_row(_size))),
        ),
        Column(
            "rare",
            "Entries that occur fewer times in the corpus than chosen under Numbers; a click shows"
            " them",
            lambda model, row: model._rare_text(row),
            sample="000,000",
            is_link=True,
            exports=(Export("rare", each_row(_rare)),),
        ),
        Column(
            "of all",
            "Their share of the vocabulary: a model sees them too rarely to learn them well",
            lambda model, row: _percent(model._share(row), 1, model._unknown(row)),
            sample="00.0 %",
            exports=(Export("rare of all", each_row(_share)),),
        ),
        Column(
            "parameters",
            "Parameters of the input embedding, and of the output embedding where it is not tied",
            lambda model, row: number(model._cost(row).parameters),
            sample="000,000,000",
            exports=(
                Export("parameters", each_row(lambda model, row: model._cost(row).parameters)),
            ),
        ),
        Column(
            "size",
            "The memory that these parameters take; 1 MB is a million bytes",
            lambda model, row: f"{number(model._cost(row).size_bytes / 1e6, 1)} MB",
            sample="0,000.0 MB",
            exports=(
                Export("size in bytes", each_row(lambda model, row: model._cost(row).size_bytes)),
            ),
        ),
    )
    SIZE, RARE, SHARE, PARAMETERS, BYTES = range(len(columns))
