"""Walking the controls in Tab's order leaves all that stands as it was, also when one of
them goes.
"""

from __future__ import annotations

import gc

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from bpe_studio.gui.shell.keyboard_focus import focus_next


@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize("place", range(4))
def test_a_control_that_goes_takes_no_other_with_it(qtbot, forwards, place):
    window = QMainWindow()
    middle = QWidget()
    qtbot.addWidget(window)
    window.setCentralWidget(middle)
    editors = [QPlainTextEdit() for _ in range(3)]
    documents = [editor.document() for editor in editors]
    passing = QPushButton("passing")
    controls = [*editors[:place], passing, *editors[place:]]
    column = QVBoxLayout(middle)
    for control in controls:
        column.addWidget(control)
    window.show()
    qtbot.waitExposed(window)
    for _ in range(2 * len(controls)):
        assert focus_next(window, forwards)
    # Also all round, where nothing takes the keyboard.
    for control in controls:
        control.setEnabled(False)
    assert not focus_next(window, forwards)
    with qtbot.waitSignal(passing.destroyed):
        passing.deleteLater()
    del controls, control, passing
    gc.collect()
    assert all(shiboken6.isValid(document) for document in documents)
    assert window.isVisible() and all(editor.isVisible() for editor in editors)
