"""What holds a label that changes often: it asks for other room only when it needs it."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.gui.widgets.containers import StableSize

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


class Column(QWidget):
    """A label over a widget that takes the rest; counts how often it is asked to lay them out."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.n_requests = 0
        self.steady, self.rest = StableSize(content), QWidget()
        column = QVBoxLayout(self)
        column.addWidget(self.steady)
        column.addWidget(self.rest, 1)

    def event(self, event: QEvent) -> bool:
        self.n_requests += event.type() == QEvent.Type.LayoutRequest
        return super().event(event)


@pytest.fixture
def label():
    label = QLabel("1 token")
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label


@pytest.fixture
def column(qtbot, label):
    column = Column(label)
    qtbot.addWidget(column)
    column.resize(200, 300)
    column.show()
    # The first text's heights are not known to it before.
    label.setText("2 tokens")
    for _ in range(3):
        QCoreApplication.processEvents()
    column.n_requests = 0
    return column


def test_a_text_that_takes_as_many_lines_lays_nothing_out(column, label):
    for number in range(5):
        label.setText(f"{number} tokens")
        QCoreApplication.processEvents()
    assert column.n_requests == 0
    assert label.size() == column.steady.size()


def test_a_text_that_takes_more_lines_gets_them(qtbot, column, label):
    before = label.height()
    label.setText("many tokens " * 20)
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()) > before)
    assert column.n_requests > 0
    label.setText("2 tokens")
    qtbot.waitUntil(lambda: label.height() == before)
