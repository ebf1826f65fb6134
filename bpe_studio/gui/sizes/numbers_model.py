"""The compared sizes as rows of one table: what is measured of the text on the left, of the corpus on the right.

What can be read off at once (tokens, and what is divided by them) is given with each row; what takes a pass over the
vocabulary comes later, and until then the row shows what it showed before, dimmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, Qt

from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import Column, Index, RowState, TableModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.encoding.segmentation import EditableText
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

    FloatArray = NDArray[np.float64]

NONE = "–"


@dataclass(frozen=True)
class TextCounts:
    """What does not depend on the step: the text's own size and the corpus's; 0 words where they are not known."""

    n_bytes: int
    n_characters: int
    n_words: int
    corpus_bytes: int
    corpus_words: int = 0

    @classmethod
    def of(cls, text: str, run: Run) -> TextCounts:
        """Count a text that is compared at steps of this run."""
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
        corpus = run.corpus
        return cls(n_bytes, len(text), len(text.split()), int(corpus.size_bytes), int(corpus.n_whitespace_words or 0))


@dataclass(frozen=True)
class SizeMeasures:
    """What one row shows at once: the text and the corpus at one step.

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

    @property
    def corpus_fertility(self) -> float | None:
        """Tokens per word of the corpus, words being parted by white space; None where their number is not known."""
        return _ratio(self.corpus_tokens, self.counts.corpus_words)


class UseOfVocabulary(NamedTuple):
    """What takes a pass over the vocabulary: how much of it one step's tokens use, of the text and of the corpus.

    Attributes:
        step: the step that it was counted at.
        text_unused, unused: tokens of the vocabulary that stand nowhere in the text, in the corpus.
        text_working, working: the share of the vocabulary that does 90 % of the work.
        rare: tokens that stand fewer than so many times in the corpus.
    """

    step: int
    text_unused: int
    text_working: float
    unused: int
    rare: int
    working: float


def measure(run: Run, live: EditableText, counts: TextCounts, step: int, is_current: bool) -> SizeMeasures:
    """Measure a text, encoded as `live`, at one step."""
    return SizeMeasures(
        step=step,
        is_current=is_current,
        vocab_size=int(run.vocab_size_at(step)),
        n_tokens=int(live.n_tokens(step)),
        corpus_tokens=int(run.n_tokens_at(step)),
        counts=counts,
    )


TEXT_TOKENS, TEXT_CHANGE = 2, 3
CORPUS_TOKENS, CORPUS_CHANGE, RARE = 9, 10, 14
GROUPS = (("", 0, 2), ("typed text", 2, 9), ("corpus", 9, 16))
"""What the columns from one to before another are of."""
_WORKING = "The share of the vocabulary's entries that do 90 % of the work: the fewest tokens that make up 90 % of "
COLUMNS = (
    Column("step", "Merges that apply; the marked row is the step of the window"),
    Column("vocabulary", "Alphabet, merges and special tokens"),
    Column("tokens", "Tokens of the compared text"),
    Column("change", "How many more or fewer tokens of the compared text than in the row that is compared with"),
    Column("bytes/token", "UTF-8 bytes of the compared text for each of its tokens"),
    Column("chars/token", "Code points of the compared text for each of its tokens"),
    Column("fertility", "Tokens for each word of the compared text, words being parted by white space"),
    Column("unused", "Entries of the vocabulary that the compared text does not use; special tokens are left out"),
    Column("90 % by", _WORKING + "all tokens of the compared text"),
    Column("tokens", "Tokens of the whole corpus"),
    Column("change", "How many more or fewer tokens of the whole corpus than in the row that is compared with"),
    Column("bytes/token", "Bytes of the corpus as UTF-8 for each of its tokens"),
    Column("fertility", "Tokens for each word of the corpus, words being parted by white space"),
    Column(
        "unused",
        "Entries of the vocabulary that stand nowhere in the corpus: bytes it lacks, parts of longer tokens",
    ),
    Column("rare", "Entries of the vocabulary that stand fewer times in the corpus than chosen above"),
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
            return f"{tip}\nThe corpus was given as words and counts, so nobody knows its bytes"
        if self.is_old(row, column):
            return f"{tip}\nStill that of the step before; the new number is being counted"
        return tip

    def _change(self, now: float, then: float) -> str:
        sign = "+" if now > then else "−" if now < then else "±"
        return f"{sign}{self._locale.toString(abs(now - then) / then * 100, 'f', 1)} %" if then else NONE


_COUNTED = {7: 1, 8: 2, 13: 3, 14: 4, 15: 5}
"""The columns that take a pass over the vocabulary, and where in `UseOfVocabulary` they stand."""
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


def _ratio(count: int, per: int) -> float | None:
    return count / per if per else None
