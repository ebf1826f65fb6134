"""Travelling through a run as a person does: breakpoints, stops, bookmarks and the timeline.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.workspace.state import State

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


@pytest.mark.parametrize("question", STOPS)
def test_a_run_stops_at_the_merge_that_a_breakpoint_asks_for(person, story, question):
    person.open_sample("english")
    person.show_panel("Stops and bookmarks")
    add_stop(person, question)
    person.learn()
    first, *others = stops(story, question)
    assert person.workspace.state is State.paused
    assert person.step == first
    assert "Stopped" in person.window.strip.what.text()
    if others and question != "the pair's count falls below":
        person.key(Qt.Key.Key_F5)
        person.wait(lambda: person.step == others[0] and person.workspace.state is State.paused)
