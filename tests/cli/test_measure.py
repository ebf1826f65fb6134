"""`bpe-studio measure`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Studio
from tests.files.third_party.made import content_of

KEYS = [
    "tokenizer",
    "step",
    "vocab_size",
    "group",
    "n_tokens",
    "bytes_per_token",
    "chars_per_token",
    "fertility",
    "single_token_words",
    "renyi_2",
    "renyi_2.5",
    "renyi_3",
    "shannon",
    "vocabulary_used",
    "gini",
]
_RECORDS = [
    ("en", "the dog and the cat"),
    ("fa", "سلام دنیا"),
    ("en", "a dog"),
    (None, "no language"),
]


@pytest.fixture
def tokenizer(studio: Studio, hugs: Path) -> Path:
    assert studio("train", hugs, "--vocab-size", "263", "-o", "bytes").status == 0
    return Path("bytes").resolve()


def _measured(studio: Studio, *arguments: object) -> list[dict[str, Any]]:
    outcome = studio("measure", *arguments, "--json")
    assert outcome.status == 0, outcome
    found: list[dict[str, Any]] = json.loads(outcome.out)
    assert all(list(row) == KEYS for row in found)
    return found


def test_rows_of_each_tokenizer_at_each_step(studio: Studio, tokenizer: Path, hugs: Path) -> None:
    found = _measured(studio, "-t", tokenizer, "-t", tokenizer, "--steps", "0,2,6", hugs)
    assert [(row["step"], row["group"]) for row in found] == [
        (0, "all"),
        (2, "all"),
        (6, "all"),
    ] * 2
    assert found[0]["chars_per_token"] == 1 and found[0]["single_token_words"] == 0
    assert [row["n_tokens"] for row in found[:3]] == sorted(
        (row["n_tokens"] for row in found[:3]), reverse=True
    )
    compared = json.loads(
        studio("compare", "-t", tokenizer, "--steps", "0,2,6", hugs, "--json").out
    )
    for one, other in zip(found, compared, strict=False):
        for key in (
            "step",
            "vocab_size",
            "n_tokens",
            "bytes_per_token",
            "chars_per_token",
            "fertility",
        ):
            assert one[key] == other[key]


def test_by_script_and_by_file(studio: Studio, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("dog собака 12", "utf-8")
    (tmp_path / "two.txt").write_text("سلام dog", "utf-8")
    by_script = _measured(studio, "-t", tokenizer, "--by", "script", "one.txt", "two.txt")
    assert [row["group"] for row in by_script] == ["all", "Latin", "Cyrillic", "Common", "Arabic"]
    assert sum(row["n_tokens"] for row in by_script[1:]) == by_script[0]["n_tokens"]
    by_file = _measured(studio, "-t", tokenizer, "--by", "file", "one.txt", "two.txt")
    assert [row["group"] for row in by_file] == ["all", "one.txt", "two.txt"]
    assert by_file[1] | {"group": "all"} == _measured(studio, "-t", tokenizer, "one.txt")[0]


def test_what_each_script_pays_is_said(studio: Studio, tokenizer: Path) -> None:
    Path("both.txt").write_text("the dog hugs a pug\n" * 40 + "भाषा मॉडल\n" * 40, "utf-8")
    outcome = studio("measure", "-t", tokenizer, "--by", "script", "both.txt", "--json")
    paid = {row["group"]: 1 / row["chars_per_token"] for row in json.loads(outcome.out)}
    assert (
        f"Devanagari pays {paid['Devanagari'] / paid['Latin']:.1f} times what Latin pays"
        in outcome.err
    )
    assert "pays" not in studio("measure", "-t", tokenizer, "both.txt").err


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.zip"])
def test_by_the_value_of_a_column(studio: Studio, tokenizer: Path, name: str) -> None:
    if name == "a.csv":
        Path(name).write_text(
            "\n".join(["lang,text", *(f"{lang or ''},{text}" for lang, text in _RECORDS)]), "utf-8"
        )
    else:
        lines = "\n".join(json.dumps({"lang": lang, "text": text}) for lang, text in _RECORDS)
        Path("a.jsonl").write_text("[1]\n" + lines, "utf-8")
    if name == "a.zip":
        with zipfile.ZipFile(name, "w") as archive:
            archive.write("a.jsonl", "x/a.jsonl")
            archive.write("a.jsonl", "y/b.jsonl")
    found = _measured(studio, "-t", tokenizer, "--by", "column:lang", name)
    assert [row["group"] for row in found] == ["all", "en", "fa", ""]
    times = 2 if name == "a.zip" else 1
    size = sum(len(text) for lang, text in _RECORDS if lang == "en")
    assert found[1]["n_tokens"] * found[1]["chars_per_token"] == pytest.approx(
        size * times, abs=1e-3
    )


def test_a_tokenizer_without_merges(studio: Studio, tmp_path: Path, hugs: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(content_of("word_piece"), "utf-8")
    (row,) = _measured(studio, "-t", "tokenizer.json", hugs)
    assert row["step"] == 0 and row["n_tokens"] > 0


@pytest.mark.parametrize("group", ["", "words", "column:"])
def test_what_is_no_group_is_wrong_usage(
    studio: Studio, tokenizer: Path, hugs: Path, group: str
) -> None:
    outcome = studio("measure", "-t", tokenizer, "--by", group, hugs)
    assert outcome.status == 2 and "is not a group" in outcome.err


def test_a_size_has_its_costs(studio: Studio, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hug pug")
    text = tmp_path / "text.txt"
    model = ("--width", 64, "--layers", 2, "--context", "1k")
    outcome = studio("measure", "-t", tokenizer, *model, text, "--json")
    (row,) = json.loads(outcome.out)
    in_layers = 12 * 2 * 64**2
    assert row["parameters"] == in_layers + 2 * 263 * 64
    for_a_token = 2 * (in_layers + 263 * 64) + 2 * 2 * 1000 * 64
    assert row["flops_per_byte"] == pytest.approx(for_a_token * row["n_tokens"] / 7)
    outcome = studio("measure", "-t", tokenizer, *model, "--tied", text, "--json")
    assert json.loads(outcome.out)[0]["parameters"] == in_layers + 263 * 64


@pytest.mark.parametrize("model", [("--width", 64), ("--tied",), ("--width", 0)])
def test_a_model_without_a_shape_is_refused(
    studio: Studio, tokenizer: Path, model: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("hug pug")
    outcome = studio("measure", "-t", tokenizer, *model, tmp_path / "text.txt")
    assert outcome.status != 0
    assert "--width, --layers and --context" in outcome.err


def test_a_model_of_no_width_is_refused(studio: Studio, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hug pug")
    model = ("--width", 0, "--layers", 2, "--context", 8)
    outcome = studio("measure", "-t", tokenizer, *model, tmp_path / "text.txt")
    assert outcome.status != 0
    assert "The width of a model is at least 1" in outcome.err


def test_gold_words_agree_or_not(studio: Studio, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hug pug")
    (tmp_path / "gold.tsv").write_text("hugs\thug s\npug\tp ug\nran\trun\n")
    outcome = studio(
        "measure", "-t", tokenizer, "--gold", tmp_path / "gold.tsv", tmp_path / "text.txt", "--json"
    )
    (row,) = json.loads(outcome.out)
    assert row["n_gold_words"] == 2
    assert row["boundary_recall"] == 1.0
    assert 0 < row["boundary_f1"] <= 1
    assert "1 line left out" in outcome.err


def test_gold_words_of_each_group(studio: Studio, tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("text\tlang\nhug pug\ten\npun bun\tde\nhugs\tfr\n")
    (tmp_path / "gold.tsv").write_text("hugs\thug s\ten\npugs\tpu gs\tde\n")
    command = ["measure", "-t", tokenizer, "--gold", tmp_path / "gold.tsv", "--json"]
    outcome = studio(*command, "--by", "column:lang", tmp_path / "texts.tsv")
    rows = {row["group"]: row for row in json.loads(outcome.out)}
    assert {name: row["n_gold_words"] for name, row in rows.items()} == {
        "all": 2,
        "en": 1,
        "de": 1,
        "fr": 0,
    }
    assert rows["en"]["boundary_f1"] == 1.0
    assert rows["fr"]["boundary_f1"] is None
    (row, latin) = json.loads(studio(*command, "--by", "script", tmp_path / "texts.tsv").out)
    assert (row["n_gold_words"], latin["n_gold_words"]) == (2, 2)
