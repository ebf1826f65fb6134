"""What is written can be read back and encodes the same, or it is refused before anything is
written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError
from bpe_studio.files.formats import registry
from tests.examples import examples
from tests.files.formats.cases import trained
from tests.files.formats.round_trips import round_trip


def test_random_tokenizers_in_every_format(tmp_path: Path) -> None:
    total: Counter[str] = Counter()
    for seed in range(examples(100)):
        faults, done = round_trip(seed, tmp_path / "work")
        assert not faults, f"seed {seed}: {faults}"
        total += done
    written = {name for name in registry.FORMATS if total[f"{name} written"]}
    assert written == set(registry.FORMATS) or examples(100) < 100


@pytest.mark.parametrize("name", ["huggingface", "gpt2", "subword-nmt"])
def test_a_tokenizer_without_tokens_is_refused(name: str, tmp_path: Path) -> None:
    preset = "subword-nmt" if name == "subword-nmt" else "gpt2"
    config = bpe.TrainingConfig.preset(
        preset, merges=3, special=(), unknown=None, full_alphabet=False
    )
    tokenizer = bpe.train(bpe.Corpus.from_text("", config), config).tokenizer()
    with pytest.raises(SaveError, match="has no token at all"):
        tokenizer.save(tmp_path / "out", name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "preset", "options", "token"),
    [
        ("sentencepiece", "sentencepiece", {"normalize": (), "merges": 60}, "sst"),
        ("gpt2", "gpt2", {"merges": 9}, "zq"),
        ("minbpe", "gpt2", {"merges": 9, "ties": "raw-ids", "special": ()}, "zq"),
        ("tiktoken", "gpt2", {"merges": 9}, "zq"),
    ],
)
def test_a_token_that_no_merge_makes_is_refused(
    name: str, preset: str, options: dict[str, object], token: str, tmp_path: Path
) -> None:
    model = trained(preset, **options).model
    assert token not in model.tokens
    odd = Tokenizer(replace(model, tokens=(*model.tokens, token)))
    with pytest.raises(
        SaveError,
        match=r"No merge makes|no merge makes|that merges make|in another order|never be made",
    ):
        odd.save(tmp_path / "out", name)
    assert not list(tmp_path.iterdir())
