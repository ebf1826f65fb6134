"""The files of a folder are replaced together: after a kill at any moment the old or the new ones
are there.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.atomic_folder import atomic_folder
from bpe_studio.files.loading import load
from tests.files.formats.cases import trained
from tests.files.saving_at_once import save_at_once
from tests.files.test_atomic_file import fails_with, names

posix = pytest.mark.skipif(sys.platform == "win32", reason="it forks")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "out"
    atomic_folder(place, {"a": "old", "b": "old"})
    (place / "notes").write_text("mine")
    return place


def contents(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir()}


def test_other_files_and_the_permissions_are_kept(place: Path) -> None:
    (place / "a").chmod(0o640)
    place.chmod(0o750)
    other = (place / "notes").stat().st_ino
    atomic_folder(place, {"a": "new", "b": b"new"})
    assert contents(place) == {"a": "new", "b": "new", "notes": "mine"} and names(place.parent) == [
        "out"
    ]
    if sys.platform != "win32":
        assert (place / "notes").stat().st_ino == other, "linked, not copied"
        assert (
            place.stat().st_mode & 0o777 == 0o750 and (place / "a").stat().st_mode & 0o777 == 0o640
        )


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("working folder", "working folder"),
        ("mount point", "mounted"),
        ("many files", "other files"),
        ("folder of that name", "is a folder"),
        ("full disk", "disk is full"),
        ("not renamed", "cannot write"),
    ],
)
def test_a_folder_that_cannot_be_replaced_is_refused_and_stays_as_it_was(
    why: str, said: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "bpe_studio.files.atomic_folder"
    files = {"a": "new", "b": "new"}
    if why == "working folder":
        (place / "deep").mkdir()
        monkeypatch.chdir(place / "deep")
        files |= {"c": "new"}
    elif why == "mount point":
        monkeypatch.setattr(f"{module}.os.path.ismount", lambda path: path == os.fspath(place))
    elif why == "many files":
        monkeypatch.setattr(f"{module}._MOST_OTHERS", 2)
    elif why == "folder of that name":
        files["deep"] = "new"
        (place / "deep").mkdir()
    elif why == "full disk":
        monkeypatch.setattr(f"{module}.os.fsync", fails_with(errno.ENOSPC))
    else:
        monkeypatch.setattr(f"{module}.os.rename", fails_with(errno.EACCES))
    with pytest.raises(SaveError, match=said):
        atomic_folder(place, files)
    assert [(place / name).read_text() for name in ("a", "b", "notes")] == ["old", "old", "mine"]
    assert names(place.parent) == ["out"] and not (place / "c").exists()


def test_a_folder_that_was_renamed_when_the_process_was_killed_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "out"
    trained("gpt2", merges=3).save(place, "gpt2")
    for path in (place, place / "vocab.json"):
        place.rename(tmp_path / ".out.bpe-studio.old")
        assert load(path).n_merges == 3
        assert names(tmp_path) == ["out"]
    # What is not ours is never moved.
    place.rename(tmp_path / ".other.bpe-studio.old")
    with pytest.raises(TokenizerFormatError, match="does not exist"):
        load(place)


def test_of_many_that_save_at_once_each_waits_for_the_others(place: Path) -> None:
    save_at_once(lambda number: atomic_folder(place, {"a": str(number), "b": str(number)}))
    found = contents(place)
    assert (
        found["a"] == found["b"] != "old"
        and found["notes"] == "mine"
        and names(place.parent) == ["out"]
    )
