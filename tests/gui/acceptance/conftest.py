"""Acceptance tests: what a person does, on the whole window, held to an independent recount.

`see_why` travels through a run and asks why; `compare_teach_take` compares sizes and runs, follows lessons and takes
results away. The hand (`tests/gui/hand.py`) does what a mouse and a keyboard can do; what the window then shows is
compared with plain Python that shares no code with the program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.acceptance.lasting_window import lasting_windows

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.slow(buys="each builds a whole window and learns a text as a person does"))


@pytest.fixture(scope="package")
def lasting_window(qapp, request, tmp_path_factory):
    """A whole window for all tests of this folder, which puts it back before each."""
    yield from lasting_windows(request, tmp_path_factory)
