"""`bpe-studio extend` and `prune`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import tokenizers

import bpe_studio as bpe
from tests.cli.conftest import Studio
from tests.files.third_party.made import sentencepiece_model


def test_further_merges(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--vocab-size", "259", "-o", "small").status == 0
    outcome = studio("extend", "-t", "small", hugs, "-o", "large", "--vocab-size", "261")
    assert outcome.status == 0, outcome.err
    small = bpe.load("small")
    large = bpe.load("large")
    rows = outcome.table()
    assert [row["id"] for row in rows] == ["259", "260"]
    assert [row["token"] for row in rows] == list(large.model.tokens[259:])
    for row in rows:
        assert row["left"] + row["right"] == row["token"]
    assert large.model.tokens[:259] == small.model.tokens
    text = hugs.read_text("utf-8")
    saved = sum(int(row["saves"]) for row in rows)
    before, after = (
        sum(len(t.encode(line).ids) for line in text.splitlines(True)) for t in (small, large)
    )
    assert before - after == saved
    assert f"the text has {after} tokens instead of {before}" in outcome.err


def test_nothing_to_add_is_the_same_tokenizer(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--vocab-size", "259", "-o", "small").status == 0
    assert studio("extend", "-t", "small", hugs, "-o", "same", "--vocab-size", "259").status == 0
    assert Path("same/tokenizer.json").read_bytes() == Path("small/tokenizer.json").read_bytes()
    assert (
        "more than 258"
        in studio("extend", "-t", "small", hugs, "-o", "no", "--vocab-size", "258").sentence()
    )
    assert not Path("no").exists()


def test_fewer_tokens(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--vocab-size", "262", "-o", "large").status == 0
    tried = studio("prune", "-t", "large", hugs, "-o", "small", "--vocab-size", "260", "--dry-run")
    assert tried.status == 0 and not Path("small").exists() and "tokens instead of" in tried.err
    outcome = studio("prune", "-t", "large", hugs, "-o", "small", "--vocab-size", "260")
    assert outcome.status == 0 and outcome.lines == tried.lines
    removed = {row["token"] for row in outcome.table()}
    small = bpe.load("small")
    assert small.vocab_size == 260
    assert len(removed) == 2 and not removed & set(small.model.tokens)
    assert (
        "can be removed"
        in studio("prune", "-t", "large", hugs, "-o", "no", "--vocab-size", "9").sentence()
    )


def test_no_tokens_are_pruned_to_more(studio: Studio, hugs: Path) -> None:
    studio("train", hugs, "-o", "tok", "--preset", "textbook", "--merges", "3")
    refused = studio("prune", "-t", "tok", hugs, "-o", "more", "--vocab-size", "1000").sentence()
    assert "11 tokens" in refused and not Path("more").exists()


def test_new_tokens_take_the_ids_of_unused_ones(studio: Studio, hugs: Path, tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text("low lower lowest newest " * 9, "utf-8")
    assert studio("train", "low.txt", "--vocab-size", "264", "-o", "small").status == 0
    assert studio("extend", "-t", "small", hugs, "-o", "no").status == 2
    outcome = studio("extend", "-t", "small", hugs, "-o", "replaced", "--replace-unused")
    assert outcome.status == 0 and "Replaced" in outcome.err
    small = bpe.load("small")
    replaced = bpe.load("replaced")
    found = json.loads(Path("replaced/id_map.json").read_text("utf-8"))
    assert [token["id"] for token in found["new"]] == found["removed"] != []
    assert all(small.tokens[old] == replaced.tokens[new] for old, new in found["kept"])
    assert {row["id"] for row in outcome.table()} == {str(number) for number in found["removed"]}
    native = tokenizers.Tokenizer.from_file("replaced/tokenizer.json")
    text = hugs.read_text("utf-8")
    assert native.encode(text).ids == replaced.encode(text).ids


def test_each_id_is_accounted_for(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--vocab-size", "262", "-o", "large").status == 0
    studio("prune", "-t", "large", hugs, "-o", "small", "--vocab-size", "260")
    found = json.loads(Path("small/id_map.json").read_text("utf-8"))
    assert len(found["kept"]) == 260 and len(found["removed"]) == 2 and found["new"] == []
    arguments = ("-t", "small", hugs, "--vocab-size", "261", "--format", "tiktoken")
    assert studio("extend", *arguments, "-o", "ranks", "--id-map", "map.npy").status == 0
    assert np.load("map.npy").tolist() == [*range(260), -1]
    assert studio("extend", *arguments, "-o", "no", "--id-map", "map.txt").status == 2
    assert studio("prune", *arguments, "-o", "no", "--id-map", "no/map.npy").sentence()
    assert not Path("no").exists()


def test_in_its_own_file(studio: Studio, hugs: Path, sound_files: None) -> None:
    Path("some.model").write_bytes(sentencepiece_model("llama"))
    before = bpe.load("some.model")
    size = before.vocab_size
    outcome = studio(
        "extend", "-t", "some.model", hugs, "-o", "large.model", "--vocab-size", size + 2
    )
    assert outcome.status == 0, outcome.err
    rows = outcome.table()
    assert [row["id"] for row in rows] == [str(size), str(size + 1)]
    after = bpe.load("large.model")
    text = hugs.read_text("utf-8")
    n_before, n_after = (len(each.encode_ids(text)) for each in (before, after))
    assert n_before - n_after == sum(int(row["saves"]) for row in rows) > 0
    assert f"the text has {n_after} tokens instead of {n_before}" in outcome.err
    copied = studio(
        "convert", "large.model", "copy.model", "--to", "sentencepiece", "--corpus", hugs
    )
    assert copied.status == 0 and "the same tokens and ids for all" in copied.err
    assert Path("copy.model").read_bytes() == Path("large.model").read_bytes()
    refused = studio(
        "extend",
        "-t",
        "some.model",
        hugs,
        "-o",
        "no",
        "--vocab-size",
        size + 2,
        "--format",
        "huggingface",
    )
    assert "one mark before each word" in refused.sentence() and not Path("no").exists()
