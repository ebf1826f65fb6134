"""`bpe-studio export page`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.conftest import Studio


def _data(page: str) -> dict[str, Any]:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_a_page_has_the_run_and_what_it_shows_first(studio: Studio, hugs: Path) -> None:
    outcome = studio(
        "export", "page", hugs, "-o", "p.html", "--preset", "textbook", "--merges", "3", "--text", "hug", "--step", "2"
    )
    assert outcome.status == 0 and "3 merges" in outcome.err
    data = _data(Path("p.html").read_text("utf-8"))
    assert len(data["run"]["merges"]) == 3
    assert (data["view"]["title"], data["view"]["text"], data["view"]["step"]) == (hugs.name, "hug", 2)
    printed = studio("export", "page", hugs, "-o", "-", "--preset", "textbook", "--merges", "3", "--title", "Hugs")
    assert _data(printed.out)["view"]["title"] == "Hugs"


def test_what_no_page_can_do_is_said_before_training(studio: Studio, hugs: Path) -> None:
    assert (
        "regular expression" in studio("export", "page", hugs, "-o", "p.html", "--split", r"regex:\w+(?<=a)").sentence()
    )
    assert "folder" in studio("export", "page", hugs, "-o", "missing/p.html").sentence()
