"""The compiled merge loop against the same functions as plain Python, which the other tests hold to
the twin.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.tie_rules import TIES


@pytest.fixture
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "PLAIN_WORK", -1)


def _text(seed: int) -> str:
    rng = random.Random(seed)
    letters = rng.choice(["ab", "abc", "aábß", "سلامab", "漢字か😀"])
    words = [
        "".join(rng.choice(letters) for _ in range(rng.randint(1, 9)))
        for _ in range(rng.randint(1, 60))
    ]
    return rng.choice([" ", "\n", "  "]).join(rng.choice(words) for _ in range(300))


def _log(run: bpe.Run) -> list[dict[str, object]]:
    return [merge.to_log() for merge in run.merges]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("units", ["bytes", "characters"])
def test_compiled_is_plain(ties: str, units: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(6):
        split = ["none", "gpt2", "whitespace", "sentencepiece"][seed % 4]
        config = bpe.TrainingConfig.preset(
            "raw", ties=ties, units=units, split=split, merges=150, min_frequency=1
        )
        corpus = bpe.Corpus.from_text(_text(seed), config)
        monkeypatch.setattr(loader, "PLAIN_WORK", 10**9)
        monkeypatch.setattr(loader, "_ready", set())
        plain = bpe.train(corpus, config)
        monkeypatch.setattr(loader, "PLAIN_WORK", -1)
        compiled = bpe.train(corpus, config)
        assert _log(compiled) == _log(plain)
        assert np.array_equal(compiled.gaps, plain.gaps)


@pytest.mark.usefixtures("always_compiled")
def test_large_counts_tie_exactly() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=4, unknown=None)
    words = {"ab": 10**12, "cd": 10**12, "ef": 10**12, "gh": 70_000}
    run = bpe.train(bpe.Corpus.from_counts(words, config), config)
    assert [(m.token, m.count, m.tied) for m in run.merges] == [
        ("ab", 10**12, 3),
        ("cd", 10**12, 2),
        ("ef", 10**12, 1),
        ("gh", 70_000, 1),
    ]
