"""The engine learns and cuts what the textbook does.

Its examples run in `tests/test_docstring_examples.py`.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine import textbook
from bpe_studio.engine.kernels.buffers import NEVER


@given(
    corpus=st.dictionaries(
        st.text("abc", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=8
    ),
    text=st.text("abc", min_size=1, max_size=12),
    n_merges=st.integers(0, 20),
    min_frequency=st.integers(1, 9),
)
def test_the_engine_is_the_textbook(
    corpus: dict[str, int], text: str, n_merges: int, min_frequency: int
) -> None:
    words = [(list(word), count) for word, count in corpus.items()]
    merges = textbook.train(words, n_merges, min_frequency)
    config = bpe.TrainingConfig.preset(
        "textbook", merges=n_merges, min_frequency=min_frequency, unknown=None
    )
    run = bpe.train(bpe.Corpus.from_counts(corpus, config), config)
    assert [
        textbook.Merge(merge.left, merge.right, merge.token, merge.count) for merge in run.merges
    ] == merges
    if set(text) <= set("".join(corpus)):
        gaps = textbook.gap_ranks(text, merges)
        assert run.gap_ranks(text)[0].tolist() == [
            NEVER if rank == textbook.NEVER else rank for rank in gaps
        ]
        for step in range(len(merges) + 1):
            tokens = textbook.encode(text, merges[:step])
            assert (
                run.tokenizer(step).encode(text).tokens == tokens == textbook.cut(text, gaps, step)
            )
