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
    qtbot.waitUntil(lambda: workspace.state is state, timeout=10_000)


def test_merges_are_set_aside_and_taken_back(qtbot, workspace):
    workspace.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.run_training()
    reach(qtbot, workspace, State.done)
    workspace.go_to(5)
    first = workspace.run
    workspace.open_text("another text altogether " * 3, "second")
    reach(qtbot, workspace, State.ready)
    assert workspace.set_aside.name == "first"
    assert workspace.set_aside.n_merges == 8

    workspace.take_back()
    assert workspace.run is first
    assert (workspace.corpus.name, workspace.n_merges, workspace.step, workspace.state) == ("first", 8, 5, State.done)
    assert workspace.set_aside is None  # nothing was learned from the second


def test_taken_back_it_goes_on(qtbot, workspace):
    workspace.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.step_forward(3)
    reach(qtbot, workspace, State.paused)
    workspace.open_text("another text altogether " * 3, "second")
    reach(qtbot, workspace, State.ready)
    workspace.take_back()
    assert workspace.state is State.paused
    workspace.step_forward()
    reach(qtbot, workspace, State.paused)
    qtbot.waitUntil(lambda: workspace.n_merges == 4)


def test_without_merges_nothing_is_set_aside(qtbot, workspace):
    workspace.open_text(TEXT, "first")
    reach(qtbot, workspace, State.ready)
    workspace.open_text("other " * 5, "second")
    reach(qtbot, workspace, State.loading)
    reach(qtbot, workspace, State.ready)
    assert workspace.corpus.name == "second"
    assert workspace.set_aside is None
