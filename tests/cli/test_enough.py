"""`bpe-studio enough`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Studio


def test_the_command(studio: Studio) -> None:
    Path("a.txt").write_text("the cat sat on the mat\n" * 400, encoding="utf-8")
    outcome = studio("enough", "a.txt", "--merges", "5")
    assert outcome.status == 0
    assert [row["share"] for row in outcome.table()] == [
        "0.01",
        "0.02",
        "0.05",
        "0.1",
        "0.2",
        "0.5",
        "1",
    ]
    assert outcome.err.startswith("2 % of this text is enough: ")
    assert len(json.loads(studio("enough", "a.txt", "--merges", "5", "--json").out)["samples"]) == 7
    Path("b.txt").write_text("one line", encoding="utf-8")
    assert "too few lines for samples" in studio("enough", "b.txt").sentence()
