"""Where vocabulary sizes and values stand on the curve: scales, round numbers at their sides, and one point a pixel.

Pure arithmetic; `size_curve.py` paints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SizeScale:
    """Places of steps between two edges.

    Attributes:
        base: the vocabulary size at step 0.
        n_merges: the last step.
        left, right: the edges in pixels.
        is_log: whether sizes are spread by their logarithm.
    """

    base: int
    n_merges: int
    left: float
    right: float
    is_log: bool

    def x(self, step: float) -> float:
        """Where a step stands."""
        if self.n_merges <= 0:
            return self.left
        step = min(max(0.0, step), float(self.n_merges))
        share = step / self.n_merges
        if self.is_log:
            base = max(1, self.base)
            share = math.log1p(step / base) / math.log1p(self.n_merges / base)
        return self.left + share * (self.right - self.left)

    def step(self, x: float) -> int:
        """The step that stands at a place."""
        share = min(max(0.0, (x - self.left) / max(1.0, self.right - self.left)), 1.0)
        if self.is_log:
            base = max(1, self.base)
            return min(self.n_merges, round(base * math.expm1(share * math.log1p(self.n_merges / base))))
        return round(share * self.n_merges)

    def steps(self) -> IntArray:
        """The steps that stand at the pixels from edge to edge, each once; at most one a pixel."""
        import numpy as np

        n = max(2, int(self.right - self.left) + 1)
        share = np.linspace(0.0, 1.0, n)
        if self.is_log:
            base = max(1, self.base)
            places = base * np.expm1(share * math.log1p(self.n_merges / base))
        else:
            places = share * self.n_merges
        return np.unique(np.clip(np.rint(places).astype(np.int64), 0, self.n_merges))

    def places(self, steps: IntArray) -> FloatArray:
        """(n,) where several steps stand."""
        import numpy as np

        if self.n_merges <= 0:
            return np.full(len(steps), self.left)
        if self.is_log:
            base = max(1, self.base)
            share = np.log1p(steps / base) / math.log1p(self.n_merges / base)
        else:
            share = steps / self.n_merges
        return np.asarray(self.left + share * (self.right - self.left))

    def ticks(self, n: int) -> list[int]:
        """About so many round vocabulary sizes."""
        first, last = self.base, self.base + self.n_merges
        if not self.is_log or last < 8 * max(1, first):
            return [int(tick) for tick in round_ticks(first, last, n) if tick == int(tick)]
        found = [int(f * 10**k) for k in range(12) for f in (1, 2, 5) if first <= f * 10**k <= last]
        return found if len(found) <= n else [tick for tick in found if str(tick)[0] == "1"] or found[:: len(found) - 1]


def round_ticks(low: float, high: float, n: int) -> list[float]:
    """Round numbers at equal distances from low to high, at most so many.

    >>> round_ticks(0, 97, 5)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    if not high > low or n < 1:
        return [low]
    rough = (high - low) / n
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(f * power for f in (1, 2, 5, 10, 20) if f * power >= rough)
    first = math.ceil(low / width - 1e-9)
    ticks = [(first + k) * width for k in range(n + 2)]
    return [tick for tick in ticks if tick <= high + 1e-9 * width]


def rows_for(places: list[tuple[float, float]], n_rows: int, gap: float) -> list[int]:
    """In which of some rows each of the labels fits, given from left to right by their edges; -1 where in none.

    >>> rows_for([(0, 10), (5, 15), (12, 20)], 2, 1)
    [0, 1, 0]
    """
    ends = [-math.inf] * n_rows
    rows = []
    for left, right in places:
        row = next((k for k, end in enumerate(ends) if left >= end + gap), -1)
        if row >= 0:
            ends[row] = right
        rows.append(row)
    return rows
