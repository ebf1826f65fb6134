"""The shortened curve draws what the whole one does; places and steps go over into each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.gui.plots.axes import LOG_ORIGIN, StepScale, decimate, round_ticks


@given(st.integers(1, 3000), st.integers(1, 40), st.randoms(use_true_random=False))
def test_every_pixel_column_keeps_its_extremes(n, n_bins, random):
    x = np.arange(1, n + 1, dtype=np.float64)
    y = np.array([random.randint(0, 50) for _ in range(n)], np.float64)
    short_x, short_y = decimate(x, y, n_bins)
    assert len(short_x) <= max(4 * n_bins, 1)
    assert np.all(np.diff(short_x) > 0)
    assert np.array_equal(short_y, y[short_x.astype(int) - 1]), "only points of the curve itself"
    assert (short_x[0], short_x[-1]) == (x[0], x[-1])
    borders = np.linspace(x[0], x[-1], n_bins + 1)[:-1]
    bins = np.searchsorted(borders, x, "right")
    short_bins = np.searchsorted(borders, short_x, "right")
    for column in np.unique(bins):
        whole = y[bins == column]
        kept = short_y[short_bins == column]
        assert (whole.min(), whole.max()) == (kept.min(), kept.max())


@pytest.mark.parametrize("log_x", [False, True])
def test_a_step_comes_back_from_its_place(log_x):
    scale = StepScale(250_000, log_x)
    for step in [0, 1, 2, 3, 10, 999, 32_768, 249_999, 250_000]:
        assert scale.step(scale.x(step)) == step
    assert StepScale(7, log_x).step(1e9) == 7
    assert StepScale(7, log_x).step(-1e9) == 0
    assert StepScale(0, log_x).step(0.5) == 0


def test_decades_are_equally_far_apart_and_0_is_left_of_1():
    scale = StepScale(100_000, is_log=True)
    decades = np.diff([scale.x(step) for step in (1, 10, 100, 1000, 10_000, 100_000)])
    np.testing.assert_allclose(decades, decades[0])
    assert scale.x(1) - scale.x(0) == pytest.approx(decades[0] * -np.log10(LOG_ORIGIN))


def test_ticks_are_round():
    assert round_ticks(0, 23, 5, log=False) == [0, 5, 10, 15, 20]
    assert round_ticks(0, 3, 10, log=False) == [0, 1, 2, 3], "nothing between two whole numbers"
    assert round_ticks(1, 5000, 4, log=True) == [1, 10, 100, 1000]
    assert round_ticks(1, 20, 9, log=True) == [1, 2, 5, 10, 20]
    assert round_ticks(5, 5, 4, log=False) == []
    assert len(round_ticks(1, 1e12, 4, log=True)) <= 4
