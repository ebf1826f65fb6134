"""Rows in the order of whole numbers, a piece at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.gui.tables.sorted_model import ordered


def run(steps: Any) -> tuple[Any, int]:
    n = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, n
        n += 1


@given(st.lists(st.integers(-(2**40), 2**40) | st.integers(-3, 3), min_size=1, max_size=60))
def test_numbers_of_any_size_are_in_order_and_equal_ones_stay_as_they_are(numbers):
    rows, _ = run(ordered(np.array(numbers, np.int64)))
    assert rows.tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)
    assert rows.dtype == np.int32


@pytest.mark.parametrize(("highest", "n_pieces"), [(65_535, 2), (65_536, 4), (2**40, 6)])
def test_each_16_bits_are_a_piece(highest, n_pieces):
    assert run(ordered(np.array([0, highest, 5]))) == (pytest.approx(np.array([0, 2, 1])), n_pieces)
