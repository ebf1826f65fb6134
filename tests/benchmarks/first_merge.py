"""The job of learning one merge in a process that has done nothing else, and has imported as little as may be."""

from __future__ import annotations

from typing import Any

import bpe_studio as bpe
from tests.benchmarks.child import timed


def first_merge(path: str) -> dict[str, Any]:
    """Open a small corpus and learn one merge."""
    outcome: dict[str, Any] = {}
    with timed(outcome):
        config = bpe.TrainingConfig.preset("gpt2", vocab_size=1000)
        trainer = bpe.Trainer(bpe.Corpus.from_files([path], config), config)
        trainer.step()
    return outcome
