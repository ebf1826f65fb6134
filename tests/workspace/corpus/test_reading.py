"""Opening, cancelling and failing, with the stand-in engine."""

from __future__ import annotations

import pytest

from tests.facts import says


def test_several_files_make_one_corpus(workspace, backend, watch, wait_for, tmp_path):
    for name, text in (("a.txt", "aaa"), ("b.txt", "bbbb"), ("c.txt", "c")):
        (tmp_path / name).write_text(text, encoding="latin-1")
        backend.texts[str(tmp_path / name)] = text
    backend.pause_s = 0.03
    workspace.opener.open_files(
        [str(tmp_path / "a.txt"), tmp_path / "b.txt", tmp_path / "c.txt"], encoding="latin-1"
    )
    assert workspace.state.name == "loading"
    wait_for(workspace, "ready")
    assert watch.states == ["loading", "ready"]
    info = workspace.corpus
    assert info.name == "a.txt and 2 more"
    assert tuple(each[:3] for each in info.sources) == (
        ("a.txt", "latin-1", 3),
        ("b.txt", "latin-1", 4),
        ("c.txt", "latin-1", 1),
    )
    assert info.corpus.texts == ["aaa", "bbbb", "c"]
    assert workspace.run is not None
    assert workspace.target == 200
    reading = [p for p in watch.progress if p is not None and p.what.startswith("Reading")]
    assert {p.what for p in reading} == {"Reading a.txt", "Reading b.txt", "Reading c.txt"}
    assert all(p.total == 8 and p.done <= 8 and p.can_cancel for p in reading)
    assert watch.progress[-1] is None


def test_an_empty_paste_fails_with_a_way_out(workspace, watch, wait_for):
    workspace.opener.open_text("", "Pasted text")
    wait_for(workspace, "failed")
    assert says(watch.failures[0].message, "Pasted text", "empty")
    workspace.leave_failure()
    assert workspace.state.name == "empty"


def _learn_ten(workspace, wait_for):
    workspace.transport.step_forward(10)
    wait_for(workspace, "paused")
    workspace.set_typed_text("typed")
    return workspace.corpus, workspace.run


def _is_as_it_was(workspace, before):
    return (workspace.corpus, workspace.run, workspace.n_merges, workspace.typed_text) == (
        *before,
        10,
        "typed",
    )


def test_a_bad_file_leaves_all_that_was_open(ready, watch, wait_for):
    before = _learn_ten(ready, wait_for)
    ready.transport.go_to(4)
    ready.opener.open_files(["missing.txt"])
    wait_for(ready, "failed")
    assert ready.failure is watch.failures[0]
    assert watch.failures[0].what == "Open missing.txt"
    assert says(watch.failures[0].message, "missing.txt", "not exist")
    assert _is_as_it_was(ready, before)
    ready.leave_failure()
    assert ready.failure is None
    assert ready.state.name == "paused"
    assert (ready.step, ready.progress) == (4, None)


def test_the_last_of_two_openings_wins(workspace, wait_for, settled):
    workspace.opener.open_text("first", "First")
    workspace.opener.open_text("second", "Second")
    wait_for(workspace, "ready")
    settled(workspace.jobs)
    assert workspace.corpus.name == "Second"


@pytest.mark.parametrize("phase", ["n_feed_pauses", "n_blocks", "n_prepare_pauses"])
def test_opening_is_cancelled_at_once_in_each_phase(ready, backend, wait_for, qtbot, phase):
    before = _learn_ten(ready, wait_for)
    setattr(backend, phase, 10**9)  # it never ends by itself
    backend.texts = {"long.txt": "x" * 1000}
    ready.opener.open_files(["long.txt"])
    qtbot.waitUntil(lambda: backend.phase == phase)
    assert ready.state.name == "loading"
    ready.cancel()
    assert ready.state.name == "paused"
    ready.transport.step_forward(0)
    setattr(backend, phase, 1)
    ready.transport.step_forward()
    wait_for(ready, "paused")
    assert ready.step == 11, "the worker is free again"
    assert ready.corpus is before[0]
    assert ready.progress is None


def test_an_unexpected_error_while_training_is_told_and_logged(
    ready, backend, watch, wait_for, caplog
):
    _learn_ten(ready, wait_for)
    run = ready.run
    backend.training_error = RuntimeError("the secret detail")
    ready.transport.run_training()
    wait_for(ready, "failed")
    failure = watch.failures[0]
    assert failure.what == "Train"
    assert "secret" not in failure.message
    assert "RuntimeError" in failure.message
    assert "the secret detail" in caplog.text
    assert ready.run is run
    backend.training_error = None
    ready.transport.run_training()
    wait_for(ready, "done")


def test_the_warm_up_runs_once_and_a_failing_one_is_only_logged(make_workspace, backend, caplog):
    calls = []

    class Failing(type(backend)):
        def warm_up(self):
            calls.append(1)
            raise OSError("no cache")

    failing = Failing()
    workspace = make_workspace(backend=failing)
    workspace.backend.begin_warm_up()
    workspace.backend.begin_warm_up()
    failing.begin_warm_up().join(2)
    assert calls == [1]
    assert workspace.state.name == "empty"
    assert "no cache" in caplog.text
