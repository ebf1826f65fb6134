"""The table of words: each distinct pre-token with its count and its tokens at the step.

A corpus may have 330,000 of them, so a word is cut only when its row is painted, and not in each
frame of a drag of the timeline. The cut is cached until the step changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT
from bpe_studio.explain.names import (
    display_name,
    display_pre_token,
    display_token,
    is_right_to_left,
    isolated,
)
from bpe_studio.explain.wording import times
from bpe_studio.gui.actions_on.targets import Target, border_target, token_target, word_target
from bpe_studio.gui.background.panel import FRAME_MS, Panel, StepNote, every, resting
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.tables.filtered_table import N_INSTANT, FilteredTable, ObjectNames
from bpe_studio.gui.tables.model import Column, Export, each_row, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tables.view import MARGIN
from bpe_studio.gui.tokens.chips import ChipRow, Chips
from bpe_studio.gui.tokens.merged_pairs import MergedPair, joined
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, row
from bpe_studio.workspace.selection import highlighted_places, word_border

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run, WordTable
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 45
MOST_SYMBOLS = 300
"""The most symbols of a word that are cut for the table on the screen."""

MOST_SYMBOLS_EXPORTED = 10_000
"""The most symbols of a word that are cut for the exported table."""


class WordsView(Panel):
    """The filter and the table."""

    at_rest = resting(REST_MS)
    while_training = every(FRAME_MS)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._step = 0
        self.model = WordsModel(self)
        self._corpus_slot = RefreshSlot(workspace, self)
        self._build()
        self._connect()
        self._on_corpus_changed()

    def _build(self) -> None:
        self.filtered = FilteredTable(
            self.model,
            self._workspace,
            names=ObjectNames("corpus.filter", "corpus.shown", "corpus.words"),
            label="Words of the corpus",
            rows="words",
            contain="that contain this text",
            of_all="of all distinct words of the corpus",
            order=(WordsModel.COUNT, Qt.SortOrder.DescendingOrder),
            no_match="No word contains “{}”",
            no_rows=self._no_rows,
            parent=self,
        )
        self.show_count = self.filtered.show_count
        self.filter = self.filtered.filter
        self.count = self.filtered.count
        self.table = self.filtered.table
        self.filter.setPlaceholderText("Filter words")
        self.table.target_of = self._target_of
        self.step_note = StepNote(self, "corpus.step")
        self.heading_items = QWidget(self)
        row((self.step_note, 1), parent=self.heading_items)
        column(self.filtered, parent=self, margins=PANEL_MARGINS)

    def minimumSizeHint(self) -> QSize:
        # Room for four columns with short words, at any text size, and a row or two.
        return QSize(11 * self.fontMetrics().height(), super().minimumSizeHint().height())

    def _connect(self) -> None:
        self._workspace.corpus_changed.connect(self._on_corpus_changed)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._corpus_slot.granted.connect(self._show_corpus)
        self.model.modelReset.connect(self.show_count)
        self.filtered.chosen.connect(self._on_chosen)
        self._workspace.selection.changed.connect(self._on_selected)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the words are cut at the current step."""
        return self._step == self._workspace.step

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        self.setEnabled(info is not None)
        if info is not None and len(info.corpus) > N_INSTANT:
            self._corpus_slot.request()  # sorting so many words takes a while
        else:
            self._show_corpus()

    @Slot()
    def _show_corpus(self) -> None:
        self._corpus_slot.cancel()
        info = self._workspace.corpus
        corpus = info.corpus if info is not None else None
        self.model.set_corpus(corpus)
        self.table.fit_columns()
        self._on_run_changed()

    @Slot()
    def _on_run_changed(self) -> None:
        self.cancel_refresh()
        self._step = self._workspace.step
        self.model.set_run(self._workspace.run, self._step)
        self.table.viewport().update()
        self.show_count()

    @Slot()
    def _on_step_changed(self) -> None:
        self.follow_step()
        self.step_note.show_step(self._step)

    def show_state(self) -> None:
        if self._workspace.step != self._step:
            self._step = self._workspace.step
            self.model.set_step(self._step)
            self.table.viewport().update()
        self.step_note.show_step(self._step)

    def merged_pairs(self, rank: int, pair: tuple[int, int], token: int) -> list[MergedPair]:
        """The places where a merge joins tokens of visible words, in the table's viewport."""
        run = self._workspace.run
        found = []
        if run is None:
            return []
        before = run.words_at(rank)
        metrics = QFontMetricsF(self.table.font())
        for number in self.table.visible_rows():
            index = self.model.index(number, WordsModel.CUT)
            cut = self.model.cut_at(before, self.model.source_row(number))
            cell = QRectF(self.table.visualRect(index).adjusted(MARGIN, 0, -MARGIN, 0))
            chips = ChipRow.fitted(cut.names, cell, metrics, is_rtl=cut.is_rtl)
            found += joined(cut.ids, chips.rects, pair)
        return found

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        """Select the clicked border between two chips, or the word."""
        source = self.model.source_row(index.row())
        click = self.table.take_click()
        chips = self.table.chips_in(index)
        place = 0
        if chips is not None and click is not None:
            place = self.model.border_place(source, chips.border_at(click))
        if place > 0:
            self._workspace.selection.select_word_border(source, place)
        else:
            self._workspace.selection.select_word(source)

    def _target_of(self, index: QModelIndex, place: QPoint | None) -> Target | None:
        """The token or the border under the mouse, or else the word."""
        run = self._workspace.run
        step = self._workspace.step
        source = self.model.source_row(index.row())
        chips = self.table.chips_in(index)
        cut = self.model.cut(source)
        if place is None or chips is None or cut is None or run is None:
            return None if run is None else word_target(run.at(step), source)
        border = self.model.border_place(source, chips.border_at(place.toPointF()))
        if border > 0:
            return border_target(
                run, word_border(run.at(step), source, border), step, self._workspace.n_merges
            )
        number = chips.token_at(place.toPointF())
        is_token = 0 <= number < len(cut.ids) and chips.texts[number - chips.first] != "…"
        if is_token:
            return token_target(run, cut.ids[number])
        return word_target(run.at(step), source)

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        """Mark the selected word, and the selected token or pair in every word."""
        self.model.set_selected(selected)
        if selected is not None:
            self.filtered.show_source_row(selected.word)
        self.table.viewport().update()

    def _no_rows(self) -> str:
        return "" if self._workspace.corpus is None else WITHOUT_TEXT


