"""The lower parts by themselves, on an `OpenState` and a worker, without a workspace: transport, loader, run list."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import TrainingError
from bpe_studio.workspace.corpus.reading import NewRun
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.session import ROOT, RunPosition
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress, State

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
