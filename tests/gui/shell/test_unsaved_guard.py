"""The mark in the title, the question before unsaved work is lost, and the offer of what was kept."""

from __future__ import annotations

import errno
import os

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.saving.dialog import SaveTokenizerDialog
from bpe_studio.gui.shell import commands
from bpe_studio.gui.shell.start_page import samples
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
        window.guard.begin()  # as on a platform with a screen
        window.show()
        return window

    yield begin
    for window in made:
        window.guard.leave_unsaved()
        window.close()
        window.deleteLater()


@pytest.fixture
def own_window(make):
    """A window that no other test has: for what happens as it opens or closes."""
    return make()


@pytest.fixture
def window(lasting_window, qtbot):
    """A window that asks, with nothing to lose; it is never closed."""
    lasting_window.put_back(qtbot)
    window = lasting_window.window
    window.guard._is_asking = False
    lasting_window.open_another(qtbot)
    window.guard.begin()
    qtbot.waitUntil(lambda: not window.isWindowModified())
    return window


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


def dialog_of(qtbot, window):
    qtbot.waitUntil(lambda: window.guard.dialog is not None)
    return window.guard.dialog


def test_the_title_has_a_mark_while_there_is_unsaved_work(qtbot, own_window, tmp_path):
    window = own_window
    assert not window.isWindowModified() and window.windowTitle() == "BPE Studio[*]"
    opened(qtbot, window)
    window.workspace.keeping.look()
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


def test_it_asks_once_and_cancel_changes_nothing(qtbot, own_window):
    window = branched(qtbot, own_window)
    run = window.workspace.run
    assert not window.close()
    dialog = dialog_of(qtbot, window)
    assert "story.txt" in dialog.findChild(object, "unsaved.question").text()
    assert "1 branch" in dialog.findChild(object, "unsaved.lost").text()
    assert dialog.save.hasFocus() or dialog.focusWidget() is dialog.save
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert window.guard.dialog is None and window.isVisible() and window.workspace.run is run
    assert not window.close(), "it asks again the next time"
    dialog_of(qtbot, window).discard.click()
    assert not window.isVisible() and window.guard.dialog is None


@whole_window
def test_every_way_to_open_something_else_asks(qtbot, window, tmp_path):
    branched(qtbot, window)
    workspace, run = window.workspace, window.workspace.run
    path = tmp_path / "other.txt"
    path.write_text("other words")
    ways = {
        "files": lambda: window.open_files([path]),
        "text": lambda: window._on_text_dropped("other words"),
        "sample": lambda: window.start_page.sample_chosen.emit(samples()[0].id),
        "document": lambda: window.open_files([tmp_path / "a.bpestudio"]),
        "encoding": lambda: workspace.opener.open_files([path], "latin-1"),
        "lesson": lambda: window.lessons.start_file(window.lessons.entries[0].path),
    }
    for way, open_other in ways.items():
        open_other()
        dialog = dialog_of(qtbot, window)
        assert workspace.run is run and workspace.state is State.done, way
        dialog.cancel.click()
        assert window.guard.dialog is None, way
        assert workspace.run is run and workspace.state is State.done and workspace.lesson.lesson is None, way


def test_discard_opens_the_other_text(qtbot, window):
    branched(qtbot, window)
    window._on_text_dropped("other words")
    dialog_of(qtbot, window).discard.click()
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")


@whole_window
def test_typed_text_stays_when_another_text_is_opened_so_nothing_is_asked(qtbot, window, tmp_path):
    opened(qtbot, window)
    window.workspace.set_typed_text("mine")
    qtbot.waitUntil(window.isWindowModified)
    window._on_text_dropped("other words")
    assert window.guard.dialog is None
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")
    assert window.workspace.typed_text == "mine"
    window.open_files([tmp_path / "a.bpestudio"])
    assert "the typed text" in dialog_of(qtbot, window).findChild(object, "unsaved.lost").text()
    window.guard.dialog.cancel.click()


def chosen(monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (path, ""))


def test_save_asks_for_a_place_saves_and_closes(qtbot, own_window, tmp_path, monkeypatch):
    path = tmp_path / "mine.bpestudio"
    chosen(monkeypatch, str(path))
    window = branched(qtbot, own_window)
    window.close()
    dialog_of(qtbot, window).save.click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=PATIENCE_MS)
    assert path.stat().st_size > 0


def test_where_no_place_is_chosen_the_window_stays(qtbot, window, tmp_path, monkeypatch):
    chosen(monkeypatch, "")
    branched(qtbot, window)
    window.close()
    dialog_of(qtbot, window).save.click()
    assert window.isVisible() and window.guard.dialog is None and not list(tmp_path.glob("*.bpestudio"))


def test_save_goes_into_the_document_that_is_open(qtbot, window, tmp_path, monkeypatch):
    branched(qtbot, window)
    path = tmp_path / "mine.bpestudio"
    window.workspace.saver.save_document(path)
    qtbot.waitUntil(lambda: not window.isWindowModified())
    before = path.read_bytes()
    window.workspace.marks.add_bookmark(2, "two")
    monkeypatch.setattr(commands, "ask_for_document", None)
    window._on_text_dropped("other words")
    dialog = dialog_of(qtbot, window)
    assert "1 mark" in dialog.findChild(object, "unsaved.lost").text() and dialog.save.text() == "&Save"
    dialog.save.click()
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")
    assert path.read_bytes() != before


@pytest.fixture
def changed(qtbot, window, sound_files, tmp_path):
    """A third-party tokenizer that was extended in its own file, and is open in place of a text."""
    (tmp_path / "a.model").write_bytes(sentencepiece_model("llama"))
    workspace = window.workspace
    opened(qtbot, window)
    ready = workspace.changes.prepare(Source("mine", path=tmp_path / "a.model"))
    workspace.changes.extend(ready, workspace.changes.open_place(), ready.vocab_size + 3)
    qtbot.waitUntil(lambda: workspace.corpus.name == "mine, extended" and window.isWindowModified())
    return window


