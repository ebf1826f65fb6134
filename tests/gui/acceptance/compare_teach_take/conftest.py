"""A whole window in front of a person who compares, follows lessons and takes results away."""

from __future__ import annotations

import pytest


@pytest.fixture
def window(make_window):
    return make_window(1720, 1040)
