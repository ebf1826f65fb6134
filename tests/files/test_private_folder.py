"""A private folder is gone when nobody uses it; one of a killed process is found by the next."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import pytest

from bpe_studio.files import private_folder
from bpe_studio.files.private_folder import PrivateFolder, abandoned, remove_abandoned
from tests.files.removals import wait_for_removals

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="what is open there cannot be removed, and needs no lock"
)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@posix
def test_it_is_its_owners_alone_and_goes_with_the_last_reference(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = PrivateFolder()
    os.close(private_folder.open_private(os.path.join(folder.path, "text")))
    (place,) = room.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in place.iterdir()} == {0o600}
    may_end = threading.Event()
    remove = shutil.rmtree

    def slow_disk(path: str, **options: bool) -> None:
        assert threading.current_thread() is not threading.main_thread() and may_end.wait(20)
        remove(path, **options)

    monkeypatch.setattr(private_folder.shutil, "rmtree", slow_disk)
    del folder
    assert list(room.iterdir()), "the thread of the last reference does not wait for the disk"
    may_end.set()
    wait_for_removals()
    assert not list(room.iterdir())


@posix
def test_those_of_killed_processes_are_found_and_those_in_use_are_not(room: Path) -> None:
    code = """
        import os, sys, tempfile, time
        tempfile.tempdir = sys.argv[1]
        from bpe_studio.files.private_folder import PrivateFolder
        folder = PrivateFolder()
        open(os.path.join(folder.path, "text"), "w").write("secret")
        print("ready", flush=True)
        time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(room)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        child.kill()
    used = PrivateFolder()
    other = room / "bpe-studio-other"
    other.mkdir()
    (other / "mine").write_text("mine")
    empty = Path(tempfile.mkdtemp(prefix=private_folder.PREFIX))
    (found,) = abandoned()
    assert (Path(found.path) / "text").read_text() == "secret" and abandoned() == []
    found.leave()
    for folder in (other, empty):
        os.utime(folder, (0, 0))
    remove_abandoned()
    assert set(room.iterdir()) == {Path(used.path), other}
    used.remove()
    assert list(room.iterdir()) == [other]
