"""Deciding otherwise as a person does: a branch is made, named, compared, switched, undone and saved.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio.workspace.state import State
from tests.gui.acceptance.see_why.recount import merge, pairs_of, shown
from tests.gui.hand import CONTROL, SHIFT

STEP = 30


def plain(text):
    return text.replace("\u2068", "").replace("\u2069", "").replace("\u2066", "").replace("\u2067", "")


def branches(person):
    """The tree, row for row: name, what was decided, from which step."""
    tree = person.find("branches.tree")
    found = []

    def walk(parent, depth):
        model = tree.model()
        for row in range(model.rowCount(parent)):
            cells = [str(model.index(row, column, parent).data() or "") for column in range(3)]
            found.append((depth, *map(plain, cells)))
            walk(model.index(row, 0, parent), depth + 1)

    walk(QModelIndex(), 0)
    return found


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
    reader.show_panel("Runs")
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


def test_not_here_and_for_good(decider, story):
    best = story.merges[STEP]
    decide(decider, 0, "candidates.skip")
    branched(decider, 2)
    tokens = tokens_of_table(decider)
    assert tokens[STEP] != shown(best.token)
    assert shown(best.token) in tokens, "it competes again after"
    marks = {row[0]: row[-1] for row in decider.rows("candidates.table")}
    assert "skipped" in marks.values()
    decider.double_click_row("branches.tree", 0)
    decider.wait(lambda: tokens_of_table(decider)[STEP] == shown(best.token))
    decider.rest()
    decide(decider, 0, "candidates.forbid")
    branched(decider, 3)
    tokens = tokens_of_table(decider)
    rows = decider.rows("merges.table")
    assert all(row[1].split(" + ") != [shown(each) for each in best.pair] for row in rows)
    assert "forbidden" in {row[-1] for row in decider.rows("candidates.table")}
    assert [each[0] for each in branches(decider)] == [0, 1, 1]


def test_another_rule_for_ties_from_here_on(decider, story):
    decider.choose_from_button("candidates.ties", "greatest-bytes")
    branched(decider, 2)
    rank = next(rank for rank, learned in enumerate(story.merges) if rank >= STEP and learned.n_tied > 1)
    tied = [pair for pair, n in story.pairs(rank).items() if n == story.merges[rank].count]
    greatest = max(tied)
    row = decider.rows("merges.table")[rank]
    assert row[2] == shown(greatest[0] + greatest[1])
    assert "greatest-bytes" in branches(decider)[1][2]


def test_any_pair_can_be_typed(decider, story):
    decider.click("candidates.other")
    decider.wait(lambda: decider.find("candidates.other_left").isVisible())
    decider.type_into("candidates.other_left", "q")
    decider.type_into("candidates.other_right", "u")
    decider.wait(lambda: decider.find("candidates.other_force").isEnabled())
    decider.click("candidates.other_force")
    branched(decider, 2)
    assert tokens_of_table(decider)[STEP] == "qu"
    assert int(decider.rows("merges.table")[STEP][3]) == story.pairs(STEP)[(b"q", b"u")]


def test_switching_names_undo_and_removing(decider):
    decide(decider, 1, "candidates.force")
    branched(decider, 2)
    other = tokens_of_table(decider)
    decider.go_to(77)
    tree = decider.find("branches.tree")
    decider.click_row(tree, 0)
    decider.key(Qt.Key.Key_Return)
    decider.wait(lambda: decider.step == STEP)
    first = tokens_of_table(decider)
    assert first != other
    decider.click_row(tree, tree.model().index(0, 0, tree.model().index(0, 0)))
    decider.click("branches.switch")
    decider.wait(lambda: decider.step == 77)
    assert tokens_of_table(decider) == other, "it is shown where it was left"
    decider.click_row(tree, tree.model().index(0, 0, tree.model().index(0, 0)))
    decider.key(Qt.Key.Key_F2)
    decider.key(Qt.Key.Key_A, CONTROL)
    decider.type("My own")
    decider.key(Qt.Key.Key_Return)
    decider.wait(lambda: branches(decider)[1][1].startswith("My own"))
    decider.find("branches.tree").setFocus(Qt.FocusReason.TabFocusReason)
    decider.key(Qt.Key.Key_Z, CONTROL)
    decider.wait(lambda: not branches(decider)[1][1].startswith("My own"))
    decider.key(Qt.Key.Key_Z, CONTROL)
    decider.wait(lambda: len(branches(decider)) == 1)
    assert tokens_of_table(decider) == first
    decider.find("branches.tree").setFocus(Qt.FocusReason.TabFocusReason)
    decider.key(Qt.Key.Key_Z, CONTROL | SHIFT)
    decider.wait(lambda: len(branches(decider)) == 2)
    assert tokens_of_table(decider) == other
    decider.click_row(tree, tree.model().index(0, 0, tree.model().index(0, 0)))
    decider.key(Qt.Key.Key_Delete)
    decider.wait(lambda: len(branches(decider)) == 1)


def test_two_branches_are_compared(decider, story):
    decider.click("text.input")
    decider.type("the bridge over the water")
    decider.go_to(STEP)
    first = tokens_of_table(decider)
    decide(decider, 2, "candidates.forbid")
    branched(decider, 2)
    panel = decider.panels["branches"]
    second = tokens_of_table(decider)
    end = min(len(first), len(second))
    divergence = next(rank for rank in range(end) if first[rank] != second[rank])
    decider.show_panel("Runs")
    decider.wait(lambda: panel.is_up_to_date)
    bar = decider.find("compare.tab_bar")
    assert decider.find("branches.first").text().endswith(f" {divergence}")
    here, there = set(second[:end]) - set(first[:end]), set(first[:end]) - set(second[:end])
    tokens_tab = next(k for k in range(bar.count()) if bar.tabText(k) == "Tokens")
    decider.click(bar, bar.tabRect(tokens_tab).center())
    left, right = (own for own in panel.own)
    names = [{own.table.model().name(row) for row in range(own.table.model().rowCount())} for own in (left, right)]
    assert names == [here, there]
    assert not panel.texts.visibleRegion().isEmpty()
    decider.show_panel("Runs")
    decider.click("branches.first")
    decider.rest()
    assert decider.step == divergence + 1


def test_what_was_decided_is_in_a_saved_document(decider, tmp_path, monkeypatch):
    decide(decider, 1, "candidates.force")
    branched(decider, 2)
    tree, tokens = branches(decider), tokens_of_table(decider)
    path = tmp_path / "mine.bpestudio"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(path)], ""))
    decider.key(Qt.Key.Key_S, CONTROL | SHIFT)
    decider.wait(lambda: any(tmp_path.glob("mine*")) and decider.workspace.document is not None)
    saved = decider.workspace.document.path
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(saved)], ""))
    decider.choose_from_menu("File", "Samples", "hug, pug, pun, bun, hugs")
    decider.wait(lambda: decider.workspace.document is None and len(decider.workspace.runs.entries) == 1)
    decider.key(Qt.Key.Key_O, CONTROL)
    decider.wait(lambda: len(decider.workspace.runs.entries) == 2 and decider.workspace.state is not State.loading)
    decider.rest()
    assert branches(decider) == tree and tokens_of_table(decider) == tokens
