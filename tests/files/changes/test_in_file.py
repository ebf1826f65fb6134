"""Tokenizers that only their library runs are extended and pruned in their own file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sentencepiece
import tokenizers

import bpe_studio as bpe
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from tests.files.third_party.made import (
    BPES,
    OTHERS,
    SENTENCEPIECE,
    TEXTS,
    TRAINING,
    content_of,
    sentencepiece_model,
)

MODELS = [name for name, options in SENTENCEPIECE.items() if "model_type" not in options]
SLOW = pytest.mark.slow(buys="further ways to cut and to spell; four of them are in each run")
QUICK = ("llama3", "llama2", "llama", "unknown")
EACH = [pytest.param(name, marks=() if name in QUICK else SLOW) for name in (*BPES, *MODELS)]
NEW = [
    "Zebras zeppelin zebras, zeppelins zigzag.",
    "The zebra's zeppelin: zigzag zigzag zebra 2026 2026",
    *TEXTS,
]

pytestmark = pytest.mark.usefixtures("sound_files")


def _file(name: str, folder: Path) -> Path:
    if name in {**BPES, **OTHERS}:
        (folder / "tokenizer.json").write_text(content_of(name), "utf-8")
        return folder / "tokenizer.json"
    (folder / "a.model").write_bytes(sentencepiece_model(name))
    return folder / "a.model"


def _ids(path: Path, text: str) -> list[int]:
    """The ids of a text, by the library alone."""
    if path.is_dir():
        native = tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))
        return list(native.encode(text, add_special_tokens=False).ids)
    return list(sentencepiece.SentencePieceProcessor(model_file=str(path)).EncodeAsIds(text))


@pytest.mark.parametrize("name", EACH)
def test_old_ids_stay_and_new_merges_save_what_is_said(name: str, tmp_path: Path) -> None:
    before = bpe.load(_file(name, tmp_path))
    texts = NEW * 3
    found = bpe.extend(before, texts, before.vocab_size + 25)
    after = found.tokenizer
    highest = max(before.tokens)
    assert len(found.merges) == 25 and after.vocab_size == before.vocab_size + 25
    assert {number: after.tokens[number] for number in before.tokens} == dict(before.tokens)
    assert [after.tokens[highest + 1 + k] for k in range(25)] == [
        merge.token for merge in found.merges
    ]
    n_before, n_after = (sum(map(len, each.encode_many(texts))) for each in (before, after))
    assert (n_before, n_after) == found.n_tokens
    assert sum(merge.count for merge in found.merges) == n_before - n_after and all(
        m.count > 0 for m in found.merges
    )
    ids = {name: number for number, name in reversed(after.tokens.items())}
    merges = [(ids[merge.left], ids[merge.right], ids[merge.token]) for merge in found.merges]
    assert after.own_format is not None
    after.save(tmp_path / "large", format=after.own_format)
    n_kept = 0
    for text in [*NEW, *TRAINING]:
        old = before.encode_ids(text).tolist()
        new = after.encode_ids(text).tolist()
        assert new == _ids(tmp_path / "large", text)
        assert max(new, default=0) > highest or new == old
        n_kept += new == old
        if name in MODELS:
            assert new == _merged(old, merges)
    assert n_kept > 3


def _merged(ids: list[int], merges: list[tuple[int, int, int]]) -> list[int]:
    """Ids with further merges, one after the other."""
    for left, right, new in merges:
        found: list[int] = []
        for number in ids:
            if found and (found[-1], number) == (left, right):
                found[-1] = new
            else:
                found.append(number)
        ids = found
    return ids


def test_the_folder_keeps_its_settings(tmp_path: Path) -> None:
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 77,
        "chat_template": "{{ messages }}",
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    before = bpe.load(_file("llama3", tmp_path))
    found = bpe.extend(before, NEW, before.vocab_size + 3).tokenizer
    found.save(tmp_path / "large")
    files = [
        json.loads((tmp_path / name / "tokenizer.json").read_text("utf-8"))
        for name in (".", "large")
    ]
    old, new = (file.pop("model") for file in files)
    for token in (token for file in files for token in file["added_tokens"]):
        del token["id"]  # the library numbers them itself
    assert files[0] == files[1]
    assert new["merges"][:-3] == old["merges"] and new["vocab"].items() > old["vocab"].items()
    written = json.loads((tmp_path / "large" / "tokenizer_config.json").read_text("utf-8"))
    assert written.items() >= config.items()
    assert bpe.load(tmp_path / "large").added_ids == before.added_ids


@pytest.mark.parametrize("name", EACH)
def test_what_remains_is_made_as_before(name: str, tmp_path: Path) -> None:
    before = bpe.load(_file(name, tmp_path))
    found = bpe.prune(before, NEW, before.vocab_size - 40)
    after = found.tokenizer
    gone = {token.id for token in found.removed}
    assert len(gone) == 40 and [after.tokens[n] for n in after.tokens] == [
        name for number, name in before.tokens.items() if number not in gone
    ]
    n_before, n_after = (sum(map(len, each.encode_many(NEW))) for each in (before, after))
    assert (n_before, n_after) == found.n_tokens and n_before <= n_after
    assert _unreachable(after) <= _unreachable(before)
    assert after.own_format is not None
    after.save(tmp_path / "small", format=after.own_format)
    for text in [*NEW, *TRAINING]:
        old = before.encode(text)
        new = after.encode(text)
        assert new.ids == _ids(tmp_path / "small", text)
        assert name == "unknown" or after.decode(new.ids) == before.decode(
            old.ids
        )  # it has no decoder
        assert gone & set(old.ids) or new.tokens == old.tokens
    around = [each.encode("a", add_special_tokens=True).ids for each in (before, after)]
    names = [
        [each.tokens.get(number) for number in ids]
        for each, ids in zip((before, after), around, strict=True)
    ]
    assert names[0] == names[1]


def _unreachable(tokenizer: bpe.Tokenizer) -> set[str]:
    return {
        tokenizer.tokens[number]
        for number, kind in classes_of(tokenizer)
        if kind is TokenClass.unreachable
    }


def test_a_tokenizer_without_merges_is_not_changed(tmp_path: Path) -> None:
    tokenizer = bpe.load(_file("word_piece", tmp_path))
    for change in bpe.extend, bpe.prune:
        with pytest.raises(bpe.SaveError, match="A tokenizer of the type WordPiece"):
            change(tokenizer, TEXTS, 300)


def test_a_tokenizer_that_drops_merges_is_not_changed(tmp_path: Path) -> None:
    path = _file("gpt2", tmp_path)
    content = json.loads(path.read_text("utf-8"))
    content["model"]["dropout"] = 0.1
    path.write_text(json.dumps(content), "utf-8")
    for change in bpe.extend, bpe.prune:
        with pytest.raises(bpe.SaveError, match=r"extended or pruned.*drops merges at random"):
            change(bpe.load(path), TEXTS, 300)
