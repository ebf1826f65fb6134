"""Rows of controls wrap where they have no room, and no panel is wider than its place, in large text too."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow


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
