"""Scroll bars without arrows, flat buttons, and splitters without dots, in both themes."""

from __future__ import annotations

from collections import deque

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QSpinBox,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QWidget,
)

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.control_styles import style_controls
from bpe_studio.gui.shell.system_changes import update_palettes
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.splitter import Splitter

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture
def page(qtbot, qapp):
    theme.apply(qapp, "light")
    page = QWidget()
    page.text = QPlainTextEdit("line\n" * 200)
    page.button, page.quiet = QPushButton("Train"), QToolButton()
    page.quiet.setAutoRaise(True)
    column(page.text, page.button, page.quiet, parent=page)
    qtbot.addWidget(page)
    style_controls(page)
    page.resize(300, 300)
    page.show()
    yield page
    theme.apply(qapp, "light")


def test_scroll_bars_have_no_arrows_and_scroll(page):
    bar = page.text.verticalScrollBar()
    option = QStyleOptionSlider()
    bar.initStyleOption(option)
    control = QStyle.ComplexControl.CC_ScrollBar
    for arrow in (QStyle.SubControl.SC_ScrollBarAddLine, QStyle.SubControl.SC_ScrollBarSubLine):
        assert bar.style().subControlRect(control, option, arrow, bar).isEmpty()
    assert bar.width() == 12 and bar.maximum() > 0


def test_buttons_follow_the_theme_and_quiet_ones_are_left_alone(page, qapp):
    assert page.button.styleSheet() and not page.quiet.styleSheet()
    text = QPalette.ColorRole.ButtonText
    place = page.button.geometry().topLeft() + QPoint(6, 12)
    light = page.grab().toImage().pixelColor(place).lightness()
    theme.apply(qapp, "dark")
    assert page.button.palette().color(text) == theme.dark_palette().color(text)
    qapp.processEvents()
    assert page.grab().toImage().pixelColor(place).lightness() < light - 100


@pytest.mark.parametrize("mode", ("light", "dark"))
def test_the_list_of_a_combo_box_has_the_ground_of_lists(qtbot, qapp, mode):
    theme.apply(qapp, mode)
    page, box = QWidget(), QComboBox()
    box.addItems([f"entry {k}" for k in range(8)])
    column(box, parent=page)
    qtbot.addWidget(page)
    style_controls(page)
    page.show()
    box.showPopup()
    picture = box.view().window().grab().toImage()
    box.hidePopup()
    ground = picture.pixelColor(picture.width() - 6, picture.height() - 6)
    theme.apply(qapp, "light")
    wanted = theme.dark_palette() if mode == "dark" else theme.light_palette()
    assert ground.name() == wanted.color(QPalette.ColorRole.Base).name()


def _colours_down(widget, x):
    """The colours of a column of pixels inside the edges."""
    picture = widget.grab().toImage()
    return {picture.pixelColor(x, y).name() for y in range(5, picture.height() - 5)}


@pytest.fixture
def fields(qtbot, qapp):
    """A combo box, a spin box and a split button, in dark, without the style."""
    theme.apply(qapp, "dark")
    page = QWidget()
    page.box, page.number, page.split = QComboBox(), QSpinBox(), QToolButton()
    page.box.addItem("gpt2")
    page.split.setText("New run")
    page.split.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
    page.split.setMenu(QMenu(page.split))
    column(page.box, page.number, page.split, parent=page)
    qtbot.addWidget(page)
    page.show()
    yield page
    theme.apply(qapp, "light")


def test_boxes_and_split_buttons_are_flat_and_keep_their_arrows(fields):
    fields.resize(300, 160)
    empty = {fields.box: fields.box.width() - 30, fields.number: fields.number.width() - 3, fields.split: 4}
    assert all(len(_colours_down(widget, x)) > 1 for widget, x in empty.items())
    style_controls(fields)
    for widget, x in empty.items():
        assert len(_colours_down(widget, x)) == 1
        assert len(_colours_down(widget, widget.width() - 10)) > 1  # the arrow


def test_the_ground_of_a_spin_box_follows_the_theme(fields, qapp):
    style_controls(fields)
    middle = QPoint(fields.number.width() // 2, fields.number.height() // 2)
    for mode, palette in (("light", theme.light_palette()), ("dark", theme.dark_palette())):
        theme.apply(qapp, mode)
        deque(update_palettes(fields.findChildren(QWidget)), 0)
        ground = fields.number.grab().toImage().pixelColor(middle)
        assert ground == palette.color(QPalette.ColorRole.Base)


def test_buttons_of_dialogs_have_no_icons_of_the_desktop(qtbot):
    page = QWidget()
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    column(buttons, parent=page)
    qtbot.addWidget(page)
    cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel)
    red = QPixmap(16, 16)
    red.fill(QColor("red"))
    cancel.setIcon(QIcon(red))  # as on a desktop whose dialogs have icons
    style_controls(page)
    assert cancel.icon().isNull()


def test_a_handle_of_a_splitter_is_empty_until_the_mouse_is_on_it(qtbot, qapp):
    splitter = Splitter(Qt.Orientation.Horizontal)
    for _ in range(2):
        splitter.addWidget(QWidget())
    qtbot.addWidget(splitter)
    splitter.resize(200, 60)
    splitter.show()
    handle = splitter.handle(1)
    ground = handle.palette().color(QPalette.ColorRole.Window)
    picture = handle.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert colours == {ground.name()}
    handle.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    middle = QPoint(picture.width() // 2, picture.height() // 2)
    assert handle.grab().toImage().pixelColor(middle).name() != ground.name()


def test_every_scroll_bar_of_the_window_is_one_of_these(make_window, qtbot):
    window = make_window(1280, 720)
    window.workspace.opener.open_text("hug pug pun bun hugs\n" * 50, "a text")
    qtbot.waitUntil(lambda: window.workspace.state.name == "ready" and window.views.isVisible())
    for key in window.panels:
        window.views.show_panel(key)
    bars = [bar for bar in window.findChildren(QScrollBar) if bar.isVisible()]
    assert bars and all(bar.styleSheet() for bar in bars)
    for kind in (QComboBox, QAbstractSpinBox, QMenu):
        found = [each for each in window.findChildren(kind) if each.isVisible() or kind is QMenu]
        # Qt makes a menu for what a menu bar has no room for.
        found = [each for each in found if not isinstance(each.parent(), QMenuBar) or each.title()]
        assert found and not [each.objectName() for each in found if not each.styleSheet()]
    split = window.findChild(QToolButton, "branches.new")
    assert "menu-button" in split.styleSheet()


def test_the_ground_of_the_rows_is_below_their_scroll_bar_too(page, qapp):
    for mode in ("light", "dark"):
        theme.apply(qapp, mode)
        qapp.processEvents()
        picture, bar = page.text.grab().toImage(), page.text.verticalScrollBar()
        edge = bar.mapTo(page.text, QPoint(0, bar.height() - 3))
        base = page.text.palette().color(QPalette.ColorRole.Base)
        assert picture.pixelColor(edge).name() == base.name(), mode
