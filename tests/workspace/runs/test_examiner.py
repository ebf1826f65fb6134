"""Examining the tokenizer of the shown step: the findings of the command, kept while the run is
open.
"""

from __future__ import annotations

import json

import pytest

import bpe_studio as bpe
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = "aab ab aa سلام سلام 漢字 漢字 👩‍👩‍👧 👩‍👩‍👧\n" * 3
FORCED = bpe.TrainingConfig.preset(
    "gpt2", merges=12, vocab_size=None, force=(("a", "a"), ("a", "b"), ("a", "ab"))
)
pytestmark = pytest.mark.usefixtures("few_characters")


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=FORCED)
    workspace.opener.open_text(TEXT)
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    yield workspace
    workspace.shutdown()


def result_of(qtbot, workspace):
    workspace.examiner.examine()
    qtbot.waitUntil(lambda: workspace.examiner.progress is None)
    return workspace.examiner.result


def test_it_finds_what_the_doctor_finds(qtbot, workspace):
    assert workspace.examiner.result is None
    found = result_of(qtbot, workspace)
    run = workspace.run
    step = workspace.step
    assert (found.run, found.step) == (run, step)
    expected = bpe.doctor(run.tokenizer(step), run.corpus)
    assert json.loads(found.found.as_line()) == expected.as_json()
    for token, internal in zip(found.found.tokens, found.tokens, strict=True):
        assert internal == -1 or run.external_id(internal, step) == token.id
    counts = run.token_counts_at(step)
    assert found.n_unused == int((counts == 0).sum())
    assert [token.token for token in found.found.tokens if token.cause is not None] == ["aab"]


def test_the_result_is_kept_for_its_step_and_goes_with_its_run(qtbot, workspace):
    found = result_of(qtbot, workspace)
    workspace.examiner.examine()
    assert workspace.examiner.progress is None and workspace.examiner.result is found
    step = workspace.step
    workspace.transport.go_to(2)
    assert workspace.examiner.result_of(workspace.run, workspace.step) is None
    assert workspace.examiner.result_of(workspace.run, step) is found
    second = result_of(qtbot, workspace)
    assert (second.step, second.found.n_tokens) == (2, workspace.run.vocab_size_at(2))
    workspace.opener.open_text("another text", "other")
    qtbot.waitUntil(lambda: workspace.run is not second.run)
    assert workspace.examiner.result is None


def test_an_opened_tokenizer_has_no_unused_tokens(qtbot, workspace, tmp_path):
    workspace.run.tokenizer().save(tmp_path / "own")
    before = workspace.run
    workspace.opener.open_files([tmp_path / "own"])
    qtbot.waitUntil(lambda: workspace.run is not before)
    found = result_of(qtbot, workspace)
    assert found.n_unused is None and "unused" not in found.found.as_json()
