"""A merge in motion: when it is shown, that it delays nothing, and that it is where the
merge is.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.gui.shell import merge_motion
from bpe_studio.workspace.state import State
from tests.gui.hand import Hand

PATIENCE_MS = 20_000
FRAME_S = 0.02
TEXT = "the cat sat on the mat, and the rat that ate the oats "
TYPED = "the rat sat on that mat"


class HeldClock:
    """Passes when a test says so, however long the machine takes."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    held = HeldClock()
    monkeypatch.setattr(merge_motion, "monotonic", held)
    return held


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot, 1440, 900)
    window = lasting_window.window
    window.motion.action.setChecked(True)
    yield window
    window.motion.action.setChecked(False)


def opened(window, qtbot, clock):
    """A text that is trained a few merges far, and at rest."""
    workspace = window.workspace
    before = workspace.run
    workspace.opener.open_text(TEXT * 4, "a text")
    qtbot.waitUntil(
        lambda: workspace.run is not before and workspace.state is State.ready, timeout=PATIENCE_MS
    )
    workspace.set_typed_text(TYPED)
    workspace.transport.step_forward(12)
    qtbot.waitUntil(lambda: workspace.state is not State.running, timeout=PATIENCE_MS)
    at_rest(window, qtbot, clock)
    return workspace


def at_rest(window, qtbot, clock):
    """Waits until every view shows the step, nothing moves, and the last step is a while ago."""
    panels = window.panels

    def rests():
        clock.now_s += FRAME_S
        return (
            not window.motion.is_moving
            and window.text_panel.editor.step == window.workspace.step
            and panels["words"].is_up_to_date
            and panels["skyline"].is_up_to_date
        )

    qtbot.waitUntil(rests, timeout=PATIENCE_MS)
    clock.now_s += 1.0


def key(window, qtbot, which):
    Hand(window, lambda is_so: qtbot.waitUntil(is_so, timeout=PATIENCE_MS)).key(which)


def test_a_step_moves_and_delays_nothing(window, qtbot, clock):
    workspace = opened(window, qtbot, clock)
    workspace.transport.go_to(11)
    at_rest(window, qtbot, clock)
    for step in (12, 13):  # the second one is trained first
        key(window, qtbot, Qt.Key.Key_F8)
        qtbot.waitUntil(lambda: workspace.step == step, timeout=PATIENCE_MS)  # noqa: B023
        qtbot.waitUntil(lambda: window.motion.isVisible(), timeout=PATIENCE_MS)
        at_rest(window, qtbot, clock)
        assert not window.motion.isVisible()
    workspace.transport.go_to(2)
    assert not window.motion.is_moving
    at_rest(window, qtbot, clock)
    key(window, qtbot, Qt.Key.Key_F8)
    assert workspace.step == 3 and window.motion.is_moving
    key(window, qtbot, Qt.Key.Key_F8)
    assert workspace.step == 4 and not window.motion.is_moving, "too fast to be looked at"


def test_what_is_typed_in_the_midst_of_it_is_seen_at_once(window, qtbot, clock):
    workspace = opened(window, qtbot, clock)
    workspace.transport.go_to(11)
    at_rest(window, qtbot, clock)
    key(window, qtbot, Qt.Key.Key_F8)
    assert window.motion.is_moving
    key(window, qtbot, Qt.Key.Key_A)
    assert not window.motion.is_moving and "a" in workspace.typed_text


def test_switched_off_nothing_moves(window, qtbot, clock):
    opened(window, qtbot, clock)
    window.workspace.transport.go_to(11)
    at_rest(window, qtbot, clock)
    window.motion.action.setChecked(False)
    key(window, qtbot, Qt.Key.Key_F8)
    assert not window.motion.is_moving and not window.memory.get("motion", True)
