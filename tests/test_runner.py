"""`python3 -m tests`: what pytest is called with, and that hypothesis tries as many examples as its profile says."""

from __future__ import annotations

import os
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from hypothesis import configuration, given, settings
from hypothesis import strategies as st

from tests.__main__ import MOST_WORKERS, keep_compiled_modules, n_cores, n_workers, pytest_arguments
from tests.compiling import compile_with_others
from tests.examples import QUICK, THOROUGH, USUAL, examples, list_characters

PARALLEL = ["-n", "2", "--dist", "worksteal"]


@pytest.mark.parametrize(
    ("given_", "called_with"),
    [
        ([], PARALLEL),
        (["tests/engine", "-x"], [*PARALLEL, "tests/engine", "-x"]),
        (["--quick"], ["-m", "not slow", "--hypothesis-profile=quick", *PARALLEL]),
        (["tests/engine", "-k", "ties"], ["tests/engine", "-k", "ties"]),
        (["tests/test_runner.py"], ["tests/test_runner.py"]),
        (["--quick", "--lf"], ["-m", "not slow", "--hypothesis-profile=quick", "--lf"]),
        (["-n4", "tests/gui"], ["-n4", "tests/gui"]),
        (["-p", "no:xdist"], ["-p", "no:xdist"]),
        (["--pdb"], ["--pdb"]),
    ],
)
def test_many_tests_run_on_all_cores_and_few_in_this_process(given_: list[str], called_with: list[str]) -> None:
    assert pytest_arguments(given_, 2) == called_with


def test_there_is_one_process_more_than_cores_within_limits() -> None:
    assert [n_workers(n) for n in (1, 2, 4, 64)] == [1, 3, 5, MOST_WORKERS]


def test_one_core_runs_all_in_this_process() -> None:
    assert pytest_arguments(["tests/gui"], 1) == ["tests/gui"]
    assert n_cores() >= 1


def test_compiled_modules_are_kept_unless_the_command_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    keep_compiled_modules()
    assert sys.dont_write_bytecode
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    keep_compiled_modules()
    assert not sys.dont_write_bytecode and "PYTHONDONTWRITEBYTECODE" not in os.environ


@pytest.mark.parametrize(("profile", "n"), [("usual", USUAL), ("quick", QUICK), ("thorough", THOROUGH)])
def test_each_profile_has_its_number_of_examples(profile: str, n: int) -> None:
    before = settings()
    tried = []
    settings.load_profile(profile)
    try:

        @settings(max_examples=examples(2 * USUAL), database=None)
        @given(st.integers())
        def look(number: int) -> None:
            tried.append(number)

        look()
    finally:
        settings.register_profile("before", before)
        settings.load_profile("before")
    assert len(tried) == 2 * n


def test_processes_compile_what_no_other_has_compiled(
    tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", tmp_path / "found")
    (tmp_path / "inner").mkdir()
    for name in ("one.py", "inner/two.py", "test_three.py", "inner/conftest.py"):
        (tmp_path / name).write_text(f"def check(x):\n    assert x == 3, '{name}'\n", "utf-8")
    assert compile_with_others(pytestconfig, [tmp_path], "gw0") == 4
    assert compile_with_others(pytestconfig, [tmp_path], "gw1") == 0
    found = "".join(path.read_text("utf-8") for path in (tmp_path / "found" / "constants").iterdir())
    assert "'one.py'" in found and "'inner/two.py'" in found, "what hypothesis looks for in the package"
    kept = {path.name.split(".")[0]: path for path in tmp_path.rglob("*.pyc")}
    for name in ("test_three", "conftest"):
        source = next(tmp_path.rglob(f"{name}.py"))
        assert rewrite._read_pyc(source, kept[name]) is not None, "what pytest imports"
        kept.pop(name)
    assert {name: path.read_bytes()[:4] == MAGIC_NUMBER for name, path in kept.items()} == {"one": True, "two": True}


def test_the_list_of_characters_is_kept_for_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charmap = pytest.importorskip("hypothesis.internal.charmap")
    listed = charmap.charmap()
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", tmp_path)
    monkeypatch.setattr(charmap, "_charmap", None)
    monkeypatch.setattr(sys, "maxunicode", 1000)  # instead of all, which take a second
    charmap.intervals_from_codec.cache_clear()
    try:
        list_characters()
    finally:
        charmap.intervals_from_codec.cache_clear()
    assert set(charmap.charmap()) < set(listed)
    assert sorted(path.name.partition(".")[0] for path in tmp_path.rglob("*.gz")) == ["charmap", "codec-v2-utf-8"]
