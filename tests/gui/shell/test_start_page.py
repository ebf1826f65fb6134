"""What is seen while nothing is open."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea

from bpe_studio.gui.shell.start_page import StartPage


def test_all_of_it_is_seen_in_a_window_of_1280_by_720_pixels(qtbot):
    page = StartPage()
    qtbot.addWidget(page)
    page.resize(1280, 529)
    page.show()
    area = page.findChild(QScrollArea, "start.area")
    assert area.verticalScrollBar().maximum() == 0
