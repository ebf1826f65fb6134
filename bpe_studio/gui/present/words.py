"""The most frequent words as large chips, as many as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.names import display_name
from bpe_studio.explain.why.answers import word_runs_left
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import ChipRow, natural_width
from bpe_studio.gui.tokens.merged_pairs import MergedPair, joined

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_WORDS, MOST_SYMBOLS = 40, 300
LINE = 1.5
"""The distance of two words, in heights of a letter."""
GAP_PX = 16
_COUNT = int(Qt.AlignmentFlag.AlignCenter)


class _Word(NamedTuple):
    """A word of the corpus: its number, how often it occurs, and whether it runs from right to left."""

    number: int
    n_times: int
    is_rtl: bool


class _Placed(NamedTuple):
    """A word with the ids of its tokens, its chips, and where its count is."""

    word: _Word
    ids: tuple[int, ...]
    chips: ChipRow
    count_room: QRectF


class PresentedWords(QWidget):
    """Words of two or more symbols, each with its count, in the font of the widget."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("present.words")
        self.setAccessibleName("Words as they are cut")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._run: Run | None = None
        self._words: list[_Word] = []
        self._step = 0

    def set_run(self, run: Run | None, step: int) -> None:
        """Show the words of another run."""
        self._run, self._words = run, []
        if run is not None:
            starts = run.layout.word_starts
            words = np.flatnonzero(np.diff(starts) > 2)  # after each word there is a separator
            order = words[np.argsort(-run.corpus.counts[words], kind="stable")[:MOST_WORDS]]
            self._words = [_Word(k, int(run.corpus.counts[k]), word_runs_left(run, k)) for k in order.tolist()]
        self.set_step(step)

    @property
    def has_words(self) -> bool:
        """Whether there are any; a tokenizer without a text has none."""
        return bool(self._words)

    def set_step(self, step: int) -> None:
        """Show the words as they are cut at another step."""
        self._step = step
        cuts = [f"{' | '.join(each.chips.names)}, {number(each.word.n_times)}" for each in self._placed(step)]
        self.setAccessibleDescription("; ".join(cuts))
        self.update()

    def merged_pairs(self, rank: int, pair: tuple[int, int], _token: int) -> list[MergedPair]:
        """Where a merge joins two tokens of a word that is shown."""
        return [found for each in self._placed(rank) for found in joined(each.ids, each.chips.rects, pair)]

    def _placed(self, step: int) -> list[_Placed]:
        """The words that there is room for; those of a text that runs from right to left begin at the right."""
        run, metrics = self._run, QFontMetricsF(self.font())
        if run is None or not self._words:
            return []
        is_rtl = 2 * sum(word.is_rtl for word in self._words) > len(self._words)
        counts_px = max(metrics.horizontalAdvance(number(word.n_times)) for word in self._words) + GAP_PX
        line, table, placed = LINE * metrics.height(), run.words_at(step), []
        for place, word in enumerate(self._words[: max(1, int(self.height() / line))]):
            ids = tuple(table.cut(word.number, MOST_SYMBOLS))
            shown = [display_name(run, token) for token in ids]
            width = min(natural_width(shown, metrics), self.width() - counts_px - 2 * GAP_PX)
            left = self.width() - counts_px - GAP_PX - width if is_rtl else counts_px + GAP_PX
            count = QRectF(self.width() - counts_px if is_rtl else 0, place * line, counts_px, line)
            room = QRectF(left, place * line, width, line)
            placed.append(_Placed(word, ids, ChipRow.fitted(shown, room, metrics, is_rtl=word.is_rtl), count))
        return placed

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            for each in self._placed(self._step):
                painter.setPen(theme.muted(palette))
                painter.drawText(each.count_room, _COUNT, number(each.word.n_times))
                each.chips.paint(painter, palette)
