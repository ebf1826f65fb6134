"""The tokens of one word as coloured chips (`Chips`), laid out in one line (`ChipRow`).

A chip paints one token by itself, for example in the cell of a table. `painting` and `geometry`
paint running text, where letters join and scripts mix; `links` has chips in several lines.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette, QPen

from bpe_studio.explain.names import any_right_to_left, isolated, upright
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.colours import colour_numbers
from bpe_studio.gui.tokens.painting import RADIUS_PX, paint_border

PAD_PX = 3.0
GAP_PX = 1.0
"""The padding at either side of a chip's text, and the gap between two chips."""
BORDER_REACH_PX = 1.5
"""The distance from the gap between two chips within which a click means the border."""
MORE = "…"
JOINER = "\u200d"
CENTRED = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class ChipRow(NamedTuple):
    """The tokens of one word as chips in one line.

    Attributes:
        texts: the text of each chip.
        rects: the rectangle of each chip.
        first: the index of the first chip's token in the word; the index of a token determines its
            colour.
        ellipses: the rectangles of ellipses for tokens that are left out.
        is_rtl: whether the word runs from right to left, and so the mark of a space in a chip
            without letters.
        names: the names of all tokens of the word, which decide the colours if they go by token.
    """

    texts: Sequence[str]
    rects: Sequence[QRectF]
    first: int = 0
    ellipses: Sequence[QRectF] = ()
    is_rtl: bool = False
    names: Sequence[str] = ()

    @classmethod
    def placed(
        cls,
        texts: Sequence[str],
        widths: Sequence[float],
        room: QRectF,
        gap_px: float,
        *,
        is_rtl: bool = False,
    ) -> ChipRow:
        """Lay out chips of given widths.

        Args:
            texts: the text of each chip.
            widths: the width of each chip.
            room: the room for the chips, which begin at its left or right edge and have its height.
            gap_px: the gap between them.
            is_rtl: whether they run from right to left.
        """
        x = 0.0
        rects = []
        for width in widths:
            left = room.right() - x - width if is_rtl else room.left() + x
            rects.append(QRectF(left, room.top(), width, room.height()))
            x += width + gap_px
        return cls(texts, rects, is_rtl=is_rtl)

    @classmethod
    def fitted(
        cls, names: Sequence[str], cell: QRectF, metrics: QFontMetricsF, *, is_rtl: bool = False
    ) -> ChipRow:
        """Lay out the tokens of a word in a cell; tokens that do not fit are elided or left out."""
        texts, widths = _fitting(names, cell.width(), metrics)
        row = cls.placed(texts, widths, _line(cell, metrics), GAP_PX, is_rtl=is_rtl)
        return row._replace(names=names)

    @classmethod
    def around(
        cls,
        names: Sequence[str],
        highlighted: Collection[int],
        cell: QRectF,
        metrics: QFontMetricsF,
        *,
        is_rtl: bool = False,
    ) -> ChipRow:
        """Lay out the tokens of a word in a cell; if not all fit, keep the highlighted ones.

        Args:
            names: the tokens in the order of the text.
            highlighted: the indices of those that must be visible.
            cell: the cell.
            metrics: the metrics of the font.
            is_rtl: whether the word runs from right to left.
        """
        texts = joined_forms(names)
        widths = [width + GAP_PX for width in _widths(texts, metrics)]
        more = metrics.horizontalAdvance(MORE) + GAP_PX
        low, high = _range_around(highlighted, widths, more, cell.width())
        taken = sum(widths[low:high])
        gaps = GAP_PX * (high - low)
        has_marks = taken + more * ((low > 0) + (high < len(names))) <= cell.width() + GAP_PX
        before = has_marks and low > 0
        after = has_marks and high < len(names)
        shown = texts[low:high]
        sizes = [width - GAP_PX for width in widths[low:high]]
        squeezed = (cell.width() + GAP_PX - gaps) / (taken - gaps) if names else 1.0
        if squeezed < 1.0:
            sizes = [width * squeezed for width in sizes]
            shown = [
                metrics.elidedText(name, Qt.TextElideMode.ElideRight, width - 2 * PAD_PX)
                for name, width in zip(names[low:high], sizes, strict=True)
            ]
        marks = [more - GAP_PX]
        row = cls.placed(
            shown,
            [*marks * before, *sizes, *marks * after],
            _line(cell, metrics),
            GAP_PX,
            is_rtl=is_rtl,
        )
        n = len(row.rects)
        rects = row.rects[int(before) : n - after]
        return cls(
            shown, rects, low, [*row.rects[: int(before)], *row.rects[n - after :]], is_rtl, names
        )

    @property
    def width(self) -> float:
        """The width of the chips, each with the gap after it."""
        return sum(rect.width() + GAP_PX for rect in self.rects)

    def border_at(self, place: QPointF) -> int:
        """The number of the token after the border at a place between two chips; -1 for none."""
        for k, (one, other) in enumerate(zip(self.rects, self.rects[1:], strict=False)):
            left = min(one.right(), other.right())
            right = max(one.left(), other.left())
            reach = max(BORDER_REACH_PX, min(one.width(), other.width()) * 0.1)
            if left - reach <= place.x() <= right + reach:
                return self.first + k + 1
        return -1

    def token_at(self, place: QPointF) -> int:
        """The index of the token at a position; -1 if there is none."""
        found = next((k for k, rect in enumerate(self.rects) if rect.contains(place)), -1)
        return found if found < 0 else self.first + found

    def colour_numbers(self) -> list[int]:
        """The number of the colour of each chip."""
        names = self.names
        if not names:
            names = [""] * self.first
            names += [text.replace(JOINER, "") for text in self.texts]
        return colour_numbers(names)[self.first :]

    def paint(
        self, painter: QPainter, palette: QPalette, highlighted: Collection[int] = ()
    ) -> None:
        """Paint the chips; the tokens with highlighted indices are outlined."""
        colours = theme.token_colours(palette)
        ink = theme.token_text_colour(palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, rect in zip(self.colour_numbers(), self.rects, strict=False):
            painter.setBrush(colours[number])
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        if highlighted:
            outlined = [
                rect for number, rect in enumerate(self.rects, self.first) if number in highlighted
            ]
            outline(painter, outlined, ink)
        painter.setPen(ink)
        for text, rect in zip(self.texts, self.rects, strict=True):
            paint_chip_text(painter, rect, text, is_rtl=self.is_rtl)
        if self.ellipses:
            painter.setPen(theme.muted(palette))
            for rect in self.ellipses:
                painter.drawText(rect, CENTRED, MORE)
        painter.restore()


class Chips(NamedTuple):
    """The tokens of one word or pair, to be painted in a cell.

    Attributes:
        names: the names of the tokens.
        is_rtl: whether they run from right to left.
        highlighted: the indices of those that are outlined.
        border: the index of the token after the border that is marked; -1 for none.
        keeps_highlighted: whether to show the highlighted ones if not all fit, rather than the
            first.
        between: the separator between them in a text.
    """

    names: Sequence[str]
    is_rtl: bool = False
    highlighted: Collection[int] = ()
    border: int = -1
    keeps_highlighted: bool = False
    between: str = " + "

    @classmethod
    def of(cls, *names: str, between: str = " + ") -> Chips:
        """Tokens that run from right to left if any of them does."""
        return cls(names, any_right_to_left(*names), between=between)

    @property
    def text(self) -> str:
        """The tokens as a text."""
        return self.between.join(map(isolated, self.names))

    def row(self, cell: QRectF, metrics: QFontMetricsF) -> ChipRow:
        """The chips in a cell, as many as fit."""
        if self.keeps_highlighted:
            return ChipRow.around(self.names, self.highlighted, cell, metrics, is_rtl=self.is_rtl)
        return ChipRow.fitted(self.names, cell, metrics, is_rtl=self.is_rtl)

    def paint(self, painter: QPainter, cell: QRect, palette: QPalette) -> float:
        """Paint the chips in a cell, in the painter's font, and return their width in pixels."""
        row = self.row(QRectF(cell), QFontMetricsF(painter.font()))
        row.paint(painter, palette, self.highlighted)
        if 0 < self.border < len(row.rects):
            before = row.rects[self.border - 1]
            behind = row.rects[self.border]
            x = max(before.left(), behind.left()) - GAP_PX / 2
            paint_border(painter, x, before.top(), before.height(), palette, is_faint=False)
        return row.width


def paint_chip_text(painter: QPainter, rect: QRectF, text: str, *, is_rtl: bool) -> None:
    """Paint the text of a chip, in the direction of its word or of its own letters."""
    if is_rtl:
        flags = CENTRED | int(Qt.TextFlag.TextForceRightToLeft)
        painter.drawText(rect, flags, upright(text))
    else:
        painter.drawText(rect, CENTRED, isolated(text))


def natural_width(names: Sequence[str], metrics: QFontMetricsF) -> float:
    """The width of all tokens of a word, each with the gap after it."""
    return sum(width + GAP_PX for width in _widths(joined_forms(names), metrics))


def outline(painter: QPainter, rects: Sequence[QRectF], colour: QColor) -> None:
    """Outline highlighted chips."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.5))
    for rect in rects:
        painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS_PX, RADIUS_PX)


def joined_forms(names: Sequence[str]) -> list[str]:
    """The tokens of one word, with a zero-width joiner where cursive letters meet.

    Example: "سل" and "ام" are cut between two letters that join, and both chips show the joined
    forms.
    """
    shown = list(names)
    for k in range(len(names) - 1):
        if names[k] and names[k + 1] and _is_cursive(names[k][-1]) and _is_cursive(names[k + 1][0]):
            shown[k] += JOINER
            shown[k + 1] = JOINER + shown[k + 1]
    return shown


def _is_cursive(char: str) -> bool:
    return unicodedata.bidirectional(char) == "AL"


def _widths(texts: Sequence[str], metrics: QFontMetricsF) -> list[float]:
    return [metrics.horizontalAdvance(text) + 2 * PAD_PX for text in texts]


def _line(cell: QRectF, metrics: QFontMetricsF) -> QRectF:
    """The part of a cell that chips take."""
    height = min(cell.height() - 2.0, metrics.height() + 2.0)
    return QRectF(cell.left(), cell.top() + (cell.height() - height) / 2, cell.width(), height)


def _fitting(
    names: Sequence[str], room_px: float, metrics: QFontMetricsF
) -> tuple[list[str], list[float]]:
    """Fit tokens into a width: elide the two tokens of a pair, or leave out the end of a word.

    Returns:
        The texts of the chips, and their widths.
    """

    def shortened(text: str, width: float) -> str:
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width - 2 * PAD_PX - GAP_PX)

    texts = joined_forms(names)
    widths = _widths(texts, metrics)
    room_px += GAP_PX
    if sum(widths) + GAP_PX * len(widths) <= room_px:
        return texts, widths
    if len(names) == 2:
        first, second = (width + GAP_PX for width in widths)
        left = texts[0]
        if first > room_px / 2:
            left = shortened(names[0], max(room_px - second, room_px / 2))
        right = shortened(names[1], room_px - _widths([left], metrics)[0] - GAP_PX)
        shown = [text for text in (left, right) if text]
        return shown, _widths(shown, metrics)
    more = _widths([MORE], metrics)[0] + GAP_PX
    shown = []
    for k, width in enumerate(widths):
        more_px = more if k + 1 < len(widths) else 0.0
        if width + GAP_PX + more_px > room_px:
            # The ellipsis replaces the tokens that follow, even if this one would fit.
            shown.append(shortened(names[k] + MORE, room_px))
            break
        shown.append(texts[k])
        room_px -= width + GAP_PX
    return shown, [*widths[: len(shown) - 1], *_widths(shown[-1:], metrics)]


def _range_around(
    highlighted: Collection[int], widths: Sequence[float], more_px: float, room_px: float
) -> tuple[int, int]:
    """Choose the tokens that are shown: the highlighted ones, and as many around them as fit.

    Args:
        highlighted: the indices of those that must be visible.
        widths: the widths of the chips, each with the gap after it.
        more_px: the width of an ellipsis with the gap after it.
        room_px: the width for all.

    Returns:
        The index of the first token that is shown, and the index after the last.
    """
    n = len(widths)
    if sum(widths) <= room_px + GAP_PX or not n:
        return 0, n
    low = min(highlighted, default=0)
    high = low + 1
    while high < n and high in highlighted and high - low < 2:
        high += 1
    has_grown = True
    while has_grown:
        has_grown = False
        for is_ahead in (True, False):
            first, last = (low, high + 1) if is_ahead else (low - 1, high)
            marks = more_px * ((first > 0) + (last < n))
            if first >= 0 and last <= n and sum(widths[first:last]) + marks <= room_px:
                low = first
                high = last
                has_grown = True
    return low, high
