"""A file of ranks that does not say how text is split: asked once if somebody can answer, and
remembered.
"""

from __future__ import annotations

import pytest

import bpe_studio as bpe
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = "a text of 12345 words, with 12345 numbers and 123 more\n" * 5


@pytest.fixture
def path(tmp_path):
    config = bpe.TrainingConfig.preset(
        "gpt2", merges=60, vocab_size=None, split="qwen2", special=()
    )
    bpe.train(bpe.Corpus.from_text(TEXT, config), config).tokenizer().save(
        tmp_path / "my.tiktoken", format="tiktoken"
    )
    return tmp_path / "my.tiktoken"


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace()
    workspace.seen = []
    workspace.noticed.connect(lambda notice: workspace.seen.append(notice.message))
    yield workspace
    workspace.shutdown()


def test_without_anybody_to_answer_the_likely_one_is_used_and_said(qtbot, workspace, path):
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.state is State.done)
    assert any("does not say how text is split" in said for said in workspace.corpus.notices)


def test_what_is_open_stays_if_nothing_is_answered(qtbot, workspace, path):
    workspace.opener.open_text(TEXT)
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    run = workspace.run
    asked = []
    workspace.opener.choose_split = lambda question, go_on: asked.append(question)
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert workspace.run is run and workspace.state is State.ready


def test_a_published_file_is_not_asked_about(qtbot, workspace, path):
    named = path.with_name("my-cl100k.tiktoken")
    path.rename(named)
    workspace.opener.choose_split = lambda question, go_on: pytest.fail("its name says it")
    workspace.opener.open_files([named])
    qtbot.waitUntil(lambda: workspace.state is State.done)


def test_one_that_cannot_be_fetched_is_told_and_what_is_open_stays(
    qtbot, workspace, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    workspace.opener.open_text("hug pug", "mine")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    run = workspace.run
    workspace.opener.open_files(["hf:someone/gpt2"])
    qtbot.waitUntil(lambda: workspace.state is State.failed)
    assert (
        "download its tokenizer.json from http://127.0.0.1:9/someone/gpt2"
        in workspace.failure.message
    )
    workspace.leave_failure()
    assert workspace.run is run


def test_damaged_ranks_in_the_cache_of_tiktoken_are_told_by_name(qtbot, workspace, tmp_path):
    ranks = tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790"
    ranks.write_bytes(b"\0\xff")
    workspace.opener.open_files([ranks])
    qtbot.waitUntil(lambda: workspace.state is State.failed)
    said = workspace.failure.message
    assert (
        said.startswith("o200k_base ")
        and f"remove {ranks}" in said
        and workspace.failure.what == "Open o200k_base"
    )
