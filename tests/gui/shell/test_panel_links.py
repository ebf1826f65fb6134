"""What is picked in one panel is shown in the others: merges, words and the typed text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from bpe_studio.gui.corpus.tokenizer_dialog import TokenizerDialog
from bpe_studio.workspace.selection import Kind, highlighted_places

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


def test_a_published_tokenizer_is_found_by_its_name_and_leads_to_the_list(window, qtbot, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    window.open_palette()
    palette = window.palette_of_actions
    qtbot.keyClicks(palette.input, "gpt-4o")
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    dialog = window.findChild(TokenizerDialog)
    qtbot.waitUntil(lambda: "gpt-4o" in dialog.place)
    dialog.reject()
