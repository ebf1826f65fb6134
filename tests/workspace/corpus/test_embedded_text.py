"""A document that holds the text of its corpus: other settings and lines on another machine.

Strangers' are checked.
"""

from __future__ import annotations

import json
import zipfile

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import BpeError, TokenizerFormatError
from bpe_studio.files.document import embedded_text
from bpe_studio.files.document.embedded_text import read_texts

CONFIG = TrainingConfig.preset("gpt2", merges=20)
OTHER = TrainingConfig.preset("sennrich", merges=12)
TEXT = "سلام دنیا، سلام 😀😀 the newest hugs and lowest pugs\r\n" * 20


@pytest.fixture
def trained(make_workspace, watched, wait_for):
    def train(open_it):
        workspace = make_workspace(config=CONFIG)
        workspace.watch = watched(workspace)
        open_it(workspace)
        wait_for(workspace, "ready")
        workspace.transport.run_training()
        wait_for(workspace, "done")
        return workspace

    return train


@pytest.fixture
def reopened(make_workspace, watched, wait_for):
    def reopen(path):
        workspace = make_workspace()
        workspace.watch = watched(workspace)
        workspace.opener.open_files([path])
        wait_for(workspace, "done")
        return workspace

    return reopen


def save(workspace, path, qtbot, **how):
    n = len(workspace.watch.notices)
    workspace.saver.save_document(path, {}, **how)
    qtbot.waitUntil(
        lambda: len(workspace.watch.notices) > n or workspace.failure is not None, timeout=20_000
    )


def merges(workspace):
    return [(each.left, each.right, each.count) for each in workspace.run.merges]


def test_files_are_inside_and_serve_other_settings_when_they_are_gone(
    trained, reopened, wait_for, qtbot, tmp_path
):
    files = [tmp_path / "نامه.txt", tmp_path / "second.txt"]
    files[0].write_bytes(TEXT.encode("utf-16-le"))
    files[1].write_bytes(("more " + TEXT).encode("utf-16-le"))
    workspace = trained(lambda each: each.opener.open_files(files, "utf-16-le"))
    path = tmp_path / "a.bpestudio"
    save(workspace, path, qtbot, holds_text=True)
    size_bytes = sum(each.stat().st_size for each in files)
    assert (
        f"also contains the text of the corpus ({size_bytes / 1000:.1f} kB)"
        in workspace.watch.notices[-1]
    )
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("document.json"))["holds_text"] is True
        assert archive.read("corpus/text/0") == files[0].read_bytes()
    before = merges(workspace)
    workspace.settings.apply(OTHER)
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    wanted = merges(workspace)
    for each in files:
        each.unlink()
    other = reopened(path)
    assert other.document.holds_text
    assert "a.bpestudio also contains the text of the corpus" in other.watch.notices[0]
    assert merges(other) == before
    other.settings.apply(OTHER)
    wait_for(other, "ready")
    other.transport.run_training()
    wait_for(other, "done")
    assert merges(other) == wanted
    # Saved again, their text goes with it.
    again = tmp_path / "b.bpestudio"
    save(other, again, qtbot, holds_text=True)
    with zipfile.ZipFile(again) as archive:
        assert archive.read("corpus/text/0") == TEXT.encode("utf-16-le")


def test_pasted_text_is_inside_too(trained, reopened, wait_for, qtbot, tmp_path):
    workspace = trained(lambda each: each.opener.open_text(TEXT + "\udcff"))
    path = tmp_path / "a.bpestudio"
    save(workspace, path, qtbot, holds_text=True)
    other = reopened(path)
    assert other.corpus.request.text == TEXT + "\udcff"
    assert merges(other) == merges(workspace)


def test_without_it_the_document_says_so_and_keeps_it_out(trained, reopened, qtbot, tmp_path):
    workspace = trained(lambda each: each.opener.open_text(TEXT))
    path = tmp_path / "a.bpestudio"
    save(workspace, path, qtbot)
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if "text" in name]
    other = reopened(path)
    assert not other.document.holds_text and "Locate text" in other.watch.notices[0]
    save(other, tmp_path / "b.bpestudio", qtbot, holds_text=True)
    assert "Locate text" in other.failure.message and not (tmp_path / "b.bpestudio").exists()


def test_a_file_that_was_changed_is_not_put_inside(trained, qtbot, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text(TEXT, "utf-8")
    workspace = trained(lambda each: each.opener.open_files([file]))
    file.write_text(TEXT + "more", "utf-8")
    save(workspace, tmp_path / "a.bpestudio", qtbot, holds_text=True)
    assert "has changed since it was opened" in workspace.failure.message
    assert not (tmp_path / "a.bpestudio").exists()


ONE = {"name": "a.txt", "size_bytes": 3}


@pytest.mark.parametrize(
    ("about", "backend"),
    [
        (
            {"is_pasted": False, "texts": [{"name": "a", "size_bytes": 5}]},
            {"corpus/text/0": b"abc"},
        ),
        ({"is_pasted": False, "texts": [ONE, ONE]}, {"corpus/text/0": b"abc"}),
        (
            {"is_pasted": True, "texts": [ONE, ONE]},
            {"corpus/text/0": b"abc", "corpus/text/1": b"abc"},
        ),
        ({"is_pasted": True, "texts": [ONE]}, {"corpus/text/0": b"\xff\xff\xff"}),
        ({"is_pasted": "yes", "texts": [ONE]}, {"corpus/text/0": b"abc"}),
        ({"is_pasted": False, "texts": []}, {}),
        ({"is_pasted": False, "texts": [{"name": 3, "size_bytes": 3}]}, {"corpus/text/0": b"abc"}),
        (
            {"is_pasted": False, "texts": [{"name": "a", "size_bytes": 1 << 60}]},
            {"corpus/text/0": b"abc"},
        ),
        (
            {"is_pasted": False, "texts": [{"name": "a", "size_bytes": True}]},
            {"corpus/text/0": b"a"},
        ),
        ([], {}),
    ],
)
def test_what_a_stranger_writes_is_refused_in_words(about, backend, tmp_path):
    path = tmp_path / "a.bpestudio"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(embedded_text.ABOUT_PART, json.dumps(about))
        for name, content in backend.items():
            archive.writestr(name, content)
    with pytest.raises(BpeError) as caught:
        list(read_texts(path, tmp_path))
    assert isinstance(caught.value, TokenizerFormatError)


@pytest.mark.parametrize(
    "name", ["../../x.txt", "/etc/x.txt", "..\\x.txt", "\0", "..", "", "a:b|c?.txt", "x" * 999]
)
def test_a_name_leads_nowhere_else(name, tmp_path):
    path = tmp_path / "a.bpestudio"
    folder = tmp_path / "in"
    folder.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            embedded_text.ABOUT_PART,
            json.dumps({"is_pasted": False, "texts": [{"name": name, "size_bytes": 3}]}),
        )
        archive.writestr("corpus/text/0", b"abc")
    taking = read_texts(path, folder)
    try:
        while True:
            next(taking)
    except StopIteration as stop:
        (place,) = stop.value.paths
    assert place.resolve().parent == (folder / "0").resolve() and place.read_bytes() == b"abc"
