"""The calls of other libraries on the page for those who know them give what is given by ours
beside them.
"""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = {part.split("\n", 1)[0]: part for part in PAGE.split("\n## ")[1:]}
TEXT = "The bridge leaned, and the mill was 12 years old.\nسلام دنیا 日本語 👍🏽"


@pytest.fixture
def names(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """What the code of a section defines."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "resources" / "samples" / "bridge_story.txt", "corpus.txt")
    known: dict[str, Any] = {"text": TEXT, "texts": [TEXT, "the mill", ""]}
    (block,) = re.findall(
        r"^```python\n(.*?)^```", SECTIONS[request.param], re.MULTILINE | re.DOTALL
    )
    test = doctest.DocTestParser().get_doctest(block, known, request.param, None, None)
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    return test.globs


def _rows(section: str) -> list[list[list[str]]]:
    """The code in each cell of the table, without its heading."""
    lines = re.findall(r"^\| (.*) \|$", SECTIONS[section], re.MULTILINE)[1:]
    return [[re.findall("`([^`]+)`", cell) for cell in line.split(" | ")] for line in lines]


@pytest.mark.parametrize(
    "names", ["tokenizers", "Transformers", "tiktoken", "sentencepiece"], indirect=True
)
def test_both_calls_of_a_line_give_the_same(
    names: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    rows = _rows(request.node.callspec.params["names"])
    assert len(rows) >= 10
    for (left,), (right,) in rows:
        theirs = eval(left, names)
        ours = eval(right, names)
        assert theirs == ours and theirs is not None, (left, right)


@pytest.mark.parametrize("names", ["minbpe"], indirect=True)
def test_calls_in_place_of_those_of_minbpe_work(names: dict[str, Any]) -> None:
    """It has no release that a test could install.

    Its trainers are ours with the first pair on a tie.
    """
    rows = _rows("minbpe")
    assert len(rows) >= 8
    for _, (right,) in rows:
        exec(right, names)
    assert names["ours"].encode(TEXT).ids == names["run"].tokenizer().encode(TEXT).ids
