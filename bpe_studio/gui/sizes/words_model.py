"""The longest words as each compared size cuts them: one row a word and size, the rows of a word together.

A word here is a pre-token. It is encoded once; what a size makes of it is one comparison, done when its row is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.explain.names import UNKNOWN_NAME, display_name, display_token, elided, is_right_to_left, isolated
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.model import NUMBER, WORD, Column, Index, RowState, TableModel

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.csv_tables import Value

MOST_SYMBOLS = 300
"""How many of a word's symbols are cut; a word may be as long as the text."""
SHOWN_CHARACTERS = 60
MOST_KEPT = 5000


@dataclass(frozen=True, eq=False)
class LongWord:
    """A word, encoded.

    Attributes:
        text: what it is.
        note: how often it occurs, in words.
        gaps: its symbols and gap ranks.
    """

    text: str
    note: str
    gaps: TextGaps


class WordCut(NamedTuple):
    """A word at one size.

    Attributes:
        names: its tokens as a person reads them, the first of a long word.
        lit: which of them the reference does not have.
        n_tokens: how many there are.
        tokens: the same as `names`, by their ids; without the ellipsis.
    """

    names: tuple[str, ...]
    lit: frozenset[int]
    n_tokens: int
    tokens: tuple[int, ...] = ()


def longest_of_corpus(run: Run, n: int) -> list[LongWord]:
    """The longest words of a run's corpus, encoded; may run in the pool."""
    from bpe_studio.engine.analysis.size_measures import longest_words
    from bpe_studio.engine.encoding.text_gaps import TextGaps

    words = []
    number = grouping_locale().toString
    for word in longest_words(run, n).tolist():
        start, stop = int(run.layout.word_starts[word]), int(run.layout.word_starts[word + 1]) - 1
        count = int(run.corpus.counts[word])
        words.append(
            LongWord(
                display_token(run.corpus.pre_token_bytes(word)),
                f"occurs {number(count)} {'time' if count == 1 else 'times'} in the corpus",
                TextGaps(run.layout.symbols[start:stop], run.gaps[start:stop], run.n_alphabet),
            )
        )
    return words


def longest_of_text(run: Run, text: str, n: int) -> list[LongWord]:
    """The longest distinct words of a text, encoded by the run; may run in the pool."""
    from bpe_studio.engine.counting.plain_counting import to_bytes
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.text.normalization import normalize
    from bpe_studio.engine.text.pretokenization import spans

    config = run.config
    source = normalize(text, config.normalize) if config.normalize else text
    segmenter = Segmenter(run)
    counts: dict[str, int] = {}
    for start, end in spans(source, config.split):
        piece = segmenter.piece(source, start, end)
        counts[piece] = counts.get(piece, 0) + 1
    longest = sorted(counts, key=lambda piece: (-len(piece), -counts[piece]))[:n]
    segmenter.refresh()
    number = grouping_locale().toString
    words = []
    for piece in longest:
        word, count = segmenter.word(piece), counts[piece]
        note = f"occurs {number(count)} {'time' if count == 1 else 'times'} in the compared text"
        gaps = TextGaps(word.symbols, word.gaps, run.n_alphabet)
        words.append(LongWord(display_token(to_bytes(piece)), note, gaps))
    return words


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
        import numpy as np

        number, size = divmod(row, len(self._steps))
        key = (number, self._steps[size])
        found = self._cuts.get(key)
        if found is None:
            assert self._run is not None
            gaps, step = self._words[number].gaps, self._steps[size]
            then = self._steps[self._reference]
            is_open = gaps.opens(step)
            n_tokens = int(np.count_nonzero(is_open))
            head = type(gaps)(gaps.symbols[:MOST_SYMBOLS], gaps.gaps[:MOST_SYMBOLS], gaps.n_alphabet)
            tokens = tuple(head.ids(step).tolist())
            names = tuple(display_name(self._run, token) for token in tokens)
            own, other = _edges(head, step), _edges(head, then)
            lit = (
                frozenset(k for k, edges in enumerate(own) if edges not in set(other)) if step != then else frozenset()
            )
            more = ("…",) if len(names) < n_tokens else ()
            found = self._cuts[key] = WordCut(names + more, lit, n_tokens, tokens)
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


def _edges(gaps: TextGaps, step: int) -> list[tuple[int, int]]:
    """Where each token begins and ends, in symbols."""
    import numpy as np

    firsts = [*np.flatnonzero(gaps.opens(step)).tolist(), len(gaps)]
    return list(zip(firsts[:-1], firsts[1:], strict=True))
