"""The model of the table of words: how often each word of the corpus occurs, and how it is cut at
the step.

A word here is a distinct pre-token. A corpus may have 330,000 of them, so a word is cut when its
row is painted, and the cut is cached until the step changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Qt

from bpe_studio.explain.names import (
    display_name,
    display_pre_token,
    display_token,
    is_right_to_left,
    isolated,
)
from bpe_studio.explain.wording import times
from bpe_studio.gui.tables.model import Column, Export, each_row, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.workspace.selection import highlighted_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run, WordTable
    from bpe_studio.workspace.selection import Selected


MOST_SYMBOLS = 300
"""How many symbols of a word are cut for the table on the screen."""

MOST_SYMBOLS_EXPORTED = 10_000
"""How many symbols of a word are cut for the exported table."""


class Cut(NamedTuple):
    """How a word is cut.

    Attributes:
        names: the names of its first tokens, with "…" at the end if it has more.
        is_rtl: whether the word runs from right to left.
        n_tokens: how many tokens it has.
        ids: the internal ids of its first tokens.
    """

    names: tuple[str, ...]
    is_rtl: bool
    n_tokens: int
    ids: tuple[int, ...] = ()


class WordsModel(SortedTableModel):
    """The distinct pre-tokens of a corpus, the most frequent first.

    A *word index* is the row of a word in the corpus, which is its source row.
    """

    natural_column = -1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sort = (self.COUNT, Qt.SortOrder.DescendingOrder)
        self._whole: Corpus | None = None
        self._corpus: Corpus | None = None
        self._run: Run | None = None
        self._words: WordTable | None = None
        self._cuts: dict[int, Cut] = {}
        self._token_names: dict[int, str] = {}
        self._selected: Selected | None = None

    def set_corpus(self, corpus: Corpus | None) -> None:
        """Show the words of a corpus; None for none."""
        if corpus is None and self._corpus is None:
            return
        self._whole = corpus
        self._run = None
        self._fill(corpus)

    def _fill(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._token_names.clear()
        self._cuts.clear()
        self._words = None
        if corpus is None:
            self.reset_rows(0, NameIndex(str))
        else:
            self.reset_rows(len(corpus), NameIndex(lambda i: display_pre_token(corpus, i)))

    def set_run(self, run: Run | None, step: int) -> None:
        """Cut the words by a run at a step; a run of another corpus counts as none."""
        self._run = run if run is not None and run.corpus is self._whole else None
        self._token_names.clear()
        self.set_step(step)

    def set_step(self, step: int) -> None:
        """Cut the words by the first `step` merges; the caller repaints the view.

        Each of two stages has other words.
        """
        corpus = self._whole if self._run is None else self._run.at(step).corpus
        if corpus is not self._corpus:
            self._fill(corpus)
        self._cuts.clear()
        self._words = self._run.words_at(step) if self._run is not None else None

    def set_selected(self, selected: Selected | None) -> None:
        """Set the selection to mark; the caller repaints the view."""
        self._selected = selected

    def is_selected(self, row: int) -> bool:
        return self._selected is not None and self._selected.word == self.source_row(row)

    def highlighted(self, cut: Cut) -> frozenset[int]:
        """The positions of the tokens of a word that are the selected token or pair."""
        selected = self._selected
        if selected is None or selected.token == selected.left == -1:
            return frozenset()
        return highlighted_places(cut.ids, selected)

    def border_place(self, source: int, number: int) -> int:
        """How many symbols of a word are before its token of this number; 0 where there is no such
        border.
        """
        if self._words is None or number < 1:
            return 0
        firsts = self._words.firsts(source)
        return int(firsts[number]) if number < len(firsts) else 0

    def selected_border(self, source: int) -> int:
        """The number of the token behind the selected border; -1 where none is selected in this
        word.
        """
        pick = self._selected
        if (
            pick is None
            or pick.place < 0
            or pick.following
            or self._words is None
            or self._corpus is None
        ):
            return -1
        if pick.word != source and (pick.word >= 0 or self._corpus.pre_token(source) != pick.piece):
            return -1
        return int(next(iter((self._words.firsts(source) == pick.place).nonzero()[0]), -1))

    def cut(self, source: int) -> Cut | None:
        """How a word is cut at the step; None without a run.

        Args:
            source: the word index.
        """
        if self._words is None:
            return None
        cut = self._cuts.get(source)
        if cut is None:
            cut = self._cuts[source] = self.cut_at(self._words, source)
        return cut

    def cut_at(self, words: WordTable, source: int) -> Cut:
        """How a word, given by its index, is cut in the words at some step of the run."""
        n_tokens = words.n_tokens(source)
        ids = words.cut(source, MOST_SYMBOLS)
        # A word may be as long as the whole text.
        more = ("…",) if n_tokens > len(ids) else ()
        names = tuple(self._token_name(token) for token in ids) + more
        return Cut(names, is_right_to_left(self._names.name(source)), n_tokens, tuple(ids))

    def _token_name(self, token: int) -> str:
        name = self._token_names.get(token)
        if name is None:
            assert self._run is not None
            name = self._token_names[token] = display_name(self._run, token)
        return name

    def plain_state(self) -> object:
        return self._words

    def tip(self, row: int, column: int) -> str:
        word, cut = (self.text(row, each) for each in (self.WORD, self.CUT))
        now = f"\ncut now: {cut}" if cut else ""
        return f"{word}\noccurs {times(self._counted(row))} in the corpus" + now

    # The columns, one after another.

    def _content(self, row: int) -> bytes:
        assert self._corpus is not None
        return self._corpus.pre_token_bytes(self.source_row(row))

    def _word(self, row: int) -> str:
        return isolated(self._names.name(self.source_row(row)))

    def _word_order(self, n: int) -> NDArray[Any]:
        assert self._names.ranks is not None
        return self._names.ranks[:n]

    def _is_word_rtl(self, row: int) -> bool:
        return is_right_to_left(self._names.name(self.source_row(row)))

    def _exported_word(self, row: int) -> str:
        # Imported when it is needed, so that the window starts without it.
        from bpe_studio.engine.text.alphabet import to_stand_ins

        assert self._corpus is not None
        content = self._content(row)
        return (
            to_stand_ins(content)
            if self._corpus.config.units == "bytes"
            else content.decode("utf-8", "replace")
        )

    def _exported_bytes(self, row: int) -> str:
        return self._content(row).hex(" ")

    def _exported_as_shown(self, row: int) -> str:
        return display_token(self._content(row))

    def _counted(self, row: int) -> int:
        assert self._corpus is not None
        return int(self._corpus.counts[self.source_row(row)])

    def _count(self, row: int) -> str:
        return self._locale.toString(self._counted(row))

    def _count_order(self, n: int) -> NDArray[Any]:
        assert self._corpus is not None
        return self._corpus.counts[:n]

    def _widest_count(self) -> str:
        most = int(self._corpus.counts.max(initial=0)) if self._corpus is not None else 0
        return widest_number(most, 100_000)

    def _cut_now(self, row: int) -> Chips | None:
        source = self.source_row(row)
        cut = self.cut(source)
        if cut is None:
            return None
        return Chips(
            cut.names,
            cut.is_rtl,
            self.highlighted(cut),
            self.selected_border(source),
            between=" | ",
        )

    def _exported_cut(self, row: int) -> str | None:
        from bpe_studio.files.exports.csv_tables import joined

        own = self._run
        words = self._words
        if own is None or words is None:
            return None
        source = self.source_row(row)
        ids = words.cut(source, MOST_SYMBOLS_EXPORTED)
        # A word may be as long as the text: the number of tokens shows how much is not written.
        is_cut_short = words.n_tokens(source) > len(ids)
        written = ids[:-1] if is_cut_short else ids
        names = []
        for token in written:
            name = "" if token < 0 else own.token_name(token)
            names.append(name)
        return joined(names)

    def _n_tokens(self, row: int) -> str:
        cut = self.cut(self.source_row(row))
        return "" if cut is None else self._locale.toString(cut.n_tokens)

    def _exported_n_tokens(self, row: int) -> int | None:
        return None if self._words is None else self._words.n_tokens(self.source_row(row))

    columns = (
        Column(
            "word",
            "A piece of the split, which no merge crosses",
            _word,
            is_number=False,
            is_rtl=_is_word_rtl,
            sort_key=_word_order,
            sorts_by_name=True,
            exports=(
                Export("word", each_row(_exported_word)),
                Export("bytes of the word", each_row(_exported_bytes)),
            ),
        ),
        Column(
            "count",
            "How often the word occurs in the corpus",
            _count,
            sample=_widest_count,
            sort_key=_count_order,
            exports=(Export("count", each_row(_counted)),),
        ),
        Column(
            "cut now",
            "The tokens that the word consists of at the step",
            is_number=False,
            is_rtl=_is_word_rtl,
            share=1.5,
            chips=_cut_now,
            exports=(
                Export("tokens", each_row(_exported_n_tokens)),
                Export("cut now", each_row(_exported_cut)),
            ),
        ),
        Column(
            "tokens",
            "How many tokens the word consists of at the step",
            _n_tokens,
            sample="00",
            least_em=17,
            exports=(),
        ),
    )
    extra_exports = (Export("word as shown", each_row(_exported_as_shown)),)
    WORD, COUNT, CUT, TOKENS = range(len(columns))
