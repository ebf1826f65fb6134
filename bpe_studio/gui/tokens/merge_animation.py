"""A frame of the animation of a merge, as all views paint it: two tokens are highlighted, move together and become one.

What a view paints depends only on the frame, not on the frames before it, so a step back is the same animation in
reverse. `gui.timeline.step_animation` makes the frames; views paint them, and chips are painted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import RADIUS_PX, ChipRow, paint_chip_text

_LIT_AT, _MEETS_AT, _ONE_AT = 0.3, 0.25, 0.85


@dataclass(frozen=True)
class MergeAnimation:
    """A frame of the animation of a merge.

    Attributes:
        rank: the rank of the merge, which leads from step `rank` to step `rank + 1`.
        left, right, token: the internal ids of the two tokens, and of the one that they become.
        share: the progress: 0 is the step before, 1 the step after.
        step: the step that is reached; for a step back, the one before the merge.
    """

    rank: int
    left: int
    right: int
    token: int
    share: float
    step: int

    @property
    def light(self) -> float:
        """The strength of the highlight, from 0 to 1: it rises and falls while the tokens merge."""
        return min(1.0, self.share / _LIT_AT, (1.0 - self.share) / (1.0 - _ONE_AT))

    @property
    def closeness(self) -> float:
        """How far the two tokens have moved together, from 0 to 1, with easing at both ends."""
        passed = min(max((self.share - _MEETS_AT) / (_ONE_AT - _MEETS_AT), 0.0), 1.0)
        return passed * passed * (3.0 - 2.0 * passed)

    def opacities(self, is_at_once: bool = False) -> tuple[float, float]:
        """The opacities of the old state and of the new one painted over it."""
        if is_at_once:
            return (0.0, 1.0) if self.closeness >= 0.5 else (1.0, 0.0)
        return (1.0, self.closeness) if self.closeness < 1.0 else (0.0, 1.0)

    def between(self, before: float, after: float) -> float:
        """Interpolate a length or a position between its values before and after."""
        return before + (after - before) * self.closeness


def merged_parts(
    animation: MergeAnimation,
    before: Sequence[int],
    after: Sequence[int],
    starts: tuple[Sequence[float], Sequence[float]] | None = None,
) -> tuple[frozenset[int], frozenset[int]]:
    """Find which tokens of a word or a line are merged, and which ones they become.

    Args:
        animation: the merge.
        before: the ids of the tokens before it, in order.
        after: the ids of the tokens after it.
        starts: where the tokens of both sides begin. Not needed for one word; in a text the pair may also occur across
            a word border, where it is not merged.

    Returns:
        The indices of the merged tokens in `before`, and of the new tokens in `after`.

    Example:
        Where 7 is made of 1 and 2, `[1, 2, 3]` becomes `[7, 3]`: the tokens 0 and 1 become the token 0.
    """
    made = [k for k, token in enumerate(after) if token == animation.token]
    pair = animation.left, animation.right
    parts: list[int] = []
    number = 0
    for place in made:
        while number + 1 < len(before) and (
            (before[number], before[number + 1]) != pair
            or (starts is not None and starts[0][number] < starts[1][place])
        ):
            number += 1
        if number + 1 >= len(before):
            break
        parts += [number, number + 1]
        number += 2
    return frozenset(parts), frozenset(made)


def paint_merge(
    painter: QPainter,
    before: ChipRow,
    after: ChipRow,
    parts: frozenset[int],
    animation: MergeAnimation,
    palette: QPalette,
) -> None:
    """Paint a word's chips in a frame of the animation.

    Args:
        painter: the painter, with the font of the chips.
        before: the chips before the merge.
        after: the chips after it.
        parts: the indices of the merged chips in `before`.
        animation: the frame.
        palette: the colours.
    """
    colours = theme.token_colours(palette)
    grounds, letters, becoming, highlighted = _moved(before, after, parts, animation)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for row, rects, opacity in ((before, grounds, 1.0), (after, becoming, animation.closeness)):
        painter.setOpacity(opacity)
        for k, rect in enumerate(rects):
            painter.setBrush(colours[row.colour_number(k)])
            painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
    for rects, share in ((highlighted[0], 1.0 - animation.closeness), (highlighted[1], animation.closeness)):
        paint_light(painter, rects, animation.light * share, palette)
    painter.setPen(theme.token_text_colour(palette))
    for rect, text in zip(letters, before.texts, strict=True):
        paint_chip_text(painter, rect, text, is_rtl=before.is_rtl)


def paint_light(painter: QPainter, rects: Sequence[QRectF], light: float, palette: QPalette) -> None:
    """Paint the highlight of chips; `light` is its strength, from 0 to 1."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.accent(palette), 2.0))
    painter.setOpacity(light)
    for rect in rects:
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
    painter.setOpacity(1.0)


def _moved(
    before: ChipRow, after: ChipRow, parts: frozenset[int], animation: MergeAnimation
) -> tuple[list[QRectF], list[QRectF], list[QRectF], tuple[list[QRectF], list[QRectF]]]:
    """Where everything is in a frame.

    Returns:
        The rectangles of the old chips and of their letters, the rectangles of the new chips, and those that are
        highlighted: the parts, and the tokens that they become.
    """
    grounds: list[QRectF] = []
    letters: list[QRectF] = []
    becoming: list[QRectF] = []
    highlighted: tuple[list[QRectF], list[QRectF]] = ([], [])
    k = 0
    for whole in after.rects:
        if k not in parts:
            rect = _between(before.rects[k], whole, animation)
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
        pair = [_between(one, first, animation), _between(other, second, animation)]
        grounds += pair
        # The letters keep their width, so that they end where those of the new token are.
        ends = [QRectF(one), QRectF(other)]
        (ends[0].moveRight if is_rtl else ends[0].moveLeft)(whole.right() if is_rtl else whole.left())
        (ends[1].moveLeft if is_rtl else ends[1].moveRight)(whole.left() if is_rtl else whole.right())
        letters += [_between(one, ends[0], animation), _between(other, ends[1], animation)]
        becoming.append(pair[0].united(pair[1]))
        highlighted[0].extend(pair)
        highlighted[1].append(becoming[-1])
        k += 2
    return grounds, letters, becoming, highlighted


def _between(before: QRectF, after: QRectF, animation: MergeAnimation) -> QRectF:
    left, right = animation.between(before.left(), after.left()), animation.between(before.right(), after.right())
    return QRectF(left, after.top(), right - left, after.height())
