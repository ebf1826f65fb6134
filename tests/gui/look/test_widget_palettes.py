"""What the style draws in our palettes: edges that are seen, and the accent nowhere but on the current step."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QProgressBar,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.widget_palettes import class_palettes
from tests.gui.look.test_theme import contrast


@pytest.fixture(params=["light", "dark"])
def mode(request, qapp):
    theme.apply(qapp, "light" if request.param == "dark" else "dark")
    theme.apply(qapp, request.param)
    yield request.param
    theme.apply(qapp, "light")


def colours(image: QImage) -> list[QColor]:
    return [image.pixelColor(x, y) for y in range(image.height()) for x in range(image.width())]


def is_like_the_accent(colour: QColor) -> bool:
    """Blue, strongly."""
    return colour.hsvSaturationF() > 0.4 and 190 <= colour.hue() <= 240


def shown(qtbot, widget: QWidget) -> QWidget:
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.addWidget(widget)
    page.setAutoFillBackground(True)
    page.show()
    return page


@pytest.mark.parametrize("make", [QCheckBox, QLineEdit, QSpinBox, QComboBox])
def test_what_is_seen_by_its_edge_has_an_edge_that_is_seen(qtbot, qapp, mode, make):
    widget = make()
    page = shown(qtbot, widget)
    image = page.grab().toImage()
    y = widget.geometry().center().y()
    # Along a line through the middle the first pixels that differ from the window are the edge.
    window = qapp.palette().window().color()
    line = [image.pixelColor(x, y) for x in range(image.width())]
    edge = next(k for k, colour in enumerate(line) if colour != window)
    assert max(contrast(colour, window) for colour in line[edge : edge + 2]) >= 3


@pytest.mark.parametrize("make", [QSlider, QProgressBar, QLineEdit, QMenu])
def test_no_control_is_drawn_in_the_colour_of_the_step(qtbot, mode, make):
    if make is QMenu:
        widget = QMenu()
        qtbot.addWidget(widget)
        widget.setActiveAction(widget.addAction("An action"))
        image = widget.grab().toImage()
    else:
        widget = make()
        page = shown(qtbot, widget)
        if make is QSlider:
            widget.setOrientation(Qt.Orientation.Horizontal)
        if make is QLineEdit:
            page.activateWindow()
            widget.setText("chosen")
            widget.setFocus()
            widget.selectAll()
        else:
            widget.setMaximum(100)
            widget.setValue(60)
        image = page.grab().toImage()
    assert len({colour.rgb() for colour in colours(image)}) > 2
    assert not [colour.name() for colour in colours(image) if is_like_the_accent(colour)]


def test_no_widget_has_two_palettes(qapp):
    classes = [getattr(QtWidgets, name) for name in class_palettes(theme.light_palette(), is_on_dark=False)]
    assert not [(a, b) for a, b in combinations(classes, 2) if issubclass(a, b) or issubclass(b, a)]


def test_chosen_rows_are_legible(qapp, mode):
    palette = qapp.palette()
    for name, its_palette in class_palettes(palette, is_on_dark=mode == "dark").items():
        assert contrast(its_palette.highlightedText().color(), its_palette.highlight().color()) >= 4.5, name
