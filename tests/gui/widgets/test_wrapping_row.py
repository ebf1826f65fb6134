"""Rows of controls wrap where they have no room, and no panel is wider than its place, in large text too."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets.containers import is_in_sight
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

WAIT_MS = 20_000
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def row(qtbot):
    """A label with its field, two buttons, and a note that takes what is left, above something else."""
    whole = QWidget()
    qtbot.addWidget(whole)
    row = WrappingRow(whole)
    row.add(QLabel("Rare below"), QSpinBox())
    row.add(QPushButton("Hold out"))
    row.add_spring()
    row.add(QPushButton("Cancel"))
    row.add(Note("Drag a mark, or take it with Tab and the arrow keys"), grows=0, least_px=120)
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(row)
    column.addStretch(1)
    whole.resize(800, 300)
    whole.show()
    yield row


def controls(row):
    return [child for child in row.children() if isinstance(child, QWidget) and child.isVisible()]


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
@pytest.mark.parametrize("width", [800, 520, 400, 300, 240, 180])
def test_controls_stand_inside_the_row_and_apart_at_any_width(qtbot, row, width, direction):
    row.window().setLayoutDirection(direction)
    row.window().resize(width, 300)
    qtbot.waitUntil(lambda: row.width() == width and row.height() == row.heightForWidth(width))
    for widget in controls(row):
        assert row.rect().contains(widget.geometry()), f"{widget} at {width}"
        assert widget.width() >= widget.minimumSizeHint().width() or isinstance(widget, Note)
    for one, other in combinations(controls(row), 2):
        assert not one.geometry().intersects(other.geometry())
    label, field, *_ = controls(row)
    assert abs(label.geometry().center().y() - field.geometry().center().y()) <= 1
    is_before = label.x() < field.x()
    assert is_before == (direction is Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def large_text(qapp):
    before = QFont(qapp.font())
    font = QFont(before)
    font.setPointSizeF(1.7 * before.pointSizeF())
    QApplication.setFont(font)
    yield
    QApplication.setFont(before)


def test_in_large_text_no_panel_reaches_over_its_neighbour(qtbot, large_text):
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    workspace = window.workspace
    workspace.settings.apply(TrainingConfig.preset("gpt2", merges=20))
    workspace.opener.open_text("hug pug pun bun hugs " * 20, "a text")
    qtbot.waitUntil(lambda: workspace.run is not None, timeout=WAIT_MS)
    views = window.views

    def is_in_its_place(key):
        panel, place = window.panels[key], views.place_of(key)
        rect = QRect(panel.mapTo(place, QPoint(0, 0)), panel.size())
        at = QRect(place.mapTo(window, QPoint(0, 0)), place.size())
        return place.rect().contains(rect) and window.rect().contains(at)

    for key in PANELS:
        views.show_panel(key)
        qtbot.waitUntil(lambda key=key: is_in_sight(window.panels[key]), timeout=WAIT_MS)
        # A panel may leave a line out once it knows how low it is, and its neighbour find its place a turn later.
        qtbot.waitUntil(lambda key=key: is_in_its_place(key), timeout=WAIT_MS)
