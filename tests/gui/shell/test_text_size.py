"""The whole window is made larger and smaller, and what does not fit then scrolls."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from bpe_studio.gui.runs.new_run_dialog import NewRunDialog
from bpe_studio.gui.views.layouts import VIEWS
from bpe_studio.gui.views.place import Place
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.state import State


@pytest.fixture
def window(make_window, qtbot):
    before = QFont(QApplication.font())
    window = make_window(1280, 720)
    window.workspace.opener.open_text("hug pug pun bun hugs\n" * 20, "a text")
    qtbot.waitUntil(lambda: window.workspace.state is State.ready and window.views.isVisible())
    yield window
    window.text_size.reset()
    QApplication.setFont(before)


def zoom(window, name):
    window.actions_by_id[f"view.zoom_{name}"].trigger()


def test_everything_becomes_larger_and_smaller_and_it_is_remembered(qtbot, window):
    table = window.panels["merges"].table
    figures = window.transport.jump
    rows = table.verticalHeader()

    def sizes():
        return [window.font().pointSizeF(), figures.font().pointSizeF(), rows.defaultSectionSize()]

    before = sizes()
    for _ in range(20):
        zoom(window, "in")
    qtbot.waitUntil(lambda: sizes()[:2] == pytest.approx([2 * size for size in before[:2]]))
    assert rows.defaultSectionSize() > 1.5 * before[2]
    window.memory.sync()
    assert WindowSettings().zoom == 200
    for _ in range(20):
        zoom(window, "out")
    qtbot.waitUntil(lambda: sizes()[:2] == pytest.approx([0.75 * size for size in before[:2]]))
    zoom(window, "reset")
    qtbot.waitUntil(lambda: sizes() == pytest.approx(before))


def cut_off(area):
    """The places of a view that have less room than they need, or lie outside of what can be
    scrolled.
    """
    whole = area.widget()
    found = []
    for place in filter(Place.isVisible, area.findChildren(Place)):
        inner = QRect(
            place.mapTo(whole, QPoint()), place.minimumSizeHint().boundedTo(place.maximumSize())
        )
        if not whole.rect().contains(inner) or not place.rect().contains(
            QRect(QPoint(), inner.size())
        ):
            found.append(place.objectName())
    return found


def test_at_twice_the_size_a_small_window_holds_everything(qtbot, window):
    for _ in range(20):
        zoom(window, "in")
    whole = window.findChild(QScrollArea, "window.scroll")
    for key in VIEWS:
        window.show_view(key)
        area = window.findChild(QScrollArea, f"view.{key}.scroll")
        qtbot.waitUntil(lambda area=area: not cut_off(area))
        assert (window.width(), window.height()) == (1280, 720)
        assert not whole.horizontalScrollBar().maximum() and not whole.verticalScrollBar().maximum()


@pytest.mark.parametrize(("n_larger", "n_lines"), [(0, 3), (5, 2), (10, 2)])
def test_the_typed_text_has_room_for_a_few_lines(qtbot, window, n_larger, n_lines):
    for _ in range(n_larger):
        zoom(window, "in")
    editor = window.text_panel.editor

    def lines():
        return editor.viewport().height() / editor.fontMetrics().lineSpacing()

    qtbot.waitUntil(lambda: lines() >= n_lines)


def test_a_form_is_no_larger_than_the_window(qtbot, window):
    for _ in range(20):
        zoom(window, "in")
    dialog = NewRunDialog(window.workspace, window)
    dialog.show()
    qtbot.waitUntil(lambda: window.rect().contains(dialog.rect()))
    dialog.close()


def is_cut(label):
    return label.isVisible() and label.width() < label.sizeHint().width()


@pytest.mark.parametrize("view", VIEWS)
def test_a_small_window_does_not_scroll_sideways(qtbot, window, view):
    window.resize(480, 320)
    window.show_view(view)
    whole = window.findChild(QScrollArea, "window.scroll")
    area = window.findChild(QScrollArea, f"view.{view}.scroll")
    bars = whole.horizontalScrollBar(), area.horizontalScrollBar()
    qtbot.waitUntil(lambda: not any(bar.maximum() for bar in bars))
    right = whole.widget().rect().right()
    shown = [each for each in window.transport.findChildren(QWidget) if each.isVisible()]
    assert all(each.mapTo(whole.widget(), each.rect().topRight()).x() <= right for each in shown)
    said = window.status_line.findChildren(QLabel)
    qtbot.waitUntil(lambda: not any(map(is_cut, said)))
    assert any(each.isVisible() for each in said)


def test_a_window_smaller_than_its_buttons_scrolls(qtbot, window):
    window.resize(480, 400)
    for _ in range(20):
        zoom(window, "in")
    whole = window.findChild(QScrollArea, "window.scroll")
    qtbot.waitUntil(lambda: whole.horizontalScrollBar().maximum() > 0)
    assert (
        window.width() == 480 and whole.widget().width() >= whole.widget().minimumSizeHint().width()
    )
