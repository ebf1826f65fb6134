"""The keyboard alone is enough, its place is seen, and a screen reader gets names and values: in
the whole window.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QTableView,
    QWidget,
)

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import DEFAULT_PRESET
from bpe_studio.gui.shell.commands import AboutDialog, ShortcutsDialog
from bpe_studio.gui.shell.keyboard_focus import takes_tab
from bpe_studio.workspace.state import State

whole_window = pytest.mark.slow(
    buys=(
        "each looks at another part of a whole window; the order of Tab and all names are in the"
        " quick ones"
    )
)

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills\n"
    * 6
)
PATIENCE_MS = 20_000
NAME = QAccessible.Text.Name
VALUE = QAccessible.Text.Value
ABOUT = QAccessible.Text.Description


def with_a_story(window, qtbot):
    """A text is opened anew and trained to the end, another is typed, and an earlier step
    is shown.
    """
    window.resize(1440, 900)
    train(window, qtbot)
    return go_back_in(window, qtbot)


def train(window, qtbot):
    workspace = window.workspace
    before = window.workspace.run
    workspace.settings.apply(TrainingConfig.preset(DEFAULT_PRESET))
    workspace.opener.open_text(TEXT, "A story")
    qtbot.waitUntil(
        lambda: workspace.run is not before and workspace.state is State.ready, timeout=PATIENCE_MS
    )
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)


def go_back_in(window, qtbot):
    workspace = window.workspace
    workspace.set_typed_text("the cat\tسلام 漢字 👩‍💻")
    workspace.transport.go_to(workspace.n_merges * 3 // 4)
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)
    qtbot.waitUntil(
        lambda: (
            window.text_panel.editor.step == workspace.step
            and window.panels["words"].is_up_to_date
            and window.panels["skyline"].is_up_to_date
        ),
        timeout=PATIENCE_MS,
    )
    return window


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot)
    window = lasting_window.window
    window.set_theme("system")
    window.resize(1440, 900)
    lasting_window.open_trained("a story", lambda: train(window, qtbot))
    return go_back_in(window, qtbot)


@pytest.fixture
def own_window(make_window, qtbot):
    """A window that no other test has: for another text size."""
    return with_a_story(make_window(1440, 900), qtbot)


def in_front(qtbot, window, *keys):
    for key in keys:
        window.views.show_panel(key)
    qtbot.waitUntil(lambda: window.panels[keys[-1]].isVisible())


def reachable(window):
    return [widget for widget in window.findChildren(QWidget) if takes_tab(widget, window)]


def walked(key, n_most=300):
    """The widgets that a key goes through until it comes round; fails where it does not move on."""
    seen = []
    for _ in range(n_most):
        widget = QApplication.focusWidget()
        if widget in seen:
            return seen
        seen.append(widget)
        QTest.keyClick(widget, key)
        assert QApplication.focusWidget() is not widget, (
            f"{widget.objectName()} does not let go of the keyboard"
        )
    raise AssertionError("the keyboard does not come round")


def said(widget, what):
    return QAccessible.queryAccessibleInterface(widget).text(what)


@pytest.mark.parametrize("keys", [("growth",), ("corpus",), ("settings", "compare")])
def test_tab_reaches_every_control_and_shift_tab_too(qtbot, window, keys):
    in_front(qtbot, window, *keys)
    if "settings" in keys:
        window.panels["settings"].form.more.setChecked(True)
    wanted = set(reachable(window))
    assert len(wanted) > 10
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        window.findChild(QWidget, f"view.{window.views.current}_button").setFocus()
        seen = walked(key)
        assert not {widget.objectName() for widget in wanted - set(seen)}
        assert not [widget.objectName() for widget in seen if not widget.isVisible()]


def test_behind_the_drawer_nothing_takes_the_keyboard(qtbot, window):
    window.resize(640, 720)
    in_front(qtbot, window, "merges")
    table = window.panels["merges"].table
    assert takes_tab(table, window)
    in_front(qtbot, window, "settings")
    qtbot.waitUntil(lambda: not takes_tab(table, window))
    assert table.isVisible() and takes_tab(window.panels["settings"].preset, window)


def test_tab_leaves_the_text_and_ctrl_tab_types_one(qtbot, window):
    editor = window.text_panel.editor
    editor.setFocus()
    before = editor.text()
    qtbot.keyClick(editor, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "\t" + before
    assert editor.hasFocus()
    editor.undo()
    assert editor.text() == before
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == before
    assert not editor.hasFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
    assert editor.hasFocus()
    assert "Ctrl+Tab" in editor.toolTip()


@whole_window
@pytest.mark.parametrize("dialog", ["shortcuts", "about"])
def test_dialogs_are_left_with_the_keyboard(qtbot, window, dialog):
    shown = (
        ShortcutsDialog(window.actions_by_id, window)
        if dialog == "shortcuts"
        else AboutDialog(window)
    )
    qtbot.addWidget(shown)
    shown.open()
    buttons = shown.findChildren(QPushButton)
    assert [said(button, NAME) for button in buttons] == ["Close"]
    qtbot.waitUntil(lambda: shown.focusWidget() is buttons[0])
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert not shown.isVisible()


@whole_window
def test_the_cells_of_tables_are_said_and_so_is_the_step(window):
    for name in ("merges.table", "corpus.words", "compare.table", "candidates.table"):
        table = window.findChild(QTableView, name)
        model = table.model()
        for column in range(model.columnCount()):
            assert model.headerData(
                column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
            ), (name, column)
            if model.rowCount():
                text = model.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole)
                assert text.startswith(str(model.index(0, column).data())), (name, column)
    merges = window.findChild(QTableView, "merges.table").model()
    states = [
        merges.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(merges.rowCount())
    ]
    step = window.workspace.step
    assert states[step - 1].endswith(", the current step")
    assert states[step].endswith(", ahead of the step")
    assert "," not in states[0].replace(",000", "")


@pytest.fixture
def text_size():
    """Sets the system's text size, and puts it back."""
    application = QApplication.instance()
    before = QFont(application.font())

    def set_size(points):
        font = QFont(before)
        font.setPointSizeF(points)
        application.setFont(font)

    yield set_size
    application.setFont(before)


@whole_window
def test_an_open_window_follows_the_text_size(qtbot, own_window, text_size):
    text_size(10)
    labels = (
        own_window.views.place_of("text").title,
        own_window.panels["corpus"].facts.name,
        own_window.panels["corpus"].facts.numbers["size"],
    )
    others = (
        own_window.text_panel.editor,
        own_window.panels["merges"].table,
        own_window.transport.jump,
    )

    def sizes():
        return [widget.font().pointSizeF() for widget in (*labels, *others)]

    qtbot.waitUntil(lambda: own_window.font().pointSizeF() == 10)
    QApplication.processEvents()
    before = sizes()
    text_size(20)
    qtbot.waitUntil(lambda: sizes() == pytest.approx([2 * size for size in before]))
    assert own_window.strip.height() >= own_window.strip.save.sizeHint().height()
    text_size(10)
    qtbot.waitUntil(lambda: sizes() == pytest.approx(before))
