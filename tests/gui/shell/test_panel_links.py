"""What is picked in one panel is shown in the others: merges, words and the typed text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.explain.vocabulary import TokenState
from bpe_studio.gui.corpus.tokenizer_dialog import TokenizerDialog

whole_window = pytest.mark.slow(
    buys=(
        "links from several views of a whole window; those of the panels that are seen first are in"
        " each run"
    )
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


# Every number that counts tokens leads to them.


def shown_tokens(window, qtbot):
    """The state of the tokens that the vocabulary shows, and how many there are.

    It must be in front.
    """
    vocabulary = window.panels["vocabulary"]
    assert window.views.current == "vocabulary"
    # Filtered in slices of time: on a busy computer the rows of before are still there.
    qtbot.waitUntil(
        lambda: (
            vocabulary.is_up_to_date
            and not vocabulary.model.is_busy
            and vocabulary.model.rowCount() > 0
        )
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


def test_a_published_tokenizer_is_found_by_its_name_and_leads_to_the_list(
    window, qtbot, monkeypatch, tmp_path
):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    window.open_palette()
    palette = window.palette_of_actions
    qtbot.keyClicks(palette.input, "gpt-4o")
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    dialog = window.findChild(TokenizerDialog)
    qtbot.waitUntil(lambda: "gpt-4o" in dialog.place)
    dialog.reject()


def test_tokens_that_are_never_used_are_found_by_these_words(window, qtbot):
    window.open_palette()
    palette = window.palette_of_actions
    qtbot.keyClicks(palette.input, "never used")
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    state, _ = shown_tokens(window, qtbot)
    assert state is TokenState.unused


def test_transformers_leads_to_saving_a_tokenizer(window, qtbot):
    window.open_palette()
    palette = window.palette_of_actions
    qtbot.keyClicks(palette.input, "transformers")
    assert "file.save_tokenizer" in [entry.key for entry, _ in palette.rows.found]
    palette.close_palette()
