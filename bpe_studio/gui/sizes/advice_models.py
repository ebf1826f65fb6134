"""The two tables of the advice: what each further range of merges saves, and what each chosen size costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.sizes.measures import SizeMeasures, UseOfVocabulary
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.sizes.numbers_model import NONE
from bpe_studio.gui.tables.model import Column, Index, RowState, TableModel

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.sizes.curves import Curves
    from bpe_studio.files.exports.csv_tables import Value


class Stretch(NamedTuple):
    """Some merges, and what they save.

    Attributes:
        step: the step at their end.
        size: the vocabulary size there.
        saved: tokens of the corpus that they save.
        share: of its tokens at their beginning.
        held_out: the same share of the held-out part; None where there is none.
    """

    step: int
    size: int
    saved: int
    share: float
    held_out: float | None


def stretches(curves: Curves, per: int) -> list[Stretch]:
    """What each further `per` merges save."""
    from bpe_studio.engine.analysis.size_advice import saved_per_thousand

    own = saved_per_thousand(curves.corpus.n_tokens, per)
    aside = None if curves.held_out is None else saved_per_thousand(curves.held_out.n_tokens, per)
    found = []
    for k, (step, saved) in enumerate(zip(own.steps.tolist(), own.saved.tolist(), strict=True)):
        before = int(curves.corpus.n_tokens[step - per])
        held = None
        if aside is not None and curves.held_out is not None:
            there = int(curves.held_out.n_tokens[step - per])
            held = int(aside.saved[k]) / there if there else 0.0
        found.append(Stretch(step, curves.base + step, saved, saved / before if before else 0.0, held))
    return found


class SavingsModel(TableModel):
    """One row a stretch of merges."""

    columns = (
        Column("up to", "The vocabulary size at the end of these merges"),
        Column("saves", "How many fewer tokens the corpus has after these merges than before them"),
        Column("corpus", "The same as a share of the corpus's tokens before them"),
        Column(
            "held out",
            "The share of the held-out part's tokens that the same merges save. Where it is below the corpus's, "
            "merges fit this text only (overfitting)",
        ),
        Column(
            "",
            "Filled: the corpus's share; outlined: the held-out part's. Where they differ, the merges overfit",
            False,
        ),
    )
    BAR = 4

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Stretch, ...] = ()
        self._step = 0
        self._per = 1
        self._locale = grouping_locale()

    @property
    def rows(self) -> tuple[Stretch, ...]:
        """What is shown."""
        return self._rows

    @property
    def most(self) -> float:
        """The greatest share, at which a bar fills its cell."""
        return max((max(row.share, row.held_out or 0.0) for row in self._rows), default=0.0)

    def set_rows(self, rows: Sequence[Stretch], per: int) -> None:
        """Show other stretches of so many merges."""
        rows = tuple(rows)
        if rows != self._rows:
            self.beginResetModel()
            self._rows, self._per = rows, per
            self.endResetModel()

    def set_step(self, step: int) -> None:
        """Mark the stretch in which the window's step is; the view repaints itself."""
        self._step = step

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        end = self._rows[row].step
        return RowState.CURRENT if end - self._per < self._step <= end else RowState.APPLIED

    def text(self, row: int, column: int) -> str:
        own = self._rows[row]
        if column == 0:
            return self._locale.toString(own.size)
        if column == 1:
            return self._locale.toString(own.saved)
        if column == self.BAR:
            return ""
        share = own.share if column == 2 else own.held_out
        return NONE if share is None else f"{self._locale.toString(100 * share, 'f', 2)} %"

    def plain_heads(self) -> list[str]:
        return ["step", "vocabulary", "tokens saved", "share of the corpus", "share of the held-out part"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        own = self._rows[row]
        return [own.step, own.size, own.saved, own.share, own.held_out]


class CostsModel(TableModel):
    """One row a chosen size."""

    columns = (
        Column("vocabulary", "Alphabet, merges and special tokens"),
        Column("rare", "Entries that occur fewer times in the corpus than chosen under Numbers"),
        Column("of all", "Their share of the vocabulary: a model sees them too rarely to learn them well"),
        Column("parameters", "Parameters of the input embedding, and of the output embedding where it is not tied"),
        Column("size", "The memory that these parameters take; 1 MB is a million bytes"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[SizeMeasures, UseOfVocabulary | None], ...] = ()
        self._width, self._is_tied, self._n_bytes = 768, True, 2
        self._locale = grouping_locale()

    def set_rows(self, rows: Sequence[SizeMeasures], uses: Sequence[UseOfVocabulary | None]) -> None:
        """Show other sizes, smallest first, the same one once."""
        by_size = {row.vocab_size: (row, use) for row, use in zip(rows, uses, strict=True)}
        found = tuple(by_size[key] for key in sorted(by_size))
        if found != self._rows:
            is_as_long = len(found) == len(self._rows)
            if not is_as_long:
                self.beginResetModel()
            self._rows = found
            if is_as_long:
                self._tell()
            else:
                self.endResetModel()

    def set_model(self, width: int, n_bytes: int, *, is_tied: bool) -> None:
        """Of which model the cost is."""
        self._width, self._n_bytes, self._is_tied = width, n_bytes, is_tied
        self._tell()

    def step(self, row: int) -> int:
        """The step of a row."""
        return self._rows[row][0].step

    def _tell(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self._rows[row][0].is_current else RowState.APPLIED

    def text(self, row: int, column: int) -> str:
        from bpe_studio.engine.analysis.size_advice import embedding_cost

        own, use = self._rows[row]
        if column == 0:
            return self._locale.toString(own.vocab_size)
        if column in (1, 2):
            if use is None or use.step != own.step:
                return "…"
            share = 100 * use.rare / own.vocab_size
            return self._locale.toString(use.rare) if column == 1 else f"{self._locale.toString(share, 'f', 1)} %"
        cost = embedding_cost(own.vocab_size, self._width, self._is_tied, self._n_bytes)
        if column == 3:
            return self._locale.toString(cost.parameters)
        return f"{self._locale.toString(cost.size_bytes / 1e6, 'f', 1)} MB"

    def plain_heads(self) -> list[str]:
        return ["step", "vocabulary", "rare", "rare of all", "parameters", "size in bytes"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        from bpe_studio.engine.analysis.size_advice import embedding_cost

        own, use = self._rows[row]
        cost = embedding_cost(own.vocab_size, self._width, self._is_tied, self._n_bytes)
        rare = None if use is None or use.step != own.step else use.rare
        share = None if rare is None else rare / own.vocab_size
        return [own.step, own.vocab_size, rare, share, cost.parameters, cost.size_bytes]
