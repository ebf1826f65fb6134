"""`bpe-studio export page`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import tokenizers

from bpe_studio.files.samples import resources_folder
from tests.cli.conftest import Studio
from tests.javascript import run_javascript


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
    assert (data["view"]["text"], data["view"]["step"]) == ("hug", 2)
    assert hugs.stem in data["view"]["title"] and hugs.name not in data["view"]["title"]
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


def _ids(folder: Path, text: str) -> list[int]:
    """The ids of a text in `p.html`, which the engine of the page finds in the page's data."""
    script = """
    const { tables, run: made } = data.page, engine = bpeEngine(tables), run = engine.openRun(made);
    const tokensOf = (word) => engine.cut(word, run.merges.length, run).map(({ token }) => token);
    const tokens = engine.makeEncoder(run).encode(data.text).flatMap(tokensOf);
    return tokens.map((token) => made.ids.at(token)); // -1 is an unknown one, whose id is the last
    """
    engine = (resources_folder() / "living_page" / "engine.js").read_text("utf-8")
    page = _data(Path("p.html").read_text("utf-8"))
    return run_javascript(folder, engine, script, {"page": page, "text": text})


def test_a_tokenizer_of_another_program_is_a_page_with_its_own_ids(
    studio: Studio, tmp_path: Path
) -> None:
    peer = tokenizers.ByteLevelBPETokenizer()
    peer.train_from_iterator(
        ["low lower lowest newest"] * 9, vocab_size=270, special_tokens=["<s>"]
    )
    peer.save(str(tmp_path / "peer.json"))
    assert studio("export", "page", "-t", "peer.json", "-o", "p.html").status == 0
    text = "the lowest newest"
    assert _ids(tmp_path, text) == peer.encode(text).ids
    assert studio("export", "page", "-t", "peer.json", "x.txt", "-o", "p.html").status == 2


def test_an_unknown_character_has_the_id_of_the_tokenizer(studio: Studio, tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "[UNK]": 3}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [("a", "b")], unk_token="[UNK]"))
    peer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    peer.save(str(tmp_path / "peer.json"))
    assert studio("export", "page", "-t", "peer.json", "-o", "p.html").status == 0
    assert _ids(tmp_path, "ab ac") == peer.encode("ab ac").ids


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
