"""The knee of curves that have a known one, what is saved and what it costs, and the largest vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_advice import (
    LargestVocabulary,
    knee,
    largest_vocabulary,
    saved_per_thousand,
)
from tests.engine import corpora
from tests.engine.rules import RULES, Rule
from tests.examples import IN_EACH_OF_MANY, examples

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


@given(bend=st.integers(2, 998), low=st.floats(0.01, 0.6))
def test_two_straight_lines_bend_where_they_meet(bend: int, low: float) -> None:
    sizes = np.arange(1000) + 256
    for axis, places in (("log", np.log(sizes)), ("linear", sizes.astype(float))):
        share = (places[bend] - places[0]) / (places[-1] - places[0])
        # At the bend more is saved than a straight line would have saved: so it is below that line.
        at_bend = 1 - share - low * (1 - share)
        tokens = np.interp(places, [places[0], places[bend], places[-1]], [1.0, at_bend, 0.0])
        assert knee(sizes, 500 + 4000 * tokens, axis) == bend  # type: ignore[arg-type]


def test_a_hyperbola_bends_where_its_slope_is_the_average() -> None:
    sizes = np.arange(100, 10_001)
    # The slope of 1 / x is that of its chord at the mean of the ends by multiplication.
    assert sizes[knee(sizes, 1e9 / sizes, "linear")] == 1000
    # By doublings the slope of 1 / x is -1 / x, and that of its chord (1 / 100 - 1 / 10,000) / log(100).
    by_doublings = np.log(100) / (1 / 100 - 1 / 10_000)
    assert sizes[knee(sizes, 1e9 / sizes)] == pytest.approx(by_doublings, abs=1)


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 7))
def test_what_each_stretch_saves(closed: list[int], per: int) -> None:
    tokens = 500 - np.concatenate([[0], np.cumsum(closed)]).astype(np.int64)
    saving = saved_per_thousand(tokens, per)
    assert saving.steps.tolist() == list(range(per, len(closed) + 1, per))
    assert saving.saved.tolist() == [sum(closed[step - per : step]) for step in saving.steps.tolist()]


def _learned(work: object) -> LargestVocabulary:
    while True:
        try:
            next(work)  # type: ignore[call-overload]
        except StopIteration as stop:
            return stop.value


@pytest.mark.slow(buys="training to the end under every rule")
@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), least=st.integers(1, 3))
@example(text="aaaa aaaaa aaaaaaaaa", least=1)
@example(text="", least=1)
def test_the_largest_vocabulary_is_what_training_without_a_target_gives(rule: Rule, text: str, least: int) -> None:
    config = rule.config(merges=3, min_frequency=least)
    corpus = bpe.Corpus.from_text(text, config)
    run = bpe.train(corpus, config)
    before = [merge.token for merge in run.merges]
    trainer = bpe.Trainer(corpus, config.replace(merges=100_000))
    whole = trainer.run()
    expected = LargestVocabulary(len(whole), trainer.run_record.vocab_size_at(len(whole)), trainer.stop_reason)
    assert _learned(largest_vocabulary(run)) == expected
    assert _learned(largest_vocabulary(corpus, config)) == expected
    assert [merge.token for merge in run.merges] == before and run.config == config
