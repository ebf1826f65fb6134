"""Paints tokens in running text: backgrounds under the letters, and marks over them.

Under the letters: the background of each token, hatching for unknown ones, an outline for special
ones. Over them: a bracket below each token that is part of a character, the outline of the token
under the mouse, and marks for white space. `geometry` measures the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPalette, QPen

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.geometry import Fragment, LineShape

GAP_PX = 1.0
"""Space above and below the tokens of a line."""
RADIUS_PX = 3.0
"""The radius of the corners of a token, also as a chip or in the skyline."""
APART_PX = 1.0
"""The least gap between two tokens if colours go by token, as neighbours may look alike."""
APART = 1 / 24
"""The same gap as a share of the height of a line, which counts if letters are large."""
BORDER_TIP = "A border between two tokens: click to see why the text is cut here"
BORDER_PX = 2.0
BORDER_SERIF_PX = 3.0
HIDDEN = re.compile(
    "[ \t\n"
    "\u00a0\u00ad\u061c\u1680\u2000-\u200c\u200e\u200f\u2028\u202a-\u202f\u205f\u2060\u2066-\u2069\u3000\ufeff]"
)
"""Invisible characters, except the joiner of emoji and Indic letters, whose effect is visible."""

_BRACKET_PX = 3.0
_WIDE = re.compile("[ \u1680\u2000-\u200a\u205f\u3000]")


@dataclass(frozen=True)
class Looks:
    """The look of the tokens of one block.

    Attributes:
        first_number: the index of the first token in its paragraph, which determines its colour.
        unknown: the indices of tokens that are not in the alphabet.
        special: the indices of special tokens.
        colours: the number of each token's colour; None if colours go by place.
    """

    first_number: int
    unknown: frozenset[int] = frozenset()
    special: frozenset[int] = frozenset()
    colours: Sequence[int] | None = None


def paint_tokens(
    painter: QPainter, shapes: Sequence[LineShape], looks: Looks, palette: QPalette
) -> None:
    """Paint the backgrounds of a block's tokens.

    The painter's origin is the block's top left corner.
    """
    colours = theme.token_colours(palette)
    rects: list[list[QRectF]] = [[] for _ in colours]
    square: list[list[QRectF]] = [[] for _ in colours]
    unknown: list[QRectF] = []
    special: list[QRectF] = []
    n = len(colours)
    by_token = looks.colours
    for top, height, _, fragments in shapes:
        y = top + GAP_PX
        h = height - 2 * GAP_PX
        apart = max(APART_PX, round(height * APART))
        for token, left, right, is_part in _whole(fragments):
            rect = QRectF(left, y, right - left, h)
            if by_token is not None and not is_part and right - left > 2 * apart:
                rect.adjust(apart / 2, 0, -apart / 2, 0)
            if token in looks.unknown:
                unknown.append(rect)
            elif token in looks.special:
                special.append(rect)
            else:
                number = (looks.first_number + token) % n if by_token is None else by_token[token]
                boxes = square if is_part else rects
                boxes[number].append(rect)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for k, colour in enumerate(colours):
        painter.setBrush(colour)
        painter.drawRects(square[k])
        for rect in rects[k]:
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
    if unknown:
        painter.setBrush(QBrush(theme.muted(palette), Qt.BrushStyle.BDiagPattern))
        painter.drawRects(unknown)
    if special:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.muted(palette), 1))
        for rect in special:
            painter.drawRoundedRect(rect.adjusted(1, 0.5, -1, -0.5), RADIUS_PX, RADIUS_PX)


def paint_brackets(painter: QPainter, shapes: Sequence[LineShape], palette: QPalette) -> None:
    """Paint a bracket below each fragment that is part of a character."""
    lines = []
    for top, height, _, fragments in shapes:
        low = top + height - GAP_PX - 0.5
        for _, left, right, is_part in fragments:
            if is_part:
                a = left + 0.75
                b = max(left + 1.25, right - 0.75)
                lines.append(QLineF(a, low, b, low))
                if b - a > 2 * _BRACKET_PX:
                    lines += [
                        QLineF(a, low - _BRACKET_PX, a, low),
                        QLineF(b, low - _BRACKET_PX, b, low),
                    ]
    if lines:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(_thin(theme.muted(palette)))
        painter.drawLines(lines)


def paint_outline(
    painter: QPainter,
    shapes: Sequence[LineShape],
    tokens: Iterable[int],
    palette: QPalette,
    pen: QPen | None = None,
) -> None:
    """Outline tokens, such as the one under the mouse."""
    wanted = set(tokens)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen or QPen(theme.token_text_colour(palette), 1.5))
    for top, height, _, fragments in shapes:
        outlined = [fragment[1:3] for fragment in fragments if fragment[0] in wanted]
        for rect in _joined(outlined):
            box = QRectF(rect[0], top + GAP_PX, rect[1] - rect[0], height - 2 * GAP_PX)
            painter.drawRoundedRect(box.adjusted(0.25, 0.25, -0.25, -0.25), RADIUS_PX, RADIUS_PX)


def paint_border(
    painter: QPainter, x: float, top: float, height: float, palette: QPalette, *, is_faint: bool
) -> None:
    """Paint the mark of a border: a bar with a foot and a head, unlike the text cursor."""
    colour = theme.muted(palette) if is_faint else theme.token_text_colour(palette)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(colour, BORDER_PX)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    low = top + 1.0
    high = top + height - 1.0
    painter.drawLine(QLineF(x, low, x, high))
    for y in (low + BORDER_PX / 2, high - BORDER_PX / 2):
        painter.drawLine(QLineF(x - BORDER_SERIF_PX, y, x + BORDER_SERIF_PX, y))


def paint_hidden(
    painter: QPainter,
    shapes: Sequence[LineShape],
    text: str,
    points: Sequence[int],
    palette: QPalette,
) -> None:
    """Paint marks for invisible characters.

    Args:
        painter: its origin is the block's top left corner.
        shapes: the fragments of those characters; a fragment's token is an index of `points`.
        text: the block's text; the code point after its end is a line break.
        points: the code points of the invisible characters.
        palette: the colours.
    """
    lines: list[QLineF] = []
    for top, height, baseline, fragments in shapes:
        middle = top + height * 0.55
        for number, left, right, _ in fragments:
            place = points[number]
            char = text[place] if place < len(text) else "\n"
            if char == "\n":
                lines += _break_mark(left, right, middle, is_rtl=is_right_to_left(text))
            elif char == "\t":
                lines += _tab_mark(left, right, middle)
            elif _WIDE.match(char):
                lines += _space_mark(left, right, baseline)
            elif char in "\u00a0\u202f":
                lines += _space_mark(left, right, baseline)
                a, b = _inset(left, right)
                lines.append(QLineF(a, baseline - 1.5, b, baseline - 1.5))
            else:
                x = left if is_right_to_left(text[:place][-1:] or text[place + 1 :][:1]) else right
                low = baseline + 4
                lines += [QLineF(x - 2.5, low, x, low - 4), QLineF(x, low - 4, x + 2.5, low)]
    if lines:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.muted(palette), 1.1))
        painter.drawLines(lines)


def _thin(colour: QColor) -> QPen:
    return QPen(QBrush(colour), 1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def _whole(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The fragments, with adjacent ones of the same token joined."""
    found: list[Fragment] = []
    for fragment in fragments:
        before = found[-1] if found else None
        if (
            before is not None
            and before.token == fragment.token
            and min(abs(before.right - fragment.left), abs(fragment.right - before.left)) < 0.01
        ):
            left = min(before.left, fragment.left)
            right = max(before.right, fragment.right)
            found[-1] = Fragment(fragment.token, left, right, before.is_part or fragment.is_part)
        else:
            found.append(fragment)
    return found


