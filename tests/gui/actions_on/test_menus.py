"""Context menus: what each offers where a target is shown, by mouse and by keyboard, and what the
actions do.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QMenu

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.actions_on.overrides import why_not_override
from bpe_studio.gui.actions_on.table import FOR_SELECTION, TABLE
from bpe_studio.gui.actions_on.targets import title_of, token_target
from bpe_studio.gui.shell.actions import TABLE as ALL_ACTIONS
from bpe_studio.workspace.selection import Kind
from bpe_studio.workspace.state import State
from tests.facts import says

whole_window = pytest.mark.slow(
    buys="every menu of a whole window; that of the merges is in each run"
)

TEXT = "hug pug pun bun hugs hug hug pun bunny bus rub tub " * 10
MOUSE = QContextMenuEvent.Reason.Mouse
KEYBOARD = QContextMenuEvent.Reason.Keyboard


@pytest.fixture
def window(lasting_window, train_in, qtbot):
    lasting_window.put_back(qtbot, 1440, 900)
    window = lasting_window.window
    lasting_window.open_trained("words", lambda: train_in(window, TEXT, 8, typed="hugs and a pun"))
    window.workspace.set_typed_text("hugs and a pun")
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)
    return window


def asked(widget, place=None):
    """The menu that the right button opens at a place of a widget, or without one the menu key."""
    target = (
        widget if place is None else widget.viewport() if hasattr(widget, "viewport") else widget
    )
    at = QPoint() if place is None else place
    reason = KEYBOARD if place is None else MOUSE
    QCoreApplication.sendEvent(target, QContextMenuEvent(reason, at, target.mapToGlobal(at)))
    shown = [menu for menu in widget.findChildren(QMenu, "on.menu") if menu.isVisible()]
    assert len(shown) == 1
    return shown[0]


def entries(menu):
    """The actions on the target, by their names."""
    return {
        action.objectName().removeprefix("on."): action
        for action in menu.actions()
        if action.objectName()
    }


def choose(menu, name):
    action = entries(menu)[name]
    assert action.isEnabled(), action.toolTip()
    menu.hide()
    action.trigger()


def cell(table, row, column=0):
    return table.visualRect(table.model().index(row, column)).center()


def test_compare_sizes_shows_the_text_at_several_sizes_with_one_click(window):
    window.strip.compare.click()
    assert (window.views.current, window.panels["compare"].page) == ("compare", "Text")
    assert not window.strip.isVisible(), "this is the view that compares"


def test_forbidding_a_merge_in_the_list_takes_two_actions_and_branches_at_its_step(window, qtbot):
    workspace = window.workspace
    table = window.panels["merges"].table
    first = workspace.run.merges[2]
    choose(asked(table, cell(table, 2)), "forbid")
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    shown = workspace.runs.shown
    assert shown.name == f"without {first.left} + {first.right}"
    assert (shown.override.step, shown.override.kind.value, workspace.step) == (2, "forbid", 2)
    assert (first.left, first.right) not in [
        (merge.left, merge.right) for merge in workspace.run.merges
    ]
    assert shown.name in window.findChild(object, "run.chooser").currentText()
    said = window.strip.what.accessibleDescription()
    assert said.startswith(f"Branch “{shown.name}” from step 2"), said
    assert window.strip.compare_branch.isVisible()
    window.strip.compare_branch.click()
    assert window.views.current == "compare"
    assert [each.key for each in window.panels["compare"].pair] == ["run 0", "step"]
    workspace.transport.go_to(0)
    assert not window.strip.compare_branch.isVisible()
    window.actions_by_id["edit.undo"].trigger()
    assert len(workspace.runs.entries) == 1


@whole_window
def test_every_table_and_drawing_has_the_menu_of_what_it_shows(window, qtbot):
    workspace = window.workspace
    workspace.transport.go_to(3)
    run = workspace.run
    merges = window.panels["merges"].table
    words = window.panels["words"]
    candidates = window.panels["candidates"]
    qtbot.waitUntil(lambda: candidates.is_up_to_date and words.is_up_to_date)
    menu = asked(merges, cell(merges, 5))
    found = entries(menu)
    assert list(found) == [
        "why",
        "step",
        "forbid",
        "force",
        "skip",
        "stop",
        "lines",
        "vocabulary",
        "copy_text",
        "copy_ids",
        "copy_bytes",
    ]
    assert (
        "merge 6 makes it" in found["vocabulary"].toolTip() and not found["vocabulary"].isEnabled()
    )
    assert [action.text() for action in menu.actions()][-3:] == [
        "Save as CSV…",
        "Copy row",
        "Copy all rows",
    ]
    menu.hide()
    menu = asked(candidates.table, cell(candidates.table, 0))
    assert entries(menu)["force"].toolTip().endswith("this pair is merged next anyway")
    assert {"Tie rule from here", "Another pair…"} <= {action.text() for action in menu.actions()}
    menu.hide()
    # A word, one of its tokens, and the border between two of them.
    cuts = [words.model.cut(words.model.source_row(row)) for row in range(words.model.rowCount())]
    row = next(row for row, cut in enumerate(cuts) if cut.n_tokens > 1)
    rect = words.table.visualRect(words.model.index(row, words.model.CUT))
    chips = words.table.chips_in(words.model.index(row, words.model.CUT))
    menu = asked(words.table, cell(words.table, row, words.model.WORD))
    assert "step" not in entries(menu)
    menu.hide()
    menu = asked(words.table, QPoint(int(chips.rects[0].center().x()), rect.center().y()))
    assert menu.actions()[0].text() == words.model.cut(words.model.source_row(row)).names[0]
    menu.hide()
    menu = asked(words.table, QPoint(int(chips.rects[0].right() + 0.5), rect.center().y()))
    assert " | " in menu.actions()[0].text() and list(entries(menu)) == [
        "why",
        "forbid",
        "force",
        "skip",
    ]
    menu.hide()
    # The typed text, with the entries of an editor below; its ids; and the skyline.
    editor = window.text_panel.editor
    menu = asked(editor, editor.cursorRect().center() + QPoint(4, 0))
    token = editor.token_at(editor.cursorRect().center() + QPoint(4, 0)).id
    assert menu.actions()[0].text() == title_of(token_target(run, token))
    assert "Select All" in {action.text().partition("\t")[0] for action in menu.actions()}
    menu.hide()
    skyline = window.panels["skyline"].view
    seen = skyline.viewport().rect()
    places = [QPoint(x, y) for y in range(0, seen.height(), 3) for x in range(0, seen.width(), 3)]
    kinds = {}
    for place in places:
        target = skyline.target_at(place)
        if target is not None:
            kinds.setdefault(target.kind, place)
    assert set(kinds) == {Kind.merge, Kind.border, Kind.token}
    menu = asked(skyline, kinds[Kind.merge])
    assert " → " in menu.actions()[0].text() and {"why", "forbid", "step"} <= set(entries(menu))


def test_the_menu_key_opens_the_menu_of_the_current_row_token_and_joint(window, qtbot):
    workspace = window.workspace
    merges = window.panels["merges"].table
    merges.setFocus()
    merges.setCurrentIndex(merges.model().index(4, 0))
    run = workspace.run
    menu = asked(merges)
    assert menu.actions()[0].text().endswith(run.merges[4].token)
    row = merges.visualRect(merges.currentIndex())
    assert row.top() <= merges.current_target()[1].y() <= row.bottom()
    menu.hide()
    editor = window.text_panel.editor
    editor.setFocus()
    menu = asked(editor)
    assert menu.actions()[0].text() == run.token_name(editor.cursor_token().id)
    menu.hide()
    chooser = window.findChild(object, "run.chooser")
    menu = asked(chooser)
    assert list(entries(menu)) == ["compare", "rename", "remove"]
    assert menu.actions()[0].toolTip().endswith("there is no other run yet")
    menu.hide()
    workspace.selection.select_token(run.find_token("hug"))
    window.views.show_panel("why")
    why = window.panels["why"]
    qtbot.waitUntil(lambda: why.is_up_to_date and why.token.tree.isVisible())
    assert asked(why.selected).actions()[0].text() == "hug"
    assert asked(why.token.tree).actions()[0].text() == "hug"


@whole_window
def test_what_leads_elsewhere_shows_the_thing_there(window, qtbot):
    workspace = window.workspace
    table = window.panels["merges"].table
    run = workspace.run
    choose(asked(table, cell(table, 1)), "why")
    assert (workspace.selection.current.kind, workspace.selection.current.token) == (
        Kind.merge,
        run.token_of(1),
    )
    assert window.panels["why"].isVisible()
    choose(asked(table, cell(table, 1)), "step")
    assert workspace.step == 2
    choose(asked(table, cell(table, 1)), "stop")
    assert [each.text for each in workspace.marks.breakpoints] == [run.merges[1].token]
    menu = asked(table, cell(table, 1))
    assert entries(menu)["stop"].toolTip().endswith("this breakpoint exists already")
    menu.hide()
    choose(asked(table, cell(table, 0)), "vocabulary")
    assert (
        window.views.current == "vocabulary" and workspace.selection.current.token == run.n_alphabet
    )
    window.views.show_view("explore")
    choose(asked(table, cell(table, 0)), "lines")
    assert window.views.current == "corpus" and window.panels["lines"].isVisible()


def test_copies_are_text_ids_and_bytes(window):
    workspace = window.workspace
    table = window.panels["merges"].table
    run = workspace.run
    clipboard = QGuiApplication.clipboard()
    token = run.n_alphabet
    choose(asked(table, cell(table, 0)), "copy_text")
    assert clipboard.text() == run.merges[0].token
    choose(asked(table, cell(table, 0)), "copy_ids")
    assert clipboard.text() == str(run.external_id(token, workspace.step))
    choose(asked(table, cell(table, 0)), "copy_bytes")
    assert clipboard.text() == run.token_content(token).hex(" ").upper()


@whole_window
def test_the_selection_has_the_same_actions_in_the_menus_the_palette_and_by_keys(window, qtbot):
    workspace = window.workspace
    actions = window.actions_by_id
    forbid = actions["selection.forbid"]
    assert not forbid.isEnabled() and forbid.toolTip().endswith("nothing is selected")
    workspace.selection.select_merge(3)
    assert forbid.isEnabled() and actions["selection.lines"].isEnabled()
    # What takes longer is found out before the actions are listed, and otherwise when one is used.
    assert actions["selection.force"].isEnabled()
    with qtbot.waitSignal(workspace.noticed) as told:
        actions["selection.force"].trigger()
    assert says(told.args[0].message, "Force", "merge 4")
    window.open_palette()
    assert actions["selection.force"].toolTip().endswith("it is merged already, by merge 4")
    names = [entry.name for entry, _ in window.palette_of_actions.rows.found]
    assert (
        "Selection: Forbid" in names
        and len([name for name in names if name.endswith(": Copy as ids")]) == 1
    )
    window.palette_of_actions.close_palette()
    forbid.trigger()
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    assert workspace.runs.shown.override.step == 3


def test_no_key_has_two_actions():
    keys = [key for row in ALL_ACTIONS for key in row.shortcuts]
    assert len(keys) == len(set(keys))
    assert {each.id for each in FOR_SELECTION} == {
        each.id for each in TABLE if each.kinds != (None,)
    } - {"why"}


@pytest.fixture(scope="module")
def run():
    config = TrainingConfig.preset("gpt2", merges=12)
    return train(Corpus.from_text("the thin thing, thé ‎سلام سلام\n" * 5, config), config)


def test_a_pair_says_why_it_cannot_be_overridden(run):
    columns = run.columns
    pair = int(columns.left[3]), int(columns.right[3])
    assert why_not_override(run, 12, "force", pair, 3) == "this pair is merged next anyway"
    assert why_not_override(run, 12, "forbid", pair, 3) == ""
    late = run.token_of(5)
    assert "made only by merge 6, after step 2" in why_not_override(run, 12, "force", (late, 0), 2)
    first = int(columns.left[0]), int(columns.right[0])
    assert why_not_override(run, 12, "skip", first[::-1], 0).startswith("another pair is next")
