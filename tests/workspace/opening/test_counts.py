"""A table of counts opens as a corpus, with the options that its text was cut with."""

from __future__ import annotations

import pytest

import bpe_studio as bpe

TEXTS = ["low low lower newest newest widest", "hug hugs pug\n"]


@pytest.mark.parametrize("name", ["counts.tsv", "counts.parquet"])
def test_a_table_of_counts_is_a_corpus(make_workspace, wait_for, tmp_path, name):
    config = bpe.TrainingConfig.preset("o200k", documents="file", vocab_size=270)
    counter = bpe.Counter(config)
    counter.update(TEXTS)
    counter.save(tmp_path / name)
    workspace = make_workspace()
    own = workspace.config
    workspace.opener.open_files([tmp_path / name])
    wait_for(workspace, "ready")
    info = workspace.corpus
    assert dict(info.corpus.named_items()) == dict(counter.corpus().named_items())
    assert workspace.config.split == config.split != own.split
    assert "not their text" in info.notices[-1]
    workspace.opener.open_text("hug pug", "Words")
    wait_for(workspace, "ready")
    assert workspace.config == own


def test_counts_of_two_stages_open_with_both(make_workspace, wait_for, tmp_path):
    config = bpe.TrainingConfig.preset("superbpe", vocab_size=270, superwords_from=262)
    counter = bpe.Counter(config)
    counter.update(TEXTS)
    counter.save(tmp_path / "counts.tsv")
    workspace = make_workspace()
    workspace.opener.open_files([tmp_path / "counts.tsv"])
    wait_for(workspace, "ready")
    workspace.transport.run_training()
    wait_for(workspace, "done")
    assert workspace.run.merges[:] == bpe.train(counter.corpus(), config).merges[:]


def test_a_text_that_looks_like_counts_is_a_text(make_workspace, wait_for, tmp_path):
    (tmp_path / "pairs.tsv").write_text("low\t3\nnew\t5\n")
    workspace = make_workspace()
    workspace.opener.open_files([tmp_path / "pairs.tsv"])
    wait_for(workspace, "ready")
    assert workspace.corpus.sources
