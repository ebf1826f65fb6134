"""Following a lesson as a person does: chosen from the menu or dropped as a file, answered, stepped
and left.
"""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFontInfo
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QWidget,
)

from bpe_studio.errors import TrainingError
from bpe_studio.files.lessons.reader import read_lesson
from bpe_studio.files.samples import resources_folder
from bpe_studio.gui.lessons.words import in_language
from bpe_studio.workspace.state import State
from tests.gui.hand import CONTROL, Hand
from tests.played_lessons import PLAYED, expected_steps

whole_window = pytest.mark.slow(
    buys=(
        "each follows a lesson in a whole window; a choice, a pair, a step and a wrong file are"
        " among the quick ones"
    )
)

LESSON = """\
title: A short lesson
about: For the tests.
counts: {hug: 10, pug: 5, pun: 12, bun: 4, hugs: 5}
settings: {preset: textbook, merges: 3}
steps:
  - heading: Letters
    say: The corpus has {alphabet} letters.
    look: corpus
    at: start
    type: hug bug
    ask:
      text: Which letter ends the word hug?
      choices: [h: "It comes first.", u, g]
      answer: g
      why: It comes last.
  - heading: The first pair
    say: Now guess.
    look: corpus
    ask:
      text: Which pair is merged next?
      answer: "{next}"
      why: It stands {count} times.
  - heading: How often
    say: Count it.
    at: 1
    ask:
      text: How often stood the pair?
      answer: "{last_count}"
  - heading: فارسی
    say: این متن از راست به چپ است.
    look: skyline
"""


class Learner(Hand):
    """A hand that takes lessons."""

    def __init__(self, window, qtbot):
        super().__init__(window, lambda is_so: qtbot.waitUntil(is_so, timeout=20_000))
        self.workspace = window.workspace
        self.player = window.workspace.lesson
        qtbot.waitExposed(window)

    def wait(self, is_so):
        self.wait_until(is_so)

    def drop(self, path):
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        at = QPointF(300, 300)
        copy = Qt.DropAction.CopyAction
        left = Qt.MouseButton.LeftButton
        none = Qt.NoModifier
        QApplication.sendEvent(self.window, QDragEnterEvent(at.toPoint(), copy, mime, left, none))
        QApplication.sendEvent(self.window, QDropEvent(at, copy, mime, left, none))

    def ready(self, place):
        self.wait(lambda: self.player.place == place and self.player.is_ready)

    def settle(self):
        """Wait for the candidates of the step, if they can be seen."""
        panel = self.window.panels["candidates"]
        self.wait(lambda: panel.is_up_to_date or not panel.isVisible() or is_covered(panel))

    def open(self, text, name):
        self.workspace.opener.open_text(text, name)
        self.wait(
            lambda: self.workspace.corpus.name == name and self.workspace.state is State.ready
        )

    def says(self, name):
        return self.find(name).text().replace("&", "").replace("\xa0", " ")

    def is_there(self, name):
        return any(each.isVisible() for each in self.window.findChildren(QAbstractButton, name))


@pytest.fixture
def learner(lasting_window, qtbot):
    lasting_window.put_back(qtbot, 1280, 720)
    lasting_window.open_another(qtbot)
    return Learner(lasting_window.window, qtbot)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(LESSON, encoding="utf-8")
    return path


@pytest.fixture
def lesson(learner, file):
    """The short lesson, dropped on the window."""
    learner.drop(file)
    learner.ready(0)
    return learner


def test_a_dropped_lesson_brings_its_text_its_words_and_the_panel_to_look_at(lesson):
    window = lesson.window
    assert lesson.says("lesson.heading") == "Letters" and lesson.says("lesson.place") == "1 of 4"
    assert lesson.find("lesson.say").text() == "The corpus has 7 letters."
    assert lesson.workspace.typed_text == "hug bug"
    over = window.panels.place("corpus")
    lesson.wait(lambda: over.isVisible())
    assert window.lessons.panel.isVisible() and not window.lessons.panel.isAncestorOf(over)
    lesson.wait(lambda: lesson.find("lesson.frame").size() == over.size())
    assert not window.strip.isVisible(), "it would say which pair is next"


