"""When a panel is shown anew: at once or after a wait, in its turn while a run trains, and never without need."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.background import scheduling
from bpe_studio.gui.background.panel_refresh import Needs, PanelRefresh, every, resting
from bpe_studio.workspace.state import State


class FakeWorkspace(QObject):
    def __init__(self):
        super().__init__()
        self.state, self.transport = State.paused, SimpleNamespace(speed=1.0)


@pytest.fixture
def workspace(qapp):
    return FakeWorkspace()


@pytest.fixture
def panel(qtbot):
    panel = QWidget()
    qtbot.addWidget(panel)
    return panel


@pytest.fixture
def shown():
    return []


def show_panel(panel, qtbot):
    panel.show()
    qtbot.waitUntil(lambda: not panel.visibleRegion().isEmpty())
    QApplication.processEvents()


def test_at_rest_it_is_shown_at_once_and_while_a_run_trains_in_its_turn(panel, workspace, shown, qtbot):
    refresh = PanelRefresh(panel, workspace, lambda: shown.append(1))
    refresh.request()
    assert shown == [1]
    workspace.state = State.running
    refresh.request()
    refresh.request()
    assert shown == [1] and refresh.is_pending
    qtbot.waitUntil(lambda: shown == [1, 1])
    assert not refresh.is_pending


def test_a_panel_that_rests_waits_for_the_last_request_and_a_frame_for_none(
    panel, workspace, shown, qtbot, monkeypatch
):
    monkeypatch.setattr(scheduling, "MOST_MS", 60_000)  # the requests may take a busy computer longer than a second
    rest = PanelRefresh(panel, workspace, lambda: shown.append("rest"), at_rest=resting(1000))
    frame = PanelRefresh(panel, workspace, lambda: shown.append("frame"), at_rest=every(60))
    for _ in range(6):
        rest.request()
        frame.request()
        qtbot.wait(30)
    assert "rest" not in shown and shown.count("frame") >= 2
    qtbot.waitUntil(lambda: shown.count("rest") == 1)


def test_a_hidden_panel_is_shown_anew_when_it_comes_in_sight(panel, workspace, shown, qtbot):
    refresh = PanelRefresh(panel, workspace, lambda: shown.append(1), at_rest=resting(1), needs=Needs.sight)
    refresh.request()
    qtbot.waitUntil(lambda: not refresh.is_pending)
    assert shown == []
    show_panel(panel, qtbot)
    qtbot.waitUntil(lambda: shown == [1])
    panel.hide()
    refresh.request()
    qtbot.waitUntil(lambda: not refresh.is_pending)
    assert shown == [1]
    show_panel(panel, qtbot)
    qtbot.waitUntil(lambda: shown == [1, 1])


def test_what_was_requested_can_be_cancelled(panel, workspace, shown, qtbot):
    refresh = PanelRefresh(panel, workspace, lambda: shown.append(1), at_rest=every(10))
    refresh.request()
    refresh.cancel()
    qtbot.wait(40)
    assert shown == []
