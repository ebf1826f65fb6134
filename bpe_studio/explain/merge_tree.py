"""The merge tree of a word, from its gap ranks: each merge with its two parts, and the symbols that
it covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

NEVER = 2**31 - 1


class Tree(NamedTuple):
    """The joints of one word, in the order of their gaps; an open gap has no joint.

    Attributes:
        gaps: (m,) int64, the symbol after the gap that each joint closes.
        ranks: (m,) int64, the rank of each joint's merge.
        lefts, rights: (m,) int64, its two parts: the number of a joint, or `-1 - symbol` for a
            symbol.
        lows, highs: (m,) int64, the symbols [low, high) that it covers.
    """

    gaps: IntArray
    ranks: IntArray
    lefts: IntArray
    rights: IntArray
    lows: IntArray
    highs: IntArray


def grow_tree(gaps: Sequence[int]) -> Tree:
    """The merge tree of a word: the gap of lowest rank is closed first.

    Several gaps have the same rank if a token is taken whole at that rank, as in Llama 3.

    Args:
        gaps: for each symbol, the rank that closes the gap before it. `NEVER` at the first symbol,
            and for a gap that stays open; below 0 inside a token of several unknown symbols.

    Example: `grow_tree([NEVER, 0, 1])` joins the first two symbols, and then the third to both.
    """
    n = len(gaps)
    places: list[int] = []
    ranks: list[int] = []
    parts: list[list[int]] = [[], []]
    open_joints: list[int] = []
    first = 0  # the start of the symbol (or unknown token) before the gap
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
    columns = [np.array(column, np.int64) for column in (places, ranks, *parts, lows, highs)]
    return Tree(*columns)


def _extents(
    gaps: Sequence[int], places: Sequence[int], ranks: Sequence[int], parts: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    lows = [0] * len(places)
    highs = [0] * len(places)
    for joint in _from_below(ranks):
        left = parts[0][joint]
        right = parts[1][joint]
        lows[joint] = lows[left] if left >= 0 else -1 - left
        high = highs[right] if right >= 0 else -right
        while right < 0 and high < len(gaps) and gaps[high] < 0:
            high += 1
        highs[joint] = high
    return lows, highs


def _from_below(ranks: Sequence[int]) -> list[int]:
    """The joints, each after its parts.

    Of two joints with the same rank, the right one is a part of the left one.
    """
    return sorted(range(len(ranks)), key=lambda joint: (ranks[joint], -joint))


def part_places(tree: Tree, centres: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends of the two legs of each joint: the middle of the joint below, or of a symbol.

    Args:
        tree: the joints.
        centres: (n,) float64, the middle of each symbol.

    Returns:
        (m,) float64 twice, the leg of the left part and of the right one.
    """
    m = len(tree.ranks)
    legs = np.zeros((2, m))
    for joint in _from_below(tree.ranks.tolist()):
        for side, part in enumerate((int(tree.lefts[joint]), int(tree.rights[joint]))):
            legs[side, joint] = legs[:, part].mean() if part >= 0 else centres[-1 - part]
    return legs[0], legs[1]
