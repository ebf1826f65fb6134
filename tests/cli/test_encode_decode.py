"""`bpe-studio encode` and `decode`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bpe_studio as bpe
from tests.cli.conftest import SAMPLES, Studio

FAMILY = "👨‍👩‍👧 é 中文 سلام\r\n\n"


@pytest.fixture
def words(studio: Studio, hugs: Path) -> Path:
    """The lecture's tokenizer: words of characters."""
    assert studio("train", hugs, "--preset", "textbook", "--merges", "4", "-o", "words").status == 0
    return Path("words").resolve()


@pytest.fixture
def bytes_(studio: Studio) -> Path:
    """A byte-level tokenizer of many scripts."""
    text = SAMPLES / "many_scripts.txt"
    assert studio("train", text, "--vocab-size", "400", "-o", "bytes").status == 0
    return Path("bytes").resolve()


def _json(studio: Studio, *arguments: object, **given: Any) -> dict[str, Any]:
    outcome = studio("encode", *arguments, "--json", **given)
    assert outcome.status == 0, outcome
    assert len(outcome.lines) == 1
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def test_ids_stand_on_one_line(studio: Studio, words: Path) -> None:
    tokenizer = bpe.load(words)
    outcome = studio("encode", "-t", words, "--text", "hugs pun")
    assert outcome.out == " ".join(map(str, tokenizer.encode("hugs pun").ids)) + "\n"
    assert outcome.err == ""


