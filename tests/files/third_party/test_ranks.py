"""Ranks of tiktoken: published splits and special tokens, tokens that no merge makes, and the same ids as tiktoken."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import tiktoken

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.loading import load
from bpe_studio.files.third_party import tiktoken_ranks
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.examples import examples
from tests.files.third_party.made import TEXTS, strange_texts
from tests.files.third_party.test_recognition import ours

TOKENS = [*(bytes([byte]) for byte in range(256)), b"hu", b"ug", b"hugs", b" h", b" hugging", b"\n\n", b" the", b"he"]
"""`hugs` and some others are made of no two that rank before them."""


def ranks(tokens: list[bytes]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k"])
def test_tokens_that_no_merge_makes_are_taken_whole(split: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ranks(TOKENS))
    made = tiktoken.Encoding(
        "x",
        pat_str=PATTERNS[split],
        mergeable_ranks={token: rank for rank, token in enumerate(TOKENS)},
        special_tokens={},
    )
    tokenizer = load(path, split=split)
    assert isinstance(tokenizer, ThirdPartyTokenizer) and not tokenizer.notices
    for text in (*TEXTS, *strange_texts(examples(100), 5), "hugs hugging the\n\n hugs", "hughugs"):
        ids = made.encode_ordinary(text)
        assert tokenizer.encode_ids(text).tolist() == ids == tokenizer.encode(text).ids
        assert tokenizer.decode(ids) == made.decode(ids)
    assert tokenizer.tokenize("hugs") == ["hugs"]


def test_the_split_is_asked_for_found_by_the_name_or_guessed(tmp_path: Path) -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), b"12", b"345"[:2]]
    for name in ("x.tiktoken", "My-Llama3-ranks", "qwen.tiktoken"):
        (tmp_path / name).write_bytes(ranks(tokens))
    assert load(tmp_path / "x.tiktoken").model.config.split == "gpt2"
    assert "--split NAME" in load(tmp_path / "x.tiktoken").notices[0]
    assert load(tmp_path / "My-Llama3-ranks").model.config.split == "llama3"
    assert load(tmp_path / "qwen.tiktoken").model.config.split == "qwen2"
    tokenizer = load(tmp_path / "qwen.tiktoken", split="regex:.")
    assert (tokenizer.tokenize("12"), tokenizer.notices) == (["1", "2"], ())
    with pytest.raises(TokenizerFormatError, match="its split cannot be used"):
        load(tmp_path / "x.tiktoken", split="regex:(")


def test_published_files_have_their_special_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = ours()
    names = [tokenizer.content(number) for number in tokenizer.tokens]
    published = tiktoken_ranks._Published("cl100k", {"<|end|>": len(names) + 1})
    monkeypatch.setitem(tiktoken_ranks._PUBLISHED, len(names), published)
    (tmp_path / "ranks").write_bytes(ranks(names))
    found = load(tmp_path / "ranks")
    assert found.model.config.split == "cl100k" and not found.notices
    assert found.special_ids == {f"<|reserved_{len(names)}|>": len(names), "<|end|>": len(names) + 1}
