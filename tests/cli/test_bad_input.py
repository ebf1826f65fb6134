"""What cannot be read, understood or written: one plain sentence, status 1, nothing broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Studio
from tests.facts import says

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01" + bytes(range(256)) * 8


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("missing.txt", None, "missing.txt"),
        ("folder", "folder", "folder"),
        ("picture.png", PNG, "picture.png"),
        ("empty.txt", b"", "empty"),
        ("mark.txt", b"\xef\xbb\xbf", "empty"),
        ("nul.bin", b"\x00\x01\x02\x00" * 600, "nul.bin"),
    ],
)
@pytest.mark.parametrize("command", ["train", "count", "encode", "compare"])
def test_a_file_that_is_no_text(
    studio: Studio,
    hugs: Path,
    tmp_path: Path,
    command: str,
    name: str,
    content: bytes | str | None,
    named: str,
) -> None:
    studio("train", hugs, "--preset", "textbook", "-o", "tok")
    if content == "folder":
        (tmp_path / name).mkdir()
    elif isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    more = {
        "train": ["-o", "out"],
        "count": ["-o", "out"],
        "encode": ["-t", "tok"],
        "compare": ["-t", "tok"],
    }[command]
    outcome = studio(command, name, *more)
    assert named in outcome.sentence()
    assert outcome.out == ""
    assert not Path("out").exists()


def test_invalid_utf_8_in_the_middle_is_kept_byte_for_byte(studio: Studio, tmp_path: Path) -> None:
    text = "سلام دنیا ".encode() * 30
    (tmp_path / "stray.txt").write_bytes(text + b"\xd8 " + text)
    outcome = studio("train", "stray.txt", "-o", "out", "--merges", "5")
    assert outcome.status == 0
    assert "stray.txt" in outcome.err.splitlines()[0]


def test_a_vocabulary_below_the_alphabet(studio: Studio, hugs: Path) -> None:
    assert "257" in studio("train", hugs, "--vocab-size", "200", "-o", "out").sentence()
    assert (
        "8"
        in studio(
            "train", hugs, "--preset", "textbook", "--vocab-size", "3", "-o", "out"
        ).sentence()
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--units", "characters", "--full-alphabet"],
        ["--word-end-as", "own-symbol"],
        ["--documents", "separator", "--no-special"],
        ["--special", "<s>", "--special", "<s>"],
        ["--force", "h u", "--forbid", "h u"],
        ["--vocab-size", "99999999999"],
    ],
)
def test_options_that_make_no_sense_together(
    studio: Studio, hugs: Path, arguments: list[str]
) -> None:
    studio("train", hugs, "-o", "out", *arguments).sentence()
    assert not Path("out").exists()


@pytest.mark.parametrize("place", ["nowhere/out", "hugs.txt/out"])
def test_a_place_that_there_is_not(studio: Studio, hugs: Path, place: str) -> None:
    for more in (
        ["train", "-o", place],
        ["count", "-o", place],
        ["train", "-o", "out", "--log", place],
    ):
        studio(*more, hugs).sentence()
    assert not Path("out").exists()


def test_a_folder_that_may_not_be_written_to(
    studio: Studio, hugs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests may run as root, who may write anywhere: the system's answer is put in its place.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    (tmp_path / "locked").mkdir()
    assert "cannot write" in studio("train", hugs, "-o", "locked/out").sentence()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_a_full_disk(studio: Studio, hugs: Path) -> None:
    assert "full" in studio("count", hugs, "-o", "/dev/full").sentence()
    assert "full" in studio("train", hugs, "-o", "out", "--log", "/dev/full").sentence()


def test_a_file_where_a_folder_goes(studio: Studio, hugs: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", "utf-8")
    studio("train", hugs, "--preset", "textbook", "-o", "taken").sentence()
    assert (tmp_path / "taken").read_text("utf-8") == "mine"


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_a_tokenizer_that_is_not_there(studio: Studio, tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    assert place in studio("encode", "-t", place, "--text", "a").sentence()


@pytest.mark.parametrize("address", ["nonsense", "tcp://localhost"])
def test_an_address_without_a_port_is_refused_before_dask_tries_it(
    studio: Studio, tmp_path: Path, address: str
) -> None:
    (tmp_path / "hug.txt").write_text("hug pug", encoding="utf-8")
    outcome = studio("count", "hug.txt", "-o", "out.tsv", "--dask", address)
    assert outcome.status == 1
    assert says(outcome.err, address, "tcp://HOST:PORT")
