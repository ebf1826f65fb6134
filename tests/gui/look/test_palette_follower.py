"""After a change of theme, what is seen has its colours at once, and what is hidden a few milliseconds at a time."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme
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
