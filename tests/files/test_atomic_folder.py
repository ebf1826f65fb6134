"""The files of a folder are replaced together: after a kill at any moment the old or the new ones are there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files import atomic_file, leftovers
from bpe_studio.files.atomic_folder import atomic_folder, restore_folder
from bpe_studio.files.foreign.opening import load
from bpe_studio.files.formats import registry
from tests.files.formats.cases import trained

posix = pytest.mark.skipif(sys.platform == "win32", reason="it forks, and locks files")


@pytest.mark.slow(buys="a process that is killed before each call")
@posix
@pytest.mark.parametrize(("form", "places"), [("gpt2", ["new", "by a link"]), ("huggingface", ["with other files"])])
def test_a_save_that_is_killed_before_any_call_leaves_the_old_tokenizer_or_the_new_one(
    form: str, places: list[str], tmp_path: Path
) -> None:
    program = [sys.executable, "-m", "tests.files.killed_saves", form, os.fspath(tmp_path), *places]
    done = subprocess.run(program, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("killed") == len(places)


def old_and_new(folder: Path) -> Path:
    place = folder / "out"
    atomic_folder(place, {"a": "old", "b": "old"})
    (place / "notes").write_text("mine")
    (place / "a").chmod(0o640)
    return place


def contents(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir()}


def hidden(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.name.startswith(".")]


def test_other_files_and_the_permissions_are_kept(tmp_path: Path) -> None:
    place = old_and_new(tmp_path)
    place.chmod(0o750)
    other = (place / "notes").stat().st_ino
    atomic_folder(place, {"a": "new", "b": "new"})
    assert contents(place) == {"a": "new", "b": "new", "notes": "mine"}
    assert (place / "notes").stat().st_ino == other or sys.platform == "win32"
    if sys.platform != "win32":
        assert place.stat().st_mode & 0o777 == 0o750 and (place / "a").stat().st_mode & 0o777 == 0o640


def refuse_moves(monkeypatch: pytest.MonkeyPatch, is_refused: Callable[[str, str], bool]) -> None:
    move = os.rename

    def rename(source: str, target: str) -> None:
        if is_refused(source, target):
            raise PermissionError(1, "no")
        move(source, target)

    monkeypatch.setattr("bpe_studio.files.atomic_folder.os.rename", rename)


@pytest.mark.parametrize(
    "why", ["working directory", "above it", "mount point", "much besides", "not aside", "not into place"]
)
def test_where_a_folder_cannot_be_exchanged_its_files_are(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = old_and_new(tmp_path)
    before = place.stat().st_ino
    if why == "working directory":
        monkeypatch.chdir(place)
    elif why == "above it":
        (place / "deep").mkdir()
        monkeypatch.chdir(place / "deep")
    elif why == "mount point":
        monkeypatch.setattr("bpe_studio.files.atomic_folder.os.path.ismount", lambda path: path == os.fspath(place))
    elif why == "much besides":
        monkeypatch.setattr("bpe_studio.files.atomic_folder._MAX_CARRIED", 0)
    elif why == "not aside":
        refuse_moves(monkeypatch, lambda source, _target: source == os.fspath(place))
    elif why == "not into place":
        refuse_moves(monkeypatch, lambda source, target: source.endswith(".tmp") and target == os.fspath(place))
    atomic_folder(place, {"a": "new", "b": "new"})
    assert place.stat().st_ino == before
    assert [(place / name).read_text() for name in ("a", "b", "notes")] == ["new", "new", "mine"]
    assert not hidden(tmp_path) and not hidden(place)


@pytest.mark.parametrize("most", [2, 3])
def test_without_hard_links_little_is_copied_and_much_is_left_in_place(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = old_and_new(tmp_path)
    (place / "notes").write_text("its")
    before = place.stat().st_ino

    def link(_source: str, _target: str) -> None:
        raise PermissionError(1, "no")

    monkeypatch.setattr("bpe_studio.files.atomic_folder.os.link", link)
    monkeypatch.setattr("bpe_studio.files.atomic_folder._MAX_COPIED_BYTES", most)
    atomic_folder(place, {"a": "new", "b": "new"})
    assert contents(place) == {"a": "new", "b": "new", "notes": "its"}
    assert (place.stat().st_ino == before) == (most < 3)


def test_a_folder_that_was_moved_aside_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "out"
    registry.save(trained("gpt2", merges=3), place, "gpt2")
    aside = tmp_path / ".out.0123456789ab.bpe-studio.old"
    for path in (place, place / "vocab.json"):
        place.rename(aside)
        assert load(path).n_merges == 3
        assert not hidden(tmp_path)
    # What is at the place is never replaced, and what is not ours never moved.
    for other in (
        ".out.0123456789.bpe-studio.old",
        ".out.0123456789ab.bpe-studio.old.x",
        ".other.0123456789ab.bpe-studio.old",
    ):
        place.rename(tmp_path / other)
        with pytest.raises(TokenizerFormatError, match="does not exist"):
            load(place)
        (tmp_path / other).rename(place)
    (aside / "deep").mkdir(parents=True)
    restore_folder(place)
    assert hidden(tmp_path) == [aside.name]


@posix
def test_what_another_process_writes_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = old_and_new(tmp_path)
    held, left = tmp_path / ".out.0123456789ab.bpe-studio.tmp", tmp_path / ".out.0123456789ac.bpe-studio.old"
    for path in (held, left):
        path.mkdir()
        (path / "a").write_text("x")
    handle = os.open(held, os.O_RDONLY)
    try:
        leftovers.hold(handle)
        atomic_folder(place, {"a": "new", "b": "new"})
        assert hidden(tmp_path) == [held.name]
        # While it is being replaced, a reader waits.
        monkeypatch.setattr("bpe_studio.files.atomic_folder._N_WAITS", 2)
        place.rename(tmp_path / "elsewhere")
        held.rename(left)
        restore_folder(place)
        assert not place.exists()
    finally:
        os.close(handle)
    restore_folder(place)
    assert (place / "a").read_text() == "x"


def test_the_longest_names_can_be_saved(tmp_path: Path) -> None:
    for name in ("n" * 255, "😀" * 63):
        atomic_file.atomic_write(tmp_path / name, "x")
        (tmp_path / name).unlink()
        atomic_folder(tmp_path / name, {"a": "old"})
        atomic_folder(tmp_path / name, {"a": "new"})
        assert contents(tmp_path / name) == {"a": "new"}
    assert len(list(tmp_path.iterdir())) == 2


def test_what_comes_into_the_old_folder_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = old_and_new(tmp_path)
    (place / "deep").mkdir()
    move = os.rename

    def rename(source: str, target: str) -> None:
        if source == os.fspath(place):
            (place / "late").write_text("late")
            (place / "deep" / "late").write_text("late")
        move(source, target)

    monkeypatch.setattr("bpe_studio.files.atomic_folder.os.rename", rename)
    atomic_folder(place, {"a": "new", "b": "new"})
    assert (place / "late").read_text() == (place / "deep" / "late").read_text() == "late"
    assert not hidden(tmp_path)
