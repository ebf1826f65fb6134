"""The opener: samples, the previous text, and undoing, with the stand-in engine."""

from __future__ import annotations

from bpe_studio.files.samples import list_samples


def test_a_sample_opens(workspace, backend, wait_for):
    sample = list_samples()[0]
    backend.texts = {str(sample.path): "hug pug"}
    workspace.opener.open_sample(sample.id)
    wait_for(workspace, "ready")
    assert workspace.corpus.name == sample.title


def test_the_previous_text_is_kept_where_it_had_merges(ready, watch, wait_for):
    first = ready.corpus
    ready.transport.step_forward(3)
    wait_for(ready, "paused")
    ready.opener.open_text("another", "Another")
    wait_for(ready, "ready")
    assert ready.opener.previous.corpus is first
    ready.opener.reopen_previous()
    assert (ready.corpus, ready.n_merges, ready.state.name) == (first, 3, "paused")
    assert ready.opener.previous is None, "the other text had no merges"


def test_opening_is_one_undo_step(ready, wait_for):
    first, steps = ready.corpus, []
    ready.undo_step_added.connect(steps.append)
    ready.set_typed_text("before")
    ready.opener.open_text("another", "Another")
    wait_for(ready, "ready")
    ready.set_typed_text("typed since")
    assert [step.text for step in steps] == ["Open Another"]
    steps[0].undo()
    assert ready.corpus is first and ready.typed_text == "typed since", "a text brings its session alone"
    steps[0].redo()
    assert ready.corpus.name == "Another"
