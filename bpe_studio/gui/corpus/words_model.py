"""The words of a corpus as table rows: how often each occurs, and how it is cut at the step.

A word here is a distinct pre-token. A corpus may hold 330,000 of them, so a cut is made only when its row is painted
and kept until the step moves; filter and sort are the shared index of the merges table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Qt

from bpe_studio.explain.names import display_name, display_token, is_right_to_left, isolated
from bpe_studio.gui.tables.model import NUMBER, WORD, Column
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.merge_animation import MergeAnimation, merged_parts
from bpe_studio.workspace.selection import highlighted_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run, WordTable
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.selection import Selected


MOST_SYMBOLS = 300
"""How many of a word's symbols are cut for the table."""

MOST_SYMBOLS_EXPORTED = 10_000
"""How many of a word's symbols are cut for a table that is exported."""


class Cut(NamedTuple):
    """How a word is cut: the names of its first tokens, whether they run left, how many tokens it has; their ids."""

    names: tuple[str, ...]
    is_rtl: bool
    n_tokens: int
    ids: tuple[int, ...] = ()


class AnimatedCut(NamedTuple):
    """A word in which a merge is animated: how it is cut before and after, and which tokens become which."""

    before: Cut
    after: Cut
    parts: frozenset[int]
    made: frozenset[int]
    animation: MergeAnimation


