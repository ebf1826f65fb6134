"""The words of a round, as they are cut: the most frequent first, each with its count.

As many words are shown as there is room for, in the largest font in which they fit; words of a right-to-left corpus
are laid out from the right.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.wording import number, times
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.tokens.chips import ChipRow, joined_forms
from bpe_studio.workspace.game.rounds import Pair
from bpe_studio.workspace.game.shown_round import GameWord

SCALES = (3.2, 2.7, 2.2, 1.9, 1.65, 1.4)
PAD_PX, CHIP_GAP_PX, COUNT_GAP_PX, WORD_GAP_PX, LINE_GAP_PX = 6.0, 2.0, 6.0, 26.0, 12.0
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


@dataclass(frozen=True)
class Placed:
    """A word with its place.

    Attributes:
        word: the word.
        row: its chips.
        count: the rectangle of its count.
    """

    word: GameWord
    row: ChipRow
    count: QRectF

    @property
    def is_whole(self) -> bool:
        """Whether all its tokens are shown."""
        return len(self.row.texts) == len(self.word.names)


class GameWords(FollowsLook, QWidget):
    """The words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game.words")
        self.setAccessibleName("Words of the corpus as they are cut")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._words: tuple[GameWord, ...] = ()
        self._placed: list[Placed] = []
        self._font, self._small = QFont(self.font()), QFont(self.font())
        self._n_others = 0
        self._is_rtl = False
        self._highlighted: Pair | None = None
        self.follow_look(fit_now=False)

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The words that are shown, with their places."""
        return tuple(self._placed)

    def show_words(self, words: tuple[GameWord, ...], n_words: int, *, is_rtl: bool = False) -> None:
        """Show the words of a round.

        Args:
            words: the most frequent ones.
            n_words: how many there are in all.
            is_rtl: whether they are laid out from the right.
        """
        self._is_rtl = is_rtl
        self._words, self._n_others = words, n_words
        self._lay_out()

    def set_highlighted(self, pair: Pair | None) -> None:
        """Outline a pair wherever it occurs."""
        if pair != self._highlighted:
            self._highlighted = pair
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(560, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    def _lay_out(self) -> None:
        # Use the largest font in which most words are shown with all their tokens.
        best = -1
        for scale in SCALES:
            fonts = _scaled(self.font(), scale), _scaled(self.font(), max(1.0, scale * 0.62))
            placed = self._flow(*map(QFontMetricsF, fonts))
            n_whole = sum(each.is_whole for each in placed)
            if n_whole > best:
                best = n_whole
                (self._font, self._small), self._placed = fonts, placed
            if n_whole == len(self._words):
                break
        n_hidden = self._n_others - len(self._placed)
        shown = "; ".join(f"{' | '.join(each.word.names)}, {times(each.word.count)}" for each in self._placed[:20])
        self.setAccessibleDescription(f"{shown}; and {number(n_hidden)} more" if n_hidden > 0 else shown)
        self.update()

    def _flow(self, big: QFontMetricsF, small: QFontMetricsF) -> list[Placed]:
        is_rtl = self._is_rtl
        width, height = float(self.width()), float(self.height())
        line = big.height() + 6
        room = height - (small.height() + LINE_GAP_PX if self._n_others else 0.0)
        placed: list[Placed] = []
        x, y = 0.0, 0.0
        for word in self._words:
            texts, widths = _fitting(word, big, 0.8 * width)
            count_px = small.horizontalAdvance(number(word.count)) + 2
            wanted = sum(widths) + CHIP_GAP_PX * (len(widths) - 1) + COUNT_GAP_PX + count_px
            if x > 0 and x + wanted > width:
                x, y = 0.0, y + line + LINE_GAP_PX
            if y + line > room:
                break
            # The tokens of a word run in its own direction, inside its place.
            chips_px = wanted - COUNT_GAP_PX - count_px
            room_of_chips = QRectF(width - x - chips_px if is_rtl else x, y, chips_px, line)
            row = ChipRow.placed(texts, widths, room_of_chips, CHIP_GAP_PX, is_rtl=word.is_rtl)
            count = QRectF(width - x - wanted if is_rtl else x + wanted - count_px, y, count_px, line)
            placed.append(Placed(word, row, count))
            x += wanted + WORD_GAP_PX
        return placed

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            for each in self._placed:
                painter.setFont(self._font)
                each.row.paint(painter, palette, each.word.places(self._highlighted))
                painter.setFont(self._small)
                painter.setPen(theme.muted(palette))
                painter.drawText(each.count, _CENTRE, number(each.word.count))
            n_hidden = self._n_others - len(self._placed)
            if n_hidden > 0:
                painter.setFont(self._small)
                painter.setPen(theme.muted(palette))
                text = f"and {number(n_hidden)} more words" if n_hidden > 1 else "and one more word"
                high = QFontMetricsF(self._small).height()
                painter.drawText(QRectF(0, self.height() - high, self.width(), high), Qt.AlignmentFlag.AlignLeft, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def font_changed(self) -> None:
        self._lay_out()


def _fitting(word: GameWord, metrics: QFontMetricsF, room: float) -> tuple[list[str], list[float]]:
    """The texts of a word's chips and their widths; the end of a word that is too long is replaced by an ellipsis."""
    texts = joined_forms(word.names)
    widths = [metrics.horizontalAdvance(text) + 2 * PAD_PX for text in texts]
    while len(texts) > 2 and sum(widths) + CHIP_GAP_PX * len(widths) > room:
        texts, widths = texts[:-1], widths[:-1]
        texts[-1] = "…"
        widths[-1] = metrics.horizontalAdvance("…") + 2 * PAD_PX
    return texts, widths


def _scaled(font: QFont, scale: float) -> QFont:
    scaled = QFont(font)
    if font.pointSizeF() > 0:
        scaled.setPointSizeF(font.pointSizeF() * scale)
    return scaled
