"""After a change of theme, what is seen has its colours at once, and what is hidden a few milliseconds at a time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell import system_changes
from bpe_studio.gui.shell.system_changes import PaletteFollower

N_HIDDEN = 30
STYLE = "QWidget#inner { border: none; }"


@pytest.fixture
def window(qtbot, qapp):
    theme.apply(qapp, "light")
    window = QWidget()
    qtbot.addWidget(window)
    yield window
    theme.apply(qapp, "light")


def stale(parent: QWidget) -> QWidget:
    """A widget that keeps the palette with which it was polished, as one with a style sheet does."""
    widget = QWidget(parent)
    widget.setStyleSheet(STYLE)
    widget.setPalette(theme.dark_palette())
    return widget


def ground(widget: QWidget) -> str:
    return widget.palette().color(QPalette.ColorRole.Base).name()


def test_what_is_seen_comes_first_and_what_is_hidden_in_slices(window, qtbot, monkeypatch):
    light = theme.light_palette().color(QPalette.ColorRole.Base).name()
    seen, hidden = stale(window), [stale(window) for _ in range(N_HIDDEN)]
    for widget in hidden:
        widget.hide()
    window.show()
    follower = PaletteFollower(window)
    monkeypatch.setattr(system_changes, "_SLICE_S", 0.0)
    follower.follow()
    assert ground(seen) == light
    assert not any(ground(widget) == light for widget in hidden)
    counts: list[int] = []
    follower._soon.timeout.connect(lambda: counts.append(sum(ground(widget) == light for widget in hidden)))
    hidden.pop().deleteLater()  # what is gone meanwhile is passed over
    qtbot.waitUntil(lambda: counts[-1:] == [len(hidden)])
    assert counts == sorted(counts) and len(set(counts)) > len(hidden) // 2


def test_what_was_just_made_gets_its_colours_after_a_while_and_nothing_at_once(window, qtbot):
    light = theme.light_palette().color(QPalette.ColorRole.Base).name()
    seen = stale(window)
    window.show()
    PaletteFollower(window).follow_later()
    assert ground(seen) != light
    qtbot.waitUntil(lambda: ground(seen) == light)


def test_a_window_that_is_first_shown_is_painted_before_its_palettes_are_looked_at(qtbot, monkeypatch):
    happened: list[str] = []
    monkeypatch.setattr(system_changes, "update_palettes", lambda widgets: iter(happened.append("palettes") or ()))
    window = MainWindow()
    window.preloads = False
    qtbot.addWidget(window)
    paint = window.paintEvent
    monkeypatch.setattr(window, "paintEvent", lambda event: (paint(event), happened.append("painted")))
    window.show()
    QApplication.sendEvent(window, QEvent(QEvent.Type.PaletteChange))
    qtbot.waitUntil(lambda: "palettes" in happened)
    assert happened[0] == "painted"
    assert happened.count("palettes") == 1
    window.workspace.shutdown()
