"""`bpe-studio align`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Studio


@pytest.fixture
def pair(studio: Studio, hugs: Path) -> tuple[str, str]:
    assert studio("train", hugs, "--vocab-size", "262", "-o", "one").status == 0
    assert studio("train", hugs, "--preset", "textbook", "--merges", "4", "-o", "two").status == 0
    return "one", "two"


def test_groups_cover_a_text(studio: Studio, pair: tuple[str, str], tmp_path: Path) -> None:
    text = "hugs bugs 漢 pun\n"
    path = tmp_path / "text.txt"
    path.write_text(text, "utf-8")
    outcome = studio("align", *pair, path)
    assert outcome.status == 0
    groups = [json.loads(line) for line in outcome.lines]
    assert all(list(group) == ["start", "end", "a", "b"] for group in groups)
    assert "".join(text[group["start"] : group["end"]] for group in groups) == text
    assert groups[0]["start"] == 0
    for side, name in zip("ab", pair, strict=True):
        ids = [number for group in groups for number in group[side]]
        assert ids == json.loads(studio("encode", "-t", name, path, "--json").out)["ids"]
    n_single = sum(len(group["a"]) == len(group["b"]) == 1 for group in groups)
    assert f"{n_single} of {len(groups)} groups" in outcome.err
    assert "of A cannot be lined up" in outcome.err and "⏎" in outcome.err
    for arguments, given in ((["-"], text), ([], text), (["--text", text], "")):
        assert studio("align", *pair, *arguments, given=given).out == outcome.out


def test_records_are_lined_up_one_by_one(
    studio: Studio, pair: tuple[str, str], tmp_path: Path
) -> None:
    texts = ["hug pug", "", "pun"]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"body": text}) + "\n" for text in texts), "utf-8")
    outcome = studio("align", *pair, path, "--column", "body")
    groups = [json.loads(line) for line in outcome.lines]
    for document, text in enumerate(texts):
        places = [(g["start"], g["end"]) for g in groups if g["document"] == document]
        assert "".join(text[start:end] for start, end in places) == text


def test_the_ids_of_the_same_tokens(studio: Studio, pair: tuple[str, str], tmp_path: Path) -> None:
    outcome = studio("align", *pair, "--id-map", "map.json")
    assert outcome.status == 0 and not outcome.out
    assert studio("align", *pair, "--text", "hug", "--id-map", "map.npy").lines
    found = np.load(tmp_path / "map.npy")
    assert found.tolist() == json.loads((tmp_path / "map.json").read_text("utf-8"))
    assert f"{np.count_nonzero(found >= 0)} of the {len(found)} tokens" in outcome.err
    only_b = json.loads(studio("diff", *pair, "--seconds", "0.1", "--json").out)["only_b"]
    assert [token["id"] for token in only_b["tokens"]] == np.flatnonzero(found < 0).tolist()


def test_wrong_usage_and_text(studio: Studio, pair: tuple[str, str]) -> None:
    assert studio("align", *pair, "a.txt", "--text", "b").status == 2
    assert studio("align", *pair, "--id-map", "map.txt").status == 2
    assert studio("align", *pair, "--id-map", "missing/map.npy").sentence()
    assert studio("align", *pair, "missing.txt").sentence()