def test_a_choice_is_answered_by_a_click_or_its_number_until_it_is_right(lesson):
    lesson.click("lesson.choice_1")
    assert lesson.says("lesson.verdict") == "✗ It comes first."
    assert (
        lesson.find("lesson.choice_1").sign == "✗"
        and not lesson.find("lesson.choice_1").isEnabled()
    )
    assert lesson.find("lesson.choice_3").sign == "", "the right one is not told"
    assert not any(label.isVisible() for label in [lesson.window.lessons.panel.question.why])
    lesson.click("lesson.choice_2")
    assert lesson.says("lesson.verdict") == "✗ Not u: try again"
    lesson.find("lesson.next").setFocus()
    lesson.key(Qt.Key.Key_3)
    assert lesson.says("lesson.verdict") == "✓ Right" and lesson.find("lesson.choice_3").sign == "✓"
    assert lesson.says("lesson.why") == "It comes last."
    assert (
        not lesson.is_there("lesson.reveal")
        and lesson.window.focusWidget().objectName() == "lesson.next"
    )


def test_while_a_pair_is_asked_for_no_panel_tells_it(lesson):
    lesson.click("lesson.next")
    lesson.ready(1)
    window = lesson.window
    covers = window.lessons.covers
    assert covers.keys >= {"candidates", "why", "skyline"}
    window.views.show_panel("candidates")
    panel = window.panels["candidates"]
    lesson.wait(lambda: panel.childAt(panel.rect().center()).objectName() == "lesson.cover")
    assert lesson.find("lesson.hidden").isVisible(), "it says so once"
    lesson.type_into("lesson.answer", "u")
    assert not lesson.find("lesson.check").isEnabled()
    lesson.type_into("lesson.answer_right", "n")
    lesson.key(Qt.Key.Key_Return)
    assert "u + n occurs 16 times" in lesson.says("lesson.verdict") and covers.keys
    lesson.type_into("lesson.answer_right", "g")
    lesson.click("lesson.check")
    assert lesson.says("lesson.verdict") == "✓ Right: u + g" and "20" in lesson.says("lesson.why")
    assert not covers.keys and not window.findChild(QWidget, "lesson.hidden").isVisible()


def test_enter_goes_on_checks_an_answer_and_presses_the_button_that_has_the_focus(lesson):
    lesson.find("lesson.next").setFocus()
    lesson.key(Qt.Key.Key_Return)
    lesson.ready(1)
    lesson.type_into("lesson.answer", "u")
    lesson.type_into("lesson.answer_right", "g")
    lesson.key(Qt.Key.Key_Return)
    assert lesson.player.place == 1 and lesson.player.verdict.is_right, "it does not go on at once"
    lesson.key(Qt.Key.Key_Return)
    lesson.ready(2)
    lesson.find("lesson.back").setFocus()
    lesson.key(Qt.Key.Key_Enter)
    lesson.ready(1)
    lesson.player.go(0)
    lesson.ready(0)
    lesson.find("lesson.choice_2").setFocus()
    lesson.key(Qt.Key.Key_Return)
    assert lesson.player.place == 0 and lesson.player.verdict.given == "u"


def test_who_goes_back_to_a_question_finds_its_answer_nowhere(lesson, file):
    file.write_text(
        LESSON.replace(
            "look: corpus\n    ask:\n      text: Which pair",
            "look: merges\n    ask:\n      text: Which pair",
        )
    )
    lesson.drop(file)
    lesson.ready(0)
    window = lesson.window
    table = window.panels["merges"].table.model()
    lesson.player.go(2)
    lesson.ready(2)
    assert table.rowCount() == 1
    lesson.player.back()
    lesson.ready(1)
    assert "merges" not in window.lessons.covers.keys and table.rowCount() == 0
    assert "skyline" in window.lessons.covers.keys
    lesson.player.reveal()
    assert table.rowCount() == 1 and "skyline" not in window.lessons.covers.keys


def test_the_text_of_a_lesson_is_larger_than_that_of_the_panels(lesson):
    said, panels = (
        QFontInfo(each.font()).pixelSize() for each in (lesson.find("lesson.say"), lesson.window)
    )
    assert said >= 16 * panels // 12


