"""Pipes, devices and folders where a file is meant: one sentence, at once, and nothing is trained
before.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Studio

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

PLACES = ["pipe", "/dev/zero", "folder", "missing"]
READING = {
    "encode": ["encode", "-t", "{}", "--text", "a"],
    "decode": ["decode", "-t", "{}", "0"],
    "compare": ["compare", "-t", "{}", "hugs.txt"],
    "convert": ["convert", "{}", "out", "--to", "gpt2"],
    "seed": ["train", "hugs.txt", "-o", "out", "--merges", "1", "--seed-tokenizer", "{}"],
    "counts": ["train", "-o", "out", "--counts", "{}"],
}
WRITING = {
    "tokenizer": [
        "train",
        "hugs.txt",
        "-o",
        "{}",
        "--preset",
        "sennrich",
        "--format",
        "subword-nmt",
    ],
    "folder of a tokenizer": ["train", "hugs.txt", "-o", "{}"],
    "log": ["train", "hugs.txt", "-o", "out", "--log", "{}"],
    "counts": ["count", "hugs.txt", "-o", "{}"],
    "converted": ["convert", "tok", "{}", "--to", "sentencepiece"],
}


@pytest.fixture(autouse=True)
def places(tmp_path: Path, hugs: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", READING)
def test_what_is_read_is_a_file(studio: Studio, what: str, place: str) -> None:
    sentence = studio(*(word.format(place) for word in READING[what])).sentence()
    assert place in sentence
    if place in ("pipe", "/dev/zero"):
        assert "is a pipe or a device, not a" in sentence
    assert not Path("out").exists()


def test_a_folder_with_a_pipe_in_it(studio: Studio, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "folder" / "tokenizer.json")
    assert "folder" in studio("encode", "-t", "folder", "--text", "a").sentence()


@pytest.mark.parametrize("what", WRITING)
def test_what_is_written_is_checked_before_training(
    studio: Studio, what: str, monkeypatch: pytest.MonkeyPatch, hugs: Path
) -> None:
    studio("train", hugs, "--preset", "textbook", "--merges", "2", "-o", "tok")

    def read(*_: object) -> None:
        raise AssertionError("the text is read though its place cannot be written")

    monkeypatch.setattr("bpe_studio.commands.train.read_corpus", read)
    monkeypatch.setattr("bpe_studio.commands.count.read_corpus", read)
    for place in ("pipe", "folder") if what != "folder of a tokenizer" else ("pipe", "/dev/zero"):
        sentence = studio(*(word.format(place) for word in WRITING[what])).sentence()
        assert f"{place} cannot be written, because it is" in sentence
    assert "empty" in studio(*(word.format("") for word in WRITING[what])).sentence()
    assert (
        "choose another name"
        in studio(*(word.format("n" * 300) for word in WRITING[what])).sentence()
    )
    assert not Path("out").exists()


def test_tokenizer_and_log_are_two_files(studio: Studio) -> None:
    outcome = studio(
        "train",
        "hugs.txt",
        "--preset",
        "sennrich",
        "--format",
        "subword-nmt",
        "-o",
        "x",
        "--log",
        "./x",
    )
    assert outcome.status == 2 and "same file" in outcome.err
