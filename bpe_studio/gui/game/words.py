"""The words of a round, as they are cut: the most frequent first, each with its count.

As many words are shown as there is room for, in the largest font in which they fit; words of a right-to-left corpus
are laid out from the right. To guess a pair here, click two neighbouring tokens or use the keys: Left and Right move
along the tokens and on to the next word, Up and Down between lines, Enter or Space selects a token.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.explain.wording import number, times
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import ANY_FONT, FollowsLook
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
        n_tokens: how many of its chips are tokens; the last chip may be an ellipsis.
        row: its chips.
        count: the rectangle of its count.
    """

    word: GameWord
    n_tokens: int
    row: ChipRow
    count: QRectF

    @property
    def is_whole(self) -> bool:
        """Whether all its tokens are shown."""
        return len(self.row.texts) == len(self.word.names)


class GameWords(FollowsLook, QWidget):
    """The words.

    Signals:
        selected: (int, int) or None, the pair that is selected; None if only one token is.
        confirmed: the user confirmed the selected pair.
    """

    selected = Signal(object)
    confirmed = Signal()

    font_events = ANY_FONT

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("game.words")
        self.setAccessibleName("Words of the corpus as they are cut")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMouseTracking(True)
        self._words: tuple[GameWord, ...] = ()
        self._placed: list[Placed] = []
        self._font, self._small = QFont(self.font()), QFont(self.font())
        self._n_others = 0
        self._is_rtl = False
        self._highlighted: Pair | None = None
        self._can_select = False
        self._first: tuple[int, int] | None = None
        self._second = -1
        self._cursor: tuple[int, int] = (0, 0)
        self._hovered: tuple[int, int] | None = None
        self.follow_look(fit_now=False)

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The words that are shown, with their places."""
        return tuple(self._placed)

    @property
    def pair(self) -> Pair | None:
        """The pair that is selected in the words."""
        if self._first is None or self._second < 0:
            return None
        ids, first = self._placed[self._first[0]].word.ids, min(self._first[1], self._second)
        return ids[first], ids[first + 1]

    def show_words(self, words: tuple[GameWord, ...], n_words: int, *, is_rtl: bool = False) -> None:
        """Show the words of a round.

        Args:
            words: the most frequent ones.
            n_words: how many there are in all.
            is_rtl: whether they are laid out from the right.
        """
        self._is_rtl = is_rtl
        self._words, self._n_others = words, n_words
        self._first, self._second, self._hovered, self._cursor = None, -1, None, (0, 0)
        self._lay_out()

    def set_highlighted(self, pair: Pair | None) -> None:
        """Outline a pair wherever it occurs."""
        if pair != self._highlighted:
            self._highlighted = pair
            self.update()

    def set_can_select(self, can_select: bool) -> None:
        """Set whether tokens can be selected."""
        if can_select != self._can_select:
            self._can_select = can_select
            self._first, self._second, self._hovered = None, -1, None
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_select else Qt.FocusPolicy.NoFocus)
            self.unsetCursor()
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
        self._cursor = self._clamped(self._cursor)
        if self._first is not None and self._first[0] >= len(self._placed):
            self._first, self._second = None, -1
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
            n_tokens = len(texts) if len(texts) == len(word.names) else len(texts) - 1
            placed.append(Placed(word, min(n_tokens, len(word.ids)), row, count))
            x += wanted + WORD_GAP_PX
        return placed

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            for k, each in enumerate(self._placed):
                painter.setFont(self._font)
                highlighted = each.word.places(self._highlighted)
                if self._first is not None and self._first[0] == k:
                    highlighted |= {self._first[1]} | ({self._second} if self._second >= 0 else set())
                elif self._hovered is not None and self._hovered[0] == k:
                    highlighted |= {self._hovered[1]}
                each.row.paint(painter, palette, highlighted)
                painter.setFont(self._small)
                painter.setPen(theme.muted(palette))
                painter.drawText(each.count, _CENTRE, number(each.word.count))
            if self.hasFocus() and self._can_select and self._cursor[0] < len(self._placed):
                rects = self._placed[self._cursor[0]].row.rects
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.muted(palette), 1.5, Qt.PenStyle.DashLine))
                rect = rects[min(self._cursor[1], len(rects) - 1)]
                painter.drawRoundedRect(rect.adjusted(-2.5, -2.5, 2.5, 2.5), 5, 5)
            n_hidden = self._n_others - len(self._placed)
            if n_hidden > 0:
                painter.setFont(self._small)
                painter.setPen(theme.muted(palette))
                text = f"and {number(n_hidden)} more words" if n_hidden > 1 else "and one more word"
                high = QFontMetricsF(self._small).height()
                painter.drawText(QRectF(0, self.height() - high, self.width(), high), Qt.AlignmentFlag.AlignLeft, text)

    def _at(self, place: QPointF) -> tuple[int, int] | None:
        for k, each in enumerate(self._placed):
            for nth, rect in enumerate(each.row.rects):
                if nth < each.n_tokens and rect.adjusted(-1, -4, 1, 4).contains(place):
                    return k, nth
        return None

    def _select(self, place: tuple[int, int]) -> None:
        """Select a token as the first of a pair, or as the second if it is next to the first."""
        word, token = place
        if self._first is not None and self._first[0] == word and self._second < 0 and abs(token - self._first[1]) == 1:
            self._second = token
        elif self._first == place and self._second < 0:
            self._first = None
        else:
            self._first, self._second = place, -1
        self._cursor = place
        self.update()
        self.selected.emit(self.pair)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position())
        if self._can_select and event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._select(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self._at(event.position()) if self._can_select else None
        if hovered != self._hovered:
            self._hovered = hovered
            self.setCursor(Qt.CursorShape.PointingHandCursor if hovered is not None else Qt.CursorShape.ArrowCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not (self._can_select and self._placed):
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._move_sideways(key is Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._change_line(key is Qt.Key.Key_Down)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.pair is not None:
            self.confirmed.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._select(self._cursor)
        else:
            super().keyPressEvent(event)

    def _move_sideways(self, is_right: bool) -> None:
        """Move to the token at the left or right on the screen; from the end of a word to the next word."""
        word, token = self._cursor
        token += 1 if is_right != self._placed[word].word.is_rtl else -1
        if token < 0 and word > 0:
            word -= 1
            token = self._placed[word].n_tokens - 1
        elif token >= self._placed[word].n_tokens and word + 1 < len(self._placed):
            word, token = word + 1, 0
        self._go_to(word, token)

    def _change_line(self, is_down: bool) -> None:
        here = self._placed[self._cursor[0]].row.rects[self._cursor[1]].center()
        lines = sorted({each.row.rects[0].top() for each in self._placed})
        line = lines.index(self._placed[self._cursor[0]].row.rects[0].top()) + (1 if is_down else -1)
        if 0 <= line < len(lines):
            places = [
                (abs(rect.center().x() - here.x()), k, token)
                for k, each in enumerate(self._placed)
                for token, rect in enumerate(each.row.rects[: each.n_tokens])
                if rect.top() == lines[line]
            ]
            self._go_to(*min(places)[1:])

    def _go_to(self, word: int, token: int) -> None:
        self._cursor = self._clamped((word, token))
        each = self._placed[word].word
        self.setAccessibleDescription(f"{each.names[self._cursor[1]]} in {' | '.join(each.names)}, {times(each.count)}")
        self.update()

    def _clamped(self, place: tuple[int, int]) -> tuple[int, int]:
        """The place, or the nearest one that is shown."""
        if not self._placed:
            return 0, 0
        word = min(place[0], len(self._placed) - 1)
        return word, min(max(0, place[1]), self._placed[word].n_tokens - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        had_pair = self.pair is not None
        self._lay_out()
        if had_pair and self.pair is None:
            self.selected.emit(None)

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
