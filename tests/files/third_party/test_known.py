"""What the caches of this computer hold is found and named; what is published comes after it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.files.third_party.known import _RANKS_BY_FILE, known_tokenizers, name_of
from tests.files.third_party.made import content_of

O200K = next(file for file, name in _RANKS_BY_FILE.items() if name == "o200k_base")


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "ranks"))
    return tmp_path


def keep(
    caches: Path, repository: str, version: str, content: str, name: str = "tokenizer.json"
) -> Path:
    folder = caches / "hub" / f"models--{repository.replace('/', '--')}" / "snapshots" / version
    folder.mkdir(parents=True)
    (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_with_empty_caches_the_published_ones_are_named(caches: Path) -> None:
    found = known_tokenizers()
    assert {"GPT-2", "GPT-4o", "Llama 3", "Qwen 2.5", "Gemma 2", "Mistral"} <= {
        each.name for each in found
    }
    assert all(each.place.startswith("hf:") and not each.is_kept for each in found)
    assert "no agreement" in next(each.remark for each in found if each.name == "Llama 3")


def test_what_the_caches_hold_comes_first_and_is_opened_without_a_network(caches: Path) -> None:
    old = keep(caches, "openai-community/gpt2", "a1", "{}")
    new = keep(caches, "openai-community/gpt2", "b2", content_of("gpt2"))
    os.utime(old, (1, 1))
    keep(caches, "someone/weights", "c3", "", "model.safetensors")
    ranks = caches / "ranks" / O200K
    ranks.parent.mkdir()
    ranks.write_text("IQ== 0\nIg== 1\nISI= 2\n")
    first, second, *others = known_tokenizers()
    assert [(each.name, each.place, each.is_kept) for each in (first, second)] == [
        ("GPT-2", str(new), True),
        ("GPT-4o", str(ranks), True),
    ]
    assert not any(each.is_kept or each.name == "GPT-2" for each in others)
    assert bpe.load(first.place).encode("hugs").ids and bpe.load(second.place).encode('!"').ids == [
        2
    ]
    assert (name_of(first.place), name_of(second.place)) == ("openai-community/gpt2", "o200k_base")
    assert not bpe.load(second.place).notices, "the encoding is known, and so is its split"


def test_a_well_known_name_is_opened_from_a_cache(
    caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = caches / "ranks" / O200K
    ranks.parent.mkdir()
    ranks.write_text("IQ== 0\nIg== 1\nISI= 2\n")
    keep(caches, "openai-community/gpt2", "a1", content_of("gpt2"))
    assert (
        bpe.load("o200k_base").get_vocab()
        == bpe.load("gpt-4o").get_vocab()
        == {"!": 0, '"': 1, '!"': 2}
    )
    assert len(bpe.load("gpt2")) == 500
    monkeypatch.chdir(ranks.parent)
    ranks.rename("gpt2")
    assert len(bpe.load("gpt2")) == 3, "a file of that name is the file"
    with pytest.raises(bpe.TokenizerFormatError, match="p50k_base is not in the cache of tiktoken"):
        bpe.load("p50k_base")


def test_a_damaged_cache_is_told_with_what_to_remove(caches: Path) -> None:
    folder = keep(caches, "someone/half", "a1", content_of("gpt2")[:500])
    with pytest.raises(
        bpe.BpeError, match=r"^someone/half/tokenizer.json .* remove .*models--someone--half"
    ) as raised:
        bpe.load(folder)
    assert "snapshots" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("hf:a/b@main", "a/b@main"),
        ("x/gpt2/tokenizer.json", "gpt2"),
        ("mine.tiktoken", "mine.tiktoken"),
        ("x/y", "y"),
    ],
)
def test_names(path: str, name: str) -> None:
    assert name_of(path) == name
