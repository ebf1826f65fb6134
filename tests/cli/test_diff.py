"""`bpe-studio diff`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Studio

pytestmark = pytest.mark.usefixtures("few_texts")


@pytest.fixture
def one(studio: Studio, hugs: Path) -> str:
    assert studio("train", hugs, "--vocab-size", "262", "-o", "one").status == 0
    return "one"


@pytest.fixture
def other(studio: Studio, hugs: Path) -> str:
    studio("train", hugs, "--vocab-size", "262", "--force", "g s", "-o", "other")
    return "other"


def test_what_differs_is_said_and_the_status_is_one(studio: Studio, one: str, other: str) -> None:
    outcome = studio("diff", one, other, "--seconds", "3", "--json")
    assert outcome.status == 1
    found = json.loads(outcome.out)
    assert found["equal"] is False
    text = found["differences"][0]
    assert (len(text["text"]), text["part"]) == (2, "merge order")
    assert text["a"]["ids"] != text["b"]["ids"]
    assert any(
        merge and merge["left"] + merge["right"] == text["text"] for merge in text["merge"].values()
    )
    assert {"left": "g", "right": "s", "token": "gs", "rank": 0} in found["only_b"]["merges"]
    report = studio("diff", one, other, "--seconds", "3").out
    assert repr(text["text"]) in report and text["why"] in report
    assert (
        report.index(found["said"][0]) < report.index("A short example") and not text["is_shortest"]
    )


def test_equal_ones_have_the_status_zero(studio: Studio, one: str) -> None:
    studio("convert", one, "pair", "--to", "gpt2")
    outcome = studio("diff", one, "pair", "--seconds", "2")
    assert outcome.status == 0
    assert "same" in outcome.out


def test_a_golden_file_shows_drift(
    studio: Studio, one: str, other: str, hugs: Path, tmp_path: Path
) -> None:
    assert studio("diff", one, hugs, "--golden", "golden.jsonl").status == 0
    lines = [
        json.loads(line) for line in (tmp_path / "golden.jsonl").read_text("utf-8").splitlines()
    ]
    assert lines[0]["text"] == hugs.read_text("utf-8")
    ids = studio("encode", "-t", one, hugs).out.split()
    assert [str(number) for number in lines[0]["ids"]] == ids
    assert studio("diff", one, "--check", "golden.jsonl").status == 0
    outcome = studio("diff", other, "--check", "golden.jsonl", "--json")
    assert outcome.status == 1
    drift = json.loads(outcome.out)
    assert drift["n_texts"] == len(lines) and 0 < drift["n_drifted"] <= len(lines)
    assert lines[drift["line"] - 1]["ids"] == drift["expected"] != drift["found"]


def test_a_template_is_in_a_golden_file(studio: Studio, one: str, tmp_path: Path) -> None:
    path = tmp_path / one / "tokenizer.json"
    root = json.loads(path.read_text("utf-8"))
    root["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            "<|endoftext|>": {"id": "<|endoftext|>", "ids": [0], "tokens": ["<|endoftext|>"]}
        },
    }
    (tmp_path / "with.json").write_text(json.dumps(root), "utf-8")
    studio("diff", "with.json", "--golden", "golden.jsonl")
    entry = json.loads((tmp_path / "golden.jsonl").read_text("utf-8").splitlines()[1])
    assert entry["with_special_tokens"] == [0, *entry["ids"]]
    assert studio("diff", one, "--check", "golden.jsonl").status == 1
    studio("diff", one, "--golden", "without.jsonl")
    assert studio("diff", "with.json", "--check", "without.jsonl").status == 1
    found = json.loads(studio("diff", one, "with.json", "--seconds", "2", "--json").out)[
        "differences"
    ]
    assert [(each["part"], each["text"]) for each in found] == [("template", "")]


@pytest.mark.parametrize("library", ["transformers", "tokenizers", "tiktoken"])
def test_a_folder_through_a_library(studio: Studio, one: str, library: str) -> None:
    outcome = studio("diff", one, "--through", library, "--seconds", "2", "--json")
    assert (outcome.status, json.loads(outcome.out)["differences"]) == (0, [])


def test_what_a_library_cannot_have_is_no_difference(studio: Studio, tmp_path: Path) -> None:
    from tests.files.third_party import made

    root = json.loads(made.content_of("gpt2"))
    (name,) = [each["content"] for each in root["added_tokens"]]
    root["added_tokens"][0]["normalized"] = True
    number = root["model"]["vocab"].get(name, root["added_tokens"][0]["id"])
    parts = [{"SpecialToken": {"id": name, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    root["post_processor"] = {
        "type": "TemplateProcessing",
        "single": parts,
        "pair": [*parts, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {name: {"id": name, "ids": [number], "tokens": [name]}},
    }
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "tokenizer.json").write_text(json.dumps(root), "utf-8")
    for library in ("tiktoken", "tokenizers", "transformers"):
        found = studio("diff", "folder", "--through", library, "--seconds", "1", "--json")
        assert (found.status, json.loads(found.out)["settings"]) == (0, []), library
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "tokenizer.model").write_bytes(made.sentencepiece_model("llama"))
    found = studio(
        "diff", "model/tokenizer.model", "--through", "sentencepiece", "--seconds", "1", "--json"
    )
    assert (found.status, json.loads(found.out)["settings"]) == (0, [])


def test_a_folder_whose_two_files_differ(studio: Studio, tmp_path: Path) -> None:
    from tests.files.third_party import made

    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "tokenizer.json").write_text(made.content_of("llama2"), "utf-8")
    (tmp_path / "folder" / "tokenizer.model").write_bytes(made.sentencepiece_model("llama"))
    arguments = [
        "--through",
        "tokenizers",
        "--through",
        "sentencepiece",
        "--seconds",
        "2",
        "--json",
    ]
    outcome = studio("diff", "folder", *arguments)
    found = json.loads(outcome.out)
    assert outcome.status == 1
    assert (found["a"]["name"], found["b"]["name"]) == (
        "folder through tokenizers",
        "folder through sentencepiece",
    )
    assert found["differences"]


def test_a_library_that_is_not_installed(
    studio: Studio, one: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert "pip install tiktoken" in studio("diff", one, "--through", "tiktoken").sentence()


@pytest.mark.parametrize("content", ["", "no json\n", "[1]\n", '{"text": "a"}\n', "[" * 100_000])
def test_what_is_no_golden_file(studio: Studio, one: str, tmp_path: Path, content: str) -> None:
    (tmp_path / "golden.jsonl").write_text(content, "utf-8")
    assert "golden" in studio("diff", one, "--check", "golden.jsonl").sentence()


def test_wrong_usage(studio: Studio, one: str) -> None:
    assert studio("diff", one).status == 2
    assert studio("diff", one, one, "--check", "x").status == 2
    assert studio("diff", one, *["--through", "tokenizers"] * 3).status == 2
    assert [studio("diff", one, one, "--seconds", n).status for n in ("0", "-1", "nan", "x")] == [
        2
    ] * 4
