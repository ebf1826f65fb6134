"""Linked everywhere: what is picked in one panel is marked in all the others, and nothing moves or
is picked again.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.explain.names import display_name
from bpe_studio.workspace.selection import highlighted_places
from tests.gui.hand import CONTROL

TOKEN = b" the"
NAME = "␣the"
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
    window = person.window
    run = person.workspace.run
    panels = person.panels
    pick = person.workspace.selection.current
    found = {}
    merges = panels["merges"].model
    found["merges"] = [
        merges.names_of(merges.source_row(row))[2]
        for row in range(merges.rowCount())
        if merges.is_selected(row)
    ]
    candidates = panels["candidates"].model
    found["candidates"] = [
        row for row in range(candidates.rowCount()) if candidates.is_selected(row)
    ]
    words = panels["words"].model
    found["words"] = {
        cut.names[place]
        for row in range(20)
        if (cut := words.cut(words.source_row(row))) is not None
        for place in words.highlighted(cut)
    }
    ids = window.text_panel.editor.live.tokens(person.step).ids.tolist()
    found["text"] = {display_name(run, ids[place]) for place in highlighted_places(ids, pick)}
    found["skyline"] = {
        display_name(run, each) for each in panels["skyline"].view.picture.lights.selected
    }
    found["timeline"] = window.transport.slider.selected
    found["why"] = (
        [link.text for link in person.find("why.picked").links]
        if panels["why"].isVisible()
        else None
    )
    return found


def pick_in_merges(person, rank):
    person.click_row("merges.table", rank)


def pick_in_skyline(person, rank):
    person.click(person.panels["skyline"].view, person.joint_place(rank))


def pick_in_text(person, rank):
    editor = person.window.text_panel.editor
    ids = editor.live.tokens(person.step).ids.tolist()
    token = person.workspace.run.token_of(rank)
    assert token in ids
    text = editor.text()
    cursor = editor.textCursor()
    cursor.setPosition(text.index(" the") + 2)
    person.click(editor, editor.cursorRect(cursor).center())


@pytest.mark.parametrize("pick", [pick_in_merges, pick_in_skyline, pick_in_text])
def test_a_token_is_marked_everywhere_wherever_it_was_picked(writer, pick):
    run = writer.workspace.run
    rank = next(
        rank for rank in range(len(run.merges)) if run.token_content(run.token_of(rank)) == TOKEN
    )
    pick(writer, rank)
    writer.key(Qt.Key.Key_I, CONTROL)
    writer.rest()
    found = marks(writer)
    assert found["merges"] == [NAME]
    assert found["words"] == {NAME}
    assert NAME in found["text"] and found["skyline"] == {NAME}
    assert found["timeline"] == rank
    assert NAME in found["why"]
