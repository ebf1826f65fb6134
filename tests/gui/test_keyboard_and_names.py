"""The keyboard alone is enough, its place is seen, and a screen reader gets names and values: in the whole window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSlider,
    QTabBar,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import DEFAULT_PRESET
from bpe_studio.gui.compare.text_page import TextColumn, spoken_cut
from bpe_studio.gui.look import theme
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.help_dialogs import AboutDialog, ShortcutsDialog
from bpe_studio.gui.shell.keyboard_focus import REACH_PX, FocusFollower, FocusRing, ring_rect, takes_tab
from bpe_studio.gui.views.layouts import INSIDE, PANELS
from bpe_studio.gui.widgets.labels import AccessibleLabel
from bpe_studio.workspace.state import State

whole_window = pytest.mark.slow(
    buys="each looks at another part of a whole window; the order of Tab and all names are in the quick ones"
)

TEXT = "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills\n" * 6
PATIENCE_MS = 20_000
ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly
NAME, VALUE, ABOUT = QAccessible.Text.Name, QAccessible.Text.Value, QAccessible.Text.Description


def with_a_story(window, qtbot):
    """A text is opened anew and trained to the end, another is typed, and an earlier step is shown."""
    window.resize(1440, 900)
    train(window, qtbot)
    return go_back_in(window, qtbot)


def train(window, qtbot):
    workspace, before = window.workspace, window.workspace.run
    workspace.settings.apply(TrainingConfig.preset(DEFAULT_PRESET))
    workspace.opener.open_text(TEXT, "A story")
    qtbot.waitUntil(lambda: workspace.run is not before and workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)


def go_back_in(window, qtbot):
    workspace = window.workspace
    workspace.set_typed_text("the cat\tسلام 漢字 👩‍💻")
    window.panels["growth"].ensure_plot()
    workspace.transport.go_to(workspace.n_merges * 3 // 4)
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)
    qtbot.wait(50)
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
        assert QApplication.focusWidget() is not widget, f"{widget.objectName()} does not let go of the keyboard"
    raise AssertionError("the keyboard does not come round")


def said(widget, what):
    return QAccessible.queryAccessibleInterface(widget).text(what)


@pytest.mark.parametrize("keys", [("growth",), ("corpus",), ("settings", "compare")])
def test_tab_reaches_every_control_and_shift_tab_too(qtbot, window, keys):
    in_front(qtbot, window, *keys)
    if "settings" in keys:
        window.panels["settings"].form.more.setChecked(True)
    window.transport.jump.setFocus()
    wanted = set(reachable(window))
    assert len(wanted) > 20
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        window.transport.jump.setFocus()
        seen = walked(key)
        assert not {widget.objectName() for widget in wanted - set(seen)}
        assert not [widget.objectName() for widget in seen if not widget.isVisible()]


@whole_window
def test_behind_a_tab_and_in_other_views_nothing_takes_the_keyboard(qtbot, window):
    in_front(qtbot, window, "corpus")
    assert not takes_tab(window.panels["settings"].preset, window)
    in_front(qtbot, window, "settings")
    assert takes_tab(window.panels["settings"].preset, window)
    in_front(qtbot, window, "marks", "growth")
    assert not takes_tab(window.panels["settings"].preset, window)
    assert not takes_tab(window.panels["corpus"].open, window)


def show_tab(panel, title):
    """Bring a part of the comparison to the front."""
    panel.tabs.setCurrentIndex([panel.tabs.tabText(k) for k in range(panel.tabs.count())].index(title))
    panel.refresh()


@whole_window
def test_tab_goes_through_the_compared_columns_from_the_left(qtbot, window):
    in_front(qtbot, window, "compare")
    panel = window.panels["compare"]
    show_tab(panel, "Text")
    qtbot.waitUntil(lambda: len(panel.texts.columns) == 2 and panel.texts.columns[1].text.isVisible())
    panel.bar.field.setFocus()
    names = [widget.objectName() for widget in walked(Qt.Key.Key_Tab) if widget.objectName().startswith("compare.")]
    bar = [f"compare.{part}" for part in ("sizes", "kind", "add_sizes", "add", "fill", "add_run", "add_tokenizer")]
    left = [f"compare.{part}_1" for part in ("step", "slider", "text")]
    right = [f"compare.{part}_2" for part in ("step", "slider", "text")]
    assert names == [*bar, "compare.tab_bar", *left, *right]


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


def test_every_control_that_takes_the_keyboard_has_a_name(qtbot, window):
    for keys in (("corpus", "growth"), ("settings", "compare")):
        in_front(qtbot, window, *keys)
        for widget in reachable(window):
            assert said(widget, NAME), widget.objectName()


@whole_window
@pytest.mark.parametrize("dialog", ["shortcuts", "about"])
def test_dialogs_are_left_with_the_keyboard(qtbot, window, dialog):
    shown = ShortcutsDialog(window.actions_by_id, window) if dialog == "shortcuts" else AboutDialog(window)
    qtbot.addWidget(shown)
    shown.open()
    buttons = shown.findChildren(QPushButton)
    assert [said(button, NAME) for button in buttons] == ["Close"]
    qtbot.waitUntil(lambda: shown.focusWidget() is buttons[0])
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert not shown.isVisible()


@whole_window
def test_what_is_painted_says_where_it_stands(qtbot, window):
    area, step = window.panels["growth"].area, window.workspace.step
    slider = QAccessible.queryAccessibleInterface(window.transport.slider)
    assert slider.valueInterface().currentValue() == step
    assert f"step {step} of {window.workspace.n_merges}" in said(area, ABOUT)
    in_front(qtbot, window, "compare")
    show_tab(window.panels["compare"], "Text")
    qtbot.waitUntil(lambda: len(window.panels["compare"].texts.columns) == 2)
    column = window.panels["compare"].texts.columns[1]
    qtbot.waitUntil(lambda: "|" in said(column.text, ABOUT))
    before = said(area, ABOUT), said(column.text, ABOUT)
    window.workspace.transport.go_to(0)
    qtbot.waitUntil(lambda: said(column.text, ABOUT) != before[1])
    assert said(area, ABOUT) != before[0]
    assert "t|h|e" in said(column.text, ABOUT)
    assert isinstance(column, TextColumn)


@whole_window
def test_a_cut_is_spoken_up_to_its_end_or_an_ellipsis(qtbot, window):
    in_front(qtbot, window, "compare")
    show_tab(window.panels["compare"], "Text")
    qtbot.waitUntil(lambda: len(window.panels["compare"].texts.columns) == 2)
    column = window.panels["compare"].texts.columns[1]
    window.workspace.transport.go_to(0)
    window.workspace.set_typed_text("ab" * 20)
    qtbot.waitUntil(lambda: column.text.content is not None and column.text.content.text == "ab" * 20)
    assert spoken_cut(column.text.content) == "|".join("ab" * 20)
    window.workspace.set_typed_text("ab" * 200)
    qtbot.waitUntil(lambda: len(column.text.content.text) == 400)
    assert spoken_cut(column.text.content) == "|".join("ab" * 50) + "…"


@whole_window
def test_a_named_number_is_said_with_its_name(qtbot, window):
    label = AccessibleLabel()
    qtbot.addWidget(label)
    label.setAccessibleName("Vocabulary")
    label.setText("512")
    assert (said(label, NAME), said(label, ABOUT)) == ("Vocabulary", "512")
    in_front(qtbot, window, "growth")
    # Those of other panels are not labels of this kind yet.
    mine = ("growth.", "corpus.", "status.", "strip.", "text.")
    labels = [each for each in window.findChildren(QLabel) if each.accessibleName()]
    labels = [each for each in labels if each.text() and each.objectName().startswith(mine)]
    assert len(labels) > 8
    for each in labels:
        plain = each.accessibleDescription()
        assert plain, each.objectName()
        assert "<" in each.text() or each.text().rstrip("…") in plain, each.objectName()


@whole_window
def test_the_cells_of_tables_are_said_and_so_is_the_step(window):
    for name in ("merges.table", "corpus.words", "compare.table", "candidates.table"):
        table = window.findChild(QTableView, name)
        model = table.model()
        for column in range(model.columnCount()):
            assert model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole), (name, column)
            if model.rowCount():
                text = model.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole)
                assert text.startswith(str(model.index(0, column).data())), (name, column)
    merges = window.findChild(QTableView, "merges.table").model()
    states = [merges.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(merges.rowCount())]
    step = window.workspace.step
    assert states[step - 1].endswith(", the current step")
    assert states[step].endswith(", ahead of the step")
    assert "," not in states[0].replace(",000", "")


@whole_window
def test_enter_in_the_compared_sizes_goes_to_the_step(qtbot, window):
    in_front(qtbot, window, "compare")
    panel = window.panels["compare"]
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    panel.table.setFocus()
    panel.table.selectRow(0)
    wanted = panel.model.rows[0].step
    assert wanted != window.workspace.step
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert window.workspace.step == wanted


@whole_window
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_chosen_row_stays_legible_and_shows_the_focus(qtbot, window, mode):
    window.set_theme(mode)
    table = window.findChild(QTableView, "merges.table")
    table.setFocus()
    table.selectRow(1)
    window.workspace.transport.go_to(window.workspace.n_merges)
    QApplication.processEvents()
    table.scrollTo(table.model().index(1, 0))
    picture = table.viewport().grab().toImage()
    row = QRect(0, table.rowViewportPosition(1), table.viewport().width(), table.rowHeight(1))
    edge, ground = picture.pixelColor(40, row.top()), picture.pixelColor(1, row.center().y())
    palette = table.palette()
    base, ink = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
    assert contrast(edge, base) >= 3
    assert contrast(ink, ground) >= 7
    assert ground != base
    # The accent is the step's alone.
    assert ground.saturation() < 40


def contrast(one, other):
    def luminance(colour: QColor) -> float:
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def small(qtbot):
    """A window with a few controls, one of them far down in a scroll area, and what follows the keyboard."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    inner = QWidget()
    inside = QVBoxLayout(inner)
    far = QPushButton("far")
    inside.addSpacing(2000)
    inside.addWidget(far)
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    tabs = QTabBar()
    for text in ("one", "two", "three"):
        tabs.addTab(text)
    window.parts = [QCheckBox("check"), QSlider(Qt.Orientation.Horizontal), QLineEdit(), tabs, area, QPushButton("end")]
    window.far = far
    for part in window.parts:
        column.addWidget(part)
    window.resize(400, 400)
    follower = FocusFollower(QApplication.instance())
    window.show()
    window.activateWindow()
    window.parts[0].setFocus()
    yield window
    QApplication.instance().focusChanged.disconnect(follower._on_focus_changed)
    follower.deleteLater()


