"""Using the skyline as a person does: the line is dragged, joints are pointed at, clicked, walked; it is saved.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QToolTip

from tests.gui.acceptance.see_why.conftest import recount_of
from tests.gui.acceptance.see_why.recount import shown
from tests.gui.hand import CONTROL

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


def rank_of(story, token):
    return next(rank for rank, learned in enumerate(story.merges) if learned.token == token)


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


def test_what_is_joined_below_the_line_is_a_token(writer, view, story):
    for step in (0, 5, 60, 573):
        writer.go_to(step)
        picture = view.picture
        text = picture.text
        joined = {gap for gap in picture.joints().tolist() if picture.joint(gap).rank < step}
        assert len(text.symbols) - len(joined) == len(story.tokens_of(TEXT, step))
        for gap in picture.joints().tolist():
            is_below = picture.place_of(gap).top() > picture.line_y(0)
            assert is_below == (picture.joint(gap).rank < step), "by eye and by number"


def test_pointing_at_a_joint_says_which_merge_it_is(writer, view, story):
    rank = rank_of(story, b" the")
    place = writer.joint_place(rank)
    before = view.viewport().grab().toImage()
    writer.hover(view, place)
    assert view.hovered.rank == rank
    assert view.viewport().grab().toImage() != before, "it is lit up"
    event = QHelpEvent(QEvent.Type.ToolTip, place.toPoint(), view.viewport().mapToGlobal(place.toPoint()))
    QApplication.sendEvent(view.viewport(), event)
    learned = story.merges[rank]
    tip = QToolTip.text()
    assert all(shown(each) in tip for each in (*learned.pair, learned.token))
    assert str(learned.count) in tip
    assert writer.step == 573, "looking moves nothing"


def test_a_click_on_a_joint_goes_there_and_asks_why(writer, view, story):
    rank = rank_of(story, b" o")
    writer.click(view, writer.joint_place(rank))
    writer.rest()
    assert writer.step == rank + 1
    assert not writer.panels["why"].visibleRegion().isEmpty()
    assert writer.text("why.what") == f"Merged at step {rank + 1} (rank {rank})"
    assert writer.panels["merges"].model.is_selected(writer.panels["merges"].model.row_of(rank))


def test_the_keys_move_the_line_and_walk_over_the_joints(writer, view, story):
    writer.click(view, QPoint(view.viewport().width() - 4, 4))
    assert view.hasFocus()
    used = sorted({rank for rank, learned in enumerate(story.merges) if _is_used(story, rank, learned)})
    writer.key(Qt.Key.Key_Home)
    writer.wait(lambda: writer.step == 0)
    for rank in used[:3]:
        writer.key(Qt.Key.Key_Up)
        writer.wait(lambda rank=rank: writer.step == rank + 1)
    writer.key(Qt.Key.Key_Down)
    writer.wait(lambda: writer.step == used[2])
    writer.key(Qt.Key.Key_End)
    writer.wait(lambda: writer.step == 573)
    writer.key(Qt.Key.Key_Right)
    first = view.focused
    assert first is not None and f"{first.rank}" in view.accessibleDescription()
    writer.key(Qt.Key.Key_Right)
    assert view.focused.gap > first.gap
    writer.key(Qt.Key.Key_Left)
    assert view.focused.gap == first.gap
    writer.key(Qt.Key.Key_Return)
    writer.wait(lambda: writer.step == first.rank + 1)


def _is_used(story, rank, learned):
    return story.tokens_of(TEXT, rank) != story.tokens_of(TEXT, rank + 1)


def test_zoom_by_keys_wheel_and_buttons(writer, view):
    writer.click("skyline.zoom_in")
    assert (view.zoom, writer.text("skyline.zoom")) == (125, "125 %")
    writer.click(view, QPoint(view.viewport().width() - 4, 4))
    writer.key(Qt.Key.Key_Minus, CONTROL)
    assert view.zoom == 100
    writer.click("skyline.fit")
    assert view.picture.height <= view.viewport().height()


def test_it_is_saved_by_the_button(writer, view, tmp_path, monkeypatch):
    for suffix in ("svg", "png"):
        path = tmp_path / f"words.{suffix}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        writer.click("skyline.export")
        writer.pick_in_popup(f"Save as {suffix.upper()}…")
        writer.wait(lambda path=path: f"saved as {path}" in writer.text("banner.message"))
        assert path.is_file()
    words = [each.text for each in ET.parse(tmp_path / "words.svg").iter("{http://www.w3.org/2000/svg}title")]
    assert words[1:] == ["the", "␣bridge", "␣over", "␣the", "␣water"] or "bridge" in "".join(words)
    image = QImage(str(tmp_path / "words.png"))
    assert image.width() >= 2 * view.picture.width - 2 and not image.isNull()


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
