"""The window is wholly on a screen that exists, at the start and later."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.shell import window_place
from bpe_studio.gui.shell.window_place import FRAME, WindowPlace, fitted
from bpe_studio.gui.widgets.window_settings import WindowSettings

LARGE = QRect(0, 0, 1920, 1080)
SMALL = QRect(0, 0, 1280, 720)
RIGHT = QRect(1920, 0, 1280, 720)
WANTED = (
    None,
    QRect(0, 0, 1440, 900),
    QRect(2000, 50, 1000, 600),
    QRect(-5000, 10, 900, 700),
    QRect(10, 3000, 900, 700),
    QRect(0, 0, 9000, 9000),
)


@pytest.mark.parametrize("screens", [[LARGE], [SMALL], [LARGE, RIGHT]])
@pytest.mark.parametrize("wanted", WANTED)
def test_every_place_becomes_one_on_a_screen_with_its_title_bar(wanted, screens):
    place = fitted(wanted, screens).marginsAdded(FRAME)
    assert any(screen.contains(place) for screen in screens)


def test_a_place_on_a_screen_stays():
    place = QRect(2000, 50, 1000, 600)
    assert fitted(place, [LARGE, RIGHT]) == place


@pytest.fixture
def window(qtbot, monkeypatch):
    monkeypatch.setattr(window_place, "screens", lambda: [LARGE])
    window = QWidget()
    qtbot.addWidget(window)
    window.place = WindowPlace(window, WindowSettings())
    window.place.show()
    return window


def test_it_moves_when_its_screen_becomes_another(qtbot, window, monkeypatch):
    window.setGeometry(QRect(300, 100, 1500, 900))
    monkeypatch.setattr(window_place, "screens", lambda: [SMALL])
    window.screen().availableGeometryChanged.emit(SMALL)
    qtbot.waitUntil(lambda: SMALL.contains(window.geometry()))
    assert window.minimumWidth() <= SMALL.width() and window.minimumHeight() <= SMALL.height()


def test_the_first_time_it_fills_a_small_screen(qtbot, monkeypatch):
    monkeypatch.setattr(window_place, "screens", lambda: [SMALL])
    small = QWidget()
    qtbot.addWidget(small)
    WindowPlace(small, WindowSettings()).show()
    assert small.isMaximized()


def test_full_screen_twice_keeps_it_maximized(qtbot, window):
    before = window.geometry()
    window.showMaximized()
    for is_full in (True, False):
        window.place.turn_full_screen()
        qtbot.waitUntil(lambda is_full=is_full: window.isFullScreen() is is_full)
    assert window.isMaximized()
    window.place.store()
    assert WindowSettings().was_maximized is False  # it is written in the pool
    qtbot.waitUntil(lambda: WindowSettings().was_maximized)
    assert WindowSettings().place.size() == before.size()
