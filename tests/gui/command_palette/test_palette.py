"""The command palette: what it lists, how it finds, keys and mouse, focus, steps, further
entries.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMainWindow, QVBoxLayout, QWidget

from bpe_studio.gui.command_palette.entries import Entry, entries_of
from bpe_studio.gui.command_palette.name_match import match, prepare
from bpe_studio.gui.command_palette.palette import CommandPalette
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.actions import TABLE
from bpe_studio.workspace.selection import Kind
from bpe_studio.workspace.state import State


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(900, 600)
    whole = QWidget()
    column = QVBoxLayout(whole)
    for name in ("one", "two"):
        field = QLineEdit()
        field.setObjectName(name)
        column.addWidget(field)
    window.setCentralWidget(whole)
    done = window.done = []
    run = window.menuBar().addMenu("&Run")
    for name, text, keys, tip in (
        ("run.back", "Step &back", "F7", "Goes back one merge (F7)"),
        ("run.step", "S&tep", "F8", "Goes on by one merge (F8)"),
        ("run.save", "Save t&okenizer…", "", "Saves it\nNot now: there are no merges yet"),
    ):
        action = run.addAction(text)
        action.setObjectName(name)
        action.setShortcut(keys)
        action.setToolTip(tip)
        action.triggered.connect(lambda _on, name=name: done.append(name))
    run.addSeparator()
    action.setEnabled(False)
    inner = run.addMenu("Target&s")
    inner.addAction("R&&D")
    toggle = inner.addAction("White &space")
    toggle.setCheckable(True)
    toggle.setChecked(True)
    window.show()
    window.findChild(QLineEdit, "one").setFocus()
    return window


@pytest.fixture
def whole_window(qtbot):
    """The program's own window, with a text that is being opened."""
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    window.workspace.opener.open_text("low lower lowest " * 9, "Words")
    yield window
    window.workspace.shutdown()


@pytest.fixture
def palette(window):
    return CommandPalette(window)


def names(palette):
    return [entry.name for entry, _ in palette.rows.found]


def typed(qtbot, palette, text):
    palette.open_palette()
    if text.isascii():
        qtbot.keyClicks(palette.input, text)
    else:
        palette.input.insert(text)  # QTest has keys for ASCII only, and aborts


def test_it_lists_the_menus_with_their_paths_once(window):
    found = entries_of(window)
    assert [entry.name for entry in found] == [
        "Run: Step back",
        "Run: Step",
        "Run: Save tokenizer…",
        "Run › Targets: R&D",
        "Run › Targets: White space",
    ]
    back, _step, save, _, white = found
    assert (back.keys, back.about, back.why_not(), back.state()) == (
        "F7",
        "Goes back one merge",
        "",
        "",
    )
    assert (save.why_not(), save.about) == ("there are no merges yet", "Saves it")
    assert white.state() == "on"
    assert save.accessible_text == "Run: Save tokenizer…, Not now: there are no merges yet"


def test_what_stands_in_a_disabled_menu_says_why(window):
    opener = window.menuBar().actions()[0].menu().actions()[-1]
    opener.setEnabled(False)
    opener.setToolTip("The corpus was not read from files")
    white = entries_of(window)[-1]
    assert white.why_not() == "the corpus was not read from files"


@pytest.mark.parametrize(
    ("query", "name", "places"),
    [
        ("STEP", "Run: Step back", (5, 6, 7, 8)),
        ("step b", "Run: Step back", (5, 6, 7, 8, 10)),
        ("ack", "Run: Step back", (11, 12, 13)),
        ("", "Run: Step back", ()),
        ("متن", "باز کردن متن", (9, 10, 11)),
    ],
)
def test_words_their_beginnings_and_parts_of_words_are_found(query, name, places):
    found = match(query, prepare(name, 5))
    assert found is not None
    assert found.places == places


def test_letters_that_are_scattered_in_a_name_find_nothing():
    assert match("gpt", prepare("View: Log scale of pair counts", 6)) is None


def test_typing_finds_and_enter_does_it_after_closing(qtbot, window, palette):
    typed(qtbot, palette, "step ba")
    assert names(palette) == ["Run: Step back"]
    assert palette.rows.found[0][1] == (5, 6, 7, 8, 10, 11)
    seen = []
    window.findChild(QAction, "run.back").triggered.connect(
        lambda: seen.append(palette.isVisible())
    )
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert window.done == ["run.back"]
    assert seen == [False]
    assert window.focusWidget().objectName() == "one"


