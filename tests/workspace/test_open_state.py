"""What is open, by itself: setters announce what is another.

A run is put with every value before any signal.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Signal

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.session import ROOT, RunEntry, RunPosition
from bpe_studio.workspace.state import CorpusInfo, Failure, OpeningRequest, Progress, State
from tests.workspace.conftest import FakeRun

CONFIG = TrainingConfig.preset("textbook", merges=20)
SIGNALS = [name for name, value in vars(OpenState).items() if isinstance(value, Signal)]


def entry_of(position, config=CONFIG, corpus=None):
    run = FakeRun(config)
    info = (
        CorpusInfo("Text", run.corpus, (), (), OpeningRequest("Text")) if corpus is None else corpus
    )
    return RunEntry(
        ROOT, "Main run", None, None, SimpleNamespace(run_record=run), config, position, info
    )


@pytest.fixture
def state(qapp):
    return OpenState(CONFIG)


@pytest.fixture
def heard(state):
    names = []
    for name in SIGNALS:
        getattr(state, name).connect(lambda *_, name=name: names.append(name))
    return names


def test_a_run_is_put_in_place_before_anything_is_said(state, heard):
    entry = entry_of(RunPosition(9, 4, 20, was_run=True), CONFIG.replace(merges=21))
    replaced = state.put(entry)
    assert heard == [] and all(replaced)
    assert (state.run, state.corpus, state.config) == (entry.run, entry.corpus, entry.config)
    assert (state.n_merges, state.step, state.target) == (9, 4, 20)
    state.announce(replaced)
    assert heard == [
        "config_changed",
        "corpus_changed",
        "run_changed",
        "target_changed",
        "run_grew",
        "step_changed",
    ]


def test_the_same_run_again_says_no_more_than_its_target(state, heard):
    entry = entry_of(RunPosition(9, 4, 20))
    state.announce(state.put(entry))
    state.set_step(7)
    heard.clear()
    replaced = state.put(entry)
    state.announce(replaced)
    assert not any(replaced) and heard == ["target_changed"] and state.step == 7


@pytest.mark.parametrize(
    ("position", "name"),
    [
        (RunPosition(0, 0, 20), "ready"),
        (RunPosition(9, 4, 20, was_run=True), "paused"),
        (RunPosition(20, 4, 20, was_run=True), "done"),
        (RunPosition(9, 4, 20, "no pair is left", was_run=True), "done"),
    ],
)
def test_at_rest_the_state_follows_from_what_is_open(state, position, name):
    state.put(entry_of(position))
    state.rest()
    assert state.state.name == name and state.is_resting and state.can_be_replaced


def test_the_step_stays_within_what_is_learned(state, heard):
    state.put(entry_of(RunPosition(9, 4, 20)))
    state.set_step(50)
    state.set_step(9)
    assert state.step == 9 and heard == ["step_changing", "step_changed"]
    state.set_step(-3)
    assert state.step == 0


def test_a_failure_is_left_for_what_was_before(state, heard):
    state.put(entry_of(RunPosition(9, 4, 20, was_run=True)))
    state.rest()
    state.set_progress(Progress("Saving", 1, 2, "%"))
    heard.clear()
    failure = Failure("Save", "No room.")
    state.fail(failure)
    assert heard == ["progress_changed", "state_changed", "failed"]
    assert (state.state, state.failure, state.progress) == (State.failed, failure, None)
    state.leave_failure()
    assert (state.state, state.failure) == (State.paused, None)
