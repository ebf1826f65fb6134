"""Options of the trainers of Hugging Face and SentencePiece: the same vocabulary, merges and ids on
random texts.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sentencepiece as spm
import tokenizers
from tokenizers import pre_tokenizers

import bpe_studio as bpe
from bpe_studio.engine.kernels import loader
from tests.examples import examples

_LETTERS = ("abc", "ab ", "abcdefghij0123456789", "abé漢😀س1 ", "ab0１２۱ ", "aб漢か1'!")
_SINGLE = r"\p{N}"
_FROM_THE_LEFT = r"\p{N}{1,3}"
_FROM_THE_RIGHT = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"


def _lines(rng: random.Random, letters: str) -> list[str]:
    """Lines of words in which some letters are rare."""
    weights = [rng.random() ** 3 for _ in letters]
    words = [
        [
            "".join(rng.choices(letters, weights, k=rng.randint(1, 9)))
            for _ in range(rng.randint(1, 9))
        ]
        for _ in range(rng.randint(1, 20))
    ]
    return [" ".join(line) + "\n" for line in words]


def _trained(corpus: bpe.Corpus, is_compiled: bool) -> bpe.Run:
    with mock.patch.object(loader, "PLAIN_WORK", -1 if is_compiled else 10**9):
        return bpe.train(corpus)


def _parts(tokenizer: bpe.Tokenizer) -> tuple[list[str], list[list[str]]]:
    tokens = tokenizer.model.tokens
    return list(tokens), [
        [tokens[left], tokens[right]] for left, right, _ in tokenizer.model.merges
    ]


def _hugging_face(
    lines: list[str], cut: Any, unknown: str | None, **options: Any
) -> tuple[Any, Any]:
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=unknown))
    theirs.pre_tokenizer = cut
    theirs.train_from_iterator(
        lines, tokenizers.trainers.BpeTrainer(show_progress=False, **options)
    )
    model = json.loads(theirs.to_str())["model"]
    return theirs, (
        sorted(model["vocab"], key=model["vocab"].get),
        [list(pair) for pair in model["merges"]],
    )


def _random_options(rng: random.Random, lines: list[str], is_bytes: bool) -> dict[str, Any]:
    options: dict[str, Any] = {
        "min_frequency": rng.randint(1, 3),
        "vocab_size": rng.randint(30, 120),
    }
    if rng.random() < 0.5:
        options["max_token_length"] = rng.randint(1, 7)
    if rng.random() < 0.4:
        options["initial_alphabet"] = [
            rng.choice("abxyz0") + rng.choice(("", "q")) for _ in range(rng.randint(0, 4))
        ]
    text = "".join("".join(lines).split())
    # The initial alphabet comes first. Which of equally frequent characters are kept, their trainer
    # leaves to chance.
    first = {
        each[0].encode() if is_bytes else each[0] for each in options.get("initial_alphabet", ())
    }
    counted = Counter([bytes([byte]) for byte in text.encode()] if is_bytes else text)
    counts = sorted((count for unit, count in counted.items() if unit not in first), reverse=True)
    limit = rng.randint(1, len(counts) + 2)
    if limit >= len(counts) or counts[limit - 1] > counts[limit]:
        options["limit_alphabet"] = len(first) + limit
    return options


@pytest.mark.parametrize("units", ["characters", "bytes"])
def test_alphabets_lengths_and_special_symbols(units: str) -> None:
    is_bytes = units == "bytes"
    for seed in range(examples(60)):
        rng = random.Random(seed)
        letters = rng.choice(_LETTERS)
        lines = _lines(rng, letters)
        options = _random_options(rng, lines, is_bytes)
        special = ["[UNK]", *rng.sample("0123456789abs!", rng.randint(0, 3))]
        cut = pre_tokenizers.WhitespaceSplit()
        if is_bytes:
            cut = pre_tokenizers.Sequence(
                [cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
            )
        theirs, expected = _hugging_face(lines, cut, "[UNK]", special_tokens=special, **options)
        config = bpe.TrainingConfig.preset(
            "textbook",
            units=units,
            split="whitespace",
            ties="huggingface",
            special=special,
            unknown="[UNK]",
            **options,
        )
        try:
            ours = _trained(bpe.Corpus.from_texts(lines, config), seed % 2 == 0).tokenizer()
        except bpe.ConfigError as error:
            assert "too small" in str(error) or "inside the words" in str(error)
            continue
        assert _parts(ours) == expected, f"seed {seed}: {options}, {special}"
        assert len(ours.model.tokens) == len(set(ours.model.tokens))
        sample = "".join(rng.choices(letters + " zQ", k=40))
        encoding = theirs.encode(sample)
        mine = ours.encode(sample, recognize_special=True)
        assert (mine.ids, mine.offsets) == (encoding.ids, encoding.offsets), (
            f"seed {seed}: {sample!r}"
        )


@pytest.mark.parametrize(
    ("split", "before"),
    [
        ("gpt2", [pre_tokenizers.Digits(individual_digits=True)]),
        ("cl100k", [pre_tokenizers.Digits(individual_digits=True)]),
        ("o200k", [pre_tokenizers.Digits(individual_digits=True)]),
        ("none", [pre_tokenizers.Digits(individual_digits=True)]),
        ("words", [pre_tokenizers.Digits(individual_digits=True)]),
        ("digits-single", [pre_tokenizers.Split(tokenizers.Regex(_SINGLE), "isolated")]),
        ("digits-left", [pre_tokenizers.Split(tokenizers.Regex(_FROM_THE_LEFT), "isolated")]),
        ("digits-right", [pre_tokenizers.Split(tokenizers.Regex(_FROM_THE_RIGHT), "isolated")]),
    ],
)
def test_digits_are_cut_before_everything_else(
    split: str, before: list[Any], tmp_path: Path
) -> None:
    is_named = split.startswith("digits")
    whole = bpe.TrainingConfig.preset(
        "gpt2", split="gpt2" if is_named else split, vocab_size=300, documents="line"
    )
    empty = bpe.train(bpe.Corpus.from_text("", whole), whole).tokenizer()
    empty.save(tmp_path / "whole")
    after = tokenizers.Tokenizer.from_file(str(tmp_path / "whole" / "tokenizer.json")).pre_tokenizer
    cut = pre_tokenizers.Sequence([*before, after])
    for seed in range(examples(12)):
        rng = random.Random(seed)
        lines = _lines(rng, rng.choice(("12345 a", "1²Ⅷ٣ a'!\t", "a1, ")))
        _, expected = _hugging_face(
            lines,
            cut,
            None,
            vocab_size=330,
            min_frequency=1,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        config = bpe.TrainingConfig.preset(
            "gpt2", split=split, split_digits=not is_named, vocab_size=330, min_frequency=1
        )
        ours = bpe.train(bpe.Corpus.from_text("".join(lines), config), config).tokenizer()
        assert _parts(ours) == expected, f"seed {seed}"
        ours.save(tmp_path / "ours")
        saved = tokenizers.Tokenizer.from_file(str(tmp_path / "ours" / "tokenizer.json"))
        text = "".join(_lines(rng, "12345678 a'!\n"))
        assert (
            ours.encode(text).ids
            == saved.encode(text).ids
            == bpe.load(tmp_path / "ours").encode(text).ids
        )


def test_sentencepiece_coverage_fallback_digits_and_length(tmp_path: Path) -> None:
    n_compared = 0
    for seed in range(examples(60)):
        rng = random.Random(seed)
        letters = rng.choice(_LETTERS)
        lines = _lines(rng, letters)
        (tmp_path / "text.txt").write_text("".join(lines), encoding="utf-8")
        options: dict[str, Any] = {
            "character_coverage": rng.choice((1.0, 0.9995, 0.99, 0.95, 0.9, 0.8)),
            "byte_fallback": rng.random() < 0.5,
            "split_digits": rng.random() < 0.5,
        }
        longest = rng.choice((None, rng.randint(1, 7)))
        size = rng.randint(20, 90) + 256 * options["byte_fallback"]
        try:
            spm.SentencePieceTrainer.train(
                input=str(tmp_path / "text.txt"),
                model_prefix=str(tmp_path / "model"),
                model_type="bpe",
                vocab_size=size,
                hard_vocab_limit=False,
                minloglevel=3,
                normalization_rule_name="identity",
                max_sentencepiece_length=longest or 16,
                **options,
            )
        except RuntimeError:
            continue  # the size is below the alphabet
        theirs = spm.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
        pieces = [theirs.id_to_piece(number) for number in range(theirs.get_piece_size())]
        config = bpe.TrainingConfig.preset(
            "sentencepiece", normalize=(), vocab_size=size, max_token_length=longest, **options
        )
        run = _trained(bpe.Corpus.from_text("".join(lines), config), seed % 2 == 0)
        tokenizer = run.tokenizer()
        tokens = list(run.tokenizer().model.tokens)
        n_characters = len(tokens) - 3 - 256 * options["byte_fallback"] - len(run.merges)
        n_more = len(pieces) - len(tokens)  # that trainer goes on with pairs that no longer occur
        assert tokens[:-n_characters] == pieces[: -n_characters - n_more], f"seed {seed}: {options}"
        assert tokens[-n_characters:] == pieces[-n_characters:]
        n_compared += 1
        if n_more:
            continue
        lines = [line.removesuffix("\n") for line in lines]
        for text in ("".join(_lines(rng, letters + "zQ§\u0301")).replace("\n", " "), *lines[:3]):
            ids = theirs.encode(text)
            assert tokenizer.encode(text).ids == ids, f"seed {seed}: {text!r}"
            assert tokenizer.decode(ids).replace("<unk>", " \u2047 ") == theirs.decode(ids)
        if run.merges:
            assert run.merges[-1].n_tokens == sum(len(theirs.encode(line)) for line in lines)
        if not options["byte_fallback"] or seed % 3:
            tokenizer.save(tmp_path / "saved.model", "sentencepiece")
            saved = spm.SentencePieceProcessor(model_file=str(tmp_path / "saved.model"))
            assert [saved.encode(line) for line in lines] == [theirs.encode(line) for line in lines]
    assert n_compared > examples(60) // 2


def test_the_presets_are_those_trainers(tmp_path: Path) -> None:
    text = "the cat 12 sat 345 on the mat\nthe old man § and the sea 2024\n" * 40
    (tmp_path / "text.txt").write_text(text + "é", encoding="utf-8")
    for preset, options in (
        ("sentencepiece", {"normalization_rule_name": "nfkc"}),
        (
            "llama2",
            {"byte_fallback": True, "split_digits": True, "normalization_rule_name": "identity"},
        ),
    ):
        spm.SentencePieceTrainer.train(
            input=str(tmp_path / "text.txt"),
            model_prefix=str(tmp_path / "model"),
            model_type="bpe",
            vocab_size=330,
            hard_vocab_limit=False,
            minloglevel=3,
            **options,
        )
        theirs = spm.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
        config = bpe.TrainingConfig.preset(preset, vocab_size=330)
        run = bpe.train(bpe.Corpus.from_files([tmp_path / "text.txt"], config), config)
        tokens = list(run.tokenizer().model.tokens)
        n = len(run.merges)
        pieces = [theirs.id_to_piece(number) for number in range(theirs.get_piece_size())]
        first = len(tokens) - n - (run.n_alphabet - (256 + 0 if preset == "llama2" else 1))
        assert "é" not in tokens and n > 20
        assert tokens[: first + n] == pieces[: first + n]


def test_cs336_is_trained_until_its_size() -> None:
    """The loop of the assignment: documents apart, the greatest pair of bytes among equals."""
    text = "low low lower<|endoftext|>newest widest newest<|endoftext|> lowest 12" * 3
    config = bpe.TrainingConfig.preset("cs336", vocab_size=280)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    import regex

    words: Counter[tuple[bytes, ...]] = Counter()
    for part in text.split("<|endoftext|>"):
        for word in regex.findall(
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", part
        ):
            words[tuple(bytes([byte]) for byte in word.encode())] += 1
    merges = []
    while len(merges) < 280 - 257:
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        joined: Counter[tuple[bytes, ...]] = Counter()
        for word, count in words.items():
            new = list(word)
            place = 0
            while place < len(new) - 1:
                if (new[place], new[place + 1]) == best:
                    new[place : place + 2] = [best[0] + best[1]]
                place += 1
            joined[tuple(new)] += count
        words = joined
    from bpe_studio.engine.text.alphabet import from_stand_ins

    assert [(from_stand_ins(m.left), from_stand_ins(m.right)) for m in run.merges] == merges
    assert run.tokenizer().model.tokens[0] == "<|endoftext|>"


@pytest.mark.parametrize("dropout", [0.0, 0.2, 0.6, 1.0])
def test_dropout_has_the_same_chances(dropout: float, tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset(
        "textbook", split="whitespace", merges=12, ties="huggingface", unknown=None
    )
    corpus = bpe.Corpus.from_text("abcab abab cabcab bcabab abcabcab" * 3, config)
    tokenizer = bpe.train(corpus, config).tokenizer()
    tokenizer.save(tmp_path / "saved")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "saved" / "tokenizer.json"))
    theirs.model.dropout = dropout or None
    ours = tokenizer.with_dropout(dropout, seed=5)
    n = 4000
    word = "abcabcab"
    found = Counter(tuple(ours.encode(word).ids) for _ in range(n))
    expected = Counter(tuple(theirs.encode(word).ids) for _ in range(n))
    # Two samples of one distribution over 31 outcomes differ by 3 % on average.
    assert sum(abs(found[ids] - expected[ids]) for ids in found | expected) / 2 / n < 0.06
    assert {tokenizer.decode(ids) for ids in found} == {word}
    again = tokenizer.with_dropout(dropout, seed=5)
    assert [again.encode(word).ids for _ in range(9)] == [
        encoding.ids for encoding in map(tokenizer.with_dropout(dropout, seed=5).encode, [word] * 9)
    ]
