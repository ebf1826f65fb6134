"""The unreachable tokens that are kept for a run are those of its tokenizer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from bpe_studio.explain.doctor.unreachable import finding_unreachable, known_unreachable
from tests.engine import corpora
from tests.examples import examples


def run_of(text: str, preset: str = "gpt2", **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset(
        preset, merges=12, vocab_size=None, min_frequency=1, **options
    )
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@given(
    text=corpora.texts(max_words=8),
    preset=st.sampled_from(["gpt2", "sentencepiece"]),
    forced=st.permutations([("a", "a"), ("a", "b"), ("b", "a"), ("A", "b"), ("b", "Ġ")]),
)
@settings(max_examples=examples(40))
def test_they_are_those_of_the_tokenizer_and_found_once(
    text: str, preset: str, forced: list
) -> None:
    options = (
        {"force": [*forced, ("a", "ab")], "normalize": ("lowercase",)} if preset == "gpt2" else {}
    )
    run = run_of(text, preset, **options)
    known = dict[int, object]()
    for step in (len(run.merges) // 2, len(run.merges)):
        n_before = max(known, default=-1) + 1
        ids = run.external_ids(step)[len(run.lone_specials) :].tolist()
        assert result_of(finding_unreachable(run, step))
        found = known_unreachable(run, step)
        of_step = {
            number
            for number, kind in classes_of(run.tokenizer(step))
            if kind is TokenClass.unreachable
        }
        known = {token: found.get(token) for token in range(len(ids))}
        assert {ids[token] for token in found if token >= n_before} == of_step & set(ids[n_before:])
    assert known_unreachable(run, 0) == {
        token: one for token, one in found.items() if token < run.n_alphabet
    }


def test_a_token_that_is_made_only_before_others_is_reachable() -> None:
    # By itself, the split divides a line end and a space; before another line end it does not.
    run = run_of("a\n \nb", split="cl100k", force=[("Ċ", "Ġ")])
    assert result_of(finding_unreachable(run, 1))
    assert run.tokenizer(1).encode("\n ").tokens == ["Ċ", "Ġ"]
    assert known_unreachable(run, 1) == {}
