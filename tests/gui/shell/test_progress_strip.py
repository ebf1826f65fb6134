"""The line of what happens now: numbers with separators, one word for one thing, no number that lags behind another."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.explain.candidates import list_candidates
from bpe_studio.gui.shell.actions import make_actions, refresh_actions
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


def test_what_was_reached_is_said_in_few_words(shown):
    strip, _ = shown("ab" * 3000, TrainingConfig.preset("textbook", merges=9_000))
    assert strip.what.text() == "Done: vocabulary size 21; no pair is left"
    strip, workspace = shown("ab", TrainingConfig.preset("textbook", merges=1))
    assert strip.what.text() == "Done: vocabulary size 4"
    actions = make_actions(strip)
    refresh_actions(actions, workspace)
    assert "the target of 1 merge is reached" in actions["transport.run"].toolTip()


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


def test_where_there_is_little_room_less_of_the_next_merge_is_said(shown, qtbot):
    strip, workspace = shown("the cat sat on the mat " * 9, TrainingConfig.preset("textbook", merges=9))
    workspace.transport.go_to(3)
    strip.show_next(list_candidates(workspace.run, 3))
    metrics = strip.what.fontMetrics()
    whole = strip.what.text()
    assert ".  Next: " in whole and " times, " in whole
    seen = set()
    least = metrics.horizontalAdvance("At step 3, 6 before the end")
    for width in range(metrics.horizontalAdvance(whole) + 6, least, -5):
        strip.what.resize(width, 20)
        seen.add(strip.what.shown)
    at, merge = whole.partition(".  Next")[0], whole.rpartition(", ")[0]
    assert seen == {whole, merge, merge.rpartition(", ")[0], at}, "no wording is cut"
