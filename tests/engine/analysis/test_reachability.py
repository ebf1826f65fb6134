"""Unreachable tokens, against encoding the text of each token with the tokenizer of each step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.reachability import Reachability
from bpe_studio.engine.analysis.token_traits import TokenTraits
from tests.engine import corpora

CASES = (
    ("gpt2", {}),
    ("raw", {}),
    ("textbook", {}),
    ("gpt2", {"split": "regex:[ab]+|."}),
    ("gpt2", {"split": "cl100k", "normalize": ("nfc",)}),
)


def run_of(text, preset="gpt2", **options):
    config = bpe.TrainingConfig.preset(preset, **({"merges": 12, "vocab_size": None, "min_frequency": 1} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.mark.parametrize(("preset", "options"), CASES)
@given(text=corpora.texts(max_words=8), n_forced=st.integers(0, 2))
def test_a_token_is_reachable_where_its_own_text_is_encoded_as_it(preset, options, text, n_forced):
    forced = [("a", "b"), ("b", "a")][:n_forced] if preset == "gpt2" else []
    run = run_of(text, preset, **options, force=forced)
    traits, n_special = TokenTraits(run), len(run.config.all_special)
    for step in (len(run.merges) // 2, len(run.merges)):
        found, tokenizer = traits.first(run.n_alphabet + step), run.tokenizer(step)
        for token in range(run.n_alphabet + step):
            if not found.is_partial[token]:
                is_reached = tokenizer.encode(run.token_content(token)).ids == [token + n_special]
                assert found.is_unreachable[token] == (not is_reached), (step, run.token_name(token))


def test_a_token_of_which_an_earlier_merge_takes_a_part():
    # In "xaab" the first a belongs to x, so a + ab is merged there; alone, "aab" begins with the earlier merge aa.
    config = bpe.TrainingConfig.preset(
        "textbook", merges=3, vocab_size=None, min_frequency=1, force=[("a", "a"), ("a", "b"), ("a", "ab")]
    )
    run = bpe.train(bpe.Corpus.from_text("aab ab aa", config), config)
    names = [run.token_name(token) for token in range(run.n_alphabet + len(run.merges))]
    found = Reachability(run).first(len(names))
    assert "aab" in names and not found[names.index("aab")]
    assert found[names.index("ab")] and found[names.index("aa")]


def test_what_the_split_drops_is_unreachable():
    run = run_of("low lower", split="words", full_alphabet=True, units="bytes")
    found = TokenTraits(run).first(run.n_alphabet)
    names = {run.token_name(int(token)) for token in found.is_unreachable.nonzero()[0]}
    assert "Ġ" in names and "l" not in names
