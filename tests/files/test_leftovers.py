"""What a killed process leaves is removed by the next one; what is in use, or somebody else's, is not."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import pytest

from bpe_studio.files import leftovers
from bpe_studio.files.atomic_file import AtomicFile, atomic_write
from bpe_studio.files.atomic_folder import atomic_folder
from bpe_studio.files.leftovers import PrivateFolder
from tests.files.removals import wait_for_removals

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="what is open there cannot be removed, and needs no lock")


def killed(code: str, *arguments: object) -> None:
    """Run a program that prints a line when it is ready, and kill it then."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        child.kill()
    assert sys.platform == "win32" or child.returncode == -signal.SIGKILL


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


SAVING = """
    import sys, time
    from bpe_studio.files.atomic_file import AtomicFile
    draft = AtomicFile(sys.argv[1])
    with draft.opened() as stream:
        stream.write(b"half of it")
        stream.flush()
        print("ready", flush=True)
        time.sleep(60)
"""


@POSIX
@pytest.mark.parametrize("name", ["a.bin", "نامه", "漢" * 80])
def test_a_file_left_by_a_kill_goes_at_the_next_save_in_its_folder(name: str, tmp_path: Path) -> None:
    killed(SAVING, tmp_path / name)
    assert len(names(tmp_path)) == 1
    atomic_write(tmp_path / "other", b"x")
    assert names(tmp_path) == ["other"]


@POSIX
def test_a_folder_left_by_a_kill_goes_at_the_next_save(tmp_path: Path) -> None:
    code = """
        import sys, time
        from bpe_studio.files import atomic_folder
        def wait(*_):
            print("ready", flush=True)
            time.sleep(60)
        atomic_folder.sync_folder = wait
        atomic_folder.atomic_folder(sys.argv[1], {"vocab.json": b"{}"})
    """
    atomic_folder(tmp_path / "tok", {"vocab.json": b"[]"})
    killed(code, tmp_path / "tok")
    atomic_folder(tmp_path / "tok", {"vocab.json": b"[1]"})
    assert [path.name for path in tmp_path.rglob("*")] == ["tok", "vocab.json"]


@POSIX
def test_what_a_process_still_writes_stays(tmp_path: Path) -> None:
    drafts = [AtomicFile(tmp_path / "a"), AtomicFile(tmp_path / "a")]
    atomic_write(tmp_path / "b", b"x")
    for number, draft in enumerate(drafts):
        with draft.opened() as stream:
            stream.write(b"%d" % number)
        draft.commit()
        draft.release()
    assert names(tmp_path) == ["a", "b"] and (tmp_path / "a").read_bytes() == b"1"


@POSIX
def test_what_is_not_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = f".a.0123456789ab{leftovers.SUFFIX}"
    others = [".notes.0123456789ab.tmp", ".a.tmp", "a.0123456789ab.tmp", f".a.xyz{leftovers.SUFFIX}"]
    for name in (*others, ours, ".a.ba9876543210.tmp"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / f".link.0123456789ab{leftovers.SUFFIX}").symlink_to(tmp_path / "a.0123456789ab.tmp")
    (tmp_path / f".gone.0123456789ab{leftovers.ASIDE_SUFFIX}").mkdir()
    kept = sorted([*others, f".link.0123456789ab{leftovers.SUFFIX}", f".gone.0123456789ab{leftovers.ASIDE_SUFFIX}"])
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 12345)
        atomic_write(tmp_path / "b", b"x")
        assert ours in names(tmp_path), "another user's"
    atomic_write(tmp_path / "a", b"x")
    assert names(tmp_path) == sorted([*kept, "a", "b"])


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@POSIX
def test_a_private_folder_is_its_owners_alone(room: Path) -> None:
    folder = PrivateFolder()
    with os.fdopen(leftovers.open_private(os.path.join(folder.path, "text")), "wb") as stream:
        stream.write(b"secret")
    (place,) = room.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in place.iterdir()} == {0o600}
    del folder
    wait_for_removals()
    assert not list(room.iterdir())


def test_the_thread_of_the_last_reference_does_not_wait_for_the_disk(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, remove = threading.Event(), shutil.rmtree

    def slow_disk(path: str, **options: bool) -> None:
        assert threading.current_thread() is not threading.main_thread() and may_end.wait(20)
        remove(path, **options)

    monkeypatch.setattr(leftovers.shutil, "rmtree", slow_disk)
    folder = PrivateFolder()
    del folder
    assert list(room.iterdir())
    may_end.set()
    wait_for_removals()
    assert not list(room.iterdir())


@POSIX
def test_private_folders_of_killed_processes_go_and_those_in_use_stay(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpe_studio.workspace.backend import Backend

    monkeypatch.setattr(Backend, "warm_up", lambda self: None)
    code = """
        import os, sys, tempfile, time
        tempfile.tempdir = sys.argv[1]
        from bpe_studio.files.leftovers import PrivateFolder
        folder = PrivateFolder()
        open(os.path.join(folder.path, "text"), "w").write("secret")
        print("ready", flush=True)
        time.sleep(60)
    """
    killed(code, room)
    assert len(names(room)) == 1
    used = PrivateFolder()
    assert len(names(room)) == 2
    (room / f"{leftovers.PREFIX}strange").mkdir()
    (room / "other").mkdir()
    # The window does it in the thread that also gets the kernels ready.
    Backend().begin_warm_up().join()
    assert names(room) == sorted([os.path.basename(used.path), f"{leftovers.PREFIX}strange", "other"])
    used.remove()
    assert os.path.basename(used.path) not in names(room)


@POSIX
def test_an_empty_folder_of_a_process_that_was_killed_before_its_lock_is_removed_later(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    empty = Path(tempfile.mkdtemp(prefix=leftovers.PREFIX))
    full, other = Path(tempfile.mkdtemp(prefix=leftovers.PREFIX)), tmp_path / "bpe-studio-of-somebody"
    (full / "mine.txt").write_text("mine")
    other.mkdir()
    leftovers.remove_abandoned()
    assert {empty, full, other} <= set(tmp_path.iterdir()), "another process may just have made it"
    for path in (empty, full, other):
        os.utime(path, (0, 0))
    leftovers.remove_abandoned()
    assert set(tmp_path.iterdir()) == {full, other}


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not say what is open")
def test_texts_that_an_earlier_version_left_without_a_lock_are_removed_unless_a_process_has_them_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, read, other, linked = (Path(tempfile.mkdtemp(prefix=leftovers.PREFIX)) for _ in range(4))
    for folder, second in ((left, "1"), (read, "1"), (other, "2")):
        for name in ("0", second):
            (folder / name).write_text("a corpus")
    (linked / "0").symlink_to(tmp_path / "elsewhere")
    for folder in (left, read, other, linked):
        os.utime(folder, (0, 0))
    with (read / "1").open():
        leftovers.remove_abandoned()
        assert {*tmp_path.iterdir()} == {read, other, linked}
    leftovers.remove_abandoned()
    assert {*tmp_path.iterdir()} == {other, linked}
