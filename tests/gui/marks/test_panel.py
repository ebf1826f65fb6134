"""The marks panel, used as a person does: set what stops a run, run, go from stop to stop, name
steps.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.marks.panel import QUESTIONS, BreakpointEditor, MarksPanel
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog "
    "over several green hills and across a wooden bridge\n"
) * 6
N = 40
PATIENCE_MS = 20_000
PLACES = {question: place for place, (question, *_) in enumerate(QUESTIONS)}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("textbook", merges=N))
    yield workspace
    workspace.shutdown()


@pytest.fixture
def panel(shown, workspace):
    return shown(MarksPanel(workspace), 320, 560)


def opened(qtbot, workspace):
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)


def learned(qtbot, workspace):
    opened(qtbot, workspace)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)


def enter(qtbot, panel, question, typed=""):
    editor = panel.editor
    editor.question.setCurrentIndex(PLACES[question])
    if typed:
        editor.value.setFocus()
        editor.value.clear()
        if typed.isascii():
            qtbot.keyClicks(editor.value, typed)
        else:
            editor.value.insert(typed)  # Qt's test keys are Latin
    qtbot.mouseClick(editor.add, LEFT)


def texts(marks_list):
    rows = [marks_list.topLevelItem(place) for place in range(marks_list.topLevelItemCount())]
    return [tuple(row.text(column) for column in range(marks_list.columnCount())) for row in rows]


@pytest.mark.parametrize(
    ("question", "typed", "read"),
    [
        (Question.contains, "th", Breakpoint(Question.contains, "th")),
        (Question.contains, " t", Breakpoint(Question.contains, " t")),
        (Question.length, "8", Breakpoint(Question.length, number=8)),
        (Question.count_below, "12,000", Breakpoint(Question.count_below, number=12_000)),
        (Question.tie, "", Breakpoint(Question.tie)),
        (Question.word, "the", Breakpoint(Question.word, "the")),
    ],
)
def test_what_is_entered_is_set(qtbot, workspace, panel, question, typed, read):
    enter(qtbot, panel, question, typed)
    assert workspace.marks.breakpoints == (read,)
    assert panel.editor.value.text() == "" and not panel.editor.note.isVisible()
    assert len(texts(panel.breakpoints)) == 1


@pytest.mark.parametrize(
    ("question", "typed", "said"),
    [
        (Question.contains, "", "Type the text that the token contains"),
        (Question.word, "", "Type the word"),
        (Question.word, "  ", "a space alone is not one"),
        (Question.length, "", "Type characters as a whole number, such as 8"),
        (Question.length, "0", "Every token has at least 1 character"),
        (Question.count_below, "0", "No count falls below 0"),
        (Question.count_below, "-5", "as a whole number"),
        (Question.count_below, "many", "Type a count as a whole number, such as 100"),
        (Question.count_below, "9" * 40, "as a whole number"),
    ],
)
def test_what_cannot_be_asked_is_said_in_words(qtbot, workspace, panel, question, typed, said):
    enter(qtbot, panel, question, typed)
    assert workspace.marks.breakpoints == ()
    assert panel.editor.note.isVisible() and said in panel.editor.note.text()
    assert panel.editor.value.accessibleDescription() == panel.editor.note.text().removeprefix("⚠ ")
    qtbot.keyClicks(panel.editor.value, "7")
    assert not panel.editor.note.isVisible()


def test_every_question_has_words_and_an_example(qtbot):
    editor = BreakpointEditor()
    qtbot.addWidget(editor)
    assert {question for question, *_ in QUESTIONS} == set(Question)
    for place, (question, words, example, _) in enumerate(QUESTIONS):
        editor.question.setCurrentIndex(place)
        assert editor.value.isEnabled() == (question is not Question.tie)
        assert words in editor.value.accessibleName()
        editor.value.setText(example)
        assert isinstance(editor.read(), Breakpoint)


def test_bookmarks_are_made_renamed_gone_to_and_removed(qtbot, workspace, panel):
    learned(qtbot, workspace)
    workspace.transport.go_to(12)
    panel.name.setFocus()
    qtbot.keyClicks(panel.name, "twelve")
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    workspace.transport.go_to(5)
    qtbot.mouseClick(panel.bookmark, LEFT)
    token = workspace.run.merges[4].token.replace(" ", "␣")
    assert texts(panel.bookmarks) == [("5", token), ("12", "twelve")]
    assert panel.bookmarks.place == 0
    rows = panel.bookmarks
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert workspace.step == 5, "going through the list moves nothing"
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert workspace.step == 12
    assert rows.topLevelItem(1).font(1).bold() and not rows.topLevelItem(0).font(1).bold()
    qtbot.keyClick(rows, Qt.Key.Key_F2)
    editor = rows.findChild(QLineEdit, "marks.new_name")
    assert editor.text() == "twelve"
    editor.clear()
    qtbot.keyClicks(editor, "the first word")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.marks.bookmarks[1] == Bookmark(12, "the first word"))
    assert workspace.step == 12
    place = rows.visualItemRect(rows.topLevelItem(0)).center()
    qtbot.mouseClick(rows.viewport(), LEFT, pos=place)
    assert workspace.step == 5
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert workspace.marks.bookmarks == (Bookmark(12, "the first word"),)
    qtbot.mouseClick(panel.unmark, LEFT)
    assert workspace.marks.bookmarks == ()
