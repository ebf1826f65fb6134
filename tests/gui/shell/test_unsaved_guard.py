"""The mark in the title, unsaved work that is kept and offered, and the question where it cannot be
kept.
"""

from __future__ import annotations

import errno
import os

import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.saving.dialog import SaveTokenizerDialog
from bpe_studio.gui.shell.banner import OFFER
from bpe_studio.workspace.marks import Breakpoint, Question
from bpe_studio.workspace.opening.changes import Source
from bpe_studio.workspace.state import State
from tests.files.third_party.made import sentencepiece_model

whole_window = pytest.mark.slow(
    buys="other ways to lose or keep work; one that is asked, saved or restored is in each run"
)

TEXT = "the cat sat on the mat and the rat sat on the cat " * 4
PATIENCE_MS = 20_000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "bpe-studio" / "sessions"


@pytest.fixture
def make(qtbot, folder):
    """Makes windows that ask and keep, as the program does."""
    made = []

    def begin():
        window = MainWindow()
        made.append(window)
        window.begin_keeping()
        window.guard.asks = True  # as on a platform with a screen
        window.show()
        return window

    yield begin
    for window in made:
        window.guard.asks = False
        window.close()
        window.deleteLater()


@pytest.fixture
def own_window(make):
    """A window that no other test has: for what happens as it opens or closes."""
    return make()


def reach(qtbot, window, state):
    qtbot.waitUntil(lambda: window.workspace.state is state, timeout=PATIENCE_MS)


def opened(qtbot, window, text=TEXT, name="story.txt"):
    window.workspace.opener.open_text(text, name)
    reach(qtbot, window, State.ready)
    window.workspace.transport.run_training()
    reach(qtbot, window, State.done)


def branch_off(qtbot, workspace):
    merge = workspace.run.merges[3]
    workspace.runs.branch_off(Override(3, OverrideKind.forbid, merge.left, merge.right))
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)


def branched(qtbot, window):
    """A window with a branch, which is unsaved."""
    opened(qtbot, window)
    branch_off(qtbot, window.workspace)
    qtbot.waitUntil(window.isWindowModified)
    return window


def test_the_title_has_a_mark_while_there_is_unsaved_work(qtbot, own_window, tmp_path):
    window = own_window
    assert not window.isWindowModified() and window.windowTitle() == "BPE Studio[*]"
    opened(qtbot, window)
    assert window.windowTitle() == "story.txt[*] – BPE Studio" and not window.isWindowModified()
    window.text_panel.editor.setFocus()
    qtbot.keyClicks(window.text_panel.editor, "hug")
    qtbot.waitUntil(window.isWindowModified)
    window.workspace.saver.save_document(tmp_path / "a.bpestudio")
    qtbot.waitUntil(lambda: not window.isWindowModified())
    window.workspace.marks.set_breakpoints([Breakpoint(Question.tie)])
    qtbot.waitUntil(window.isWindowModified)
    window.actions_by_id["edit.undo"].trigger()
    qtbot.waitUntil(lambda: not window.isWindowModified())


def test_a_run_that_nobody_touched_is_closed_without_a_question(qtbot, own_window, folder):
    opened(qtbot, own_window)
    assert own_window.close() and own_window.guard.dialog is None
    assert not folder.exists()


def offer_of(qtbot, window):
    qtbot.waitUntil(lambda: window.banner.kind == OFFER, timeout=PATIENCE_MS)
    return window.banner


def press(qtbot, window, text):
    button = next(each for each in window.banner.actions_row if each.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_closed_without_a_question_the_next_window_offers_the_work_and_restores_it(qtbot, make):
    first = branched(qtbot, make())
    first.workspace.set_typed_text("mine")
    first.show_view("compare")
    merges = [merge.to_log() for merge in first.workspace.run.merges]
    assert first.close() and first.guard.dialog is None
    second = make()
    said = offer_of(qtbot, second).message.text()
    assert "story.txt" in said and "1 branch and the typed text" in said
    press(qtbot, second, "Restore")
    reach(qtbot, second, State.done)
    workspace = second.workspace
    assert [merge.to_log() for merge in workspace.run.merges] == merges
    assert (workspace.runs.shown.number, workspace.typed_text, second.views.current) == (
        1,
        "mine",
        "compare",
    )
    qtbot.waitUntil(second.isWindowModified)


def test_another_text_is_opened_without_a_question_and_the_work_stays_kept(qtbot, make, folder):
    first = branched(qtbot, make())
    first.drops.text_dropped.emit("other words")
    qtbot.waitUntil(lambda: first.workspace.corpus.name == "Dropped text", timeout=PATIENCE_MS)
    assert first.close() and len(os.listdir(folder)) == 1
    second = make()
    assert "story.txt" in offer_of(qtbot, second).message.text()
    press(qtbot, second, "Discard")
    assert second.banner.kind == "" and os.listdir(folder) == []


@whole_window
def test_several_are_offered_one_after_the_other(qtbot, make, folder):
    for _ in range(2):
        window = make()
        offer_before = window.workspace.keeping.sessions
        assert branched(qtbot, window).close(), offer_before
    third = make()
    assert "1 more session" in offer_of(qtbot, third).message.text()
    press(qtbot, third, "Discard")
    assert third.banner.kind == OFFER and "more session" not in third.banner.message.text()
    assert len(os.listdir(folder)) == 1


def question_of(qtbot, window):
    assert not window.close() and window.guard.dialog is not None
    return window.guard.dialog


def test_where_the_work_cannot_be_kept_it_asks_and_names_it(qtbot, own_window, monkeypatch):
    window = branched(qtbot, own_window)

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    dialog = question_of(qtbot, window)
    assert "story.txt" in dialog.findChild(object, "unsaved.question").text()
    lost = dialog.findChild(object, "unsaved.lost").text()
    assert "1 branch" in lost and "disk is full" in lost
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert window.guard.dialog is None and window.isVisible()
    question_of(qtbot, window).buttons["discard"].click()
    assert not window.isVisible()


@whole_window
def test_a_changed_tokenizer_is_saved_before_it_is_lost(qtbot, own_window, sound_files, tmp_path):
    (tmp_path / "a.model").write_bytes(sentencepiece_model("llama"))
    window = own_window
    workspace = own_window.workspace
    opened(qtbot, window)
    ready = workspace.changes.prepare(Source("mine", path=tmp_path / "a.model"))
    workspace.changes.extend(ready, workspace.changes.open_place(), ready.vocab_size + 3)
    qtbot.waitUntil(lambda: workspace.corpus.name == "mine, extended" and window.isWindowModified())
    dialog = question_of(qtbot, window)
    assert "the changed tokenizer" in dialog.findChild(object, "unsaved.lost").text()
    dialog.buttons["save"].click()
    choice = next(each for each in window.findChildren(SaveTokenizerDialog) if each.isVisible())
    qtbot.waitUntil(lambda: choice.formats.is_known)
    assert choice.formats.form == "sentencepiece"
    choice.path.setText(str(tmp_path / "large.model"))
    choice.save.click()
    qtbot.waitUntil(lambda: not window.isWindowModified())
    assert window.close() and window.guard.dialog is None
