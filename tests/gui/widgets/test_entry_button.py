"""Entries of a list: a title and a phrase that are too long are wrapped and not elided."""

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
    assert 1.5 * line < short.height() < 3 * line
    assert long.height() == short.height() + line
    page.resize(800, 400)
    qtbot.waitUntil(lambda: long.height() == short.height())


def test_a_long_phrase_is_shown_whole(qtbot):
    page = QWidget()
    short = EntryButton("Title", "About", "short", "Take it")
    long = EntryButton(
        "Title", "Three pairs are equally frequent, and the tie rule changes the rest", "long", "Take it"
    )
    column(short, long, STRETCH, parent=page)
    qtbot.addWidget(page)
    page.resize(230, 400)
    page.show()
    assert long.height() > short.height() + long.fontMetrics().lineSpacing() // 2
    page.resize(900, 400)
    qtbot.waitUntil(lambda: long.height() == short.height())
