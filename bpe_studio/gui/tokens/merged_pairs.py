"""The places where a merge joins two tokens, which views give to the motion above them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

MergedPair = tuple[QRectF, QRectF]
"""The places of two neighbouring tokens that a merge joins, in the order of the text."""


def joined(ids: Sequence[int], rects: Sequence[QRectF], pair: tuple[int, int]) -> list[MergedPair]:
    """The places at which a pair occurs in one word, from left to right and without overlaps.

    Args:
        ids: the tokens of the word.
        rects: their places; the last tokens may have none.
        pair: the pair.
    """
    found = []
    k = 0
    while k + 1 < len(rects):
        if tuple(ids[k : k + 2]) == pair:
            found.append((rects[k], rects[k + 1]))
            k += 1
        k += 1
    return found
