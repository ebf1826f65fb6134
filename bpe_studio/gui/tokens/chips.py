"""Tokens as small coloured chips: those of one word in a line (`ChipRow`), and pieces of a text in a flow (`ChipFlow`).

A chip shows one piece on its own: a row is what stands in a table's cell, close together and in the direction of the
word, and paints itself. To show a running text with its tokens in place, where letters join and scripts mix, is the
work of `painting` and `geometry`; chips that can be followed are `links`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import isolated, upright
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.plain_tip import plain_tip

PAD_PX, GAP_PX = 3.0, 1.0
"""Of the tokens of one word: the room on either side of a chip's letters, and between two chips."""
FLOW_PAD_PX, FLOW_GAP_PX = 5.0, 3.0
"""The same of pieces that stand apart."""
RADIUS_PX = 3.0
MORE = "…"
JOINER = "\u200d"
CENTRED = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWrapAnywhere)


class ChipRow(NamedTuple):
    """Tokens of one word as chips in one line: what they say, where they stand, and which tokens they are.

    Attributes:
        texts: what is written on each.
        rects: where each stands.
        first: the number of the first one among the word's tokens; a token's number is its colour's.
        ellipses: where a sign stands for tokens that are left out.
    """

    texts: Sequence[str]
    rects: Sequence[QRectF]
    first: int = 0
    ellipses: Sequence[QRectF] = ()

    @classmethod
    def placed(
        cls, texts: Sequence[str], widths: Sequence[float], room: QRectF, gap_px: float, *, is_rtl: bool = False
    ) -> ChipRow:
        """Chips of these widths, from where reading begins in the room; they are as high as it is."""
        x, rects = 0.0, []
        for width in widths:
            left = room.right() - x - width if is_rtl else room.left() + x
            rects.append(QRectF(left, room.top(), width, room.height()))
            x += width + gap_px
        return cls(texts, rects)

    @classmethod
    def fitted(cls, names: Sequence[str], cell: QRectF, metrics: QFontMetricsF, *, is_rtl: bool = False) -> ChipRow:
        """The tokens of a word in a table's cell; those at its end that do not fit are shortened or left out."""
        texts, widths = _fitting(names, cell.width(), metrics)
        return cls.placed(texts, widths, _line(cell, metrics), GAP_PX, is_rtl=is_rtl)

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
        """The tokens of a word in a table's cell; of what does not fit, those near the highlighted ones are kept.

        Args:
            names: the tokens in the order of the text.
            highlighted: the numbers of those that must be seen.
            cell: the room.
            metrics: of the font that they are painted in.
            is_rtl: whether the word runs to the left.
        """
        texts = [isolated(text) for text in joined_forms(names)]
        widths = [width + GAP_PX for width in _widths(texts, metrics)]
        more = metrics.horizontalAdvance(MORE) + GAP_PX
        low, high = _range_around(highlighted, widths, more, cell.width())
        taken, gaps = sum(widths[low:high]), GAP_PX * (high - low)
        has_marks = taken + more * ((low > 0) + (high < len(names))) <= cell.width() + GAP_PX
        before, after = has_marks and low > 0, has_marks and high < len(names)
        shown, sizes = texts[low:high], [width - GAP_PX for width in widths[low:high]]
        squeezed = (cell.width() + GAP_PX - gaps) / (taken - gaps) if names else 1.0
        if squeezed < 1.0:
            sizes = [width * squeezed for width in sizes]
            shown = [
                metrics.elidedText(isolated(name), Qt.TextElideMode.ElideRight, width - 2 * PAD_PX)
                for name, width in zip(names[low:high], sizes, strict=True)
            ]
        marks = [more - GAP_PX]
        row = cls.placed(shown, [*marks * before, *sizes, *marks * after], _line(cell, metrics), GAP_PX, is_rtl=is_rtl)
        n = len(row.rects)
        rects = row.rects[int(before) : n - after]
        return cls(shown, rects, low, [*row.rects[: int(before)], *row.rects[n - after :]])

    @property
    def width(self) -> float:
        """The width that the chips take, each with the gap behind it."""
        return sum(rect.width() + GAP_PX for rect in self.rects)

    def token_at(self, place: QPointF) -> int:
        """The number of the token under a place; -1 where there is none."""
        found = next((k for k, rect in enumerate(self.rects) if rect.contains(place)), -1)
        return found if found < 0 else self.first + found

    def paint(self, painter: QPainter, palette: QPalette, highlighted: Collection[int] = ()) -> None:
        """Paint the chips; the tokens with these numbers are outlined."""
        colours, ink = theme.token_colours(palette), theme.token_text_colour(palette)
        n = len(colours)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, rect in enumerate(self.rects, self.first):
            painter.setBrush(colours[number % n])
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        if highlighted:
            outline(painter, [rect for number, rect in enumerate(self.rects, self.first) if number in highlighted], ink)
        painter.setPen(ink)
        for text, rect in zip(self.texts, self.rects, strict=True):
            painter.drawText(rect, CENTRED, upright(text))
        if self.ellipses:
            painter.setPen(theme.muted(palette))
            for rect in self.ellipses:
                painter.drawText(rect, CENTRED, MORE)
        painter.restore()


