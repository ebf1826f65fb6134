"""Scroll bars without arrows, flat buttons, and splitters without dots, in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QWidget,
)

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.control_styles import style_controls
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
