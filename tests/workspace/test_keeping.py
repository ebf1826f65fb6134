"""Unsaved work is kept while a person works, and restored as it was after the process has gone."""

from __future__ import annotations

import os
import threading
import zipfile
from pathlib import Path

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.errors import SaveError
from bpe_studio.workspace import keeping
from bpe_studio.workspace.corpus.text_files import has_text
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question
from bpe_studio.workspace.opening import kept_session
from bpe_studio.workspace.state import State
from bpe_studio.workspace.unsaved import NOTHING
from tests.facts import says
from tests.files.third_party.made import content_of
from tests.workspace.opening.test_documents import TEXT, seen

CONFIG = TrainingConfig.preset("gpt2", merges=60)
VIEW = {"view": "explore", "front": ["text"], "white_space": True}
TYPED = "سلام hug 👩‍👩‍👧\n\ud83d"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sessions"


@pytest.fixture
def begun(make_workspace, watched, folder, qtbot):
    """Makes workspaces that keep their work, as the window does."""

    def make(config=CONFIG):
        workspace = make_workspace(config=config)
        workspace.watch = watched(workspace)
        workspace.keeping.begin(folder, lambda: VIEW)
        workspace.keeping._tick.stop()  # the test keeps it when it wants to
        return workspace

    return make


@pytest.fixture
def found(begun, qtbot):
    """A new workspace that has found what another one has left."""

    def find(config=CONFIG):
        workspace = begun(config)
        qtbot.waitUntil(lambda: bool(workspace.keeping.sessions))
        return workspace

    return find


@pytest.fixture
def work(wait_for, tmp_path):
    """Opens a text, trains it, and does what a person does: a branch, marks and a typed text."""

    def do(workspace, open_it=None):
        if open_it is None:
            path = tmp_path / "words.txt"
            path.write_text(TEXT, "utf-8")
            workspace.opener.open_files([path])
        else:
            open_it()
        wait_for(workspace, "ready")
        workspace.transport.run_training()
        wait_for(workspace, "done")
        third = workspace.run.merges[20]
        workspace.runs.branch_off(
            Override(20, OverrideKind.forbid, third.left, third.right), "بدون 🌿"
        )
        wait_for(workspace, "done")
        workspace.transport.go_to(22)
        workspace.marks.set_bookmarks([Bookmark(5, "پنج"), Bookmark(30, "thirty")])
        workspace.marks.set_breakpoints([Breakpoint(Question.contains, "سل")])
        workspace.set_typed_text(TYPED)
        workspace.set_compared_steps([4, 60])
        return workspace

    return do


def keep(qtbot, workspace):
    workspace.keeping.keep_at_end()


def restore(qtbot, workspace):
    views = []
    workspace.keeping.restore(workspace.keeping.sessions[0], views.append)
    qtbot.waitUntil(lambda: bool(views) or workspace.state is State.failed, timeout=20_000)
    workspace.keeping.keep_at_end()
    return views


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*") if path.is_file()}


def test_all_of_it_is_restored(begun, found, work, qtbot, folder):
    workspace = work(begun())
    keep(qtbot, workspace)
    before = seen(workspace)
    workspace.keeping.end()
    other = found(CONFIG.replace(merges=7))
    (session,) = other.keeping.sessions
    assert session.name == "words.txt" and says(session.words, "1 branch", "3 marks", "typed text")
    assert restore(qtbot, other) == [VIEW]
    after = seen(other)
    for name in before:
        assert after[name] == before[name], name
    assert has_text(other.corpus.request), "its file is open as before"
    assert other.document is None and other.keeping.unsaved and other.keeping.sessions == ()
    assert other.watch.notices == []
    (left,) = os.listdir(folder)
    assert left not in session.folder.path, "it is in one place only"


def test_that_of_a_living_window_is_not_taken(begun, work, qtbot, folder):
    keep(qtbot, work(begun()))
    before = files_in(folder)
    second = begun()
    second.keeping._find()
    qtbot.waitUntil(lambda: not second.keeping._jobs._listeners)
    assert second.keeping.sessions == () and files_in(folder) == before


