"""Small trained runs, and the typed texts of the skyline: what tests of explain and of the window
share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.text_pieces import SkylinePieces

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TEXT = "low lower newest widest low low newest newest سلام دنیا 漢字 " * 10


def run_of_words(words: Mapping[str, int] = WORDS, preset: str = "textbook", **options: Any) -> Run:
    """A run of counted words."""
    config = TrainingConfig.preset(preset, **options)
    return train(Corpus.from_counts(words, config), config)


def run_of_text(text: str = TEXT, preset: str = "gpt2", **options: Any) -> Run:
    """A run of a text, with up to 40 merges."""
    config = TrainingConfig.preset(preset, **({"merges": 40, "min_frequency": 1} | options))
    return train(Corpus.from_text(text, config), config)


def skyline_text(run: Run, typed: str) -> SkylinePieces:
    """A typed text in pieces, with all merges of a run."""
    text = SkylinePieces(run.segmenter)
    text.set_text(typed)
    text.grow()
    return text
