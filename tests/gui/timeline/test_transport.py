"""The transport: the timeline, the step's field, the speed, and what they say."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.shell.actions import make_actions, refresh_actions
from bpe_studio.gui.shell.progress_bar import ProgressStrip
from bpe_studio.gui.timeline.transport_bar import N_PACES, TransportBar, speed_of, speed_text
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog "
    "over several green hills and across a wooden bridge\n"
) * 6
PATIENCE_MS = 20_000


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("textbook", merges=40))
    yield workspace
    workspace.shutdown()


@pytest.fixture
def bar(qtbot, workspace):
    actions = make_actions(workspace)
    bar = TransportBar(workspace, actions)
    qtbot.addWidget(bar)
    bar.resize(1000, 90)
    bar.show()
    return bar


def learned(qtbot, workspace):
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)


def test_the_timeline_is_over_all_merges_learned(qtbot, workspace, bar):
    assert not bar.slider.isEnabled()
    learned(qtbot, workspace)
    assert (bar.slider.minimum(), bar.slider.maximum(), bar.slider.value()) == (0, 40, 40)
    assert bar.slider.isEnabled()


def test_dragging_the_timeline(qtbot, workspace, bar):
    learned(qtbot, workspace)
    slider = bar.slider
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(slider, left, pos=QPoint(round(slider.place_of(10)), 18))
    qtbot.waitUntil(lambda: workspace.step == 10)
    qtbot.mouseMove(slider, QPoint(round(slider.place_of(25)), 18))
    qtbot.waitUntil(lambda: workspace.step == 25)
    qtbot.mouseMove(slider, QPoint(9000, 18))
    qtbot.waitUntil(lambda: workspace.step == 40)
    qtbot.mouseRelease(slider, left, pos=QPoint(9000, 18))
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: workspace.step == 39)


@pytest.mark.parametrize(
    ("typed", "step"),
    [
        ("17", 17),
        ("1,7", 17),
        ("1\u202f7", 17),
        ("۱۷", 17),
        ("9999", 40),
        ("", 5),
        ("x", 5),
        ("0", 0),
    ],
)
def test_jumping_to_a_step(qtbot, workspace, bar, typed, step):
    learned(qtbot, workspace)
    workspace.transport.go_to(5)
    bar.begin_jump()
    bar.jump.setText(typed)
    bar.jump.returnPressed.emit()
    assert workspace.step == step
    assert bar.jump.text() == str(step)


def test_speed_goes_from_one_merge_in_two_seconds_to_full(workspace, bar):
    speeds = [speed_of(k) for k in range(N_PACES + 1)]
    assert speeds == sorted(speeds)
    assert (speeds[0], speeds[-1]) == (0.5, math.inf)
    assert speed_text(0.5) == "1 merge in 2 s"
    assert speed_text(math.inf) == "full speed"
    assert bar.speed.value() == N_PACES
    bar.speed.setValue(0)
    assert workspace.transport.speed == 0.5
    assert bar.speed_label.text() == "1 merge in 2 s"


def test_actions_of_the_transport_follow_the_step(qtbot, workspace, bar):
    actions = make_actions(workspace)
    refresh_actions(actions, workspace)
    assert "open a text first" in actions["transport.step"].toolTip()
    learned(qtbot, workspace)
    refresh_actions(actions, workspace)
    assert not actions["transport.end"].isEnabled()
    assert actions["transport.step"].isEnabled()  # beyond the target, one at a time
    assert "the target of 40 merges is reached" in actions["transport.run"].toolTip()
    workspace.transport.go_to(0)
    refresh_actions(actions, workspace)
    assert not actions["transport.back"].isEnabled()
    assert actions["transport.end"].isEnabled()


def test_the_strip_offers_more_when_done(qtbot, workspace):
    strip = ProgressStrip(workspace, make_actions(workspace))
    qtbot.addWidget(strip)
    strip.show()
    height = strip.height()
    learned(qtbot, workspace)
    assert strip.compare.isVisible()
    assert strip.save.isVisible()
    assert "Done" in strip.what.text()
    strip.more.click()
    qtbot.waitUntil(
        lambda: workspace.state is State.done and workspace.n_merges > 40, timeout=PATIENCE_MS
    )
    assert strip.height() == height


def test_save_is_the_filled_button_only_where_run_is_not(qtbot, workspace):
    actions = make_actions(workspace)
    strip = ProgressStrip(workspace, actions)
    qtbot.addWidget(strip)
    for is_run_possible in (True, False, True):
        actions["transport.run"].setEnabled(is_run_possible)
        assert strip.save.isDefault() is not is_run_possible


def test_screen_readers_hear_the_speed_and_the_reading(qtbot, workspace, bar):
    learned(qtbot, workspace)
    assert bar.speed.accessibleDescription() == "full speed"
    bar.speed.setValue(0)
    assert bar.speed.accessibleDescription() == "1 merge in 2 s"
    assert bar.speed.toolTip().endswith("Now: 1 merge in 2 s")
    assert bar.reading.accessibleDescription() == bar.reading.text() == "of 40"


def test_the_strip_leaves_out_the_same_however_it_got_its_width(bar):
    def shown_at(width):
        bar.resize(width, bar.height())
        return {each.objectName() for each in bar.findChildren(QWidget) if not each.isHidden()}

    bar.show()
    widths = range(400, 1600, 10)
    growing = [shown_at(width) for width in widths]
    shrinking = [shown_at(width) for width in reversed(widths)]
    assert growing == shrinking[::-1]
    assert growing[0] < growing[-1] and "transport.speed" in growing[-1]


def test_what_was_just_made_is_of_the_step_in_each_frame_of_a_run(qtbot, workspace):
    strip = ProgressStrip(workspace, make_actions(workspace))
    qtbot.addWidget(strip)
    said = []
    workspace.step_changed.connect(lambda: said.append((workspace.step, strip.made.text())))
    workspace.transport.set_speed(50)
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.step >= 8, timeout=PATIENCE_MS)
    workspace.transport.pause()
    of_merges = [(step, words) for step, words in said if step]
    assert of_merges and all(f"merge {step}" in words for step, words in of_merges)
