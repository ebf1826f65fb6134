"""An unchanged folder of this program is loaded by a shorter way, with the same result."""

from __future__ import annotations

from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.formats.huggingface.folder import CONFIG, TEMPLATE, TOKENIZER, load_unchanged
from bpe_studio.files.third_party import opening

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
