"""Deciding otherwise: a pair is forced, which makes a branch, and the branch is shown, named,
removed and undone.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from bpe_studio.workspace.state import State
from tests.gui.cells import column
from tests.gui.hand import CONTROL, SHIFT

STEP = 30


def branched(person, n):
    person.wait(
        lambda: (
            len(person.workspace.runs.entries) == n and person.workspace.state is not State.loading
        )
    )
    person.rest()


def tokens_of_table(person):
    return column(person.find("merges.table").model(), "token")


def decide(person, row, verb):
    person.find("candidates.table")
    person.wait(lambda: person.panels["candidates"].is_up_to_date)
    person.click_row("candidates.table", row)
    person.click("candidates.what_if")
    person.pick_in_popup(person.panels["candidates"].what_if.verbs[verb].text())


@pytest.fixture
def decider(reader):
    """A person at a step of the learned sample."""
    reader.go_to(STEP)
    return reader


def test_switching_names_undo_and_removing(decider):
    decide(decider, 1, "force")
    branched(decider, 2)
    other = tokens_of_table(decider)
    decider.go_to(77)
    decider.show_run(0)
    decider.wait(lambda: decider.step == STEP)
    first = tokens_of_table(decider)
    assert first != other
    decider.show_run(1)
    decider.wait(lambda: decider.step == 77)
    assert tokens_of_table(decider) == other, "it is shown where it was left"
    before = names(decider)
    decider.ask_for_menu("run.chooser")
    decider.pick_in_popup("Rename…")
    decider.wait(lambda: decider.window.findChild(QInputDialog, "runs.rename") is not None)
    decider.key(Qt.Key.Key_A, CONTROL)
    decider.type("My own")
    decider.key(Qt.Key.Key_Return)
    decider.wait(lambda: names(decider) == [before[0], "My own"])
    undo(decider)
    decider.wait(lambda: names(decider) == before)
    undo(decider)
    decider.wait(lambda: names(decider) == before[:1])
    assert tokens_of_table(decider) == first
    undo(decider, CONTROL | SHIFT)
    decider.wait(lambda: names(decider) == before)
    assert tokens_of_table(decider) == other
    decider.ask_for_menu("run.chooser")
    decider.pick_in_popup("Remove")
    decider.wait(lambda: names(decider) == before[:1])


def names(decider):
    return [entry.name for entry in decider.workspace.runs.entries]


def undo(decider, keys=CONTROL):
    decider.window.activateWindow()
    decider.find("merges.table").setFocus(Qt.FocusReason.TabFocusReason)
    decider.key(Qt.Key.Key_Z, keys)
    decider.rest()