def test_a_step_opens_the_tab_that_it_speaks_of(lesson):
    window = lesson.window
    window.views.show_panel("why")
    window.show_view("learn")
    window.lessons.start_file(resources_folder() / "lessons" / "01-hug-pug.yaml")
    lesson.ready(0)
    for place, step in enumerate(lesson.player.lesson.steps):
        lesson.player.go(place)
        lesson.ready(place)
        lesson.wait(lambda step=step: window.panels.place(step.look).isVisible())


def test_steps_by_menu_and_keys_to_the_end_and_out(lesson):
    assert not lesson.find("lesson.back").isEnabled()
    lesson.key(Qt.Key.Key_PageDown, CONTROL)
    lesson.ready(1)
    lesson.key(Qt.Key.Key_PageUp, CONTROL)
    lesson.ready(0)
    lesson.click("lesson.choice_3")
    steps = lesson.window.findChild(QMenu, "lesson.steps")
    steps.aboutToShow.emit()
    steps.actions()[3].trigger()
    lesson.ready(3)
    assert lesson.find("lesson.say").alignment() & Qt.AlignmentFlag.AlignRight, (
        "Persian stands at the right"
    )
    assert lesson.says("lesson.look") == "Show: Skyline"
    assert lesson.says(
        "lesson.state"
    ) == "You answered 1 of 3 questions right." and lesson.is_there("lesson.save")
    assert not lesson.window.panels["skyline"].visibleRegion().isEmpty()
    assert lesson.says("lesson.next") == "Finish"
    lesson.find("lesson.next").setFocus()
    lesson.key(Qt.Key.Key_PageDown)
    window = lesson.window
    assert (
        lesson.player.lesson is None
        and not window.lessons.panel.isVisible()
        and window.strip.isVisible()
    )
    assert lesson.workspace.corpus is not None and not any(
        frame.isVisible() for frame in window.findChildren(QWidget, "lesson.frame")
    )


