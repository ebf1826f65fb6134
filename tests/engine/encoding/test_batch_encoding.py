"""What a call of a tokenizer returns is a dict with attributes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import bpe_studio as bpe
from tests.trained import run_of_text


@pytest.fixture(scope="module")
def tokenizer() -> bpe.Tokenizer:
    return run_of_text().tokenizer()


def test_columns_are_keys_and_attributes(tokenizer: bpe.Tokenizer) -> None:
    found = tokenizer("low lower", return_offsets_mapping=True)
    assert isinstance(found, dict) and found == dict(found) == {**found}
    assert found.input_ids is found["input_ids"]
    assert found.offset_mapping == tokenizer.encode("low lower").offsets
    assert not hasattr(found, "special_tokens_mask")
    with pytest.raises(AttributeError, match="input_ids, token_type_ids"):
        found.special_tokens_mask  # noqa: B018
    arrays = tokenizer(["low", "lower"], return_tensors="np")
    assert isinstance(arrays.input_ids, np.ndarray)


def test_a_copy_keeps_the_words(tokenizer: bpe.Tokenizer) -> None:
    found = tokenizer([["low", "lower low"], []], is_split_into_words=True)
    for each in (found, copy.copy(found), pickle.loads(pickle.dumps(found))):
        assert each == found and each.input_ids == found["input_ids"]
        assert set(each.word_ids()) == {0, 1}
        assert each.word_ids(-1) == []
    with pytest.raises(bpe.ConfigError, match="no row 2"):
        found.word_ids(2)
    with pytest.raises(bpe.ConfigError, match="is_split_into_words"):
        tokenizer("low").word_ids()
