"""The line of what happens now: numbers with separators, one word for one thing, no number that
lags behind another.
"""

from __future__ import annotations

from bpe_studio.explain.candidates import list_candidates
from bpe_studio.gui.shell.actions import make_actions
from bpe_studio.gui.shell.progress_bar import ProgressStrip
from bpe_studio.workspace.state import State


def test_the_last_step_by_hand_says_that_no_pair_is_left(qtbot, workspace):
    strip = ProgressStrip(workspace, make_actions(workspace))
    qtbot.addWidget(strip)
    workspace.opener.open_text("ab", "ab", "textbook")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.step_forward()
    qtbot.waitUntil(lambda: workspace.step == 1 and workspace.state is State.paused)
    strip.show_next(list_candidates(workspace.run, 1))
    assert "No pair is left" in strip.what.text()
