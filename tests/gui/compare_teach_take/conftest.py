"""A whole window in front of a person who compares, follows lessons and takes results away."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QCursor

from bpe_studio.gui.main_window import MainWindow


@pytest.fixture
def window(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1720, 1040)
    window.show()
    QCursor.setPos(0, 0)
    yield window
    window.close()
    window.workspace.shutdown()
