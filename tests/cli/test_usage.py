"""Help, version and wrong usage."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bpe_studio
from bpe_studio.cli import COMMANDS
from bpe_studio.commands.saving import FORMAT_NAMES
from bpe_studio.engine import warm_up
from bpe_studio.engine.kernels import built_ahead, loader
from tests.cli.conftest import Studio


def test_help_names_every_command(studio: Studio) -> None:
    outcome = studio("--help")
    assert outcome.status == 0
    assert all(name in outcome.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(studio: Studio, command: str) -> None:
    outcome = studio(command, "--help")
    assert outcome.status == 0
    usage, *_ = outcome.out.split("\n\n")
    assert usage.startswith(f"usage: bpe-studio {command}") and len(usage.splitlines()) <= 2
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
        ["enough", "a.txt", "--weight", "a.txt=2"],
        ["inspect", "a.txt", "--alpha", "0.5"],
        ["check", "merges.txt", "a.txt", "--weight", "a.txt=2"],
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
        ["foo"],
        ["train", "a.txt", "-o", "-", "--format", "minbpe", "--json"],
        ["train", "a.txt", "-o", "out", "--log", "-", "--json"],
        ["count", "a.txt", "-o", "-", "--json"],
        ["convert", "in", "-", "--to", "minbpe", "--json"],
        ["extend", "-t", "in", "a.txt", "-o", "-", "--vocab-size", "9", "--json"],
        ["worksheet", "a.txt", "-o", "sheet.doc"],
    ],
)
def test_wrong_usage_ends_with_2(studio: Studio, arguments: list[str]) -> None:
    outcome = studio(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    error, where = outcome.err.splitlines()
    assert "error: " in error
    assert where.startswith("See bpe-studio") and where.endswith(" --help")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["trian", "a.txt", "-o", "out"], "train"),
        (["train", "a.txt", "--ouput", "out"], "--output"),
        (["train", "a.txt", "-o", "out", "--vocabsize=300"], "--vocab-size"),
        (["train", "a.txt", "-o", "out", "--preset", "GTP2"], "gpt2"),
        (["train", "a.txt", "-o", "out", "--split", "gtp2"], "gpt2"),
        (["train", "a.txt", "-o", "out", "--normalize", "nfc,lower-case"], "lowercase"),
        (["convert", "in", "out", "--to", "hugging-face"], "huggingface"),
    ],
)
def test_the_name_that_was_meant_is_suggested(
    studio: Studio, arguments: list[str], meant: str
) -> None:
    assert f"did you mean '{meant}'?" in studio(*arguments).err


def test_a_wrong_format_lists_all(studio: Studio) -> None:
    error = studio("convert", "in", "out", "--to", "nope").err
    assert all(name in error for name in FORMAT_NAMES)


def test_a_minimum_frequency_of_0_is_that_of_1(studio: Studio, hugs: object) -> None:
    for number in ("0", "1"):
        train = "train", hugs, "-o", number, "--min-frequency", number
        assert ("same as 1" in studio(*train).err) == (number == "0")
    assert Path("0/tokenizer.json").read_bytes() == Path("1/tokenizer.json").read_bytes()


def test_summaries_are_one_object(studio: Studio, hugs: object) -> None:
    def summary(*arguments: str | object) -> dict[str, Any]:
        outcome = studio(*arguments, "--json")
        assert outcome.status == 0 and len(outcome.lines) == 1
        found: dict[str, Any] = json.loads(outcome.out)
        return found

    trained = summary("train", hugs, "-o", "tok", "--preset", "textbook", "--merges", "7")
    tokenizer = bpe_studio.load("tok")
    n_tokens = len(tokenizer.encode_ids(Path("hugs.txt").read_text()))
    assert (trained["vocab_size"], trained["n_merges"]) == (len(tokenizer), tokenizer.n_merges)
    assert (trained["output"], trained["n_tokens"]) == ("tok", n_tokens)
    pruned = summary("prune", "-t", "tok", hugs, "-o", "less", "--vocab-size", "12")
    assert pruned["n_tokens_before"] == n_tokens < pruned["n_tokens"]
    assert len(pruned["removed"]) == len(tokenizer) - 12 == len(tokenizer) - pruned["vocab_size"]
    tried = summary("prune", "-t", "tok", hugs, "-o", "x", "--vocab-size", "12", "--dry-run")
    assert tried == {**pruned, "output": None}
    extended = summary("extend", "-t", "less", hugs, "-o", "more", "--vocab-size", "14")
    more = bpe_studio.load("more")
    assert [more.id_of(merge["token"]) for merge in extended["merges"]] == [12, 13]
    assert extended["n_tokens"] == pruned["n_tokens"] - sum(m["saves"] for m in extended["merges"])
    counted = summary("count", hugs, "-o", "counts.tsv", "--preset", "textbook")
    assert (counted["n_distinct"], counted["n_words"]) == (5, 36)
    converted = summary("convert", "tok", "other", "--to", "huggingface", "--corpus", hugs)
    assert (converted["vocab_size"], converted["differing"]) == (len(tokenizer), [])


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_an_example(studio: Studio, command: str) -> None:
    _, example = studio(command, "--help").out.split("Example:\n")
    program, *arguments = shlex.split(example.splitlines()[0])
    assert [program, arguments[0]] == ["bpe-studio", command]
    assert studio(*arguments).status != 2


def test_the_help_has_the_defaults(studio: Studio) -> None:
    words = " ".join(studio("train", "--help").out.split())
    assert all(
        f"default: {value})" in words
        for value in ("8192", "gpt2", "huggingface", "<|endoftext|>", "yes")
    )


def test_numbers_may_be_in_thousands_and_millions(studio: Studio, hugs: object) -> None:
    assert studio("train", hugs, "-o", "tok", "--vocab-size", "1M").status == 0
    assert "5,000" in studio("encode", "-t", "tok", "--text", "hug", "--step", "5K").sentence()


def test_a_quiet_command_prints_results_and_errors_alone(studio: Studio, hugs: object) -> None:
    outcome = studio("train", hugs, "-q", "-o", "tok", "--vocab-size", "260")
    assert (outcome.status, outcome.err) == (0, "")
    assert "missing" in studio("encode", "-q", "-t", "missing", "--text", "hug").sentence()
    assert studio("train", hugs, "-o", "tok", "--vocab-size", "260").err


def test_warm_up_compiles_what_is_not_on_disk(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(built_ahead, "extension", lambda: None)
    monkeypatch.setattr(loader, "_ready", set())
    monkeypatch.setattr(warm_up, "warm_up", loader.note_on_disk)
    assert "on disk" in studio("warm-up").err
    assert "Nothing" in studio("warm-up").err
    (tmp_path / "full").mkdir()
    monkeypatch.setattr(warm_up, "warm_up", lambda: None)  # as where nothing can be written
    for name in ("full", "missing"):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / name))
        assert "NUMBA_CACHE_DIR" in studio("warm-up").sentence()


def test_a_shell_completes_commands_and_options(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    def autocomplete(parser: argparse.ArgumentParser) -> None:
        assert parser.parse_args(["encode", "-q", "-t", "tok", "a.txt"]).tokenizer == "tok"
        parser.parse_args(["vocab"])
        sys.exit()

    monkeypatch.setitem(sys.modules, "argcomplete", SimpleNamespace(autocomplete=autocomplete))
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setenv("COMP_LINE", "bpe-studio encode --pad")
    outcome = studio()
    assert (outcome.out, outcome.err) == ("", "")


def test_files_and_options_mix_in_any_order(studio: Studio, hugs: object) -> None:
    outcome = studio("count", hugs, "-o", "-", hugs)
    assert outcome.status == 0
    assert outcome.lines[3] == "Ġpug\t10"
