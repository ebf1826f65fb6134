"""An unchanged folder of this program is loaded by a shorter way, with the same result."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.formats.huggingface.folder import CONFIG, TEMPLATE, TOKENIZER, load_unchanged
from bpe_studio.files.third_party import opening
from tests.files.third_party.made import content_of

TEXT = "low low lower lowest é سلام 12\n"


def _saved(folder: Path, preset: str = "gpt2", **options: object) -> Tokenizer:
    config = bpe.TrainingConfig.preset(preset, merges=9, **options)
    tokenizer = bpe.train(bpe.Corpus.from_text(TEXT, config), config).tokenizer()
    tokenizer.save(folder)
    return tokenizer


@pytest.mark.parametrize(
    "options", [{}, {"special": ("[PAD]", "<s>")}, {"unknown": "<unk>"}, {"normalize": ("nfkc",)}]
)
@pytest.mark.parametrize(
    "preset", ["textbook", "sennrich", "raw", "gpt2", "subword-nmt", "sentencepiece"]
)
def test_both_ways_give_the_same(preset: str, options: dict[str, object], tmp_path: Path) -> None:
    tokenizer = _saved(tmp_path / "own", preset, **options)
    short = load_unchanged(tmp_path / "own")
    usual = opening.opened(tmp_path / "own")
    assert short is not None
    assert short.model == usual.model == tokenizer.model
    assert (short.roles, short.notices, short.left_files) == (
        usual.roles,
        usual.notices,
        usual.left_files,
    )


def test_a_changed_folder_takes_the_usual_way(tmp_path: Path) -> None:
    tokenizer = _saved(tmp_path / "own")
    for name, old, new in (
        (TOKENIZER, '"dropout": null', '"dropout": 0.0'),
        (CONFIG, '"add_prefix_space"', '"more": 1, "add_prefix_space"'),
        (TEMPLATE, "", "{{ messages }}"),
    ):
        file = tmp_path / "own" / name
        before = file.read_text("utf-8") if file.exists() else None
        file.write_text((before or "").replace(old, new, 1), "utf-8")
        assert load_unchanged(tmp_path / "own") is None
        assert bpe.load(tmp_path / "own").encode(TEXT).ids == tokenizer.encode(TEXT).ids
        file.unlink() if before is None else file.write_text(before, "utf-8")
    assert load_unchanged(tmp_path / "own") is not None
    assert (
        load_unchanged(tmp_path / "own" / TOKENIZER) is load_unchanged(tmp_path / "missing") is None
    )


@pytest.mark.usefixtures("sound_files")
def test_ids_of_other_types(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
    for tokenizer in (_saved(tmp_path / "own"), bpe.load(tmp_path / "tokenizer.json")):
        ids = tokenizer.encode(TEXT).ids
        assert tokenizer.encode_ids(TEXT).dtype == np.int32
        for dtype in (np.uint16, "int64", np.dtype("uint32")):
            found = tokenizer.encode_ids(TEXT, dtype=dtype)
            assert (found.dtype, found.tolist()) == (np.dtype(dtype), ids)
            found_all = tokenizer.encode_many([TEXT, ""], as_arrays=True, dtype=dtype)
            assert (found_all.ids.dtype, found_all.tolist()) == (np.dtype(dtype), [ids, []])
            assert pickle.loads(pickle.dumps(found_all)).ids.dtype == np.dtype(dtype)
        last = max(tokenizer.tokens)
        with pytest.raises(bpe.ConfigError, match=f"up to 127, .* {last}: give"):
            tokenizer.encode_ids("", dtype=np.int8)
        for wrong in (float, "numbers"):
            with pytest.raises(bpe.ArgumentError, match="whole numbers"):
                tokenizer.encode_many([""], as_arrays=True, dtype=wrong)


@pytest.mark.usefixtures("sound_files")
def test_options_of_a_loaded_tokenizer(tmp_path: Path) -> None:
    own = _saved(tmp_path / "own", "sennrich")
    assert bpe.load(tmp_path / "own").config == own.config
    assert own.config.preset_name == "sennrich"
    for name in ("gpt2", "unigram"):
        (tmp_path / f"{name}.json").write_text(content_of(name), encoding="utf-8")
    assert bpe.load(tmp_path / "gpt2.json").config.split == "gpt2"
    with pytest.raises(bpe.ConfigError, match="Unigram"):
        bpe.load(tmp_path / "unigram.json").config  # noqa: B018


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sentencepiece", "superbpe"])
def test_options_in_short_can_be_typed(preset: str) -> None:
    for changes in ({}, {"merges": 7}, {"special": ("<a>", "'"), "min_frequency": 3}):
        config = bpe.TrainingConfig.preset(preset, **changes)
        assert eval(repr(config), {"TrainingConfig": bpe.TrainingConfig}) == config
        assert len(repr(config)) < 200


@pytest.mark.parametrize(
    ("name", "is_meant"),
    [("bert-base-uncased", True), ("google/bert", True), ("a.json", False), ("here/bert", False)],
)
def test_a_name_that_could_be_a_model_on_the_hub(
    name: str, is_meant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    with pytest.raises(bpe.TokenizerFormatError, match="does not exist") as caught:
        bpe.load(name)
    assert (f"hf:{name}" in str(caught.value)) == is_meant
