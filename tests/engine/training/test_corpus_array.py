"""A corpus laid out by the kernels against its plain form, and what both have to be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.training.corpus_array import CorpusArray, lay_out

OPTIONS: dict[str, dict[str, Any]] = {
    "bytes": {"units": "bytes"},
    "characters": {"units": "characters", "full_alphabet": False},
    "bytes with a mark of its own": {
        "units": "bytes",
        "word_end": "</w>",
        "word_end_as": "own-symbol",
    },
    "characters with a mark": {"units": "characters", "full_alphabet": False, "word_end": "</w>"},
    "continuing": {"units": "characters", "full_alphabet": False, "continuing": "##"},
    "by frequency": {"units": "characters", "full_alphabet": False, "ties": "sentencepiece"},
}


def _laid_out(
    counts: dict[str, int], config: bpe.TrainingConfig, plain_work: int
) -> tuple[CorpusArray, list[Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", plain_work)
        patch.setattr(loader, "_ready", set())
        layout = lay_out(bpe.Corpus.from_counts(counts, config), config)
        return layout, [
            layout.symbols,
            layout.words,
            layout.word_starts,
            *layout.weights_by_symbol(),
        ]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@given(
    words=st.dictionaries(
        st.text("abäß漢😀", min_size=1, max_size=5), st.sampled_from([1, 2, 2**31, 2**40])
    )
)
def test_compiled_is_plain(options: dict[str, Any], words: dict[str, int]) -> None:
    config = bpe.TrainingConfig.preset("raw", **options)
    if config.units == "bytes":  # which are written by their stand-ins
        words = {word: count for word, count in words.items() if set(word) <= set("abäß")}
    plain, plain_arrays = _laid_out(words, config, 10**9)
    compiled, arrays = _laid_out(words, config, -1)
    assert compiled.alphabet.names == plain.alphabet.names
    assert [array.tolist() for array in arrays] == [array.tolist() for array in plain_arrays]


def test_what_is_laid_out() -> None:
    config = bpe.TrainingConfig.preset("textbook")
    layout, arrays = _laid_out({"hug": 2**31, "a": 3, "bag": 2**33}, config, 10**9)
    assert [layout.alphabet.names[i] if i >= 0 else "|" for i in layout.symbols] == list(
        "|hug|a|bag|"
    )
    assert layout.words.tolist() == [0, 0, 0, 0, 0, 1, 0, 2, 2, 2, 0]
    assert layout.word_starts.tolist() == [1, 5, 7, 11]
    assert arrays[-2].tolist() == [0, -1, -1, -1, 0, 3, 0, -2, -2, -2, 0]
    assert arrays[-1].tolist() == [2**31, 2**33]
