"""What is written gives the same ids in the libraries that read it, and comes back as it was."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Template, TokenizerModel
from bpe_studio.errors import SaveError, VocabularyError
from bpe_studio.files.loading import load
from tests.files.formats.cases import texts, trained

pytestmark = pytest.mark.usefixtures("sound_files")

PRESETS = ["gpt2", "textbook", "sennrich", "raw", "cl100k", "o200k", "subword-nmt", "sentencepiece"]
CHARACTERS = {"units": "characters", "unknown": "[UNK]", "documents": "file"}
OWN = {"word_end_as": "own-symbol"}
OPTIONS = [
    *(
        {"split": split, "units": units}
        for split in ("none", "whitespace", "words", "llama3", "qwen2")
        for units in ("bytes", "characters")
    ),
    {"split": r"regex:'(?i:[sdmt]|ll)|[^\r\n\p{L}]?+\p{L}++|\d{1,3}|.", **CHARACTERS},
    {"normalize": "nfkc,lowercase", "split": "words", **CHARACTERS},
    {"normalize": "strip-accents,nfc", "split": "cl100k"},
    {"normalize": "strip-controls,plain-spaces,strip-bidi", "split": "words", **CHARACTERS},
    {"word_end": "</w>", "split": "words"},
    {"word_end": "</w>", "continuing": "##", "split": "whitespace", **CHARACTERS},
    {"continuing": "##", "split": "gpt2"},
    {"word_end": "</w>", "split": "words", **OWN, **CHARACTERS},
    {"word_end": "##", "split": "whitespace", **OWN, **CHARACTERS},
    {"word_end": "<b>", "split": "none", **OWN, **CHARACTERS},
    {"word_end": "_end", "split": "words", **OWN, **CHARACTERS},
    {"word_end": "</w>", "split": "sentencepiece", **OWN, **CHARACTERS},
    {"split": "sentencepiece", "full_alphabet": False, "unknown": "<unk>"},
    {
        "full_alphabet": False,
        "unknown": "<unk>",
        "split": "words",
        "special": ("<s>", "<unk>", "</s>"),
    },
]


def check(tokenizer: Tokenizer, folder: Path) -> None:
    tokenizer.save(folder)
    peer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    back = load(folder)
    assert back.model == load(folder / "tokenizer.json").model == tokenizer.model
    (folder / "tokenizer_config.json").unlink()
    bare = load(folder)
    n_compared = 0
    for text in texts():
        try:
            ids = tokenizer.encode(text).ids
        except VocabularyError:
            continue
        if any(special in text for special in tokenizer.model.special_ids):
            continue
        n_compared += 1
        assert peer.encode(text).ids == ids, text
        assert back.encode(text).ids == bare.encode(text).ids == ids, text
        if tokenizer.model.unknown_id not in ids:
            assert peer.decode(ids, skip_special_tokens=False) == tokenizer.decode(ids), text
    assert n_compared


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset, tmp_path):
    check(trained(preset, merges=60), tmp_path / "out")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(options, tmp_path):
    check(trained("gpt2", merges=60, **options), tmp_path / "out")


@pytest.mark.parametrize("preset", PRESETS)
def test_transformers(preset, tmp_path):
    import transformers

    tokenizer = trained(
        preset, merges=60, special=("<s>", "[PAD]", "</s>", "<unk>"), unknown="<unk>"
    )
    template = Template(("<s>",), ("</s>",))
    tokenizer = Tokenizer(
        replace(tokenizer.model, template=template, pad_token="[PAD]", model_max_length=16)
    )
    tokenizer.save(tmp_path / "out")
    assert load(tmp_path / "out").model == tokenizer.model
    peer = transformers.AutoTokenizer.from_pretrained(str(tmp_path / "out"))
    assert (peer.bos_token, peer.eos_token, peer.pad_token, peer.unk_token) == (
        "<s>",
        "</s>",
        "[PAD]",
        "<unk>",
    )
    assert peer.model_max_length == 16
    batch = ["low lower", "the newest of them all, and more words than fit into it"]
    theirs = peer(batch, padding=True, truncation=True, return_token_type_ids=True)
    ours = tokenizer(batch, padding=True, truncation=True)
    assert {name: ours[name] for name in theirs} == dict(theirs)
    assert peer.convert_ids_to_tokens(ours["input_ids"][0]) == tokenizer.convert_ids_to_tokens(
        ours["input_ids"][0]
    )


def test_a_folder_that_has_changed_is_read_by_its_library(tmp_path):
    tokenizer = trained("textbook", merges=20)
    tokenizer.save(tmp_path)
    assert load(tmp_path).model.config.ties == "first-seen"
    changed = json.loads((tmp_path / "tokenizer.json").read_text())
    changed["pre_tokenizer"] = {"type": "WhitespaceSplit"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(changed))
    back = load(tmp_path)
    assert back.model.config.split == "whitespace" and back.model.config.ties != "first-seen"
    assert (
        back.encode("low, low").tokens
        == tokenizers.Tokenizer.from_str(json.dumps(changed)).encode("low, low").tokens
    )


def model(**parts) -> TokenizerModel:
    return replace(trained("textbook", merges=20).model, **parts)


@pytest.mark.parametrize(
    "options",
    [
        {"word_end": "</w>", "word_end_as": "own-symbol"},
        {"word_end": "</w>", "word_end_as": "own-symbol", "split": "gpt2", **CHARACTERS},
        {"split": r"regex:(a)\1|."},
        {"split": r"regex:\w+|."},
    ],
)
def test_options_that_have_no_counterpart_are_refused(options, tmp_path):
    with pytest.raises(SaveError) as caught:
        trained("gpt2", merges=10, **options).save(tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_old_folder(tmp_path, monkeypatch):
    trained("textbook", merges=5).save(tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("bpe_studio.files.atomic_file.os.fsync", full)
    with pytest.raises(SaveError, match="disk is full"):
        trained("textbook", merges=10).save(tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
