"""What is written can be read back and encodes the same, or it is refused before anything is written."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats import registry
from tests.examples import examples
from tests.files.formats.cases import TEXT, trained
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
    config = bpe.TrainingConfig.preset(preset, merges=3, special=(), unknown=None, full_alphabet=False)
    tokenizer = bpe.train(bpe.Corpus.from_text("", config), config).tokenizer()
    with pytest.raises(SaveError, match="has no token at all"):
        tokenizer.save(tmp_path / "out", name)
    assert not list(tmp_path.iterdir())


def test_a_merge_that_goes_on_behind_the_word_end_mark_is_refused(tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset("sennrich", merges=4, force=[("</w>", "a")])
    tokenizer = bpe.train(bpe.Corpus.from_text("a < / w > ab", config), config).tokenizer()
    with pytest.raises(SaveError, match="goes on behind the word-end mark '</w>'"):
        tokenizer.save(tmp_path / "out", "huggingface")
    assert not list(tmp_path.iterdir())


def test_a_split_that_may_mean_something_else_is_refused(tmp_path: Path) -> None:
    model = trained("gpt2", merges=3, ties="raw-ids", special=(), documents="file").model
    long = Tokenizer(replace(model, config=model.config.replace(split="regex:" + r"\b[a-z]+\b|" * 300 + ".")))
    with pytest.raises(SaveError, match="may match other text in Hugging Face"):
        long.save(tmp_path / "out", "huggingface")
    assert not list(tmp_path.iterdir())
    long.save(tmp_path / "out", "minbpe")
    assert bpe.load(tmp_path / "out").encode(TEXT).ids == long.encode(TEXT).ids


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
        SaveError, match=r"No merge makes|no merge makes|that merges make|in another order|never be made"
    ):
        odd.save(tmp_path / "out", name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["vocab", "added_tokens"])
def test_half_of_a_surrogate_pair_is_no_token(place: str, tmp_path: Path) -> None:
    trained("textbook", merges=5).save(tmp_path / "folder")
    file = tmp_path / "folder" / "tokenizer.json"
    content = json.loads(file.read_text("utf-8"))
    number = len(content["model"]["vocab"])
    if place == "vocab":
        content["model"]["vocab"]["x\ud800"] = number
    else:
        content["added_tokens"].append({**content["added_tokens"][0], "content": "x\ud800", "id": number})
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(TokenizerFormatError, match=r"it holds '\\ud800', half of a surrogate pair"):
        bpe.load(file)
