"""Travelling through a run as a person does: breakpoints, stops, bookmarks and the timeline.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent

from bpe_studio.workspace.state import State
from tests.gui.acceptance.see_why.recount import shown
from tests.gui.hand import CONTROL, SHIFT

STOPS = {
    "the token contains": ("ri", lambda learned: b"ri" in learned.token),
    "the token's characters reach": ("6", lambda learned: len(learned.token.decode()) >= 6),
    "a tie decides": ("", lambda learned: learned.n_tied > 1),
    "the pair's count falls below": ("50", lambda learned: learned.count < 50),
    "a word becomes one token": ("bridge", lambda learned: learned.token in (b"bridge", b" bridge")),
}
"""What is chosen and typed in the panel Marks, and the same asked of the recount."""


def add_stop(person, question):
    person.choose("marks.question", question)
    if STOPS[question][0]:
        person.type_into("marks.value", STOPS[question][0])
    person.click("marks.add")


def stops(story, question):
    return [rank + 1 for rank, learned in enumerate(story.merges) if STOPS[question][1](learned)]


def on_timeline(slider, step):
    return QPointF(slider.place_of(step), slider.height() / 2)


def test_the_window_learns_what_the_recount_learns(reader, story):
    rows = reader.rows("merges.table")
    assert [row[2] for row in rows] == [shown(learned.token) for learned in story.merges]
    assert [int(row[3].replace(",", "")) for row in rows] == [learned.count for learned in story.merges]
    assert [int(row[4] or 1) for row in rows] == [learned.n_tied for learned in story.merges]


@pytest.mark.parametrize("question", STOPS)
def test_a_run_stops_at_the_merge_that_a_breakpoint_asks_for(person, story, question):
    person.open_sample("english")
    person.show_panel("Marks")
    add_stop(person, question)
    person.learn()
    first, *others = stops(story, question)
    assert person.workspace.state is State.paused
    assert person.step == first
    assert "Stopped" in person.window.strip.what.text()
    if others and question != "the pair's count falls below":
        person.key(Qt.Key.Key_F5)
        person.wait(lambda: person.step == others[0] and person.workspace.state is State.paused)


def test_from_stop_to_stop_by_keys_and_by_buttons(reader, story):
    reader.show_panel("Marks")
    question = "the token contains"
    add_stop(reader, question)
    wanted = stops(story, question)
    slider = reader.window.transport.slider
    reader.wait(lambda: slider.marks is not None and (slider.marks.stop_ranks + 1).tolist() == wanted)
    reader.go_to(0)
    for step in wanted[:3]:
        reader.key(Qt.Key.Key_F9)
        reader.wait(lambda step=step: reader.step == step)
    reader.click("marks.previous")
    reader.wait(lambda: reader.step == wanted[1])
    reader.key(Qt.Key.Key_F9, SHIFT)
    reader.wait(lambda: reader.step == wanted[0])
    reader.click("marks.next")
    reader.wait(lambda: reader.step == wanted[1])
    breakpoints = reader.find("marks.breakpoints")
    reader.click_row(breakpoints, 0)
    reader.key(Qt.Key.Key_Space)
    reader.wait(lambda: not reader.find("marks.next").isEnabled())
    assert "no breakpoint is on" in reader.find("marks.next").toolTip()
    reader.wait(lambda: len(slider.marks.stop_ranks) == 0)
    reader.click_row(breakpoints, 0)
    reader.key(Qt.Key.Key_Delete)
    reader.wait(lambda: breakpoints.topLevelItemCount() == 0)
    reader.key(Qt.Key.Key_Z, CONTROL)
    reader.wait(lambda: breakpoints.topLevelItemCount() == 1)


def test_the_step_that_was_typed_does_not_stay_when_keys_go_on(reader):
    reader.go_to(20)
    assert reader.find("transport.jump_to").hasFocus()
    reader.key(Qt.Key.Key_F8)
    reader.wait(lambda: reader.workspace.step == 21)
    assert reader.step == 21


def test_what_cannot_be_asked_is_said(reader):
    reader.show_panel("Marks")
    reader.choose("marks.question", "the pair's count falls below")
    reader.type_into("marks.value", "many")
    reader.key(Qt.Key.Key_Return)
    assert "Type a count as a whole number" in reader.text("marks.note")
    assert reader.find("marks.breakpoints").topLevelItemCount() == 0


def test_bookmarks_have_names_and_are_gone_to(reader, story):
    reader.show_panel("Marks")
    reader.go_to(123)
    reader.type_into("marks.name", "Before the flood")
    reader.key(Qt.Key.Key_Return)
    reader.go_to(300)
    reader.click("marks.bookmark")
    named = [(123, "Before the flood"), (300, shown(story.merges[299].token))]
    bookmarks = reader.find("marks.bookmarks")
    texts = lambda: [  # noqa: E731
        (int(bookmarks.topLevelItem(k).text(0)), bookmarks.topLevelItem(k).text(1))
        for k in range(bookmarks.topLevelItemCount())
    ]
    assert texts() == named
    reader.click_row(bookmarks, 0)
    assert reader.step == 123
    reader.key(Qt.Key.Key_F2)
    reader.key(Qt.Key.Key_A, CONTROL)
    reader.type("The flood")
    reader.key(Qt.Key.Key_Return)
    reader.wait(lambda: texts()[0] == (123, "The flood"))
    slider = reader.window.transport.slider
    reader.click(slider, QPoint(round(slider.place_of(300)) + 2, 4))
    assert reader.step == 300, "a click beside a flag goes to just that step"
    assert "Bookmark “The flood”" in slider.words_at(QPointF(slider.place_of(123), 4))
    reader.key(Qt.Key.Key_Z, CONTROL)
    reader.wait(lambda: texts()[0] == (123, "Before the flood"))
    reader.key(Qt.Key.Key_Z, CONTROL)
    reader.wait(lambda: len(texts()) == 1)
    reader.key(Qt.Key.Key_Y, CONTROL)
    reader.wait(lambda: len(texts()) == 2)


def test_ctrl_d_marks_the_step_and_brings_the_list(reader):
    reader.go_to(42)
    reader.key(Qt.Key.Key_D, CONTROL)
    bookmarks = reader.find("marks.bookmarks")
    assert bookmarks.topLevelItem(0).text(0) == "42"


def test_the_timeline_is_dragged(reader, story):
    slider = reader.window.transport.slider
    steps = []
    reader.workspace.step_changed.connect(steps.append)
    reader.press(slider, on_timeline(slider, 573))
    for k in range(1, 20):
        reader.pull(slider, on_timeline(slider, 573 - 23 * k))
        reader.window.repaint()
    reader.release(slider, on_timeline(slider, 136))
    reader.rest()
    assert reader.step == 136 == steps[-1]
    assert steps == sorted(steps, reverse=True)
    assert reader.window.status_line.numbers["n_tokens"].text().replace(",", "") == str(story.tokens(136).total())


def test_the_timeline_is_moved_by_keys(reader):
    slider = reader.window.transport.slider
    reader.click(slider, on_timeline(slider, 300))
    here = reader.step
    assert abs(here - 300) <= 1 and slider.hasFocus()
    page = slider.pageStep()
    for key, step in (
        (Qt.Key.Key_Left, here - 1),
        (Qt.Key.Key_PageDown, here - 1 - page),
        (Qt.Key.Key_PageUp, here - 1),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 573),
    ):
        reader.key(key)
        reader.wait(lambda step=step: reader.step == step)


def test_the_menu_of_a_step_sets_a_bookmark(reader):
    slider = reader.window.transport.slider
    reader.show_panel("Marks")
    reader.go_to(200)
    slider.setFocus(Qt.FocusReason.TabFocusReason)
    place = on_timeline(slider, 200).toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, slider.mapToGlobal(place))
    QCoreApplication.sendEvent(slider, event)
    reader.pick_in_popup("Bookmark step 200")
    reader.wait(lambda: reader.find("marks.bookmarks").topLevelItemCount() == 1)
