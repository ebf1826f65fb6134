"""The scale of the skyline: the height of a rank, and the step at a height. Pure numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scale:
    """The height of a merge: the logarithm of its rank, because ranks cover several powers of ten.

    Attributes:
        top: the number of merges that it covers.
        height: the height of the line above the last merge, and of later merges until the scale
            grows.
        foot: the height of the first merge; symbols are below it.
    """

    top: int
    height: float
    foot: float = 12.0

    def heights(self, ranks: npt.ArrayLike) -> FloatArray:
        """The heights of merges, given their ranks."""
        shares = np.minimum(np.log1p(np.asarray(ranks, np.float64)) / self._span, 1.0)
        return np.asarray(self.foot + (self.height - self.foot) * shares)

    @property
    def _span(self) -> float:
        return math.log1p(max(1, self.top) - 0.5)

    def line(self, step: int) -> float:
        """The height of a step's line: above the merges before the step, below those after it."""
        height = float(self.heights(max(0.0, step - 0.5))) if step else 0.0
        return max(height, self.foot / 2)

    def step_at(self, height: float, most: int) -> int:
        """The step from 0 to `most` whose line is nearest to a height."""
        share = (height - self.foot) / max(1.0, self.height - self.foot)
        if share <= 0:
            return 0 if height < 0.75 * self.foot else min(1, most)
        rank = math.expm1(min(share, 1.5) * self._span)
        return int(min(max(0, round(rank + 0.5)), most))

    def ticks(self, room: float) -> list[int]:
        """The ranks to label: the powers of ten for which there is room.

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