def ring(window):
    found = window.findChild(FocusRing)
    return found if found is not None and found.isVisible() else None


def wait_for_ring_around(widget, window, qtbot):
    qtbot.waitUntil(lambda: ring(window) is not None and ring(window).geometry() == ring_rect(widget))


def test_the_ring_follows_tab_and_leaves_at_a_click(qtbot, small):
    qtbot.wait(10)
    assert ring(small) is None  # focus that the program gave
    for _ in range(2):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        wait_for_ring_around(widget, small, qtbot)
        assert ring(small).geometry().contains(QRect(widget.mapTo(small, QPoint(0, 0)), widget.size()))
    qtbot.mouseClick(small.parts[0], Qt.MouseButton.LeftButton, pos=QPoint(8, small.parts[0].height() // 2))
    qtbot.waitUntil(lambda: ring(small) is None)
    assert small.parts[0].isChecked()


def test_the_ring_follows_a_widget_that_moves_and_hides(qtbot, small):
    qtbot.keyClick(small.parts[0], Qt.Key.Key_Tab)
    wait_for_ring_around(small.parts[1], small, qtbot)
    before = ring(small).geometry()
    small.resize(600, 500)
    qtbot.waitUntil(lambda: ring(small).geometry() == ring_rect(small.parts[1]) != before)
    small.parts[1].hide()
    qtbot.waitUntil(
        lambda: ring(small) is None or ring(small).geometry() == ring_rect(QApplication.focusWidget()),
    )


def test_the_ring_is_around_one_tab_and_within_a_scroll_area(qtbot, small):
    tabs = small.parts[3]
    small.parts[2].setFocus()
    qtbot.keyClick(small.parts[2], Qt.Key.Key_Tab)
    assert tabs.hasFocus()
    qtbot.keyClick(tabs, Qt.Key.Key_Right)
    place = tabs.mapTo(small, tabs.tabRect(1).topLeft()) - QPoint(REACH_PX, REACH_PX)
    qtbot.waitUntil(lambda: ring(small) is not None and ring(small).geometry().topLeft() == place)
    while QApplication.focusWidget() is not small.far:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    area = small.parts[4]
    room = QRect(area.pos(), area.size()).adjusted(-3, -3, 3, 3)
    qtbot.waitUntil(lambda: ring(small) is not None and room.contains(ring(small).geometry()))
    area.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: ring(small) is None)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_ring_is_seen_on_every_ground(mode):
    palette = theme.dark_palette() if mode == "dark" else theme.light_palette()
    ink = palette.color(QPalette.ColorRole.WindowText)
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base, QPalette.ColorRole.Button):
        assert contrast(ink, palette.color(role)) >= 3
    for colour in theme.token_colours(palette):
        assert contrast(ink, colour) >= 3


