"""Saving the tokenizer, with the stand-in engine."""

from __future__ import annotations

import threading

from bpe_studio.errors import SaveError


def test_the_tokenizer_is_saved_as_it_stands_while_the_run_goes_on(
    ready, backend, watch, wait_for, qtbot, tmp_path
):
    backend.n_a_slice = 1
    backend.slice_s = 0.005
    ready.transport.run_training()
    qtbot.waitUntil(lambda: ready.n_merges > 5)
    ready.transport.go_to(4)
    ready.saver.save_tokenizer(tmp_path / "out")
    qtbot.waitUntil(lambda: bool(watch.saved))
    assert ready.state.name == "running"
    assert backend.saved[tmp_path / "out"].n_merges == 4
    wait_for(ready, "done")


def test_a_failed_save_pauses_and_keeps_the_run(
    ready, backend, watch, wait_for, settled, qtbot, tmp_path
):
    backend.save_error = SaveError("The disk is full: free some space")
    backend.n_a_slice = 1
    backend.slice_s = 0.02
    ready.transport.run_training()
    qtbot.waitUntil(lambda: ready.n_merges > 3)
    ready.saver.save_tokenizer(tmp_path / "out")
    wait_for(ready, "failed")
    assert watch.failures[0].what == "Save out"
    settled(ready.jobs)
    ready.leave_failure()
    assert ready.state.name == "paused"
    assert ready.n_merges == len(ready.run.merges)


def test_a_save_is_cancelled_at_once_while_the_tokenizer_is_made(
    ready, backend, monkeypatch, qtbot, tmp_path
):
    has_begun = threading.Event()
    may_end = threading.Event()

    def tokenizer(*_):
        has_begun.set()
        may_end.wait(20)

    monkeypatch.setattr(type(ready.run), "tokenizer", tokenizer)
    ready.saver.save_tokenizer(tmp_path / "out")
    qtbot.waitUntil(has_begun.is_set)
    ready.saver.cancel()
    qtbot.waitUntil(lambda: not ready.saver.is_saving)
    assert not may_end.is_set() and not backend.saved
    may_end.set()
