"""As many words as have room, as large chips: first those with some pairs, then frequent ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.engine.analysis.words_containing import words_with_pair
from bpe_studio.explain.names import display_name
from bpe_studio.explain.why.answers import word_runs_left
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import ChipRow, natural_width
from bpe_studio.gui.tokens.merged_pairs import MergedPair, joined

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

Pair = tuple[int, int]
MOST_WORDS = 40
MOST_SYMBOLS = 300
LINE = 1.5
"""The distance of two words, in line heights of the font."""
LARGER = 1.6
"""The most by which the letters become larger if all words of the corpus have room."""
GAP_PX = 16
_COUNT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class _Word(NamedTuple):
    """A word of the corpus: its number, its count, and whether it runs from right to left."""

    number: int
    n_times: int
    is_rtl: bool


class _Placed(NamedTuple):
    """A word with the ids of its tokens, its chips, and the rectangle of its count."""

    word: _Word
    ids: tuple[int, ...]
    chips: ChipRow
    count_room: QRectF


class PresentedWords(QWidget):
    """Words of two or more symbols, each with its count, in the font of the widget.

    Signals:
        chosen: other words are shown, or may be.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("present.words")
        self.setAccessibleName("Words as they are cut")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._run: Run | None = None
        self._whole_run: Run | None = None
        self._frequent: list[int] = []
        self._words: list[_Word] = []
        self._step = 0
        self._asked: tuple[int, tuple[Pair, ...]] | None = None
        self._outlined: Pair | None = None
        self.spell_number: Callable[[int], str] = number
        self._search = LatestAnswer(_words_with, self)
        self._search.answered.connect(self._on_found)

    def set_run(self, run: Run | None, step: int) -> None:
        """Show the words of another run."""
        self._step = step
        self._whole_run = run
        run = None if run is None else run.at(step)
        if run is not self._run:
            self._run = run
            self._frequent = []
            self._search.forget()
            if run is not None:
                starts = run.layout.word_starts
                words = np.flatnonzero(np.diff(starts) > 2)  # after each word there is a separator
                order = np.argsort(-run.corpus.counts[words], kind="stable")[:MOST_WORDS]
                self._frequent = words[order].tolist()
            self._asked = None
            self._choose((), None)
        self.set_step(step)

    @property
    def has_words(self) -> bool:
        """Whether there are words; a tokenizer without a text has none."""
        return bool(self._words)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the words are those that were asked for last."""
        return not self._search.is_busy

    @property
    def texts(self) -> tuple[str, ...]:
        """The words as they are in a text, in the order in which they are shown."""
        run = self._run
        if run is None:
            return ()
        words = [run.corpus.pre_token(word.number) for word in self._words]
        words = [word.removeprefix(run.config.word_start) for word in words]
        return tuple(word for word in words if word and not word.isspace())

    def set_step(self, step: int) -> None:
        """Show the words as they are cut at another step."""
        if self._whole_run is not None and self._whole_run.at(step) is not self._run:
            self.set_run(self._whole_run, step)
            return
        self._step = step
        self._show()

    def show_first(self, *pairs: Pair) -> None:
        """Show the words with these pairs at the step first, as many of each; outline a single
        pair.
        The words are searched in the thread pool; until they are found, the others stay.
        """
        question = self._step, pairs
        if self._run is None or question == self._asked:
            return
        self._asked = question
        if pairs:
            self._search.ask(self._run, self._step, pairs)
        else:
            self._search.forget()
            self._choose((), None)

    @Slot(object)
    def _on_found(self, answer: tuple[Run, int, tuple[Pair, ...], list[int]]) -> None:
        run, step, pairs, words = answer
        if run is self._run and (step, pairs) == self._asked:
            outlined = pairs[0] if len(pairs) == 1 else None
            self._choose(words, outlined)

    def _choose(self, first: Sequence[int], outlined: Pair | None) -> None:
        """Show these words first, and outline a pair."""
        self._words = []
        self._outlined = outlined
        run = self._run
        if run is not None:
            counts = run.corpus.counts
            order = dict.fromkeys([*first, *self._frequent])
            for word in islice(order, MOST_WORDS):
                self._words.append(_Word(word, int(counts[word]), word_runs_left(run, word)))
        self._show()
        self.chosen.emit()

    def _show(self) -> None:
        cuts = []
        for each in self._placed(self._step):
            cuts.append(f"{' | '.join(each.chips.names)}, {self.spell_number(each.word.n_times)}")
        self.setAccessibleDescription("; ".join(cuts))
        self.update()

    def merged_pairs(self, rank: int, pair: Pair, _token: int) -> list[MergedPair]:
        """The places at which a merge joins two tokens of the words that are shown."""
        found = []
        for each in self._placed(rank):
            first = each.chips.first
            found += joined(each.ids[first:], each.chips.rects, pair)
        return found

    def _placed(self, step: int) -> list[_Placed]:
        """The words that have room; if most run from right to left, all begin at the right."""
        run = self._run
        metrics = QFontMetricsF(self._fitting_font())
        if run is None or not self._words:
            return []
        is_rtl = 2 * sum(word.is_rtl for word in self._words) > len(self._words)
        line = LINE * metrics.height()
        table = run.words_at(step)
        placed = []
        words = self._words[: max(1, int(self.height() / line))]
        counts = [metrics.horizontalAdvance(self.spell_number(word.n_times)) for word in words]
        counts_px = max(counts) + GAP_PX
        for place, word in enumerate(words):
            ids = tuple(table.cut(word.number, MOST_SYMBOLS))
            shown = [display_name(run, token) for token in ids]
            width = min(natural_width(shown, metrics), self.width() - counts_px - 2 * GAP_PX)
            left = counts_px + GAP_PX
            count_left = 0.0
            if is_rtl:
                left = self.width() - left - width
                count_left = self.width() - counts_px - GAP_PX / 2
            count = QRectF(count_left, place * line, counts_px, line)
            room = QRectF(left, place * line, width, line)
            chips = ChipRow.around(
                shown, _places(ids, self._outlined), room, metrics, is_rtl=word.is_rtl
            )
            placed.append(_Placed(word, ids, chips, count))
        return placed

    def _fitting_font(self) -> QFont:
        """The font of the widget, larger if there are few words; it is the same at each step."""
        font = QFont(self.font())
        run = self._run
        metrics = QFontMetricsF(font)
        needed = LINE * metrics.height() * len(self._words)
        if run is None or not 0 < needed < self.height():
            return font
        widest = 0.0
        first_step = 0 if run.n_first > self._step else run.n_first
        table = run.words_at(first_step)
        for word in self._words:
            names = [display_name(run, token) for token in table.cut(word.number, MOST_SYMBOLS)]
            count_px = metrics.horizontalAdvance(self.spell_number(word.n_times))
            widest = max(widest, natural_width(names, metrics) + count_px)
        share = min(LARGER, self.height() / needed, (self.width() - 4 * GAP_PX) / max(1.0, widest))
        font.setPointSizeF(font.pointSizeF() * max(1.0, share))
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.setFont(self._fitting_font())
            for each in self._placed(self._step):
                painter.setPen(theme.muted(palette))
                painter.drawText(each.count_room, _COUNT, self.spell_number(each.word.n_times))
                each.chips.paint(painter, palette, _places(each.ids, self._outlined))


def _places(ids: Sequence[int], pair: Pair | None) -> frozenset[int]:
    """The indices of the tokens of a pair in a word."""
    found: set[int] = set()
    for place, two in enumerate(pairwise(ids)):
        if two == pair:
            found |= {place, place + 1}
    return frozenset(found)


def _words_with(
    run: Run, step: int, pairs: tuple[Pair, ...]
) -> tuple[Run, int, tuple[Pair, ...], list[int]]:
    """Words with the pairs, the most frequent first; several pairs take turns."""
    words_of = []
    for left, right in pairs:
        found = words_with_pair(run, left, right, step, MOST_WORDS).words
        word_ids = [each.word for each in found]
        words_of.append(word_ids)
    in_turn = chain.from_iterable(zip_longest(*words_of))
    found_words = [word for word in in_turn if word is not None]
    words = dict.fromkeys(found_words)
    return run, step, pairs, list(words)
