"""Deciding otherwise as a person does: a branch is made, named, compared, switched, undone and saved.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.workspace.state import State
from tests.gui.acceptance.see_why.recount import merge, pairs_of
from tests.gui.hand import CONTROL, SHIFT

STEP = 30


def plain(text):
    return text.replace("\u2068", "").replace("\u2069", "").replace("\u2066", "").replace("\u2067", "")


def branches(person):
    """The tree, row for row: name, what was decided, from which step."""
    model = person.find("runs.table").model()
    rows = [[plain(model.text(row, column)) for column in range(3)] for row in range(model.rowCount())]
    return [(len(row[0]) - len(row[0].lstrip("\u2003")), row[0].lstrip("\u2003"), *row[1:]) for row in rows]


def branched(person, n):
    person.wait(lambda: len(person.workspace.runs.entries) == n and person.workspace.state is not State.loading)
    person.rest()


def tokens_of_table(person):
    return [row[2] for row in person.rows("merges.table")]


def decide(person, row, name):
    person.find("candidates.table")
    person.wait(lambda: person.panels["candidates"].is_up_to_date)
    person.click_row("candidates.table", row)
    person.click(name)


@pytest.fixture
def decider(reader):
    """A person at a step of the learned sample, with the branches in sight."""
    reader.show_panel("Difference")
    reader.go_to(STEP)
    return reader


def test_forcing_a_pair_makes_it_the_next_merge(decider, story):
    before = tokens_of_table(decider)
    decider.rest()
    row = decider.panels["candidates"].model.row(3)
    decide(decider, 3, "candidates.force")
    branched(decider, 2)
    tokens = tokens_of_table(decider)
    assert decider.step == STEP + 1
    assert tokens[:STEP] == before[:STEP] and tokens[STEP] == row.token
    # The merge behind it is the most frequent pair of the text with the forced one joined.
    cuts = {
        word: (merge(cut, _pair(decider, row)), n) for word, (cut, n) in story.words(STEP).items()
    }  # fmt: skip
    pairs = pairs_of(cuts)
    after = decider.rows("merges.table")[STEP + 1]
    assert int(after[3].replace(",", "")) == max(pairs.values())
    assert int(decider.rows("merges.table")[STEP][3]) == row.count == story.pairs(STEP)[_pair(decider, row)]
    tree = branches(decider)
    assert [each[0] for each in tree] == [0, 1]
    assert f"{row.left} + {row.right}" in tree[1][1] and tree[1][3] == str(STEP)
    assert tree[1][1].endswith("· shown")


def _pair(person, row):
    run = person.workspace.run
    return tuple(run.token_content(each) for each in row.pair)


def test_switching_names_undo_and_removing(decider):
    decide(decider, 1, "candidates.force")
    branched(decider, 2)
    other = tokens_of_table(decider)
    decider.go_to(77)
    tree = decider.find("runs.table")
    decider.click_row(tree, 0)
    decider.key(Qt.Key.Key_Return)
    decider.wait(lambda: decider.step == STEP)
    first = tokens_of_table(decider)
    assert first != other
    decider.click_row(tree, 1)
    decider.click("branches.switch")
    decider.wait(lambda: decider.step == 77)
    assert tokens_of_table(decider) == other, "it is shown where it was left"
    decider.click_row(tree, 1)
    decider.key(Qt.Key.Key_F2)
    decider.key(Qt.Key.Key_A, CONTROL)
    decider.type("My own")
    decider.key(Qt.Key.Key_Return)
    decider.wait(lambda: branches(decider)[1][1].startswith("My own"))
    decider.find("runs.table").setFocus(Qt.FocusReason.TabFocusReason)
    decider.key(Qt.Key.Key_Z, CONTROL)
    decider.wait(lambda: not branches(decider)[1][1].startswith("My own"))
    decider.key(Qt.Key.Key_Z, CONTROL)
    decider.wait(lambda: len(branches(decider)) == 1)
    assert tokens_of_table(decider) == first
    decider.find("runs.table").setFocus(Qt.FocusReason.TabFocusReason)
    decider.key(Qt.Key.Key_Z, CONTROL | SHIFT)
    decider.wait(lambda: len(branches(decider)) == 2)
    assert tokens_of_table(decider) == other
    decider.click_row(tree, 1)
    decider.key(Qt.Key.Key_Delete)
    decider.wait(lambda: len(branches(decider)) == 1)
