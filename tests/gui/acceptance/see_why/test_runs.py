"""Another split for the same text, asked for, learned, compared and shown, as a person does it.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

from PySide6.QtCore import Qt

from bpe_studio.workspace.state import State
from tests.gui.hand import CONTROL


def learned_beside(person, n):
    person.wait(lambda: len(person.workspace.runs.entries) == n and person.workspace.state is not State.loading)
    person.wait(lambda: person.panels["branches"].is_up_to_date)
    person.rest()


def test_the_same_text_by_another_split(reader):
    reader.choose_from_menu("Run", "New run with other settings…")
    reader.wait(lambda: reader.find("new_run.split").isVisible())
    assert reader.panels["branches"].isVisible()
    reader.choose("new_run.split", "none")
    assert reader.text("new_run.differs") == "Differs from Main run in: split none instead of gpt2"
    reader.type_into("new_run.name", "across spaces")
    reader.click("new_run.learn")
    # What a window manager does when a dialog closes.
    reader.window.activateWindow()
    learned_beside(reader, 2)
    assert [(item.letter, item.text) for item in reader.panels["compare"].list.items][-1] == ("B", "across spaces")
    assert reader.text("difference.why_headline") == "The text is split into words differently"
    assert "split gpt2 in A, none in B" in reader.text("difference.why_text")
    assert all(int(row[2]) != int(row[3]) for row in reader.rows("difference.why_words"))
    # Shown, everything follows: the words of its own cut, its settings, its merges.
    before = [row[2] for row in reader.rows("merges.table")]
    reader.show_run(1)
    reader.wait(lambda: reader.workspace.runs.shown.name == "across spaces")
    reader.rest()
    words = reader.panels["words"].model
    # Read line by line without a split, each line is one word.
    assert words.n_rows == reader.workspace.run.corpus.counts.size
    tokens = [row[2] for row in reader.rows("merges.table")]
    assert tokens != before and any("␣" in token.strip("␣") for token in tokens)
    assert reader.panels["settings"].draft.split == "none"
    reader.find("merges.table").setFocus(Qt.FocusReason.TabFocusReason)  # in the text it undoes what was typed
    reader.key(Qt.Key.Key_Z, CONTROL)
    reader.wait(lambda: len(reader.workspace.runs.entries) == 1)
    reader.rest()
    assert [branch.name for branch in reader.workspace.runs.entries] == ["Main run"]
    assert [row[2] for row in reader.rows("merges.table")] == before
