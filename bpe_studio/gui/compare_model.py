"""The same text at several steps of one run, measured and compared; and the table that shows the own.

Nothing is encoded here twice: the run's live text answers for every step. The differences are the cuts that stand at
some of the compared steps but not at all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.gui.cell_model import CellModel, Column, Index, RowState
from bpe_studio.gui.numbers_text import grouping_locale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.engine.segmentation import LiveText

    FloatArray = NDArray[np.float64]

NONE = "–"


@dataclass(frozen=True)
class TextCounts:
    """What does not depend on the step: the text's own size and the corpus's."""

    n_bytes: int
    n_characters: int
    n_words: int
    corpus_bytes: int

    @classmethod
    def of(cls, text: str, run: Run) -> TextCounts:
        """Count a text that is compared at steps of this run."""
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
        return cls(n_bytes, len(text), len(text.split()), int(run.corpus.size_bytes))


@dataclass(frozen=True)
class SizeMeasures:
    """One row: the text and the corpus at one step.

    Attributes:
        step: the number of merges.
        is_current: whether it is the step of the window.
        vocab_size: alphabet, merges and special tokens.
        n_tokens: tokens of the text.
        corpus_tokens: tokens of the whole corpus.
        counts: the sizes that the ratios are taken over.
    """

    step: int
    is_current: bool
    vocab_size: int
    n_tokens: int
    corpus_tokens: int
    counts: TextCounts

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text for each of its tokens."""
        return _ratio(self.counts.n_bytes, self.n_tokens)

    @property
    def characters_per_token(self) -> float | None:
        """Code points of the text for each of its tokens."""
        return _ratio(self.counts.n_characters, self.n_tokens)

    @property
    def fertility(self) -> float | None:
        """Tokens per word of the text, words being parted by white space."""
        return _ratio(self.n_tokens, self.counts.n_words)

    @property
    def corpus_bytes_per_token(self) -> float | None:
        """Bytes of the corpus for each of its tokens; None where it was given as counts."""
        return _ratio(self.counts.corpus_bytes, self.corpus_tokens) if self.counts.corpus_bytes else None


def measure(run: Run, live: LiveText, counts: TextCounts, step: int, is_current: bool) -> SizeMeasures:
    """Measure a text, encoded as `live`, at one step."""
    return SizeMeasures(
        step=step,
        is_current=is_current,
        vocab_size=int(run.vocab_size_at(step)),
        n_tokens=int(live.n_tokens(step)),
        corpus_tokens=int(run.n_tokens_at(step)),
        counts=counts,
    )


def differences(starts: Sequence[FloatArray]) -> list[tuple[FloatArray, FloatArray]]:
    """The cuts that not all columns share.

    Args:
        starts: for each column the sorted places where its tokens begin.

    Returns:
        For each column the places where it cuts and another does not, and where another cuts and it does not.

    Example:
        `differences([[0, 1, 2], [0, 2]])` is `[([1], []), ([], [1])]`.
    """
    import numpy as np

    if not starts:
        return []
    every, n_columns = np.unique(np.concatenate([np.unique(column) for column in starts]), return_counts=True)
    contested = every[n_columns < len(starts)]
    result = []
    for column in starts:
        is_here = np.isin(contested, column)
        result.append((contested[is_here], contested[~is_here]))
    return result


def difference_words(own: FloatArray, reference: FloatArray) -> str:
    """How a column's cuts differ from the first column's, in words."""
    import numpy as np

    more, fewer = len(np.setdiff1d(own, reference)), len(np.setdiff1d(reference, own))
    if not more and not fewer:
        return "cut as the first"
    if not more:
        return f"{fewer:,} {'cut' if fewer == 1 else 'cuts'} of the first joined"
    if not fewer:
        return f"{more:,} {'cut' if more == 1 else 'cuts'} more than the first"
    return f"{fewer:,} joined, {more:,} cut more"


COLUMNS = (
    Column("step", "Merges that apply; the marked row is the step of the window"),
    Column("vocabulary", "Alphabet, merges and special tokens"),
    Column("tokens", "Tokens of the compared text"),
    Column("vs first", "How many more or fewer tokens of the compared text than in the first row"),
    Column("bytes/token", "UTF-8 bytes of the compared text for each of its tokens"),
    Column("chars/token", "Code points of the compared text for each of its tokens"),
    Column("fertility", "Tokens for each word of the compared text, words being parted by white space"),
    Column("corpus tokens", "Tokens of the whole corpus"),
    Column("vs first", "How many more or fewer tokens of the whole corpus than in the first row"),
    Column("corpus bytes/token", "Bytes of the corpus as UTF-8 for each of its tokens"),
)


class CompareModel(CellModel):
    """One row a size, in the order of the columns of text."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SizeMeasures, ...] = ()
        self._locale = grouping_locale()

    @property
    def rows(self) -> tuple[SizeMeasures, ...]:
        """The measures that are shown."""
        return self._rows

    def set_rows(self, rows: Sequence[SizeMeasures]) -> None:
        """Show other measures; the selection survives where the number of rows does."""
        rows = tuple(rows)
        if rows == self._rows:
            return
        if len(rows) == len(self._rows):
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self._rows[row].is_current else RowState.APPLIED

    def text(self, row: int, column: int) -> str:
        own, first = self._rows[row], self._rows[0]
        if column == 0:
            return self._whole(own.step)
        if column in (3, 8):
            now, then = (own.n_tokens, first.n_tokens) if column == 3 else (own.corpus_tokens, first.corpus_tokens)
            return NONE if row == 0 else self._change(now, then)
        whole = {1: own.vocab_size, 2: own.n_tokens, 7: own.corpus_tokens}
        if column in whole:
            return self._whole(whole[column])
        ratios = {4: own.bytes_per_token, 5: own.characters_per_token, 6: own.fertility, 9: own.corpus_bytes_per_token}
        ratio = ratios[column]
        return NONE if ratio is None else self._locale.toString(ratio, "f", 2)

    def _whole(self, number: int) -> str:
        return self._locale.toString(number)

    def _change(self, now: int, then: int) -> str:
        sign = "+" if now > then else "−" if now < then else "±"
        return f"{sign}{self._locale.toString(abs(now - then) / then * 100, 'f', 1)} %" if then else NONE


def _ratio(count: int, per: int) -> float | None:
    return count / per if per else None
