"""The files of a folder are there again when it is saved, its chat template among them, or named as
lost.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.formats.huggingface.folder import CONFIG
from bpe_studio.files.formats.registry import FORMATS, kept, why_not
from tests.examples import examples
from tests.files.third_party.made import sentencepiece_model

TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
NAMED = [
    {"name": "default", "template": TEMPLATE},
    {"name": "tool_use", "template": "سلام {{ tools }}"},
]
TEXT = "hug hugs pug Hello سلام دنیا naïve 12 345\nthe mill’s 👍🏽 don't " * 9
LEFT = ("README.md", "config.json", "generation_config.json", "preprocessor_config.json")
SET = {
    "bos_token": "<x>",
    "image_token": "<x>",
    "my own": {"a": [1, None]},
    "padding_side": "left",
    "add_bos_token": True,
    "model_input_names": ["input_ids"],
    "model_max_length": 77,
    "split_special_tokens": True,
    "pad_token": "<x>",
    "clean_up_tokenization_spaces": True,
}


@pytest.fixture
def tokenizer() -> Tokenizer:
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=270)
    return bpe.train(
        bpe.Corpus.from_text("hug hugs pug pugs bun buns " * 9, config), config
    ).tokenizer()


def _folder(tokenizer: Tokenizer, path: Path, form: str, *, in_config: object = None) -> Path:
    tokenizer.save(path, format=form)
    if in_config is None:
        (path / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    else:
        file = path / "tokenizer_config.json"
        file.write_text(
            json.dumps({**json.loads(file.read_text()), "chat_template": in_config}),
            encoding="utf-8",
        )
    return path


def _files(path: Path) -> dict[str, bytes]:
    files = [path, *path.rglob("*")]
    return {
        file.relative_to(path).as_posix(): file.read_bytes() for file in files if file.is_file()
    }


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sennrich", "sentencepiece", "llama2"])
def test_every_file_is_there_after_saving_and_loading_again(preset: str, tmp_path: Path) -> None:
    """In each format, with files and settings that others put into a folder.

    What is not there is named as left.
    """
    forms = set()
    for seed in range(examples(6)):
        rng = random.Random(f"{preset} {seed}")
        folder = tmp_path / str(seed)
        folder.mkdir()
        special = {"special": ("<s>", "</s>", "<x>")} if rng.random() < 0.5 else {}
        config = bpe.TrainingConfig.preset(preset, merges=rng.randint(0, 30), **special)
        tokenizer = bpe.train(bpe.Corpus.from_text(TEXT, config), config).tokenizer()
        for form in FORMATS:
            if why_not(tokenizer, form):
                continue
            forms.add(form)
            first, second, third = (folder / f"{form} {n}" for n in range(3))
            tokenizer.save(first, form)
            put, settings = _others(first, rng, has_x=bool(special)) if first.is_dir() else ([], {})
            before = _files(first)
            opened = bpe.load(first)
            opened.save(second, form)
            bpe.load(second).save(third, form)
            after = _files(second)
            left = [name for name in put if name in kept(opened, form).drops]
            assert left == [name for name in put if name in LEFT], (form, seed)
            if settings:
                for name in (CONFIG, "special_tokens_map.json"):
                    del before[name]
                assert json.loads(after[CONFIG]).items() >= settings.items(), (form, seed)
            assert (
                after.items()
                >= {name: data for name, data in before.items() if name not in left}.items()
            ), seed
            assert _files(third) == after, (form, seed)
    assert "huggingface" in forms


def _others(folder: Path, rng: random.Random, *, has_x: bool) -> tuple[list[str], dict[str, Any]]:
    """Puts files and settings into a folder, as others do."""
    put = rng.sample([*LEFT, "chat_template.jinja"], rng.randint(0, 4))
    for name in put:
        (folder / name).write_text("{}", "utf-8")
    settings = {
        name: value
        for name, value in SET.items()
        if rng.random() < 0.3 and (value != "<x>" or has_x)
    }
    if not (folder / "special_tokens_map.json").exists() or not settings:
        return put, {}
    config = {**json.loads((folder / CONFIG).read_text("utf-8")), **settings}
    (folder / CONFIG).write_text(json.dumps(config), "utf-8")
    config.pop("additional_special_tokens", None)
    return put, config


@pytest.mark.parametrize("in_config", [TEMPLATE, NAMED, None])
def test_transformers_finds_it_after_convert_extend_and_prune(
    tokenizer: Tokenizer, tmp_path: Path, in_config: object
) -> None:
    from transformers import AutoTokenizer

    path = _folder(tokenizer, tmp_path / "tok", "huggingface", in_config=in_config)
    expected = AutoTokenizer.from_pretrained(path).chat_template
    assert expected
    (tmp_path / "text").write_text("a bug in a rug " * 20)
    text = str(tmp_path / "text")
    own = str(path)
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
    config = json.loads((tmp_path / "tok" / CONFIG).read_text())
    (tmp_path / "tok" / CONFIG).write_text(json.dumps({**config, "my own": 5}))
    assert "my own" in kept(bpe.load(tmp_path / "tok"), "gpt2").sentence


@pytest.mark.parametrize("wrong", [7, [], [{"name": 1}], {"a": "b"}])
def test_what_is_no_template_is_left_out(
    tokenizer: Tokenizer, tmp_path: Path, wrong: object
) -> None:
    assert (
        bpe.load(_folder(tokenizer, tmp_path / "tok", "huggingface", in_config=wrong))
        .encode("hug")
        .ids
    )


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("template", [TEMPLATE, (("default", TEMPLATE), ("rag", "x")), None])
def test_a_template_that_is_set_is_saved(
    tokenizer: Tokenizer, tmp_path: Path, template: Any, is_own: bool
) -> None:
    if not is_own:
        folder = _folder(tokenizer, tmp_path / "old", "huggingface", in_config=NAMED)
        (folder / "additional_chat_templates").mkdir()
        (folder / "additional_chat_templates" / "old.jinja").write_text("old")
        config = json.loads((folder / CONFIG).read_text())
        del config["bpe_studio"]
        (folder / CONFIG).write_text(json.dumps(config))
        tokenizer = bpe.load(folder)
        assert tokenizer.own_files is not None
    tokenizer.chat_template = template
    assert tokenizer.chat_template == template
    assert tokenizer.add_tokens("<new>", special_tokens=True) == 1
    tokenizer.save(tmp_path / "new")
    library = AutoTokenizer.from_pretrained(tmp_path / "new")
    expected = dict(template) if isinstance(template, tuple) else template
    assert library.chat_template == expected
    saved = bpe.load(tmp_path / "new")
    assert saved.chat_template == template
    if template is not None:
        chat = [{"role": "user", "content": "hug"}]
        assert saved.apply_chat_template(chat, tokenize=False) == "hug\n"


def test_a_model_of_sentencepiece_says_that_a_template_is_lost(tmp_path: Path) -> None:
    (tmp_path / "m.model").write_bytes(sentencepiece_model("usual"))
    tokenizer = bpe.load(tmp_path / "m.model")
    tokenizer.chat_template = TEMPLATE
    assert "chat template" in kept(tokenizer, "sentencepiece").drops


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ("hug hug", bpe.ConfigError, "does not use messages"),
        ("{% for messages", bpe.ConfigError, "not valid in line 1"),
        (7, bpe.ArgumentError, "7 is not a str"),
        ((("a", 7),), bpe.ArgumentError, "the name and the text"),
    ],
)
def test_a_template_that_is_none(
    tokenizer: Tokenizer, wrong: Any, error: type[bpe.BpeError], words: str
) -> None:
    with pytest.raises(error, match=words):
        tokenizer.chat_template = wrong
    assert tokenizer.chat_template is None
