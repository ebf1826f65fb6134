"""Opening another corpus sets the open one aside with its merges, and taking it back brings it as
it stood.
"""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = "the cat sat on the mat and the rat sat on the cat " * 4


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("textbook", merges=8))
    yield workspace
    workspace.shutdown()


def reach(qtbot, workspace, state):
    qtbot.waitUntil(lambda: workspace.state is state)


def test_gone_back_to_it_goes_on(qtbot, workspace):
    workspace.opener.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.transport.step_forward(3)
    reach(qtbot, workspace, State.paused)
    first = workspace.run
    steps = []
    workspace.undo_step_added.connect(steps.append)
    workspace.opener.open_text("another text altogether " * 3, "second")
    reach(qtbot, workspace, State.ready)
    steps[0].undo()
    assert workspace.state is State.paused and workspace.run is first
    workspace.transport.step_forward()
    reach(qtbot, workspace, State.paused)
    qtbot.waitUntil(lambda: workspace.n_merges == 4)
