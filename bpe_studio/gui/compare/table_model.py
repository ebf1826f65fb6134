"""The model of the table of measures: a row for each subject, for the text and the corpus.

Token counts and ratios of a size are immediate. Numbers that take a pass over a vocabulary come
later; until then, a row shows its previous ones, dimmed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.names import elided, isolated
from bpe_studio.gui.tables.model import NO_VALUE, Column, Index, RowState, TableModel

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.gold import Score
    from bpe_studio.explain.comparison.measures import Row, UseOfVocabulary
    from bpe_studio.files.exports.csv_tables import Value

TEXT = "typed text"
CORPUS = "corpus"
AGAINST = "reference"
GOLD = "gold words"
"""The groups of the columns."""
MOST_NAME = 24
"""Longer names of runs and tokenizers are elided."""

_COVERED = "The smallest share of the vocabulary that makes up 90 % of "
_NO_WORDS = (
    "The corpus was given as words and counts, or its white space is not known, so there are no"
    " words to count"
)
_NO_BYTES = "The corpus was given as words and counts, so its size in bytes is not known"


class Unit(Enum):
    """The format of a number."""

    WHOLE = "12,345"
    RATIO = "1.23"
    SHARE = "12.3 %"
    CHANGE = "+1.2 %"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Column["MeasuresModel"]):
    """A column of numbers.

    Attributes:
        value: the number of a row; None if it is not known. For `Unit.CHANGE`, the number that
            changes.
        unit: the format of the number.
        is_late: whether it takes a pass over the vocabulary; `value` then takes a `Found` instead
            of a `Row`.
        is_against: whether it compares with the reference row, in which it is not shown.
        if_unknown: a sentence that the tooltip adds if the number is not known.
        is_main: whether it is shown before the user asks for all numbers.
    """

    value: Callable[[Any], float | None]
    unit: Unit = Unit.WHOLE
    is_late: bool = False
    is_against: bool = False
    if_unknown: str = ""
    is_main: bool = False


def _use(of: str, name: str) -> Callable[[Any], float | None]:
    """A number of `VocabularyUse`, of the text or of the corpus."""
    return lambda found: getattr(getattr(found.use, of, None), name, None)


def _gold(place: int) -> Callable[[Any], float | None]:
    """A share of `Score`, if the gold words could be encoded."""

    def value(found: Found) -> float | None:
        shares = None if found.gold is None else found.gold.shares
        return None if shares is None else shares[place]

    return value


COLUMNS = (
    Measure(
        title="step",
        tip=(
            "The number of merges; the current step is marked. Other runs and tokenizers show their"
            " names"
        ),
        value=lambda row: row.step,
        sample="000,000",
    ),
    Measure(
        title="vocabulary",
        tip="Alphabet, merges and special tokens; click to see them",
        value=lambda row: row.vocab_size,
        sample="000,000",
        is_link=True,
    ),
    Measure(
        group=CORPUS,
        title="tokens",
        tip="Tokens of the whole corpus",
        value=lambda row: row.corpus_tokens,
        sample="00,000,000,000,000",
        is_main=True,
    ),
    Measure(
        group=CORPUS,
        title="change",
        tip="The difference from B in tokens of the whole corpus, in percent",
        value=lambda row: row.corpus_tokens,
        unit=Unit.CHANGE,
        sample="−000.0 %",
        is_main=True,
    ),
    Measure(
        group=CORPUS,
        title="bytes/token",
        tip="Bytes of the corpus as UTF-8 for each of its tokens",
        value=lambda row: row.corpus_bytes_per_token,
        unit=Unit.RATIO,
        if_unknown=_NO_BYTES,
        sample="00.00",
        is_main=True,
    ),
    Measure(
        group=CORPUS,
        title="fertility",
        tip="Tokens for each word of the corpus, words separated by white space",
        value=lambda row: row.corpus_fertility,
        unit=Unit.RATIO,
        if_unknown=_NO_WORDS,
        sample="00.00",
    ),
    Measure(
        group=CORPUS,
        title="unused",
        tip=(
            "Entries of the vocabulary that do not occur in the corpus: bytes it lacks, parts of"
            " longer tokens; click to see them"
        ),
        value=_use("corpus", "n_unused"),
        is_late=True,
        sample="00,000",
        is_link=True,
    ),
    Measure(
        group=CORPUS,
        title="rare",
        tip=(
            "Entries of the vocabulary that occur fewer times in the corpus than chosen above;"
            " click to see them"
        ),
        value=_use("corpus", "n_rare"),
        is_late=True,
        sample="00,000",
        is_link=True,
    ),
    Measure(
        group=CORPUS,
        title="90 % coverage",
        tip=f"{_COVERED}all tokens of the corpus",
        value=_use("corpus", "working_share"),
        is_late=True,
        unit=Unit.SHARE,
        sample="00.0 %",
    ),
    Measure(
        group=TEXT,
        title="tokens",
        tip="Tokens of the compared text",
        value=lambda row: row.n_tokens,
        sample="00,000,000,000,000",
        is_main=True,
    ),
    Measure(
        group=TEXT,
        title="change",
        tip="The difference from B in tokens of the compared text, in percent",
        value=lambda row: row.n_tokens,
        unit=Unit.CHANGE,
        sample="−000.0 %",
        is_main=True,
    ),
    Measure(
        group=TEXT,
        title="bytes/token",
        tip="UTF-8 bytes of the compared text for each of its tokens",
        value=lambda row: row.bytes_per_token,
        unit=Unit.RATIO,
        sample="00.00",
    ),
    Measure(
        group=TEXT,
        title="chars/token",
        tip="Code points of the compared text for each of its tokens",
        value=lambda row: row.characters_per_token,
        unit=Unit.RATIO,
        sample="00.00",
    ),
    Measure(
        group=TEXT,
        title="fertility",
        tip="Tokens for each word of the compared text, words separated by white space",
        value=lambda row: row.fertility,
        unit=Unit.RATIO,
        sample="00.00",
    ),
    Measure(
        group=TEXT,
        title="unused",
        tip=(
            "Entries of the vocabulary that the compared text does not use; special tokens are not"
            " counted"
        ),
        value=_use("text", "n_unused"),
        is_late=True,
        sample="00,000",
    ),
    Measure(
        group=TEXT,
        title="90 % coverage",
        tip=f"{_COVERED}all tokens of the compared text",
        value=_use("text", "working_share"),
        is_late=True,
        unit=Unit.SHARE,
        sample="00.0 %",
    ),
    Measure(
        group=AGAINST,
        title="different cuts",
        tip="Places in the text shown where only this row or only B has a boundary",
        value=lambda found: found.n_cuts,
        is_late=True,
        is_against=True,
        sample="0,000",
    ),
    Measure(
        group=AGAINST,
        title="in common",
        tip="Tokens that B has too, compared by their bytes",
        value=lambda found: found.n_shared,
        is_late=True,
        is_against=True,
        sample="000,000",
    ),
    Measure(
        group=GOLD,
        title="F1",
        tip="The agreement of borders with the gold words: the mean of precision and recall",
        value=_gold(2),
        is_late=True,
        unit=Unit.SHARE,
        sample="00.0 %",
    ),
    Measure(
        group=GOLD,
        title="whole stems",
        tip="The share of the gold words whose stem, the longest part, is one token",
        value=_gold(3),
        is_late=True,
        unit=Unit.SHARE,
        sample="00.0 %",
    ),
)
_CORPUS_COLUMNS = {each.title: k for k, each in enumerate(COLUMNS) if each.group == CORPUS}
UNUSED = _CORPUS_COLUMNS["unused"]
RARE = _CORPUS_COLUMNS["rare"]
"""The columns with the numbers of tokens that never, or rarely, occur in the corpus."""
STEP = 0


def columns_of(group: str) -> range:
    """The columns of a group, which are neighbours."""
    own = [k for k, column in enumerate(COLUMNS) if column.group == group]
    return range(own[0], own[-1] + 1)


@dataclass(frozen=True)
class Found:
    """The findings about a row: from the pool, or compared with the reference row; None if unknown.

    Attributes:
        use: the numbers of used and rare tokens.
        n_cuts: the places of the text that only one of the two rows cuts.
        n_shared: the tokens that both rows have.
        gold: the agreement of the tokens with gold words, if there are any.
        is_late: whether the use is of an earlier text or step, or not complete yet.
    """

    use: UseOfVocabulary | None = None
    n_cuts: int | None = None
    n_shared: int | None = None
    gold: Score | None = None
    is_late: bool = True


class MeasuresModel(TableModel):
    """All that is compared, a row each: the sizes of the open run, other runs, tokenizers.

    Attributes:
        rows: the measures of each row.
        found: the findings about each row.
        reference: the row that the others are compared with, from 0.
    """

    columns: tuple[Measure, ...] = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self.found: tuple[Found, ...] = ()
        self.reference = 0
        self._are_differences = False

    def share(self, row: int, column: int) -> float:
        values = [
            self._own_value(self.columns[column], each) or 0 for each in range(len(self.rows))
        ]
        most = max(values)
        return values[row] / most if most else 0.0

    def has_bar(self, column: int) -> bool:
        """Whether a column also draws bars: for the tokens of the corpus and of the text."""
        return bool(self.columns[column].group) and self.columns[column].title == "tokens"

    def set_rows(self, rows: Sequence[Row], found: Sequence[Found], reference: int = 0) -> None:
        """Replace the measures; the selection stays if the number of rows does."""
        new = tuple(rows), tuple(found), reference
        if new == (self.rows, self.found, self.reference):
            return
        is_as_long = len(rows) == len(self.rows)
        if not is_as_long:
            self.beginResetModel()
        self.rows, self.found, self.reference = new
        if is_as_long:
            self.emit_all_changed()
        else:
            self.endResetModel()

    def set_differences(self, are_differences: bool) -> None:
        """Set whether numbers are shown as changes from the reference row."""
        self._are_differences = are_differences
        self.emit_all_changed()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self.rows[row].is_current else RowState.APPLIED

    def is_link(self, row: int, column: int) -> bool:
        return (
            super().is_link(row, column) and not self.is_old(row, column) and self.rows[row].is_size
        )

    def is_old(self, row: int, column: int) -> bool:
        """Whether a cell still shows the number of another text or step."""
        own = self.columns[column]
        return (
            own.is_late
            and not own.is_against
            and self.found[row].is_late
            and self.value(row, column) is not None
        )

    def value(self, row: int, column: int) -> float | None:
        """The number of a cell; None if it is not known, or not yet.

        In a column of changes, it is the change as a fraction, such as -0.05; None in the reference
        row.
        """
        own = self.columns[column]
        if row == self.reference and (own.is_against or own.unit is Unit.CHANGE):
            return None
        return self._change_of(own, row) if own.unit is Unit.CHANGE else self._own_value(own, row)

    def _own_value(self, column: Measure, row: int) -> float | None:
        if column.is_late:
            return column.value(self.found[row])
        return column.value(self.rows[row])

    def _change_of(self, column: Measure, row: int) -> float | None:
        now = self._own_value(column, row)
        then = self._own_value(column, self.reference)
        return (now - then) / then if now is not None and then else None

    def text(self, row: int, column: int) -> str:
        own = self.columns[column]
        value = self.value(row, column)
        if column == STEP and not self.rows[row].is_size:
            return isolated(elided(self.rows[row].subject.name, MOST_NAME))
        if value is None:
            if own.is_against:
                return (
                    "…" if self.found[row].n_shared is None and row != self.reference else NO_VALUE
                )
            is_coming = self.found[row].is_late and (own.is_late or not self.rows[row].is_size)
            return "…" if is_coming else NO_VALUE
        if own.unit is Unit.CHANGE:
            return self._change(value)
        if self._are_differences and own.group and row != self.reference:
            then = self.value(self.reference, column)
            return self._change((value - then) / then) if then else NO_VALUE
        if own.unit is Unit.SHARE:
            return f"{self._locale.toString(100 * value, 'f', 1)} %"
        if own.unit is Unit.RATIO:
            return self._locale.toString(value, "f", 2)
        return self._locale.toString(round(value))

    def _change(self, change: float) -> str:
        sign = "±"
        if change > 0:
            sign = "+"
        elif change < 0:
            sign = "−"
        return f"{sign}{self._locale.toString(abs(change) * 100, 'f', 1)} %"

    def plain_heads(self) -> list[str]:
        return [*(column.full_title for column in self.columns), "run or tokenizer"]

    def plain_rows(self, first: int, last: int, run: Run | None) -> list[tuple[Value, ...]]:
        columns = range(len(self.columns))
        rows: list[tuple[Value, ...]] = []
        for row in range(first, last):
            values = [self._plain(row, column) for column in columns]
            rows.append((*values, self.rows[row].subject.name))
        return rows

    def _plain(self, row: int, column: int) -> Value:
        own = self.columns[column]
        if column == STEP and not self.rows[row].is_size:
            return None
        if own.unit is Unit.CHANGE:
            return self._change_of(own, row)
        value = None if self.is_old(row, column) else self.value(row, column)
        return round(value) if value is not None and own.unit is Unit.WHOLE else value

    def tip(self, row: int, column: int) -> str:
        own = self.columns[column]
        if column == STEP and not self.rows[row].is_size:
            return self.rows[row].subject.name
        if own.if_unknown and self.value(row, column) is None:
            return f"{own.tip}\n{own.if_unknown}"
        if self.is_old(row, column):
            return f"{own.tip}\nNumber of the previous step; the new one is being counted"
        return own.tip
