"""The arithmetic of axes: round ticks, positions of steps, decimation of long curves.

Charts and the timeline use these scales and ticks. There are no widgets. Only functions that take
arrays import numpy, because the window is painted before numpy is imported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

LOG_ORIGIN = 0.5
"""The value at which a logarithmic axis of merges shows 0: far enough left of 1 to be clicked."""
FEW_DECADES = 20.0
"""A logarithmic axis that covers at most this factor has the ticks of a linear one."""


@dataclass(frozen=True)
class StepScale:
    """Positions of the steps 0 to `n_merges` between two edges.

    Attributes:
        n_merges: the last step.
        is_log: whether steps are spread by the logarithm of `base` + step.
        base: the number that is added to a step before its logarithm is taken: 0 for the number of
            merges (which shows step 0 at `LOG_ORIGIN`), the size of the alphabet for the
            vocabulary size.
        left, right: the edges, in pixels or as fractions.
        low, high: the part of the axis between the edges, as shares of all of it.
    """

    n_merges: int
    is_log: bool = False
    base: int = 0
    left: float = 0.0
    right: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def share(self, step: float) -> float:
        """The place of a step as a share of the whole axis."""
        if self.n_merges <= 0:
            return 0.0
        step = min(max(0.0, step), float(self.n_merges))
        if not self.is_log:
            return step / self.n_merges
        first, last = self._log_ends
        return (math.log(max(self.base + step, LOG_ORIGIN)) - first) / (last - first)

    def value(self, share: float) -> float:
        """The step at a share of the whole axis, which may be a fraction."""
        if not self.is_log:
            return share * max(0, self.n_merges)
        first, last = self._log_ends
        return math.exp(first + share * (last - first)) - self.base

    def x(self, step: float) -> float:
        """The position of a step."""
        return self.left + (self.share(step) - self.low) / (self.high - self.low) * (
            self.right - self.left
        )

    def share_at(self, x: float) -> float:
        """The share of the whole axis at a place between the edges."""
        share = min(max(0.0, (x - self.left) / ((self.right - self.left) or 1.0)), 1.0)
        return self.low + share * (self.high - self.low)

    def step(self, x: float) -> int:
        """The step that is nearest to a position."""
        # A value of one half, where a logarithmic axis shows 0, is 0.
        return max(0, min(self.n_merges, math.floor(self.value(self.share_at(x)) + 0.5 - 1e-9)))

    def places(self, steps: IntArray | FloatArray) -> FloatArray:
        """(n,) float64: the positions of several steps."""
        import numpy as np

        if self.n_merges <= 0:
            return np.full(len(steps), self.left)
        if self.is_log:
            first, last = self._log_ends
            share = (np.log(np.maximum(self.base + steps, LOG_ORIGIN)) - first) / (last - first)
        else:
            share = steps / self.n_merges
        return np.asarray(
            self.left + (share - self.low) / (self.high - self.low) * (self.right - self.left)
        )

    def values(self, n: int) -> FloatArray:
        """(n,) float64: the steps at n equally spaced places from edge to edge; n is at least 2."""
        import numpy as np

        shares = np.linspace(self.low, self.high, n)
        if self.is_log and self.n_merges > 0:
            first, last = self._log_ends
            return np.asarray(np.exp(first + shares * (last - first)) - self.base)
        return np.asarray(shares * max(0, self.n_merges))

    def step_ticks(self, n: int) -> list[int]:
        """About n round steps between the edges, and the last step if it is shown."""
        low = self.value(self.low)
        high = self.value(self.high)
        if not self.is_log or (low > 0 and high < FEW_DECADES * low):
            ticks = round_ticks(max(low, 0.0), high, n)
        else:
            ticks = round_ticks(max(low, 1.0), high, n, log=True)
            if self.low <= 0:
                ticks.append(0.0)
        steps = {round(tick) for tick in ticks}
        if self.high >= 1 - 1e-9:
            steps.add(self.n_merges)
        return sorted(steps)

    @property
    def _log_ends(self) -> tuple[float, float]:
        return math.log(max(self.base, LOG_ORIGIN)), math.log(self.base + max(1, self.n_merges))


def decimate(x: FloatArray, y: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """Fewer points that draw the same curve: the first, highest, lowest and last of each bin.

    A plot is about a thousand pixels wide and a run may hold 250,000 merges.

    Args:
        x: (n,) float64, ascending, in pixels.
        y: (n,) float64.
        n_bins: the number of bins, about one for each pixel column.

    Returns:
        Two arrays of at most `4 * n_bins` points, in the order of x; the curve itself if it is
        short.

    Example: decimate([1, 2, 3, 4, ...], [9, 7, 7, 2, ...], n_bins=1) has the first point, the last,
    the 9 and the 2.
    """
    import numpy as np

    n = len(x)
    if n <= 4 * n_bins:
        return x, y
    starts = np.unique(np.searchsorted(x, np.linspace(x[0], x[-1], n_bins + 1)[:-1]))
    ends = np.append(starts[1:], n)
    selected = [starts, ends - 1]
    highest = np.repeat(np.maximum.reduceat(y, starts), ends - starts)
    lowest = np.repeat(np.minimum.reduceat(y, starts), ends - starts)
    for extreme in (highest, lowest):
        hits = np.flatnonzero(y == extreme)
        # One of several equal extremes is enough: the first at or after the bin's start.
        selected.append(hits[np.searchsorted(hits, starts)])
    kept = np.unique(np.concatenate(selected))
    return x[kept], y[kept]


def round_ticks(
    low: float, high: float, n_wanted: int, *, log: bool = False, is_whole: bool = True
) -> list[float]:
    """Round values between `low` and `high` for an axis: 1, 2 or 5 times a power of ten.

    Args:
        low: the lowest value shown.
        high: the highest value shown.
        n_wanted: the approximate number of ticks for which there is room.
        log: whether the axis is logarithmic: then powers of ten come first, and 2 and 5 between
            them if there is room.
        is_whole: whether all values are whole numbers.

    >>> round_ticks(0, 23, 5), round_ticks(0, 33, 1)
    ([0.0, 5.0, 10.0, 15.0, 20.0], [0.0, 20.0])
    >>> round_ticks(0, 1.2, 3, is_whole=False)
    [0.0, 0.5, 1.0]
    """
    n_wanted = max(n_wanted, 1)
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    if log:
        return _log_ticks(max(low, 1e-9), high, n_wanted)
    raw = (high - low) / n_wanted
    power = 10.0 ** math.floor(math.log10(raw))
    found: list[float] = []
    for m in (10.0, 5.0, 2.0, 1.0, 0.5, 0.2):
        least = 1.0 if is_whole else 0.0
        spacing = max(m * power, least)
        first = math.ceil(low / spacing - 1e-9)
        ticks = [k * spacing for k in range(first, math.floor(high / spacing + 1e-9) + 1)]
        # Stop before there are too many, but not at one tick, which says nothing about the scale.
        if len(found) >= 2 and m * power < raw * (1 - 1e-9):
            break
        found = ticks
    return found


def _log_ticks(low: float, high: float, n_wanted: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def between(multiples: tuple[int, ...], every: int = 1) -> list[float]:
        values: list[float] = []
        for p in powers:
            if p % every == 0:
                values += [m * 10.0**p for m in multiples]
        return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]

    for multiples in ((1, 2, 5), (1, 3), (1,)):
        ticks = between(multiples)
        if len(ticks) <= n_wanted:
            return ticks
    every = 2
    while len(between((1,), every)) > n_wanted:
        every += 1
    return between((1,), every)
