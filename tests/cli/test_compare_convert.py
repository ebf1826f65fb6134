"""`bpe-studio compare` and `convert`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.files.formats import registry
from tests.cli.conftest import SAMPLES, Studio

COLUMNS = [
    "tokenizer",
    "step",
    "vocab_size",
    "n_tokens",
    "bytes_per_token",
    "chars_per_token",
    "fertility",
    "n_unknown",
    "n_types_used",
]


@pytest.fixture
def words(studio: Studio, hugs: Path) -> str:
    assert studio("train", hugs, "--preset", "textbook", "--merges", "4", "-o", "words").status == 0
    return "words"


def test_rows_of_one_tokenizer(studio: Studio, words: str, hugs: Path) -> None:
    outcome = studio("compare", "-t", words, hugs)
    assert outcome.status == 0
    (found,) = outcome.table()
    assert list(found) == COLUMNS
    n_tokens = len(bpe.load(words).encode(hugs.read_text("utf-8")).ids)
    n_bytes = hugs.stat().st_size
    assert (found["tokenizer"], found["step"], found["n_unknown"]) == ("words", "4", "0")
    assert int(found["n_tokens"]) == n_tokens
    assert int(found["vocab_size"]) == bpe.load(words).vocab_size
    assert float(found["bytes_per_token"]) == pytest.approx(n_bytes / n_tokens, abs=1e-4)
    assert float(found["fertility"]) == pytest.approx(n_tokens / 36, abs=1e-4)


def test_rows_by_step_and_as_json(studio: Studio, words: str, hugs: Path) -> None:
    studio("train", hugs, "--vocab-size", "260", "-o", "bytes")
    arguments = ["compare", "-t", words, "-t", "bytes", "--steps", "0,2,3", hugs]
    table = [line.split("\t") for line in studio(*arguments).lines]
    rows = json.loads(studio(*arguments, "--json").out)
    assert [list(row) for row in rows] == [COLUMNS] * 6
    assert [[str(value) for value in row.values()] for row in rows] == table[1:]
    assert [(row["tokenizer"], row["step"]) for row in rows] == [
        (t, k) for t in ("words", "bytes") for k in (0, 2, 3)
    ]
    assert [row["n_tokens"] for row in rows[:3]] == [113, 77, 62]
    assert [row["vocab_size"] for row in rows[:3]] == [8, 10, 11]
    assert [row["n_types_used"] for row in rows[:3]] == [7, 6, 6]


def test_a_step_that_there_is_not_is_refused(studio: Studio, words: str, hugs: Path) -> None:
    assert (
        "steps go from 0 to 4" in studio("compare", "-t", words, "--steps", "2,99", hugs).sentence()
    )


def test_convert_writes_the_same_tokenizer(studio: Studio, words: str) -> None:
    outcome = studio("convert", words, "again", "--to", "huggingface")
    assert (outcome.status, outcome.out) == (0, "")
    assert bpe.load("again").model == bpe.load(words).model


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--vocab-size", "300"], ["gpt2", "tiktoken"]),
        (["--preset", "raw", "--vocab-size", "290", "--ties", "raw-ids"], ["tiktoken", "minbpe"]),
        (["--preset", "subword-nmt", "--merges", "300"], ["subword-nmt"]),
        (["--preset", "sentencepiece", "--vocab-size", "80", "--normalize", ""], ["sentencepiece"]),
    ],
)
def test_every_format_gives_the_same_tokens(
    studio: Studio, options: list[str], names: list[str]
) -> None:
    text = "the bridge, the story"
    assert studio("train", SAMPLES / "bridge_story.txt", "-o", "first", *options).status == 0
    tokens = bpe.load("first").encode(text).tokens
    for name in names:
        said = studio("convert", "first", f"as-{name}", "--to", name)
        assert said.status == 0 and registry.FORMATS[name].kept.sentence in said.err + said.out
        assert studio("convert", f"as-{name}", "again", "--to", "huggingface").status == 0
        assert (
            bpe.load(f"as-{name}").encode(text).tokens
            == bpe.load("again").encode(text).tokens
            == tokens
        )
        if not registry.FORMATS[name].is_folder:
            assert (
                studio("convert", "first", "-", "--to", name).out_bytes
                == Path(f"as-{name}").read_bytes()
            )


def test_convert_compares_both_on_a_text(studio: Studio) -> None:
    text = SAMPLES / "bridge_story.txt"
    assert (
        studio("train", text, "-o", "first", "--preset", "o200k", "--vocab-size", "300").status == 0
    )
    Path("strange.txt").write_text("the bridge, DON'T the bridgeBridge 12345", "utf-8")
    alike = studio(
        "convert",
        "first",
        "again",
        "--to",
        "huggingface",
        "--corpus",
        "strange.txt",
        "--corpus",
        text,
    )
    n_words = len(bpe.Corpus.from_files(["strange.txt", text], bpe.load("first").model.config))
    assert (
        f"the saved file gives the same tokens and ids for all {n_words} distinct words of the"
        " corpus" in alike.err
    )
    assert not alike.out
    other = studio(
        "convert",
        "first",
        "ranks",
        "--to",
        "tiktoken",
        "--split",
        "regex:.",
        "--corpus",
        "strange.txt",
    )
    assert "the saved file gives different tokens for" in other.err
    before = bpe.load("first")
    after = bpe.load("ranks", split="regex:.")
    rows = other.table()
    assert len(rows) > 2
    for row in rows:
        assert row["before"] == " ".join(before.tokenize(row["word"]))
        assert row["after"] == " ".join(after.tokenize(row["word"]))
    assert (
        "name a file or folder"
        in studio("convert", "first", "-", "--to", "tiktoken", "--corpus", text).err
    )


def test_a_format_that_cannot_hold_it_says_so_and_writes_nothing(
    studio: Studio, words: str
) -> None:
    assert "Hugging Face" in studio("convert", words, "out", "--to", "minbpe").sentence()
    assert not Path("out").exists()
