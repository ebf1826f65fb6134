"""How evenly tokens are used: against the definitions, and at every step against a count of that
step.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine import token_statistics
from bpe_studio.engine.analysis.size_measures import TokenUses
from bpe_studio.engine.token_statistics import SHANNON, efficiency, gini
from tests.engine import texts


def _entropy(counts: list[int], alpha: float) -> float:
    """By the definition."""
    shares = [count / sum(counts) for count in counts]
    if alpha == SHANNON:
        return -sum(share * math.log(share) for share in shares)
    return math.log(sum(share**alpha for share in shares)) / (1 - alpha)


@given(
    st.lists(st.integers(1, 10**6), min_size=2, max_size=40),
    st.sampled_from([0.5, 1.0, 2.0, 2.5, 3.0]),
)
def test_efficiency_is_the_entropy_divided_by_the_highest(counts: list[int], alpha: float) -> None:
    expected = _entropy(counts, alpha) / math.log(len(counts))
    assert efficiency(np.array([*counts, 0, 0]), alpha) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30).filter(any))
def test_gini_is_the_mean_difference(counts: list[int]) -> None:
    n = len(counts)
    mean = sum(counts) / len(counts)
    expected = sum(abs(a - b) for a in counts for b in counts) / (2 * n * n * mean)
    assert gini(np.array(counts), n) == pytest.approx(expected)
    assert gini(np.array([count for count in counts if count]), n) == pytest.approx(expected)


def test_nothing_and_one_token() -> None:
    nothing = np.zeros(0, np.int64)
    assert (
        efficiency(nothing, 2.0)
        == efficiency(np.array([5]), 2.0)
        == gini(nothing, 0)
        == gini(nothing, 9)
        == 0.0
    )


@pytest.mark.parametrize("preset", ["gpt2", "sennrich"])
def test_every_step_is_that_of_its_own_count(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_statistics, "_SUMMED_AGAIN", 7)
    config = bpe.TrainingConfig.preset(preset, merges=40)
    text = texts.english(200, seed=3) + texts.persian(60, seed=3) + " aaaa aaaaaaaa"
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    measured = {
        name: run.measure(name)
        for name in ("n_tokens", "bytes_per_token", "fertility", "vocabulary_used")
    }
    efficiencies = {alpha: run.measure("renyi", alpha=alpha) for alpha in (2, 2.5)} | {
        SHANNON: run.measure("shannon")
    }
    for step in range(len(run.merges) + 1):
        ((_, found_counts),) = TokenUses.of_corpus(run, step).counts_at([step])
        counts = [count for count in found_counts.tolist() if count]
        n_tokens = sum(counts)
        assert measured["n_tokens"][step] == n_tokens == run.n_tokens_at(step)
        assert measured["bytes_per_token"][step] == len(text.encode()) / n_tokens
        assert measured["fertility"][step] == n_tokens / len(text.split())
        assert measured["vocabulary_used"][step] == len(counts) / run.token_of(step)
        for alpha, found in efficiencies.items():
            assert found.shape == (len(run.merges) + 1,)
            assert found[step] == pytest.approx(_entropy(counts, alpha) / math.log(len(counts)))


def test_what_is_not_known_is_nan_and_what_is_no_measure_is_refused() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    run = bpe.train(bpe.Corpus.from_counts({"hug": 10, "pug": 5}, config), config)
    assert np.isnan(run.measure("bytes_per_token")).all()
    with pytest.raises(bpe.ConfigError, match="no measure 'entropy'"):
        run.measure("entropy")
    for alpha in (0, -1, math.nan, math.inf, True):
        with pytest.raises(bpe.ConfigError, match="alpha is a number above 0"):
            run.measure("renyi", alpha=alpha)