def test_escape_closes_and_the_keyboard_is_where_it_was(qtbot, window, palette):
    typed(qtbot, palette, "x")
    assert palette.input.hasFocus()
    qtbot.keyClick(palette.input, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.findChild(QLineEdit, "one").hasFocus()
    assert not window.done


def test_what_cannot_be_done_now_is_listed_says_why_and_is_not_done(qtbot, window, palette):
    typed(qtbot, palette, "save")
    index = palette.rows.index(0)
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "Not now: there are no merges yet"
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert palette.about.text() == "Not now: there are no merges yet"
    assert not window.done
    # It is asked anew: what can be done meanwhile is done.
    window.findChild(QAction, "run.save").setEnabled(True)
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert window.done == ["run.save"]


def test_a_click_does_it_and_a_press_beside_closes(qtbot, window, palette):
    palette.open_palette()
    place = palette.list.visualRect(palette.rows.index(1)).center()
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.done == ["run.step"]
    palette.open_palette()
    qtbot.mouseClick(palette, Qt.MouseButton.LeftButton, pos=QPoint(5, 500))
    assert not palette.isVisible()
    assert window.done == ["run.step"]
    assert window.findChild(QLineEdit, "one").hasFocus()


def test_a_number_goes_to_that_merge(qtbot, window):
    went = []
    palette = CommandPalette(window, went.append, lambda: 5000)
    typed(qtbot, palette, "1,200")
    assert names(palette)[0] == "Go to merge 1,200 of 5,000"
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert went == [1200]
    typed(qtbot, palette, "merge 30")
    assert names(palette)[0] == "Go to merge 30 of 5,000"
    typed(qtbot, palette, "۶۰۰۰")
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert went == [1200]
    assert "the last merge is 5,000" in palette.about.text()


def test_whole_words_and_synonyms_come_first_then_what_is_searched_and_rare_actions_last(
    qtbot, palette
):
    chosen = []
    asked = []
    entries = (
        Entry("a", "Run: Go back", int, synonyms="undo merge"),
        Entry("b", "View: Sundown", int),
        Entry("c", "Edit: Undo", int),
        Entry("export.d", "File › Export: Undo merges…", int, is_rare=True),
    )
    palette.add_provider(lambda: entries)
    palette.set_search(asked.append)
    palette.open_palette()
    palette.input.setText("undo")
    palette.show_found("another text", [Entry("", "Word: other", int)])
    palette.show_found("undo", [Entry("", "Token: undo", lambda: chosen.append("token"))])
    assert names(palette) == [
        "Edit: Undo",
        "Run: Go back",
        "Token: undo",
        "View: Sundown",
        "File › Export: Undo merges…",
    ]
    palette.input.setText("undo merge")
    assert names(palette)[0] == "Run: Go back" and asked[-1] == "undo merge"
    palette.input.setText("undo")
    palette.show_found("undo", [Entry("", "Token: undo", lambda: chosen.append("token"))])
    qtbot.keyClick(palette.input, Qt.Key.Key_Down)
    qtbot.keyClick(palette.input, Qt.Key.Key_Down)
    qtbot.keyClick(palette.input, Qt.Key.Key_Enter)
    assert chosen == ["token"]


def test_the_exports_are_one_entry_that_lists_them(qtbot, palette):
    palette.add_provider(
        lambda: [Entry("export.table", "File › Export: Merges…", int, is_rare=True)]
    )
    palette.open_palette()
    assert "File › Export: Merges…" not in names(palette)
    palette.input.setText("merg")
    assert names(palette) == ["File › Export: Merges…"]
    palette.input.setText("export")
    assert names(palette) == ["File: Export…"]
    qtbot.keyClick(palette.input, Qt.Key.Key_Return)
    assert palette.isVisible() and "File › Export: Merges…" in names(palette)


def test_every_action_of_the_real_window_can_be_found_by_its_name(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    palette = CommandPalette(
        window, window.workspace.transport.go_to, lambda: window.workspace.n_merges
    )
    palette.open_palette()
    entries = {line.entry.key: line.entry for line in palette._lines}
    for row in TABLE:
        assert row.id in entries, row.id
        entry = entries[row.id]
        assert entry.about, row.id
        assert bool(entry.why_not()) == (not window.actions_by_id[row.id].isEnabled()), row.id
        assert bool(entry.keys) == bool(row.shortcuts)
        palette.input.setText(entry.name)
        assert palette.rows.found[0][0].key == row.id
    for key in window.panels:
        assert f"panel.show_{key}" in entries
    all_names = [entry.name for entry in entries.values()]
    assert len(set(all_names)) == len(all_names)
    assert [name for name in all_names if name.startswith("File › Samples: ")]
    assert [name for name in all_names if name.startswith("View › Theme: ")]
    assert [name for name in all_names if name.startswith("File › Reopen with encoding: ")]
    window.workspace.shutdown()


@pytest.mark.parametrize("letters", ["runs", "Runs", " runs "])
def test_the_exact_name_comes_first_even_if_another_was_used(qtbot, palette, letters):
    names_of_others = (
        "File › Export: Run as a Python script…",
        "Run: Run to the next stop",
        "View › Panels: Runs",
    )
    palette.add_provider(lambda: [Entry(name, name, int) for name in names_of_others])
    palette.set_used([names_of_others[0]])
    palette.open_palette()
    palette.input.setText(letters)
    assert names(palette)[0] == "View › Panels: Runs"


def test_tokens_and_words_are_found_and_selected(whole_window, qtbot):
    window = whole_window
    workspace = whole_window.workspace
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    palette = window.palette_of_actions
    for text, name, kind in (
        ("low", "Token: low", Kind.token),
        ("lowest", "Word: ␣lowest", Kind.word),
    ):
        window.actions_by_id["help.palette"].trigger()
        palette.input.setText(text)
        qtbot.waitUntil(lambda name=name: name in names(palette))
        palette.list.setCurrentIndex(palette.rows.index(names(palette).index(name)))
        qtbot.keyClick(palette.input, Qt.Key.Key_Return)
        assert workspace.selection.current.kind is kind
        qtbot.waitUntil(lambda: "why" in window.views.in_sight())
