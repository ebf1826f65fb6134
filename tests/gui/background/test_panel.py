"""When a panel is shown anew: at once or after a wait, in its turn while a run trains, and never
without need.
"""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from bpe_studio.gui.background import scheduling
from bpe_studio.gui.background.panel import AT_ONCE, Needs, Panel, StepNote, every, resting
from bpe_studio.workspace.state import State


class FakeWorkspace(QObject):
    def __init__(self):
        super().__init__()
        self.state = State.paused
        self.transport = SimpleNamespace(speed=1.0)
        self.step = 0


@pytest.fixture
def workspace(qapp):
    return FakeWorkspace()


class ShowingPanel(Panel):
    """Counts how often it is refreshed."""

    def __init__(self, workspace, at_rest=AT_ONCE, needs=Needs.nothing):
        self.at_rest = at_rest
        self.needs = needs
        self.n_shown = 0
        super().__init__(workspace)

    def show_state(self):
        self.n_shown += 1


@pytest.fixture
def panel_of(workspace, qtbot):
    def panel_of(**attributes):
        panel = ShowingPanel(workspace, **attributes)
        qtbot.addWidget(panel)
        return panel

    return panel_of


def show_panel(panel, qtbot):
    panel.show()
    qtbot.waitUntil(lambda: not panel.visibleRegion().isEmpty())
    QApplication.processEvents()


def test_it_is_shown_at_once_and_while_a_run_trains_at_full_speed_in_its_turn(
    panel_of, workspace, qtbot
):
    panel = panel_of()
    panel.request_refresh()
    assert panel.n_shown == 1
    workspace.state = State.running
    panel.request_refresh()
    assert panel.n_shown == 2
    workspace.transport.speed = inf
    panel.request_refresh()
    panel.request_refresh()
    assert panel.n_shown == 2 and panel.is_refresh_pending
    qtbot.waitUntil(lambda: panel.n_shown == 3)
    assert not panel.is_refresh_pending
    panel.follow_step()
    assert panel.n_shown == 4, "the step is shown by all panels in one frame"


def test_a_panel_that_rests_waits_for_the_last_request_and_a_frame_for_none(
    panel_of, qtbot, monkeypatch
):
    monkeypatch.setattr(
        scheduling, "MOST_MS", 60_000
    )  # the requests may take a busy computer longer than a second
    rest = panel_of(at_rest=resting(1000))
    frame = panel_of(at_rest=every(60))
    for n_frames in (1, 2):
        rest.request_refresh()
        frame.request_refresh()
        qtbot.waitUntil(lambda n=n_frames: frame.n_shown == n)
    assert not rest.n_shown
    qtbot.waitUntil(lambda: rest.n_shown == 1)


def test_a_hidden_panel_is_shown_anew_when_it_comes_in_sight(panel_of, qtbot):
    panel = panel_of(at_rest=resting(1), needs=Needs.sight)
    panel.request_refresh()
    qtbot.waitUntil(lambda: not panel.is_refresh_pending)
    assert not panel.n_shown
    show_panel(panel, qtbot)
    qtbot.waitUntil(lambda: panel.n_shown == 1)
    panel.hide()
    panel.request_refresh()
    qtbot.waitUntil(lambda: not panel.is_refresh_pending)
    assert panel.n_shown == 1
    show_panel(panel, qtbot)
    qtbot.waitUntil(lambda: panel.n_shown == 2)


def test_what_was_requested_can_be_cancelled(panel_of, qtbot):
    panel = panel_of(at_rest=every(10))
    panel.request_refresh()
    panel.cancel_refresh()
    later = panel_of(at_rest=every(20))
    later.request_refresh()
    qtbot.waitUntil(lambda: later.n_shown == 1)
    assert not panel.n_shown


def test_a_panel_says_the_merge_it_shows_until_it_has_caught_up(panel_of, workspace, qtbot):
    panel = panel_of(needs=Needs.paced_run)
    note = StepNote(panel, "panel.step")
    workspace.step = 43
    note.show_step(42)
    assert not note.text(), "nothing flickers where the panel follows at once"
    qtbot.waitUntil(lambda: "merge 42" in note.text())
    note.show_step(43)
    assert not note.text()
    workspace.state = State.running
    workspace.transport.speed = inf
    note.show_step(42)
    assert "merge 42" in note.text() and "paused" in note.text()
