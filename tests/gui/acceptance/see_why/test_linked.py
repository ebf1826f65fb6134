"""Linked everywhere: what is picked in one panel is marked in all the others, and nothing moves or is picked again.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.workspace.selection import highlighted_places
from tests.gui.acceptance.see_why.recount import shown
from tests.gui.hand import CONTROL

TOKEN = b" the"
TEXT = "the bridge over the water"


@pytest.fixture
def writer(reader):
    """A person who has typed a text and looks at a step behind the birth of the token."""
    reader.click("text.input")
    reader.type(TEXT)
    reader.go_to(60)
    return reader


def marks(person):
    """Where the pick is marked: the token that each panel marks, as it writes it."""
    window, run, panels = person.window, person.workspace.run, person.panels
    pick, found = person.workspace.selection.current, {}
    merges = panels["merges"].model
    found["merges"] = [merges.names_of(merges.source_row(row))[2] for row in range(merges.rowCount())
                       if merges.is_selected(row)]  # fmt: skip
    candidates = panels["candidates"].model
    found["candidates"] = [row for row in range(candidates.rowCount()) if candidates.is_selected(row)]
    words = panels["words"].model
    found["words"] = {
        cut.names[place]
        for row in range(20)
        if (cut := words.cut(words.source_row(row))) is not None
        for place in words.highlighted(cut)
    }
    ids = window.text_panel.editor.live.tokens(person.step).ids.tolist()
    found["text"] = {shown(run.token_content(ids[place])) for place in highlighted_places(ids, pick)}
    found["skyline"] = {shown(run.token_content(each)) for each in panels["skyline"].view.picture.lights.selected}
    found["timeline"] = window.transport.slider.selected
    found["why"] = [link.text for link in person.find("why.picked").links] if panels["why"].isVisible() else None
    return found


def pick_in_merges(person, rank):
    person.click_row("merges.table", rank)


def pick_in_skyline(person, rank):
    person.click(person.panels["skyline"].view, person.joint_place(rank))


def pick_in_text(person, rank):
    editor = person.window.text_panel.editor
    ids = editor.live.tokens(person.step).ids.tolist()
    token = person.workspace.run.n_alphabet + rank
    assert token in ids
    text = editor.text()
    cursor = editor.textCursor()
    cursor.setPosition(text.index(" the") + 2)
    person.click(editor, editor.cursorRect(cursor).center())


@pytest.mark.parametrize("pick", [pick_in_merges, pick_in_skyline, pick_in_text])
def test_a_token_is_marked_everywhere_wherever_it_was_picked(writer, story, pick):
    rank = next(rank for rank, learned in enumerate(story.merges) if learned.token == TOKEN)
    pick(writer, rank)
    writer.key(Qt.Key.Key_I, CONTROL)
    writer.rest()
    found, name = marks(writer), shown(TOKEN)
    assert found["merges"] == [name]
    assert found["words"] == {name}
    assert name in found["text"] and found["skyline"] == {name}
    assert found["timeline"] == rank
    assert name in found["why"]


def test_a_candidate_is_marked_in_words_text_and_why(writer, story):
    writer.click_row("candidates.table", 1)
    row = writer.panels["candidates"].model.row(1)
    found = marks(writer)
    assert found["candidates"] == [1]
    assert found["words"] <= {row.left, row.right}
    assert writer.step == 60, "looking moves nothing"
    writer.show_panel("Why")
    writer.rest()
    assert [link.text for link in writer.find("why.picked").links][:3] == [row.left, "+", row.right]


def test_a_word_is_marked_in_its_list_and_told(writer):
    words = writer.panels["words"]
    writer.click_row(words.table, 3)
    writer.rest()
    assert [row for row in range(20) if words.model.is_selected(row)] == [3]
    assert writer.text("why.what").startswith("Word ")
    assert writer.panels["why"].word.isVisible()


def test_what_was_looked_at_is_gone_back_to(writer, story):
    for rank in (3, 8):
        writer.click_row("merges.table", rank)
    writer.key(Qt.Key.Key_BracketLeft, CONTROL)
    writer.rest()
    assert marks(writer)["merges"] == [shown(story.merges[3].token)]
    writer.key(Qt.Key.Key_BracketRight, CONTROL)
    writer.rest()
    assert marks(writer)["merges"] == [shown(story.merges[8].token)]


def test_one_click_in_the_skyline_is_one_step_back(writer, story):
    writer.click_row("merges.table", 3)
    view = writer.panels["skyline"].view
    rank = next(rank for rank, learned in enumerate(story.merges) if learned.token == TOKEN)
    writer.go_to(60)
    writer.click(view, writer.joint_place(rank))
    writer.key(Qt.Key.Key_BracketLeft, CONTROL)
    writer.rest()
    assert marks(writer)["merges"] == [shown(story.merges[3].token)]


def test_lines_and_branches_follow_the_pick(writer, story):
    writer.click_row("candidates.table", 2)
    writer.click("candidates.forbid")
    writer.show_panel("Runs")
    writer.wait(lambda: len(writer.workspace.runs.entries) == 2 and writer.panels["branches"].is_up_to_date)
    writer.rest()
    panel = writer.panels["branches"]
    bar = writer.find("compare.tab_bar")
    number = next(k for k in range(bar.count()) if bar.tabText(k) == "Tokens")
    writer.click(bar, bar.tabRect(number).center())
    own = panel.own[0]
    assert own.table.model().rowCount()
    name = own.table.model().name(0)
    writer.click_row(own.table, 0)
    writer.rest()
    assert own.table.model().is_selected(0)
    assert marks(writer)["merges"] == [name]
    writer.show_panel("Lines")
    writer.wait(lambda: name in [link.text for link in writer.find("lines.token").links])


def test_nothing_is_searched_behind_a_tab_and_coming_to_the_front_begins_it(writer, story):
    lines, token = writer.panels["lines"], b" bridge"
    writer.type_into("merges.filter", "bridge")
    writer.wait(lambda: writer.panels["merges"].model.rowCount() < 20)
    rank = next(rank for rank, learned in enumerate(story.merges) if learned.token == token)
    writer.click_row("merges.table", writer.panels["merges"].model.row_of(rank))
    writer.rest()
    lines._refresh.cancel()
    lines._refresh.now()
    assert not lines.is_searching and lines.table.lines.rowCount() == 0
    writer.show_panel("Lines")
    writer.rest()
    assert lines.table.lines.rowCount() == len(story.lines_with(token, rank + 1))


def test_a_comparison_is_made_when_its_tab_comes_to_the_front(writer):
    writer.click_row("candidates.table", 0)
    writer.click("candidates.forbid")
    writer.wait(lambda: len(writer.workspace.runs.entries) == 2)
    writer.rest()
    assert not writer.panels["branches"].is_up_to_date
    writer.show_panel("Runs")
    writer.wait(lambda: writer.panels["branches"].is_up_to_date)
