"""Run, pause, step and pace, with the stand-in engine."""

from __future__ import annotations

import time

from bpe_studio.workspace.runs import transport


def test_a_run_goes_through_its_states_to_the_target(ready, watch, wait_for):
    assert (ready.n_merges, ready.step, ready.target) == (0, 0, 200)
    ready.transport.run_training()
    assert ready.state.name == "running"
    wait_for(ready, "done")
    assert (ready.n_merges, ready.step) == (200, 200)
    assert watch.states[-2:] == ["running", "done"]
    assert watch.growth[1:] == sorted(set(watch.growth[1:]))
    assert watch.progress[-1] is None
    assert any(p is not None and p.what == "Training" and p.total == 200 for p in watch.progress)


def test_a_pause_stops_at_the_merge_where_the_step_stands(ready, backend, qtbot, wait_for, settled):
    backend.n_a_slice = 1
    backend.slice_s = 0.02
    ready.transport.run_training()
    qtbot.waitUntil(lambda: ready.n_merges > 3)
    ready.transport.pause()
    wait_for(ready, "paused")
    n_merges = ready.n_merges
    assert ready.step == n_merges == len(ready.run.merges)
    settled(ready.jobs)
    assert len(ready.run.merges) == n_merges


def test_fifty_bursts_of_run_and_pause_end_paused(ready, backend, qtbot, wait_for, settled):
    backend.n_a_slice = 1
    for i in range(50):
        n_merges = len(ready.run.merges)
        ready.transport.run_training()
        if i % 3 == 0:
            qtbot.waitUntil(lambda n=n_merges: len(ready.run.merges) > n)
        ready.transport.pause()
    wait_for(ready, "paused")
    settled(ready.jobs)
    assert ready.state.name == "paused"
    assert ready.step == ready.n_merges == len(ready.run.merges)


def test_each_step_is_one_merge(ready, wait_for):
    for expected in range(1, 6):
        ready.transport.step_forward()
        wait_for(ready, "paused")
        assert (ready.step, ready.n_merges) == (expected, expected)


def test_steps_pressed_faster_than_they_are_learned_all_count(ready, watch, wait_for):
    for _ in range(7):
        ready.transport.step_forward()
    ready.transport.step_forward(3)
    wait_for(ready, "paused")
    assert (ready.step, ready.n_merges) == (10, 10)
    assert watch.states.count("running") == 1


def test_a_step_back_unlearns_nothing_and_a_step_forward_replays(ready, watch, wait_for):
    ready.transport.step_forward(10)
    wait_for(ready, "paused")
    n_states = len(watch.states)
    ready.transport.step_back(4)
    ready.transport.step_forward()
    assert (ready.step, ready.n_merges) == (7, 10)
    ready.transport.go_to_start()
    assert ready.step == 0
    ready.transport.go_to_end()
    assert ready.step == 10
    ready.transport.go_to(10**6)
    assert ready.step == 10
    ready.transport.go_to(-1)
    assert ready.step == 0
    assert len(watch.states) == n_states


def test_no_step_goes_beyond_the_last_pair(ready, backend, watch, wait_for):
    backend.n_possible = 12
    ready.transport.run_training()
    wait_for(ready, "done")
    assert ready.step == ready.n_merges == 12
    assert "no pair occurs" in ready.stop_reason
    assert not ready.transport.can_train_more
    ready.transport.step_forward()
    assert ready.state.name == "done"
    assert ready.step == 12
    assert "Nothing is left to merge: no pair occurs twice." in watch.notices


def test_the_step_stays_where_the_person_put_it_during_a_run(ready, backend, qtbot, wait_for):
    backend.n_a_slice = 1
    backend.slice_s = 0.01
    ready.transport.run_training()
    qtbot.waitUntil(lambda: ready.n_merges > 5)
    ready.transport.go_to(2)
    qtbot.waitUntil(lambda: ready.n_merges > 15)
    assert ready.step == 2
    ready.transport.go_to_end()
    n_merges = ready.n_merges
    qtbot.waitUntil(lambda: ready.n_merges > n_merges)
    assert ready.step == ready.n_merges
    ready.transport.pause()
    wait_for(ready, "paused")


def test_run_from_an_earlier_step_goes_on_from_the_end(ready, wait_for):
    ready.transport.step_forward(10)
    wait_for(ready, "paused")
    ready.transport.go_to(3)
    ready.transport.run_training()
    assert ready.step >= 10
    wait_for(ready, "done")
    assert ready.step == 200


def test_run_at_the_target_says_so_and_goes_to_the_end(ready, watch, wait_for):
    ready.transport.run_training()
    wait_for(ready, "done")
    ready.transport.go_to(5)
    ready.transport.run_training()
    assert ready.state.name == "done"
    assert ready.step == 200
    assert watch.notices[-1].startswith("The target of 200 merges is reached")


def test_a_slow_run_replays_and_then_learns_merge_by_merge(ready, watch, wait_for, monkeypatch):
    # A run that is late moves several merges at once. On this clock none is late, however busy the
    # machine is: a step takes as long as it should.
    monkeypatch.setattr(transport, "monotonic", lambda: len(watch.steps) / 50)
    ready.transport.step_forward(5)
    wait_for(ready, "paused")
    ready.transport.go_to(2)
    watch.steps.clear()
    # A pause while the worker trains would leave that merge after the step.
    ready.step_changed.connect(lambda step: ready.transport.pause() if step >= 12 else None)
    ready.transport.set_speed(50)
    begun = time.monotonic()
    ready.transport.run_training()
    wait_for(ready, "paused")
    passed_s = time.monotonic() - begun
    assert watch.steps == list(range(3, 13))
    assert passed_s > 0.15, "not faster than it is told"
    assert ready.n_merges == ready.step


def test_an_extended_target_goes_on_with_the_same_run(ready, wait_for):
    ready.transport.run_training()
    wait_for(ready, "done")
    run = ready.run
    ready.transport.extend_target(50)
    assert (ready.target, ready.state.name) == (250, "paused")
    ready.transport.run_training()
    wait_for(ready, "done")
    assert ready.run is run
    assert ready.step == 250


def test_run_and_steps_while_a_text_is_loading_begin_when_it_is_open(ready, wait_for):
    ready.opener.open_text("another", "Another")
    ready.transport.step_forward()
    ready.transport.step_forward(2)
    assert ready.state.name == "loading" and ready.step == 0
    wait_for(ready, "paused")
    assert (ready.corpus.name, ready.step) == ("Another", 3)
    ready.opener.open_text("a third", "Third")
    ready.transport.run_training()
    wait_for(ready, "done")
    assert (ready.corpus.name, ready.step) == ("Third", 200)
    run = ready.run
    ready.opener.open_text("never", "Never")
    ready.transport.step_back(5)
    ready.transport.step_forward(7)
    ready.cancel()
    wait_for(ready, "done")
    assert ready.run is run and len(run.merges) == 200, "it was for what was cancelled"
