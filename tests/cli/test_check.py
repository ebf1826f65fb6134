"""`bpe-studio check`, and the examples of its page."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import pytest

from bpe_studio.files.document.reading import read_now
from tests.cli.conftest import SAMPLES, Studio

DOCS = SAMPLES.parents[1] / "docs"
PAGE = (DOCS / "check-your-trainer.md").read_text(encoding="utf-8")
GRADING = (DOCS / "grading.md").read_text(encoding="utf-8")
PROGRAM = "$ python3 -m bpe_studio"


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def homework(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLES, tmp_path / "resources" / "samples")
    (tmp_path / "homework.py").write_text(blocks("python")[0], encoding="utf-8")
    return tmp_path


def test_console_examples(homework: Path, studio: Studio) -> None:
    (homework / "merges.txt").write_text("u g\nu n\nh ug\n", encoding="utf-8")
    (homework / "words.jsonl").write_text(blocks("json")[0], encoding="utf-8")
    (homework / "split.py").write_text(blocks("python")[1], encoding="utf-8")
    statuses = []
    for block in blocks("console"):
        command, _, expected = block.partition("\n")
        outcome = studio(*shlex.split(command.removeprefix(PROGRAM)))
        assert outcome.lines == expected.splitlines(), command
        statuses.append(outcome.status)
    assert statuses == [1, 0, 0, 1]


def test_points_by_a_rubric(homework: Path, studio: Studio) -> None:
    (homework / "rubric.yaml").write_text(blocks("yaml", GRADING)[0], encoding="utf-8")
    command = shlex.split(blocks("console")[0].partition("\n")[0].removeprefix(PROGRAM))
    graded = studio(*command, "--grade", "rubric.yaml")
    points = json.loads(graded.out)
    assert graded.status == 0 and points["score"] == sum(test["score"] for test in points["tests"])
    assert [(test["score"], test["max_score"]) for test in points["tests"]] == [
        (4, 4),
        (1.86, 4),
        (0, 2),
    ]
    assert (
        points["tests"][2]["visibility"] == "after_published"
        and "ties-first-seen" in points["output"]
    )
    (homework / "homework.py").write_text(
        "def train(*arguments): raise ValueError", encoding="utf-8"
    )
    points = json.loads(studio(*command, "--grade", "rubric.yaml").out)
    assert points["score"] == 0 and "ValueError in line 1" in points["output"]


def test_the_test_for_otter(homework: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    otter = types.ModuleType("otter.test_files")
    otter.test_case = lambda points: lambda test: test  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "otter.test_files", otter)
    monkeypatch.chdir(homework)
    shutil.copy(SAMPLES / "bridge_story.txt", "corpus.txt")
    # type: ignore[var-annotated]
    student = {}
    tests = {}
    exec(blocks("python")[0], student)
    exec(blocks("python", GRADING)[1], tests)
    tests["test_first_ten"](student)
    with pytest.raises(AssertionError, match="ties-first-seen"):
        tests["test_all"](student)
    homework_class = type("Trainer", (), {"train": staticmethod(student["train"])})
    tests["test_first_ten"]({"train": homework_class})


def test_the_test_for_gradescope_utils(homework: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "gradescope_utils.autograder_utils"
    decorators = types.ModuleType("decorators")
    decorators.weight = lambda points: lambda test: test  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"{package}.decorators", decorators)
    runner = types.ModuleType("runner")
    runner.JSONTestRunner = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"{package}.json_test_runner", runner)
    monkeypatch.chdir(homework)
    (homework / "corpus.txt").write_bytes((SAMPLES / "bridge_story.txt").read_bytes())
    cell = {"cell_type": "code", "source": blocks("python")[0].splitlines(keepends=True)}
    notebook = json.dumps({"cells": [cell], "nbformat": 4})
    (homework / "homework.ipynb").write_text(notebook, encoding="utf-8")
    tests: dict[str, Any] = {}
    exec(blocks("python", GRADING)[0], tests)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(tests["Merges"]).run(result)
    ((failed, reason),) = result.failures
    assert failed.id().endswith("test_all") and "ties-first-seen" in reason
    assert result.testsRun == 2 and not result.errors


@pytest.mark.parametrize(
    ("rubric", "word"),
    [
        ("[", "YAML"),
        ("a: 1", "tests"),
        ("tests: [{points: 1}]", "name"),
        ("tests: [{name: a, point: 1}]", "point"),
        ("tests: [{name: a, points: x}]", "number"),
        ("tests: [{name: a, visibility: all}]", "visibility"),
    ],
)
def test_a_rubric_that_is_wrong(rubric: str, word: str, studio: Studio) -> None:
    Path("rubric.yaml").write_text(rubric, encoding="utf-8")
    assert (
        word
        in studio(
            "check", "merges.txt", SAMPLES / "hug_pug.txt", "--grade", "rubric.yaml"
        ).sentence()
    )
    assert (
        "missing.yaml"
        in studio(
            "check", "merges.txt", SAMPLES / "hug_pug.txt", "--grade", "missing.yaml"
        ).sentence()
    )


def test_an_encoder(studio: Studio) -> None:
    Path("merges.txt").write_text("u g\nu n\nh ug\n", encoding="utf-8")
    Path("words.jsonl").write_text(
        '{"text": "hugs", "tokens": ["h", "ug", "s"]}\n', encoding="utf-8"
    )
    command = (
        "check",
        "merges.txt",
        SAMPLES / "hug_pug.txt",
        "--preset",
        "textbook",
        "--encoded",
        "words.jsonl",
    )
    outcome = studio(*command)
    assert outcome.status == 1 and "“h” “ug” “s” instead of “hug” “s”" in outcome.out
    Path("words.jsonl").write_text('{"text": "hugs"}\n', encoding="utf-8")
    assert "line 1" in studio(*command).sentence()


def test_a_document_with_both_runs(homework: Path, studio: Studio) -> None:
    command = shlex.split(blocks("console")[0].partition("\n")[0].removeprefix(PROGRAM))
    assert studio(*command, "--document", "both.bpe").status == 1
    document = read_now("both.bpe")
    right, given = document.branches
    assert (
        "ties-first-seen" in given.name
        and right.step == given.step == 20
        and right.n_merges == given.n_merges == 43
    )
    assert document.typed_text.split()[0] == "standing"
    pairs = [
        (int(run.columns["left"][20]), int(run.columns["right"][20])) for run in document.branches
    ]
    assert pairs[0] != pairs[1]
    Path("merges.txt").write_text("u g\nu n\nzz q\nu n\n", encoding="utf-8")
    hugs = SAMPLES / "hug_pug.txt"
    assert (
        studio("check", "merges.txt", hugs, "--preset", "textbook", "--document", "both.bpe").status
        == 1
    )
    assert read_now("both.bpe").branches[1].n_merges == 2


def test_a_list_of_any_length(studio: Studio) -> None:
    Path("merges.txt").write_text("u g\nu n\n", encoding="utf-8")
    command = ("check", "merges.txt", SAMPLES / "hug_pug.txt", "--preset", "textbook")
    assert studio(*command).status == 0
    Path("other.txt").write_text(
        (SAMPLES / "hug_pug.txt").read_text(encoding="utf-8"), encoding="utf-16"
    )
    assert studio("check", "merges.txt", "other.txt", "--preset", "textbook").status == 0
    outcome = studio(*command, "--merges", "3", "--json")
    found = json.loads(outcome.out)
    assert outcome.status == 1 and [found["n_right"], found["n_expected"]] == [2, 3]
    assert "size-one-less" in [mistake["name"] for mistake in found["mistakes"]]
    assert "missing.txt" in studio("check", "missing.txt", SAMPLES / "hug_pug.txt").sentence()


@pytest.mark.slow(buys="pytest in a process of its own")
def test_the_fixture_for_pytest(homework: Path) -> None:
    (homework / "test_homework.py").write_text(
        f"import bpe_studio as bpe\n\n{blocks('python')[2]}", encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "bpe_studio.pytest_plugin",
        "test_homework.py",
    ]
    environment = {**os.environ, "PYTHONPATH": str(SAMPLES.parents[1])}
    ran = subprocess.run(
        command, cwd=homework, env=environment, capture_output=True, text=True, check=False
    )
    assert "1 failed" in ran.stdout and "ties-" in ran.stdout, ran.stdout + ran.stderr


def test_a_split(homework: Path, studio: Studio) -> None:
    Path("split.py").write_text(blocks("python")[1], encoding="utf-8")
    Path("text.txt").write_text("one two\nthree_four 12345\n", encoding="utf-8")
    command = ("check", "--split", "split.py", "--split-name")
    outcome = studio(*command, "gpt2", "text.txt", "--json")
    found = json.loads(outcome.out)
    assert outcome.status == 1 and not found["right"]
    assert [found["piece"], found["start"], found["given"], found["expected"]] == [
        4,
        13,
        "four",
        "_",
    ]
    assert found["mistake"] == "re-for-regex"
    right = studio(*command, r"regex:[^\W_]+|\s+", "text.txt", "--json")
    assert right.status == 1 and not json.loads(right.out)["right"]
    Path("right.json").write_text('["one", " two", "\\n", "three", "_", "four", " 12345", "\\n"]')
    assert studio("check", "--split", "right.json", "text.txt").status == 0
    rubric = {"tests": [{"name": "a", "points": 2, "merges": 4}, {"name": "b", "points": 1}]}
    Path("rubric.json").write_text(json.dumps(rubric), encoding="utf-8")
    graded = json.loads(studio(*command, "gpt2", "text.txt", "--grade", "rubric.json").out)
    assert graded["score"] == 2
    assert studio("check", "merges.txt", "text.txt", "--split", "nothing").status == 2
    assert studio("check", "--split", "missing.json", "text.txt").status == 1
