"""Where vocabulary sizes and values are on the scales of a curve."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.gui.plots.size_scale import SizeScale, round_ticks, rows_for


@given(st.integers(1, 70_000), st.integers(1, 250_000), st.booleans())
def test_a_place_gives_back_its_step(base, n_merges, is_log):
    scale = SizeScale(base, n_merges, 50, 850, is_log)
    steps = scale.steps()
    assert len(steps) <= 802
    assert steps[0] == 0 and steps[-1] == n_merges
    for step in steps[:: max(1, len(steps) // 20)].tolist():
        # What stands within a pixel may be another step, and stands at the same pixel.
        assert abs(scale.x(scale.step(scale.x(step))) - scale.x(step)) < 1
    np.testing.assert_allclose(scale.places(steps), [scale.x(step) for step in steps.tolist()])


@given(st.integers(1, 70_000), st.integers(1, 250_000), st.booleans(), st.integers(2, 12))
def test_round_sizes_lie_on_the_scale(base, n_merges, is_log, n):
    assert all(base <= tick <= base + n_merges for tick in SizeScale(base, n_merges, 0, 500, is_log).ticks(n))


def test_numbers_at_the_side_are_round():
    assert round_ticks(0, 1_234_567, 5) == [0, 500_000, 1_000_000]
    assert round_ticks(5, 5, 4) == [5]


def test_labels_that_would_touch_stand_in_other_rows():
    assert rows_for([(0, 10), (5, 15), (6, 16), (7, 17)], 3, 2) == [0, 1, 2, -1]
