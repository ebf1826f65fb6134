"""Undo and redo as actions that say what they would undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.marks import Bookmark
from bpe_studio.workspace.state import State


@pytest.fixture
def window(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.workspace.opener.open_text("hug pug pun bun hugs hug hug pun " * 10, "Words")
    qtbot.waitUntil(lambda: window.workspace.state is State.ready, timeout=20_000)
    yield window
    window.workspace.shutdown()


def test_nothing_to_undo_at_first(window):
    undo, redo = (window.findChild(QAction, name) for name in ("edit.undo", "edit.redo"))
    assert not undo.isEnabled() and not redo.isEnabled()
    assert "Not now" in undo.toolTip()


def test_settings_are_undone_and_redone_by_keys(window, qtbot):
    window.show()
    qtbot.waitExposed(window)
    undo, redo = (window.findChild(QAction, name) for name in ("edit.undo", "edit.redo"))
    before = window.workspace.config
    window.workspace.settings.apply(before.replace(ties="raw-ids"))
    qtbot.waitUntil(lambda: window.workspace.config.ties == "raw-ids", timeout=20_000)
    assert undo.isEnabled() and "settings" in undo.text() and "settings" in undo.toolTip()
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.workspace.config.ties == before.ties and redo.isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert window.workspace.config.ties == "raw-ids" and not redo.isEnabled()


def test_a_bookmark_is_undone_before_what_was_done_before_it(window, qtbot):
    before = window.workspace.config
    window.workspace.settings.apply(before.replace(ties="raw-ids"))
    qtbot.waitUntil(lambda: window.workspace.config.ties == "raw-ids", timeout=20_000)
    window.workspace.marks.set_bookmarks([Bookmark(0, "the start")])
    window.findChild(QAction, "edit.undo").trigger()
    assert window.workspace.marks.bookmarks == () and window.workspace.config.ties == "raw-ids"
    window.findChild(QAction, "edit.undo").trigger()
    assert window.workspace.config == before
    window.findChild(QAction, "edit.redo").trigger()
    window.findChild(QAction, "edit.redo").trigger()
    assert window.workspace.marks.bookmarks == (Bookmark(0, "the start"),)


def test_only_the_last_texts_are_kept(window, qtbot):
    for name in "ABCDE":
        window.workspace.opener.open_text("hug pug", name)
        qtbot.waitUntil(lambda name=name: window.workspace.corpus.name == name, timeout=20_000)
    undo = window.findChild(QAction, "edit.undo")
    while undo.isEnabled():
        undo.trigger()
    assert window.workspace.corpus.name == "A", "the one before it is not kept"
