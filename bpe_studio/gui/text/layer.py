"""The layer below the tokens of the typed text: their ids or their bytes, in small figures.

`GappedLayout` leaves room for it below each line; `paint_labels` paints it. Labels that would
overlap are painted in two rows. A dot stands for a label that fits in neither; the tooltip of its
token has it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPalette, QTextBlock
from PySide6.QtWidgets import QPlainTextDocumentLayout

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.geometry import LineShape

N_ROWS = 2
SHARE = 0.6
"""The size of the labels, relative to that of the text."""
LEAST_POINTS = 7.0
APART_PX = 3.0


class Layer(enum.Enum):
    """The labels below the tokens, in the order in which a click changes them."""

    nothing = enum.auto()
    ids = enum.auto()
    bytes = enum.auto()

    @property
    def following(self) -> Layer:
        """The next layer."""
        return {Layer.nothing: Layer.ids, Layer.ids: Layer.bytes, Layer.bytes: Layer.nothing}[self]


class GappedLayout(QPlainTextDocumentLayout):
    """A layout of plain text with room below each line.

    Qt lays out a block when its place is requested, so the lines are moved apart then.

    Attributes:
        gap: the room, in pixels; lay out the document again after a change.
    """

    gap = 0.0

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        rect = super().blockBoundingRect(block)
        if not self.gap or not block.isValid():
            return rect
        layout = block.layout()
        n_lines = layout.lineCount()
        if (
            n_lines > 1
            and layout.lineAt(1).y()
            < layout.lineAt(0).y() + layout.lineAt(0).height() + self.gap / 2
        ):
            for number in range(1, n_lines):
                line = layout.lineAt(number)
                line.setPosition(QPointF(line.x(), line.y() + number * self.gap))
            rect = super().blockBoundingRect(block)
        return rect.adjusted(0, 0, 0, self.gap)


def label_font(font: QFont) -> QFont:
    """The font of the labels below a text."""
    return theme.numeric_font(max(LEAST_POINTS, SHARE * font.pointSizeF()))


def gap_below(font: QFont) -> float:
    """The room that the labels take below a line."""
    return N_ROWS * QFontMetricsF(label_font(font)).height()


def paint_labels(
    painter: QPainter,
    shapes: Sequence[LineShape],
    label_of: Callable[[int], str],
    palette: QPalette,
    font: QFont,
    room: float,
) -> None:
    """Paint the label of each token below its first fragment.

    Args:
        painter: at the block's origin.
        shapes: the lines of the block.
        label_of: the label of the token with an index in the block.
        palette: the colours.
        font: the font from `label_font`.
        room: the width in which they are painted.
    """
    painter.setFont(font)
    painter.setPen(theme.muted(palette))
    metrics = QFontMetricsF(font)
    done = set()
    for shape in shapes:
        ends = [float("-inf")] * N_ROWS
        for fragment in sorted(shape.fragments, key=lambda each: each.left):
            if fragment.token in done:
                continue
            done.add(fragment.token)
            text = label_of(fragment.token)
            width = metrics.horizontalAdvance(text)
            middle = (fragment.left + fragment.right) / 2
            top = shape.top + shape.height
            place = take_place(ends, middle, width, room)
            if place is None:
                painter.fillRect(QRectF(middle - 1, top, 2, 2), painter.pen().color())
            else:
                left, row = place
                painter.drawText(
                    QPointF(left, top + row * metrics.height() + metrics.ascent()), text
                )


def take_place(
    ends: list[float], middle: float, width: float, room: float
) -> tuple[float, int] | None:
    """Find the left edge and the row of a label, below its token or a little to the right.

    Args:
        ends: the end of the last label in each row; changed.
        middle: the middle of the token.
        width: the width of the label.
        room: the width in which labels are painted.

    Returns:
        None if there is no room; the label moves by at most half its width.
    """
    wanted = max(0.0, min(middle - width / 2, room - width))
    starts = [max(wanted, end + APART_PX) for end in ends]
    left = min(starts)
    if left > wanted + width / 2 or (left > wanted and left + width > room):
        return None
    row = starts.index(left)
    ends[row] = left + width
    return left, row
