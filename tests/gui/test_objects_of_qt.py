"""Nothing keeps an object for what Qt made, such as a tab bar or a document: it is asked for when
it is needed.

shiboken gives such objects up together with that of a widget above them, although Qt deletes
nothing."""

from __future__ import annotations

import gc

import pytest
import shiboken6
from PySide6.QtCore import QObject

from bpe_studio.gui.main_window import MainWindow


def _kept(owner: object) -> list[str]:
    """The attributes of an object that hold what Qt made, alone or in a container."""
    found = []
    for name, value in vars(owner).items():
        values = [*value, *value.values()] if isinstance(value, dict) else value
        inner = list(values) if isinstance(values, (list, tuple, set)) else [values]
        if any(isinstance(each, QObject) and not shiboken6.createdByPython(each) for each in inner):
            found.append(f"{type(owner).__module__}.{type(owner).__qualname__}.{name}")
    return found


@pytest.mark.slow(buys="every panel of the window, made")
def test_no_attribute_holds_what_qt_made(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.make_panels()
    found = [
        kept
        for owner in gc.get_objects()
        if str(getattr(type(owner), "__module__", "")).startswith("bpe_studio.gui")
        and hasattr(owner, "__dict__")
        for kept in _kept(owner)
    ]
    assert found == [], "\n".join(found)
    window.workspace.shutdown()
