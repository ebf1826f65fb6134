"""The geometry of the skyline: merge trees from gap ranks, the scale of their heights, lines of words and their order.

Pure numbers: it knows no text, no font and no window. What a word looks like is `skyline_words`' matter, where words
stand `skyline_rows`', and the picture `skyline_painting`'s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
NEVER = 2**31 - 1


class Tree(NamedTuple):
    """The joints of one word, in the order of their gaps; a joint that never comes is not there.

    Attributes:
        gaps: (m,) int64, the symbol behind the gap that each joint closes.
        ranks: (m,) int64, the merge that makes it.
        lefts, rights: (m,) int64, its two parts: the number of a joint, or `-1 - symbol` for a symbol.
        lows, highs: (m,) int64, the symbols [low, high) that it holds.
    """

    gaps: IntArray
    ranks: IntArray
    lefts: IntArray
    rights: IntArray
    lows: IntArray
    highs: IntArray


def grow_tree(gaps: Sequence[int]) -> Tree:
    """The merge tree that a word's gap ranks are: the lowest gap is joined first.

    Args:
        gaps: one a symbol, the rank that closes the gap before it; `NEVER` where none does and at the first symbol,
            below 0 where unknown symbols are one from the beginning.

    Example: `grow_tree([NEVER, 0, 1])` joins the first two symbols, and then the third to both.
    """
    n = len(gaps)
    places: list[int] = []
    ranks: list[int] = []
    parts: list[list[int]] = [[], []]
    open_joints: list[int] = []
    first = 0  # where the symbol (or the unknown symbols that are one) before the gap begins
    for k in range(1, n):
        rank = gaps[k]
        if rank < 0:
            continue
        if rank >= NEVER:
            open_joints.clear()
            first = k
            continue
        below = -1 - first
        while open_joints and ranks[open_joints[-1]] < rank:
            below = open_joints.pop()
        number = len(places)
        if open_joints:
            parts[1][open_joints[-1]] = number
        places.append(k)
        ranks.append(rank)
        parts[0].append(below)
        parts[1].append(-1 - k)
        open_joints.append(number)
        first = k
    lows, highs = _extents(gaps, places, ranks, parts)
    return Tree(*(np.array(column, np.int64) for column in (places, ranks, *parts, lows, highs)))


def _extents(
    gaps: Sequence[int], places: Sequence[int], ranks: Sequence[int], parts: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    lows, highs = [0] * len(places), [0] * len(places)
    for joint in sorted(range(len(places)), key=ranks.__getitem__):
        left, right = parts[0][joint], parts[1][joint]
        lows[joint] = lows[left] if left >= 0 else -1 - left
        high = highs[right] if right >= 0 else -right
        while right < 0 and high < len(gaps) and gaps[high] < 0:
            high += 1
        highs[joint] = high
    return lows, highs


def part_places(tree: Tree, centres: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the legs of each joint stand: in the middle of the roof of the joint below it, or over a symbol.

    Args:
        tree: the joints.
        centres: (n,) float64, the middle of each symbol.

    Returns:
        (m,) float64 twice, the leg of the left part and of the right one.
    """
    m = len(tree.ranks)
    legs = np.zeros((2, m))
    for joint in np.argsort(tree.ranks, kind="stable").tolist():
        for side, part in enumerate((int(tree.lefts[joint]), int(tree.rights[joint]))):
            legs[side, joint] = legs[:, part].mean() if part >= 0 else centres[-1 - part]
    return legs[0], legs[1]


@dataclass(frozen=True)
class Scale:
    """How high a merge stands: the logarithm of its rank, as ranks are spread over some powers of ten.

    Attributes:
        top: the most merges that have to find room.
        height: the height of the last one.
        foot: the height of the first one, for symbols stand below it.
    """

    top: int
    height: float
    foot: float = 12.0

    def heights(self, ranks: npt.ArrayLike) -> FloatArray:
        """The heights of merges by their ranks."""
        span = math.log1p(max(1, self.top - 1))
        return np.asarray(self.foot + (self.height - self.foot) * np.log1p(np.asarray(ranks, np.float64)) / span)

    def line(self, step: int) -> float:
        """The height of the line of a step: above what is merged before it, below what is merged after."""
        height = float(self.heights(max(0.0, step - 0.5))) if step else 0.0
        return max(height, self.foot / 2)

    def step_at(self, height: float, most: int) -> int:
        """The step whose line is next to a height, of the steps 0 to `most`."""
        share = (height - self.foot) / max(1.0, self.height - self.foot)
        if share <= 0:
            return 0 if height < 0.75 * self.foot else min(1, most)
        rank = math.expm1(min(share, 1.5) * math.log1p(max(1, self.top - 1)))
        return int(min(max(0, round(rank + 0.5)), most))

    def ticks(self, room: float) -> list[int]:
        """The ranks to be written beside it, the powers of ten, those left out for which there is no room.

        Args:
            room: the height that a label takes.
        """
        found: list[int] = []
        tick = 1
        while tick < max(2, self.top):
            below = float(self.heights(found[-1])) if found else 0.0
            if float(self.heights(tick)) - below >= room:
                found.append(tick)
            tick *= 10
        return found


def visual_order(directions: Sequence[int], *, is_rtl: bool, around: tuple[int, int] = (0, 0)) -> list[int]:
    """The order from left to right in which pieces of a line stand, as the bidirectional algorithm has it.

    Args:
        directions: 1 for a piece that runs to the right, -1 for one that runs to the left, 0 for what has no
            direction (signs, spaces), 2 for digits, which keep their order in a text that runs to the left.
        is_rtl: the direction of the paragraph.
        around: the directions, 1 or -1, of what stands before and after the pieces; 0 where nothing does.
    """
    base = -1 if is_rtl else 1
    if all(direction in (base, 0) for direction in (*directions, *around)):
        order = list(range(len(directions)))
        return order[::-1] if is_rtl else order
    levels = _levels(directions, base, around[0] or base, around[1] or base)
    order = list(range(len(levels)))
    for level in range(max(levels), 0, -1):
        k = 0
        while k < len(order):
            if levels[order[k]] < level:
                k += 1
                continue
            end = k
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[k:end] = order[k:end][::-1]
            k = end
    return order


def _levels(directions: Sequence[int], base: int, before: int, behind: int) -> list[int]:
    """Each piece's level: even ones run to the right, odd ones to the left."""
    n = len(directions)
    strong = [base] * n
    k = 0
    while k < n:
        if directions[k] in (1, -1):
            before = strong[k] = directions[k]
            k += 1
            continue
        end = k
        while end < n and directions[end] not in (1, -1):
            end += 1
        after = directions[end] if end < n else behind
        for inner in range(k, end):
            strong[inner] = before if before == after or directions[inner] == 2 else base
        k = end
    ground = 0 if base > 0 else 1
    levels = []
    for direction, runs in zip(directions, strong, strict=True):
        level = ground if runs == base else ground + 1
        levels.append(level + 1 if direction == 2 and level % 2 else level)
    return levels
