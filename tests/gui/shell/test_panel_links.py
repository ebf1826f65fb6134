"""What is picked in one panel is shown in the others: merges, words and the typed text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPushButton

from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.explain.vocabulary import TokenState
from bpe_studio.gui.sizes.advice_models import CostsModel
from bpe_studio.gui.sizes.numbers_model import RARE, UNUSED
from bpe_studio.workspace.selection import Kind, Selected, highlighted_places
from bpe_studio.workspace.state import State

whole_window = pytest.mark.slow(
    buys="links from several views of a whole window; those of the panels that are seen first are in each run"
)

TEXT = "hug pug pun bun hugs hug hug pun bunny bus rub tub " * 10 + "\u200b"


@pytest.fixture
def window(lasting_window, train_in, qtbot):
    lasting_window.put_back(qtbot, 1440, 900)
    window = lasting_window.window
    lasting_window.open_trained("words", lambda: train_in(window, TEXT, 12, typed="hugs and a pun"))
    window.workspace.set_typed_text("hugs and a pun")
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)
    return window


def click_row(qtbot, table, row):
    rect = table.visualRect(table.model().index(row, 0))
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


def test_a_click_on_a_merge_goes_there_and_is_shown_in_the_text(window, qtbot):
    table = window.panels["merges"].table
    click_row(qtbot, table, 0)
    workspace = window.workspace
    pick = workspace.selection.current
    assert (workspace.step, pick.kind, pick.token) == (1, Kind.merge, workspace.run.n_alphabet)
    model = window.panels["merges"].model
    assert [row for row in range(model.rowCount()) if model.is_selected(row)] == [0]
    tokens = window.text_panel.editor.live.tokens(1).ids.tolist()
    assert highlighted_places(tokens, pick)  # so that there is something to see
    qtbot.waitUntil(lambda: window.text_panel.editor.step == 1)
    before = window.text_panel.editor.viewport().grab().toImage()
    workspace.selection.clear()
    assert window.text_panel.editor.viewport().grab().toImage() != before


def test_a_click_on_a_token_of_the_text_picks_it_and_its_merge_is_marked(window, qtbot):
    editor, workspace = window.text_panel.editor, window.workspace
    place = editor.cursorRect().center() + QPoint(4, 0)
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=place)
    pick = workspace.selection.current
    assert pick.kind is Kind.token and workspace.run.token_name(pick.token).startswith("h")
    model = window.panels["merges"].model
    marked = [model.source_row(row) for row in range(model.rowCount()) if model.is_selected(row)]
    assert marked == [pick.token - workspace.run.n_alphabet]
    assert workspace.step == 12  # looking at something does not move the step


def test_a_click_on_a_word_picks_it(window, qtbot):
    words = window.panels["words"]
    click_row(qtbot, words.table, 1)
    pick = window.workspace.selection.current
    assert pick == Selected(Kind.word, word=words.model.source_row(1))
    assert [row for row in range(words.model.rowCount()) if words.model.is_selected(row)] == [1]


@whole_window
def test_the_token_that_is_picked_is_lit_in_every_word(window, qtbot):
    qtbot.waitUntil(lambda: window.panels["words"].is_up_to_date)
    words, workspace = window.panels["words"], window.workspace
    workspace.selection.select_token(workspace.run.find_token("hug"))
    names = {}
    for row in range(words.model.rowCount()):
        cut = words.model.cut(words.model.source_row(row))
        names["".join(cut.names)] = [cut.names[place] for place in words.model.highlighted(cut)]
    assert names["hug"] == ["hug"] and names["hugs"] in (["hug"], []) and names["pun"] == []


def test_back_and_forward_by_keys(window, qtbot):
    selection = window.workspace.selection
    for token in (1, 2, 3):
        selection.select_token(token)
    window.setFocus()
    back, forward = (window.findChild(QAction, name) for name in ("go.back", "go.forward"))
    qtbot.keyClick(window, Qt.Key.Key_BracketLeft, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window, Qt.Key.Key_BracketLeft, Qt.KeyboardModifier.ControlModifier)
    assert selection.current.token == 1 and not back.isEnabled() and forward.isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_BracketRight, Qt.KeyboardModifier.ControlModifier)
    assert selection.current.token == 2
    selection.select_token(5)
    assert not forward.isEnabled()


def test_asking_why_of_the_token_at_the_cursor(window, qtbot):
    editor = window.text_panel.editor
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    pick = window.workspace.selection.current
    assert pick is not None and pick.token == editor.cursor_token().id
    assert not window.panels["why"].visibleRegion().isEmpty()


@whole_window
def test_a_click_in_the_skyline_picks_one_thing(window):
    selection, skyline = window.workspace.selection, window.panels["skyline"]
    selection.select_token(1)
    skyline.view.joint_clicked.emit(2)
    assert (selection.current.kind, selection.current.token) == (Kind.merge, window.workspace.run.n_alphabet + 2)
    skyline.view.token_clicked.emit(3)
    assert selection.current == Selected(Kind.token, 3)
    selection.go_back()
    selection.go_back()
    assert selection.current == Selected(Kind.token, 1)


def test_the_places_of_a_pair():
    pair = Selected(Kind.pair, -1, 1, 2)
    assert highlighted_places([0, 1, 2, 1], pair) == {1, 2}
    assert highlighted_places([1, 1, 2], Selected(Kind.pair, -1, 1, 1)) == {0, 1}
    assert highlighted_places([3, 1, 2], Selected(Kind.merge, 3, 1, 2)) == {0, 1, 2}
    assert highlighted_places([3, 1], None) == frozenset()


# Every number that counts tokens leads to them.


def shown_tokens(window, qtbot):
    """The state of the tokens that the vocabulary shows, and how many there are; it must be in front."""
    vocabulary = window.panels["vocabulary"]
    assert window.views.current == "vocabulary"
    # Filtered in slices of time: on a busy computer the rows of before are still there.
    qtbot.waitUntil(
        lambda: vocabulary.is_up_to_date and not vocabulary.model.is_busy and vocabulary.model.rowCount() > 0
    )
    state = vocabulary.filters.wanted.state
    return state, vocabulary.model.rowCount()


def click_cell(qtbot, table, row, column):
    index = table.model().index(row, column)
    table.executeDelayedItemsLayout()
    table.horizontalScrollBar().setValue(0)  # the first columns of the sizes do not scroll sideways
    table.scrollTo(index)
    assert table.indexAt(table.visualRect(index).center()) == index
    qtbot.mouseMove(table.viewport(), table.visualRect(index).center())
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())


@whole_window
def test_the_vocabulary_size_of_the_status_bar_leads_to_every_token(window, qtbot):
    number = window.status_line.numbers["vocab_size"]
    assert number.focusPolicy() & Qt.FocusPolicy.TabFocus and number.accessibleName()
    qtbot.mouseClick(number, Qt.MouseButton.LeftButton)
    assert shown_tokens(window, qtbot) == (None, int(number.text()))
    window.views.show_view("explore")
    number.setFocus()
    qtbot.keyClick(number, Qt.Key.Key_Space)
    assert window.views.current == "vocabulary"


@whole_window
@pytest.mark.parametrize("by_keys", [False, True])
def test_numbers_of_compared_sizes_lead_to_their_tokens(window, qtbot, by_keys):
    window.views.show_panel("compare")
    sizes = window.panels["compare"]
    sizes.numbers.rare_below.setValue(7)
    for column, state in ((UNUSED, TokenState.unused), (RARE, TokenState.rare), (1, None)):
        window.views.show_panel("compare")
        qtbot.waitUntil(lambda column=column: sizes.model.is_link(0, column))
        row, wanted = 0, int(sizes.model.text(0, column).replace(",", ""))
        if state is None or wanted:
            if by_keys:
                sizes.table.setFocus()
                sizes.table.setCurrentIndex(sizes.model.index(row, column))
                qtbot.keyClick(sizes.table, Qt.Key.Key_Return)
            else:
                click_cell(qtbot, sizes.table, row, column)
            assert shown_tokens(window, qtbot) == (state, wanted)
            assert window.workspace.step == sizes.model.rows[row].step
            assert window.panels["vocabulary"].filters.wanted.rare_below == 7


@whole_window
def test_a_number_that_is_a_link_is_underlined_under_the_mouse(make_trained_window, qtbot):
    window = make_trained_window(TEXT, 12, typed="hugs and a pun")
    window.views.show_panel("compare")
    table = window.panels["compare"].table
    qtbot.waitUntil(lambda: table.model().rowCount() and table.model().is_link(0, 1))
    before = table.viewport().grab().toImage()
    index = table.model().index(0, 1)
    table.scrollTo(index)
    table._hover_link(index)
    assert table.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert table.viewport().grab().toImage() != before
    table._hover_link(table.model().index(0, 2))
    assert table.viewport().cursor().shape() is Qt.CursorShape.ArrowCursor


@whole_window
def test_numbers_of_advice_and_of_compared_runs_lead_to_the_tokens(window, qtbot):
    workspace, sizes = window.workspace, window.panels["compare"]
    window.views.show_panel("compare")
    sizes.tabs.setCurrentWidget(sizes.advice.parentWidget() if sizes.tabs.indexOf(sizes.advice) < 0 else sizes.advice)
    qtbot.waitUntil(lambda: sizes.advice.costs.rowCount() > 0)
    click_cell(qtbot, sizes.advice.costs_table, 0, CostsModel.SIZE)
    n = int(sizes.advice.costs.text(0, CostsModel.SIZE).replace(",", ""))
    assert shown_tokens(window, qtbot) == (None, n) and workspace.step == sizes.advice.costs.step(0)
    merge = workspace.run.merges[1]
    workspace.runs.branch_off(Override(1, OverrideKind.forbid, merge.left, merge.right))
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading)
    window.views.show_panel("branches")
    runs = window.panels["branches"]
    qtbot.waitUntil(lambda: runs.is_up_to_date)
    other = runs.shown.sides[1]
    number = runs.facts.cells["vocabulary", "B"]
    wanted = int(number.text().replace(",", ""))
    number.click()
    assert workspace.runs.shown.number == other.number
    assert shown_tokens(window, qtbot) == (None, wanted)


@whole_window
def test_the_sizes_in_the_strip_and_above_the_curves_lead_to_every_token(window, qtbot):
    window.resize(1440, 900)
    for name in ("strip.what", "growth.readout"):
        window.show_view("explore")
        label = window.findChild(QLabel, name)
        qtbot.waitUntil(lambda label=label: label.isVisible() and "vocabulary" in label.text())
        qtbot.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(6, label.height() // 2))
        assert window.views.current == "vocabulary", name


@whole_window
def test_a_click_on_a_place_of_the_inspection_shows_the_lines(window, qtbot):
    window.resize(1440, 900)
    window.show_view("corpus")
    window.views.show_panel("inspection")
    inspection, inspector = window.panels["inspection"], window.workspace.inspector
    inspection.inspect.click()
    qtbot.waitUntil(lambda: inspector.result is not None)
    inspection.place_table.clicked.emit(inspection.places.index(0, 0))
    lines = window.panels["lines"]
    qtbot.waitUntil(lambda: lines.is_up_to_date and not lines.is_searching)
    assert lines.table.lines.rowCount() == 1
    assert not lines.visibleRegion().isEmpty() and lines.status.text() == "Zero-width characters: 1 place"
    assert lines.table.lines.row(0).token == "⟨ZWSP⟩" and lines.table.lines.is_selected(0)


@whole_window
def test_a_run_with_another_split_is_three_clicks_from_a_finished_run(window, qtbot):
    runs = window.workspace.runs
    window.actions_by_id["view.explore"].trigger()
    window.strip.compare.click()
    menu = window.findChild(QPushButton, "compare.add_run").menu()
    menu.aboutToShow.emit()
    splits = [action for action in menu.actions() if action.text().startswith("New run: The split of ")]
    assert len(splits) == 1 and splits[0].isEnabled() and splits[0].toolTip()
    splits[0].trigger()
    qtbot.waitUntil(lambda: len(runs.entries) == 2 and window.workspace.state is State.done)
    panel = window.panels["branches"]
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert panel.isVisible() and {each.number for each in panel.choice.chosen} == {0, 1}


@whole_window
def test_a_control_that_is_disabled_gives_the_keyboard_to_no_other(window, qtbot):
    """As "New run…", after whose dialog Space pressed "Rename"."""
    window.views.show_panel("branches")
    panel = window.panels["branches"]
    panel.new.setFocus(Qt.FocusReason.MouseFocusReason)
    assert window.focusWidget() is panel.new
    panel.new.setEnabled(False)
    assert window.focusWidget() is window.views
    panel.new.setEnabled(True)
    window.transport.jump.setFocus()
    assert window.focusNextPrevChild(True) and window.focusWidget() is not window.views, "Tab goes on as before"
