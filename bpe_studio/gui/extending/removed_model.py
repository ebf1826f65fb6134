"""The tokens that pruning removes, as rows: the least used first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from bpe_studio.explain.names import display_log_name
from bpe_studio.explain.wording import number
from bpe_studio.gui.tables.model import Column, RowsModel, widest_number
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.files.changes.prune import RemovedToken


class RemovedModel(RowsModel["RemovedToken"]):
    """The first rows of what can be removed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._config: TrainingConfig | None = None

    def show(self, tokens: Sequence[RemovedToken], config: TrainingConfig | None) -> None:
        """Show the tokens that are removed.

        Args:
            tokens: in the order in which they go.
            config: how their names are written.
        """
        self._config = config
        self.show_rows(tokens)

    def name(self, row: int) -> str:
        """What the token in a row is called."""
        assert self._config is not None
        return display_log_name(self.rows[row].token, self._config)

    def _widest(self) -> str:
        # The last rows are the most used.
        return widest_number(*(token.count for token in self.rows[-1:]), 1000)

    columns = (
        Column(
            "id",
            "The token's id in the tokenizer now",
            lambda model, row: number(model.rows[row].id),
            sample="1,000,000",
        ),
        Column(
            "token",
            "The token; ␣ is a space",
            is_number=False,
            chips=lambda model, row: Chips.of(model.name(row)),
        ),
        Column(
            "used",
            "How often it was used in the corpus when it was removed; the corpus grows by this at"
            " most",
            lambda model, row: number(model.rows[row].count),
            sample=lambda model: model._widest(),
        ),
    )
    ID, TOKEN, USED = range(len(columns))
