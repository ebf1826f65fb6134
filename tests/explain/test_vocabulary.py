"""Every token of a step as columns, against each asked for by itself; and what a filter leaves."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.text.unicode_scripts import SCRIPTS
from bpe_studio.explain.vocabulary import (
    NO_COUNT,
    TokenState,
    TokenTraits,
    VocabularyFilter,
    vocabulary_at,
)
from tests.engine import corpora

PRESETS = ("gpt2", "textbook", "sentencepiece", "sennrich")


def run_of(preset, text, **options):
    config = bpe.TrainingConfig.preset(preset, **({"merges": 6, "vocab_size": None} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.mark.parametrize("preset", PRESETS)
@given(text=corpora.texts(max_words=8), step=st.integers(0, 6), rare_below=st.integers(1, 5))
def test_every_token_of_a_step_is_a_row_with_its_own_facts(preset, text, step, rare_below):
    run = run_of(preset, text)
    step = min(step, len(run.merges))
    found = vocabulary_at(run, step, TokenTraits(run))
    specials = list(run.config.all_special)
    has_text = len(run.corpus) > 0
    tokenizer = run.tokenizer(step)
    names = [*specials, *(run.token_name(token) for token in run.ids_at(step))]
    assert len(found) == tokenizer.vocab_size == run.vocab_size_at(step)
    assert tokenizer.convert_ids_to_tokens(found.ids.tolist()) == names
    used = Counter()
    for word, count in enumerate(run.corpus.counts.tolist()):
        for token in run.words_at(step).cut(word):
            used[token] += count
    holding = {state: found.holding(state, rare_below).tolist() for state in TokenState}
    is_reachable = holding.pop(TokenState.reachable)
    for row in range(len(found)):
        token = found.token(row)
        states = set(found.states(row, rare_below))
        assert {state for state, holds in holding.items() if holds[row]} == states
        others = {TokenState.special, TokenState.partial, TokenState.unreachable}
        assert is_reachable[row] is not bool(states & others)
        if token < 0:
            assert found.counts[row] == found.created[row] == NO_COUNT and states == {
                TokenState.special
            }
            continue
        if not has_text:
            assert found.counts[row] == NO_COUNT
            continue
        count = used[token]
        info = run.token_info(token, step)
        assert found.counts[row] == count == info.count_now
        birth = info.birth_count
        assert found.created[row] == (run.initial_counts[token] if birth is None else birth)
        assert (TokenState.unused in states) == (count == 0)
        assert (TokenState.rare in states) == (0 <= count < rare_below)
        assert (TokenState.base in states) == (token < run.n_alphabet)


def test_filters_hold_together():
    run = run_of("gpt2", "hug hugs سلام سلام 漢字 漢字 hug", merges=20)
    found = vocabulary_at(run, len(run.merges), TokenTraits(run))
    assert found.matching(VocabularyFilter()) is None
    latin = SCRIPTS.index("Latin")
    mask = found.matching(VocabularyFilter(script=latin, length=(3, 10), state=TokenState.rare))
    names = {run.token_name(found.token(row)) for row in mask.nonzero()[0].tolist()}
    assert names == {
        run.token_name(token)
        for token in run.ids_at(len(run.merges))
        if 0 < run.token_info(token).count_now < 10
        and run.token_content(token).decode(errors="replace").strip().isascii()
        and run.token_content(token).strip().isalpha()
        and 3 <= len(run.token_content(token)) <= 10
    }
    assert names
    scripts = [SCRIPTS[number] for number in found.present_scripts()]
    assert {"Latin", "Arabic", "Han", "Common", ""} <= set(scripts)


def test_a_tokenizer_without_a_text_has_no_counts():
    config = bpe.TrainingConfig.preset("gpt2", force=[("h", "u")], merges=1, vocab_size=None)
    run = bpe.train(bpe.Corpus.from_counts({}, config), config)
    found = vocabulary_at(run, 1, TokenTraits(run))
    assert set(found.counts.tolist()) == {NO_COUNT}
    assert not found.holding(TokenState.unused).any() and not found.holding(TokenState.rare).any()
