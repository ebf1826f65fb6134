"""The examples of the pages in docs/ do what is said of them, and the README names what is there."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Studio

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))
}
CHOOSING = PAGES["choosing-a-size"]
PROGRAM = "$ python3 -m bpe_studio"


def _blocks(language: str, page: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_set_ups() -> None:
    assert [block.strip() for block in _blocks("console", README)] == [
        PROGRAM,
        "$ python3 -m tests",
    ]


@pytest.mark.usefixtures("few_characters")
@pytest.mark.parametrize(
    ("page", "n_examples"),
    [
        ("tutorial", 4),
        ("command-line", 26),
        ("corpora", 3),
        ("inspecting-a-corpus", 1),
        ("presets", 3),
    ],
)
def test_console_examples(page: str, n_examples: int, studio: Studio, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "resources" / "samples", tmp_path / "resources" / "samples")
    n_run = 0
    for block in _blocks("console", PAGES[page]):
        for example in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
            command, _, expected = example.partition("\n")
            assert command.startswith(PROGRAM + " "), command
            outcome = studio(*shlex.split(command.removeprefix(PROGRAM)))
            assert outcome.status == 0, (command, outcome.err)
            assert outcome.lines == expected.splitlines(), command
            n_run += 1
    assert n_run == n_examples


def test_console_examples_of_the_page_on_sizes(studio: Studio, tmp_path: Path) -> None:
    """They name files of the reader's; on a small text the steps are as far as it reaches."""
    for name, sample in (("TEXT", "bridge_story.txt"), ("OTHER_TEXT", "python_source.txt")):
        shutil.copy(ROOT / "resources" / "samples" / sample, tmp_path / name)
    (block,) = _blocks("console", CHOOSING)
    train, compare = (shlex.split(line.removeprefix(PROGRAM)) for line in block.splitlines())
    outcome = studio(*train)
    assert outcome.status == 0, outcome.err
    (learned,) = re.findall(r"Learned ([\d,]+) merges", outcome.err)
    place = compare.index("--steps") + 1
    steps = [int(step) for step in compare[place].split(",")]
    compare[place] = ",".join(str(min(step, int(learned.replace(",", "")))) for step in steps)
    outcome = studio(*compare)
    assert outcome.status == 0, outcome.err
    first = outcome.table()[0]
    n_before = int(first["vocab_size"]) - int(first["step"])
    sizes = _numbers("vocabulary")
    assert [step + n_before for step in steps] == sizes[: len(steps)]


def _table(page: str) -> list[dict[str, str]]:
    """The rows of the first table of a page, by its headings."""
    lines = re.findall(r"^\|(.*)\|$", page, re.MULTILINE)
    heads, _, *rows = ([cell.strip() for cell in line.split("|")] for line in lines)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def _numbers(title: str) -> list[int]:
    """A column of the table of sizes."""
    return [int(row[title].replace(",", "")) for row in _table(CHOOSING)]


def test_the_page_on_sizes_decides_by_its_own_numbers() -> None:
    size = _numbers("vocabulary")
    tokens = _numbers("tokens of the corpus")
    rare = _numbers("rare tokens")
    half, whole, double = (size.index(n) for n in (8_000, 16_000, 32_000))
    saved = (tokens[whole] - tokens[double]) / tokens[whole]
    assert f"Doubling it saves {saved:.1%}".replace("%", " %") in CHOOSING
    more = (tokens[half] - tokens[whole]) / tokens[whole]
    assert f"Halving it costs {more:.1%} more".replace("%", " %") in CHOOSING
    assert (
        0.2 < (rare[double] - rare[whole]) / (size[double] - size[whole]) < 0.25
        and "nearly a quarter" in CHOOSING
    )
    assert (
        f"{16_000 * 768 / 1e6:.1f} million" in CHOOSING
        and f"{8_000 * 768 / 1e6:.1f} million" in CHOOSING
    )
    saves = [
        1000 * (1 - tokens[k + 1] / tokens[k]) / (size[k + 1] - size[k]) for k in (0, half, whole)
    ]
    assert [f"{share:.1%}" for share in saves] == ["1.6%", "0.7%", "0.3%"]
    said = " ".join(CHOOSING.split())
    assert (
        "saves 1.6 % of the tokens; between 8,000 and 16,000, 0.7 %; between 16,000 and 32,000,"
        " 0.3 %" in said
    )


@pytest.mark.parametrize("page", ["tutorial", "python", "corpora"])
def test_python_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "resources" / "samples", tmp_path / "resources" / "samples")
    blocks = _blocks("python", PAGES[page])
    assert blocks
    known: dict[str, Any] = {}
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, known, page, page, 0)
        ran = doctest.DocTestRunner().run(test, clear_globs=False)
        assert ran == doctest.TestResults(0, len(test.examples))
        known = test.globs


def test_pictures_and_pages_that_are_named_are_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link.partition("#")[0]).exists(), link
