"""sentencepiece's BPE trainer: the same pieces under the same ids, and the same ids for other
texts.

Their trainer goes on with pairs that no longer occur once none is left, and looks at rare pairs
only now and then when there are more than a thousand; the sizes here stay on this side of both."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import sentencepiece as spm

import bpe_studio as bpe
from tests.engine import texts


def _theirs(folder: Path, text: str, vocab_size: int, rule: str, **options: object) -> Any:
    source = folder / "text.txt"
    source.write_bytes(text.encode())
    spm.SentencePieceTrainer.train(
        input=str(source),
        model_prefix=str(folder / "model"),
        model_type="bpe",
        vocab_size=vocab_size,
        character_coverage=1.0,
        normalization_rule_name=rule,
        hard_vocab_limit=False,
        minloglevel=3,
        **options,
    )
    return spm.SentencePieceProcessor(model_file=str(folder / "model.model"))


def _pieces(model: Any) -> list[str]:
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def _train(text: str, vocab_size: int, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset("sentencepiece", vocab_size=vocab_size, **options)
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.mark.parametrize(
    ("rule", "normalize"), [("identity", ()), ("nfkc", ("nfkc",)), ("nmt_nfkc", ("nmt-nfkc",))]
)
@pytest.mark.parametrize(
    ("kind", "n_words", "vocab_size"),
    [
        ("english", 300, 220),
        ("persian", 300, 120),
        ("cjk and emoji", 200, 180),
        ("source code", 60, 200),
        ("mixed", 150, 200),
    ],
)
def test_same_pieces(
    tmp_path: Path, kind: str, n_words: int, vocab_size: int, rule: str, normalize: tuple[str, ...]
) -> None:
    text = texts.KINDS[kind](n_words, seed=81)
    if not normalize:
        text = text.replace("\r", "").replace("\t", " ")
    model = _theirs(tmp_path, text, vocab_size, rule)
    run = _train(text, vocab_size, normalize=normalize)
    tokenizer = run.tokenizer()
    assert list(tokenizer.model.tokens) == _pieces(model)
    assert len(run.merges) > 60 and run.merges[-1].count > 0
    for line in (*text.split("\n")[:20], *texts.KINDS[kind](40, seed=82).split("\n")):
        known = " ".join(
            word
            for word in line.replace("\t", " ").split(" ")
            if model.unk_id() not in model.encode(word)
        )
        assert list(tokenizer.encode(known).ids) == model.encode(known)
        assert list(tokenizer.encode(known).tokens) == model.encode(known, out_type=str)
        assert tokenizer.decode(tokenizer.encode(known).ids) == model.decode(model.encode(known))


def test_the_preset_reads_its_own_files(tmp_path: Path) -> None:
    text = texts.english(300, seed=83)
    model = _theirs(tmp_path, text, 200, "nmt_nfkc")
    config = bpe.TrainingConfig.preset("sentencepiece", vocab_size=200)
    run = bpe.train(bpe.Corpus.from_files([tmp_path / "text.txt"], config), config)
    assert list(run.tokenizer().model.tokens) == _pieces(model)


@pytest.mark.parametrize(
    "alphabet",
    [
        "abcd \t\r\u2028\u200b\ufeff\x0b\x0c\x85\n",
        "abcd \x01\x7f\u200c\u200d\ufffd\uff5e\uff21\n",
        "بت\u0651\u064e \u200f\u061c\n",
        "ae\u0301\u0323\u0302é\u1100\u1161\uff76\uff9e \n",
    ],
)
def test_the_default_normalization(tmp_path: Path, alphabet: str) -> None:
    rng = random.Random(alphabet)
    text = "".join(rng.choices(alphabet, k=2000))
    model = _theirs(tmp_path, text, 60, "nmt_nfkc")
    config = bpe.TrainingConfig.preset("sentencepiece", vocab_size=60, character_coverage=1.0)
    tokenizer = bpe.train(
        bpe.Corpus.from_files([tmp_path / "text.txt"], config), config
    ).tokenizer()
    assert list(tokenizer.model.tokens) == _pieces(model)
    tokenizer.save(tmp_path / "saved.model", format="sentencepiece")
    saved = spm.SentencePieceProcessor(model_file=str(tmp_path / "saved.model"))
    for _ in range(300):
        line = "".join(rng.choices(alphabet.strip("\n") + "xé", k=rng.randint(0, 12)))
        assert tokenizer.encode(line).ids == model.encode(line) == saved.encode(line)


_ALPHABETS = [
    "ab ",
    "abc \n",
    "سلم \n",
    "aé😀1 ",
    "a.b-1 ",
    "漢かカーa ",
    "a\u0301\u0300b1 \n",
    "س\u200ca۱١ \n",
    "aбα.1 ",
    "▁ab ",
]


@pytest.mark.parametrize("alphabet", _ALPHABETS)
def test_scripts_digits_marks_and_spaces(tmp_path: Path, alphabet: str) -> None:
    rng = random.Random(alphabet)
    for size in (30, 300):
        text = "".join(rng.choice(alphabet) for _ in range(size)) + "a"
        model = _theirs(tmp_path, text, 45, "identity")
        run = _train(text, 45, normalize=())
        theirs = _pieces(model)
        tokens = list(run.tokenizer().model.tokens)
        n_merges = len(run.merges)
        n_characters = run.n_alphabet
        assert [merge.token for merge in run.merges] == theirs[3 : 3 + n_merges]
        assert tokens[:3] == theirs[:3] == ["<unk>", "<s>", "</s>"]
        if "▁" in alphabet:  # a sign of its own in the text counts as often as it stands there
            assert sorted(tokens[-n_characters:]) == sorted(theirs[-n_characters:])
        else:
            assert tokens[-n_characters:] == theirs[-n_characters:]


def test_pieces_end_at_sixteen_characters(tmp_path: Path) -> None:
    text = "abcdefghijklmnopqrstuvwxyz aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" * 3
    model = _theirs(tmp_path, text, 60, "identity")
    run = _train(text, 60, normalize=())
    assert [merge.token for merge in run.merges] == _pieces(model)[3 : 3 + len(run.merges)]
    assert max(len(merge.token) for merge in run.merges) == 16


def test_unknown_runs_are_one(tmp_path: Path) -> None:
    text = "ab ab abc abcd\n" * 3
    model = _theirs(tmp_path, text, 12, "identity")
    tokenizer = _train(text, 12, normalize=()).tokenizer()
    for sample in ("abxyzab", "xyz", "ab x y ab", "a" * 5 + "é" * 3):
        assert list(tokenizer.encode(sample).ids) == model.encode(sample)