def test_the_ring_takes_no_press(qtbot, small):
    small.parts[4].setFocus()
    qtbot.keyClick(small.parts[4], Qt.Key.Key_Tab)
    while not small.parts[5].hasFocus():
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    wait_for_ring_around(small.parts[5], small, qtbot)
    assert small.childAt(ring(small).geometry().center()) is small.parts[5]


@whole_window
def test_each_panel_can_be_shown_and_have_its_own_window_without_a_mouse(window):
    for key in PANELS:
        if key in INSIDE:  # a page of another panel, which it shows
            window.views.panel_actions[key].trigger()
            assert window.panels[key].isVisible() and key not in window.views.window_actions
            continue
        for menu, name in (("menu.panels", f"panel.show_{key}"), ("menu.own_windows", f"panel.window_{key}")):
            assert name in [each.objectName() for each in window.findChild(QMenu, menu).actions()]
        window.views.panel_actions[key].trigger()
        assert window.panels[key].isVisible()
        window.views.window_actions[key].trigger()
        assert window.panels[key].window() is not window
        window.views.window_actions[key].trigger()
        assert window.panels[key].window() is window


@whole_window
def test_buttons_that_take_no_tab_are_only_those_that_a_menu_replaces(window):
    for button in window.findChildren(QAbstractButton):
        name = button.objectName()
        if not button.isVisible() or button.focusPolicy() & Qt.FocusPolicy.TabFocus or name.startswith("qt_"):
            continue
        if isinstance(button.parent(), (QLineEdit, QTabBar, QDialog)):
            continue
        assert name.startswith("panel.") and name.endswith((".fold", ".window", ".maximize", ".close")), name


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


