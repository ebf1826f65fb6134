"""A whole window in front of a person who compares, follows lessons and takes results away."""

from __future__ import annotations

import pytest

from tests.gui.acceptance.compare_teach_take.comparer import Comparer


@pytest.fixture
def window(lasting_window, qtbot):
    """The window of all these tests, in which all is as at the beginning, until the test opens a text."""
    lasting_window.put_back(qtbot)
    return lasting_window.window


@pytest.fixture
def own_window(make_window):
    """A window that no other test has."""
    return make_window(1720, 1040)


@pytest.fixture
def comparer(window, lasting_window, qtbot):
    """A person in front of the window."""
    return Comparer(window, qtbot, lasting_window)


@pytest.fixture
def newcomer(own_window, qtbot):
    """A person in front of a window of their own."""
    return Comparer(own_window, qtbot)
