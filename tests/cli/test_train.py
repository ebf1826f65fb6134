"""`bpe-studio train`: the options, the log and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.commands.saving import TOKENIZER_FORMATS, small_tokenizer
from bpe_studio.engine import presets
from bpe_studio.files.formats.registry import why_not
from tests.cli.conftest import SAMPLES, Studio, read_log

ENGLISH = SAMPLES / "bridge_story.txt"


def test_the_lectures_example(studio: Studio, hugs: Path) -> None:
    outcome = studio(
        "train", hugs, "--preset", "textbook", "--merges", "3", "-o", "out", "--log", "run.jsonl"
    )
    assert outcome.status == 0
    assert outcome.out == ""
    line = (
        '{"rank": 0, "left": "u", "right": "g", "token": "ug", "count": 20, "tied": 1, "forced":'
        ' false, "n_tokens": 93}'
    )
    assert Path("run.jsonl").read_text("utf-8").startswith(line + "\n")
    assert [
        (m["left"], m["right"], m["count"], m["n_tokens"]) for m in read_log(Path("run.jsonl"))
    ] == [
        ("u", "g", 20, 93),
        ("u", "n", 16, 77),
        ("h", "ug", 15, 62),
    ]
    assert {path.name for path in Path("out").iterdir()} == {
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
    }


def test_the_command_line_equals_the_python_interface(studio: Studio) -> None:
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=330)
    expected = bpe.train(bpe.Corpus.from_files([ENGLISH], config), config)
    assert (
        studio("train", ENGLISH, "--vocab-size", "330", "-o", "out", "--log", "run.jsonl").status
        == 0
    )
    assert read_log(Path("run.jsonl")) == [merge.to_log() for merge in expected.merges]
    assert bpe.load("out").encode("a story").ids == expected.tokenizer().encode("a story").ids


def test_vocabulary_size_counts_alphabet_merges_and_specials(studio: Studio) -> None:
    arguments = ["--vocab-size", "300", "--special", "<s>", "--special", "</s>"]
    assert (
        studio("train", ENGLISH, "-o", "out", "--log", "-", *arguments).out.count("\n")
        == 300 - 256 - 2
    )
    tokenizer = bpe.load("out")
    assert tokenizer.vocab_size == 300
    assert tokenizer.convert_tokens_to_ids(["<s>", "</s>"]) == [0, 1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--preset", "sennrich"],
        ["--preset", "raw", "--vocab-size", "280"],
        ["--preset", "cl100k"],
        ["--preset", "subword-nmt"],
        ["--preset", "sentencepiece", "--vocab-size", "100"],
        ["--units", "characters", "--unknown", "<unk>"],
        ["--split", "none"],
        ["--split", "regex:[a-z]+|[^a-z]+"],
        ["--documents", "separator"],
        ["--normalize", "nfkd,strip-accents,lowercase"],
        [
            "--split",
            "whitespace",
            "--units",
            "characters",
            "--word-end",
            "_",
            "--word-end-as",
            "own-symbol",
        ],
        ["--split", "words", "--continuing", "##"],
        ["--no-full-alphabet"],
        ["--no-special"],
        ["--ties", "greatest-bytes"],
        ["--ties", "raw-ids", "--min-frequency", "1"],
        ["--force", "t h", "--force", "th e"],
        ["--forbid", "h e"],
        ["--preset", "subword-nmt", "--word-end", ""],
        ["--preset", "llama2", "--vocab-size", "330"],
        ["--preset", "cs336"],
        ["--max-token-length", "3", "--split-digits"],
        ["--whole-characters", "--one-script"],
        ["--initial-alphabet", "abc", "--limit-alphabet", "9", "--special", "t"],
        ["--character-coverage", "0.9", "--byte-fallback", "--split", "none"],
        ["--split", "digits-right"],
        [
            "--pad-token",
            "<p>",
            "--bos-token",
            "<s>",
            "--eos-token",
            "<|endoftext|>",
            "--template",
            "<s> $A <|end|>",
        ],
    ],
)
def test_every_option_gives_what_python_gives(studio: Studio, arguments: list[str]) -> None:
    target = [] if "--vocab-size" in arguments else ["--merges", "20"]
    outcome = studio("train", ENGLISH, "-o", "out", "--log", "run.jsonl", *target, *arguments)
    assert outcome.status == 0, outcome.err
    log = read_log(Path("run.jsonl"))
    config = _config([*target, *arguments])
    assert log == [
        merge.to_log()
        for merge in bpe.train(bpe.Corpus.from_files([ENGLISH], config), config).merges
    ]
    assert log


def _config(arguments: list[str]) -> bpe.TrainingConfig:
    """The same options by their Python names, written down independently of the parser."""
    given: dict[str, object] = {}
    preset = "gpt2"
    words = iter(arguments)
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if name == "preset":
            preset = next(words)
        elif name in (
            "vocab_size",
            "merges",
            "min_frequency",
            "max_token_length",
            "limit_alphabet",
        ):
            given[name] = int(next(words))
        elif name == "character_coverage":
            given[name] = float(next(words))
        elif name in ("split_digits", "byte_fallback", "whole_characters", "one_script"):
            given[name] = True
        elif name == "no_full_alphabet":
            given["full_alphabet"] = False
        elif name == "no_special":
            given["special"] = ()
        elif name in ("force", "forbid"):
            given[name] = (*given.get(name, ()), tuple(next(words).split(" ")))  # type: ignore[misc]
        elif name == "normalize":
            given[name] = tuple(next(words).split(","))
        else:
            given[name] = next(words) or None
    return bpe.TrainingConfig.preset(preset, **given)


def test_a_forced_merge_of_no_token_is_refused(studio: Studio, hugs: Path) -> None:
    told = studio("train", hugs, "--preset", "textbook", "--force", "h xy", "-o", "out").sentence()
    assert "'xy'" in told
    assert not Path("out").exists()


def test_going_on_from_a_tokenizer(studio: Studio) -> None:
    whole = ["train", ENGLISH, "--merges", "40"]
    assert studio(*whole, "-o", "whole", "--log", "whole.jsonl").status == 0
    assert studio("train", ENGLISH, "--merges", "25", "-o", "first").status == 0
    assert (
        studio(*whole, "-o", "second", "--log", "second.jsonl", "--seed-tokenizer", "first").status
        == 0
    )
    merges = [
        [(m["left"], m["right"], m["count"]) for m in read_log(Path(f"{n}.jsonl"))]
        for n in ("whole", "second")
    ]
    assert merges[0] == merges[1]
    assert [m["forced"] for m in read_log(Path("second.jsonl"))] == [True] * 25 + [False] * 15


def test_going_on_needs_a_target(studio: Studio, hugs: Path) -> None:
    assert studio("train", hugs, "--preset", "textbook", "--merges", "1", "-o", "first").status == 0
    assert studio("train", hugs, "-o", "second", "--seed-tokenizer", "first").status == 2


def test_standard_input_and_several_files(studio: Studio, hugs: Path) -> None:
    once = studio(
        "train", hugs, "--preset", "textbook", "--merges", "3", "-o", "a", "--log", "-"
    ).out
    given = hugs.read_bytes()
    assert (
        studio(
            "train",
            "-",
            "--preset",
            "textbook",
            "--merges",
            "3",
            "-o",
            "b",
            "--log",
            "-",
            given=given,
        ).out
        == once
    )
    both = studio(
        "train",
        hugs,
        "-",
        "--preset",
        "textbook",
        "--merges",
        "1",
        "-o",
        "c",
        "--log",
        "-",
        given=given,
    )
    assert json.loads(both.out)["count"] == 40


def test_going_on_keeps_the_roles_and_takes_new_ones(studio: Studio) -> None:
    roles = ["--pad-token", "<p>", "--template", "<s> $A"]
    assert studio("train", ENGLISH, "--merges", "25", *roles, "-o", "first").status == 0
    more = [
        "--merges",
        "40",
        "--unk-token",
        "<u>",
        "--eos-token",
        "<e>",
        "--seed-tokenizer",
        "first",
    ]
    assert studio("train", ENGLISH, *more, "-o", "second").status == 0
    first = bpe.load("first")
    second = bpe.load("second")
    assert second.pad_token == first.pad_token == "<p>" and second.template(1) == first.template(1)
    assert list(second.special_ids) == [*first.special_ids, "<u>", "<e>"]
    named = json.loads(Path("second/special_tokens_map.json").read_text("utf-8"))
    assert (named["eos_token"], named["pad_token"], named["unk_token"]) == ("<e>", "<p>", "<u>")


@pytest.mark.parametrize(
    ("preset", "format_name"),
    [
        ("gpt2", "gpt2"),
        ("cl100k", "tiktoken"),
        ("raw", "minbpe"),
        ("subword-nmt", "subword-nmt"),
        ("sentencepiece", "sentencepiece"),
        ("llama2", "sentencepiece"),
    ],
)
def test_a_preset_can_be_written_in_its_own_format(
    studio: Studio, preset: str, format_name: str
) -> None:
    arguments = ["--preset", preset, "--format", format_name, "--merges", "60"]
    assert studio("train", ENGLISH, "-o", "out", *arguments).status == 0
    assert bpe.load("out").encode("bridge").ids


def test_a_format_that_cannot_hold_the_result_is_refused_before_anything_is_read(
    studio: Studio,
) -> None:
    outcome = studio(
        "train", "missing.txt", "-o", "out", "--format", "sentencepiece", "--vocab-size", "300"
    )
    _, _, possible = outcome.sentence().partition("these formats can hold it: ")
    assert "huggingface" in possible and "sentencepiece" not in possible


@pytest.mark.parametrize("preset", presets.PRESETS)
def test_what_is_refused_before_training_is_what_saving_refuses(preset: str) -> None:
    config = bpe.TrainingConfig.preset(preset, merges=60)
    small = small_tokenizer(config)
    trained = bpe.train(bpe.Corpus.from_files([ENGLISH], config)).tokenizer()
    assert small is not None
    for name in TOKENIZER_FORMATS:
        assert bool(why_not(small, name)) == bool(why_not(trained, name)), name


def test_a_split_that_finds_no_common_words_is_trained(studio: Studio) -> None:
    Path("han.txt").write_text("日本語 日本語", "utf-8")
    arguments = ["--preset", "textbook", "--split", r"regex:[\u4e00-\u9fff]+"]
    assert studio("train", "han.txt", "-o", "out", *arguments).status == 0


def test_weights_of_files_are_copies(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low lower lowest\n" * 3)
    (tmp_path / "b.txt").write_text("new newer newest wide\n" * 2)
    logs = []
    for arguments in (
        ["a.txt", "b.txt", "b.txt", "b.txt"],
        ["a.txt", "b.txt", "--weight", "b.txt=3"],
        ["a.txt", "b.txt", "--alpha", "0"],
    ):
        studio("train", *arguments, "-o", "out", "--merges", "9", "--log", "log.jsonl")
        logs.append(read_log(Path("log.jsonl")))
    assert logs[0] == logs[1] != logs[2]
    assert "fits none" in studio("train", "a.txt", "-o", "x", "--weight", "c=2").sentence()


def test_a_chat_template_goes_into_the_folder(studio: Studio) -> None:
    template = "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}"
    Path("chat.jinja").write_text(template)
    train = "train", ENGLISH, "--merges", "3", "--chat-template"
    assert studio(*train, "chat.jinja", "-o", "out").status == 0
    assert bpe.load("out").chat_template == template
    wrong = studio(*train, "chat.jinja", "-o", "ranks", "--format", "tiktoken")
    assert (wrong.status, Path("ranks").exists()) == (2, False)
    wrong = studio(*train, ENGLISH, "-o", "none")
    assert (wrong.status, Path("none").exists()) == (1, False)
    assert "no chat template" in wrong.err
