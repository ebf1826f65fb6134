"""A token's life in one pass, against the token counts of every step."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis import token_life as token_life_module
from bpe_studio.engine.analysis.token_life import birth_step, places_of, token_life
from tests.engine import corpora, texts
from tests.engine.rules import RULES, Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

_train = partial(trained, merges=20)


def _is_the_twins(run: bpe.Run, token: int, n_merges: int) -> None:
    life = token_life(run, token, n_merges)
    birth = birth_step(run, token, n_merges)
    assert life.steps.tolist() == sorted(set(life.steps.tolist())) and life.steps[0] == birth
    assert (
        len(set(zip(life.counts.tolist(), life.counts.tolist()[1:], strict=False)))
        == len(life.steps) - 1
    )
    for step in range(n_merges + 1):
        expected = int(run.token_counts_at(step)[token]) if step >= birth else 0
        assert life.count_at(step) == expected
    assert life.counts[0] - life.counts[-1] == sum(
        absorber.occurrences for absorber in life.absorbed_by
    )
    amounts = [absorber.occurrences for absorber in life.absorbed_by]
    assert amounts == sorted(amounts, reverse=True) and life.n_absorbers == len(life.steps) - 1
    for absorber in life.absorbed_by:
        taken = life.count_at(absorber.rank) - life.count_at(absorber.rank + 1)
        assert absorber.occurrences == taken and absorber.token == run.token_of(absorber.rank)
        assert token in (run.columns.left[absorber.rank], run.columns.right[absorber.rank])


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(), share=st.floats(0, 1))
@example(text="aaaa aaaaa aaaaaaaaa", share=1)
@example(text="", share=1)
def test_a_life_is_the_counts_of_every_step(rule: Rule, text: str, share: float) -> None:
    run = _train(rule, text)
    n_merges = round(share * len(run.merges))
    used = set(run.layout.symbols.tolist()) - {-1}
    for token in [*used, *range(run.n_alphabet, run.token_of(n_merges))]:
        _is_the_twins(run, token, n_merges)


def test_with_more_eaters_than_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_life_module, "MOST_ABSORBERS", 5)
    run = _train(RULES["huggingface, gpt2 words"], texts.english(2000, seed=5), merges=300)
    e = run.find_token("t")
    assert e is not None
    life = token_life(run, e)
    assert len(life.absorbed_by) == 5 < life.n_absorbers == len(life.steps) - 1
    assert [life.count_at(step) for step in (0, 150, 300)] == [
        int(run.token_counts_at(step)[e]) for step in (0, 150, 300)
    ]


def test_places_are_the_tokens_as_they_were_born() -> None:
    run = _train(RULES["first-seen, bytes"], "abababab cabab", merges=4)
    for token in range(run.n_alphabet, run.token_of(len(run.merges))):
        places = places_of(run, token)
        tokens = run.tokens_at(run.rank_of(token) + 1)
        assert places.starts.tolist() == tokens.starts[tokens.ids == token].tolist()
        n_symbols = len(run.token_content(token))
        assert set((places.ends - places.starts).tolist()) == {n_symbols}
