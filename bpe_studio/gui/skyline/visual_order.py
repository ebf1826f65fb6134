"""The order from left to right of the pieces of a line, by the Unicode bidirectional algorithm."""

from __future__ import annotations

from collections.abc import Sequence


def visual_order(
    directions: Sequence[int], *, is_rtl: bool, around: tuple[int, int] = (0, 0)
) -> list[int]:
    """The order from left to right of the pieces of a line, by the Unicode bidirectional algorithm.

    Args:
        directions: 1 for a piece that runs to the right, -1 for one that runs to the left, 0 for
            one without direction (signs, spaces), 2 for digits, which keep their order in a text
            that runs to the left.
        is_rtl: the direction of the paragraph.
        around: the directions, 1 or -1, of the texts before and after the pieces; 0 for no text.
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
    """The embedding level of each piece: even levels run to the right, odd ones to the left."""
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
        if direction == 2 and level % 2:
            level += 1
        levels.append(level)
    return levels
