"""A merge in the moment in which it is made, as every view shows it: two tokens light up, come together and are one.

What a view paints hangs on nothing but this: the same moment looks the same however often, how late and in whichever
direction it comes, so that a step back is the same motion from its end. Who counts the moments is `step_animation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LIT_AT, _MEETS_AT, _ONE_AT = 0.3, 0.25, 0.85


@dataclass(frozen=True)
class MergeAnimation:
    """A merge while it is made.

    Attributes:
        rank: the merge's place in the list; it leads from step `rank` to step `rank + 1`.
        left, right, token: internal ids of the two tokens, and of what they become.
        share: how much of it has passed; 0 is the step before, 1 the step after.
        step: the step that is reached, which is the one before where it is taken back.
    """

    rank: int
    left: int
    right: int
    token: int
    share: float
    step: int

    @property
    def light(self) -> float:
        """How brightly the pair is lit, from 0 to 1: most while it joins, not at all before and after."""
        return min(1.0, self.share / _LIT_AT, (1.0 - self.share) / (1.0 - _ONE_AT))

    @property
    def closeness(self) -> float:
        """How near the two are to being one, from 0 to 1, gently at both ends."""
        passed = min(max((self.share - _MEETS_AT) / (_ONE_AT - _MEETS_AT), 0.0), 1.0)
        return passed * passed * (3.0 - 2.0 * passed)

    def opacities(self, is_at_once: bool = False) -> tuple[float, float]:
        """How opaque what it was is painted, and over it what it becomes; either alone looks as it does at rest."""
        if is_at_once:
            return (0.0, 1.0) if self.closeness >= 0.5 else (1.0, 0.0)
        return (1.0, self.closeness) if self.closeness < 1.0 else (0.0, 1.0)

    def between(self, before: float, after: float) -> float:
        """A length or a place on its way from what it was to what it becomes."""
        return before + (after - before) * self.closeness


def parts_of(
    joining: MergeAnimation,
    before: Sequence[int],
    after: Sequence[int],
    starts: tuple[Sequence[float], Sequence[float]] | None = None,
) -> tuple[frozenset[int], frozenset[int]]:
    """Which tokens of a word or of a line come together, and which ones they become.

    Args:
        joining: the merge.
        before: the ids of the tokens before it, in order.
        after: those after it.
        starts: where the tokens of either side begin. In one word they are not needed; in a text the pair may also
            stand across the border of two words, where nothing joins.

    Returns:
        The numbers of the tokens before it, and of those after it.

    Example:
        Where 7 is made of 1 and 2, `[1, 2, 3]` becomes `[7, 3]`: the tokens 0 and 1 become the token 0.
    """
    made = [k for k, token in enumerate(after) if token == joining.token]
    pair = joining.left, joining.right
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
