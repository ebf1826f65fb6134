"""The README's examples do what it says they do."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Studio

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = "$ python3 -m bpe_studio"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_set_ups() -> None:
    assert [block.strip() for block in _blocks("console")[:2]] == [PROGRAM, "$ python3 -m tests"]


def test_console_examples(studio: Studio, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "resources" / "samples", tmp_path / "resources" / "samples")
    n_run = 0
    for block in _blocks("console")[2:]:
        for example in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
            command, _, expected = example.partition("\n")
            assert command.startswith(PROGRAM + " "), command
            outcome = studio(*shlex.split(command.removeprefix(PROGRAM)))
            assert outcome.status == 0, (command, outcome.err)
            assert outcome.lines == expected.splitlines(), command
            n_run += 1
    assert n_run > 5


def test_python_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in _blocks("python"):
        test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
        assert doctest.DocTestRunner().run(test) == doctest.TestResults(0, len(test.examples))


def test_pictures_are_there() -> None:
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path
