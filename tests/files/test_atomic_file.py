"""A file that is written piece by piece is there when it is whole, and never before."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
import threading
import tracemalloc
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pytest

from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.atomic_file import AtomicFile
from bpe_studio.files.document import embedded_text
from bpe_studio.files.document.embedded_text import TextPart, read_texts, write_with_texts


def test_kept_it_stands_in_its_place_with_the_rights_of_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    draft = AtomicFile(path)
    with draft.opened() as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2
    draft.commit()
    draft.release()
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o640


def test_left_it_is_gone_when_the_last_writer_has_ended(tmp_path: Path) -> None:
    draft, is_left, found = AtomicFile(tmp_path / "a"), threading.Event(), []

    def write() -> None:
        with draft.opened() as stream:
            stream.write(b"one")
            is_begun.set()
            is_left.wait(10)
            stream.write(b"two")
            found.append(len(list(tmp_path.iterdir())))

    is_begun = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    assert is_begun.wait(10)
    draft.release()
    is_left.set()
    writer.join(10)
    assert found == [1] and not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_told_before_or_when_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for place, said in ((tmp_path / "none" / "a", "there is no folder"), (tmp_path / "folder", "it is a folder")):
        with pytest.raises(SaveError, match=said):
            AtomicFile(place)
    if Path("/dev/full").exists():
        draft = AtomicFile("/dev/full")
        with draft.opened() as stream:
            stream.write(b"abc")
        with pytest.raises(SaveError, match="the disk is full"):
            draft.commit()
        draft.release()
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode), "it is still the device"
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "there" / "a", tmp_path / "link"
    target.parent.mkdir()
    link.symlink_to(target)
    draft = AtomicFile(link)
    with draft.opened() as stream:
        stream.write(b"x")
    draft.commit()
    draft.release()
    assert link.is_symlink() and target.read_bytes() == b"x"


@pytest.mark.parametrize("kind", ["files", "packs to nothing"])
def test_texts_are_written_a_piece_at_a_time(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size, file = 12 << 20, tmp_path / "text"
    file.write_bytes(random.Random(1).randbytes(size) if kind == "files" else bytes(size))
    monkeypatch.setattr(embedded_text.d, "FREELY_UNPACKED_BYTES", 1 << 20)
    with zipfile.ZipFile(tmp_path / "base", "w") as archive:
        archive.writestr("first", "1")
    data = (tmp_path / "base").read_bytes()
    draft = AtomicFile(tmp_path / "a")
    tracemalloc.start()
    try:
        with draft.opened() as stream:
            done = list(write_with_texts(stream, data, [TextPart("text", size, file)]))
        draft.commit()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        draft.release()
    assert peak < 5 << 20, "the text is never held as a whole"
    assert done[-1] == (size, size) and done == [pair for pair in done if pair[0] <= size]
    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert archive.namelist() == ["first", embedded_text.ABOUT_PART, "corpus/text/0"]
        assert archive.read("corpus/text/0") == file.read_bytes() and archive.testzip() is None
        packed = archive.getinfo("corpus/text/0").compress_type
    assert packed == (zipfile.ZIP_DEFLATED if kind == "files" else zipfile.ZIP_STORED)


@pytest.mark.parametrize("n_bytes", [10, 11])
def test_pasted_text_is_written_where_it_can_be_read_again(
    n_bytes: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded_text, "MAX_PASTED_BYTES", 10)
    path, folder, pasted = (
        tmp_path / "kept.bpestudio",
        tmp_path / "out",
        TextPart("Pasted", n_bytes, None, b"a" * n_bytes),
    )
    folder.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("first", "1")
    data = path.read_bytes()
    with open(path, "w+b") as stream, pytest.raises(SaveError, match="11 bytes") if n_bytes > 10 else nullcontext():
        list(write_with_texts(stream, data, [pasted]))
    if n_bytes <= 10:
        with pytest.raises(StopIteration) as found:
            next(read_texts(path, folder))
        assert found.value.value.text == "a" * n_bytes


def test_as_many_files_as_may_be_with_the_longest_names_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "kept.bpestudio"
    each = {"name": "\u067e" * 127, "size_bytes": 0}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            embedded_text.ABOUT_PART, json.dumps({"is_pasted": False, "texts": [each] * embedded_text.MAX_TEXTS})
        )
    with pytest.raises(TokenizerFormatError, match="its text 1 is not there"):
        list(read_texts(path, tmp_path))
