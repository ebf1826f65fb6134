"""The findings of an inspection, and the places of one of them and the merges that it caused, as
table rows.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.inspection.findings import MEANINGS, visible_excerpt
from bpe_studio.explain.names import display_name, elided, is_right_to_left, isolated
from bpe_studio.explain.wording import merge_name, number, times
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.tables.model import Column, Index, RowsModel, TableModel, widest_number
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.run import Run
    from bpe_studio.explain.inspection.findings import Finding, Place
    from bpe_studio.explain.inspection.price import Blamed


class FindingsModel(RowsModel["Finding"]):
    """What was found, with its counts."""

    def tip(self, row: int, column: int) -> str:
        return self.rows[row].sentence

    columns = (
        Column(
            "finding",
            "What was found in the text",
            lambda model, row: MEANINGS[model.rows[row].name].title,
            is_number=False,
        ),
        Column(
            "count",
            "How often it was found",
            lambda model, row: number(model.rows[row].count),
            sample=lambda model: widest_number(*(finding.count for finding in model.rows), 1000),
        ),
    )
    FINDING, COUNT = range(len(columns))


class PlacesModel(TableModel):
    """The first places of a finding, with the text around them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._finding: Finding | None = None
        self._names_files = False

    def show(self, finding: Finding | None, *, names_files: bool = False) -> None:
        """Show the places of a finding, with the names of their files or without.

        None shows none.
        """
        self.beginResetModel()
        self._finding = finding
        self._names_files = names_files
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() or self._finding is None else len(self._finding.places)

    def place(self, row: int) -> str:
        """The place of a row, as editors and compilers write it."""
        assert self._finding is not None
        place = self._finding.places[row]
        return place.after(os.path.basename(place.file) if self._names_files else "").lstrip(" :")

    def place_of(self, row: int) -> Place:
        """The place of a row."""
        assert self._finding is not None
        return self._finding.places[row]

    def excerpt(self, row: int) -> str:
        """The text around the place of a row."""
        assert self._finding is not None
        return self._finding.excerpts[row]

    def tip(self, row: int, column: int) -> str:
        assert self._finding is not None
        place = self._finding.places[row]
        record = f"record {number(place.record)}, " if place.record else ""
        where = f"{record}line {number(place.line)}, column {number(place.column)}"
        return f"{place.file}\n{where}\n{isolated(visible_excerpt(self.excerpt(row)))}"

    def _widest(self) -> str | None:
        n = self.rowCount()
        return max((self.place(row) for row in range(n)), key=len) if n else "1000:10"

    columns = (
        Column(
            "place",
            "The file if there are several, the record if it has records, line and column",
            lambda model, row: model.place(row),
            is_number=False,
            sample=lambda model: model._widest(),
        ),
        Column(
            "text",
            "The text around it; characters that cannot be seen are named",
            lambda model, row: isolated(visible_excerpt(model.excerpt(row))),
            is_number=False,
            is_rtl=lambda model, row: is_right_to_left(model.excerpt(row)),
        ),
    )
    PLACE, TEXT = range(len(columns))


NOT_MADE = "–"
_TOKEN_CHARACTERS = 40


class CausedModel(RowsModel["Blamed"]):
    """The merges of the shown run that a finding caused."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.run: Run | None = None

    def show(self, run: Run | None, merges: Sequence[Blamed] = ()) -> None:
        """Show merges of a run, those first that the other run does not make; None shows none."""
        self.run = run
        self.show_rows(sorted(merges, key=lambda each: each.rank_without is not None))

    def target(self, row: int) -> Target | None:
        """The token that the merge of a row makes."""
        return (
            None
            if self.run is None
            else token_target(self.run, self.run.n_alphabet + self.rows[row].rank)
        )

    def name(self, row: int) -> str:
        """The token of a row as it is shown."""
        assert self.run is not None
        return elided(
            display_name(self.run, self.run.n_alphabet + self.rows[row].rank), _TOKEN_CHARACTERS
        )

    def number_of(self, row: int) -> int:
        return self.rows[row].rank

    def tip(self, row: int, column: int) -> str:
        merge = self.rows[row]
        there = "not made without the finding"
        if merge.rank_without is not None and merge.count_without is not None:
            there = (
                f"without it {merge_name(merge.rank_without)}, where its pair occurs"
                f" {times(merge.count_without)}"
            )
        return f"{isolated(self.name(row))}\n{merge_name(merge.rank)}: its pair occurs {times(merge.count)}\n{there}"  # noqa: E501

    def _there(self, row: int) -> str:
        rank = self.rows[row].rank_without
        return NOT_MADE if rank is None else number(rank + 1)

    def _widest_rank(self) -> str:
        ranks = (rank for each in self.rows for rank in (each.rank, each.rank_without or 0))
        return widest_number(1000, *ranks)

    columns = (
        Column(
            "token",
            "A token of the shown run that the finding caused",
            is_number=False,
            chips=lambda model, row: Chips.of(model.name(row)),
        ),
        Column(
            "count",
            "How often its pair occurred when it was merged",
            lambda model, row: number(model.rows[row].count),
            sample=lambda model: widest_number(1000, *(each.count for each in model.rows)),
        ),
        Column(
            "merge",
            "The merge that makes it",
            lambda model, row: number(model.rows[row].rank + 1),
            sample=_widest_rank,
        ),
        Column(
            "without it",
            "The merge that makes it in the run without the finding; – if none does",
            _there,
            sample=_widest_rank,
        ),
    )
    TOKEN, COUNT, RANK, WITHOUT = range(len(columns))