def paint_token_chips(
    painter: QPainter,
    cell: QRect,
    names: Sequence[str],
    palette: QPalette,
    *,
    is_rtl: bool = False,
    highlighted: Collection[int] = (),
) -> float:
    """Paint the tokens of a word in a table's cell, as many as fit; those with the highlighted numbers are outlined.

    Returns:
        The width that they took.
    """
    row = ChipRow.fitted(names, QRectF(cell), QFontMetricsF(painter.font()), is_rtl=is_rtl)
    row.paint(painter, palette, highlighted)
    return row.width


def natural_width(names: Sequence[str], metrics: QFontMetricsF) -> float:
    """The width that the tokens of a word take where they all fit, each with the gap behind it."""
    return sum(width + GAP_PX for width in _widths(joined_forms(names), metrics))


def outline(painter: QPainter, rects: Sequence[QRectF], colour: QColor) -> None:
    """Paint the outline of what is highlighted around chips."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.5))
    for rect in rects:
        painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS_PX, RADIUS_PX)


def joined_forms(names: Sequence[str]) -> list[str]:
    """Tokens of one word with a joiner where cursive letters meet, so that each chip shows its letters as they stand.

    Example: "سل" and "ام" are cut between two letters that join, and both chips show the joined forms.
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
    """The part of a table's cell in which chips stand."""
    height = min(cell.height() - 2.0, metrics.height() + 2.0)
    return QRectF(cell.left(), cell.top() + (cell.height() - height) / 2, cell.width(), height)


def _fitting(names: Sequence[str], room_px: float, metrics: QFontMetricsF) -> tuple[list[str], list[float]]:
    """The tokens as they fit into a width: of a pair both are shortened, of a longer word the end is left out.

    Returns:
        What is written on each chip, and the chips' widths.
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
        left = shortened(names[0], max(room_px - second, room_px / 2)) if first > room_px / 2 else texts[0]
        right = shortened(names[1], room_px - _widths([left], metrics)[0] - GAP_PX)
        shown = [text for text in (left, right) if text]
        return shown, _widths(shown, metrics)
    more = _widths([MORE], metrics)[0] + GAP_PX
    shown = []
    for k, width in enumerate(widths):
        if width + GAP_PX + (more if k + 1 < len(widths) else 0.0) > room_px:
            # The ellipsis stands for the tokens that follow, also where this one would fit.
            shown.append(shortened(names[k] + MORE, room_px))
            break
        shown.append(texts[k])
        room_px -= width + GAP_PX
    return shown, [*widths[: len(shown) - 1], *_widths(shown[-1:], metrics)]


def _range_around(
    highlighted: Collection[int], widths: Sequence[float], more_px: float, room_px: float
) -> tuple[int, int]:
    """The first token that is shown and the first behind them: the highlighted ones, and as many others as fit.

    Args:
        highlighted: the numbers of those to be seen.
        widths: of the chips, each with the gap behind it.
        more_px: the width of an ellipsis with the gap behind it.
        room_px: the width for all.
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
                low, high, has_grown = first, last, True
    return low, high


