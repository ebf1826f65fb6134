"""What is written encodes, in the program that it belongs to, as before around every added token,
or it is refused.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import SaveError
from bpe_studio.files.formats import registry
from tests.files.formats.cases import trained
from tests.files.third_party.made import Json, gpt2

pytestmark = pytest.mark.usefixtures("sound_files")
SHAPES = ("{0}", "he{0}it", "he {0} it", "he  {0}  it", "{0}he", "he{0}", "{0}{0}", "a\n{0}\nb")


def with_added(name: str, *, normalizer: Json | None = None, **flags: bool) -> Json:
    """GPT-2's kind with one more added token."""
    root = gpt2()
    usual = {
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    root["added_tokens"].append({"id": 500, "content": name, **usual, **flags})
    return {**root, "normalizer": normalizer}


def opened(root: Json, folder: Path) -> Tokenizer:
    (folder / "tokenizer.json").write_text(json.dumps(root), "utf-8")
    return bpe.load(folder / "tokenizer.json")


@pytest.mark.parametrize("name", ["<|x|>", "<|endoftext|>s", "\n\n", "hugsx", " "])
def test_special_tokens_are_found_in_a_text_by_the_program_of_each_format(
    name: str, tmp_path: Path
) -> None:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe
    from transformers import GPT2Tokenizer

    tokenizer = opened(with_added(name), tmp_path)
    for form in ("gpt2", "tiktoken"):
        tokenizer.save(tmp_path / form, form)
    transformers = GPT2Tokenizer.from_pretrained(str(tmp_path / "gpt2"))
    ranks = tiktoken.Encoding(
        "x",
        pat_str=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        mergeable_ranks=load_tiktoken_bpe(str(tmp_path / "tiktoken")),
        special_tokens={name: 500} if "endoftext" not in name else {},
    )
    for text in (shape.format(name) for shape in SHAPES):
        ids = tokenizer.encode(text).ids
        assert 500 in ids
        assert transformers(text)["input_ids"] == ids
        assert "endoftext" in name or ranks.encode(text, allowed_special="all") == ids


@pytest.mark.parametrize(
    ("flags", "normalizer"),
    [
        ({"special": False}, None),
        ({"special": False, "normalized": True}, None),
        ({"lstrip": True}, None),
        ({"rstrip": True}, None),
        ({"single_word": True}, None),
        ({"normalized": True}, {"type": "Lowercase"}),
    ],
    ids=str,
)
def test_what_a_format_cannot_say_of_an_added_token_refuses_it(
    flags: dict[str, bool], normalizer: Json | None, tmp_path: Path
) -> None:
    tokenizer = opened(with_added("<|Hug|>", normalizer=normalizer, **flags), tmp_path)
    forms = ["gpt2", "minbpe", "sentencepiece", "subword-nmt"]
    if flags != {"special": False}:
        # A tiktoken file holds no added token; its program finds this one as a special token.
        forms.append("tiktoken")
    for form in forms:
        reason = registry.why_not(tokenizer, form)
        assert "\n" not in reason
        with pytest.raises(SaveError, match=r"<\|" if normalizer is None else r"<\||normalized"):
            tokenizer.save(tmp_path / form, form)
        assert not (tmp_path / form).exists()


def test_minbpe_finds_the_longest_of_several_special_tokens(tmp_path: Path) -> None:
    model = trained("gpt2", merges=20, ties="raw-ids", special=(), documents="file").model
    n = len(model.tokens)
    names = ("<|a|>", "<|a|>b", "<|a|>bc")
    special = {name: n + i for i, name in enumerate(names)}
    path = tmp_path / "out.model"
    Tokenizer(replace(model, tokens=(*model.tokens, *names), special_ids=special)).save(
        path, "minbpe"
    )
    # minbpe cuts a text at an alternation of the special tokens in the order of the file.
    assert [line.split()[0] for line in path.read_text().splitlines()[3:6]] == [
        "<|a|>bc",
        "<|a|>b",
        "<|a|>",
    ]
    assert (
        bpe.load(path).encode("x<|a|>bcd", recognize_special=True).ids.count(special["<|a|>bc"])
        == 1
    )