def save_dialog(qtbot, window):
    dialog = next(each for each in window.findChildren(SaveTokenizerDialog) if each.isVisible())
    qtbot.waitUntil(lambda: dialog.formats.is_known)
    return dialog


def test_a_changed_tokenizer_is_saved_as_one_before_it_is_lost(qtbot, changed, tmp_path):
    window = changed
    window._on_text_dropped("other words")
    dialog = dialog_of(qtbot, window)
    assert dialog.findChild(object, "unsaved.lost").text() == "If you do not save it, you lose the changed tokenizer."
    dialog.save.click()
    choice = save_dialog(qtbot, window)
    choice.reject()
    assert window.workspace.corpus.name == "mine, extended" and window.guard._go_on is None
    window._on_text_dropped("other words")
    dialog_of(qtbot, window).save.click()
    choice = save_dialog(qtbot, window)
    assert choice.formats.form == "sentencepiece"
    choice.path.setText(str(tmp_path / "large.model"))
    choice.save.click()
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")
    assert (tmp_path / "large.model").stat().st_size > (tmp_path / "a.model").stat().st_size


@whole_window
def test_a_changed_tokenizer_that_is_saved_is_no_unsaved_work(qtbot, changed, tmp_path):
    window, saver = changed, changed.workspace.saver
    window.workspace.keeping.keep()  # no document can hold it, so nothing is kept, nor said
    assert window.workspace.keeping._job is None
    with qtbot.waitSignal(saver.ended) as ended:
        saver.save_tokenizer(tmp_path / "no folder" / "large.model", "sentencepiece")
    assert ended.args == [False] and window.workspace.keeping.unsaved.has_tokenizer
    saver.save_tokenizer(tmp_path / "large.model", "sentencepiece")
    qtbot.waitUntil(lambda: not window.isWindowModified())
    window._on_text_dropped("other words")
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")


@whole_window
def test_a_full_disk_keeps_the_old_document_and_the_window(qtbot, window, tmp_path, monkeypatch):
    branched(qtbot, window)
    path = tmp_path / "mine.bpestudio"
    window.workspace.saver.save_document(path)
    qtbot.waitUntil(lambda: not window.isWindowModified())
    before = path.read_bytes()
    window.workspace.marks.add_bookmark(2, "two")

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        window.close()
        dialog_of(qtbot, window).save.click()
        qtbot.waitUntil(lambda: "disk is full" in window.banner.message.text(), timeout=PATIENCE_MS)
    assert path.read_bytes() == before and [each.name for each in tmp_path.glob(".*")] == []
    assert window.isVisible() and window.workspace.keeping.unsaved


def keep(qtbot, workspace):
    """Keeps the work of a workspace as if its process were killed then."""
    workspace.keeping.keep()
    qtbot.waitUntil(lambda: workspace.keeping._job is None, timeout=PATIENCE_MS)
    workspace.keeping.keep_at_end()


@pytest.fixture
def killed(qtbot, trained_workspace, folder):
    """Leaves the session of a process that was killed, whose window is not needed."""

    def leave():
        workspace = trained_workspace(TEXT, TrainingConfig.preset())
        workspace.keeping.begin(folder, dict)
        branch_off(qtbot, workspace)
        keep(qtbot, workspace)
        workspace.keeping.end()

    return leave


def test_what_was_kept_is_offered_and_restored(qtbot, make):
    first = branched(qtbot, make())
    first.workspace.set_typed_text("mine")
    first.show_view("compare")
    merges = [merge.to_log() for merge in first.workspace.run.merges]
    keep(qtbot, first.workspace)
    first.guard.leave_unsaved()
    assert first.close()
    second = make()
    offer = second.session_offer
    qtbot.waitUntil(offer.isVisible)
    assert "story.txt" in offer.message.text() and "1 branch and the typed text" in offer.message.text()
    qtbot.mouseClick(offer.restore, Qt.MouseButton.LeftButton)
    assert second.workspace.state is State.loading
    assert not offer.restore.isEnabled() and not offer.discard.isEnabled()
    qtbot.waitUntil(lambda: not offer.isVisible(), timeout=PATIENCE_MS)
    workspace = second.workspace
    assert [merge.to_log() for merge in workspace.run.merges] == merges
    assert (workspace.runs.shown.number, workspace.typed_text, second.views.current) == (1, "mine", "compare")
    qtbot.waitUntil(second.isWindowModified)


@whole_window
def test_restoring_asks_where_there_is_unsaved_work_already(qtbot, make, killed):
    killed()
    second = branched(qtbot, make())
    qtbot.waitUntil(second.session_offer.isVisible)
    second.session_offer.restore.click()
    dialog_of(qtbot, second).cancel.click()
    assert second.session_offer.isVisible()


@whole_window
def test_several_are_offered_one_after_the_other(qtbot, make, folder, killed):
    for _ in range(2):
        killed()
    third = make()
    qtbot.waitUntil(third.session_offer.isVisible)
    assert "1 more session" in third.session_offer.message.text()
    third.session_offer.discard.click()
    assert third.session_offer.isVisible() and "more session" not in third.session_offer.message.text()
    assert len(os.listdir(folder)) == 1


@whole_window
def test_discarded_it_is_gone(qtbot, make, folder, killed):
    killed()
    second = make()
    qtbot.waitUntil(second.session_offer.isVisible)
    second.session_offer.discard.click()
    assert second.session_offer.isHidden() and os.listdir(folder) == []
