"""What is drawn of a round of the game."""

from __future__ import annotations

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.game.shown_round import show_round


def test_bytes_run_as_the_word_does_in_which_they_stand():
    config = TrainingConfig.preset("textbook", units="bytes", merges=1)
    run = train(Corpus.from_text("سلام " * 9 + "کتاب " * 8 + "😀 " * 7, config), config)
    shown = show_round(run, 0, seed=1)
    running = {
        shown.names.joined(*pair): shown.runs_left(pair)
        for word in shown.words
        for pair in zip(word.ids, word.ids[1:], strict=False)
    }
    assert shown.is_rtl
    assert running["⟨9F 98⟩"] is False and running["⟨84 D8⟩"] is True
