"""`bpe-studio count`, and training from what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import HUGS, SAMPLES, Studio, read_log


def test_character_units_write_words_as_they_are(studio: Studio, hugs: Path) -> None:
    outcome = studio("count", hugs, "--preset", "textbook", "-o", "out.tsv")
    assert outcome.status == 0
    assert outcome.out == ""
    head, _, rows = Path("out.tsv").read_text("utf-8").partition("\n")
    assert head.startswith("#bpe-studio-counts {")
    assert rows == "".join(f"{word}\t{count}\n" for word, count in HUGS.items())


def test_byte_units_write_stand_ins(studio: Studio) -> None:
    assert studio("count", "-", "-o", "-", given="é\n\té").lines[1:] == ["Ã©\t2", "Ċ\t1", "ĉ\t1"]


@pytest.mark.parametrize(
    "preset", ["textbook", "sennrich", "gpt2", "raw", "subword-nmt", "sentencepiece"]
)
def test_training_from_counts_equals_training_from_text(studio: Studio, preset: str) -> None:
    text = SAMPLES / "many_scripts.txt"
    target = ["--merges", "60", "--preset", preset]
    assert studio("count", text, "--preset", preset, "-o", "counts.tsv").status == 0
    assert studio("train", text, "-o", "one", "--log", "one.log", *target).status == 0
    assert (
        studio("train", "--counts", "counts.tsv", "-o", "two", "--log", "two.log", *target).status
        == 0
    )
    assert read_log(Path("one.log")) == read_log(Path("two.log"))
    assert len(read_log(Path("one.log"))) == 60
    assert (Path("one") / "tokenizer.json").read_bytes() == (
        Path("two") / "tokenizer.json"
    ).read_bytes()


def test_counts_of_several_machines_are_joined_end_to_end(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "all.tsv").write_text("hug\t4\npug\t5\npun\t12\nbun\t4\nhugs\t5\nhug\t6\n", "utf-8")
    outcome = studio(
        "train",
        "--counts",
        "all.tsv",
        "--preset",
        "textbook",
        "--merges",
        "1",
        "-o",
        "o",
        "--log",
        "-",
    )
    assert '"token": "ug", "count": 20' in outcome.out


def test_white_space_in_a_pre_token_is_escaped(studio: Studio) -> None:
    raw = ("count", "-", "--preset", "raw", "--units", "characters", "-o", "-")
    assert studio(*raw, given="a\t5\nb").lines[1:] == [r"a\t5\nb" + "\t1"]
    assert studio("count", "-", "--preset", "raw", "-o", "-", given="a\t5\nb").lines[1:] == [
        "aĉ5Ċb\t1"
    ]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("hug 10\npug\t5\n", "Line 1"),
        ("hug\t10\npug\tfive\n", "Line 2"),
        ("hug\t10\n\t5\n", "Line 2"),
        ("hug\t10\npug", "Line 2"),
        ("hug\t-3\n", "Line 1"),
        ("", "is empty"),
    ],
)
def test_a_line_that_is_no_count_is_named(
    studio: Studio, tmp_path: Path, content: str, named: str
) -> None:
    (tmp_path / "bad.tsv").write_text(content, "utf-8")
    assert (
        named
        in studio("train", "--counts", "bad.tsv", "--preset", "textbook", "-o", "out").sentence()
    )
    assert not Path("out").exists()
