"""A line that counts something leads to it, by the mouse and by keys; behind its end it is no link."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from bpe_studio.gui.widgets.labels import LinkLabel


@pytest.fixture
def label(qtbot):
    label = LinkLabel()
    label.setText("vocabulary 785")
    qtbot.addWidget(label)
    label.resize(400, 20)
    label.show()
    return label


def test_it_is_a_link_while_it_counts_something(qtbot, label):
    clicks = []
    label.clicked.connect(lambda: clicks.append(1))
    left, middle, behind = Qt.MouseButton.LeftButton, QPoint(10, 10), QPoint(390, 10)
    qtbot.mouseClick(label, left, pos=middle)
    qtbot.keyClick(label, Qt.Key.Key_Return)
    assert not clicks and label.focusPolicy() is Qt.FocusPolicy.NoFocus
    label.set_link(True)
    qtbot.mouseClick(label, left, pos=behind)
    assert not clicks
    qtbot.mouseClick(label, left, pos=middle)
    qtbot.keyClick(label, Qt.Key.Key_Return)
    assert len(clicks) == 2 and label.focusPolicy() is Qt.FocusPolicy.TabFocus