def test_a_text_inside_a_document_is_restored_with_it(
    begun, found, work, make_workspace, wait_for, qtbot, tmp_path
):
    first = make_workspace(config=CONFIG)
    work(first)
    with qtbot.waitSignal(first.document_changed):
        first.saver.save_document(tmp_path / "a.bpestudio", holds_text=True)
    workspace = begun()
    workspace.opener.open_files([tmp_path / "a.bpestudio"])
    wait_for(workspace, "done")
    assert workspace.keeping.unsaved == NOTHING
    workspace.marks.add_bookmark(7, "seven")
    keep(qtbot, workspace)
    workspace.keeping.end()
    other = found()
    restore(qtbot, other)
    assert (
        other.corpus.request.inside is not None
        and other.corpus.beginning == workspace.corpus.beginning
    )
    assert (other.document.path, other.document.holds_text) == (tmp_path / "a.bpestudio", True)
    assert other.marks.bookmarks == workspace.marks.bookmarks


def test_a_text_that_was_changed_since_is_left_and_the_work_on_its_words_restored(
    begun, found, work, qtbot, folder, tmp_path
):
    workspace = work(begun())
    keep(qtbot, workspace)
    before = seen(workspace)
    workspace.keeping.end()
    (tmp_path / "words.txt").write_text("other words", "utf-8")
    other = found()
    restore(qtbot, other)
    assert seen(other)["branches"] == before["branches"] and not has_text(other.corpus.request)
    (notice,) = other.watch.notices
    assert "words that were counted" in notice


def test_nothing_is_kept_without_unsaved_work(begun, wait_for, qtbot, folder):
    workspace = begun()
    workspace.opener.open_text(TEXT, "Some text")
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    keep(qtbot, workspace)
    assert not folder.exists()


def test_saving_removes_what_was_kept(begun, work, qtbot, folder, tmp_path):
    workspace = work(begun())
    keep(qtbot, workspace)
    assert len(os.listdir(folder)) == 1
    with qtbot.waitSignal(workspace.document_changed):
        workspace.saver.save_document(tmp_path / "a.bpestudio")
    keep(qtbot, workspace)
    assert os.listdir(folder) == []
    workspace.marks.set_bookmarks([])
    assert workspace.keeping.unsaved


def test_undoing_what_was_done_since_leaves_nothing_unsaved(begun, work, qtbot, tmp_path):
    workspace = work(begun())
    with qtbot.waitSignal(workspace.document_changed):
        workspace.saver.save_document(tmp_path / "a.bpestudio")
    steps = []
    workspace.undo_step_added.connect(steps.append)
    workspace.runs.rename(1, "other")
    assert workspace.keeping.unsaved.has_other_changes
    steps[0].undo()
    assert workspace.keeping.unsaved == NOTHING


def test_a_full_disk_is_said_once_and_stops_nothing(begun, work, qtbot, folder, monkeypatch):
    workspace = work(begun())

    def fail(*_):
        raise SaveError("the disk is full")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(kept_session, "keep_session", fail)
        before = len(workspace.watch.notices)
        for k in range(3):
            workspace.transport.go_to(k)
            keep(qtbot, workspace)
        assert len(workspace.watch.notices) == before + 1 and workspace.watch.failures == []
        assert workspace.state is State.done
    keep(qtbot, workspace)
    assert len(os.listdir(folder)) == 1


def test_a_disk_that_hangs_holds_nobody_up(begun, work, monkeypatch):
    workspace = work(begun())
    may_end = threading.Event()

    def hang(*_):
        yield
        may_end.wait(20)

    monkeypatch.setattr(kept_session, "keep_session", hang)
    monkeypatch.setattr(keeping, "MOST_WAIT_MS", 100)
    assert "does not answer" in workspace.keeping.keep_at_end()
    assert not may_end.is_set()
    may_end.set()


