"""Many texts at once have the ids and places that each of them has by itself, pre-token by
pre-token.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding import bulk_encoding, gap_closing
from bpe_studio.engine.kernels import loader
from tests.engine import corpora, texts
from tests.engine.encoding.test_bulk_encoding import SPLITS, PlainTokenizer
from tests.examples import IN_EACH_OF_MANY, examples

SPECIAL = ("<|endoftext|>", "<pad>")
KINDS: dict[str, dict[str, Any]] = {
    **{f"split {split}": {"preset": "gpt2", "split": split} for split in SPLITS},
    "normalized": {"preset": "gpt2", "normalize": ("nfkc", "lowercase")},
    "not all bytes": {"preset": "gpt2", "full_alphabet": False, "unknown": "[UNK]"},
    "digits": {"preset": "gpt2", "split_digits": True},
    **{
        preset: {"preset": preset, "unknown": "[UNK]"}
        for preset in ("textbook", "sennrich", "subword-nmt", "sentencepiece")
    },
}
TEXTS = st.lists(
    st.one_of(
        corpora.any_text(),
        st.sampled_from(["", "a<|endoftext|> b<pad>", "<pad><pad>", "\udcff", "don't"]),
    ),
    max_size=9,
)


@pytest.fixture(scope="module", autouse=True)
def compiled_in_three_threads():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", -1)
        patch.setattr(gap_closing, "SHORT", 0)
        patch.setattr(bulk_encoding, "n_processors", lambda: 3)
        patch.setattr(bulk_encoding, "_PART_BYTES", 16)
        patch.setattr(bulk_encoding, "_BOUNDARY_BYTES", 8)
        yield


@cache
def _tokenizers(kind: str) -> tuple[bpe.Tokenizer, bpe.Tokenizer]:
    """A tokenizer and its obvious twin."""
    options = dict(KINDS[kind])
    config = bpe.TrainingConfig.preset(
        options.pop("preset"), merges=300, special=SPECIAL, **options
    )
    text = "".join(make(60, seed=5) for make in texts.KINDS.values())
    tokenizer = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    return tokenizer, PlainTokenizer(tokenizer.model)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(given=TEXTS)
@example(given=[])
@example(given=["", "", ""])
@example(given=["low", "", "er don't", "", "日本語 abc\u0301", "\udcff", "  ", "'", "s"])
@example(given=["a b" * 30, "", " " * 90, "x" * 90, "é" * 60])
def test_each_has_what_it_has_by_itself(kind: str, given: list[str]) -> None:
    tokenizer, twin = _tokenizers(kind)
    each = [twin.encode(text) for text in given]
    found = tokenizer.encode_many(given, as_arrays=True)
    assert found.tolist() == tokenizer.encode_many(given) == [one.ids for one in each]
    assert found.char_offsets.tolist() == [list(place) for one in each for place in one.offsets]
    assert len(found) == len(given) and [ids.tolist() for ids in found] == found.tolist()
    if given:
        special = [tokenizer.encode(text, recognize_special=True) for text in given]
        assert tokenizer(given)["input_ids"] == [one.ids for one in special]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(
    text=corpora.any_text(),
    names=st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=4),
    place=st.integers(0, 9),
)
def test_special_tokens_in_a_text_are_one_id_each(
    kind: str, text: str, names: list[str], place: int
) -> None:
    tokenizer, twin = _tokenizers(kind)
    parts = [text[:place], *names, text[place:]]
    found = tokenizer.encode("".join(parts), recognize_special=True)
    each = [
        bpe.Encoding([tokenizer.special_ids[part]], [part], [(0, len(part))])
        if part in SPECIAL
        else twin.encode(part)
        for part in parts
    ]
    begins = np.cumsum([0, *map(len, parts)])
    assert found.ids == [number for one in each for number in one.ids]
    assert found.offsets == [
        (start + begin, end + begin)
        for one, begin in zip(each, begins, strict=False)
        for start, end in one.offsets
    ]


def test_the_arrays_say_what_they_are() -> None:
    tokenizer, _ = _tokenizers("split gpt2")
    found = tokenizer.encode_many(["low", "", "lower"], as_arrays=True)
    assert found.ids.dtype == np.int32 and found.offsets.dtype == np.int64
    assert found[-1].tolist() == tokenizer.encode("lower").ids and not len(found[1])
    with pytest.raises(IndexError):
        found[3]
    again = pickle.loads(pickle.dumps(found))
    assert again.tolist() == found.tolist() and (again.char_offsets == found.char_offsets).all()
    assert "3 texts" in repr(found)
