"""Saving what is open as a studio document and opening it again: all is as it was, and a mishap
costs nothing.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.candidates import rank_candidates
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.workspace.corpus.text_files import stored_sources, why_no_text
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question
from tests.facts import says
from tests.workspace.test_with_engine import many_words

TEXT = many_words(3000) + "\nسلام دنیا، سلام 😀😀 汉字汉字\n" * 9
TYPED = "هاگ ‏سلام\n\ud83d hug 👩‍👩‍👧"
CONFIG = TrainingConfig.preset("gpt2", merges=60)
MARKS = (Breakpoint(Question.contains, "سل"), Breakpoint(Question.length, number=40, is_on=False))
VIEW = {"docks": "AAAA/w==", "zoom": [1.5, None]}


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def real(make_workspace, watched, wait_for, text_file):
    """A workspace with a run and two branches, the second from the first, and marks of
    every kind.
    """
    workspace = make_workspace(config=CONFIG)
    workspace.watch = watched(workspace)
    workspace.opener.open_files([text_file])
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    workspace.transport.go_to(33)
    third = workspace.run.merges[20]
    workspace.runs.branch_off(Override(20, OverrideKind.forbid, third.left, third.right), "بدون 🌿")
    wait_for(workspace, "done")
    workspace.transport.extend_target(7)
    workspace.transport.run_training()
    wait_for(workspace, "done")
    fifth = rank_candidates(workspace.run, 40, 5)[-1]
    names = [workspace.run.token_name(token) for token in (fifth.left, fifth.right)]
    workspace.runs.branch_off(Override(40, OverrideKind.force, *names))
    wait_for(workspace, "done")
    workspace.runs.branch_off(Override(45, OverrideKind.ties, ties="greatest-bytes"))
    wait_for(workspace, "done")
    workspace.transport.go_to(50)
    workspace.runs.show(1)
    workspace.transport.go_to(22)
    workspace.marks.set_bookmarks([Bookmark(5, "پنج"), Bookmark(30, "thirty")])
    workspace.marks.set_breakpoints(MARKS)
    workspace.set_typed_text(TYPED)
    workspace.set_compared_steps([4, 60])
    return workspace


def seen(workspace):
    """All that a document is to bring back."""
    return {
        "state": workspace.state,
        "corpus": (
            workspace.corpus.name,
            stored_sources(workspace.corpus),
            list(workspace.corpus.corpus.items()),
        ),
        "request": workspace.corpus.request.reading,
        "config": workspace.config,
        "branches": [
            (
                each.number,
                each.name,
                each.parent,
                each.override,
                each.config,
                each.position,
                each.run.config,
                each.run.overrides,
                [merge.to_log() for merge in each.run.merges[: each.position.n_merges]],
                each.run.gaps.tolist(),
                each.run.alphabet.names,
            )
            for each in workspace.runs.entries
        ],
        "here": (
            workspace.runs.shown.number,
            workspace.step,
            workspace.n_merges,
            workspace.target,
            workspace.stop_reason,
        ),
        "marks": (workspace.marks.bookmarks, workspace.marks.breakpoints),
        "typed": (workspace.typed_text, workspace.compared_steps),
    }


def save(workspace, path, qtbot, view=None):
    with qtbot.waitSignal(workspace.document_changed):
        workspace.saver.save_document(path, view)


def opened(make_workspace, watched, wait_for, path, state="done"):
    workspace = make_workspace()
    workspace.watch = watched(workspace)
    workspace.opener.open_files([path])
    wait_for(workspace, state)
    return workspace


def test_it_opens_as_it_was_saved(real, make_workspace, watched, wait_for, qtbot, tmp_path):
    path = tmp_path / "words.bpestudio"
    save(real, path, qtbot, VIEW)
    assert "words of the corpus and their counts" in real.watch.notices[-1]
    other = opened(make_workspace, watched, wait_for, path)
    before = seen(real)
    after = seen(other)
    for name in before:
        assert after[name] == before[name], name
    assert (other.document.path, other.document.view) == (path, VIEW)
    (notice,) = other.watch.notices
    assert "Locate text" in notice and "Locate text" in why_no_text(other.corpus)
    for number in (3, 2, 0):
        other.runs.show(number)
        real.runs.show(number)
        assert seen(other) == seen(real)
    again = tmp_path / "again.bpestudio"
    other.runs.show(1)
    save(other, again, qtbot, VIEW)
    assert again.read_bytes() == path.read_bytes()


def test_what_was_opened_learns_on_like_what_was_saved(
    real, make_workspace, watched, wait_for, qtbot, tmp_path
):
    save(real, tmp_path / "a.bpestudio", qtbot)
    other = opened(make_workspace, watched, wait_for, tmp_path / "a.bpestudio")
    for workspace in (real, other):
        for number in (0, 3):
            workspace.runs.show(number)
            workspace.transport.extend_target(20)
            workspace.transport.run_training()
            wait_for(workspace, "done")
            assert workspace.n_merges >= 80
    assert seen(other) == seen(real)


def test_opening_can_be_undone_and_done_again(
    real, make_workspace, watched, wait_for, qtbot, tmp_path
):
    save(real, tmp_path / "a.bpestudio", qtbot)
    other = make_workspace(config=CONFIG)
    other.opener.open_text("other words to learn from", "Other")
    wait_for(other, "ready")
    other.set_typed_text("mine")
    changes = []
    other.undo_step_added.connect(changes.append)
    other.opener.open_files([tmp_path / "a.bpestudio"])
    wait_for(other, "done")
    assert [change.text for change in changes] == ["Open a.bpestudio"]
    changes[0].undo()
    assert (other.corpus.name, other.typed_text, other.marks.breakpoints, other.document) == (
        "Other",
        "mine",
        (),
        None,
    )
    changes[0].redo()
    assert seen(other) == seen(real)
    assert other.document.path == tmp_path / "a.bpestudio"


def test_its_text_is_opened_from_files_with_the_same_words(
    real, make_workspace, watched, wait_for, qtbot, tmp_path, text_file
):
    path = tmp_path / "a.bpestudio"
    other_file = tmp_path / "other.txt"
    save(real, path, qtbot)
    with zipfile.ZipFile(path) as archive:
        assert str(tmp_path).encode() not in archive.read("document.json"), "no file is named"
    other = opened(make_workspace, watched, wait_for, path)
    before = seen(other)
    other_file.write_text(TEXT + " more", "utf-8")
    other.opener.locate_text([other_file])
    wait_for(other, "failed")
    assert "other.txt does not contain the words" in other.failure.message
    other.leave_failure()
    assert seen(other) == before and why_no_text(other.corpus)
    other.opener.locate_text([text_file])
    wait_for(other, "done")
    assert (
        seen(other) == before
        and why_no_text(other.corpus) == ""
        and TEXT.startswith(other.corpus.beginning)
    )
    assert other.document.path == path and other.runs.entries[1].corpus is other.corpus
    other.settings.apply(other.config.replace(split="whitespace"))
    wait_for(other, "ready")
    text_file.unlink()
    other.settings.apply(CONFIG)
    wait_for(other, "failed")
    assert "words.txt" in other.failure.message and "does not exist" in other.failure.message


def test_pasted_text_is_not_in_the_document_and_that_is_said(
    make_workspace, watched, wait_for, qtbot, tmp_path
):
    workspace = make_workspace(config=CONFIG)
    workspace.opener.open_text("a secret that is not to be read", "Pasted text")
    wait_for(workspace, "ready")
    save(workspace, tmp_path / "a.bpestudio", qtbot)
    other = opened(make_workspace, watched, wait_for, tmp_path / "a.bpestudio", "ready")
    assert other.corpus.name == "Pasted text"
    other.settings.apply(CONFIG.replace(split="whitespace"))
    wait_for(other, "failed")
    assert "Locate text" in other.failure.message
    assert other.config == CONFIG and len(other.corpus.corpus) == 8


def rewrite(path: Path, change) -> None:
    with zipfile.ZipFile(path) as archive:
        backend = {name: archive.read(name) for name in archive.namelist()}
    main = json.loads(backend["document.json"])
    change(backend, main)
    backend["document.json"] = json.dumps(main).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in backend.items():
            archive.writestr(name, content)


def test_stored_merges_that_are_not_learned_again_are_told(
    real, make_workspace, watched, wait_for, qtbot, tmp_path
):
    path = tmp_path / "a.bpestudio"
    save(real, path, qtbot)

    def change(backend, _main):
        merges = bytearray(backend["branches/2/merges"])
        merges[4 * 50] ^= 1
        backend["branches/2/merges"] = bytes(merges)

    rewrite(path, change)
    other = opened(make_workspace, watched, wait_for, path)
    assert len(other.watch.notices) == 2 and "from merge 51 on" in other.watch.notices[1]
    assert seen(other) == seen(real), "what was learned counts, not what was stored"


def test_a_document_that_is_damaged_leaves_what_is_open(real, wait_for, tmp_path):
    before = seen(real)
    path = tmp_path / "a.bpestudio"
    path.write_bytes(b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/x-bpe-studio and no more")
    real.opener.open_files([path])
    wait_for(real, "failed")
    assert "damaged or cut short" in real.failure.message
    real.leave_failure()
    assert seen(real) == before


def test_a_document_among_texts_is_refused(real, wait_for, qtbot, tmp_path, text_file):
    save(real, tmp_path / "a.bpestudio", qtbot)
    real.opener.open_files([text_file, tmp_path / "a.bpestudio"])
    wait_for(real, "failed")
    assert "open it on its own" in real.failure.message


def test_saving_that_fails_leaves_what_is_open_and_the_old_file(real, wait_for, tmp_path):
    before = seen(real)
    real.saver.save_document(tmp_path / "no folder" / "a.bpestudio")
    wait_for(real, "failed")
    assert "there is no folder" in real.failure.message
    real.leave_failure()
    assert seen(real) == before and real.document is None


def test_nothing_open_is_nothing_to_save(make_workspace, watched, tmp_path):
    workspace = make_workspace()
    watch = watched(workspace)
    workspace.saver.save_document(tmp_path / "a.bpestudio")
    (notice,) = watch.notices
    assert says(notice, "no document to save")


def test_weights_of_files_are_changed_without_the_text(
    make_workspace, watched, wait_for, qtbot, tmp_path
):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"low lower {name} " * 9)
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    workspace = make_workspace(config=CONFIG.replace(min_frequency=1))
    workspace.opener.open_files(paths)
    wait_for(workspace, "ready")
    weighed = workspace.config.replace(weight=["b.txt=3"])
    for path in paths:
        path.unlink()
    workspace.settings.apply(weighed)
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    corpus = workspace.corpus.corpus
    assert corpus is workspace.run.corpus
    assert dict(corpus.items())[" lower"] == 9 * 4
    assert workspace.run.merges[0].sources == {"a.txt": 0.25, "b.txt": 0.75}
    save(workspace, tmp_path / "a.bpestudio", qtbot)
    other = opened(make_workspace, watched, wait_for, tmp_path / "a.bpestudio")
    assert other.config == weighed
    assert list(other.corpus.corpus.items()) == list(corpus.items())
    other.settings.apply(weighed.replace(weight=["a.txt=0.5", "b.txt=2"]))
    wait_for(other, "ready")
    assert dict(other.corpus.corpus.items())[" lower"] == 9 * 5
