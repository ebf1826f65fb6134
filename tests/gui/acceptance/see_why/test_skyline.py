"""Using the skyline as a person does: the line is dragged, joints are pointed at, clicked, walked; it is saved.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from tests.gui.acceptance.see_why.conftest import recount_of

TEXT = "the bridge over the water"


@pytest.fixture
def writer(reader):
    """A person who has typed a text under the learned sample."""
    reader.click("text.input")
    reader.type(TEXT)
    reader.rest()
    return reader


@pytest.fixture
def view(writer):
    return writer.panels["skyline"].view


def shown_tokens(person):
    return int(person.panels["skyline"].readout.text().partition(" ")[0].replace(",", ""))


def line(view):
    """A place on the horizontal line, left of the words."""
    return QPointF(view.picture.left - 6, view.picture.line_y(0)) - view._seen().topLeft()


def test_dragging_the_line_is_choosing_the_vocabulary_size(writer, view, story):
    start = line(view)
    down = QPointF(start.x(), view.viewport().height() * 0.55)
    writer.drag(view, start, down)
    writer.rest()
    first = writer.step
    assert 0 < first < 573
    vocabulary = int(writer.window.status_line.numbers["vocab_size"].text().replace(",", ""))
    assert vocabulary == 257 + first
    assert shown_tokens(writer) == len(story.tokens_of(TEXT, first))
    assert abs(view.picture.line_y(0) - down.y()) < 8, "the line stays under the hand"
    writer.drag(view, line(view), QPointF(start.x(), view.viewport().height() - 2))
    writer.rest()
    assert writer.step < first
    assert shown_tokens(writer) == len(story.tokens_of(TEXT, writer.step))


def test_persian_stands_and_walks_from_right_to_left(person):
    text = "باغ و آب"
    person.open_sample("persian")
    person.learn()
    person.click("text.input")
    person.type(text)
    person.wait(lambda: bool(person.panels["skyline"].readout.text()))
    person.rest()
    view, garden = person.panels["skyline"].view, recount_of("persian")
    end = person.step
    assert end == len(garden.merges)
    assert shown_tokens(person) == len(garden.tokens_of(text, end))
    row = view.picture.rows.row(0)
    assert row.is_rtl
    gaps = view.picture.joints().tolist()
    assert view.picture.place_of(gaps[0]).center().x() > view.picture.place_of(gaps[-1]).center().x()
    person.click(view, QPoint(view.viewport().width() - 4, 4))
    person.key(Qt.Key.Key_Right)
    first = view.focused.gap
    person.key(Qt.Key.Key_Left)
    assert view.focused.gap > first, "to the left is on"
    rank = view.focused.rank
    person.key(Qt.Key.Key_Return)
    person.wait(lambda: person.step == rank + 1)
    person.rest()
    assert shown_tokens(person) == len(garden.tokens_of(text, rank + 1))
