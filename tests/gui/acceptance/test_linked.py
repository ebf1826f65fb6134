"""Linked everywhere: what is picked in one panel is marked in all the others, and nothing moves or is picked again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.workspace.selection import highlighted_places
from tests.gui.acceptance.recount import shown
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