def test_what_cannot_be_restored_stays(begun, found, work, qtbot, folder):
    workspace = work(begun())
    keep(qtbot, workspace)
    workspace.keeping.end()
    for path in folder.rglob("*"):
        if path.suffix == ".bpestudio":
            with zipfile.ZipFile(path) as archive:
                about = archive.read("session.json")
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("session.json", about)
    other = found()
    assert restore(qtbot, other) == []
    assert "is missing" in other.failure.message and len(other.keeping.sessions) == 1


def test_replaced_work_is_a_session_of_its_own_until_it_is_open_again(
    begun, found, work, wait_for, qtbot, monkeypatch
):
    workspace = work(begun())
    back = []
    workspace.undo_step_added.connect(back.append)
    workspace.opener.open_text("one two one two", "Other")
    wait_for(workspace, "ready")
    keep(qtbot, workspace)
    (session,) = workspace.keeping.sessions
    assert (session.name, session.words) == ("words.txt", "1 branch and 3 marks"), (
        "the text can be called back"
    )
    assert "words.txt is kept: 1 branch and 3 marks" in workspace.watch.notices[-1].replace(
        "\u2068", ""
    ).replace("\u2069", "")
    back[-1].undo()
    keep(qtbot, workspace)
    assert workspace.keeping.sessions == () and len(workspace.runs.entries) == 2
    back[-1].redo()
    workspace.set_typed_text(TYPED)
    keep(qtbot, workspace)
    workspace.keeping.end()
    other = found()
    assert [each.name for each in other.keeping.sessions] == ["Other", "words.txt"]
    other.keeping.end()
    monkeypatch.setattr(kept_session, "MOST_SESSIONS", 1)
    assert [each.name for each in found().keeping.sessions] == ["Other"], (
        "the oldest ones are removed"
    )


def test_an_opened_tokenizer_is_no_work_and_is_restored_with_a_typed_text(
    begun, found, wait_for, qtbot, tmp_path
):
    train(Corpus.from_text(TEXT, CONFIG), CONFIG).tokenizer().save(tmp_path / "mine")
    workspace = begun()
    workspace.opener.open_files([tmp_path / "mine"])
    wait_for(workspace, "done")
    assert workspace.keeping.unsaved == NOTHING
    workspace.set_typed_text(TYPED)
    keep(qtbot, workspace)
    workspace.keeping.end()
    other = found()
    restore(qtbot, other)
    assert other.run.tokenizer().model == workspace.run.tokenizer().model
    assert (other.step, other.typed_text, other.state) == (60, TYPED, State.done)
    other.opener.open_text(TEXT, "Other")
    wait_for(other, "ready")
    assert other.config == CONFIG, "its settings go with it as they would have before"


def test_a_tokenizer_of_another_program_is_kept_as_its_place_with_what_was_typed(
    begun, found, wait_for, qtbot, tmp_path
):
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), "utf-8")
    workspace = begun()
    workspace.opener.open_files([tmp_path])
    wait_for(workspace, "done")
    workspace.set_typed_text(TYPED)
    workspace.transport.go_to(3)
    assert workspace.keeping.unsaved == NOTHING, "nobody is asked to save it"
    marks = [Bookmark(2, "دو")], [Breakpoint(Question.tie)]
    workspace.marks.set_bookmarks(marks[0])
    workspace.marks.set_breakpoints(marks[1])
    n_said = len(workspace.watch.notices)
    keep(qtbot, workspace)
    assert workspace.keeping.keep_at_end() == ""
    assert len(workspace.watch.notices) == n_said
    workspace.keeping.end()
    other = found()
    restore(qtbot, other)
    assert (other.run.is_own, other.step, other.typed_text) == (False, 3, TYPED)
    assert ([*other.marks.bookmarks], [*other.marks.breakpoints]) == marks
    assert not other.keeping.unsaved.has_tokenizer
