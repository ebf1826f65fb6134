"""Calling a tokenizer as one calls Transformers' tokenizers: padding, truncation, masks, arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer_model import Template

_TEXTS = ["low", "low lower newest", "", "widest lowest"]
_KEYS = {"input_ids", "token_type_ids", "attention_mask"}


def _tokenizer(**changes: Any) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset("gpt2", merges=5, special=("<pad>", "<|endoftext|>"))
    corpus = bpe.Corpus.from_text("low low lower newest widest lowest\n" * 2, config)
    tokenizer = bpe.train(corpus, config).tokenizer()
    return bpe.Tokenizer(dataclasses.replace(tokenizer.model, **({"pad_token": "<pad>"} | changes)))


@pytest.fixture
def tokenizer() -> bpe.Tokenizer:
    return _tokenizer()


def _ids(tokenizer: bpe.Tokenizer) -> list[list[int]]:
    return [list(tokenizer.encode(text).ids) for text in _TEXTS]


def test_one_text(tokenizer: bpe.Tokenizer) -> None:
    ids = list(tokenizer.encode("low lower").ids)
    batch = tokenizer("low lower")
    assert batch["input_ids"] == ids
    assert batch["attention_mask"] == [1] * len(ids)
    assert batch["token_type_ids"] == [0] * len(ids)
    assert set(batch) == _KEYS


def test_several_texts_without_padding(tokenizer: bpe.Tokenizer) -> None:
    batch = tokenizer(_TEXTS)
    assert batch["input_ids"] == _ids(tokenizer)
    assert batch["attention_mask"] == [[1] * len(ids) for ids in _ids(tokenizer)]
    assert batch["token_type_ids"] == [[0] * len(ids) for ids in _ids(tokenizer)]


@pytest.mark.parametrize("padding", [True, "longest"])
def test_padding_to_the_longest(tokenizer: bpe.Tokenizer, padding: object) -> None:
    batch = tokenizer(_TEXTS, padding=padding)
    ids = _ids(tokenizer)
    width = max(map(len, ids))
    pad = tokenizer.convert_tokens_to_ids(["<pad>"])[0]
    assert batch["input_ids"] == [row + [pad] * (width - len(row)) for row in ids]
    assert batch["attention_mask"] == [[1] * len(row) + [0] * (width - len(row)) for row in ids]
    assert batch["token_type_ids"] == [[0] * width for _ in ids]


def test_padding_to_a_length(tokenizer: bpe.Tokenizer) -> None:
    batch = tokenizer(_TEXTS, padding="max_length", max_length=4)
    ids = _ids(tokenizer)
    assert [len(row) for row in batch["input_ids"]] == [max(4, len(row)) for row in ids]
    assert [sum(row) for row in batch["attention_mask"]] == [len(row) for row in ids]


@given(max_length=st.integers(1, 12), padding=st.sampled_from([False, True, "max_length"]))
def test_truncation_keeps_the_beginning(max_length: int, padding: object) -> None:
    tokenizer = _tokenizer()
    batch = tokenizer(_TEXTS, truncation=True, max_length=max_length, padding=padding)
    ids = _ids(tokenizer)
    kept = [row[:max_length] for row in ids]
    assert [row[: len(short)] for row, short in zip(batch["input_ids"], kept, strict=True)] == kept
    assert [sum(mask) for mask in batch["attention_mask"]] == [len(short) for short in kept]
    width = {False: None, True: max(map(len, kept)), "max_length": max_length}[padding]  # type: ignore[index]
    assert [len(row) for row in batch["input_ids"]] == [
        width if width is not None else len(short) for short in kept
    ]


def test_truncation_to_the_models_length() -> None:
    tokenizer = _tokenizer(model_max_length=3)
    assert [len(row) for row in tokenizer(_TEXTS, truncation=True)["input_ids"]] == [
        min(3, len(row)) for row in _ids(tokenizer)
    ]
    assert {len(row) for row in tokenizer(["low"], padding="max_length")["input_ids"]} == {3}


def test_arrays(tokenizer: bpe.Tokenizer) -> None:
    batch = tokenizer(_TEXTS, padding=True, return_tensors="np")
    assert set(batch) == _KEYS
    for name in _KEYS:
        assert isinstance(batch[name], np.ndarray) and batch[name].dtype == np.int64
        assert batch[name].shape == (len(_TEXTS), max(map(len, _ids(tokenizer))))
    assert batch["input_ids"].tolist() == tokenizer(_TEXTS, padding=True)["input_ids"]
    one = tokenizer("low lower", return_tensors="np")
    assert one["input_ids"].tolist() == [list(tokenizer.encode("low lower").ids)]


def test_rows_of_different_lengths_are_an_array_of_arrays(tokenizer: bpe.Tokenizer) -> None:
    found = tokenizer(_TEXTS, return_tensors="np")["input_ids"]
    assert found.shape == (len(_TEXTS),) and [row.tolist() for row in found] == _ids(tokenizer)


def test_without_a_template_nothing_is_added(tokenizer: bpe.Tokenizer) -> None:
    assert tokenizer.encode("low", add_special_tokens=True).ids == tokenizer.encode("low").ids


def test_a_template_puts_its_tokens_around() -> None:
    tokenizer = _tokenizer(
        template=Template(before=("<|endoftext|>",), after=("<pad>", "<|endoftext|>"))
    )
    ids = list(tokenizer.encode("low lower").ids)
    pad, end = tokenizer.convert_tokens_to_ids(["<pad>", "<|endoftext|>"])
    encoding = tokenizer.encode("low lower", add_special_tokens=True)
    assert list(encoding.ids) == [end, *ids, pad, end]
    assert list(encoding.tokens)[-2:] == ["<pad>", "<|endoftext|>"]
    assert (
        len(encoding.offsets)
        == len(encoding.attention_mask)
        == len(encoding.token_type_ids)
        == len(encoding.ids)
    )
    assert tokenizer("low lower")["input_ids"] == [end, *ids, pad, end]
    assert tokenizer("low lower", add_special_tokens=False)["input_ids"] == ids
    # What is added counts: the text gives way, not the template.
    short = tokenizer("low lower", truncation=True, max_length=4)["input_ids"]
    assert short == [end, ids[0], pad, end]
    assert tokenizer.decode(short, skip_special_tokens=True) == tokenizer.decode(ids[:1])
