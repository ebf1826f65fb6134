"""The lower parts by themselves, on an `OpenState` and a worker, without a workspace: transport, loader, run list."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import TrainingError
from bpe_studio.workspace.corpus.reading import Countdown, NewRun
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.largest_vocabulary import LargestVocabulary
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.training import TrainingCountdown
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.session import ROOT, RunPosition
from bpe_studio.workspace.state import CorpusInfo, LargestVocabularyInfo, OpeningRequest, Progress, State

CONFIG = TrainingConfig.preset("gpt2", vocab_size=257 + 50)


@pytest.fixture
def parts(qapp, backend):
    state, jobs = OpenState(CONFIG), Jobs()
    transport = Transport(state, jobs)
    loader = Loader(state, jobs, transport)
    runs = RunList(state, transport, loader, backend)
    yield SimpleNamespace(state=state, jobs=jobs, transport=transport, loader=loader, runs=runs, backend=backend)
    transport.shutdown()
    jobs.shutdown()


def new_run(parts):
    trainer = parts.backend.trainer(None, CONFIG)
    info = CorpusInfo("Text", trainer.run_record.corpus, (), (), OpeningRequest("Text", text="a text"))
    return NewRun(info, trainer, CONFIG)


@pytest.fixture
def opened(parts):
    parts.runs.restore(new_run(parts).as_session())
    return parts


def test_a_session_in_place_of_nothing_is_ready(opened):
    state = opened.state
    assert (state.state, state.n_merges, state.step, state.target) == (State.ready, 0, 0, 50)
    assert [entry.name for entry in opened.runs.entries] == ["Main run"]
    assert opened.runs.shown.number == ROOT and opened.runs.session().corpus is state.corpus


def test_the_transport_runs_to_the_target(opened, qtbot):
    opened.transport.run_training()
    assert opened.state.state is State.running
    qtbot.waitUntil(lambda: opened.state.state is State.done)
    assert opened.state.n_merges == opened.state.step == 50


def test_the_transport_rests_where_anything_fails(opened, qtbot):
    opened.transport.set_speed(20.0)
    opened.transport.run_training()
    qtbot.waitUntil(lambda: opened.state.step > 1)
    opened.backend.training_error = TrainingError("there is no room")
    qtbot.waitUntil(lambda: opened.state.state is State.failed)
    step = opened.state.step
    qtbot.wait(120)
    assert opened.state.step == step and opened.state.failure.message == "there is no room."


def test_a_job_of_the_loader_is_taken_when_it_has_succeeded(parts, qtbot):
    taken, request = [], OpeningRequest("Text", text="a text")

    def work():
        yield Progress("Reading", 1, 2, "bytes")
        return "result"

    parts.loader.start("Open Text", work, taken.append, request)
    assert parts.state.state is State.loading and parts.state.is_loading and parts.loader.request is request
    qtbot.waitUntil(lambda: bool(taken))
    assert taken == ["result"] and not parts.state.is_loading and parts.loader.request is None
    assert parts.state.progress is None


def test_a_side_run_is_added_and_shown_where_it_was_left(opened, qtbot):
    changes, steps = [], []
    opened.runs.changed.connect(lambda: changes.append(len(opened.runs.entries)))
    opened.state.undo_step_added.connect(steps.append)
    position = RunPosition(0, 0, 50, was_run=True)
    opened.runs.add("Train comparison run", "Main run", new_run(opened), position)
    assert changes == [2] and [entry.name for entry in opened.runs.entries] == ["Main run", "Main run (2)"]
    assert opened.runs.entries[1].is_side_run and opened.runs.shown.number == ROOT
    first = opened.state.run
    opened.runs.show(1)
    assert opened.state.run is not first and opened.state.state is State.paused
    assert [step.text for step in steps] == ["Train comparison run: Main run (2)"]
    steps[0].undo()
    assert len(opened.runs.entries) == 1 and opened.state.run is first


def test_the_largest_vocabulary_of_a_run_that_has_ended_is_known_at_once(opened):
    opened.state.stop_reason = "no pair is left"
    opened.state.run.vocab_size_at = lambda step: 257 + step
    largest, heard = LargestVocabulary(opened.state), []
    largest.changed.connect(heard.append)
    largest.find()
    assert heard == [LargestVocabularyInfo(0, 257, "no pair is left")] and largest.found.is_known
    opened.state.run_changed.emit()
    assert largest.found is None
    largest.shutdown()


def test_the_time_left_of_a_run_whose_first_merges_take_longest_is_about_right(monkeypatch):
    """As measured with 40 MB: a merge takes as long as its pair is frequent, and a little more."""
    now_s = [0.0]
    monkeypatch.setattr("bpe_studio.workspace.runs.training.monotonic", lambda: now_s[0])
    monkeypatch.setattr("bpe_studio.workspace.corpus.reading.monotonic", lambda: now_s[0])
    goal = 32_511
    durations = [0.5 / (rank + 1) + 0.0001 for rank in range(goal)]
    countdown, left_s, plain = TrainingCountdown(), sum(durations), Countdown()
    for rank, duration in enumerate(durations, 1):
        now_s[0] += duration
        left_s -= duration
        said = countdown.seconds_left(rank, goal)
        if said is not None:
            assert left_s / 4 - 0.5 <= said <= 3 * left_s + 0.5, f"after {rank} merges"
        if rank == 3:
            assert plain.seconds_left(rank, goal) > 1000 * left_s, "by the merges alone it would be hours"
