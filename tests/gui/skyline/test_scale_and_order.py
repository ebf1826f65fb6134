"""The geometry of the skyline: trees from gap ranks, the scale, the order of words in a line."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.gui.skyline.rank_scale import Scale
from bpe_studio.gui.skyline.visual_order import visual_order


@pytest.mark.parametrize("top", [1, 2, 7, 300, 32_768])
def test_the_line_stands_between_the_merges_before_and_after_it(top):
    scale = Scale(top, 120.0)
    heights = scale.heights(np.arange(top))
    assert heights[-1] <= 120.0 + 1e-9
    for step in {0, 1, top // 2, top - 1, top}:
        if step:
            assert scale.line(step) > heights[step - 1] - 1e-9
        if step < top:
            assert scale.line(step) < heights[step]
    assert scale.line(0) > 0


def test_the_line_goes_where_it_is_dragged():
    scale = Scale(300, 2000.0)
    for step in (0, 1, 2, 10, 57, 299, 300):
        assert scale.step_at(scale.line(step), 300) == step
    assert scale.step_at(-50, 300) == 0
    assert scale.step_at(1e6, 300) == 300
    assert scale.step_at(1e6, 120) == 120, "not beyond what is learned"


@pytest.mark.parametrize(
    ("directions", "is_rtl", "order"),
    [
        ([1, 1, 1], False, [0, 1, 2]),
        ([-1, -1, -1], True, [2, 1, 0]),
        ([1, -1, -1, 1], False, [0, 2, 1, 3]),
        ([-1, 1, 0, 1, -1], True, [4, 1, 2, 3, 0]),
        ([-1, 2, -1], False, [2, 1, 0]),
        ([1, -1, 0], False, [0, 1, 2]),
        ([0], False, [0]),
        ([], True, []),
    ],
)
def test_words_stand_in_the_order_of_the_bidirectional_algorithm(directions, is_rtl, order):
    assert visual_order(directions, is_rtl=is_rtl) == order
