"""What became of each id, for an embedding; and new tokens in the ids of unused ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from bpe_studio.files.changes.id_map import IdMap
from tests.files.third_party import made

OLD = ["the theme then other thin thing low lower newest widest, naïve 漢字 👍🏽"] * 12
NEW = ["rivers run to the sea, and the seas run over the rivers; سلام 👍🏽 low"] * 9
PRESETS = ("gpt2", "textbook", "sentencepiece")
FILES = ("llama3", "llama2", "gpt2_with_gaps", "llama")

pytestmark = pytest.mark.usefixtures("sound_files")


def tokenizer_of(name: str, folder: Path) -> Tokenizer:
    if name in PRESETS:
        config = bpe.TrainingConfig.preset(name, merges=60, vocab_size=None, min_frequency=1)
        texts = [*OLD, " ".join(NEW[0])]
        return bpe.train(bpe.Corpus.from_texts(texts, config), config).tokenizer()
    path = folder / "tokenizer.json"
    if name in made.SENTENCEPIECE:
        path = folder / "a.model"
        path.write_bytes(made.sentencepiece_model(name))
    else:
        path.write_text(made.content_of(name), "utf-8")
    return bpe.load(path)


def check_rows(before: Tokenizer, after: Tokenizer, found: IdMap, removed: Sequence[int]) -> None:
    """The map, used on an embedding: each token that is kept has its row."""
    rows = np.random.default_rng(1).random((max(before.tokens) + 1, 3))
    listed = found.as_json(after)
    new_rows = np.full((max(after.tokens) + 1, 3), np.nan)
    old, new = np.array(listed["kept"]).T
    new_rows[new] = rows[old]
    for token in listed["new"]:
        new_rows[token["id"]] = rows[token["parts"]].mean(axis=0)
        contents = [before.content(part) for part in token["parts"]]
        assert b"".join(contents) == after.content(token["id"])
        assert after.tokens[token["id"]] == token["token"]
    assert not np.isnan(new_rows[list(after.tokens)]).any()
    for number in new.tolist():
        assert after.tokens[number] == before.tokens[int(found.old_ids[number])]
    is_kept = found.old_ids >= 0
    assert np.array_equal(new_rows[is_kept], rows[found.old_ids[is_kept]])
    assert {*old.tolist(), *listed["removed"]} == before.tokens.keys()
    assert len(old) + len(listed["new"]) == after.vocab_size
    assert listed["removed"] == sorted(removed)


@pytest.mark.parametrize("name", [*PRESETS, *FILES])
def test_new_tokens_take_the_ids_of_unused_ones(name: str, tmp_path: Path) -> None:
    before = tokenizer_of(name, tmp_path)
    found = bpe.extend(before, NEW, replace_unused=True)
    after = found.tokenizer
    gone = [token.id for token in found.removed]
    check_rows(before, after, found.id_map, gone)
    assert after.tokens.keys() == before.tokens.keys() and found.id_map.parts.keys() == set(gone)
    assert all(token.count == 0 for token in found.removed) and len(gone) > 5
    kept = found.old_ids >= 0
    assert np.array_equal(found.old_ids[kept], np.flatnonzero(kept))
    lengths = [sum(map(len, each.encode_many(NEW))) for each in (before, after)]
    assert list(found.n_tokens) == lengths and lengths[1] < lengths[0]
    assert all(kind is not TokenClass.unreachable for _, kind in classes_of(after, gone))
    folder = tmp_path / "after"
    own_format = after.own_format or "huggingface"
    after.save(folder, own_format)
    loaded = bpe.load(folder)
    for text in (*NEW[:1], *OLD[:1]):
        assert loaded.encode(text).ids == after.encode(text).ids


@pytest.mark.parametrize("name", ["gpt2", "llama2", "gpt2_with_gaps"])
def test_each_change_says_what_became_of_ids(name: str, tmp_path: Path) -> None:
    before = tokenizer_of(name, tmp_path)
    extended = bpe.extend(before, NEW, before.vocab_size + 9)
    check_rows(before, extended.tokenizer, extended.id_map, [])
    assert np.count_nonzero(extended.old_ids[list(extended.tokenizer.tokens)] < 0) == 9
    pruned = bpe.prune(before, NEW, before.vocab_size - 9)
    gone = [token.id for token in pruned.removed]
    check_rows(before, pruned.tokenizer, pruned.id_map, gone)
    assert len(gone) == 9 and len(pruned.old_ids) == max(pruned.tokenizer.tokens) + 1


def test_no_more_is_removed_than_can_be_replaced() -> None:
    before = tokenizer_of("gpt2", Path())
    found = bpe.extend(before, ["low lo"], replace_unused=True)
    assert found.tokenizer.tokens.keys() == before.tokens.keys()
    assert 0 < len(found.merges) <= len(found.removed) < 10
    more = [*NEW, *made.TEXTS, *made.TRAINING]
    larger = bpe.extend(before, more, before.vocab_size + 4, replace_unused=True)
    assert larger.removed and max(larger.tokenizer.tokens) == max(before.tokens) + 4
    assert larger.tokenizer.vocab_size == before.vocab_size + 4
    check_rows(before, larger.tokenizer, larger.id_map, larger.id_map.removed)
    with pytest.raises(bpe.ConfigError, match="replace_unused"):
        bpe.extend(before, NEW)
    with pytest.raises(bpe.ConfigError, match="or prune"):
        bpe.extend(before, NEW, 20, replace_unused=True)
