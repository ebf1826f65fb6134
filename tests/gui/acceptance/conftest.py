"""Acceptance tests: what a person does, on the whole window, held to an independent recount.

`see_why` travels through a run and asks why; `compare_teach_take` compares sizes and runs, follows lessons and takes
results away. The hand (`tests/gui/hand.py`) does what a mouse and a keyboard can do; what the window then shows is
compared with plain Python that shares no code with the program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.slow(buys="each builds a whole window and learns a text as a person does"))
