"""What is said of each format that can hold a third-party tokenizer is so when its files are read
again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.files.formats import registry
from tests.files.third_party.made import (
    OTHERS,
    SENTENCEPIECE,
    content_of,
    gpt2,
    sentencepiece_model,
)

pytestmark = pytest.mark.usefixtures("sound_files")


def with_template(folder: Path) -> Path:
    """GPT-2's kind with a special token before each text."""
    name = "<|endoftext|>"
    root = gpt2()
    token = {"id": name, "ids": [root["model"]["vocab"][name]], "tokens": [name]}
    parts = [{"SpecialToken": {"id": name, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    pair = [*parts, {"Sequence": {"id": "B", "type_id": 1}}]
    root["post_processor"] = {
        "type": "TemplateProcessing",
        "single": parts,
        "pair": pair,
        "special_tokens": {name: token},
    }
    (folder / "tokenizer.json").write_text(json.dumps(root), "utf-8")
    return folder / "tokenizer.json"


def a_file(name: str, folder: Path) -> Path:
    if name == "template":
        return with_template(folder)
    if name in SENTENCEPIECE:
        (folder / "a.model").write_bytes(sentencepiece_model(name))
        return folder / "a.model"
    (folder / "tokenizer.json").write_text(content_of(name.removeprefix("json ")), "utf-8")
    return folder / "tokenizer.json"


@pytest.mark.parametrize(
    "name", ["template", *("json " + other for other in OTHERS), *SENTENCEPIECE]
)
def test_each_sentence_is_true_of_what_is_read_again(name: str, tmp_path: Path) -> None:
    before = bpe.load(a_file(name, tmp_path))
    forms = [form for form in registry.FORMATS if not registry.why_not(before, form)]
    assert forms
    for form in forms:
        before.save(tmp_path / form, format=form)
        after = bpe.load(tmp_path / form)
        keeps, drops = registry.kept(before, form)
        assert after.kind == before.kind
        assert ("merges" in keeps or form == "sentencepiece") >= (before.kind == "BPE")
        assert ("merges" in keeps) <= (after.n_merges == before.n_merges > 0)
        assert ("scores" in keeps) <= (form == "sentencepiece" or before.kind == "Unigram")
        assert ("normalization" in keeps) <= (
            after.normalized_text("ﬁn") == before.normalized_text("ﬁn")
        )
        assert ("special tokens" in keeps) <= (after.special_ids == before.special_ids)
        assert ("added tokens" in keeps) <= (after.added_ids == before.added_ids)
        same_template = all(list(after.template(n)) == list(before.template(n)) for n in (1, 2))
        finds = (
            form not in (before.own_format, "sentencepiece", "subword-nmt")
            and before.splits_special
        )
        assert finds == ("in a text, such as '<unk>'" in drops), (form, drops)
        assert same_template or "template" in drops
        assert ("template" in keeps) <= same_template
