"""Scroll bars without arrows, flat buttons, and splitters without dots, in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QMenu,
    QMenuBar,
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
