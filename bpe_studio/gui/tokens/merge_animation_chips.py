"""Tokens in a table's cell while a merge is made in their word: two chips light up, slide together and become one.

Each chip is on its way from where it stood before to where it stands after; those behind the pair move up with it.
Where a word has no room for all its tokens, there is nothing to slide: the caller then shows it as it becomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen

from bpe_studio.explain.names import upright
from bpe_studio.gui.look import theme

if TYPE_CHECKING:
    from bpe_studio.gui.tokens.merge_animation import MergeAnimation

_RADIUS_PX = 3.0
_FLAGS = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class ChipRow(NamedTuple):
    """Chips side by side: what they say, and where each stands, all in one line."""

    texts: list[str]
    rects: list[QRectF]


def paint_joining(
    painter: QPainter,
    before: ChipRow,
    after: ChipRow,
    parts: frozenset[int],
    joining: MergeAnimation,
    palette: QPalette,
) -> None:
    """Paint a word's chips in a moment of the merge.

    Args:
        painter: in the font of the chips.
        before: the chips before the merge.
        after: those after it.
        parts: the numbers of those before it that come together, each with the next one.
        joining: the moment.
        palette: the colours.
    """
    colours = theme.token_colours(palette)
    grounds, letters, becoming, lit = _moved(before, after, parts, joining)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for rects, opacity in ((grounds, 1.0), (becoming, joining.closeness)):
        painter.setOpacity(opacity)
        for k, rect in enumerate(rects):
            painter.setBrush(colours[k % len(colours)])
            painter.drawRoundedRect(rect, _RADIUS_PX, _RADIUS_PX)
    for rects, share in ((lit[0], 1.0 - joining.closeness), (lit[1], joining.closeness)):
        paint_light(painter, rects, joining.light * share, palette)
    painter.setPen(theme.token_text_colour(palette))
    for rect, text in zip(letters, before.texts, strict=True):
        painter.drawText(rect, _FLAGS, upright(text))


def paint_light(painter: QPainter, rects: Sequence[QRectF], light: float, palette: QPalette) -> None:
    """Light up chips, from 0, not at all, to 1."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.accent(palette), 2.0))
    painter.setOpacity(light)
    for rect in rects:
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), _RADIUS_PX, _RADIUS_PX)
    painter.setOpacity(1.0)


def _moved(
    before: ChipRow, after: ChipRow, parts: frozenset[int], joining: MergeAnimation
) -> tuple[list[QRectF], list[QRectF], list[QRectF], tuple[list[QRectF], list[QRectF]]]:
    """Where things stand in a moment.

    Returns:
        The grounds of the chips before and their letters, the grounds of the chips that they become, and what is lit:
        the parts, and the wholes.
    """
    grounds: list[QRectF] = []
    letters: list[QRectF] = []
    becoming: list[QRectF] = []
    lit: tuple[list[QRectF], list[QRectF]] = ([], [])
    k = 0
    for whole in after.rects:
        if k not in parts:
            rect = _between(before.rects[k], whole, joining)
            grounds.append(rect)
            letters.append(rect)
            becoming.append(rect)
            k += 1
            continue
        one, other = before.rects[k], before.rects[k + 1]
        is_rtl = other.left() < one.left()
        border = whole.width() * one.width() / (one.width() + other.width())
        border = whole.right() - border if is_rtl else whole.left() + border
        first, second = QRectF(whole), QRectF(whole)
        (first.setLeft if is_rtl else first.setRight)(border)
        (second.setRight if is_rtl else second.setLeft)(border)
        pair = [_between(one, first, joining), _between(other, second, joining)]
        grounds += pair
        # The letters keep their room, so that they end where those of the whole stand.
        ends = [QRectF(one), QRectF(other)]
        (ends[0].moveRight if is_rtl else ends[0].moveLeft)(whole.right() if is_rtl else whole.left())
        (ends[1].moveLeft if is_rtl else ends[1].moveRight)(whole.left() if is_rtl else whole.right())
        letters += [_between(one, ends[0], joining), _between(other, ends[1], joining)]
        becoming.append(pair[0].united(pair[1]))
        lit[0].extend(pair)
        lit[1].append(becoming[-1])
        k += 2
    return grounds, letters, becoming, lit


def _between(before: QRectF, after: QRectF, joining: MergeAnimation) -> QRectF:
    left, right = joining.between(before.left(), after.left()), joining.between(before.right(), after.right())
    return QRectF(left, after.top(), right - left, after.height())
