"""The scale of the skyline: how high a merge is by its rank, and which step a height is. Pure numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scale:
    """How high a merge is: the logarithm of its rank, as ranks are spread over some powers of ten.

    Attributes:
        top: the most merges that have to find room.
        height: the height of the line above the last one, and of whatever is trained beyond it until the scale grows.
        foot: the height of the first one, as symbols are below it.
    """

    top: int
    height: float
    foot: float = 12.0

    def heights(self, ranks: npt.ArrayLike) -> FloatArray:
        """The heights of merges by their ranks."""
        shares = np.minimum(np.log1p(np.asarray(ranks, np.float64)) / self._span, 1.0)
        return np.asarray(self.foot + (self.height - self.foot) * shares)

    @property
    def _span(self) -> float:
        return math.log1p(max(1, self.top) - 0.5)

    def line(self, step: int) -> float:
        """The height of the line of a step: above what is merged before it, below what is merged after."""
        height = float(self.heights(max(0.0, step - 0.5))) if step else 0.0
        return max(height, self.foot / 2)

    def step_at(self, height: float, most: int) -> int:
        """The step whose line is next to a height, of the steps 0 to `most`."""
        share = (height - self.foot) / max(1.0, self.height - self.foot)
        if share <= 0:
            return 0 if height < 0.75 * self.foot else min(1, most)
        rank = math.expm1(min(share, 1.5) * self._span)
        return int(min(max(0, round(rank + 0.5)), most))

    def ticks(self, room: float) -> list[int]:
        """The ranks to be written next to it, the powers of ten, those left out for which there is no room.

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
