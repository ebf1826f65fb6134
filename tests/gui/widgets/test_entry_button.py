"""Entries of a list: a title that is too long is wrapped and not elided."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from bpe_studio.gui.widgets.containers import STRETCH, column
from bpe_studio.gui.widgets.entry_button import EntryButton


def test_a_long_title_takes_two_lines(qtbot):
    page = QWidget()
    short = EntryButton("Numbers", "About", "short", "Take it")
    long = EntryButton("Low, lower, newest, widest: endings become tokens", "About", "long", "Take it")
    column(short, long, STRETCH, parent=page)
    qtbot.addWidget(page)
    page.resize(260, 400)
    page.show()
    line = short.fontMetrics().lineSpacing()
    assert short.height() == 2 * line + 10
    assert long.height() >= 3 * line + 10
    page.resize(800, 400)
    qtbot.waitUntil(lambda: long.height() == short.height())