class Cut(NamedTuple):
    """The tokens of a word.

    Attributes:
        names: the names of its first tokens, with "…" at the end if it has more.
        is_rtl: whether the word runs from right to left.
        n_tokens: the number of its tokens.
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

        The two stages of a run with superwords have different words.
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
        """The number of symbols before the token of this number in a word; 0 if it has no such
        token.
        """
        if self._words is None or number < 1:
            return 0
        firsts = self._words.firsts(source)
        return int(firsts[number]) if number < len(firsts) else 0

    def selected_border(self, source: int) -> int:
        """The number of the token after the selected border; -1 if the border is not in this
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
        """The tokens of a word at the step; None without a run.

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
        """The tokens of a word, given by its index, at the step of a table of words."""
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
        word = self.text(row, self.WORD)
        cut = self.text(row, self.CUT)
        tip = f"{word}\noccurs {times(self._counted(row))} in the corpus"
        return f"{tip}\ncut now: {cut}" if cut else tip

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
        # Imported only when needed, so that the window starts faster.
        from bpe_studio.engine.text.alphabet import to_stand_ins

        assert self._corpus is not None
        content = self._content(row)
        if self._corpus.config.units == "bytes":
            return to_stand_ins(content)
        return content.decode("utf-8", "replace")

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
        # A word may be as long as the text; the number of tokens tells how many are left out.
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
            "The number of times that the word occurs in the corpus",
            _count,
            sample=_widest_count,
            sort_key=_count_order,
            exports=(Export("count", each_row(_counted)),),
        ),
        Column(
            "cut now",
            "The tokens of the word at the current step",
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
            "The number of tokens of the word at the current step",
            _n_tokens,
            sample="00",
            least_em=17,
            exports=(),
        ),
    )
    extra_exports = (Export("word as shown", each_row(_exported_as_shown)),)
    WORD, COUNT, CUT, TOKENS = range(len(columns))
