"""The curves over all sizes, against cutting at every size."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_curves import corpus_curve, table_curve, table_uses, text_curve
from bpe_studio.engine.kernels import loader
from tests.engine import corpora, texts
from tests.engine.rules import Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

any_other = st.one_of(corpora.texts(), corpora.any_text())
_train = partial(trained, merges=25)


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), share=st.floats(0, 1))
@example(text="", share=1)
def test_the_corpus(rule: Rule, text: str, share: float) -> None:
    run = _train(rule, text)
    n = round(share * len(run.merges))
    curve = corpus_curve(run, n).tolist()
    assert curve == [int(run.token_counts_at(step).sum()) for step in range(n + 1)]
    assert table_curve(run, run.corpus, n).tolist() == curve


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), other=any_other, share=st.floats(0, 1))
@example(text="aab aab", other="aab xyz xx", share=1)
def test_a_text_and_the_table_of_it(rule: Rule, text: str, other: str, share: float) -> None:
    run = _train(rule, text)
    n = round(share * len(run.merges))
    gaps = run.text_gaps(other)
    expected = [len(gaps.ids(step)) for step in range(n + 1)]
    assert text_curve(gaps, n).tolist() == expected
    # A text is cut as one; so is the table that it is held to.
    counted = bpe.Corpus.from_text(other, run.config.replace(documents="file"))
    assert table_curve(run, counted, n).tolist() == expected
    for step, counts in table_uses(run, counted, n).counts_at([0, n]):
        ids = gaps.ids(step)
        assert counts.tolist() == [int((ids == token).sum()) for token in run.ids_at(step)]


@pytest.mark.parametrize("preset", ["gpt2", "subword-nmt", "sentencepiece"])
def test_kernels_and_plain_cut_alike(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = bpe.TrainingConfig.preset(preset, merges=200)
    run = bpe.train(bpe.Corpus.from_text(texts.english(8_000, seed=1), config), config)
    other = bpe.Corpus.from_text(texts.english(4_000, seed=2) + " Ωmega ξξ", config)
    found = []
    for work in (-1, 10**9):
        monkeypatch.setattr(loader, "PLAIN_WORK", work)
        monkeypatch.setattr(loader, "_ready", set())
        found.append(table_curve(run, other, 200).tolist())
    assert found[0] == found[1] and found[0][0] > found[0][200]