def _joined(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The spans, with adjacent ones joined."""
    found: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if found and left - found[-1][1] < 1.0:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def _inset(left: float, right: float) -> tuple[float, float]:
    room = min(1.5, (right - left) * 0.2)
    return left + room, right - room


def _space_mark(left: float, right: float, baseline: float) -> list[QLineF]:
    a, b = _inset(left, right)
    low = baseline + 1.5
    return [QLineF(a, low - 3, a, low), QLineF(a, low, b, low), QLineF(b, low - 3, b, low)]


def _tab_mark(left: float, right: float, middle: float) -> list[QLineF]:
    a = left + 2
    b = right - 2
    tip = QPointF(b - 1.5, middle)
    return [
        QLineF(QPointF(a, middle), tip),
        QLineF(QPointF(tip.x() - 3, middle - 3), tip),
        QLineF(QPointF(tip.x() - 3, middle + 3), tip),
        QLineF(b, middle - 4, b, middle + 4),
    ]


def _break_mark(left: float, right: float, middle: float, *, is_rtl: bool) -> list[QLineF]:
    a = left + 2
    b = right - 2
    back = 2.5
    if is_rtl:
        a = right - 2
        b = left + 2
        back = -2.5
    return [
        QLineF(b, middle - 5, b, middle),
        QLineF(b, middle, a, middle),
        QLineF(a + back, middle - 2.5, a, middle),
        QLineF(a + back, middle + 2.5, a, middle),
    ]