def test_text_file_and_standard_input_are_the_same(
    studio: Studio, bytes_: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_bytes(FAMILY.encode())
    by_text = studio("encode", "-t", bytes_, "--text", FAMILY).out
    assert studio("encode", "-t", bytes_, "text.txt").out == by_text
    assert studio("encode", "-t", bytes_, given=FAMILY).out == by_text
    assert studio("encode", "-t", bytes_, "-", given=FAMILY).out == by_text


def test_json_holds_every_column(studio: Studio, words: Path) -> None:
    found = _json(studio, "-t", words, "--text", "hugs")
    assert list(found) == ["ids", "tokens", "offsets", "attention_mask", "token_type_ids"]
    assert found["tokens"] == ["hug", "s"]
    assert found["offsets"] == [[0, 3], [3, 4]]
    assert found["attention_mask"] == [1, 1]
    assert found["token_type_ids"] == [0, 0]


def test_step_encodes_as_it_stood_then(studio: Studio, words: Path) -> None:
    steps = [_json(studio, "-t", words, "--text", "hugs", "--step", k)["tokens"] for k in range(5)]
    assert steps == [
        ["h", "u", "g", "s"],
        ["h", "ug", "s"],
        ["h", "ug", "s"],
        ["hug", "s"],
        ["hug", "s"],
    ]


def test_dropout_is_random_and_repeats_with_its_seed(studio: Studio, words: Path) -> None:
    def ids(*options: str) -> str:
        outcome = studio("encode", "-t", words, "--text", "hugs pun bun hug", *options)
        assert outcome.status == 0, outcome.err
        return outcome.out

    assert ids("--dropout", "0") == ids()
    assert ids("--dropout", "0.5", "--seed", "3") == ids("--dropout", "0.5", "--seed", "3")
    assert len({ids("--dropout", "0.5", "--seed", str(seed)) for seed in range(9)}) > 1
    assert ids("--dropout", "1") == ids("--step", "0")
    assert (
        "from 0 to 1"
        in studio("encode", "-t", words, "--text", "hugs", "--dropout", "2").sentence()
    )


def test_a_step_beyond_the_last_is_refused(studio: Studio, words: Path) -> None:
    assert (
        "steps go from 0 to 4"
        in studio("encode", "-t", words, "--text", "hugs", "--step", "5").sentence()
    )


@pytest.mark.parametrize("k", [0, 1, 30, 143])
def test_decode_gives_the_text_back_exactly(studio: Studio, bytes_: Path, k: int) -> None:
    ids = studio("encode", "-t", bytes_, "--text", FAMILY, "--step", k).out
    assert studio("decode", "-t", bytes_, *ids.split()).out_bytes == FAMILY.encode()
    assert studio("decode", "-t", bytes_, given=ids).out_bytes == FAMILY.encode()


@pytest.mark.parametrize("word", ["x", "-1", "1.5", "99999", "٣"])
def test_what_is_no_id_is_named(studio: Studio, words: Path, word: str) -> None:
    outcome = studio("decode", "-t", words, given=word)
    assert word.strip("-") in outcome.sentence()


def test_bytes_that_are_no_utf8_survive(studio: Studio, bytes_: Path, tmp_path: Path) -> None:
    (tmp_path / "stray.txt").write_bytes(b"good text, then a stray byte " * 20 + b"\xff.")
    ids = studio("encode", "-t", bytes_, "stray.txt").out
    assert studio("decode", "-t", bytes_, given=ids).out.endswith("stray byte \ufffd.")


def test_truncation_and_padding(studio: Studio, hugs: Path) -> None:
    assert (
        studio(
            "train",
            hugs,
            "--preset",
            "textbook",
            "--merges",
            "4",
            "--special",
            "[PAD]",
            "-o",
            "pad",
        ).status
        == 0
    )
    short = _json(studio, "-t", "pad", "--text", "hugs hugs", "--truncation", "--max-length", "3")
    assert short["tokens"] == ["hug", "s", "hug"]
    assert _json(studio, "-t", "pad", "--text", "hugs hugs", "--max-length", "3") == short
    assert _json(studio, "-t", "pad", "--text", "hugs", "--padding", "--max-length", "5")[
        "tokens"
    ] == ["hug", "s"]
    long = _json(
        studio, "-t", "pad", "--text", "hugs", "--padding", "max_length", "--max-length", "5"
    )
    assert (
        long["attention_mask"] == [1, 1, 0, 0, 0]
        and [len(column) for column in long.values()] == [5] * 5
    )


def test_special_tokens_are_recognized_or_are_text(studio: Studio, bytes_: Path) -> None:
    text = "a<|endoftext|>"
    assert len(_json(studio, "-t", bytes_, "--text", text, "--no-recognize-special")["ids"]) > 2
    found = _json(studio, "-t", bytes_, "--text", text)
    assert found["tokens"] == ["a", "<|endoftext|>"]
    assert found["offsets"] == [[0, 1], [1, 14]]


def test_each_line_has_a_line_of_ids(studio: Studio, words: Path) -> None:
    tokenizer = bpe.load(words)
    text = "hugs pun\n\npug\r\nbun"
    expected = [tokenizer.encode(line).ids for line in ("hugs pun", "", "pug", "bun")]
    assert studio("encode", "-t", words, "--lines", given=text).lines == [
        " ".join(map(str, ids)) for ids in expected
    ]
    assert studio("encode", "-t", words, "--lines", given=text + "\n").lines[-1] == " ".join(
        map(str, expected[-1])
    )
    objects = studio("encode", "-t", words, "--lines", "--json", given=text).lines
    assert [json.loads(line)["ids"] for line in objects] == expected
    assert studio("encode", "-t", words, "--lines", "--max-length", "1", given=text).lines[
        0
    ] == str(expected[0][0])
    assert studio("encode", "-t", words, "--lines", "--text", "").out == ""


def test_ids_are_written_as_arrays(studio: Studio, words: Path) -> None:
    ids = bpe.load(words).encode_ids("hugs pun\nbun")
    assert studio("encode", "-t", words, "-o", "ids.npy", given="hugs pun\nbun").out == ""
    assert np.load("ids.npy").dtype == np.int32 and (np.load("ids.npy") == ids).all()
    studio("encode", "-t", words, "--lines", "-o", "ids.npz", given="hugs pun\n\nbun")
    lines = np.load("ids.npz")
    assert (lines["ids"] == ids).all() and lines["ids"].dtype == np.int32
    assert lines["offsets"].tolist() == [0, len(ids) - 2, len(ids) - 2, len(ids)]
    studio("encode", "-t", words, "--lines", "-o", "none.npz", "--text", "")
    assert np.load("none.npz")["offsets"].tolist() == [0]


@pytest.mark.parametrize(
    "options", [["-o", "ids.txt"], ["-o", "a.npy", "--lines"], ["-o", "a.npz", "--json"]]
)
def test_arrays_that_cannot_be_written(studio: Studio, words: Path, options: list[str]) -> None:
    assert studio("encode", "-t", words, "--text", "hug", *options).status == 2


def test_a_chat_is_put_together_by_the_template(
    studio: Studio, bytes_: Path, tmp_path: Path
) -> None:
    template = (
        "{% for message in messages %}{{ message.role }}: {{ message.content }}<|endoftext|>{%"
        " endfor %}"
    )
    shutil.copytree(bytes_, tmp_path / "chatty")
    (tmp_path / "chatty" / "chat_template.jinja").write_text(template)
    (tmp_path / "chat.json").write_text(
        json.dumps([[{"role": "user", "content": text}] for text in ("hug", "a")])
    )
    lines = studio(
        "encode", "-t", tmp_path / "chatty", "--chat", tmp_path / "chat.json"
    ).out.splitlines()
    for line, text in zip(lines, ("hug", "a"), strict=True):
        whole = f"user: {text}<|endoftext|>"
        assert (
            line
            == studio("encode", "-t", bytes_, "--recognize-special", "--text", whole).out.strip()
        )
    for wrong, why in (("{", "JSON"), ("[]", "chat"), ('["hug"]', "message")):
        assert (
            why in studio("encode", "-t", tmp_path / "chatty", "--chat", "--text", wrong).sentence()
        )


def test_nothing_is_not_decoded(studio: Studio, hugs: Path) -> None:
    studio("train", hugs, "-o", "tok", "--preset", "textbook", "--merges", "3")
    assert "no ids" in studio("decode", "-t", "tok").sentence()
    assert studio("decode", "-t", "tok", given="\n").status == 0
