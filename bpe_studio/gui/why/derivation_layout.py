"""The layout of a derivation as a tree, with the token on top and its parts below it.

Each token is as wide as its name or what is shown below it, whichever is wider, and centred over that. Nothing here
paints, and nothing is recursive, because a tree may be as deep as its token is long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, QSizeF

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.derivation import Node

GAP_PX = 5.0
LEVEL_PX = 20.0
"""The vertical gap between two levels, in which the lines are."""
KNOT_PX = 3.5
MARGIN_PX = 4.0


class Spot(NamedTuple):
    """A token of the tree as it is laid out: the index of its node, its chip, and its index in its level."""

    number: int
    rect: QRectF
    place: int


def parents_of(nodes: Sequence[Node]) -> list[int]:
    """The index of each node's parent; -1 for the root."""
    parents = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        for child in (node.left, node.right):
            if child is not None:
                parents[child] = number
    return parents


def lay_out(
    nodes: Sequence[Node], is_open: Sequence[bool], chips: Sequence[float], height: float, *, is_rtl: bool
) -> tuple[dict[int, Spot], QSizeF]:
    """Lay out the tokens that are shown.

    Args:
        nodes: level by level, as in a derivation.
        is_open: whether the parts of each are shown.
        chips: the width of each chip.
        height: the height of the chips.
        is_rtl: whether the first part is at the right.

    Returns:
        The tokens that are shown, by index, and the size of the drawing.
    """
    parents = parents_of(nodes)
    shown = [False] * len(nodes)
    for number in range(len(nodes)):
        parent = parents[number]
        shown[number] = parent < 0 or (shown[parent] and is_open[parent])
    widths, below = list(chips), [0.0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        left, right = nodes[number].left, nodes[number].right
        if shown[number] and is_open[number] and left is not None and right is not None:
            below[number] = widths[left] + GAP_PX + widths[right]
            widths[number] = max(chips[number], below[number])
    spots: dict[int, Spot] = {}
    lefts = [MARGIN_PX] * len(nodes)
    n_on_level: dict[int, int] = {}
    total = widths[0] + 2 * MARGIN_PX if nodes else 0.0
    lowest = 0.0
    for number, node in enumerate(nodes):
        if not shown[number]:
            continue
        if is_open[number] and node.left is not None and node.right is not None:
            begin = lefts[number] + (widths[number] - below[number]) / 2
            lefts[node.left], lefts[node.right] = begin, begin + widths[node.left] + GAP_PX
        x = lefts[number] + (widths[number] - chips[number]) / 2
        x = total - x - chips[number] if is_rtl else x
        rect = QRectF(x, MARGIN_PX + node.depth * (height + LEVEL_PX), chips[number], height)
        place = n_on_level[node.depth] = n_on_level.get(node.depth, -1) + 1
        spots[number] = Spot(number, rect, place)
        has_knot = node.rank is not None and not (is_open[number] and node.left is not None)
        lowest = max(lowest, rect.bottom() + (LEVEL_PX if has_knot else 0.0))
    return spots, QSizeF(total, lowest + MARGIN_PX)
