"""`bpe-studio inspect`, and `bpe.inspect`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Studio


def test_the_findings_of_a_file(studio: Studio) -> None:
    Path("a.txt").write_bytes("clean\nso\xadft \ufffd\ufffd\na \ufeffb \u200b\n".encode())
    outcome = studio("inspect", "a.txt", "--json")
    assert outcome.status == 0 and outcome.err == ""
    found = json.loads(outcome.out)
    assert (found["n_bytes"], found["n_documents"], found["n_lines"]) == (31, 1, 3)
    assert [(each["name"], each["count"]) for each in found["findings"]] == [
        ("replacement_character", 2),
        ("byte_order_mark", 1),
        ("zero_width", 2),
        ("soft_hyphen", 1),
    ]
    assert found["findings"][0]["places"] == [
        {"file": "a.txt", "line": 2, "column": 7},
        {"file": "a.txt", "line": 2, "column": 8},
    ]
    assert found["findings"][0]["sentence"].startswith("2 replacement characters (U+FFFD): ")
    report = studio("inspect", "a.txt", "--places", "1").lines
    assert report[:4] == [
        "31 bytes, 1 document, 3 lines",
        "",
        f"{found['findings'][0]['sentence']}.",
        "    a.txt:2:7  so⟨SHY⟩ft ��",
    ]


def test_records_and_their_measures(studio: Studio) -> None:
    rows = ["one\u00a0two", "three ½ ٣٤", "one\u00a0two", "ﬁ\nfour\r\n"]
    Path("a.jsonl").write_text(
        "".join(json.dumps({"body": row, "n": 1}) + "\n" for row in rows), encoding="utf-8"
    )
    found = json.loads(studio("inspect", "a.jsonl", "--column", "body", "--json").out)
    assert found["n_documents"] == 4
    assert {
        each["name"]: [tuple(place.values())[1:] for place in each["places"]]
        for each in found["findings"]
    } == {
        "no_break_space": [(1, 4, 1), (1, 4, 3)],
        "carriage_returns": [(2, 5, 4)],
        "presentation_forms": [(1, 1, 4)],
        "repeated_documents": [(1, 1, 3)],
    }
    measures = found["measures"]
    assert measures["digits"] == {"Arabic-Indic": 2}
    assert measures["nfkc"]["n_characters"] == 4
    assert measures["nfkc"]["characters"][0] == {"character": "\xa0", "becomes": " ", "count": 2}
    assert len(measures["scripts"]) == 10


def test_places_in_records_name_the_record_and_the_line_in_it(studio: Studio) -> None:
    texts = ["", "first\nse\xadcond", "", "x\xad", "", "a\n", "\xadb\n\nc\n", "", "a\n\xad"]
    rows = [json.dumps({"text": text}) for text in texts]
    Path("a.jsonl").write_text("\n".join([*rows[:3], "{broken", *rows[3:]]), encoding="utf-8")
    report = studio("inspect", "a.jsonl", "--places", "9").lines
    assert report[3:7] == [
        "    a.jsonl record 2:2:3   se⟨SHY⟩cond",
        "    a.jsonl record 5:1:2   x⟨SHY⟩",
        "    a.jsonl record 8:1:1   ⟨SHY⟩b",
        "    a.jsonl record 10:2:1  ⟨SHY⟩",
    ]
    found = json.loads(studio("inspect", "a.jsonl", "--json").out)["findings"]
    assert found[0]["places"][0] == {"file": "a.jsonl", "line": 2, "column": 3, "record": 2}


def test_the_price_of_a_finding(studio: Studio) -> None:
    Path("a.txt").write_text("hug\u200bs hug\u200bs hugs pug\u200bs\n" * 9, encoding="utf-8")
    arguments = [
        "inspect",
        "a.txt",
        "--price",
        "--preset",
        "textbook",
        "--split",
        "whitespace",
        "--merges",
        "3",
    ]
    [zero_width, *_] = json.loads(studio(*arguments, "--json").out)["findings"]
    assert (
        zero_width["price"]["normalize"] == "strip-zero-width"
        and zero_width["price"]["n_merges"] == 3
    )
    assert [
        (each["rank"], each["token"], each["rank_without"])
        for each in zero_width["price"]["merges"]
    ] == [(1, "hug", None), (2, "\u200bs", None)]
    assert (
        "    Price: 2 of 3 merges would not be made with --normalize strip-zero-width: “hug” (merge"
        " 2), “⟨ZWSP⟩s” (merge 3)." in studio(*arguments).lines
    )
    Path("b.txt").write_text("hug hugs\n" * 9 + "see http://x.org/y\n" * 9, encoding="utf-8")
    found = json.loads(studio("inspect", "b.txt", *arguments[2:], "--json").out)["findings"]
    assert [(each["name"], each["price"]["clean"]) for each in found] == [("urls", "urls")]
