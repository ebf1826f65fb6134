"""Saves tokenizers, killed before each call that touches the disk, and looks at what is left.

A program of its own, as it forks: `python -m tests.files.killed_saves FORMAT FOLDER [PLACE ...]`. It says how often it
was killed, or raises. What is written is not forced to the disk, which would take minutes: a kill loses nothing of it.
"""

from __future__ import annotations

import builtins
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from bpe_studio.files.formats import registry
from bpe_studio.files.third_party.opening import load
from tests.files.formats.cases import trained

CALLS = ("open", "mkdir", "rename", "replace", "unlink", "rmdir", "link", "symlink", "fsync", "chmod", "chown", "utime",
         "scandir", "write", "truncate", "close")  # fmt: skip
_KILLED = 9
OLD, NEW = 10, 25
TEXT = "the lowest newest low"


def killed_before(n: int, action: Callable[[], object]) -> bool:
    """Whether a process was killed before its n-th call that touches the disk; otherwise the action was finished."""
    child = os.fork()
    if not child:
        try:
            n_calls = 0

            def counted(call: Callable[..., object]) -> Callable[..., object]:
                def run(*args: object, **options: object) -> object:
                    nonlocal n_calls
                    n_calls += 1
                    if n_calls == n:
                        os._exit(_KILLED)
                    return call(*args, **options)

                return run

            for name in CALLS:
                if hasattr(os, name):
                    setattr(os, name, counted(getattr(os, name)))
            builtins.open = counted(open)  # type: ignore[assignment]
            action()
        except BaseException as error:
            sys.stderr.write(f"{error!r}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, _KILLED), status
    return status == _KILLED


def kinds_of_place(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Where a tokenizer is saved: the path that is named, and the folder that this is."""
    return {
        "new": (folder / "new", folder / "new"),
        "over an old one": (folder / "there", folder / "there"),
        "with other files": (folder / "other", folder / "other"),
        "by a link": (folder / "link", folder / "real"),
    }


def prepare(kind: str, place: Path, form: str) -> None:
    if kind == "by a link":
        place.with_name("link").symlink_to(place)
    if kind != "new":
        registry.save(trained("gpt2", merges=OLD), place, form)
    if kind == "with other files":
        (place / "notes.txt").write_text("mine")
        (place / "deep" / "er").mkdir(parents=True)
        (place / "deep" / "er" / "notes.txt").write_text("also mine")
        (place / "deep" / "link").symlink_to("er")


def check(kind: str, path: Path, place: Path, ids: dict[str, list[int]], *, may_be_missing: bool) -> str:
    """Which tokenizer is there; what is besides it is whole."""
    found = ""
    if may_be_missing and not place.exists():
        return found
    tokens = load(path).encode(TEXT).ids
    found = next(name for name, expected in ids.items() if expected == tokens)
    if kind == "with other files":
        assert (place / "notes.txt").read_text() == "mine"
        assert (place / "deep" / "link" / "notes.txt").read_text() == "also mine"
    return found


def kill_everywhere(kind: str, form: str, folder: Path) -> tuple[int, set[str]]:
    """Kill a save before each of its calls; how often, and what was found afterwards."""
    sizes = {"old": OLD, "new": NEW}
    ids = {name: trained("gpt2", merges=size).encode(TEXT).ids for name, size in sizes.items()}
    found = set()
    for n in range(1, 10_000):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path, place = kinds_of_place(folder)[kind]
        prepare(kind, place, form)
        was_killed = killed_before(n, lambda path=path: registry.save(trained("gpt2", merges=NEW), path, form))
        found.add(check(kind, path, place, ids, may_be_missing=kind == "new"))
        expected = "old" if was_killed else "new"
        registry.save(trained("gpt2", merges=sizes[expected]), path, form)
        assert check(kind, path, place, ids, may_be_missing=False) == expected
        left = {each.name for each in folder.iterdir()} - {path.name, place.name}
        assert not left, f"killed before call {n}: {left}"
        inside = [each for each in place.rglob("*") if each.name.startswith(".")]
        assert not inside, f"killed before call {n}: {inside}"
        if not was_killed:
            return n - 1, found
    raise AssertionError("the save does not end")


if __name__ == "__main__":
    form, folder = sys.argv[1], Path(sys.argv[2])
    os.fsync = lambda _handle: None
    for kind in sys.argv[3:] or kinds_of_place(folder):
        n_killed, found = kill_everywhere(kind, form, folder / "work")
        sys.stdout.write(f"{form}, {kind}: killed {n_killed} times, found {sorted(found)}\n")
        assert n_killed > 10 and found == ({"", "new"} if kind == "new" else {"old", "new"})
