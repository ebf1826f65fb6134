"""The longest words as each compared size cuts them: one row a word and size, the rows of a word together.

A word here is a pre-token. It is encoded once; what a size makes of it is one comparison, done when its row is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.names import UNKNOWN_NAME, elided, is_right_to_left, isolated
from bpe_studio.explain.sizes.long_words import WordCut, cut_word
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import NUMBER, WORD, Column, Index, RowState, TableModel

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.sizes.long_words import LongWord
    from bpe_studio.files.exports.csv_tables import Value

SHOWN_CHARACTERS = 60
MOST_KEPT = 5000


class SizeWordsModel(TableModel):
    """A block of rows a word, one row a size in it."""

    columns = (
        Column("word", "A piece of the split, which no merge crosses; the longest ones, by their characters", False),
        Column("vocabulary", "The vocabulary size by which the row's word is cut"),
        Column("tokens", "How many tokens the word consists of"),
        Column("cut", "The tokens of the word; outlined are those that the reference does not have there", False),
    )
    WORD, SIZE, TOKENS, CUT = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._words: tuple[LongWord, ...] = ()
        self._steps: tuple[int, ...] = ()
        self._reference = 0
        self._reference_step: tuple[int, ...] = ()
        self._cuts: dict[tuple[int, int], WordCut] = {}
        self._locale = grouping_locale()

    @property
    def n_sizes(self) -> int:
        """How many rows a word has."""
        return len(self._steps)

    @property
    def run(self) -> Run | None:
        """The run whose words are shown."""
        return self._run

    @property
    def words(self) -> tuple[LongWord, ...]:
        """The words that are shown."""
        return self._words

    def step(self, row: int) -> int:
        """The step of a row."""
        return self._steps[row % len(self._steps)]

    def set_words(self, run: Run | None, words: Sequence[LongWord]) -> None:
        """Show other words."""
        self.beginResetModel()
        self._run, self._words = run, tuple(words)
        self._cuts.clear()
        self.endResetModel()

    def set_steps(self, steps: Sequence[int], reference: int) -> None:
        """Cut the words at other steps; the last one is the window's."""
        steps = tuple(steps)
        if (steps, reference) == (self._steps, self._reference):
            return
        is_as_long = len(steps) == len(self._steps)
        if not is_as_long:
            self.beginResetModel()
        if len(self._cuts) > MOST_KEPT or steps[reference : reference + 1] != self._reference_step:
            self._cuts.clear()
        self._steps, self._reference = steps, reference
        self._reference_step = steps[reference : reference + 1]
        if not is_as_long:
            self.endResetModel()
        elif self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._run is None else len(self._words) * len(self._steps)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if row % len(self._steps) == len(self._steps) - 1 else RowState.APPLIED

    def is_rtl(self, row: int) -> bool:
        """Whether the row's word runs to the left."""
        return is_right_to_left(self._words[row // len(self._steps)].text)

    def cut(self, row: int) -> WordCut:
        """The word of a row, cut at the row's step."""
        number, size = divmod(row, len(self._steps))
        key = (number, self._steps[size])
        found = self._cuts.get(key)
        if found is None:
            assert self._run is not None
            step, reference = self._steps[size], self._steps[self._reference]
            found = self._cuts[key] = cut_word(self._run, self._words[number], step, reference)
        return found

    def alignment(self, row: int, column: int) -> int:
        if self.columns[column].is_number:
            return NUMBER
        return NUMBER if self.is_rtl(row) else WORD

    def tip(self, row: int, column: int) -> str:
        word = self._words[row // len(self._steps)]
        cut = self.cut(row)
        return f"{elided(word.text, 200)}\n{word.note}\n{' | '.join(map(isolated, cut.names))}"

    def text(self, row: int, column: int) -> str:
        assert self._run is not None
        word = self._words[row // len(self._steps)]
        if column == self.WORD:
            return isolated(elided(word.text, SHOWN_CHARACTERS))
        if column == self.SIZE:
            return self._locale.toString(int(self._run.vocab_size_at(self.step(row))))
        cut = self.cut(row)
        return self._locale.toString(cut.n_tokens) if column == self.TOKENS else " | ".join(map(isolated, cut.names))

    def plain_heads(self) -> list[str]:
        return ["word as shown", "step", "vocabulary", "tokens", "cut", "cut as shown"]

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        from bpe_studio.files.exports.csv_tables import joined

        own, cut, step = self._run, self.cut(row), self.step(row)
        assert own is not None
        word = self._words[row // len(self._steps)].text
        names = joined(own.token_name(token) if token >= 0 else UNKNOWN_NAME for token in cut.tokens)
        return [word, step, int(own.vocab_size_at(step)), cut.n_tokens, names, " | ".join(cut.names)]
