"""The reason for an unreachable token of a run is that of its tokenizer, and both find the same tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.token_traits import TokenTraits
from bpe_studio.explain.doctor.reasons import Reason, Reasons
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from bpe_studio.explain.doctor.unreachable import why_unreachable
from tests.engine import corpora
from tests.examples import examples

_WORDS = {
    Reason.merge: "an earlier merge",
    Reason.split: "the split",
    Reason.normalization: "normalization turns it into",
}


@given(
    text=corpora.texts(max_words=8),
    split=st.sampled_from(["gpt2", "none", "regex:[ab]+|."]),
    normalize=st.sampled_from([(), ("lowercase",)]),
    forced=st.permutations([("a", "a"), ("a", "b"), ("b", "a"), ("a", "ab"), ("A", "b"), ("b", "Ġ")]),
)
@settings(max_examples=examples(60))
def test_a_run_and_its_tokenizer_agree(text: str, split: str, normalize: tuple[str, ...], forced: list) -> None:
    # A pair of tokens that do not exist yet cannot be forced.
    order = [pair for pair in forced if pair != ("a", "ab")] + [("a", "ab")]
    config = bpe.TrainingConfig.preset(
        "gpt2", merges=12, vocab_size=None, min_frequency=1, split=split, normalize=normalize, force=order
    )
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    tokenizer, n_special = run.tokenizer(), len(run.config.all_special)
    n = run.n_alphabet + len(run.merges)
    found = {int(token) for token in TokenTraits(run).first(n).is_unreachable.nonzero()[0]}
    classes = {number - n_special for number, kind in classes_of(tokenizer) if kind is TokenClass.unreachable}
    assert found == classes
    reasons = Reasons(tokenizer)
    for token in found:
        cause, sentence = reasons.of(token + n_special), why_unreachable(run, token)
        assert _WORDS[cause.reason] in sentence
        if cause.merge_rank is not None:
            assert f"merge {cause.merge_rank + 1}:" in sentence
