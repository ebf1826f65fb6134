"""Where a merge joins two tokens on the screen, as views tell it to the motion that is painted above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF


class MergedPair(NamedTuple):
    """Two neighbouring tokens that a merge joins, in the order of the text."""

    left: QRectF
    right: QRectF


def joined_places(ids: Sequence[int], pair: tuple[int, int]) -> list[int]:
    """The places of the first tokens of a pair in one word, from left to right and without overlaps.

    >>> joined_places([1, 1, 1, 2, 1, 1], (1, 1))
    [0, 4]
    """
    found, k = [], 0
    while k + 1 < len(ids):
        is_pair = (ids[k], ids[k + 1]) == pair
        found += [k] * is_pair
        k += 1 + is_pair
    return found
