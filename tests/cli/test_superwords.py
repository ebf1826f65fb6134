"""Superwords from the command line: what they refuse, and the files that hold them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tokenizers

from bpe_studio import load
from bpe_studio.engine.generators import result_of
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.opening.documents import open_document
from tests.cli.conftest import Studio

WORDS = ["the", "way", "of", "don't", "it's", "x:", "no:", "12", "45678", "é世", "--", "=="]
GAPS = [" "] * 9 + ["  ", "\n", "", ": ", ", ", "\t", "\t  ", "!!\r\n", "\u00a0", ".,"]


def text_of(seed: int, n_words: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(WORDS) + chance.choice(GAPS) for _ in range(n_words))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--superwords-from 100", "257 or more"),
        ("--superwords-from 8192", "training ends at 8,192"),
        ("--superwords-from 9000", "training ends at 8,192"),
        ("--superwords-from 300 --preset sentencepiece", "split sentencepiece"),
        ("--superwords-from 300 --word-end </w>", "word-end"),
        ("--superwords-from 300 --continuing ##", "continuing"),
        ("--superwords-from 300 --superwords-split regex:(", "not valid"),
        ("--superwords-from 300 --superwords-split regex:x* --format tiktoken", "empty"),
        ("--superwords-from 300 --superwords-words 101", "1 to 100"),
        ("--superwords-from 300 --split words --no-full-alphabet", "words and punctuation"),
        ("--preset superbpe --format gpt2", "superwords"),
    ],
)
def test_what_does_not_go_is_refused_before_a_text_is_read(
    studio: Studio, options: str, says: str
) -> None:
    assert says in studio("train", "nothing.txt", *options.split(), "-o", "out").sentence()


def test_counts_of_one_stage_are_refused_for_two(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 200), "utf-8")
    assert studio("count", "words.txt", "-o", "counts.tsv").status == 0
    train = ["train", "--superwords-from", "300", "-o", "out"]
    assert "superwords-from none and not 300" in studio(*train, "--counts", "counts.tsv").sentence()
    Path("plain.tsv").write_text("hug\t10\n", "utf-8")
    assert "second one" in studio(*train, "--counts", "plain.tsv").sentence()
    count = ["count", "words.txt", "--superwords-from", "300", "-o", "more.tsv"]
    assert "second one" in studio(*count).sentence()


@pytest.mark.parametrize("split", ["superwords", "none", r"regex:\n|\p{N}|[:!]+"])
def test_files_hold_both_stages_with_one_split(studio: Studio, split: str) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "700"]
    train += ["--superwords-split", split]
    for name, file in (("huggingface", "hf"), ("tiktoken", "ranks"), ("studio", "a.bpestudio")):
        assert studio(*train, "--format", name, "-o", file).status == 0
    theirs = tokenizers.Tokenizer.from_file("hf/tokenizer.json")
    ours = load("a.bpestudio")
    again = load("hf")
    ranks = load("ranks", split=ours.model.config.split)
    n_joined = 0
    for seed in range(2000):
        text = text_of(seed, seed % 30)
        encoded = ours.encode(text)
        assert theirs.encode(text).ids == encoded.ids == again.encode(text).ids
        assert ranks.encode(text).tokens == encoded.tokens
        assert ours.decode(encoded.ids) == text
        n_joined += sum("Ġ" in token[1:] for token in encoded.tokens)
    assert n_joined > 1000


def test_a_document_opens_with_all_its_steps(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "400"]
    assert studio(*train, "--format", "studio", "-o", "a.bpestudio").status == 0
    opened = result_of(open_document(Backend(), Path("a.bpestudio")))
    assert len(opened.notices) == 1  # that the text is not inside
    run = opened.project.session.current.trainer.run_record
    assert len(run.merges) == 400 - 257
    assert [run.n_first, run.vocab_size_at(run.n_first)] == [320 - 257, 320]
    assert run.measure("n_tokens").tolist() == [
        run.token_counts_at(step).sum() for step in range(len(run.merges) + 1)
    ]
