"""The line of what happens now: numbers with separators, one word for one thing, no number that lags behind another."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.explain.candidates import list_candidates
from bpe_studio.gui.shell.actions import make_actions
from bpe_studio.gui.shell.progress_bar import ProgressStrip
from bpe_studio.workspace.state import Progress, State


@pytest.fixture
def shown(qtbot, trained_workspace):
    def make(text, config):
        workspace = trained_workspace(text, config)
        strip = ProgressStrip(workspace, make_actions(workspace))
        qtbot.addWidget(strip)
        return strip, workspace

    return make


def test_a_run_says_how_long_it_takes_and_leaves_the_step_to_the_transport(shown):
    strip, workspace = shown("the cat sat on the mat " * 9, TrainingConfig.preset("textbook", merges=9))
    workspace.set_state(State.running)
    workspace.set_progress(Progress("Training", 1023, 7935, "merges", 3.0))
    strip.refresh()
    assert strip.figures.text() == "3 s left", "the transport has the step, which is painted at another moment"
    assert strip.bar.value() == round(1000 * 1023 / 7935)
    workspace.set_state(State.paused)
    workspace.set_progress(Progress("Training the branch", 1023, 7935, "merges", 3.0))
    strip.refresh()
    assert strip.figures.text() == "1,023 of 7,935 merges, 3 s left", "a job that nothing else shows"
    workspace.set_progress(None)


def test_the_last_step_by_hand_says_that_no_pair_is_left(qtbot, workspace):
    strip = ProgressStrip(workspace, make_actions(workspace))
    qtbot.addWidget(strip)
    workspace.opener.open_text("ab", "ab", "textbook")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.step_forward()
    qtbot.waitUntil(lambda: workspace.step == 1 and workspace.state is State.paused)
    strip.show_next(list_candidates(workspace.run, 1))
    assert "No pair is left" in strip.what.text()
