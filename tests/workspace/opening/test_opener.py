"""The opener: samples, the previous text, and undoing, with the stand-in engine."""

from __future__ import annotations

import math

from bpe_studio.files.samples import list_samples
from bpe_studio.workspace.opening.opener import fitting_preset


def test_a_sample_opens(workspace, backend, wait_for):
    sample = list_samples()[0]
    backend.texts = {str(sample.path): "hug pug"}
    workspace.opener.open_sample(sample.id)
    wait_for(workspace, "ready")
    assert workspace.corpus.name == sample.title


def test_opening_is_one_undo_step(ready, wait_for):
    first = ready.corpus
    steps = []
    ready.undo_step_added.connect(steps.append)
    ready.set_typed_text("before")
    ready.opener.open_text("another", "Another")
    wait_for(ready, "ready")
    ready.set_typed_text("typed since")
    assert [step.text for step in steps] == ["Open Another"]
    steps[0].undo()
    assert ready.corpus is first and ready.typed_text == "before"
    steps[0].redo()
    assert ready.corpus.name == "Another" and ready.typed_text == "typed since"


def test_a_corpus_brings_its_own_text_and_what_was_typed_can_be_called_back(ready, wait_for):
    ready.set_typed_text("typed")
    ready.opener.open_text("سلام 漢字", "Another")
    wait_for(ready, "ready")
    assert (ready.typed_text, ready.shown_text, ready.typed_before) == ("", "سلام 漢字", "typed")
    ready.set_typed_text("typed")
    assert ready.typed_before == "", "it is called back"
    ready.set_typed_text("سلام")
    ready.opener.open_typed("سلام دنیا")
    wait_for(ready, "ready")
    assert ready.typed_before == "", "it is the corpus itself"


def test_the_target_and_the_speed_of_a_text_stay_with_it(ready, wait_for):
    first = ready.config
    ready.settings.apply(first.replace(vocab_size=9_000, min_frequency=3))
    wait_for(ready, "ready")
    ready.transport.set_speed(2.0)
    ready.opener.open_text("another", "Another")
    wait_for(ready, "ready")
    assert ready.config == first.replace(min_frequency=3)
    assert ready.transport.speed == math.inf


def test_a_typed_text_has_the_preset_that_fits_and_the_next_text_the_settings_of_the_user(
    ready, wait_for
):
    own = ready.config
    assert (
        fitting_preset("hug pug pun bun hugs")
        == "textbook"
        == fitting_preset("سلام دنیا 👩‍👩‍👧 你好")
    )
    assert fitting_preset("word " * 60) == "gpt2" == fitting_preset("漢" * 400)
    ready.opener.open_text("hug pug pun bun hugs", "Typed text", "textbook")
    wait_for(ready, "ready")
    assert ready.config.units == "characters" and ready.opener.own_config == own
    ready.opener.open_text("another", "Another")
    wait_for(ready, "ready")
    assert ready.config == own
