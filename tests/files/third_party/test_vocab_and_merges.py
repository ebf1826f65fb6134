"""The two files of GPT-2, RoBERTa, CLIP and GPT give the ids that Transformers gives for the same
folder.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import (
    CharBPETokenizer,
    SentencePieceBPETokenizer,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.loading import load
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.examples import examples
from tests.files.third_party.made import TEXTS, TRAINING, Json, content_of, strange_texts

pytestmark = pytest.mark.usefixtures("transformers_here")

_CLASSES = {
    "gpt2": "GPT2TokenizerFast",
    "roberta": "RobertaTokenizerFast",
    "clip": "CLIPTokenizerFast",
    "gpt": "OpenAIGPTTokenizerFast",
}


def root_of(name: str) -> Json:
    if name != "gpt":
        root: Json = json.loads(content_of(name))
        return root
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    options: Json = {
        "special_tokens": ["<unk>"],
        "end_of_word_suffix": "</w>",
        "limit_alphabet": 80,
    }
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False, **options)
    tokenizer.train_from_iterator(TRAINING, trainer)
    return json.loads(tokenizer.to_str())  # type: ignore[no-any-return]


def write(
    folder: Path, name: str, vocab_name: str = "vocab.json", merges_name: str = "merges.txt"
) -> Json:
    root = root_of(name)
    vocab = {
        **root["model"]["vocab"],
        **{token["content"]: token["id"] for token in root["added_tokens"]},
    }
    (folder / vocab_name).write_text(json.dumps(vocab))
    lines = ["#version: 0.2", *(" ".join(pair) for pair in root["model"]["merges"]), ""]
    data = "\n".join(lines).encode()
    (folder / merges_name).write_bytes(gzip.compress(data) if merges_name.endswith("gz") else data)
    return root


@pytest.mark.parametrize("name", _CLASSES)
def test_ids_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    import transformers

    root = write(tmp_path, name)
    tokenizer = load(tmp_path)
    assert isinstance(tokenizer, ThirdPartyTokenizer) == (name != "gpt2"), (
        "GPT-2's two files are a format of our own"
    )
    assert (tokenizer.why_no_merges, tokenizer.n_merges) == ("", len(root["model"]["merges"]))
    library = getattr(transformers, _CLASSES[name]).from_pretrained(tmp_path)
    for text in (*TEXTS, *strange_texts(examples(100), 3)):
        # Without its settings, Transformers forgets that RoBERTa's <mask> takes the space before
        # it.
        text = text.replace("<mask>", "")
        found = tokenizer.encode(text, add_special_tokens=True, recognize_special=True)
        assert found.ids == library(text)["input_ids"]


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        (CharBPETokenizer(), ["The Cat sat on THE mat"]),
        (CharBPETokenizer(lowercase=True), ["naïve cats sat on naïve mats"]),
        (
            CharBPETokenizer(split_on_whitespace_only=True),
            ["The cat, the cat; the mat, it's (a) cat!", "A mat, at"],
        ),
        (SentencePieceBPETokenizer(), ["The cat sat on the mat", "日本語 ﬁne ½"]),
    ],
    ids=["capitals", "accents", "white space only", "marks"],
)
def test_ids_are_those_of_the_class_that_wrote_the_files(
    made: Any, lines: list[str], tmp_path: Path
) -> None:
    made.train_from_iterator(lines * 3, vocab_size=60, min_frequency=2, show_progress=False)
    made.save_model(str(tmp_path))
    tokenizer = load(tmp_path)
    assert tokenizer.why_no_merges == "" and tokenizer.n_merges > 5
    for text in (*lines, *TEXTS, *strange_texts(examples(50), 3)):
        ids = made.encode(text, add_special_tokens=False).ids
        assert (
            tokenizer.encode_ids(text).tolist()
            == ids
            == tokenizer.encode_ids(text, step=tokenizer.n_merges).tolist()
        )


@pytest.mark.parametrize(
    ("vocab_name", "merges_name"),
    [
        ("vocab.json", "merges.txt"),
        ("encoder.json", "vocab.bpe"),
        ("x-vocab.json", "x-merges.txt"),
        ("a", "b.txt.gz"),
    ],
)
@pytest.mark.parametrize("name", ["gpt2", "clip"])
def test_either_file_finds_the_other(
    name: str, vocab_name: str, merges_name: str, tmp_path: Path
) -> None:
    write(tmp_path, name, vocab_name, merges_name)
    (tmp_path / "a-vocab.json").write_text('{"other": 0, "tokens": 1}')
    (tmp_path / "notes.txt").write_text("some notes\nthat are no tokenizer at all\n")
    expected = load(tmp_path).encode_ids(TEXTS[2]).tolist()
    for path in (tmp_path / vocab_name, tmp_path / merges_name):
        assert load(path).encode_ids(TEXTS[2]).tolist() == expected


def test_an_empty_token_as_whisper_has_one_takes_an_id_and_no_text(tmp_path: Path) -> None:
    from transformers import GPT2Tokenizer

    write(tmp_path, "gpt2")
    vocab = json.loads((tmp_path / "vocab.json").read_text())
    moved = {"": 256, **{name: number + (number > 255) for name, number in vocab.items()}}
    (tmp_path / "vocab.json").write_text(json.dumps(moved))
    library = GPT2Tokenizer.from_pretrained(str(tmp_path))
    for path in (tmp_path, tmp_path / "vocab.json", tmp_path / "merges.txt"):
        tokenizer = load(path)
        assert all(tokenizer.encode(text).ids == library(text)["input_ids"] for text in TEXTS[:6])


@pytest.mark.parametrize(
    ("removed", "kept"), [("merges.txt", "vocab.json"), ("vocab.json", "merges.txt")]
)
def test_half_a_pair_says_what_is_missing(removed: str, kept: str, tmp_path: Path) -> None:
    write(tmp_path, "gpt2")
    (tmp_path / removed).unlink()
    for path in (tmp_path, tmp_path / kept):
        with pytest.raises(TokenizerFormatError) as caught:
            load(path)
        assert str(caught.value).endswith(f"put its {removed} into the same folder")
