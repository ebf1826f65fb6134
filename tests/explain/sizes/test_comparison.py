"""A text cut at several sizes, and what is measured of it."""

from __future__ import annotations

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.explain.cut_text import difference_words, differences, differences_of_size
from bpe_studio.explain.sizes.comparison import Comparison
from bpe_studio.explain.sizes.measures import TextCounts, measure

TEXT = "low lower newest widest low low newest newest " * 10


@pytest.fixture(scope="module")
def run():
    config = bpe.TrainingConfig.preset("gpt2", merges=30)
    return bpe.train(bpe.Corpus.from_text(TEXT, config), config)


def test_measures_are_those_of_the_tokenizer(run):
    text = "lowest newest سلام"
    counts = TextCounts.of(text, run)
    for step in (0, 3, len(run.merges)):
        row = measure(run, run.live(text), counts, step, False)
        n_tokens = len(run.tokenizer(step).encode(text).ids)
        assert row.n_tokens == n_tokens
        assert row.vocab_size == run.vocab_size_at(step)
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / n_tokens)
        assert row.characters_per_token == pytest.approx(len(text) / n_tokens)
        assert row.fertility == pytest.approx(n_tokens / 3)
        assert row.corpus_bytes_per_token == pytest.approx(len(TEXT) / run.n_tokens_at(step))


def test_ratios_over_nothing_are_none(run):
    row = measure(run, run.live(""), TextCounts.of("", run), 0, False)
    assert row.bytes_per_token is None and row.fertility is None


def test_differences_are_what_not_all_share():
    a, b, c = np.array([0.0, 1, 2, 2.5, 3]), np.array([0.0, 2, 3]), np.array([0.0, 3, 3])
    (a_cut, a_joined), (b_cut, b_joined), (c_cut, c_joined) = differences([a, b, c])
    assert (a_cut.tolist(), a_joined.tolist()) == ([1, 2, 2.5], [])
    assert (b_cut.tolist(), b_joined.tolist()) == ([2], [1, 2.5])
    assert (c_cut.tolist(), c_joined.tolist()) == ([], [1, 2, 2.5])
    assert differences([]) == []
    assert difference_words(b, a) == "2 boundaries of the reference merged"
    assert difference_words(a, c) == "3 boundaries more than the reference"
    assert difference_words(a, a) == "tokenized as the reference"
    assert difference_words(np.array([0.0, 1]), np.array([0.0, 2])) == "1 merged, 1 more than the reference"


def test_the_least_and_the_greatest_size_tell_the_differences_of_all(run):
    live = run.live(TEXT[:200])
    steps = [7, 0, 22, 3, 30, 7]
    starts = [live.tokens(step).starts for step in steps]
    for own, expected in zip(starts, differences(starts), strict=True):
        found = differences_of_size(own, starts[1], starts[4])
        assert [each.tolist() for each in found] == [each.tolist() for each in expected]


def test_a_later_step_only_joins(run):
    comparison = Comparison(run, "lowest newest")
    results = [comparison.column([2, 12], k) for k in range(2)]
    assert len(results[0].content.joined_here) == 0
    assert len(results[1].content.cut_here) == 0
    assert results[0].content.cut_here.tolist() == results[1].content.joined_here.tolist()
    assert [row.is_current for row in comparison.measures([2, 12], 1)] == [False, True]
    assert "id " in results[1].content.tip(0)


def test_a_long_text_is_measured_whole_and_drawn_in_part(run):
    comparison = Comparison(run, "newest " * 2000)
    result, measures = comparison.column([5], 0), comparison.measures([5], 0)[0]
    assert comparison.n_drawn == len(result.content.text) == 4000
    assert measures.n_tokens > len(result.content.starts)
