"""The workspace with the real engine: the same merges as without a window, and columns that can be
read meanwhile.
"""

from __future__ import annotations

import random
import time

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training import trainer
from bpe_studio.files.loading import load
from bpe_studio.workspace import jobs

TEXT = "hug pug pun bun hugs hug hug pun\n" * 20


def many_words(n_words, seed=7):
    """Text of many different words, so that there is much to learn."""
    chance = random.Random(seed)
    syllables = [a + b + c for a in "bdgklmnprst" for b in "aeiou" for c in ("", "n", "r", "s")]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(4000)]
    weights = [1 / (1 + rank) for rank in range(len(words))]
    return " ".join(chance.choices(words, weights, k=n_words))


@pytest.fixture
def real(make_workspace, watched):
    workspace = make_workspace(config=TrainingConfig.preset("textbook", merges=6))
    workspace.watch = watched(workspace)
    return workspace


def test_a_run_can_be_read_while_it_grows(real, wait_for, qtbot, monkeypatch):
    config = TrainingConfig.preset("gpt2", vocab_size=257 + 1500)
    real.settings.apply(config)
    real.opener.open_text(many_words(30_000), "Words")
    wait_for(real, "ready")
    advance = trainer.Trainer.advance

    def advance_slowly(self, max_merges, budget_s):
        # So that there is time to look between the first merge and the last.
        time.sleep(0.01)
        return advance(self, min(max_merges, 20), budget_s)

    monkeypatch.setattr(trainer.Trainer, "advance", advance_slowly)
    monkeypatch.setattr(jobs, "TICK_S", 0.0002)
    seen = {}

    def look(n_merges):
        run = real.run
        columns = run.columns
        assert len(columns.n_tokens[:n_merges]) == n_merges
        if n_merges:
            assert run.merges[n_merges - 1].rank == n_merges - 1
        if len(seen) < 20:
            words = run.words_at(n_merges)
            seen[n_merges] = [words.cut(i) for i in range(0, len(words), 500)]
            counts = run.token_counts_at(n_merges)
            assert counts.sum() == run.n_tokens_at(n_merges)

    real.run_grew.connect(look)
    real.transport.run_training()
    wait_for(real, "done")
    assert len(seen) > 2
    for n_merges, cuts in seen.items():
        words = real.run.words_at(n_merges)
        assert [words.cut(i) for i in range(0, len(words), 500)] == cuts


def test_the_tokenizer_is_saved_and_a_bad_place_is_told(real, wait_for, qtbot, tmp_path):
    real.opener.open_text(TEXT, "Words")
    wait_for(real, "ready")
    real.transport.run_training()
    wait_for(real, "done")
    real.transport.go_to(4)
    real.saver.save_tokenizer(tmp_path / "out")
    qtbot.waitUntil(lambda: real.watch.saved == [tmp_path / "out"])
    assert (
        load(tmp_path / "out").encode("hug pun").ids == real.run.tokenizer(4).encode("hug pun").ids
    )
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    real.saver.save_tokenizer(tmp_path / "file" / "out")
    wait_for(real, "failed")
    assert "unexpected" not in real.failure.message
    real.leave_failure()
    assert (real.state.name, real.step) == ("done", 4)


def test_a_long_text_is_cancelled_and_left_quickly(real, wait_for, qtbot, tmp_path):
    real.opener.open_text(TEXT, "Words")
    wait_for(real, "ready")
    run = real.run
    (tmp_path / "long.txt").write_text(many_words(600_000), encoding="utf-8")
    real.opener.open_files([tmp_path / "long.txt"])
    assert real.state.name == "loading"
    begun = time.process_time()  # of all threads: a reading that goes on is counted
    real.cancel()
    real.transport.step_forward()
    wait_for(real, "paused")
    assert time.process_time() - begun < 2.0
    assert real.run is run
    assert real.step == 1
    real.opener.open_files([tmp_path / "long.txt"])
    assert real.state.name == "loading"
    begun = time.process_time()
    real.shutdown()
    assert time.process_time() - begun < 1.0


def test_a_sample_lends_its_preset_until_the_person_chooses(make_workspace, wait_for):
    workspace = make_workspace()
    default = workspace.config
    workspace.opener.open_sample("hug-pug")
    wait_for(workspace, "ready")
    assert workspace.config.preset_name == "textbook" and len(workspace.corpus.corpus) == 5
    workspace.opener.open_text(TEXT, "My own")
    wait_for(workspace, "ready")
    assert workspace.config == default
    workspace.settings.apply(default.replace(ties="raw-ids"))
    wait_for(workspace, "ready")
    workspace.opener.open_sample("low-lower")
    wait_for(workspace, "ready")
    assert workspace.config.ties == "raw-ids"
