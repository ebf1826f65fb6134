"""The compared sizes as rows of one table: what is measured of the text on the left, of the corpus on the right.

What can be read off at once (tokens, and what is divided by them) is given with each row; what takes a pass over the
vocabulary comes later, and until then the row shows what it showed before, dimmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import Column, Index, RowState, TableModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.explain.sizes.measures import SizeMeasures, UseOfVocabulary
    from bpe_studio.files.exports.csv_tables import Value

    FloatArray = NDArray[np.float64]

NONE = "–"


TEXT_TOKENS, TEXT_CHANGE = 2, 3
CORPUS_TOKENS, CORPUS_CHANGE, RARE = 9, 10, 14
GROUPS = (("", 0, 2), ("typed text", 2, 9), ("corpus", 9, 16))
"""What the columns from one to before another are of."""
_WORKING = "The share of the vocabulary's entries that covers 90 %: the fewest tokens that make up 90 % of "
COLUMNS = (
    Column("step", "Merges that apply; the marked row is the step of the window"),
    Column("vocabulary", "Alphabet, merges and special tokens"),
    Column("tokens", "Tokens of the compared text"),
    Column("change", "How many more or fewer tokens of the compared text than in the reference row"),
    Column("bytes/token", "UTF-8 bytes of the compared text for each of its tokens"),
    Column("chars/token", "Code points of the compared text for each of its tokens"),
    Column("fertility", "Tokens for each word of the compared text, words separated by white space"),
    Column("unused", "Entries of the vocabulary that the compared text does not use; special tokens are left out"),
    Column("90 % by", _WORKING + "all tokens of the compared text"),
    Column("tokens", "Tokens of the whole corpus"),
    Column("change", "How many more or fewer tokens of the whole corpus than in the reference row"),
    Column("bytes/token", "Bytes of the corpus as UTF-8 for each of its tokens"),
    Column("fertility", "Tokens for each word of the corpus, words separated by white space"),
    Column(
        "unused",
        "Entries of the vocabulary that do not occur in the corpus: bytes it lacks, parts of longer tokens",
    ),
    Column("rare", "Entries of the vocabulary that occur fewer times in the corpus than chosen above"),
    Column("90 % by", _WORKING + "all tokens of the corpus"),
)
_NO_WORDS = "The corpus was given as words and counts, or its white space is not known, so there are no words to count"


class NumbersModel(TableModel):
    """One row a size, in the order of the columns of text."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SizeMeasures, ...] = ()
        self._uses: tuple[UseOfVocabulary | None, ...] = ()
        self._reference = 0
        self._are_differences = False
        self._locale = grouping_locale()

    @property
    def rows(self) -> tuple[SizeMeasures, ...]:
        """The measures that are shown."""
        return self._rows

    @property
    def uses(self) -> tuple[UseOfVocabulary | None, ...]:
        """How much of the vocabulary each row uses; those that were counted at another step are shown dimmed."""
        return self._uses

    @property
    def reference(self) -> int:
        """The row that the others are compared with."""
        return min(self._reference, max(0, len(self._rows) - 1))

    def set_rows(self, rows: Sequence[SizeMeasures], reference: int = 0) -> None:
        """Show other measures; the selection survives where the number of rows does."""
        rows = tuple(rows)
        if (rows, reference) == (self._rows, self._reference):
            return
        is_as_long = len(rows) == len(self._rows)
        if not is_as_long:
            self.beginResetModel()
        self._rows, self._reference = rows, reference
        self._uses = (*self._uses, *([None] * len(rows)))[: len(rows)]
        if is_as_long:
            self._tell()
        else:
            self.endResetModel()

    def set_uses(self, uses: Sequence[UseOfVocabulary | None]) -> None:
        """Show what was counted, a row each; None keeps what the row has."""
        found = tuple(
            self._uses[k] if k < len(self._uses) and use is None else use
            for k, use in enumerate(uses[: len(self._rows)])
        )
        if found != self._uses:
            self._uses = found
            self._tell()

    def forget_uses(self) -> None:
        """Another text or run is compared: nothing that was counted holds any more."""
        self._uses = (None,) * len(self._rows)
        self._tell()

    def set_differences(self, are_differences: bool) -> None:
        """Whether every number is shown as how far it is from that of the reference row."""
        self._are_differences = are_differences
        self._tell()

    def _tell(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and orientation is Qt.Orientation.Horizontal:
            # Said, and written into files, where the heading of the group does not stand above.
            return _whole_title(section)
        return super().headerData(section, orientation, role)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self._rows[row].is_current else RowState.APPLIED

    def is_old(self, row: int, column: int) -> bool:
        """Whether a cell still shows what was counted at the step before."""
        if column not in _COUNTED:
            return False
        use = self._uses[row]
        return use is not None and use.step != self._rows[row].step

    def value(self, row: int, column: int) -> float | None:
        """The number of a cell; None where it is not known, or not yet."""
        own, use = self._rows[row], self._uses[row]
        if column in _COUNTED:
            return None if use is None else float(use[_COUNTED[column]])
        return _values(own)[column]

    def text(self, row: int, column: int) -> str:
        own, first = self._rows[row], self._rows[self.reference]
        if column in (TEXT_CHANGE, CORPUS_CHANGE):
            of_text = column == TEXT_CHANGE
            now, then = (own.n_tokens, first.n_tokens) if of_text else (own.corpus_tokens, first.corpus_tokens)
            return NONE if row == self.reference else self._change(now, then)
        value = self.value(row, column)
        if value is None:
            return "…" if column in _COUNTED and self._uses[row] is None else NONE
        if self._are_differences and column > 1 and row != self.reference:
            then_value = self.value(self.reference, column)
            return NONE if then_value is None else self._change(value, then_value)
        if column in _SHARES:
            return f"{self._locale.toString(100 * value, 'f', 1)} %"
        if column in _RATIOS:
            return self._locale.toString(value, "f", 2)
        return self._locale.toString(round(value))

    def plain_heads(self) -> list[str]:
        return [
            f"{group}: {column.title}" if group else column.title
            for group, first, behind in GROUPS
            for column in COLUMNS[first:behind]
        ]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        own, first = self._rows[row], self._rows[self.reference]
        cells: list[Value] = []
        for column in range(len(COLUMNS)):
            if column in (TEXT_CHANGE, CORPUS_CHANGE):
                of_text = column == TEXT_CHANGE
                now, then = (own.n_tokens, first.n_tokens) if of_text else (own.corpus_tokens, first.corpus_tokens)
                cells.append((now - then) / then if then else None)
                continue
            value = None if self.is_old(row, column) else self.value(row, column)
            is_whole = column not in _SHARES and column not in _RATIOS
            cells.append(round(value) if value is not None and is_whole else value)
        return cells

    def tip(self, row: int, column: int) -> str:
        tip = super().tip(row, column)
        if column == 12 and self._rows[row].corpus_fertility is None:
            return f"{tip}\n{_NO_WORDS}"
        if column == 11 and self._rows[row].corpus_bytes_per_token is None:
            return f"{tip}\nThe corpus was given as words and counts, so its size in bytes is not known"
        if self.is_old(row, column):
            return f"{tip}\nStill the number of the previous step; the new one is being counted"
        return tip

    def _change(self, now: float, then: float) -> str:
        sign = "+" if now > then else "−" if now < then else "±"
        return f"{sign}{self._locale.toString(abs(now - then) / then * 100, 'f', 1)} %" if then else NONE


_COUNTED = {7: 1, 8: 2, 13: 3, 14: 4, 15: 5}
"""The columns that take a pass over the vocabulary, and where they are in `UseOfVocabulary`."""
_SHARES = frozenset({8, 15})
_RATIOS = frozenset({4, 5, 6, 11, 12})


def _whole_title(column: int) -> str:
    """A column's heading with that of its group."""
    group = next((name for name, first, last in GROUPS if first <= column < last), "")
    return f"{group}: {COLUMNS[column].title}" if group else COLUMNS[column].title


def _values(own: SizeMeasures) -> dict[int, float | None]:
    """The numbers of a row by their columns."""
    return {
        0: own.step,
        1: own.vocab_size,
        2: own.n_tokens,
        4: own.bytes_per_token,
        5: own.characters_per_token,
        6: own.fertility,
        9: own.corpus_tokens,
        11: own.corpus_bytes_per_token,
        12: own.corpus_fertility,
    }
