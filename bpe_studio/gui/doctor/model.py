"""The unreachable tokens as table rows, in the order of their ids, with the reason of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from bpe_studio.explain.doctor.sentences import merge_rank, why
from bpe_studio.explain.doctor.token_classes import TokenClass
from bpe_studio.explain.names import display_name, isolated
from bpe_studio.gui.tables.model import Column, Export, each_row, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.explain.doctor.examination import ExaminedToken
    from bpe_studio.workspace.runs.examiner import Examined


class ExaminedModel(SortedTableModel):
    """The tokens that no text becomes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: Examined | None = None
        self._order: list[int] = []

    @property
    def shown(self) -> Examined | None:
        """What the rows are of."""
        return self._shown

    def show(self, examined: Examined | None) -> None:
        """Show the tokens of an examination; None shows none."""
        if examined is self._shown:
            return
        self._shown = examined
        if examined is None:
            self._order = []
            self.reset_rows(0, NameIndex(str))
            return
        found = [
            place
            for place, token in enumerate(examined.found.tokens)
            if token.token_class is TokenClass.unreachable and examined.tokens[place] >= 0
        ]
        self._order = sorted(found, key=lambda place: examined.found.tokens[place].id)
        self.reset_rows(len(self._order), NameIndex(self._name_of))

    def number_of(self, row: int) -> int:
        return self.token(row)

    def token(self, row: int) -> int:
        """The internal id of the token in a row."""
        return -1 if self._shown is None else self._shown.tokens[self._order[self.source_row(row)]]

    def examined(self, row: int) -> ExaminedToken:
        """What was found of the token in a row."""
        assert self._shown is not None
        return self._shown.found.tokens[self._order[self.source_row(row)]]

    def name(self, row: int) -> str:
        """What the token in a row is called."""
        return self._names.name(self.source_row(row))

    def merge_rank(self, row: int) -> int | None:
        """The rank of the merge that takes a part of the token in a row; None if none does."""
        return None if self._shown is None else merge_rank(self.examined(row), self._shown.run)

    def is_link(self, row: int, column: int) -> bool:
        return column == self.WHY and self.merge_rank(row) is not None

    def tip(self, row: int, column: int) -> str:
        return f"{isolated(self.name(row))}, id {self._id(row)}\n{self._why(row)}"

    def plain_state(self) -> object:
        return self._shown

    def _name_of(self, place: int) -> str:
        shown = self._shown
        if shown is None or place >= len(self._order):
            return ""
        return display_name(shown.run, shown.tokens[self._order[place]])

    def _id(self, row: int) -> str:
        return self._locale.toString(self.examined(row).id)

    def _id_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        assert self._shown is not None
        tokens = self._shown.found.tokens
        return np.array([tokens[place].id for place in self._order[:n]])

    def _why(self, row: int) -> str:
        assert self._shown is not None
        return why(self.examined(row), self._shown.run)

    def _name_order(self, n: int) -> NDArray[Any]:
        ranks = self._names.ranks
        assert ranks is not None
        return ranks[:n]

    columns = (
        Column(
            "id",
            "The token's id in the tokenizer",
            _id,
            sample=lambda model: model._widest_id(),
            sort_key=_id_order,
            exports=(Export("id", each_row(lambda model, row: model.examined(row).id)),),
        ),
        Column(
            "token",
            "The token; ␣ is a space",
            lambda model, row: isolated(model.name(row)),
            is_number=False,
            sort_key=_name_order,
            sorts_by_name=True,
            chips=lambda model, row: Chips.of(model.name(row)),
            exports=(Export("token", each_row(lambda model, row: model.examined(row).token)),),
        ),
        Column(
            "why",
            "Why no text becomes it; a click on a merge selects that merge",
            _why,
            is_number=False,
            share=2.2,
        ),
    )
    ID, TOKEN, WHY = range(len(columns))

    def _widest_id(self) -> str:
        tokens = () if self._shown is None else self._shown.found.tokens
        return widest_number(max((token.id for token in tokens), default=0), 1000)
