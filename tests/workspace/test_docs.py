"""What the pages in docs/ say holds: the lesson can be played, every key and value of the format is
named.
"""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import bpe_studio
from bpe_studio import cli
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.files.lessons.placeholders import QUANTITIES
from bpe_studio.files.lessons.reader import (
    ASK_KEYS,
    LESSON_KEYS,
    OTHER_KEYS,
    PANELS,
    STEP_KEYS,
    list_lessons,
    parse_lesson,
)
from bpe_studio.files.samples import find_sample, list_samples
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.lessons.facts import StepFacts

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
LESSONS = (ROOT / "docs" / "writing-lessons.md").read_text(encoding="utf-8")


def _example():
    found = re.search(r"^```yaml\n(.*?)^```", LESSONS, re.MULTILINE | re.DOTALL)
    assert found is not None
    return parse_lesson(found[1], Path("example.yaml"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pictures_and_pages_that_are_named_are_there(path):
    links = [
        link
        for link in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    for link in links:
        assert (path.parent / link.partition("#")[0]).is_file(), link


@pytest.fixture(scope="module")
def site():
    spec = spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    spec.loader.exec_module(module := module_from_spec(spec))
    return module


def test_the_site_has_every_page_command_and_public_name(site):
    pages = {name: content.decode() for name, content in site.pages().items()}
    assert {path.name for path in PAGES} < set(pages)
    for name in cli.COMMANDS:
        assert f"\n## {name}\n" in pages["commands.md"]
    for name in bpe_studio.__all__:
        assert f".{name}\n" in pages["api.md"] or name.startswith("_")
    listed = re.findall(
        r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    assert sorted(listed) == sorted(pages)


def test_the_site_has_pages_that_live_in_the_place_of_pictures_of_the_gallery(site):
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall('<iframe src="([^"]+)"', site.gallery(gallery))
    lessons = {f"lessons/{entry.id}.html" for entry in list_lessons()}
    assert len(shown) == len(site._LIVING) and set(shown) - lessons == {"live.html", "persian.html"}


def test_the_lesson_of_the_page_can_be_played():
    lesson = _example()
    run = train(Backend().counted(lesson.counts, lesson.settings), lesson.settings)
    typed = ""
    said = []
    answers = []
    for step in lesson.steps:
        typed = step.typed or typed
        at = {"start": 0, "end": len(run.merges)}.get(step.at, step.at)
        facts = StepFacts(run, at, typed)
        said.append(facts.fill(step.say))
        if step.ask is not None:
            assert facts.value(step.ask.computed) is not None
            answers.append(facts.value(step.ask.computed).text)
    assert said[0] == "The typed text has 9 tokens. 2 pairs occur 13 times each."
    assert answers == ["a + i", "5"]


def test_the_page_names_every_key_panel_value_and_sample():
    named = set(
        re.findall(
            r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", LESSONS, flags=re.MULTILINE | re.DOTALL)
        )
    )
    for key in (
        *LESSON_KEYS,
        *STEP_KEYS,
        *ASK_KEYS,
        *OTHER_KEYS,
        *PANELS,
        *(sample.id for sample in list_samples()),
    ):
        assert key in named, key
    for name in QUANTITIES:
        assert f"{{{name}}}" in named, name


def test_the_first_word_of_the_persian_sample_is_the_mark_that_the_page_tells_of():
    corpus = Corpus.from_files([find_sample("persian").path], TrainingConfig.preset("gpt2"))
    assert corpus.pre_token(int(corpus.counts.argmax())) == "\u200c"
    page = (ROOT / "docs" / "exploring-a-corpus.md").read_text(encoding="utf-8")
    assert "In the Persian sample the first of them is an invisible character" in " ".join(
        page.split()
    )
