"""Long curves made short for a plot, without changing what a person sees.

A plot is about a thousand pixels wide and a run may hold 250,000 merges. Each pixel column needs the highest and the
lowest value that falls into it, and no more. Bins are as wide as the axis makes them: even on a linear axis, growing
by a factor on a logarithmic one (plotting libraries bin evenly, and so lose the first decades of a log axis).
Numbers in, numbers out; this module knows no widget.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

LOG_ORIGIN = 0.5
"""Where a logarithmic axis shows 0 merges: left of 1, at a distance that a hand can aim at."""


def decimate(x: FloatArray, y: FloatArray, n_bins: int = 1000, *, log_x: bool = False) -> tuple[FloatArray, FloatArray]:
    """The points that draw the same curve: of each bin its first, highest, lowest and last.

    Args:
        x: (n,) float64, ascending; above 0 where `log_x`.
        y: (n,) float64.
        n_bins: how many bins, about one a pixel column.
        log_x: whether the axis is logarithmic.

    Returns:
        Two arrays of at most `4 * n_bins` points, in the order of x; the curve itself where it is short.

    Example: decimate([1, 2, 3, 4, ...], [9, 7, 7, 2, ...], n_bins=1) holds the first, the last, the 9 and the 2.
    """
    n = len(x)
    if n <= 4 * n_bins:
        return x, y
    starts = np.unique(np.searchsorted(x, bin_borders(x[0], x[-1], n_bins, log_x=log_x)))
    ends = np.append(starts[1:], n)
    selected = [starts, ends - 1]
    highest = np.repeat(np.maximum.reduceat(y, starts), ends - starts)
    lowest = np.repeat(np.minimum.reduceat(y, starts), ends - starts)
    for extreme in (highest, lowest):
        hits = np.flatnonzero(y == extreme)
        # Of several equal extremes in a bin one is enough: the first at or after the bin's start.
        selected.append(hits[np.searchsorted(hits, starts)])
    kept = np.unique(np.concatenate(selected))
    return x[kept], y[kept]


def bin_borders(low: float, high: float, n_bins: int, *, log_x: bool) -> FloatArray:
    """Where each bin begins: (n_bins,) values of x, the first of them `low`."""
    spaced = np.geomspace if log_x else np.linspace
    borders = spaced(low, high, n_bins + 1)[:-1]
    borders[0] = low
    return borders


def position_of_step(step: float, *, log_x: bool) -> float:
    """Where a step stands on the axis."""
    return math.log10(max(step, LOG_ORIGIN)) if log_x else float(step)


def step_at_position(position: float, n_merges: int, *, log_x: bool) -> int:
    """The step nearest to a place on the axis, between 0 and `n_merges`."""
    if log_x:
        # Beyond any run that a computer can hold; 10 ** 400 would overflow.
        value = 10.0 ** min(position, 15.0)
    else:
        value = position
    return max(0, min(n_merges, math.floor(value + 0.5 - 1e-9)))


def round_ticks(low: float, high: float, n_wanted: int, *, log: bool) -> list[float]:
    """Round values between `low` and `high` for an axis: 1, 2 or 5 times a power of ten.

    Args:
        low: the lowest value shown.
        high: the highest value shown.
        n_wanted: about how many ticks there is room for.
        log: whether the axis is logarithmic: then powers of ten first, and 2 and 5 between them where there is room.

    Example: round_ticks(0, 23, 5, log=False) == [0, 5, 10, 15, 20].
    """
    n_wanted = max(n_wanted, 1)
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    if log:
        return _log_ticks(max(low, 1e-9), high, n_wanted)
    raw = (high - low) / n_wanted
    power = 10.0 ** math.floor(math.log10(raw))
    spacing = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * (1 - 1e-9))
    spacing = max(spacing, 1.0)
    first = math.ceil(low / spacing - 1e-9)
    return [k * spacing for k in range(first, math.floor(high / spacing + 1e-9) + 1)]


def _log_ticks(low: float, high: float, n_wanted: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def between(multiples: tuple[int, ...], every: int = 1) -> list[float]:
        values = [m * 10.0**p for p in powers if p % every == 0 for m in multiples]
        return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]

    for multiples in ((1, 2, 5), (1, 3), (1,)):
        ticks = between(multiples)
        if len(ticks) <= n_wanted:
            return ticks
    every = 2
    while len(between((1,), every)) > n_wanted:
        every += 1
    return between((1,), every)