@dataclass(frozen=True)
class Chip:
    """One piece of a flow.

    Attributes:
        text: what is painted.
        tip: the tooltip.
        is_special: outlined instead of filled.
    """

    text: str
    tip: str = ""
    is_special: bool = False


def lay_out(chips: Sequence[Chip], width: float, metrics: QFontMetricsF, is_rtl: bool = False) -> list[QRectF]:
    """Where each chip stands when they flow in lines of this width; a chip wider than a line is wrapped inside.

    Returns:
        One rectangle a chip, from the top left of the flow.
    """
    line = metrics.lineSpacing() + 4
    x, y = 0.0, 0.0
    rects = []
    for chip in chips:
        wanted = chip_width(chip, metrics)
        height = line
        if wanted > width:
            inner = QRectF(0, 0, max(1.0, width - 2 * FLOW_PAD_PX), 1e6)
            height = metrics.boundingRect(inner, _WRAPPED, chip.text).height() + 4
            wanted = width
        if x > 0 and x + wanted > width:
            x, y = 0.0, y + line + FLOW_GAP_PX
        rects.append(QRectF(width - x - wanted if is_rtl else x, y, wanted, height))
        x += wanted + FLOW_GAP_PX
        if height > line:
            x, y = 0.0, y + height + FLOW_GAP_PX
    return rects


def chip_width(chip: Chip, metrics: QFontMetricsF) -> float:
    """The width of a chip of a flow on one line."""
    return metrics.horizontalAdvance(chip.text) + 2 * FLOW_PAD_PX


class ChipFlow(FollowsLook, QWidget):
    """Pieces of a text in as many lines as they need, in the direction of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: tuple[Chip, ...] = ()
        self._is_rtl = False
        self._rects: list[QRectF] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.follow_look(fit_now=False)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What is shown."""
        return self._chips

    def set_chips(self, chips: Sequence[Chip], is_rtl: bool = False) -> None:
        """Show other chips."""
        self._chips, self._is_rtl = tuple(chips), is_rtl
        self.setAccessibleDescription(" | ".join(chip.text for chip in chips))
        self._lay_out()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rects = lay_out(self._chips, width, QFontMetricsF(self.font()), self._is_rtl)
        return int(max((rect.bottom() for rect in rects), default=0)) + 1

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(60, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.heightForWidth(max(60, self.width())))

    def chip_at(self, place: QPoint) -> Chip | None:
        """The chip under a place of the widget."""
        for chip, rect in zip(self._chips, self._rects, strict=True):
            if rect.contains(place.toPointF()):
                return chip
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours, ink = theme.token_colours(palette), theme.token_text_colour(palette)
        text, muted = palette.color(QPalette.ColorRole.Text), QPen(theme.muted(palette), 1)
        single = self.fontMetrics().lineSpacing() * 1.5 + 4
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for k, (chip, rect) in enumerate(zip(self._chips, self._rects, strict=True)):
                painter.setPen(muted if chip.is_special else Qt.PenStyle.NoPen)
                painter.setBrush(Qt.BrushStyle.NoBrush if chip.is_special else colours[k % len(colours)])
                inset = 0.5 if chip.is_special else 0.0
                painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), RADIUS_PX, RADIUS_PX)
                painter.setPen(text if chip.is_special else ink)
                if rect.height() > single:
                    painter.drawText(rect.adjusted(FLOW_PAD_PX, 0, -FLOW_PAD_PX, 0), _WRAPPED, chip.text)
                else:
                    painter.drawText(rect, CENTRED, upright(chip.text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def font_changed(self) -> None:
        self._lay_out()

    def palette_changed(self) -> None:
        self._lay_out()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            chip = self.chip_at(event.pos())
            if chip is not None and chip.tip:
                QToolTip.showText(event.globalPos(), plain_tip(chip.tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _lay_out(self) -> None:
        self._rects = lay_out(self._chips, self.width(), QFontMetricsF(self.font()), self._is_rtl)
        self.updateGeometry()
        self.update()
