"""What merges never make occurs in no text: random merges in any order, against all short texts."""

from __future__ import annotations

import random
from itertools import product

import pytest

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.explain.doctor.token_classes import MergedAlone
from bpe_studio.files.formats.tokenizer_file import config_as_read

TEXTS = ["".join(text) for n in range(1, 9) for text in product("ab", repeat=n)]


def made_at_random(draw: random.Random) -> Tokenizer:
    """A tokenizer of two characters, whose merges may come before those that make their parts."""
    tokens = ["a", "b"]
    merges = []
    for _ in range(draw.randrange(2, 9)):
        left = draw.randrange(len(tokens))
        right = draw.randrange(len(tokens))
        name = tokens[left] + tokens[right]
        if len(name) <= 5:
            if name not in tokens:
                tokens.append(name)
            merges.append((left, right, tokens.index(name)))
    draw.shuffle(merges)
    tokens.append("aab" * 2)  # no merge makes it
    config = config_as_read(
        units="characters", split="none", ties="first-seen", special=(), merges=len(merges)
    )
    return Tokenizer(TokenizerModel(config, tuple(tokens), tuple(merges)))


def never_merged(tokenizer: Tokenizer) -> set[int]:
    alone = MergedAlone(tokenizer)
    return {number for number in tokenizer.tokens if not alone.makes(number)}


@pytest.mark.parametrize("seed", range(40))
def test_no_text_becomes_what_is_never_merged(seed: int) -> None:
    tokenizer = made_at_random(random.Random(seed))
    seen = {number for ids in tokenizer.encode_many(TEXTS) for number in ids}
    found = never_merged(tokenizer)
    assert not found & seen
    assert len(tokenizer) - 1 in found


def test_of_merges_in_any_order_some_are_found() -> None:
    tokenizers = [made_at_random(random.Random(seed)) for seed in range(40)]
    n_found = sum(len(never_merged(tokenizer)) for tokenizer in tokenizers)
    assert n_found > len(tokenizers)