def test_the_answers_are_saved_as_a_file_to_hand_in(lesson, tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    monkeypatch.setattr("bpe_studio.gui.lessons.controller.ask_for_place", lambda *_: path)
    lesson.click("lesson.choice_1")
    lesson.click("lesson.choice_3")
    lesson.player.go(1)
    lesson.ready(1)
    lesson.click("lesson.reveal")
    lesson.player.go(3)
    lesson.ready(3)
    lesson.click("lesson.save")
    dialog = lesson.window.findChild(QInputDialog, "results.name")
    dialog.setTextValue("Ada")
    dialog.accept()
    results = json.loads(path.read_text(encoding="utf-8"))
    assert (results["name"], results["lesson"], results["score"], results["out_of"]) == (
        "Ada",
        "short",
        1,
        3,
    )
    first, second = results["answers"]
    assert first == {
        "question": "Which letter ends the word hug?",
        "answer": "g",
        "given": ["h", "g"],
        "right": True,
    }
    assert (second["answer"], second["given"], second["right"]) == ("u + g", [], False)
    assert "mine.json" in lesson.says("banner.message")


def test_a_persian_lesson_has_its_words_digits_and_direction(learner, file):
    file.write_text(f"language: Persian\n{LESSON}", encoding="utf-8")
    learner.drop(file)
    learner.ready(0)
    panel = learner.window.lessons.panel
    assert panel.layoutDirection() is Qt.LayoutDirection.RightToLeft
    assert "۷" in learner.says("lesson.say") and "۴" in learner.says("lesson.place")
    assert learner.says("lesson.next") == in_language("Persian", "&Next") != "Next"
    assert in_language("Persian", "Corpus") in learner.says(
        "lesson.look"
    ) and "Corpus" in learner.says("lesson.look")
    learner.player.go(2)
    learner.ready(2)
    learner.type_into("lesson.answer", "۲۰")
    learner.key(Qt.Key.Key_Return)
    assert learner.player.verdict.is_right and "۲۰" in learner.says("lesson.verdict")
    file.write_text(LESSON, encoding="utf-8")
    learner.drop(file)
    learner.ready(0)
    assert (
        panel.layoutDirection() is Qt.LayoutDirection.LeftToRight
        and learner.says("lesson.next") == "Next"
    )


def test_the_cards_and_the_menu_are_in_the_chosen_language(learner):
    window = learner.window
    window.show_view("learn")
    chooser = window.panels["learn"]
    menu = window.menus.lessons
    for language, key in (("Persian", "01-hug-pug.fa"), ("English", "01-hug-pug")):
        chooser.language.setCurrentIndex(chooser.language.findData(language))
        window.lessons.fill_menu()
        assert window.memory.lesson_language == language
        assert chooser.findChild(QAbstractButton, f"learn.start_{key}")
        assert f"learn.lesson.{key}" in [action.objectName() for action in menu.actions()]


def test_a_wrong_file_says_its_line_and_nothing_is_lost(learner, file):
    learner.open("some words", "mine")
    file.write_text(LESSON.replace("answer: g", "answer: x"), encoding="utf-8")
    learner.drop(file)
    told = learner.says("banner.message")
    assert (
        "Could not open the lesson short.yaml" in learner.says("banner.title")
        and "line 14" in told.lower()
    )
    assert learner.workspace.corpus.name == "mine" and learner.player.lesson is None
    assert learner.workspace.state is State.ready


@whole_window
def test_a_template_is_saved_and_can_be_followed(learner, tmp_path, monkeypatch):
    path = tmp_path / "mine.yaml"
    monkeypatch.setattr("bpe_studio.gui.lessons.controller.ask_for_place", lambda *_: path)
    monkeypatch.setattr("bpe_studio.gui.lessons.controller.ask_for_lesson", lambda *_: path)
    learner.window.actions_by_id["learn.template"].trigger()
    learner.wait(learner.window.banner.isVisible)
    assert path.exists() and "mine.yaml" in learner.says("banner.message")
    learner.window.actions_by_id["learn.open"].trigger()
    learner.ready(0)
    assert learner.find("lesson.heading").text()


@whole_window
def test_a_step_that_fails_says_so_and_is_shown_when_it_is_tried_again(learner, file, monkeypatch):
    def fail(*_):
        raise TrainingError("By the test there is no room")

    with monkeypatch.context() as patch:
        patch.setattr(learner.workspace.backend, "trainer", fail)
        learner.drop(file)
        learner.wait(lambda: learner.player.lesson is not None and not learner.player.is_busy)
    state = learner.find("lesson.state")
    assert state.role == "error" and state.text().startswith(
        "⚠ This step could not be prepared. Try again"
    )
    assert learner.says("banner.message") == "By the test there is no room."
    learner.click("lesson.again")
    learner.ready(0)
    assert not state.isVisible() and not learner.is_there("lesson.again")
    assert learner.find("lesson.reveal").isEnabled()


def in_sight(window):
    """What can be read in the window beside the lesson, line by line."""
    covered = [each.parentWidget() for each in window.findChildren(QWidget, "lesson.cover")]
    hidden = [window.lessons.panel, *filter(is_covered, covered)]
    lines = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget in hidden or isinstance(widget, QHeaderView):
            continue
        if any(each.isAncestorOf(widget) for each in hidden):
            continue
        if isinstance(widget, QAbstractItemView):
            lines += rows_of(widget)
        elif isinstance(widget, (QLabel, QAbstractButton, QLineEdit)):
            lines.append(widget.text())
    return [plain_line(line) for line in lines]


def is_covered(widget):
    own = widget.findChildren(QWidget, "lesson.cover", Qt.FindChildOption.FindDirectChildrenOnly)
    return any(each.isVisible() for each in own)


def rows_of(view):
    """The rows of a table; a candidate without the token that it would make."""
    model = view.model()
    for row in range(model.rowCount()):
        cells = [model.index(row, column).data() for column in range(model.columnCount())]
        line = " ".join(str(cell) for cell in cells if cell is not None)
        if view.objectName() == "candidates.table":
            line = re.sub(r" → \S+", "", line)
        yield line


def plain_line(line):
    return " ".join(re.sub("[&\u200e\u200f\u2066-\u2069]", "", line).split())


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_no_answer_is_in_sight_while_a_question_is_open(learner, path):
    learner.window.lessons.start_file(path)
    for place, expected in enumerate(expected_steps(read_lesson(path))):
        learner.player.go(place)
        learner.ready(place)
        if expected["ask"]:
            learner.settle()
            assert list(filter(expected["answers"].search, in_sight(learner.window))) == []
