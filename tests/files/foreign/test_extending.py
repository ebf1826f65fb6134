"""Tokenizers of others are extended and pruned: their library gives the same ids as we do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

import bpe_studio as bpe
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from bpe_studio.files.foreign.opening import load
from tests.files.foreign.made import TEXTS, TRAINING, Json, converted, out_of_order


def _dense(root: Json) -> Json:
    vocab = root["model"]["vocab"]
    root["model"]["vocab"] = {name: number for number, name in enumerate(sorted(vocab, key=vocab.__getitem__))}
    for token in root["added_tokens"]:
        token["id"] = root["model"]["vocab"][token["content"]]
    return root


def _loaded(root: Json, folder: Path) -> bpe.Tokenizer:
    (folder / "tokenizer.json").write_text(json.dumps(_dense(root)), "utf-8")
    return load(folder / "tokenizer.json")


def _unreachable(tokenizer: bpe.Tokenizer) -> set[str]:
    return {tokenizer.tokens[number] for number, kind in classes_of(tokenizer) if kind is TokenClass.unreachable}


ROOTS = {"all pairs of each token": converted(0), "out of order": out_of_order()}


@pytest.mark.parametrize("name", ROOTS)
def test_old_ids_stay_and_the_library_agrees(name: str, tmp_path: Path) -> None:
    before = _loaded(ROOTS[name], tmp_path)
    n = before.vocab_size
    corpus = bpe.Corpus.from_text("\n".join(TEXTS * 3), before.model.config)
    assert bpe.extend(before, corpus, n).tokenizer is before
    found = bpe.extend(before, corpus, n + 20)
    found.tokenizer.save(tmp_path / "large", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "large" / "tokenizer.json"))
    n_kept = 0
    for text in [*TEXTS, *TRAINING]:
        ids = found.tokenizer.encode(text, recognize_special=True).ids
        old = before.encode(text).ids
        assert ids == theirs.encode(text, add_special_tokens=False).ids
        assert max(ids, default=0) >= n or ids == old
        n_kept += max(ids, default=0) < n
    assert len(found.merges) == 20 and n_kept > 3


@pytest.mark.parametrize("name", ROOTS)
def test_what_remains_is_made_as_before(name: str, tmp_path: Path) -> None:
    before = _loaded(ROOTS[name], tmp_path)
    corpus = bpe.Corpus.from_text("\n".join(TEXTS), before.model.config)
    found = bpe.prune(before, corpus, before.vocab_size - 60)
    assert len(found.removed) == 60 and _unreachable(found.tokenizer) <= _unreachable(before)
    found.tokenizer.save(tmp_path / "small", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "small" / "tokenizer.json"))
    for text in TEXTS:
        ids = found.tokenizer.encode(text, recognize_special=True).ids
        assert ids == theirs.encode(text, add_special_tokens=False).ids
        assert found.tokenizer.decode(ids) == text


def test_one_that_takes_whole_words_says_why_not(tmp_path: Path) -> None:
    before = _loaded(converted(5), tmp_path)
    with pytest.raises(bpe.SaveError, match=r"takes whole words first .* its merges alone do not make the token"):
        _ = before.model
