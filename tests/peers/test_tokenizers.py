"""Hugging Face's tokenizers: the same vocabulary, the same merges, the same ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import bpe_studio as bpe
from tests.engine import texts
from tests.engine.counting.test_corpus import PUBLISHED

_SPECIAL = ("<|endoftext|>",)


def _text(kind: str, seed: int) -> str:
    # Files with NUL are refused as binary, and a leading mark is no text; both are told apart
    # elsewhere.
    return texts.KINDS[kind](seed=seed).replace("\x00", "").lstrip("\ufeff")


def _theirs(
    path: Path, vocab_size: int, min_frequency: int, special: tuple[str, ...]
) -> tuple[Any, dict[str, int], list[Any]]:
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train(
        str(path),
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(special),
        show_progress=False,
    )
    model = json.loads(
        tokenizer.to_str() if hasattr(tokenizer, "to_str") else tokenizer._tokenizer.to_str()
    )["model"]
    return tokenizer, model["vocab"], [tuple(pair) for pair in model["merges"]]


def _ours(path: Path, **options: object) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset("gpt2", **options)
    return bpe.train(bpe.Corpus.from_files([path], config), config).tokenizer()


def _vocabulary(tokenizer: bpe.Tokenizer) -> dict[str, int]:
    return {token: i for i, token in enumerate(tokenizer.model.tokens)}


def _pairs(tokenizer: bpe.Tokenizer) -> list[tuple[str, str]]:
    tokens = tokenizer.model.tokens
    return [(tokens[left], tokens[right]) for left, right, _ in tokenizer.model.merges]


@pytest.mark.parametrize("kind", texts.KINDS)
@pytest.mark.parametrize(
    ("vocab_size", "min_frequency"), [(700, 2), (5000, 2), (600, 1), (5000, 5)]
)
def test_same_file_same_tokenizer(
    tmp_path: Path, kind: str, vocab_size: int, min_frequency: int
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(_text(kind, 41).encode())
    theirs, vocab, merges = _theirs(path, vocab_size, min_frequency, _SPECIAL)
    ours = _ours(path, vocab_size=vocab_size, min_frequency=min_frequency)
    assert _pairs(ours) == merges
    assert _vocabulary(ours) == vocab
    assert len(merges) > 20
    for other in texts.KINDS:
        text = _text(other, 42)[:600]
        encoding = theirs.encode(text)
        mine = ours.encode(text)
        assert list(mine.ids) == encoding.ids
        assert list(mine.tokens) == encoding.tokens
        assert [tuple(offset) for offset in mine.offsets] == encoding.offsets
        assert ours.decode(mine.ids) == theirs.decode(encoding.ids) == text


def test_specials_in_the_text_are_text_while_training(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(
        "one <|endoftext|> two<|endoftext|>\n<s> three <|endoftext|>\n" * 4, encoding="utf-8"
    )
    special = ("<s>", "<pad>", "<|endoftext|>")
    _, vocab, merges = _theirs(path, 300, 2, special)
    ours = _ours(path, vocab_size=300, special=special)
    assert (_pairs(ours), _vocabulary(ours)) == (merges, vocab)
    assert ours.convert_tokens_to_ids(list(special)) == [0, 1, 2]


def test_line_breaks_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    text = "ab  \n  ab\r\n\r\nab\rab\r ab\x0bab \x0c ab\x85ab \u2028 ab\u2029ab\n\n\nab \n"
    path.write_bytes((text * 3 + "ab ").encode())
    _, vocab, merges = _theirs(path, 400, 1, _SPECIAL)
    ours = _ours(path, vocab_size=400, min_frequency=1)
    assert (_pairs(ours), _vocabulary(ours)) == (merges, vocab)


@pytest.mark.parametrize("kind", ["english", "persian", "cjk and emoji", "mixed"])
def test_characters_and_words(tmp_path: Path, kind: str) -> None:
    """The course's character-level tokenizer: words or punctuation, an unknown token, no marks."""
    text = " ".join(_text(kind, 43).split())
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=350, special_tokens=["[UNK]", "[PAD]"], show_progress=False, min_frequency=2
    )
    theirs.train_from_iterator([text], trainer)
    config = bpe.TrainingConfig.preset(
        "textbook",
        ties="huggingface",
        vocab_size=350,
        special=("[UNK]", "[PAD]"),
        unknown="[UNK]",
        min_frequency=2,
    )
    ours = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    model = json.loads(theirs.to_str())["model"]
    assert _pairs(ours) == [tuple(pair) for pair in model["merges"]]
    assert _vocabulary(ours) == model["vocab"]
    for other in ("english", "persian", "mixed"):
        sample = " ".join(_text(other, 44).split())[:400]
        encoding = theirs.encode(sample)
        assert list(ours.encode(sample).tokens) == encoding.tokens
        assert [tuple(offset) for offset in ours.encode(sample).offsets] == encoding.offsets


@pytest.mark.parametrize("split", ["cl100k", "o200k", "llama3", "qwen2"])
def test_other_splits_cut_alike(split: str) -> None:
    """Their `Split` with the published pattern, then bytes: the same merges from the same lines."""
    # Their engine reads `{1,3}+` as a repeated group where others read it as possessive.
    pattern = PUBLISHED[split].replace("{1,3}+", "{1,3}")
    text = _text("english", 45) + _text("source code", 45) + _text("persian", 45)
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        min_frequency=2,
        special_tokens=list(_SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    theirs.train_from_iterator(lines, trainer)
    config = bpe.TrainingConfig.preset("gpt2", split=split, vocab_size=600)
    ours = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    model = json.loads(theirs.to_str())["model"]
    assert _pairs(ours) == [tuple(pair) for pair in model["merges"]]
    assert _vocabulary(ours) == model["vocab"]
