"""Undo and redo as actions that say what they would undo."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell import undo as undo_module
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


def test_going_back_to_a_document_leaves_the_panels_where_they_are(window, qtbot, tmp_path, monkeypatch):
    workspace, brought = window.workspace, []
    monkeypatch.setattr(window.views, "show_panel", brought.append)
    workspace.saver.save_document(tmp_path / "kept.bpestudio", {"front": ["marks", "growth"]})
    qtbot.waitUntil((tmp_path / "kept.bpestudio").exists, timeout=20_000)
    workspace.opener.open_text("low lower lowest", "Others")
    qtbot.waitUntil(lambda: workspace.corpus.name == "Others", timeout=20_000)
    brought.clear()
    window.open_files([tmp_path / "kept.bpestudio"])
    qtbot.waitUntil(lambda: workspace.document is not None and workspace.corpus.name == "Words", timeout=20_000)
    assert brought == ["marks", "growth"], "opened, it looks as it was saved"
    window.findChild(QAction, "edit.undo").trigger()
    assert workspace.document is None and workspace.corpus.name == "Others"
    window.findChild(QAction, "edit.redo").trigger()
    assert workspace.document is not None and brought == ["marks", "growth"]


def open_one_more(window, qtbot, name):
    window.workspace.opener.open_text(f"hug pug pun bun {name} " * 10, name)
    qtbot.waitUntil(lambda: window.workspace.corpus.name == name, timeout=20_000)
    return weakref.ref(window.workspace.run)


def test_texts_that_are_too_large_together_are_let_go_of_but_the_newest(window, qtbot, monkeypatch):
    undo, redo = (window.findChild(QAction, name) for name in ("edit.undo", "edit.redo"))
    runs = [open_one_more(window, qtbot, name) for name in ("One", "Two", "Three")]
    assert window.undo.stack.count() == 3, "all of it is little"
    monkeypatch.setattr(undo_module, "MOST_BYTES", 0)
    open_one_more(window, qtbot, "Four")
    assert window.undo.stack.count() == 1

    def are_gone():
        # Panels may be looking at a run for a moment yet.
        gc.collect()
        return [run() is None for run in runs] == [True, True, False]

    qtbot.waitUntil(are_gone, timeout=20_000)
    undo.trigger()
    assert window.workspace.corpus.name == "Three" and not undo.isEnabled() and "Not now" in undo.toolTip()
    redo.trigger()
    assert window.workspace.corpus.name == "Four" and undo.text() == "&Undo: open Four" and not redo.isEnabled()


def test_what_is_kept_in_little_memory_is_not_let_go_of(window, qtbot, monkeypatch):
    monkeypatch.setattr(undo_module, "MOST_BYTES", 0)
    before = window.workspace.config
    open_one_more(window, qtbot, "One")
    window.workspace.marks.set_bookmarks([Bookmark(0, "the start")])
    window.workspace.marks.set_bookmarks([Bookmark(0, "the very start")])
    assert window.undo.stack.count() == 2, "they keep no text; the one before them kept one"
    for _ in range(3):
        window.findChild(QAction, "edit.undo").trigger()
    assert window.workspace.marks.bookmarks == () and window.workspace.corpus.name == "One"
    window.workspace.settings.apply(before.replace(merges=3, vocab_size=None))
    window.workspace.settings.apply(before.replace(merges=4, vocab_size=None))
    assert window.undo.stack.count() == 2, "both keep the run that is open"
