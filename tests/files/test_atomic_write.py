"""Saving replaces a file in one move or leaves the old one; the sentence says why."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.atomic_folder import atomic_folder


def fails_with(number):
    def fail(*_args, **_kwargs):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def full_disk(monkeypatch):
    monkeypatch.setattr("bpe_studio.files.atomic_file.os.fsync", fails_with(errno.ENOSPC))


def test_writes_bytes_and_text_as_they_are(tmp_path):
    atomic_write(tmp_path / "a.bin", b"\x00\r\n")
    atomic_write(tmp_path / "a.txt", "é\r\n")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\r\n"
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n".encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bin", "a.txt"]


def test_replaces_and_keeps_permissions_and_links(tmp_path):
    old = tmp_path / "old.txt"
    old.write_text("old")
    old.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(old)
    atomic_write(link, "new")
    assert link.is_symlink()
    assert old.read_text() == "new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_full_disk_leaves_the_old_file(tmp_path, full_disk):
    old = tmp_path / "old.txt"
    old.write_text("old")
    with pytest.raises(SaveError, match="disk is full"):
        atomic_write(old, "new")
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_an_unwritable_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("bpe_studio.files.atomic_file.os.open", fails_with(errno.EACCES))
    with pytest.raises(SaveError, match="may not be written to"):
        atomic_write(tmp_path / "a.txt", "x")


def test_a_file_where_a_folder_is_needed(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(SaveError, match=r"/file is a file, not a folder"):
        atomic_write(tmp_path / "file" / "a.txt", "x")
    with pytest.raises(SaveError, match=r"/file is a file, not a folder"):
        atomic_folder(tmp_path / "file", {"a": "x"})
    with pytest.raises(SaveError, match=r"/file is a file, not a folder"):
        atomic_folder(tmp_path / "file" / "deep", {"a": "x"})
    assert (tmp_path / "file").read_text() == "x"


def test_a_missing_parent_and_a_folder_in_place_of_a_file(tmp_path):
    with pytest.raises(SaveError, match="there is no folder"):
        atomic_write(tmp_path / "no" / "a.txt", "x")
    with pytest.raises(SaveError, match="there is no folder"):
        atomic_folder(tmp_path / "no" / "deep", {"a": "x"})
    with pytest.raises(SaveError, match="it is a folder"):
        atomic_write(tmp_path, "x")
    with pytest.raises(SaveError, match="cannot be the name of a file"):
        atomic_write("a\0b", "x")


def test_a_stray_byte_in_text_is_refused(tmp_path):
    with pytest.raises(SaveError, match="not valid UTF-8"):
        atomic_write(tmp_path / "a.txt", "a\udcff")
    assert not list(tmp_path.iterdir())


def test_a_device_is_written_to_directly():
    atomic_write(os.devnull, "x")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_a_new_folder_appears_whole(tmp_path):
    atomic_folder(tmp_path / "out", {"a.json": "{}", "b.bin": b"\xff"})
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == {"a.json": b"{}", "b.bin": b"\xff"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_folder_keeps_a_persons_other_files(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "a.json").write_text("old")
    atomic_folder(tmp_path, {"a.json": "new", "b.json": "new"})
    there = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert there == {"notes.txt": "mine", "a.json": "new", "b.json": "new"}


def test_a_folder_that_cannot_be_written_stays_as_it_was(tmp_path, full_disk):
    (tmp_path / "a.json").write_text("old")
    with pytest.raises(SaveError, match="disk is full"):
        atomic_folder(tmp_path, {"a.json": "new"})
    with pytest.raises(SaveError, match="disk is full"):
        atomic_folder(tmp_path / "out", {"a.json": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.json": "old"}


def test_files_already_moved_are_put_back(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).write_text("old")
    move = os.replace

    def fail_at_b(source, target):
        if str(target).endswith("/b"):
            raise OSError(errno.EACCES, "no")
        move(source, target)

    monkeypatch.setattr("bpe_studio.files.atomic_folder.os.path.ismount", lambda _path: True)
    monkeypatch.setattr("bpe_studio.files.atomic_folder.os.replace", fail_at_b)
    with pytest.raises(SaveError):
        atomic_folder(tmp_path, {"new": "new", "a": "new", "b": "new", "c": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "old", "b": "old", "c": "old"}


def test_a_folder_that_holds_a_folder_of_that_name(tmp_path):
    (tmp_path / "a.json").mkdir()
    with pytest.raises(SaveError, match="is a folder"):
        atomic_folder(tmp_path, {"a.json": "new"})
