"""The model of the table of long words: how each compared size cuts them, with the rows of a word together.

A word here is a pre-token. It is encoded once; cutting it at a size is one comparison, made when its row is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.comparison.words import WordCut, cut_word
from bpe_studio.explain.names import UNKNOWN_NAME, elided, is_right_to_left, isolated
from bpe_studio.gui.tables.model import Column, Export, Index, RowState, TableModel, each_row
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.comparison.words import LongWord

SHOWN_CHARACTERS = 40
MOST_NAME = 24
MOST_KEPT = 5000


class OtherWords(NamedTuple):
    """The words as another run or a tokenizer cuts them.

    Attributes:
        name: of the run or the tokenizer.
        vocab_size: its vocabulary.
        cuts: of each word.
    """

    name: str
    vocab_size: int
    cuts: Sequence[WordCut]


class ComparedWordsModel(TableModel):
    """A block of rows for each word, with a row for each size."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._words: tuple[LongWord, ...] = ()
        self._steps: tuple[int, ...] = ()
        self._others: tuple[OtherWords, ...] = ()
        self._reference = 0
        self._cuts: dict[tuple[int, int], WordCut] = {}

    @property
    def n_sizes(self) -> int:
        """How many rows each word has: one for each size, and for each other run and tokenizer."""
        return len(self._steps) + len(self._others)

    @property
    def run(self) -> Run | None:
        """The run that cuts the words."""
        return self._run

    @property
    def words(self) -> tuple[LongWord, ...]:
        """The words, in the order of their blocks."""
        return self._words

    def step(self, row: int) -> int | None:
        """The step of a row; None for another run or a tokenizer."""
        size = row % self.n_sizes
        return self._steps[size] if size < len(self._steps) else None

    def set_words(self, run: Run | None, words: Sequence[LongWord], others: Sequence[OtherWords] = ()) -> None:
        """Replace the words, and how other runs and tokenizers cut them."""
        self.beginResetModel()
        self._run, self._words, self._others = run, tuple(words), tuple(others)
        self._cuts.clear()
        self.endResetModel()

    def set_steps(self, steps: Sequence[int], reference: int) -> None:
        """Cut the words at other steps.

        Args:
            steps: the steps; the last one is the step of the window.
            reference: the index of what the others are compared with, counted through the steps and then the other
                runs and tokenizers.
        """
        steps = tuple(steps)
        if (steps, reference) == (self._steps, self._reference):
            return
        is_as_long = len(steps) == len(self._steps)
        if not is_as_long:
            self.beginResetModel()
        if len(self._cuts) > MOST_KEPT:
            self._cuts.clear()
        self._steps, self._reference = steps, reference
        if not is_as_long:
            self.endResetModel()
        else:
            self.emit_all_changed()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or self._run is None else len(self._words) * self.n_sizes

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if row % self.n_sizes == len(self._steps) - 1 else RowState.APPLIED

    def is_rtl(self, row: int) -> bool:
        """Whether the word of a row runs from right to left."""
        return is_right_to_left(self._words[row // self.n_sizes].text)

    def cut(self, row: int) -> WordCut:
        """The word of a row, cut at the row's step."""
        return self._cut_of(*divmod(row, self.n_sizes))

    def _cut_of(self, number: int, size: int) -> WordCut:
        if size >= len(self._steps):
            return self._others[size - len(self._steps)].cuts[number]
        key = (number, self._steps[size])
        found = self._cuts.get(key)
        if found is None:
            assert self._run is not None
            found = self._cuts[key] = cut_word(self._run, self._words[number], self._steps[size])
        return found

    def highlighted(self, row: int) -> frozenset[int]:
        """The indices of the tokens of a row that the reference does not have at the same place of the word."""
        number, size = divmod(row, self.n_sizes)
        reference, n_steps = min(self._reference, self.n_sizes - 1), len(self._steps)
        is_of_one_run = size < n_steps and reference < n_steps
        word = self._words[number]
        if not is_of_one_run and word.places is None:
            return frozenset()
        n_bytes = None if is_of_one_run else len(word.content)
        return self._cut_of(number, size).differing(self._cut_of(number, reference), n_bytes)

    def tip(self, row: int, column: int) -> str:
        word = self._words[row // self.n_sizes]
        cut = self.cut(row)
        return f"{elided(word.text, 200)}\n{word.note}\n{' | '.join(map(isolated, cut.names))}"

    # The columns, one after another.

    def word(self, row: int) -> LongWord:
        """The word of a row."""
        return self._words[row // self.n_sizes]

    def _word(self, row: int) -> str:
        return _shown(self.word(row))

    def _widest_word(self) -> str:
        return max(map(_shown, self._words), key=len, default="") + "  "

    def _widest_size(self) -> str:
        return max(("000,000", *(elided(each.name, MOST_NAME) for each in self._others)), key=len)

    def _size(self, row: int) -> int:
        assert self._run is not None
        step = self.step(row)
        return self._other(row).vocab_size if step is None else int(self._run.vocab_size_at(step))

    def _other(self, row: int) -> OtherWords:
        return self._others[row % self.n_sizes - len(self._steps)]

    def _size_text(self, row: int) -> str:
        step = self.step(row)
        return self._locale.toString(self._size(row)) if step is not None else elided(self._other(row).name, MOST_NAME)

    def _n_tokens(self, row: int) -> str:
        return self._locale.toString(self.cut(row).n_tokens)

    def _chips(self, row: int) -> Chips:
        return Chips(self.cut(row).names, self.is_rtl(row), self.highlighted(row), between=" | ")

    def _exported_cut(self, row: int) -> str:
        from bpe_studio.files.exports.csv_tables import joined

        own = self._run
        assert own is not None
        if self.step(row) is None:
            return joined(self.cut(row).names)
        return joined(own.token_name(token) if token >= 0 else UNKNOWN_NAME for token in self.cut(row).tokens)

    columns = (
        Column(
            "word", "A piece of the split, which no merge crosses; the longest words first", _word,
            is_number=False, is_rtl=is_rtl, sample=_widest_word,
            exports=(
                Export("word as shown", each_row(lambda self, row: self.word(row).text)),
                Export("step", each_row(step)),
            ),
        ),
        Column(
            "vocabulary", "The vocabulary size, run or tokenizer that cuts the word", _size_text,
            sample=_widest_size, exports=(Export("vocabulary", each_row(_size)),),
        ),
        Column(
            "tokens", "How many tokens the word consists of", _n_tokens, sample="000",
            exports=(Export("tokens", each_row(lambda self, row: self.cut(row).n_tokens)),),
        ),
        Column(
            "cut", "The tokens of the word; those that B does not have there are outlined",
            is_number=False, is_rtl=is_rtl, chips=_chips,
            exports=(
                Export("cut", each_row(_exported_cut)),
                Export("cut as shown", each_row(lambda self, row: " | ".join(self.cut(row).names))),
            ),
        ),
    )  # fmt: skip
    WORD, SIZE, TOKENS, CUT = range(len(columns))


def _shown(word: LongWord) -> str:
    return isolated(elided(word.text, SHOWN_CHARACTERS))
