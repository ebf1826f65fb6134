"""Sizes measured in one go, against counting the tokens of every step anew."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_measures import (
    TokenUses,
    longest_words,
    vocabulary_use,
)
from tests.engine import corpora
from tests.engine.rules import Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

_train = partial(trained, merges=25)


def _plain_use(counts: list[int], rare: int, share: float) -> tuple[int, int, int]:
    total = sum(counts)
    n_working = 0
    sum_of_uses = 0
    for count in sorted(counts, reverse=True):
        if sum_of_uses >= share * total - 1e-6:
            break
        sum_of_uses = sum_of_uses + count
        n_working = n_working + 1
    return counts.count(0), sum(count < rare for count in counts), n_working


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), shares=st.lists(st.floats(0, 1), max_size=4), rare=st.integers(0, 4))
@example(text="aaaa aaaaa aaaaaaaaa", shares=[1, 0, 0.5, 1], rare=2)
@example(text="", shares=[0], rare=1)
def test_a_corpus_at_several_steps(rule: Rule, text: str, shares: list[float], rare: int) -> None:
    run = _train(rule, text)
    steps = [round(share * len(run.merges)) for share in shares]
    for step, counted in TokenUses.of_corpus(run, max(steps, default=0)).counts_at(steps):
        counts = run.token_counts_at(step).tolist()
        assert counted.tolist() == counts
        one = vocabulary_use(counted, rare)
        assert (one.n_unused, one.n_rare, one.n_working) == _plain_use(counts, rare, 0.9)
        assert one.working_share == pytest.approx(one.n_working / len(counts) if counts else 0)


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(
    text=corpora.texts(),
    other=st.one_of(corpora.texts(), corpora.any_text()),
    share=st.floats(0, 1),
)
@example(text="aab aab", other="aab xyz xx", share=1)
def test_a_typed_text_at_several_steps(rule: Rule, text: str, other: str, share: float) -> None:
    run = _train(rule, text)
    gaps = run.text_gaps(other)
    n = len(run.merges)
    uses = TokenUses.of_gaps(run, gaps.symbols, gaps.gaps, n)
    for step, counts in uses.counts_at([n, round(share * n)]):
        ids = gaps.ids(step).tolist()
        counted = Counter(ids)
        assert (gaps.n_tokens(step), uses.n_unknown) == (len(ids), counted[-1])
        assert counts.tolist() == [counted[token] for token in run.ids_at(step)]


def test_counts_too_large_for_floats_stay_exact() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    run = bpe.train(bpe.Corpus.from_counts({"ab": 2**53, "abc": 1}, config), config)
    assert run.n_tokens_at(1) == 2**53 + 2
    table = run.segmenter.close_table(run.corpus.blob, run.corpus.offsets)
    uses = TokenUses.of_gaps(
        run, table.symbols, table.gaps, 2, np.repeat(run.corpus.counts, table.lengths)
    )
    for step, counts in uses.counts_at([0, 1, 2]):
        assert counts.tolist() == run.token_counts_at(step).tolist()


@given(
    counts=st.dictionaries(st.text("abé-", min_size=1, max_size=6), st.integers(1, 3), max_size=12)
)
def test_the_longest_words(counts: dict[str, int]) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=1)
    run = bpe.train(bpe.Corpus.from_counts(counts, config), config)
    order = {word: place for place, word in enumerate(counts)}
    expected = sorted(
        counts,
        key=lambda word: (not any(map(str.isalpha, word)), -len(word), -counts[word], order[word]),
    )
    for n in (0, 1, 3, 20):
        assert [run.corpus.pre_token(word) for word in longest_words(run, n).tolist()] == expected[
            :n
        ]
