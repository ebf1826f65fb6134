"""The geometry of the skyline: trees from gap ranks, the scale, the order of words in a line."""

from __future__ import annotations

import pytest

from bpe_studio.gui.skyline.visual_order import visual_order


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
