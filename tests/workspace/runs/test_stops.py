"""Runs that breakpoints stop, going from stop to stop, and marks that are set and taken back."""

from __future__ import annotations

import math

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question, Watch

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog "
    "over several green hills and across a wooden bridge\n"
) * 6
N = 48
LENGTH = Breakpoint(Question.length, number=5)
PATIENCE_MS = 20_000


@pytest.fixture(scope="module")
def stops():
    config = TrainingConfig.preset("textbook", merges=N)
    run = train(Corpus.from_text(TEXT, config), config)
    found = Watch(run, [LENGTH]).ranks(0, N)
    assert len(found) > 3
    return [rank + 1 for rank in found]


@pytest.fixture
def real(make_workspace, watched, wait_for):
    workspace = make_workspace(config=TrainingConfig.preset("textbook", merges=N))
    workspace.watch = watched(workspace)
    workspace.stops = []
    workspace.transport.stopped.connect(workspace.stops.append)
    workspace.opener.open_text(TEXT, "Words")
    wait_for(workspace, "ready")
    return workspace


@pytest.fixture
def learned(real, wait_for):
    real.transport.run_training()
    wait_for(real, "done")
    return real


@pytest.mark.parametrize("speed", [math.inf, 400.0, 2000.0])
def test_a_run_stops_at_each_and_goes_on_to_the_end(real, stops, qtbot, wait_for, speed):
    real.transport.set_speed(speed)
    real.marks.set_breakpoints([LENGTH])
    for step in stops:
        real.transport.run_training()
        qtbot.waitUntil(lambda: real.state.name != "running", timeout=PATIENCE_MS)
        assert (real.step, real.transport.stopped_at) == (step, (step, LENGTH))
        assert real.progress is None
    real.transport.run_training()
    wait_for(real, "done")
    assert (real.step, real.n_merges) == (N, N)
    assert real.stops == [(step, LENGTH) for step in stops]
    assert real.transport.stopped_at is None


@pytest.mark.parametrize("n_learned", [0, 20, N])
def test_a_step_by_several_stops_and_a_single_one_does_not(real, stops, qtbot, wait_for, n_learned):
    if n_learned:
        real.transport.step_forward(n_learned)
        qtbot.waitUntil(lambda: real.step == n_learned, timeout=PATIENCE_MS)
        real.transport.go_to_start()
    real.marks.set_breakpoints([LENGTH])
    real.transport.step_forward(N)
    qtbot.waitUntil(
        lambda: real.step == stops[0] and real.state.name != "running", timeout=PATIENCE_MS
    )
    assert real.transport.stopped_at == (stops[0], LENGTH)
    real.transport.go_to(stops[1] - 1)
    qtbot.waitUntil(lambda: real.state.name != "running")
    start = real.step
    real.transport.step_forward()
    qtbot.waitUntil(lambda: real.step == start + 1, timeout=PATIENCE_MS)
    assert len(real.stops) == 1


def test_from_stop_to_stop_and_back(learned, stops, qtbot):
    learned.marks.set_breakpoints([LENGTH])
    learned.transport.go_to_start()
    for step in stops:
        learned.transport.go_to_stop()
        qtbot.waitUntil(lambda step=step: learned.step == step)
    learned.transport.go_to_stop()
    qtbot.waitUntil(lambda: len(learned.watch.notices) == 1)
    assert "No breakpoint stops among the merges after this step" in learned.watch.notices[0]
    for step in reversed(stops[:-1]):
        learned.transport.go_to_stop(is_back=True)
        qtbot.waitUntil(lambda step=step: learned.step == step)
    learned.transport.go_to_stop(is_back=True)
    qtbot.waitUntil(lambda: "before this step" in learned.watch.notices[-1])
    learned.marks.set_breakpoints([])
    learned.transport.go_to_stop()
    assert "No breakpoint is on" in learned.watch.notices[-1]


def test_marks_can_be_taken_back(real):
    changes = []
    real.undo_step_added.connect(changes.append)
    real.marks.set_breakpoints([LENGTH])
    real.marks.set_breakpoints([LENGTH])
    real.marks.set_bookmarks([Bookmark(3, "three")])
    assert [change.text for change in changes] == ["Change the breakpoints", "Change the bookmarks"]
    changes[1].undo()
    assert real.marks.bookmarks == () and real.marks.breakpoints == (LENGTH,)
    changes[0].undo()
    assert real.marks.breakpoints == ()
    changes[0].redo()
    changes[1].redo()
    assert (real.marks.breakpoints, real.marks.bookmarks) == ((LENGTH,), (Bookmark(3, "three"),))
