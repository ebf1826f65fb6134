"""The words of a presentation and of the game: which come first."""

from __future__ import annotations

from itertools import pairwise

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.present.words import PresentedWords

COUNTS = {"zz": 90, "zzz": 80, "xy": 70, "lower": 9, "slow": 8, "widest": 7, "pest": 3, "below": 2}


def cuts_of(words):
    """The tokens of each word that is shown."""
    return [
        cut.rpartition(", ")[0].split(" | ") for cut in words.accessibleDescription().split("; ")
    ]


def test_words_that_hold_the_pairs_come_first_as_many_of_each(qtbot):
    config = TrainingConfig.preset("textbook", merges=0)
    run = train(Corpus.from_counts(COUNTS, config))
    words = PresentedWords()
    qtbot.addWidget(words)
    words.resize(400, 400)
    words.set_run(run, 0)
    assert "".join(cuts_of(words)[0]) == "zz", "the most frequent ones"
    pairs = [("l", "o"), ("s", "t")]
    with qtbot.waitSignal(words.chosen):
        words.show_first(*((run.find_token(left), run.find_token(right)) for left, right in pairs))
    for place, cut in enumerate(cuts_of(words)[:4]):
        assert pairs[place % 2] in pairwise(cut)
    assert "".join(cuts_of(words)[0]) == "lower" and "".join(cuts_of(words)[1]) == "widest"
    with qtbot.waitSignal(words.chosen):
        words.show_first()
    assert "".join(cuts_of(words)[0]) == "zz"
