"""`tok(...)` gives what Transformers' own tokenizer gives for the same vocabulary and the same
options.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import pytest
import tokenizers

import bpe_studio as bpe
from tests.engine import texts

_TEXT = texts.english(200, seed=31) + texts.persian(100, seed=31)
_BATCH = ["low", texts.english(6, seed=32), "", texts.persian(12, seed=32), "don't 😀"]
_OPTIONS: list[dict[str, Any]] = [
    {},
    {"padding": True},
    {"padding": "longest"},
    {"padding": "max_length"},
    {"padding": "max_length", "max_length": 9},
    {"padding": "do_not_pad"},
    {"truncation": True},
    {"truncation": True, "max_length": 3},
    {"truncation": "longest_first", "max_length": 1},
    {"truncation": "only_first", "max_length": 2},
    {"truncation": False, "max_length": 2},
    {"truncation": "do_not_truncate", "max_length": 2},
    {"max_length": 2},
    {"padding": True, "truncation": True},
    {"padding": True, "truncation": True, "max_length": 4},
    {"padding": "max_length", "truncation": True, "max_length": 6},
    {"padding": True, "max_length": 500},
    {"padding": True, "add_special_tokens": False},
]


@pytest.fixture(scope="module")
def ours() -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=400, special=("<pad>", "<|endoftext|>"))
    tokenizer = bpe.train(bpe.Corpus.from_text(_TEXT, config), config).tokenizer()
    return bpe.Tokenizer(
        dataclasses.replace(tokenizer.model, pad_token="<pad>", model_max_length=16)
    )


@pytest.fixture(scope="module")
def theirs(ours: bpe.Tokenizer) -> Any:
    model = ours.model
    core = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab={token: i for i, token in enumerate(model.tokens)},
            merges=[(model.tokens[left], model.tokens[right]) for left, right, _ in model.merges],
        )
    )
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    core.add_special_tokens(["<pad>", "<|endoftext|>"])
    import transformers  # takes a second, which each process would spend on collecting the tests

    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", model_max_length=16
    )


def _call(tokenizer: Any, given: object, options: dict[str, Any]) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = tokenizer(given, **options)
    return {name: batch[name] for name in ("input_ids", "attention_mask")}


@pytest.mark.parametrize("options", _OPTIONS, ids=str)
@pytest.mark.parametrize("given", [_BATCH, _BATCH[1], ""], ids=["batch", "one", "empty"])
def test_same_call_same_answer(
    ours: bpe.Tokenizer, theirs: Any, given: object, options: dict[str, Any]
) -> None:
    assert _call(ours, given, options) == _call(theirs, given, options)
    types = ours(given, **options)["token_type_ids"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(given, return_token_type_ids=True, **options)["token_type_ids"]
    assert types == expected


def test_same_words_from_ids(ours: bpe.Tokenizer, theirs: Any) -> None:
    for text in _BATCH:
        ids = ours(text)["input_ids"]
        assert ours.tokenize(text) == theirs.tokenize(text)
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
        assert ours.convert_tokens_to_ids(ours.tokenize(text)) == ids
        assert ours.decode(ids) == theirs.decode(ids, clean_up_tokenization_spaces=False) == text
    marked = "low<|endoftext|> low<pad>"
    ids = theirs(marked)["input_ids"]
    assert list(ours.encode(marked, recognize_special=True).ids) == ids
    assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(
        ids, skip_special_tokens=True
    )


def test_same_vocabulary_and_texts_of_a_batch(ours: bpe.Tokenizer, theirs: Any) -> None:
    assert ours.get_vocab() == theirs.get_vocab() and len(ours) == len(theirs)
    batch = ours([*_BATCH, "a<|endoftext|>"], padding=True, return_tensors="np")["input_ids"]
    for skips in (False, True):
        assert ours.batch_decode(batch, skip_special_tokens=skips) == theirs.batch_decode(
            batch, skip_special_tokens=skips, clean_up_tokenization_spaces=False
        )
