"""Ranks of tiktoken: published splits and special tokens, tokens that no merge makes, and the same
ids as tiktoken.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.errors import SaveError, TokenizerFormatError
from bpe_studio.files.formats import registry
from bpe_studio.files.loading import load
from bpe_studio.files.third_party import tiktoken_ranks
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.examples import examples
from tests.files.third_party.made import (
    TEXTS,
    Json,
    converted,
    gpt2,
    llama3,
    out_of_order,
    strange_texts,
)
from tests.files.third_party.test_recognition import ours

TOKENS = [
    *(bytes([byte]) for byte in range(256)),
    b"hu",
    b"ug",
    b"hugs",
    b" h",
    b" hugging",
    b"\n\n",
    b" the",
    b"he",
]
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


def test_published_files_have_their_special_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = ours()
    names = [tokenizer.content(number) for number in tokenizer.tokens]
    published = tiktoken_ranks._Published("cl100k", {"<|end|>": len(names) + 1})
    monkeypatch.setitem(tiktoken_ranks._PUBLISHED, len(names), published)
    (tmp_path / "ranks").write_bytes(ranks(names))
    found = load(tmp_path / "ranks")
    assert found.model.config.split == "cl100k" and not found.notices
    assert found.special_ids == {
        f"<|reserved_{len(names)}|>": len(names),
        "<|end|>": len(names) + 1,
    }


def without_special(root: Json) -> Json:
    """A `tokenizer.json` without added tokens; the free ids are at its end."""
    model = root["model"]
    names = {token["content"] for token in root["added_tokens"]}
    kept = [name for name in sorted(model["vocab"], key=model["vocab"].get) if name not in names]
    model["vocab"] = {name: number for number, name in enumerate(kept)}
    return {**root, "added_tokens": [], "post_processor": None}


def with_special(root: Json, *, first: int = 3, step: int = 7, **flags: object) -> Json:
    """The same with special tokens, whose ids have gaps."""
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    n = len(root["model"]["vocab"]) + first
    added = [
        {"id": n + step * place, "content": f"<|{place}|>", **usual, "special": True, **flags}
        for place in range(3)
    ]
    return {**root, "added_tokens": added}


def of_published_kinds() -> dict[str, Json]:
    """As GPT-4 (gaps), Llama 3 (whole words first), Qwen 2.5 (added tokens that are not special)
    and Qwen (NFC) are published for Hugging Face.
    """
    plain = without_special(gpt2())
    whole = without_special(converted(0))
    return {
        "gaps": with_special(plain),
        "whole words": with_special(whole),
        "tokens that no merge makes": with_special(without_special(converted(5))),
        "not special": with_special(plain, special=False),
        "NFC": with_special({**plain, "normalizer": {"type": "NFC"}}, first=0, step=1),
    }


@pytest.mark.parametrize("kind", of_published_kinds())
def test_published_kinds_become_ranks_and_what_is_left_out_is_said(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(of_published_kinds()[kind]), "utf-8")
    tokenizer = load(path)
    tokenizer.save(tmp_path / "ranks", "tiktoken")
    drops = registry.kept(tokenizer, "tiktoken").drops
    assert "special tokens" in drops
    assert ("NFC" in drops) == (kind == "NFC")
    assert ("not special (<|0|>" in drops) == (kind == "not special")
    made = tiktoken.Encoding(
        "x",
        pat_str=PATTERNS["gpt2"],
        mergeable_ranks=load_tiktoken_bpe(str(tmp_path / "ranks")),
        special_tokens=dict(tokenizer.added_ids),
    )
    for text in (*TEXTS, *strange_texts(examples(100), 5), "a<|0|>b <|1|> c<|2|>"):
        given = tokenizer.normalized_text(text)
        assert made.encode(given, allowed_special="all") == tokenizer.encode(text).ids
    again = load(tmp_path / "ranks", split="gpt2")
    again.save(tmp_path / "again", "tiktoken")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "ranks").read_bytes()


@pytest.mark.parametrize(
    ("root", "said"),
    [
        (with_special(without_special(gpt2()), lstrip=True), "lstrip"),
        (with_special(without_special(gpt2()), special=False, content="  "), "special"),
        (with_special({**without_special(gpt2()), "normalizer": {"type": "NFKC"}}), "NFC"),
        (with_special(without_special(llama3())), "another"),
        (out_of_order(), "another"),
    ],
)
def test_what_would_be_other_ids_of_a_text_is_refused(
    root: Json, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(root), "utf-8")
    with pytest.raises(SaveError, match=said):
        load(path).save(tmp_path / "ranks", "tiktoken")
    assert not (tmp_path / "ranks").exists()
