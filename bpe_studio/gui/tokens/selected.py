"""Where the token or the pair that is picked stands among the tokens of a text or a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.workspace.selection import Selected


def lit_places(ids: Sequence[int], pick: Selected | None) -> frozenset[int]:
    """The places of the tokens to light up.

    Args:
        ids: the tokens' internal ids, in reading order.
        pick: what is picked; None lights nothing.

    Returns:
        The places of the token that is picked; and, where its two parts stand beside each other, of both of them.

    Example: of the pair 1 + 2, `lit_places([0, 1, 2, 1], pick)` is {1, 2}.
    """
    if pick is None:
        return frozenset()
    found = {place for place, token in enumerate(ids) if token == pick.token} if pick.token >= 0 else set()
    if pick.left >= 0:
        for place in range(len(ids) - 1):
            if ids[place] == pick.left and ids[place + 1] == pick.right:
                found |= {place, place + 1}
    return frozenset(found)