class WordsModel(SortedTableModel):
    """Distinct pre-tokens, the most frequent first."""

    columns = (
        Column("word", "A piece of the split, which no merge crosses", False, True),
        Column("count", "How often the word occurs in the corpus"),
        Column("cut now", "The tokens that the word consists of at the step", False),
        Column("tokens", "How many tokens the word consists of at the step"),
    )
    WORD, COUNT, CUT, TOKENS = range(4)
    natural_column = -1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sort = (self.COUNT, Qt.SortOrder.DescendingOrder)
        self._corpus: Corpus | None = None
        self._run: Run | None = None
        self._words: WordTable | None = None
        self._cuts: dict[int, Cut] = {}
        self._token_names: dict[int, str] = {}
        self._selected: Selected | None = None
        self._animation: MergeAnimation | None = None
        self._sides: tuple[WordTable, WordTable] | None = None
        self._animated_cuts: dict[int, tuple[Cut, Cut, frozenset[int], frozenset[int]] | None] = {}

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Show another corpus' words."""
        if corpus is None and self._corpus is None:
            return
        self._corpus = corpus
        self.set_run(None, 0)
        if corpus is None:
            self.reset_rows(0, NameIndex(str))
        else:
            self.reset_rows(len(corpus), NameIndex(lambda i: display_token(corpus.pre_token_bytes(i))))

    def set_run(self, run: Run | None, step: int) -> None:
        """Cut the words as this run does."""
        self._run = run if run is not None and run.corpus is self._corpus else None
        self._token_names.clear()
        self.set_animation(None)
        self.set_step(step)

    def set_step(self, step: int) -> None:
        """Cut the words as after `step` merges; the view repaints itself."""
        self._cuts.clear()
        self._words = self._run.words_at(step) if self._run is not None else None

    def set_animation(self, animation: MergeAnimation | None) -> None:
        """Set the frame of a merge animation, None for none; the view repaints itself."""
        if animation is None or self._run is None:
            self._animation = self._sides = None
            self._animated_cuts.clear()
            return
        if self._animation is None:
            self._sides = self._run.words_at(animation.rank), self._run.words_at(animation.rank + 1)
        self._animation = animation

    def animated_cut(self, source: int) -> AnimatedCut | None:
        """How a word is cut before and after the animated merge; None where the merge is not in it."""
        animation = self._animation
        if animation is None or self._sides is None:
            return None
        if source not in self._animated_cuts:
            before, after = (self._cut(words, source) for words in self._sides)
            parts, made = merged_parts(animation, before.ids, after.ids)
            self._animated_cuts[source] = (before, after, parts, made) if parts else None
        found = self._animated_cuts[source]
        return None if found is None else AnimatedCut(*found, animation)

    def is_animated(self, row: int) -> bool:
        """Whether the animated merge is in the word of a row."""
        return self.animated_cut(self.source_row(row)) is not None

    def set_selected(self, selected: Selected | None) -> None:
        """Mark what is selected; the view repaints itself."""
        self._selected = selected

    def is_selected(self, row: int) -> bool:
        return self._selected is not None and self._selected.word == self.source_row(row)

    def highlighted(self, cut: Cut) -> frozenset[int]:
        """Which tokens of a word are the selected one, or the two that it is made of."""
        selected = self._selected
        if selected is None or selected.token == selected.left == -1:
            return frozenset()
        return highlighted_places(cut.ids, selected)

    def cut(self, source: int) -> Cut | None:
        """How a word is cut now; None where there is no run yet."""
        if self._words is None:
            return None
        cut = self._cuts.get(source)
        if cut is None:
            cut = self._cuts[source] = self._cut(self._words, source)
        return cut

    def _cut(self, words: WordTable, source: int) -> Cut:
        n_tokens = words.n_tokens(source)
        ids = words.cut(source, MOST_SYMBOLS)
        # A word may be as long as the text; nobody reads so many chips.
        names = tuple(self._token_name(token) for token in ids) + (("…",) if n_tokens > len(ids) else ())
        return Cut(names, is_right_to_left(self._names.name(source)), n_tokens, tuple(ids))

    def _token_name(self, token: int) -> str:
        name = self._token_names.get(token)
        if name is None:
            assert self._run is not None
            name = self._token_names[token] = display_name(self._run, token)
        return name

    def plain_heads(self) -> list[str]:
        return ["word", "bytes of the word", "count", "tokens", "cut now", "word as shown"]

    def plain_state(self) -> object:
        return self._words

    def plain_row(self, row: int, run: Run | None) -> Sequence[Value]:
        # What the start of the window does not need is not loaded for it.
        from bpe_studio.engine.text.alphabet import to_stand_ins
        from bpe_studio.files.exports.csv_tables import joined

        corpus, own, words = self._corpus, self._run, self._words
        assert corpus is not None
        source = self.source_row(row)
        content = corpus.pre_token_bytes(source)
        name = to_stand_ins(content) if corpus.config.units == "bytes" else content.decode("utf-8", "replace")
        values: list[Value] = [name, content.hex(" "), int(corpus.counts[source])]
        shown = display_token(content)
        if own is None or words is None:
            return [*values, None, None, shown]
        n_tokens, ids = words.n_tokens(source), words.cut(source, MOST_SYMBOLS_EXPORTED)
        names = ["" if token < 0 else own.token_name(token) for token in ids]
        # A word may be as long as the text: the number of tokens shows how much is not written.
        return [*values, n_tokens, joined(names[:-1] if n_tokens > len(ids) else names), shown]

    def sort_key(self, column: int, n: int) -> NDArray[Any]:
        assert self._corpus is not None
        if column == self.WORD:
            assert self._names.ranks is not None
            return self._names.ranks[:n]
        return self._corpus.counts[:n]

    def can_sort(self, column: int) -> bool:
        """Whether rows can be put in order by a column; cuts are made row by row, so not by them."""
        return column in (self.WORD, self.COUNT)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if self.can_sort(column):
            super().sort(column, order)

    def alignment(self, row: int, column: int) -> int:
        if self.columns[column].is_number:
            return NUMBER
        return NUMBER if is_right_to_left(self._names.name(self.source_row(row))) else WORD

    def tip(self, row: int, column: int) -> str:
        word, count, cut = (self.text(row, each) for each in (self.WORD, self.COUNT, self.CUT))
        return f"{word}\noccurs {count} times in the corpus" + (f"\ncut now: {cut}" if cut else "")

    def text(self, row: int, column: int) -> str:
        assert self._corpus is not None
        source = self.source_row(row)
        if column == self.WORD:
            return isolated(self._names.name(source))
        if column == self.COUNT:
            return self._locale.toString(int(self._corpus.counts[source]))
        cut = self.cut(source)
        if cut is None:
            return ""
        if column == self.TOKENS:
            return self._locale.toString(cut.n_tokens)
        return " | ".join(map(isolated, cut.names))
