"""Tokens that are added to a tokenizer are those that Transformers adds."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

import bpe_studio as bpe
from bpe_studio.engine.option_types import FormatName
from bpe_studio.files.third_party import opening
from bpe_studio.files.third_party.hugging_face import HuggingFaceLibrary
from tests.files.third_party.made import content_of, sentencepiece_model

FILES_OF_ROLES = ("tokenizer_config.json", "special_tokens_map.json")
TEXT = "ab c hug<a>pug <S> hug"


def made_folder(name: str, tmp_path: Path) -> Path:
    """A folder that Transformers opens, with the made tokenizer of that name."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "tokenizer.json").write_text(content_of(name), encoding="utf-8")
    config = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("name", ["gpt2", "llama2", "word_piece", "gpt2_with_gaps", "clip"])
def test_tokens_are_added_as_in_transformers(name: str, tmp_path: Path) -> None:
    folder = made_folder(name, tmp_path)
    ours = bpe.load(folder)
    theirs = AutoTokenizer.from_pretrained(folder)
    for tokens, are_special in (["<a>", "ab c"], False), (["<S>", "<a>", ""], True), ("hug", False):
        n_added = theirs.add_tokens(tokens, special_tokens=are_special)
        assert ours.add_tokens(tokens, special_tokens=are_special) == n_added
    # Only a tokenizer that is read again normalizes an added token as its file says.
    theirs.save_pretrained(tmp_path / "theirs")
    ours.save(tmp_path / "ours")
    theirs = AutoTokenizer.from_pretrained(tmp_path / "theirs")
    ids = theirs(TEXT)["input_ids"]
    assert AutoTokenizer.from_pretrained(tmp_path / "ours")(TEXT)["input_ids"] == ids
    for tokenizer in (ours, bpe.load(tmp_path / "ours")):
        assert tokenizer(TEXT)["input_ids"] == ids
        assert tokenizer.get_vocab() == theirs.get_vocab()
        skipped = tokenizer.decode(ids, skip_special_tokens=True)
        assert skipped == theirs.decode(ids, skip_special_tokens=True)


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sennrich", "sentencepiece"])
def test_special_tokens_are_added_to_a_trained_tokenizer(preset: str, tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset(preset, merges=20, vocab_size=None)
    corpus = bpe.Corpus.from_text("the hug hugs the pug pugs " * 5, config)
    tokenizer = bpe.train(corpus, config).tokenizer()
    n_tokens = len(tokenizer)
    before = copy.copy(tokenizer).encode("hug").ids
    assert tokenizer.add_tokens(["<a>", "<b>", "<a>"], special_tokens=True) == 2
    assert tokenizer.add_tokens("<b>", special_tokens=True) == 0
    ids = [*before, n_tokens, *before, n_tokens + 1]
    tokenizer.save(tmp_path / "saved")
    library = AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert library("hug<a>hug<b>", add_special_tokens=False)["input_ids"] == ids
    for each in (tokenizer, bpe.load(tmp_path / "saved"), pickle.loads(pickle.dumps(tokenizer))):
        assert each.encode("hug<a>hug<b>").ids == ids
        assert each.decode(ids, skip_special_tokens=True) == each.decode(before * 2)


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("name", ["gpt2", "llama2", "word_piece", "clip", "ours"])
def test_special_tokens_get_roles_as_in_transformers(name: str, tmp_path: Path) -> None:
    if name == "ours":
        folder = tmp_path / name
        config = bpe.TrainingConfig.preset("gpt2", merges=20, vocab_size=None)
        bpe.train(bpe.Corpus.from_text("hug hugs " * 9, config)).tokenizer().save(folder)
    else:
        folder = made_folder(name, tmp_path)
    theirs = AutoTokenizer.from_pretrained(folder)
    ours = bpe.load(folder)
    for names in {"pad_token": "<p>", "eos_token": "<e>"}, {"eos_token": "<p>", "cls_token": "<c>"}:
        assert ours.add_special_tokens(names) == theirs.add_special_tokens(names)
    ours.add_tokens(["<later>"], special_tokens=True)
    ours.save(tmp_path / "saved")
    saved = bpe.load(tmp_path / "saved")
    texts = ["hug", "pug<c>hugs<e>"]
    padded = theirs(texts, padding=True)["input_ids"]
    for tokenizer in (ours, saved, pickle.loads(pickle.dumps(ours))):
        assert tokenizer(texts, padding=True)["input_ids"] == padded
    library = AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert (library.pad_token, library.eos_token, library.cls_token) == ("<p>", "<p>", "<c>")


@pytest.mark.usefixtures("sound_files")
def test_each_call_loads_the_library_equally_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
    tokenizer = bpe.load(tmp_path / "tokenizer.json")
    n_loads = [0]

    class Counted(HuggingFaceLibrary):
        def __init__(self, *args: Any, **options: Any) -> None:
            n_loads[-1] += 1
            super().__init__(*args, **options)

    monkeypatch.setattr(opening, "HuggingFaceLibrary", Counted)
    for name in "abcde":
        tokenizer.add_special_tokens({"pad_token": f"<{name}>"})
        n_loads.append(0)
    assert n_loads == [1] * 5 + [0]
    assert tokenizer.pad_token == "<e>"


@pytest.mark.usefixtures("sound_files")
def test_both_files_of_a_folder_get_the_roles(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
    for name in FILES_OF_ROLES:
        (tmp_path / name).write_text('{"pad_token": "<old>", "eos_token": "<e>"}')
    tokenizer = bpe.load(tmp_path)
    tokenizer.add_special_tokens({"pad_token": "<p>"})
    tokenizer.save(tmp_path / "saved")
    for name in FILES_OF_ROLES:
        roles = json.loads((tmp_path / "saved" / name).read_text("utf-8"))
        assert (roles["pad_token"], roles["eos_token"]) == ("<p>", "<e>")


@pytest.mark.parametrize(("format", "file"), [("gpt2", "out"), ("sentencepiece", "out.model")])
def test_a_role_that_is_named_later_counts_in_each_format(
    format: FormatName, file: str, tmp_path: Path
) -> None:
    config = bpe.TrainingConfig.preset(format, merges=5, vocab_size=None)
    corpus = bpe.Corpus.from_text("hug hugs " * 9, config)
    tokenizer = bpe.train(corpus, config, pad_token="<pad>", eos_token="<e>").tokenizer()
    tokenizer.add_special_tokens({"pad_token": "<q>"})
    tokenizer.save(tmp_path / file, format=format)
    saved = bpe.load(tmp_path / file)
    assert saved.pad_token == "<q>"
    assert saved.model.special_of("eos_token", ()) == "<e>"


def test_an_extended_tokenizer_keeps_the_roles() -> None:
    config = bpe.TrainingConfig.preset("gpt2", merges=2, vocab_size=None)
    tokenizer = bpe.train(bpe.Corpus.from_text("hug hugs", config)).tokenizer()
    with pytest.raises(bpe.VocabularyError, match="add_special_tokens"):
        tokenizer(["hug", "hugs"], padding=True)
    tokenizer.add_special_tokens({"pad_token": "<p>"})
    assert bpe.extend(tokenizer, ["hugs hugs"], vocab_size=262).tokenizer.pad_token == "<p>"


@pytest.mark.usefixtures("sound_files")
def test_tokens_that_cannot_be_added(tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    tokenizer = bpe.train(bpe.Corpus.from_text("hug hug", config), config).tokenizer()
    with pytest.raises(bpe.ConfigError, match="special_tokens=True"):
        tokenizer.add_tokens(["<a>"])
    with pytest.raises(bpe.VocabularyError, match="'hug' is a token already"):
        tokenizer.add_tokens(["hug"], special_tokens=True)
    with pytest.raises(bpe.ArgumentError, match="7"):
        tokenizer.add_tokens([7], special_tokens=True)
    with pytest.raises(bpe.ArgumentError, match="half of a character"):
        tokenizer.add_tokens(["<\ud800>"], special_tokens=True)
    with pytest.raises(bpe.ArgumentError, match="add_special_tokens"):
        tokenizer.add_tokens({"eos_token": "<e>"}, special_tokens=True)
    with pytest.raises(bpe.ConfigError, match=r"'unk_token'.*cls_token.*add_tokens"):
        tokenizer.add_special_tokens({"unk_token": "<e>"})
    for wrong, named in (["<e>"], "not a dict"), ({"pad_token": ""}, "''"), ({"pad_token": 5}, "5"):
        with pytest.raises(bpe.ArgumentError, match=f"{named}.*text for each role"):
            tokenizer.add_special_tokens(wrong)
    (tmp_path / "m.model").write_bytes(sentencepiece_model("usual"))
    (tmp_path / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
    for other in (bpe.load(tmp_path / "m.model"), bpe.load(tmp_path / "tokenizer.json").at(3)):
        with pytest.raises(bpe.ConfigError, match="Hugging Face format"):
            other.add_tokens(["<a>"])
