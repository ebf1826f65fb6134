"""The permission to read the files of a document: what is compared, what is remembered, and who asks."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.errors import SourceError
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import StoredBranch, StoredSource, StudioDocument, stored_columns
from bpe_studio.files.document.writing import pack
from bpe_studio.files.text.reading import Reading
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_access import Access
from bpe_studio.workspace.corpus.text_check import check_text, in_order
from bpe_studio.workspace.corpus.text_files import has_text, text_files, why_no_text
from bpe_studio.workspace.document_text import DocumentText, permission_key
from bpe_studio.workspace.state import OpeningRequest

CONFIG = TrainingConfig.preset("gpt2", merges=5)
TEXTS = ("the newest hugs\n" * 40, "سلام دنیا pugs\n" * 40)


def document(sources, texts=TEXTS, *, checksum="right", **others):
    corpus = Corpus.from_text("".join(texts), CONFIG)
    run = train(corpus, CONFIG)
    branch = StoredBranch(0, "Main run", None, None, CONFIG, stored_columns(run.columns, 5), 5, 5, was_run=True)
    known = zlib.crc32("".join(texts).encode()) if checksum == "right" else checksum
    return StudioDocument("texts", corpus, (branch,), tuple(sources), checksum=known, **others)


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_bytes(text.encode())
    return paths


def sources_of(paths, **changes):
    return [replace(StoredSource(each.name, "utf-8", each.stat().st_size, each), **changes) for each in paths]


def checked(text, chosen=()):
    work = check_text(Backend(), text, chosen)
    while True:
        try:
            next(work)
        except StopIteration as stop:
            return stop.value


def test_files_of_the_same_size_and_checksum_are_the_text(files):
    found = checked(DocumentText(document(sources_of(files))))
    assert [file.path for file in found.files] == files and found.beginning == TEXTS[0]
    assert found.checksum == zlib.crc32("".join(TEXTS).encode())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda paths: paths[1].write_bytes(b"x"), "b.txt has 1 bytes, and the text of the document has"),
        (lambda paths: paths[1].write_bytes(paths[1].read_bytes().replace(b"pugs", b"bugs")), "checksum"),
        (lambda paths: paths[0].unlink(), "a.txt does not exist"),
        (lambda paths: (paths[0].unlink(), paths[0].mkdir()), "is a folder"),
    ],
)
@pytest.mark.parametrize("checksum", ["right", None])
def test_what_differs_is_said(files, change, says, checksum):
    text = DocumentText(document(sources_of(files), checksum=checksum))
    change(files)
    with pytest.raises(SourceError) as caught:
        checked(text)
    assert says in str(caught.value).translate(dict.fromkeys(map(ord, "\u2068\u2069")))


def test_without_a_checksum_the_words_are_counted_again(files):
    found = checked(DocumentText(document(sources_of(files), checksum=None)))
    assert found.checksum == zlib.crc32("".join(TEXTS).encode())


def test_moved_together_or_not_at_all(files, tmp_path):
    new = tmp_path / "new"
    new.mkdir()
    sources = [replace(each, beside=new / each.name) for each in sources_of(files)]
    assert [file.path for file in checked(DocumentText(document(sources))).files] == files
    for path in files:
        path.rename(new / path.name)
    assert [file.path.parent for file in checked(DocumentText(document(sources))).files] == [new, new]
    (new / "a.txt").write_bytes(b"x")
    with pytest.raises(SourceError, match="has 1 bytes"):
        checked(DocumentText(document(sources)))


def test_chosen_files_are_put_in_order(files, tmp_path):
    sources = sources_of(files)
    assert in_order(sources, files[::-1]) == tuple(files)
    other = tmp_path / "c.txt"
    assert in_order(sources, [files[1], other]) == (other, files[1])
    with pytest.raises(SourceError, match="from 2 files, and 1 were chosen"):
        in_order(sources, files[:1])
    assert checked(DocumentText(document(sources)), files[::-1]).beginning == TEXTS[0]


def test_a_file_that_is_another_later_is_refused(files):
    found = checked(DocumentText(document(sources_of(files))))
    with found.files[0].open() as stream:
        assert stream.read() == TEXTS[0].encode()
    content = files[0].read_bytes()
    files[0].unlink()
    files[0].write_bytes(content)
    with pytest.raises(SourceError, match="has changed since it was checked"):
        found.files[0].open()


def test_a_permission_is_for_these_files_with_this_text(files, tmp_path):
    one = document(sources_of(files))
    path = tmp_path / "a.bpestudio"
    path.write_bytes(pack(one, tmp_path))
    assert permission_key(read_now(path)) == permission_key(one), "also where only its own place is another"
    others = [
        document(sources_of(files, path=tmp_path / "c.txt")),
        document(sources_of(files, size_bytes=7)),
        document(sources_of(files), checksum=5),
        document(sources_of(files), checksum=None),
        document(sources_of(files), [TEXTS[0], TEXTS[1].replace("pugs", "bugs")], checksum=one.checksum),
        document(sources_of(files), reading=Reading("utf-8")),
        document(sources_of(files), reading=Reading(column="body")),
        document(sources_of(files), reading=Reading(is_plain=True)),
    ]
    assert len({permission_key(each) for each in (one, *others)}) == 9


def test_saving_a_document_that_is_not_allowed_allows_nothing(make_workspace, wait_for, qtbot, files, tmp_path):
    path, again = tmp_path / "a.bpestudio", tmp_path / "b.bpestudio"
    path.write_bytes(pack(document(sources_of(files)), tmp_path))
    workspace = make_workspace()
    workspace.opener.open_files([path])
    wait_for(workspace, "done")
    info = workspace.corpus
    assert workspace.text_access.state is Access.asked and text_files(info.request) == ()
    assert "allow reading its files" in why_no_text(info)
    with qtbot.waitSignal(workspace.document_changed):
        workspace.saver.save_document(again)
    workspace.opener.open_files([again])
    wait_for(workspace, "loading")
    wait_for(workspace, "done")
    assert workspace.text_access.state is Access.asked
    workspace.text_access.allow()
    qtbot.waitUntil(lambda: workspace.text_access.state is Access.open, timeout=20_000)
    with qtbot.waitSignal(workspace.document_changed):
        workspace.saver.save_document(tmp_path / "c.bpestudio")
    workspace.opener.open_files([tmp_path / "c.bpestudio"])
    wait_for(workspace, "loading")
    wait_for(workspace, "done")
    qtbot.waitUntil(lambda: workspace.text_access.state is Access.open, timeout=20_000)
    assert [file.path for file in text_files(workspace.corpus.request)] == files


def test_whether_there_is_text_is_known_without_a_list_of_the_files(monkeypatch):
    monkeypatch.setattr(
        "bpe_studio.workspace.corpus.text_files.TextFile",
        lambda path: pytest.fail("a list of 100,000 files takes a while"),
    )
    assert has_text(OpeningRequest("a", (Path("a.txt"),)))
    assert has_text(OpeningRequest("a", text=""))
    assert not has_text(OpeningRequest("a"))
