"""Deciding otherwise: a person picks a candidate and forces, skips or forbids it, changes the rule
or types a pair.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.gui.merges.candidates_panel import CandidateModel, CandidatesPanel
from bpe_studio.gui.merges.what_if import OverrideDialog, look_up
from bpe_studio.workspace.selection import Kind
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.facts import says

TEXT = "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("textbook", merges=5))
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    workspace.transport.go_to(0)
    yield workspace
    workspace.shutdown()


@pytest.fixture
def panel(qtbot, shown, workspace):
    panel = shown(CandidatesPanel(workspace), 420, 360)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    return panel


def click_row(panel, row, button=Qt.MouseButton.LeftButton):
    place = panel.table.visualRect(panel.model.index(row, 0)).center()
    QTest.mouseClick(panel.table.viewport(), button, Qt.KeyboardModifier.NoModifier, place)


def press(panel, name):
    action = panel.findChild(QAction, name)
    assert action.isEnabled(), action.toolTip()
    action.trigger()


def tip(panel, name):
    return panel.findChild(QAction, name).toolTip()


def settled(qtbot, workspace, panel, n_branches):
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == n_branches and workspace.state is not State.loading
    )
    qtbot.waitUntil(lambda: panel.is_up_to_date)


def marks(panel):
    rows = range(panel.model.rowCount())
    return {panel.model.row(row).names: panel.model.text(row, CandidateModel.MARK) for row in rows}


def merged(run):
    return [(merge.left, merge.right) for merge in run.merges]


def test_a_click_picks_the_pair_and_so_does_the_keyboard(panel, workspace):
    click_row(panel, 1)
    pick = workspace.selection.current
    assert pick.kind is Kind.pair and (pick.left, pick.right) == panel.model.row(1).pair
    assert workspace.step == 0
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert workspace.selection.current.left == panel.model.row(2).pair[0]
    workspace.selection.clear()
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    QTest.keyClick(panel.table, Qt.Key.Key_Home)
    assert (workspace.selection.current.left, workspace.selection.current.right) == panel.model.row(
        0
    ).pair


def test_force_makes_a_branch_that_begins_with_the_pair(panel, workspace, qtbot):
    before = merged(workspace.run)
    click_row(panel, 1)
    names = panel.model.row(1).names
    assert names != before[0]
    press(panel, "candidates.force")
    settled(qtbot, workspace, panel, 2)
    assert workspace.runs.shown.name == f"{names[0]} + {names[1]} forced at 0"
    assert merged(workspace.run)[0] == names
    workspace.transport.go_to(0)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert marks(panel)[names] == "forced"
    assert panel.reason.text() == f"{names[0]} + {names[1]} is next because you forced it"
    workspace.runs.show(ROOT)
    assert merged(workspace.run) == before


def test_not_here_leaves_the_pair_out_at_this_step_only(panel, workspace, qtbot):
    first = merged(workspace.run)[0]
    click_row(panel, 0)
    press(panel, "candidates.skip")
    settled(qtbot, workspace, panel, 2)
    assert merged(workspace.run)[0] != first
    workspace.transport.go_to(0)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert marks(panel)[first] == "skipped"
    assert "is skipped" in panel.reason.text()
    assert list(marks(panel).values()).count("next") == 1
    workspace.transport.go_to(1)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert marks(panel)[first] != "skipped"


def test_forbid_keeps_the_pair_out_for_good(panel, workspace, qtbot):
    first = merged(workspace.run)[0]
    click_row(panel, 0)
    press(panel, "candidates.forbid")
    settled(qtbot, workspace, panel, 2)
    assert first not in merged(workspace.run)
    assert marks(panel)[first] == "forbidden"
    assert panel.model.row(0).names == first, "it stands where its count puts it"
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    click_row(panel, 0)
    assert "forbidden already" in tip(panel, "candidates.forbid")
    assert panel.findChild(QAction, "candidates.force").isEnabled()


def test_what_cannot_be_done_says_why(panel, workspace, qtbot):
    for name in ("candidates.force", "candidates.skip", "candidates.forbid"):
        assert not panel.findChild(QAction, name).isEnabled()
        assert "select a pair in the list first" in tip(panel, name)
    click_row(panel, 0)
    assert "merged next anyway" in tip(panel, "candidates.force")
    assert "next best" in tip(panel, "candidates.skip")
    click_row(panel, 1)
    assert "another pair is next" in tip(panel, "candidates.skip")
    workspace.set_state(State.loading)
    assert (
        "is running" in tip(panel, "candidates.forbid")
        and "is running" in panel.what_if.ties.menuAction().toolTip()
    )
    workspace.set_state(State.running)
    assert "pause" in tip(panel, "candidates.force")
    workspace.set_state(State.done)
    assert panel.findChild(QAction, "candidates.force").isEnabled()


def test_another_rule_for_ties_from_here(panel, workspace, qtbot):
    menu = panel.what_if.ties
    menu.aboutToShow.emit()
    actions = {action.data(): action for action in menu.actions()}
    assert list(actions) == list(TIES)
    assert [rule for rule, action in actions.items() if action.isChecked()] == ["first-seen"]
    actions["first-seen"].trigger()
    assert len(workspace.runs.entries) == 1, "the rule that holds is no change"
    actions["sentencepiece"].trigger()
    settled(qtbot, workspace, panel, 2)
    assert workspace.runs.shown.name == "ties: shortest token (SentencePiece) from 0"
    assert workspace.run.plan.ties_at(0) == "sentencepiece"
    assert [rule for rule, action in actions.items() if action.isChecked()] == ["sentencepiece"]


def test_another_pair_is_typed_looked_up_and_forced(panel, workspace, qtbot):
    press(panel, "candidates.other")
    dialog = panel.findChild(OverrideDialog)
    for field, text in ((dialog.left, "b"), (dialog.right, "zz")):
        field.clear()
        QTest.keyClicks(field, text)
    qtbot.waitUntil(lambda: says(dialog.answer.text(), "no token zz"))
    assert not dialog.force.isEnabled()
    dialog.right.clear()
    QTest.keyClicks(dialog.right, "u")
    qtbot.waitUntil(lambda: says(dialog.answer.text(), "b + u", "4 times"))
    QTest.mouseClick(dialog.force, Qt.MouseButton.LeftButton)
    settled(qtbot, workspace, panel, 2)
    assert merged(workspace.run)[0] == ("b", "u")


def test_typed_pairs_that_cannot_be_merged_say_why(workspace):
    run = workspace.run
    token = run.token_name(run.n_alphabet)
    assert look_up(run, 0, ("h", "")).message.startswith("Type two tokens")
    assert says(look_up(run, 0, (token, "h")).message, token, "merge 1", "step 0")
    assert says(look_up(run, 0, ("s", "s")).message, "s + s", "not occur")
    left, right = merged(run)[0]
    found = look_up(run, 1, (left, right))
    assert (
        not found.can_force
        and f"token {token} exists already" in found.message
        and found.can_forbid
    )
