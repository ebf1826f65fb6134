"""`bpe-studio doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Studio

pytestmark = pytest.mark.usefixtures("few_characters")


def test_a_tokenizer_of_our_own(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--vocab-size", "262", "-o", "bytes").status == 0
    outcome = studio("doctor", "-t", "bytes", "--corpus", hugs)
    assert outcome.status == 0, outcome.err
    assert outcome.lines[0] == "262 tokens"
    assert [line.split() for line in outcome.lines[1:5]] == [
        ["reachable", "133"],
        ["unreachable", "0"],
        ["partial", "128"],
        ["special", "1"],
    ]
    assert [line.split()[0] for line in outcome.lines[8:]] == ["passed"] * 9
    found = json.loads(studio("doctor", "-t", "bytes", "--corpus", hugs, "--json").out)
    assert found["classes"] == {"reachable": 133, "unreachable": 0, "partial": 128, "special": 1}
    assert found["n_unused"] == len(found["unused"]) and 0 in found["unused"]


def test_a_token_that_is_never_made(studio: Studio, hugs: Path) -> None:
    forced = [word for pair in ("h u", "u g", "h ug") for word in ("--force", pair)]
    assert studio("train", hugs, "--vocab-size", "260", *forced, "-o", "bytes").status == 0
    outcome = studio("doctor", "-t", "bytes")
    assert outcome.status == 0
    assert [line.split("\t") for line in outcome.lines[-2:]] == [
        ["unreachable", "id", "reason", "by"],
        ["hug", "259", "merge", "h u"],
    ]


def test_failed_gates_are_the_exit_status(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--preset", "textbook", "--merges", "3", "-o", "words").status == 0
    outcome = studio("doctor", "-t", "words", "--json")
    assert outcome.sentence().startswith(
        "6 gates of 9 failed: every_byte, every_code_point, digits"
    )
    gates = {gate["name"]: gate for gate in json.loads(outcome.out)["gates"]}
    assert (
        not gates["every_byte"]["passed"] and "cannot be encoded" in gates["every_byte"]["detail"]
    )
    assert gates["no_holes"] == {
        "name": "no_holes",
        "passed": True,
        "detail": "ids go from 0 to 10 without a gap",
    }


def test_what_is_no_tokenizer(studio: Studio, hugs: Path) -> None:
    assert "not a tokenizer" in studio("doctor", "-t", hugs).sentence()
    assert studio("doctor").status == 2
