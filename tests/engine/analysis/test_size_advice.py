"""The knee of curves that have a known one, what is saved, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.analysis.size_advice import (
    knee,
    saved_per_thousand,
)


@given(bend=st.integers(2, 998), low=st.floats(0.01, 0.6))
def test_two_straight_lines_bend_where_they_meet(bend: int, low: float) -> None:
    sizes = np.arange(1000) + 256
    for axis, places in (("log", np.log(sizes)), ("linear", sizes.astype(float))):
        share = (places[bend] - places[0]) / (places[-1] - places[0])
        # At the bend more is saved than a straight line would have saved: so it is below that line.
        at_bend = 1 - share - low * (1 - share)
        tokens = np.interp(places, [places[0], places[bend], places[-1]], [1.0, at_bend, 0.0])
        assert knee(sizes, 500 + 4000 * tokens, axis) == bend  # type: ignore[arg-type]


def test_a_hyperbola_bends_where_its_slope_is_the_average() -> None:
    sizes = np.arange(100, 10_001)
    # The slope of 1 / x is that of its chord at the mean of the ends by multiplication.
    assert sizes[knee(sizes, 1e9 / sizes, "linear")] == 1000
    # By doublings the slope of 1 / x is -1 / x, and that of its chord (1 / 100 - 1 / 10,000) /
    # log(100).
    by_doublings = np.log(100) / (1 / 100 - 1 / 10_000)
    assert sizes[knee(sizes, 1e9 / sizes)] == pytest.approx(by_doublings, abs=1)


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 7))
def test_what_each_stretch_saves(closed: list[int], per: int) -> None:
    tokens = 500 - np.concatenate([[0], np.cumsum(closed)]).astype(np.int64)
    ends = range(per, len(closed) + 1, per)
    assert saved_per_thousand(tokens, per).tolist() == [
        sum(closed[step - per : step]) for step in ends
    ]
