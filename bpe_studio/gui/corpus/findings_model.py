"""The findings of an inspection, and the places of one of them, as table rows."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.corpus_doctor.findings import MEANINGS, visible_excerpt
from bpe_studio.explain.names import is_right_to_left, isolated
from bpe_studio.explain.wording import number
from bpe_studio.gui.tables.model import Column, Index, TableModel, widest_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.explain.corpus_doctor.findings import Finding, Place


class FindingsModel(TableModel):
    """What was found, with its counts."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._findings: Sequence[Finding] = ()
        self._chosen = -1

    def show(self, findings: Sequence[Finding]) -> None:
        """Show the findings of an inspection."""
        self.beginResetModel()
        self._findings, self._chosen = findings, -1
        self.endResetModel()

    def choose(self, row: int) -> None:
        """Mark a row as the one whose places are shown; the view repaints itself."""
        self._chosen = row

    def finding(self, row: int) -> Finding:
        """The finding of a row."""
        return self._findings[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._findings)

    def is_selected(self, row: int) -> bool:
        return row == self._chosen

    def tip(self, row: int, column: int) -> str:
        return self._findings[row].sentence

    columns = (
        Column(
            "finding", "What was found in the text", lambda model, row: MEANINGS[model.finding(row).name].title,
            is_number=False,
        ),
        Column(
            "count", "How often it was found", lambda model, row: number(model.finding(row).count),
            sample=lambda model: widest_number(*(finding.count for finding in model._findings), 1000),
        ),
    )  # fmt: skip
    FINDING, COUNT = range(len(columns))


class PlacesModel(TableModel):
    """The first places of a finding, with the text around them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._finding: Finding | None = None

    def show(self, finding: Finding | None) -> None:
        """Show the places of a finding; None shows none."""
        self.beginResetModel()
        self._finding = finding
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._finding is None else len(self._finding.places)

    def place(self, row: int) -> str:
        """The place of a row, as editors and compilers write it."""
        assert self._finding is not None
        place = self._finding.places[row]
        return place.after(os.path.basename(place.file))

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
        return max((self.place(row) for row in range(n)), key=len) if n else "text.txt:1000:10"

    columns = (
        Column(
            "place", "File, line and column", lambda model, row: model.place(row), is_number=False,
            sample=lambda model: model._widest(),
        ),
        Column(
            "text", "The text around it; characters that cannot be seen are named",
            lambda model, row: isolated(visible_excerpt(model.excerpt(row))), is_number=False,
            is_rtl=lambda model, row: is_right_to_left(model.excerpt(row)),
        ),
    )  # fmt: skip
    PLACE, TEXT = range(len(columns))
