"""Help, version and wrong usage."""

from __future__ import annotations

import pytest

import bpe_studio
from bpe_studio.cli import COMMANDS
from tests.cli.conftest import Studio


def test_help_names_every_command(studio: Studio) -> None:
    outcome = studio("--help")
    assert outcome.status == 0
    assert all(name in outcome.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(studio: Studio, command: str) -> None:
    outcome = studio(command, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(f"usage: bpe-studio {command}")
    assert outcome.err == ""


def test_version(studio: Studio) -> None:
    assert studio("--version").out == f"bpe-studio {bpe_studio.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["train"],
        ["train", "a.txt"],
        ["train", "-o", "out"],
        ["train", "a.txt", "-o", "out", "--counts", "b.tsv"],
        ["train", "a.txt", "-o", "out", "--ties", "coin"],
        ["train", "a.txt", "-o", "out", "--split", "gtp2"],
        ["train", "a.txt", "-o", "out", "--normalize", "nfc,upper"],
        ["train", "a.txt", "-o", "out", "--format", "docx"],
        ["train", "a.txt", "-o", "out", "--preset", "gpt9"],
        ["train", "a.txt", "-o", "out", "--merges", "3", "--vocab-size", "9"],
        ["train", "a.txt", "-o", "out", "--merges", "-3"],
        ["train", "a.txt", "-o", "out", "--vocab-size", "many"],
        ["train", "a.txt", "-o", "out", "--force", "t"],
        ["train", "a.txt", "-o", "out", "--vocab", "300"],
        ["train", "a.txt", "-o", "-", "--log", "-"],
        ["encode", "a.txt"],
        ["encode", "-t", "tok", "a.txt", "--text", "hug"],
        ["encode", "-t", "tok", "--step", "last"],
        ["decode"],
        ["compare", "a.txt"],
        ["compare", "-t", "tok"],
        ["compare", "-t", "tok", "--steps", "1,x", "a.txt"],
        ["convert", "in", "out"],
        ["convert", "in", "out", "--to", "nonsense"],
        ["count", "a.txt"],
        ["trian", "a.txt"],
    ],
)
def test_wrong_usage_ends_with_2(studio: Studio, arguments: list[str]) -> None:
    outcome = studio(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    assert "error: " in outcome.err
    assert "Traceback" not in outcome.err


def test_a_mistyped_command_is_recognized(studio: Studio) -> None:
    assert "did you mean 'train'?" in studio("trian", "a.txt", "-o", "out").err


def test_files_and_options_mix_in_any_order(studio: Studio, hugs: object) -> None:
    outcome = studio("count", hugs, "-o", "-", hugs)
    assert outcome.status == 0
    assert outcome.lines[3] == "Ġpug\t10"
