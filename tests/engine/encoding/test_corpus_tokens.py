"""The tokens of a corpus under any tokenizer, counted once for each distinct pre-token, against
encoding the text.
"""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.engine.encoding.corpus_tokens import tokens_in_corpus

TEXT = (
    "the theme then other thin  thing,\twith this that\n\nnewest widest سلام دنیا 你好世界 👩‍👩‍👧 low "
    "lower lowest\n" * 5
)
OTHER = "the lowest thin river; other themes\n  widest سلام naïve 你好 👩‍👩‍👧\n" * 7


def result_of(work):
    shares = []
    while True:
        try:
            shares.append(next(work))
        except StopIteration as end:
            assert shares == sorted(shares) and all(0 <= share < 1 for share in shares)
            return end.value


@pytest.mark.parametrize(
    "preset", ["gpt2", "textbook", "sennrich", "raw", "cl100k", "subword-nmt", "sentencepiece"]
)
def test_the_counts_are_those_of_the_encoded_text(preset):
    config = TrainingConfig.preset(preset).replace(
        vocab_size=None, merges=60, unknown="<unk>", min_frequency=1
    )
    if config.units == "bytes":
        config = config.replace(unknown=None)
    config = config.replace(documents="file")
    tokenizer = train(Corpus.from_text(TEXT, config), config).tokenizer()
    found = result_of(tokens_in_corpus(tokenizer, Corpus.from_text(OTHER, config)))
    assert (
        found.tolist()
        == np.bincount(tokenizer.encode_ids(OTHER), minlength=tokenizer.vocab_size).tolist()
    )


def test_a_corpus_of_counts_serves_too():
    config = TrainingConfig.preset("gpt2", merges=3)
    corpus = Corpus.from_counts({"low": 5, "lower": 2}, config)
    tokenizer = train(corpus, config).tokenizer()
    found = result_of(tokens_in_corpus(tokenizer, corpus))
    assert int(found.sum()) == sum(
        n * len(tokenizer.encode(word).ids) for word, n in (("low", 5), ("lower", 2))
    )
