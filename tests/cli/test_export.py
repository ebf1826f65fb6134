"""`bpe-studio export page`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import tokenizers

from tests.cli.conftest import Studio
from tests.files.exports.test_living_page import in_browser


def _data(page: str) -> dict[str, Any]:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_a_page_has_the_run_and_what_it_shows_first(studio: Studio, hugs: Path) -> None:
    outcome = studio(
        "export",
        "page",
        hugs,
        "-o",
        "p.html",
        "--preset",
        "textbook",
        "--merges",
        "3",
        "--text",
        "hug",
        "--step",
        "2",
    )
    assert outcome.status == 0 and "3 merges" in outcome.err
    data = _data(Path("p.html").read_text("utf-8"))
    assert len(data["run"]["merges"]) == 3
    assert (data["view"]["title"], data["view"]["text"], data["view"]["step"]) == (
        hugs.name,
        "hug",
        2,
    )
    printed = studio(
        "export",
        "page",
        hugs,
        "-o",
        "-",
        "--preset",
        "textbook",
        "--merges",
        "3",
        "--title",
        "Hugs",
    )
    assert _data(printed.out)["view"]["title"] == "Hugs"


def test_what_no_page_can_do_is_said_before_training(studio: Studio, hugs: Path) -> None:
    assert (
        "regular expression"
        in studio("export", "page", hugs, "-o", "p.html", "--split", r"regex:\w+(?<=a)").sentence()
    )
    assert "folder" in studio("export", "page", hugs, "-o", "missing/p.html").sentence()


def test_a_tokenizer_of_another_program_is_a_page_with_its_own_ids(
    studio: Studio, tmp_path: Path
) -> None:
    peer = tokenizers.ByteLevelBPETokenizer()
    peer.train_from_iterator(
        ["low lower lowest newest"] * 9, vocab_size=270, special_tokens=["<s>"]
    )
    peer.save(str(tmp_path / "peer.json"))
    assert studio("export", "page", "-t", "peer.json", "-o", "p.html").status == 0
    page = Path("p.html").read_bytes()
    text = "the lowest newest"
    script = f"""by("apart").click(); type("typed", {json.dumps(text)}); key("End"); return texts("#tokens .num");"""
    assert list(map(int, in_browser(tmp_path, page, script))) == peer.encode(text).ids
    assert studio("export", "page", "-t", "peer.json", "x.txt", "-o", "p.html").status == 2


def test_an_unknown_character_has_the_id_of_the_tokenizer(studio: Studio, tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "[UNK]": 3}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [("a", "b")], unk_token="[UNK]"))
    peer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    peer.save(str(tmp_path / "peer.json"))
    assert studio("export", "page", "-t", "peer.json", "-o", "p.html").status == 0
    script = (
        """by("apart").click(); type("typed", "ab ac"); key("End"); return texts("#tokens .num");"""
    )
    assert (
        list(map(int, in_browser(tmp_path, Path("p.html").read_bytes(), script)))
        == peer.encode("ab ac").ids
    )


def test_a_folder_of_lessons_becomes_a_site(studio: Studio, tmp_path: Path) -> None:
    folder = tmp_path / "lessons"
    folder.mkdir()
    lesson = "title: {}\ntext: low low lower\nsettings:\n  preset: textbook\n"
    lesson += "steps:\n  - heading: One\n    say: At {{step}}.\n"
    for name in ("First", "No. #2"):
        (folder / f"{name}.yaml").write_text(lesson.format(name), encoding="utf-8")
    assert studio("export", "lessons", folder, "-o", "site").status == 0
    assert sorted(path.name for path in Path("site").iterdir()) == [
        "First.html",
        "No. #2.html",
        "index.html",
    ]
    assert 'href="No.%20%232.html"' in Path("site/First.html").read_text("utf-8")
    assert 'href="First.html"' in Path("site/index.html").read_text("utf-8")
    (folder / "No. #2.yaml").write_text("title: Broken\n", encoding="utf-8")
    assert "No. #2.yaml" in studio("export", "lessons", folder, "-o", "site").sentence()
    (folder / "No. #2.yaml").rename(folder / "index.yaml")
    assert "another name" in studio("export", "lessons", folder, "-o", "site").sentence()
    assert "no folder" in studio("export", "lessons", "missing", "-o", "site").sentence()
