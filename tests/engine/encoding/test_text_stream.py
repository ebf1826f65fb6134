"""The text of ids that come one by one is the text of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding.text_stream import text_stream
from tests.engine import texts
from tests.examples import IN_EACH_OF_MANY, examples

_MARKS: dict[str, tuple[str, dict[str, object]]] = {
    "bytes": ("gpt2", {}),
    "bytes and marks": ("gpt2", {"split": "sentencepiece"}),
    "a mark of its own": ("sennrich", {}),
    "a mark on a character": ("subword-nmt", {}),
    "byte fallback": ("sentencepiece", {"byte_fallback": True}),
    "items": ("gpt2", {"units": "items", "split": "none", "full_alphabet": False}),
    "a prefix": ("textbook", {"split": "whitespace", "continuing": "##"}),
}

_BROKEN = bytes(b"\x80\x82\x9f\xa4\xe2\xf0"[number % 6] for number in range(256))


@cache
def _tokenizer(marks: str) -> bpe.Tokenizer:
    preset, options = _MARKS[marks]
    config = bpe.TrainingConfig.preset(preset, merges=60, vocab_size=None, **options)
    return bpe.train(bpe.Corpus.from_text(texts.mixed(150, seed=11), config), config).tokenizer()


@pytest.mark.parametrize("marks", _MARKS)
@given(data=st.data(), skips=st.booleans())
@settings(max_examples=examples(IN_EACH_OF_MANY))
def test_all_parts_are_the_whole(marks: str, data: st.DataObject, skips: bool) -> None:
    tokenizer = _tokenizer(marks)
    ids = data.draw(st.lists(st.integers(0, len(tokenizer) - 1)))
    parts = list(tokenizer.decode_stream(ids, skip_special_tokens=skips))
    assert "" not in parts
    assert "".join(parts) == tokenizer.decode(ids, skip_special_tokens=skips)


@given(text=st.text(st.sampled_from("ab é玻😀\n")))
def test_a_character_comes_with_its_last_byte(text: str) -> None:
    tokenizer = _tokenizer("bytes")
    ids = tokenizer.encode(text).ids
    n_taken = 0

    def generated() -> Iterator[int]:
        nonlocal n_taken
        for number in ids:
            n_taken += 1
            yield number

    found = ""
    for part in tokenizer.decode_stream(generated()):
        assert found == tokenizer.decode(ids[: n_taken - 1]).rstrip("\ufffd")
        found += part
        assert found == tokenizer.decode(ids[:n_taken]).rstrip("\ufffd")
    assert found == text


@given(st.binary(min_size=300).map(lambda data: data.translate(_BROKEN)))
@settings(max_examples=examples(IN_EACH_OF_MANY))
def test_broken_bytes_without_end_are_not_decoded_again_and_again(data: bytes) -> None:
    n_decoded = 0

    def decode(ids: list[int]) -> str:
        nonlocal n_decoded
        n_decoded += len(ids)
        return bytes(ids).decode("utf-8", "replace")

    parts = text_stream(data, decode, lambda number: False)
    assert "".join(parts) == decode(list(data))
    assert n_decoded < 60 * len(data)


def test_an_id_that_is_none_ends_the_stream() -> None:
    stream = _tokenizer("bytes").decode_stream([65, 1 << 20])
    assert next(stream)
    with pytest.raises(bpe.VocabularyError, match="1048576"):
        next(stream)
    for wrong in (["a"], "ab", [1.5]):
        with pytest.raises(bpe.ArgumentError, match="whole number"):
            list(_tokenizer("bytes").decode_stream(wrong))
    with pytest.raises(bpe.ArgumentError, match="token ids"):
        _tokenizer("bytes").decode_stream(5)
