"""Other settings for what is open, with the stand-in engine."""

from __future__ import annotations


def _learn_ten(workspace, wait_for):
    workspace.transport.step_forward(10)
    wait_for(workspace, "paused")
    return workspace.corpus, workspace.run


def test_another_target_keeps_the_run(ready, wait_for):
    ready.transport.run_training()
    wait_for(ready, "done")
    run = ready.run
    larger = ready.config.replace(vocab_size=257 + 300)
    ready.settings.apply(larger)
    assert (ready.state.name, ready.target, ready.run) == ("paused", 300, run)
    ready.transport.run_training()
    wait_for(ready, "done")
    assert ready.n_merges == 300
    ready.settings.apply(ready.config.replace(merges=120))
    assert (ready.state.name, ready.target, ready.step, ready.n_merges) == ("done", 120, 120, 300)
    assert ready.run is run


def test_other_ties_keep_the_corpus_and_another_split_reads_it_again(
    ready, backend, watch, wait_for
):
    info, run = _learn_ten(ready, wait_for)
    assert backend.n_counted == 1
    other_ties = ready.config.replace(ties="raw-ids")
    ready.settings.apply(other_ties)
    wait_for(ready, "ready")
    assert ready.corpus is info
    assert ready.run is not run
    assert ready.config == other_ties
    assert backend.n_counted == 1
    ready.settings.apply(ready.config.replace(split="none"))
    wait_for(ready, "ready")
    assert backend.n_counted == 2
    assert ready.corpus.corpus.config.split == "none"
    assert ready.corpus.corpus.texts == ["some text to learn from"]


def test_settings_that_cannot_be_used_change_nothing(ready, watch, wait_for):
    before = _learn_ten(ready, wait_for)
    config = ready.config
    for bad in (config.replace(vocab_size=10), config.replace(vocab_size=10, ties="raw-ids")):
        ready.settings.apply(bad)
        wait_for(ready, "failed")
        ready.leave_failure()
        assert ready.state.name == "paused"
        assert ready.config == config
        assert (ready.corpus, ready.run, ready.n_merges) == (*before, 10)
    assert "too small" in watch.failures[0].message


def test_a_source_that_is_gone_keeps_the_old_cut(workspace, backend, wait_for):
    backend.texts = {"a.txt": "aaa"}
    workspace.opener.open_files(["a.txt"])
    wait_for(workspace, "ready")
    config = workspace.config
    backend.texts = {}
    workspace.settings.apply(config.replace(split="none"))
    wait_for(workspace, "failed")
    workspace.leave_failure()
    assert workspace.state.name == "ready"
    assert workspace.config == config
