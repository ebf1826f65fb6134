"""The start page: a typed text becomes the corpus, and it can always be reached."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.files.samples import list_samples
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def make(qtbot):
    made = []

    def begin():
        window = MainWindow()
        window.preloads = False
        made.append(window)
        qtbot.addWidget(window)
        window.show()
        qtbot.waitActive(window)
        return window

    yield begin
    for window in made:
        window.close()


@pytest.fixture
def window(make):
    return make()


def is_home(window):
    return window.pages.currentWidget() is window.start_page


def press(window, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(QApplication.focusWidget() or window, key, modifier)


def use(qtbot, window, text):
    window.start_page.editor.set_text(text)
    press(window, Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: window.workspace.state is State.ready and not is_home(window))


def test_five_typed_words_are_stepped_three_times_with_four_keys(qtbot, window):
    assert is_home(window) and not window.start_page.use.isEnabled()
    QTest.keyClicks(QApplication.focusWidget(), "hug pug pun bun hugs")
    press(window, Qt.Key.Key_Return, CONTROL)
    for _ in range(3):
        press(window, Qt.Key.Key_F8)
    workspace = window.workspace
    qtbot.waitUntil(lambda: workspace.step == 3)
    assert [merge.token for merge in workspace.run.merges[:3]] == ["ug", "hug", "un"]
    assert (workspace.config.preset_name, workspace.corpus.name) == ("textbook", "Typed text")
    qtbot.waitUntil(lambda: not is_home(window))
    assert window.views.current == "explore"


def test_any_script_can_be_typed(qtbot, window):
    text = "سلام دنیا سلام 漢字と漢字 👩‍👩‍👧 👩‍👩‍👧 🌉 é e\u0301"
    use(qtbot, window, text)
    assert window.workspace.corpus.request.text == text


def test_home_is_reached_from_everywhere_and_left_again(qtbot, window):
    press(window, Qt.Key.Key_5, CONTROL)
    assert not is_home(window)
    press(window, Qt.Key.Key_Escape)
    assert is_home(window)
    window.show_view("learn")
    press(window, Qt.Key.Key_1, CONTROL)
    assert is_home(window)
    use(qtbot, window, "hug pug")
    window.show_view("compare")
    press(window, Qt.Key.Key_N, CONTROL)
    assert is_home(window) and "Typed text" in window.start_page.back.text()
    press(window, Qt.Key.Key_Escape)
    assert not is_home(window) and window.views.current == "compare"
    window.actions_by_id["view.start"].trigger()
    window.start_page.back.click()
    assert not is_home(window)


def test_a_new_text_opens_in_explore_and_other_settings_stay_where_they_are(qtbot, window):
    use(qtbot, window, "hug pug")
    window.show_view("compare")
    window.workspace.settings.apply(window.workspace.config.replace(split="whitespace"))
    qtbot.waitUntil(lambda: window.workspace.config.split == "whitespace")
    assert window.views.current == "compare"
    window.drops.text_dropped.emit("other words")
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "Dropped text")
    assert window.views.current == "explore"


def test_it_is_shown_at_the_start_whatever_view_was_last(make):
    first = make()
    first.show_view("learn")
    first.close()
    assert is_home(make())


def test_enter_presses_its_entries(qtbot, window):
    entry = window.findChild(QWidget, f"start.sample.{list_samples()[0].id}")
    entry.setFocus()
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)


def test_a_typed_text_is_kept_for_the_next_start_without_a_question(make, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for text in ("typed سلام 👩‍👩‍👧", ""):
        first = make()
        first.begin_keeping()
        first.guard.asks = True
        first.start_page.editor.set_text(text)
        assert first.close() and first.guard.dialog is None
        second = make()
        second.begin_keeping()
        assert second.start_page.text == text
        second.start_page.use.click()
        assert second.close()
        third = make()
        third.begin_keeping()
        assert third.start_page.text == text, "a short one is kept even if it was used"


def test_a_text_without_a_word_or_an_empty_file_is_refused_and_what_is_open_stays(
    qtbot, window, tmp_path
):
    (tmp_path / "empty.txt").write_text("")
    use(qtbot, window, "a")
    run = window.workspace.run
    window.workspace.opener.open_text(" \n ", "Spaces", "textbook")
    qtbot.waitUntil(lambda: "no word" in window.banner.message.text())
    window.open_files([tmp_path / "empty.txt"])
    qtbot.waitUntil(lambda: "empty.txt is empty" in window.banner.message.text())
    assert window.workspace.run is run
    press(window, Qt.Key.Key_F8)
    qtbot.waitUntil(lambda: window.workspace.state is State.done)
    assert window.workspace.stop_reason == "no pair is left"
