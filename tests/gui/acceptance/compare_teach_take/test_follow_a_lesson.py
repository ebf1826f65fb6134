"""Every lesson of the menu, taken from its first step to its last: what it says, shows, asks and judges.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.learner import Learner
from tests.gui.acceptance.compare_teach_take.plain_bpe import shown
from tests.gui.acceptance.compare_teach_take.plain_lesson import PlainLesson
from tests.published_lessons import PUBLISHED

ROOT = Path(__file__).parents[4]
FILES = sorted(path for path in (ROOT / "resources/lessons").glob("*.yaml") if path.name != "template.yaml")
IDEAS = ("tie", "bytes", "numbers", "forbids", "five languages")


class Pupil(Learner):
    """Takes lessons."""

    def __init__(self, window, qtbot) -> None:
        super().__init__(window, qtbot)
        self.player = window.workspace.lesson

    def take(self, title: str) -> None:
        self.choose_from_menu("Learn", "Take a lesson", title)
        self.window.activateWindow()
        self.ready(0)

    def ready(self, place: int) -> None:
        self.wait(lambda: self.player.place == place and self.player.is_ready)

    def answer(self, given: str | tuple[str, str], choices: tuple[str, ...]) -> None:
        if choices:
            self.click(f"lesson.choice_{choices.index(given) + 1}")
            return
        left, *right = (given,) if isinstance(given, str) else given
        self.type_into("lesson.answer", left)
        if right:
            self.type_into("lesson.answer_right", right[0])
        self.click("lesson.check")


@pytest.fixture
def pupil(window, qtbot):
    window.resize(1280, 720)
    return Pupil(window, qtbot)


def wrong_answer(asked) -> str | tuple[str, str]:
    if asked.choices:
        return next(choice for choice in asked.choices if choice != asked.right)
    if isinstance(asked.right, tuple):
        return asked.right[1], asked.right[0] + "x"
    number = asked.right.replace(",", "")
    return str(int(number) + 1) if number.isdigit() else asked.right + "x"


def front_of(pupil, key):
    return pupil.window.text_panel if key == "text" else pupil.panels[key]


def test_the_menu_holds_what_was_promised():
    titles = [PlainLesson(path).file["title"].lower() for path in FILES]
    assert [path.stem for path in FILES if path.stem in PUBLISHED] == [*PUBLISHED]
    for idea in IDEAS:
        assert any(idea in title for title in titles), idea


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_lesson_is_taken_from_the_first_step_to_the_last(pupil, path):
    lesson = PlainLesson(path)
    pupil.take(lesson.file["title"])
    steps = lesson.file["steps"]
    n_asked = 0
    for place in range(len(steps)):
        said = lesson.enter(place)
        pupil.ready(place)
        assert pupil.says("lesson.place") == f"{place + 1} of {len(steps)}"
        assert pupil.says("lesson.heading") == said["heading"]
        assert pupil.says("lesson.say") == lesson.told(said["say"])
        assert pupil.workspace.step == lesson.step and pupil.workspace.typed_text == lesson.typed
        if "look" in said:
            front = front_of(pupil, said["look"])
            pupil.wait(lambda front=front: not front.visibleRegion().isEmpty())
        assert pupil.says("text.input") == lesson.typed
        asked = lesson.asked(place)
        if asked is not None:
            n_asked += 1
            ask_and_judge(pupil, asked)
        else:
            assert not pupil.is_there("lesson.reveal")
        pupil.click("lesson.next")
    assert not pupil.window.lessons.panel.isVisible(), "the last step's button ends the lesson"
    assert pupil.workspace.corpus is not None and n_asked >= 3
    assert pupil.tokens() == [merge_as_shown(merge) for merge in lesson.run.merges]
    if path.stem in PUBLISHED:
        if pupil.workspace.state is not State.done:
            pupil.learn()
        the_published_merges_are_in_the_merge_list(pupil, PUBLISHED[path.stem])


def merge_as_shown(merge) -> str:
    (left, right), _, _ = merge
    return shown(left + right)


def ask_and_judge(pupil, asked) -> None:
    assert pupil.says("lesson.question") == asked.text
    assert not pupil.window.findChild(QLabel, "lesson.verdict").isVisible(), "nothing is told before an answer"
    if asked.choices:
        texts = [pupil.says(f"lesson.choice_{k + 1}") for k in range(len(asked.choices))]
        assert texts == [*asked.choices]
    wrong = wrong_answer(asked)
    pupil.answer(wrong, asked.choices)
    given = " + ".join(wrong) if isinstance(wrong, tuple) else wrong
    assert pupil.says("lesson.verdict") == f"✗ Not {given}: try again"
    assert not any(label.isVisible() for label in [pupil.window.lessons.panel.question.why]), "it is not told why yet"
    pupil.answer(asked.right, asked.choices)
    assert pupil.says("lesson.verdict").startswith("✓ Right")
    if asked.why:
        assert pupil.says("lesson.why") == asked.why


def the_published_merges_are_in_the_merge_list(pupil, name):
    cases = json.loads((ROOT / "tests/engine/data/textbook_cases.json").read_text(encoding="utf-8"))
    case = next(case for case in cases if case["name"] == name)
    pupil.show_panel("Merges")
    rows = pupil.rows("merges.table")
    # The published names are those of logs: bytes in GPT-2's printable signs.
    published = [merge.split(" ") for merge in case["merges"]]
    spelled = [(shown(bytes_of(left)), shown(bytes_of(right)), count) if is_in_bytes(case) else (left, right, count)
               for left, right, count in published]  # fmt: skip
    assert [(*row[1].split(" + "), row[3]) for row in rows] == spelled
    assert [row[2] for row in rows] == [
        shown(bytes_of(left) + bytes_of(right)) if is_in_bytes(case) else left + right for left, right, _ in published
    ]


def is_in_bytes(case) -> bool:
    return any("Ġ" in each for each in case["counts"])


def bytes_of(name: str) -> bytes:
    """A token's bytes from its name in GPT-2's printable signs."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return bytes(ord(sign) if ord(sign) < 256 else others[ord(sign) - 256] for sign in name)
