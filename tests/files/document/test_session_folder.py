"""The folder of unsaved work: written piece by piece, and found again only when its process is gone."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.document import session_folder
from bpe_studio.files.document.session_folder import (
    INDEX,
    Piece,
    SessionFolder,
    kept_sessions,
    piece_of,
)
from tests.campaigns.syscalls import CAN_TRACE, killed_at

ABOUT = {"name": "war.txt", "words": "a branch"}


class Owner:
    """What pieces are of."""

    def __init__(self, content=b""):
        self.content = content
        self.n_reads = 0

    def piece(self, label="all"):
        def make():
            self.n_reads += 1
            return self.content

        return piece_of(self, label, len(self.content), make)


@pytest.fixture
def parent(tmp_path):
    return tmp_path / "state" / "sessions"


@pytest.fixture
def folder(parent):
    folder = SessionFolder(parent)
    yield folder
    folder.remove()


def write(folder, **owners):
    work = folder.write({name: [owner.piece()] for name, owner in owners.items()}, ABOUT)
    for _ in work:
        pass


def left(parent):
    """Sessions as another process finds them once this one is gone."""
    return kept_sessions(parent)


def parts_of(session, tmp_path):
    path = tmp_path / "together.zip"
    for _ in session.put_together(path):
        pass
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_is_read_as_it_was_written(parent, tmp_path):
    folder = SessionFolder(parent)
    write(folder, a=Owner(b"words"), b=Owner(b""))
    folder.leave()
    (session,) = left(parent)
    assert (session.name, session.words) == ("war.txt", "a branch")
    assert parts_of(session, tmp_path) == {"a": b"words", "b": b""}
    session.discard()
    assert os.listdir(parent) == []


def test_only_what_is_new_is_written(folder):
    words, merges = Owner(b"words"), Owner(b"12")
    write(folder, a=words, b=merges)
    sizes = {name: os.stat(folder.path / name) for name in os.listdir(folder.path)}
    merges.content = b"1234"
    write(folder, a=words, b=merges)
    assert words.n_reads == 1, "the words are not read again"
    assert sizes.keys() == set(os.listdir(folder.path)), "what has grown is appended to"
    unchanged = [
        name for name, status in sizes.items() if os.stat(folder.path / name).st_mtime_ns == status.st_mtime_ns
    ]
    assert len(unchanged) == 2, "the lock and the words"


def test_what_is_not_used_any_more_is_removed(folder, parent):
    write(folder, a=Owner(b"one"), b=Owner(b"two"))
    write(folder, a=Owner(b"other"))
    assert len(os.listdir(folder.path)) == 3, "the lock, the index and one piece"


@pytest.mark.skipif(sys.platform == "win32", reason="modes and locks of POSIX")
def test_only_its_owner_can_read_it(folder, parent):
    write(folder, a=Owner(b"secret"))
    assert stat.S_IMODE(parent.stat().st_mode) == stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    pieces = [path for path in folder.path.iterdir() if path.name != INDEX]
    assert {stat.S_IMODE(path.stat().st_mode) for path in pieces} == {0o600}


def test_a_living_process_keeps_its_own(folder, parent):
    write(folder, a=Owner(b"mine"))
    assert left(parent) == []
    assert (folder.path / INDEX).exists()


def test_two_do_not_take_the_same_one(parent):
    folder = SessionFolder(parent)
    write(folder, a=Owner(b"mine"))
    folder.leave()
    first = left(parent)
    assert len(first) == 1 and left(parent) == []
    first[0].leave()
    (again,) = left(parent)
    again.leave()


def test_one_in_which_nothing_was_kept_is_removed(parent):
    SessionFolder(parent).leave()
    assert left(parent) == [] and os.listdir(parent) == []


def test_the_newest_comes_first(parent):
    folders = [SessionFolder(parent) for _ in range(3)]
    for age, folder in enumerate(folders):
        write(folder, a=Owner(b"x"))
        folder.leave()
        os.utime(folder.path / INDEX, (1_000_000 - age, 1_000_000 - age))
    found = left(parent)
    assert [session.path for session in found] == [folder.path for folder in folders]
    for session in found:
        session.discard()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_full_disk_is_said_in_one_sentence_and_leaves_what_was_kept(parent, tmp_path, monkeypatch, code):
    folder = SessionFolder(parent)
    owner = Owner(b"old")
    write(folder, a=owner)

    def full(file, chunk):
        file.write(bytes(chunk)[:1])
        raise OSError(code, os.strerror(code))

    owner.content = b"old and new"
    monkeypatch.setattr(session_folder, "_write_all", full)
    with pytest.raises(SaveError, match="not kept for the case of a crash") as caught:
        write(folder, a=owner)
    assert str(caught.value).count(".") <= 1 + str(folder.path).count(".")
    monkeypatch.undo()
    folder.leave()
    (session,) = left(parent)
    assert parts_of(session, tmp_path) == {"a": b"old"}
    session.leave()


def test_after_a_failure_the_rest_is_written(folder, parent, tmp_path, monkeypatch):
    owner = Owner(b"old")
    write(folder, a=owner)
    owner.content = b"old and new"
    with monkeypatch.context() as patch:
        patch.setattr(session_folder, "atomic_write", lambda *_: (_ for _ in ()).throw(SaveError("full")))
        with pytest.raises(SaveError):
            write(folder, a=owner)
    write(folder, a=owner)
    index = json.loads((folder.path / INDEX).read_bytes())
    ((name, size),) = index["parts"]["a"]
    assert (folder.path / name).read_bytes() == b"old and new" and size == 11


def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    def mkdir(path, *args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))  # root may write everywhere

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(SaveError, match="may not be written to"):
        SessionFolder(tmp_path / "sessions")


def test_a_place_that_is_a_file_is_said(tmp_path):
    (tmp_path / "sessions").write_text("")
    with pytest.raises(SaveError, match="not kept for the case of a crash"):
        SessionFolder(tmp_path / "sessions")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": "other"}', b'{"format": "bpe-studio-session"}', b"\xff"]
)
def test_a_damaged_index_is_left_where_it_is(parent, content):
    folder = SessionFolder(parent)
    write(folder, a=Owner(b"x"))
    (folder.path / INDEX).write_bytes(content)
    folder.leave()
    assert left(parent) == [] and folder.path.exists()


@pytest.mark.parametrize("pieces", [[["../../secret", 1]], [["1", -1]], [["1"]], "1", [["1", True]], [[1, 1]]])
def test_pieces_that_no_session_has_are_refused(parent, pieces):
    folder = SessionFolder(parent)
    write(folder, a=Owner(b"x"))
    values = json.loads((folder.path / INDEX).read_bytes())
    (folder.path / INDEX).write_text(json.dumps({**values, "parts": {"a": pieces}}))
    folder.leave()
    assert left(parent) == []


def test_a_piece_that_is_cut_short_is_said(parent, tmp_path):
    folder = SessionFolder(parent)
    write(folder, a=Owner(b"words"))
    folder.leave()
    (session,) = left(parent)
    for path in folder.path.iterdir():
        if path.name.isdigit():
            path.write_bytes(b"w")
    with pytest.raises(TokenizerFormatError, match="cut short"):
        parts_of(session, tmp_path)
    session.discard()


def test_a_large_piece_is_written_in_blocks(folder):
    content = os.urandom(3 << 20)
    owner = object()
    piece = piece_of(owner, "large", len(content), lambda: content)
    assert isinstance(piece, Piece)
    assert sum(1 for _ in folder.write({"a": [piece]}, ABOUT)) == 3


def _kept_twice(parent):
    """What a process does: it keeps something, then what has grown and what is new, and removes what is not used."""
    folder, owner = SessionFolder(parent), Owner(b"first ")
    write(folder, words=Owner(b"words"), merges=owner, main=Owner(b"one"))
    owner.content += b"second"
    (parent / "kept").touch()
    write(folder, words=Owner(b"other words"), merges=owner, main=Owner(b"two"))
    (parent / "kept again").touch()
    folder.remove()


@pytest.mark.slow(buys="a process killed before each of its calls to the file system")
@pytest.mark.skipif(not CAN_TRACE, reason="ptrace is not allowed here")
def test_killed_before_any_call_it_has_what_was_kept_last(tmp_path):
    old = {"words": b"words", "merges": b"first ", "main": b"one"}
    new = {"words": b"other words", "merges": b"first second", "main": b"two"}
    (tmp_path / "all").mkdir()
    n_calls, status = killed_at(partial(_kept_twice, tmp_path / "all"), None)
    assert status == 0 and n_calls > 30
    found = Counter()
    for call in range(n_calls):
        parent = tmp_path / str(call)
        parent.mkdir()
        killed_at(partial(_kept_twice, parent), call)
        sessions = left(parent)
        is_kept, is_kept_again = (parent / "kept").exists(), (parent / "kept again").exists()
        if sessions:
            (session,) = sessions
            kept = parts_of(session, tmp_path)
            assert kept == new if is_kept_again else kept in (old, new), f"before call {call}"
            found["old" if kept == old else "new"] += 1
            session.discard()
        else:
            # Not kept yet, or just being removed.
            assert not is_kept or is_kept_again, f"before call {call}"
            found["nothing"] += 1
        for folder in parent.glob("session-*"):
            os.utime(folder, (0, 0))  # one in which there is nothing may be another process's that has just made it
        left(parent)
        assert not list(parent.glob("session-*")), f"before call {call}"
    assert min(found[name] for name in ("old", "new", "nothing")) > 3, found
