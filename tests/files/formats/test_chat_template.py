"""The chat template of a folder of ours is kept wherever its format can hold it, and otherwise named as lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.formats.registry import kept

TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
NAMED = [{"name": "default", "template": TEMPLATE}, {"name": "tool_use", "template": "سلام {{ tools }}"}]


@pytest.fixture
def tokenizer() -> Tokenizer:
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=270)
    return bpe.train(bpe.Corpus.from_text("hug hugs pug pugs bun buns " * 9, config), config).tokenizer()


def _folder(tokenizer: Tokenizer, path: Path, form: str, *, in_config: object = None) -> Path:
    tokenizer.save(path, format=form)
    if in_config is None:
        (path / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    else:
        file = path / "tokenizer_config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "chat_template": in_config}), encoding="utf-8")
    return path


def _files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize("form", ["huggingface", "gpt2"])
def test_every_file_is_the_same_after_saving_and_loading_again(tokenizer: Tokenizer, tmp_path: Path, form: str) -> None:
    path = _folder(tokenizer, tmp_path / "first", form)
    bpe.load(path).save(tmp_path / "second", format=form)
    assert _files(tmp_path / "second") == _files(path)


@pytest.mark.parametrize("in_config", [TEMPLATE, NAMED, None])
def test_transformers_finds_it_after_convert_extend_and_prune(
    tokenizer: Tokenizer, tmp_path: Path, in_config: object
) -> None:
    from transformers import AutoTokenizer

    path = _folder(tokenizer, tmp_path / "tok", "huggingface", in_config=in_config)
    expected = AutoTokenizer.from_pretrained(path).chat_template
    assert expected
    (tmp_path / "text").write_text("a bug in a rug " * 20)
    text, own = str(tmp_path / "text"), str(path)
    for name, *options in (
        ["convert", "--to", "huggingface", own],
        ["extend", "--vocab-size", "272", "-t", own, text, "-o"],
        ["prune", "--vocab-size", "265", "-t", own, text, "-o"],
    ):
        assert cli.main([name, *options, str(tmp_path / name)]) == 0
        assert AutoTokenizer.from_pretrained(tmp_path / name).chat_template == expected


def test_what_cannot_hold_it_says_so(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with_template = bpe.load(_folder(tokenizer, tmp_path / "tok", "huggingface"))
    assert "chat template" in kept(with_template, "tiktoken").sentence
    assert "chat template" not in kept(with_template, "huggingface").sentence
    assert "chat template" not in kept(tokenizer, "tiktoken").sentence


@pytest.mark.parametrize("wrong", [7, [], [{"name": 1}], {"a": "b"}])
def test_what_is_no_template_is_left_out(tokenizer: Tokenizer, tmp_path: Path, wrong: object) -> None:
    assert bpe.load(_folder(tokenizer, tmp_path / "tok", "huggingface", in_config=wrong)).encode("hug").ids
