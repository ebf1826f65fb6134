"""A teacher writes a lesson: the template is saved, changed and followed, and each mistake is told with its line.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog

from tests.gui.acceptance.compare_teach_take.learner import Learner

LESSON = """\
title: Rain and train
about: Three words with one ending.
counts:
  rain: 6
  train: 4
  main: 3
settings:
  preset: textbook
  merges: 4
steps:
  - heading: Three words
    look: corpus
    at: start
    type: rain train
    say: The typed text has {tokens} tokens.
    ask:
      text: Which letters do all of them end in?
      choices: [ain, rai, ra]
      answer: ain
      why: Look at their ends.
  - heading: The first pair
    look: candidates
    at: 1
    say: The pair {last} stood {last_count} times.
    ask:
      text: How many tokens does train have now?
      answer: "{tokens of train}"
"""
MISTAKES = {
    "a panel that there is not": ("    look: corpus\n", "    look: kitchen\n"),
    "a choice that is none": ("      answer: ain\n", "      answer: aim\n"),
    "a count that is no number": ("  train: 4\n", "  train: four\n"),
    "a name that is not known": ("    type: rain train\n", "    typed: rain train\n"),
    "an option that there is not": ("  merges: 4\n", "  mergers: 4\n"),
    "a preset that there is not": ("  preset: textbook\n", "  preset: textbok\n"),
    "a quantity that no run tells": ("    say: The typed text has {tokens} tokens.\n", "    say: It has {token}.\n"),
    "a step that is no number": ("    at: 1\n", "    at: first\n"),
    "a quote that is not closed": ("about: Three words with one ending.\n", 'about: "Three words with one ending.\n'),
    "a tab": ("    at: 1\n", "\tat: 1\n"),
    "a colon in a sentence": ("      why: Look at their ends.\n", "      why: Look: at their: ends.\n"),
    "one choice alone": ("      choices: [ain, rai, ra]\n", "      choices: [ain]\n"),
    "a word twice": ("  main: 3\n", "  rain: 3\n"),
}


@pytest.fixture
def teacher(window, qtbot):
    return Learner(window, qtbot)


def open_lesson(teacher, monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(path), ""))
    teacher.choose_from_menu("Learn", "Open a lesson file…")
    teacher.wait(lambda: not teacher.window.lessons.is_reading)
    teacher.window.activateWindow()


def followed(teacher, place):
    player = teacher.workspace.lesson
    teacher.wait(lambda: player.lesson is not None and player.place == place and player.is_ready)


def test_each_mistake_is_told_by_its_line_and_nothing_is_lost(teacher, monkeypatch, tmp_path):
    teacher.open_sample("hug, pug, pun, bun, hugs")
    teacher.learn()
    teacher.type_text("bug")
    tokens = teacher.tokens()
    path = tmp_path / "mine.yaml"
    told = set()
    for what, (right, wrong) in MISTAKES.items():
        assert LESSON.count(right) == 1, what
        line = LESSON[: LESSON.index(right)].count("\n") + 1
        path.write_text(LESSON.replace(right, wrong), encoding="utf-8")
        open_lesson(teacher, monkeypatch, path)
        said = teacher.told()
        assert f"line {line}:" in said.lower(), f"{what}: {said}"
        assert "mine.yaml" in teacher.says("banner.title")
        told.add(said)
        assert teacher.workspace.lesson.lesson is None and teacher.tokens() == tokens
        assert teacher.workspace.corpus.name == "hug, pug, pun, bun, hugs" and teacher.says("text.input") == "bug"
        assert teacher.workspace.step == len(tokens)
    assert len(told) == len(MISTAKES), "each mistake has its own words"
    # Mended, it is followed.
    path.write_text(LESSON, encoding="utf-8")
    open_lesson(teacher, monkeypatch, path)
    followed(teacher, 0)
    assert teacher.says("lesson.say") == "The typed text has 9 tokens."
    teacher.click("lesson.choice_2")
    assert teacher.says("lesson.verdict").startswith("✗")
    teacher.click("lesson.choice_1")
    assert teacher.says("lesson.why") == "Look at their ends."
    teacher.click("lesson.next")
    followed(teacher, 1)
    assert teacher.says("lesson.say") == "The pair a + i stood 13 times."
    # Of t r ai n one is four.
    teacher.type_into("lesson.answer", "4")
    teacher.click("lesson.check")
    assert teacher.says("lesson.verdict") == "✓ Right: 4"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "utf-8"),
        (b"just a sentence\n", "line 1"),
        (b"a: &a [x]\nb: [*a, *a]\n", "line 2"),
        (b"[" * 5000, "nested"),
        (b"title: " + b"x" * 400_000, "larger"),
    ],
    ids=["empty", "other encoding", "no lesson", "references", "brackets", "large"],
)
def test_a_file_that_is_no_lesson_is_told_in_a_sentence(teacher, monkeypatch, tmp_path, content, said):
    path = tmp_path / "strange.yaml"
    path.write_bytes(content)
    open_lesson(teacher, monkeypatch, path)
    assert said in teacher.told().lower()
    assert teacher.workspace.lesson.lesson is None


def test_a_template_is_saved_changed_and_followed(teacher, monkeypatch, tmp_path):
    path = tmp_path / "template of mine.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    teacher.choose_from_menu("Learn", "Save a lesson template…")
    teacher.wait(teacher.window.banner.isVisible)
    assert path.name in teacher.told()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("title: My lesson", "title: Regen"), encoding="utf-8")
    open_lesson(teacher, monkeypatch, path)
    followed(teacher, 0)
    assert teacher.says("lesson.title") == "Regen"
    n_steps = int(teacher.says("lesson.place").split()[-1])
    for place in range(1, n_steps):
        teacher.click("lesson.next")
        followed(teacher, place)
    assert "{" not in teacher.says("lesson.say")


def test_a_cancelled_choice_changes_nothing(teacher, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: ("", ""))
    teacher.choose_from_menu("Learn", "Open a lesson file…")
    teacher.wait(lambda: not teacher.window.lessons.is_reading)
    assert teacher.workspace.lesson.lesson is None and not teacher.window.banner.isVisible()
