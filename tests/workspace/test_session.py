"""Opening another corpus sets the open one aside with its merges, and taking it back brings it as it stood."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

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


def test_merges_are_set_aside_and_taken_back(qtbot, workspace):
    workspace.opener.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.transport.run_training()
    reach(qtbot, workspace, State.done)
    workspace.transport.go_to(5)
    first = workspace.run
    workspace.opener.open_text("another text altogether " * 3, "second")
    reach(qtbot, workspace, State.ready)
    assert workspace.opener.previous.name == "first"
    assert workspace.opener.previous.n_merges == 8

    workspace.opener.reopen_previous()
    assert workspace.run is first
    assert (workspace.corpus.name, workspace.n_merges, workspace.step, workspace.state) == ("first", 8, 5, State.done)
    assert workspace.opener.previous is None  # nothing was learned from the second


def test_taken_back_it_goes_on(qtbot, workspace):
    workspace.opener.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.transport.step_forward(3)
    reach(qtbot, workspace, State.paused)
    workspace.opener.open_text("another text altogether " * 3, "second")
    reach(qtbot, workspace, State.ready)
    workspace.opener.reopen_previous()
    assert workspace.state is State.paused
    workspace.transport.step_forward()
    reach(qtbot, workspace, State.paused)
    qtbot.waitUntil(lambda: workspace.n_merges == 4)
