"""The tree of branches and the comparison of two, used as a person does, with the real engine."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStackedWidget, QToolButton, QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.explain.runs.comparison import cost_words, shares_words
from bpe_studio.gui.plots.overlap_curve import OverlapCurve
from bpe_studio.gui.runs.compare.unique_tokens import OwnTokensModel
from bpe_studio.gui.runs.panel import RunsPanel
from bpe_studio.gui.runs.tree_model import RunTreeModel
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
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
def panel(qtbot, workspace):
    panel = RunsPanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(1300, 320)
    panel.show()
    return panel


@pytest.fixture
def forked(qtbot, workspace, panel):
    branch_off(qtbot, workspace, 2, "e", "s", "es first")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    return panel


def names(panel):
    """The names as the tree shows them, in its order."""
    tree, found = panel.tree, []
    index = tree.model().index(0, 0)
    while index.isValid():
        found.append(index.data())
        index = tree.indexBelow(index)
    return found


def own_names(view):
    return [view.model.text(row, OwnTokensModel.TOKEN) for row in range(view.model.rowCount())]


def test_with_the_first_run_alone_a_sentence_says_how_to_branch(panel, workspace):
    assert panel.empty.isVisible() and "right click a merge" in panel.empty.text()
    assert names(panel) == ["Main run · shown"]
    assert not panel.tree.remove.isEnabled() and "first run" in panel.tree.remove.toolTip()


def test_without_a_corpus_it_invites_to_open_one(qtbot):
    workspace = Workspace()
    panel = RunsPanel(workspace)
    qtbot.addWidget(panel)
    assert "Open a text" in panel.empty.text()
    workspace.shutdown()


def test_a_branch_stands_under_its_parent_and_the_shown_one_is_named_so(forked, workspace, qtbot):
    child = branch_off(qtbot, workspace, 5, "t", "h", "no th", OverrideKind.forbid)
    assert names(forked) == ["Main run", "es first", "no th · shown"]
    model = forked.tree.model()
    index = model.index_of(child)
    assert model.number(index.parent()) == workspace.runs.entries[1].number
    assert index.data(Qt.ItemDataRole.FontRole).bold()
    cells = [model.text(child, column) for column in range(model.columnCount())]
    assert cells[RunTreeModel.CHANGED] == "forbid t + h" and cells[RunTreeModel.STEP] == "5"
    assert cells[RunTreeModel.MERGES] == str(workspace.n_merges)
    assert cells[RunTreeModel.TOKENS] == f"{workspace.run.n_tokens_at(workspace.n_merges):,}"


def test_a_hidden_tree_does_not_follow_a_growing_run_and_a_shown_one_does(panel, workspace, qtbot, monkeypatch):
    shown, model = [], panel.tree.model()
    plain = model.show
    monkeypatch.setattr(model, "show", lambda *arguments: (shown.append(1), plain(*arguments))[1])
    panel.hide()
    for n_merges in range(40, 50):
        workspace.run_grew.emit(n_merges)
    assert shown == []
    panel.show()
    assert shown == [1]
    workspace.run_grew.emit(50)
    assert shown == [1, 1]


def test_the_tree_is_a_sound_model(forked, workspace, qtbot, qtmodeltester):
    branch_off(qtbot, workspace, 5, "t", "h", "no th", OverrideKind.forbid)
    qtmodeltester.check(forked.tree.model())
    qtmodeltester.check(forked.own[0].model)


def test_the_shown_branch_is_compared_with_the_one_it_came_from(forked, workspace):
    difference, (main, branch) = forked.shown, workspace.runs.entries
    assert [side.number for side in difference.sides] == [branch.number, ROOT]
    assert forked.choice.left.currentText() == "es first" and forked.choice.right.currentText() == "Main run"
    step = min(main.position.n_merges, branch.position.n_merges)
    assert difference.step == forked.choice.step == step and forked.choice.at_end.isChecked()
    contents = [
        {side.run.token_content(token) for token in range(side.run.n_alphabet + step)} for side in difference.sides
    ]
    assert len(forked.own[0].model.text(0, 0)) > 0
    assert {difference.sides[0].run.token_content(t) for t in difference.own[0].tokens} == contents[0] - contents[1]
    assert {difference.sides[1].run.token_content(t) for t in difference.own[1].tokens} == contents[1] - contents[0]
    n_both = len(contents[0] & contents[1])
    assert f"{n_both} in both" in forked.facts.shares.text()
    assert forked.facts.first.text() == "They diverge at merge 2"
    assert forked.facts.cells["merge", "A"].text().startswith("e + s")
    tokens = [f"{side.run.n_tokens_at(step):,}" for side in difference.sides]
    assert [forked.facts.cells["corpus tokens", letter].text() for letter in "AB"] == tokens


def test_the_most_used_own_tokens_stand_first(forked):
    for side, view, own in zip(forked.shown.sides, forked.own, forked.shown.own, strict=True):
        counts = side.run.token_counts_at(forked.shown.step)
        assert own.uses.tolist() == sorted((int(counts[token]) for token in own.tokens), reverse=True)
        row = view.model.rowCount() - 1
        rank = view.model.token(row) - side.run.n_alphabet
        assert view.model.text(row, OwnTokensModel.MERGE) == f"{rank:,}"
        assert f"made by merge {rank:,}" in view.model.tip(row, OwnTokensModel.TOKEN)
        assert view.model.text(row, OwnTokensModel.CREATED) == f"{side.run.merges[rank].count:,}"


def test_the_first_difference_is_gone_to_and_picked(forked, workspace):
    QTest.mouseClick(forked.facts.first, Qt.MouseButton.LeftButton)
    assert workspace.step == 3
    assert workspace.selection.current.token == workspace.run.n_alphabet + 2


def test_another_step_is_compared_and_the_end_comes_back(forked, qtbot):
    forked.choice.spin.setValue(2)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert not forked.choice.at_end.isChecked()
    assert forked.facts.same.text() == "No merge differs up to step 2" and not forked.facts.first.isVisible()
    assert own_names(forked.own[0]) == []
    QTest.mouseClick(forked.choice.at_end, Qt.MouseButton.LeftButton, pos=forked.choice.at_end.rect().center() / 4)
    forked.choice.at_end.setChecked(True)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert forked.shown.step == forked.choice.spin.maximum()


def test_other_branches_are_chosen_and_stay_chosen(forked, workspace, qtbot):
    other = branch_off(qtbot, workspace, 0, "l", "o", "lo first")
    QTest.keyClick(forked.choice.right, Qt.Key.Key_Home)
    assert forked.choice.right.currentText() == "Main run"
    forked.choice.left.setCurrentIndex(forked.choice.left.findText("Main run"))
    forked.choice.left.activated.emit(0)
    forked.choice.right.setCurrentIndex(forked.choice.right.findData(other))
    forked.choice.right.activated.emit(0)
    workspace.runs.show(ROOT)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert [side.name for side in forked.shown.sides] == ["Main run", "lo first"]
    workspace.runs.remove(other)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert [side.name for side in forked.shown.sides] == ["Main run", "es first"]


def test_back_to_the_main_run_by_keyboard_alone(forked, workspace):
    tree = forked.tree
    tree.setFocus()
    assert tree.current_number == workspace.runs.shown.number
    before = workspace.run
    QTest.keyClick(tree, Qt.Key.Key_Up)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert workspace.runs.shown.number == ROOT and workspace.run is not before
    assert names(forked) == ["Main run · shown", "es first"]
    assert "already shown" in tree.switch.toolTip()


def test_a_double_click_shows_a_branch(forked, workspace):
    tree = forked.tree
    place = tree.visualRect(tree.model().index_of(ROOT)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert workspace.runs.shown.number != ROOT
    double_click(tree.viewport(), place)
    assert workspace.runs.shown.number == ROOT


def test_a_name_is_changed_in_place(forked, workspace, qtbot):
    tree = forked.tree
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_F2)
    editor = tree.viewport().findChild(QLineEdit)
    assert editor.text() == "es first", "the name alone, without the word that it is shown"
    editor.selectAll()
    QTest.keyClicks(editor, "with es")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.runs.shown.name == "with es")
    assert workspace.runs.shown.number != ROOT
    assert names(forked) == ["Main run", "with es · shown"]
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert forked.choice.left.currentText() == "with es" and forked.shown.sides[0].name == "with es"


def test_del_removes_the_chosen_branch(forked, workspace, qtbot):
    tree = forked.tree
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert [branch.number for branch in workspace.runs.entries] == [ROOT]
    assert forked.empty.isVisible() and forked.shown is None
    assert not tree.remove.isEnabled()


def test_a_token_is_picked_where_it_exists(forked, workspace):
    here, there = forked.own
    index = here.model.index(0, 0)
    click = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QTest.mouseClick(here.table.viewport(), *click, here.table.visualRect(index).center())
    assert workspace.selection.current.token == here.model.token(0)
    assert here.model.is_selected(0)
    QTest.mouseClick(there.table.viewport(), *click, there.table.visualRect(there.model.index(0, 0)).center())
    assert workspace.selection.current.token == here.model.token(0), "the shown branch has no such token"
    token = there.model.token(0)
    double_click(there.table.viewport(), there.table.visualRect(there.model.index(0, 0)).center())
    assert workspace.runs.shown.number == ROOT and workspace.selection.current.token == token


def test_enter_shows_the_branch_of_a_token(forked, workspace):
    view = forked.own[1]
    forked.show_page("Tokens")
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Down)
    token = view.model.token(view.table.currentIndex().row())
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert workspace.runs.shown.number == ROOT and workspace.selection.current.token == token


def test_what_is_picked_elsewhere_is_marked_in_the_lists(forked, workspace):
    view = forked.own[0]
    changes = []
    workspace.selection.changed.connect(changes.append)
    workspace.selection.select_token(view.model.token(view.model.rowCount() - 1))
    assert view.model.is_selected(view.model.rowCount() - 1)
    assert len(changes) == 1


def test_the_typed_text_is_cut_by_both_and_the_rest_is_faded(forked, workspace, qtbot):
    workspace.set_typed_text("newest the سلام")
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    difference = forked.shown
    assert difference.text == "newest the سلام" and not difference.is_excerpt
    places = [set(zip(cut.content.starts.tolist(), cut.content.ends.tolist(), strict=True)) for cut in difference.cut]
    for k, cut in enumerate(difference.cut):
        run = difference.sides[k].run
        assert cut.n_tokens == len(run.tokenizer(difference.step).encode("newest the سلام").ids)
        spans = zip(cut.content.starts.tolist(), cut.content.ends.tolist(), strict=True)
        assert cut.is_own.tolist() == [place not in places[1 - k] for place in spans]
        assert forked.texts.texts[k].content is cut.content
    workspace.set_typed_text("")
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert forked.shown.is_excerpt and "as nothing is typed" in forked.texts.which.text()


def test_a_hidden_panel_does_not_compare_and_a_shown_one_does(qtbot, workspace):
    panel = RunsPanel(workspace)
    qtbot.addWidget(panel)
    branch_off(qtbot, workspace, 2, "e", "s", "es first")
    qtbot.wait(250)
    assert panel.shown is None
    panel.show()
    qtbot.waitUntil(lambda: panel.is_up_to_date)


def test_it_is_compared_beside_the_window(forked, workspace, qtbot, monkeypatch):
    threads = []
    compare = forked._compare
    monkeypatch.setattr(forked._job, "_answer", lambda *q: (threads.append(threading.get_ident()), compare(*q))[1])
    forked.choice.spin.setValue(7)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert threads and threading.get_ident() not in threads


def test_what_cannot_be_compared_is_told_as_a_failure_and_the_next_choice_is_compared(forked, qtbot, monkeypatch):
    def fail(*_, **__):
        raise ValueError("by the test")

    compare = forked._comparer.compare
    monkeypatch.setattr(forked._comparer, "compare", fail)
    forked.choice.spin.setValue(7)
    qtbot.waitUntil(lambda: forked.note.role == "error")
    assert forked.note.isVisible() and forked.note.text().startswith("⚠ These two runs could not be compared here")
    assert forked.shown is None, "the comparison of other steps would be taken for this one"
    assert {cell.text() for cell in forked.facts.cells.values()} == {""} and forked.facts._merge.text() == "merge"
    forked._refresh.request()
    qtbot.waitUntil(lambda: not forked._refresh.is_pending)
    assert forked.note.isVisible() and forked.note.role == "error", "it stays until something else is chosen"
    monkeypatch.setattr(forked._comparer, "compare", compare)
    forked.choice.spin.setValue(8)
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert not forked.note.isVisible() and forked.facts.first.isVisible()


def test_while_a_run_is_under_way_it_says_when_it_follows(forked, workspace, qtbot):
    workspace.transport.set_speed(30)
    workspace.transport.extend_target(500)
    workspace.transport.run_training()
    forked.choice.spin.setValue(7)
    qtbot.waitUntil(lambda: forked.note.isVisible())
    assert forked.note.text() == "Updates when paused" and forked.shown is not None
    workspace.transport.pause()
    qtbot.waitUntil(lambda: forked.is_up_to_date)
    assert not forked.note.isVisible()


@pytest.mark.parametrize("size", [(1300, 420), (930, 340)])
def test_each_page_shows_all_its_parts_at_once(forked, size):
    forked.resize(*size)
    parts = {
        "Runs": (forked.tree, forked.facts, forked.view.why, forked.view.settings),
        "Tokens": (*forked.own, forked.view.curve, forked.texts),
    }
    for page, own in parts.items():
        forked.show_page(page)
        for part in (part for each in parts.values() for part in each):
            assert part.isVisible() is (part in own), f"{part.objectName()} on the page {page}"
            assert part not in own or (part.height() >= 60 and part.width() >= 100)


def test_the_curve_says_what_it_shows(forked):
    curve: OverlapCurve = forked.facts.curve
    found = forked.shown.found
    assert f"({100 * found.overlap[-1]:.1f} %)" in curve.accessibleDescription()
    assert curve.chart.lowest <= float(np.min(found.overlap))
    curve.ensure_plot()
    with_line = curve.grab().toImage()
    curve.show_difference(replace(found, rank=None))
    without = curve.grab().toImage()
    columns = [x for x in range(with_line.width()) for y in range(with_line.height())
               if with_line.pixel(x, y) != without.pixel(x, y)]  # fmt: skip
    where = curve.chart.scale.x(found.rank) * with_line.devicePixelRatio()
    assert columns and max(abs(x - where) for x in columns) <= 2, "a line where the two part, and nothing else"
    assert curve.chart.line_names([1, 0.9975, 0.995, 0.75, 0]) == ["100 %", "99.75 %", "99.5 %", "75 %", "0 %"]


def test_two_sizes_are_both_named_where_they_differ(forked):
    found = forked.shown.found
    words = shares_words(forked.shown)
    assert words.endswith(f"(of {len(found.only_a) + found.n_common})")
    more = replace(forked.shown, found=replace(found, only_b=(*found.only_b, found.only_b[0])))
    assert shares_words(more).endswith(f"and {len(found.only_b) + 1 + found.n_common})")


def test_the_cost_has_a_sign_and_a_share(forked):
    found = replace(forked.shown.found, n_tokens_a=1100, n_tokens_b=1000)
    assert cost_words(replace(forked.shown, found=found)) == "A needs 100 corpus tokens more than B (+10 %)"
    found = replace(forked.shown.found, n_tokens_a=900, n_tokens_b=1000)
    assert cost_words(replace(forked.shown, found=found)) == "A needs 100 corpus tokens fewer than B (−10 %)"
    found = replace(forked.shown.found, n_tokens_a=100_012, n_tokens_b=100_000)
    assert cost_words(replace(forked.shown, found=found)) == "A needs 12 corpus tokens more than B (+0.012 %)"
    found = replace(forked.shown.found, n_tokens_a=900, n_tokens_b=900)
    assert cost_words(replace(forked.shown, found=found)) == "Both need the same number of tokens for the corpus"


def test_every_control_has_a_name_and_a_tip(forked):
    for name in ("switch", "rename", "remove"):
        button = forked.findChild(QToolButton, f"branches.{name}")
        assert button.accessibleName() and button.toolTip()
    choice = forked.choice
    for widget in (choice.left, choice.right, choice.spin, choice.at_end, forked.tree, forked.facts.first):
        assert widget.objectName().startswith("branches.") and widget.accessibleName()
    for widget in (choice.left, choice.right, choice.spin, choice.at_end, forked.facts.first):
        assert widget.toolTip()


def test_a_second_press_on_rename_leaves_the_field_open(forked):
    tree = forked.tree
    tree.setCurrentIndex(tree.model().index(0, 0))
    for _ in range(2):
        tree.rename.trigger()  # a warning of Qt's would fail the test
    assert tree.state() is QAbstractItemView.State.EditingState


def test_the_same_numbers_under_other_parents_are_another_tree(qtbot, forked, workspace):
    branch_off(qtbot, workspace, 4, "l", "o", "lo")
    session = workspace.runs.session()
    moved = tuple(replace(each, parent=ROOT) if each.name == "lo" else each for each in session.entries)
    workspace.runs.return_to(replace(session, entries=moved))
    model = forked.tree.model()
    assert model.rowCount(model.index(0, 0)) == 2
    assert [model.index(row, 0, model.index(0, 0)).data(Qt.ItemDataRole.EditRole) for row in (0, 1)] == [
        "es first",
        "lo",
    ]


def test_a_branch_that_is_called_like_html_is_told_letter_by_letter(workspace, panel):
    workspace.runs.rename(ROOT, "<img src='x'> & <b>bold</b>")
    tip = panel.tree.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;img" in tip and "<img" not in tip and "<b>" not in tip


def test_a_branch_made_in_another_view_is_compared_once_the_panel_is_shown(qtbot, workspace):
    window = QStackedWidget()
    qtbot.addWidget(window)
    panel = RunsPanel(workspace)
    window.addWidget(QWidget())
    window.addWidget(panel)
    window.resize(900, 500)
    window.show()
    window.setCurrentIndex(1)
    qtbot.wait(150)
    window.setCurrentIndex(0)
    branch_off(qtbot, workspace, 2, "e", "s", "es first")
    qtbot.wait(200)
    window.setCurrentIndex(1)
    qtbot.waitUntil(lambda: panel.facts.first.isVisible())
