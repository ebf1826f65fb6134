"""The list of runs and branches, used as a person does, with the real engine."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.runs.table import RunsModel, RunsTable
from bpe_studio.gui.tables.model import RowState
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import State
from tests.gui.hand import double_click

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
TEXT = "the theme then other thin thing with this that these those low lower newest widest سلام دنیا سلام " * 12


def branch_off(qtbot, workspace, step, left, right, name, kind=OverrideKind.force):
    n = len(workspace.runs.entries)
    workspace.runs.branch_off(Override(step, kind, left, right), name)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) > n and workspace.state is not State.loading)
    return workspace.runs.shown.number


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, TrainingConfig.preset("gpt2", merges=40))


@pytest.fixture
def tree(shown, workspace):
    return shown(RunsTable(workspace), 700, 320)


@pytest.fixture
def forked(qtbot, workspace, tree):
    branch_off(qtbot, workspace, 2, "e", "s", "es first")
    return tree


def names(table):
    """The names as the table shows them, without their isolates."""
    return [table.runs.text(row, 0).replace("\u2068", "").replace("\u2069", "") for row in range(table.runs.rowCount())]


def test_a_branch_is_below_its_parent_and_the_shown_one_is_named_so(forked, workspace, qtbot):
    branch_off(qtbot, workspace, 5, "t", "h", "no th", OverrideKind.forbid)
    assert names(forked) == ["Main run", "\u2003es first", "\u2003\u2003no th · shown"]
    model = forked.runs
    assert [model.state(row) for row in range(3)] == [RowState.APPLIED, RowState.APPLIED, RowState.CURRENT]
    cells = [model.text(2, column) for column in range(model.columnCount())]
    assert cells[RunsModel.CHANGED] == "forbid t + h" and cells[RunsModel.STEP] == "5"
    assert cells[RunsModel.MERGES] == str(workspace.n_merges)
    assert cells[RunsModel.TOKENS] == f"{workspace.run.n_tokens_at(workspace.n_merges):,}"
    row = dict(zip(model.plain_heads(), model.plain_row(2, workspace.run), strict=True))
    assert (row["run"], row["came from"], row["from step"], row["is shown"]) == ("no th", "es first", 5, True)


def test_the_tree_is_a_sound_model(forked, workspace, qtbot, qtmodeltester):
    branch_off(qtbot, workspace, 5, "t", "h", "no th", OverrideKind.forbid)
    qtmodeltester.check(forked.model())


def test_back_to_the_main_run_by_keyboard_alone(forked, workspace):
    tree = forked
    tree.setFocus()
    assert tree.current_number == workspace.runs.shown.number
    before = workspace.run
    QTest.keyClick(tree, Qt.Key.Key_Up)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert workspace.runs.shown.number == ROOT and workspace.run is not before
    assert names(forked) == ["Main run · shown", "\u2003es first"]
    assert "already shown" in tree.switch.toolTip()


def test_a_double_click_shows_a_branch(forked, workspace):
    tree = forked
    place = tree.visualRect(tree.runs.index(0, 0)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert workspace.runs.shown.number != ROOT
    double_click(tree.viewport(), place)
    assert workspace.runs.shown.number == ROOT


def test_a_name_is_changed_in_place(forked, workspace, qtbot):
    tree = forked
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_F2)
    editor = tree.viewport().findChild(QLineEdit)
    assert editor.text() == "es first", "the name alone, without the word that it is shown"
    editor.selectAll()
    QTest.keyClicks(editor, "with es")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.runs.shown.name == "with es")
    assert workspace.runs.shown.number != ROOT
    assert names(forked) == ["Main run", "\u2003with es · shown"]


def test_del_removes_the_chosen_branch(forked, workspace, qtbot):
    tree = forked
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert [branch.number for branch in workspace.runs.entries] == [ROOT]
    assert not tree.remove.isEnabled()


def test_a_branch_that_is_called_like_html_is_told_letter_by_letter(workspace, tree):
    workspace.runs.rename(ROOT, "<img src='x'> & <b>bold</b>")
    tip = tree.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;img" in tip and "<img" not in tip and "<b>" not in tip
