"""Saving replaces a file in one move or leaves the old one; the sentence says why."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_studio.errors import SaveError
from bpe_studio.files.atomic_file import atomic_file, atomic_write
from tests.files.saving_at_once import save_at_once


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def fails_with(number: int) -> Callable[..., None]:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_bytes_and_text_are_written_as_they_are(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a.bin", b"\x00\r\n")
    atomic_write(tmp_path / "a.txt", "é\r\n")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\r\n"
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n".encode()
    assert names(tmp_path) == ["a.bin", "a.txt"]


def test_it_takes_its_place_when_it_is_whole_with_the_permissions_of_the_old_one(
    tmp_path: Path,
) -> None:
    old = tmp_path / "old.txt"
    link = tmp_path / "link.txt"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    with atomic_file(link) as stream:
        stream.write(b"new")
        assert old.read_text() == "old"
    assert (
        link.is_symlink()
        and old.read_text() == "new"
        and names(tmp_path) == ["link.txt", "old.txt"]
    )
    assert sys.platform == "win32" or stat.S_IMODE(old.stat().st_mode) == 0o640


def test_after_an_error_the_old_file_is_there_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.txt"
    old.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_file(old) as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    monkeypatch.setattr("bpe_studio.files.atomic_file.os.fsync", fails_with(errno.ENOSPC))
    with pytest.raises(SaveError, match="disk is full"):
        atomic_write(old, "new")
    assert old.read_text() == "old" and names(tmp_path) == ["old.txt"]


def test_what_cannot_be_written_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    for place, said in (
        (tmp_path / "no" / "a", "there is no folder"),
        (tmp_path / "file" / "a", r"/file is a file, not a folder"),
        (tmp_path, "it is a folder"),
        ("a\0b", "cannot be the name of a file"),
    ):
        with pytest.raises(SaveError, match=said):
            atomic_write(place, "x")
    with pytest.raises(SaveError, match="not valid UTF-8"):
        atomic_write(tmp_path / "a.txt", "a\udcff")
    monkeypatch.setattr("bpe_studio.files.atomic_file.os.replace", fails_with(errno.EACCES))
    with pytest.raises(SaveError, match="cannot write to"):
        atomic_write(tmp_path / "a.txt", "x")
    assert names(tmp_path) == ["file"]


def test_a_later_save_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    left, used, other = (
        tmp_path / f".{name}"
        for name in ("a.0123456789ab.bpe-studio.tmp", "a.0123456789ac.bpe-studio.tmp", "a.tmp")
    )
    for each in (left, used, other):
        each.write_text("x")
    for each in (left, other):
        os.utime(each, (0, 0))
    atomic_write(tmp_path / "b", "x")
    assert names(tmp_path) == sorted([used.name, other.name, "b"])


def test_of_many_that_save_at_once_the_last_one_wins(tmp_path: Path) -> None:
    save_at_once(lambda number: atomic_write(tmp_path / "a", str(number) * 100_000))
    assert names(tmp_path) == ["a"]
    assert (
        set((tmp_path / "a").read_text()) < set("0123456789")
        and len(set((tmp_path / "a").read_text())) == 1
    )
