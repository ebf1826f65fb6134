"""`bpe-studio vocab`."""

from __future__ import annotations

import json
from pathlib import Path

import bpe_studio as bpe
from tests.cli.conftest import Studio


def test_tokens_have_their_ranks_and_counts(studio: Studio, hugs: Path) -> None:
    studio("train", hugs, "--preset", "textbook", "--merges", "3", "-o", "tok")
    outcome = studio("vocab", "-t", "tok", hugs)
    assert outcome.lines[0] == "id\ttoken\trank\tcount"
    assert outcome.lines[1] == "0\t[UNK]\t\t0"
    assert outcome.lines[-3:] == ["8\tug\t0\t5", "9\tun\t1\t16", "10\thug\t2\t15"]


def test_json_has_the_tokens_of_a_step(studio: Studio, hugs: Path) -> None:
    studio("train", hugs, "--vocab-size", "260", "-o", "tok")
    found = json.loads(studio("vocab", "-t", "tok", "--step", "1", "--json").out)
    names = bpe.load("tok").at(1).tokens
    assert [(each["id"], each["token"]) for each in found] == list(names.items())
    assert [each["rank"] for each in found] == [None] * 257 + [0]
