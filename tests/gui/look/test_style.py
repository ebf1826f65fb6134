"""Scroll bars are all handle, and a widget that is open follows the theme."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QPushButton, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.containers import column


@pytest.fixture
def page(qtbot, qapp):
    theme.apply(qapp, "light")
    page = QWidget()
    page.text = QPlainTextEdit("line\n" * 200)
    page.button = QPushButton("Train")
    column(page.text, page.button, parent=page)
    qtbot.addWidget(page)
    page.resize(300, 300)
    page.show()
    yield page
    theme.apply(qapp, "light")


def test_controls_follow_the_theme(page, qapp, qtbot):
    before = page.button.grab().toImage()
    theme.apply(qapp, "dark")
    dark = theme.dark_palette().color(QPalette.ColorRole.ButtonText)
    qtbot.waitUntil(lambda: page.button.palette().color(QPalette.ColorRole.ButtonText) == dark)
    assert page.button.grab().toImage() != before


def test_the_list_of_a_narrow_combo_box_is_as_wide_as_its_entries(qtbot):
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["short", "an entry that is much wider than the box"])
    box.setFixedWidth(60)
    box.show()
    box.showPopup()
    qtbot.waitUntil(box.view().isVisible)
    assert box.view().viewport().width() >= box.view().sizeHintForColumn(0)
    box.hidePopup()