def test_it_opens_with_a_large_font(qtbot, text_size):
    text_size(20)
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    for button in window.findChildren(QAbstractButton):
        is_text = not isinstance(button, QToolButton) or button.toolButtonStyle() != ICON_ONLY
        if button.isVisible() and button.text() and is_text:
            assert button.height() >= button.fontMetrics().height(), button.objectName()
    window.workspace.shutdown()


@whole_window
def test_an_open_window_follows_the_text_size(qtbot, own_window, text_size):
    text_size(10)
    labels = (
        own_window.views.place_of("text").title,
        own_window.panels["corpus"].facts.name,
        own_window.panels["corpus"].facts.numbers["size"],
    )
    others = (own_window.text_panel.editor, own_window.panels["merges"].table, own_window.transport.jump)

    def sizes():
        return [widget.font().pointSizeF() for widget in (*labels, *others)]

    qtbot.waitUntil(lambda: own_window.font().pointSizeF() == 10)
    qtbot.wait(20)
    before = sizes()
    text_size(20)
    qtbot.waitUntil(lambda: sizes() == pytest.approx([2 * size for size in before]))
    assert own_window.strip.height() >= own_window.strip.save.sizeHint().height()
    text_size(10)
    qtbot.waitUntil(lambda: sizes() == pytest.approx(before))


@whole_window
def test_in_large_text_the_corpus_stands_in_one_column(qtbot, own_window, text_size):
    panel = own_window.panels["corpus"]
    in_front(qtbot, own_window, "corpus")
    first, encoding = next(iter(panel.facts.numbers.values())), panel.facts.numbers["encoding"]
    assert encoding.y() == first.y()
    text_size(24)
    qtbot.waitUntil(lambda: encoding.y() > first.y())
    qtbot.waitUntil(lambda: panel.samples.y() > panel.open.y())  # the buttons have the font a turn later


@whole_window
def test_the_list_of_shortcuts_fits_a_screen_of_large_letters_and_keeps_the_names_of_the_table(qtbot, own_window):
    own_window.actions_by_id["edit.undo"].setText("&Undo: change the bookmarks")
    before = QApplication.font()
    font = QFont(before)
    font.setPointSizeF(1.5 * before.pointSizeF())
    QApplication.setFont(font)
    try:
        shown = ShortcutsDialog(own_window.actions_by_id, own_window)
        qtbot.addWidget(shown)
        shown.show()
        assert {"Undo", "Redo"} <= {label.text() for label in shown.findChildren(QLabel)}
        screen, area = shown.screen().availableSize(), shown.findChild(QScrollArea, "shortcuts.area")
        assert shown.width() <= screen.width() and shown.height() <= screen.height()
        qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
        assert any(
            label.wordWrap() and label.height() > 1.5 * label.fontMetrics().height()
            for label in shown.findChildren(QLabel)
        )
    finally:
        QApplication.setFont(before)
