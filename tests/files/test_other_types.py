"""A value of another type, in a file or from a caller, gets one sentence wherever it enters."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import bpe_studio as bpe
from bpe_studio.engine.config import MAX_LISTED
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import BpeError, ConfigError, TokenizerFormatError
from bpe_studio.explain.tokenizer_diff import golden
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import MAIN_PART
from bpe_studio.files.lessons.reader import read_lesson, template_path
from tests.examples import examples
from tests.files.document.test_document import DATA, parts_of, zipped
from tests.files.formats.cases import trained
from tests.files.third_party.made import gpt2
from tests.files.third_party.test_gguf import gguf, of_bytes, of_scores
from tests.files.third_party.test_recognition import tekken

pytestmark = pytest.mark.usefixtures("sound_files")
HUGE = 10**5000
"""Python writes no number of more than 4,300 digits."""


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("a program of somebody's own")


IN_JSON: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**40,
    1.5,
    "",
    "a",
    [],
    ["a"],
    [1],
    [["a"]],
    {},
    {"a": 1},
)
IN_GGUF: tuple[Any, ...] = (
    True,
    5,
    2**31,
    1.5,
    float("nan"),
    "",
    "a",
    ["a"],
    ["a", "b"],
    [1.5],
    [1],
    [1] * 900,
    [],
)
IN_PYTHON: tuple[Any, ...] = (
    *IN_JSON,
    HUGE,
    -HUGE,
    [HUGE],
    {"a": HUGE},
    "\0",
    "\ud800",
    object(),
    Unshowable(),
    {1},
)
ADDED = {"content": "<x>", "special": True, "lstrip": False}
BESIDE: dict[str, dict[str, Any]] = {
    "tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": {"300": ADDED},
        "additional_special_tokens": ["<x>"],
        "chat_template": [{"name": "default", "template": "{{ messages }}"}],
        "extra_special_tokens": {"image_token": "<x>"},
        "unk_token": {**ADDED, "__type": "AddedToken"},
        "pad_token": "<x>",
        "padding_side": "left",
        "truncation_side": "left",
        "model_max_length": 512,
        "split_special_tokens": False,
        "clean_up_tokenization_spaces": True,
    },
    "special_tokens_map.json": {"pad_token": ADDED, "additional_special_tokens": ["<x>", ADDED]},
    "added_tokens.json": {"<x>": 300},
}
Read = Callable[[Path], object]
Damaged = tuple[str, bytes, Read]


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values are in JSON; of a long list or object, in its first entries."""
    yield before
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inside in list(entries)[:20]:
        yield from places(inside, (*before, key))


def replaced(root: Any, place: tuple[Any, ...], value: Any) -> bytes:
    changed = copy.deepcopy({"root": root})
    parent: Any = changed
    for key in ("root", *place)[:-1]:
        parent = parent[key]
    parent[("root", *place)[-1]] = value
    return json.dumps(changed["root"]).encode()


def in_json(
    name: str, root: Any, read: Read, head: bytes = b"", tail: bytes = b""
) -> Iterator[Damaged]:
    for place in places(root):
        for value in IN_JSON:
            yield name, head + replaced(root, place, value) + tail, read


def in_gguf() -> Iterator[Damaged]:
    more = {
        "bos_token_id": 1,
        "add_bos_token": True,
        "unknown_token_id": 0,
        "add_space_prefix": True,
    }
    for keys in (of_bytes(**more), of_scores(**more)):
        keys |= {"tokenizer.chat_template": "{{ messages }}", "general.name": "phi"}
        for key in keys:
            for value in IN_GGUF:
                yield "model.gguf", gguf({**keys, key: value}), used


def used(path: Path) -> Sequence[str]:
    """The sentences that are said about a tokenizer that opens all the same."""
    tokenizer = bpe.load(path)
    tokenizer.encode("low<|endoftext|>", add_special_tokens=True)
    tokenizer(["a", "b c"])
    assert len(tokenizer.tokens) >= tokenizer.n_merges >= 0
    return tokenizer.notices


def compared(path: Path) -> None:
    drift = result_of(golden.checking(trained("gpt2", merges=20), path))
    for ids in (drift.expected, drift.found):
        assert ids is None or all(type(number) is int for number in ids)


def in_counts(folder: Path) -> Iterator[Damaged]:
    counter = bpe.Counter(bpe.TrainingConfig.preset("gpt2", merges=3))
    counter.update(["hug pug"])
    counter.save(folder / "counts.tsv")
    head, _, rows = (folder / "counts.tsv").read_bytes().partition(b"\n")
    begin = head.index(b"{")
    yield from in_json(
        "counts.tsv", json.loads(head[begin:]), bpe.Counter.load, head[:begin], b"\n" + rows
    )


def in_golden(folder: Path) -> Iterator[Damaged]:
    line = {"text": "a", "ids": [64], "with_special_tokens": [64]}
    return in_json("ids.jsonl", line, compared, tail=b"\n")


def in_document() -> Iterator[Damaged]:
    parts = parts_of(DATA)
    for _, data, read in in_json(MAIN_PART, json.loads(parts[MAIN_PART]), read_now):
        yield "words.bpestudio", zipped({**parts, MAIN_PART: data}), read


def in_lesson() -> Iterator[Damaged]:
    # JSON is YAML, too.
    lesson = yaml.safe_load(template_path().read_text("utf-8"))
    return in_json("lesson.yaml", lesson, read_lesson)


def in_file_beside(name: str, folder: Path) -> Iterator[Damaged]:
    (folder / "tokenizer.json").write_text(json.dumps(gpt2()), "utf-8")
    return in_json(name, BESIDE[name], lambda path: used(path.parent))


KINDS: dict[str, Callable[[Path], Iterator[Damaged]]] = {
    "gguf": lambda folder: in_gguf(),
    "golden": in_golden,
    "counts": in_counts,
    "tekken": lambda folder: in_json("tekken.json", tekken(), used),
    "document": lambda folder: in_document(),
    "lesson": lambda folder: in_lesson(),
    **{name: partial(in_file_beside, name) for name in BESIDE},
    "tokenizer.json": lambda folder: in_json("tokenizer.json", gpt2(), used),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_another_type_in_a_file_gets_a_sentence(kind: str, tmp_path: Path) -> None:
    damaged = list(KINDS[kind](tmp_path))
    n_said = 0
    for name, data, read in random.Random(kind).sample(damaged, min(len(damaged), examples(30))):
        (tmp_path / name).write_bytes(data)
        try:
            said = read(tmp_path / name)
        except BpeError as error:
            said = [str(error)]
        if isinstance(said, list | tuple):
            n_said += len(said)
            assert all(one and "\n" not in one for one in said)
    assert n_said


def test_the_name_of_a_pre_tokenizer_that_is_a_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(gguf({**of_bytes(), "tokenizer.ggml.pre": ["gpt-2"]}))
    with pytest.raises(TokenizerFormatError, match="is a list, not a text"):
        bpe.load(tmp_path / "a.gguf")


def calls() -> dict[str, Callable[[Any], object]]:
    config = bpe.TrainingConfig.preset("gpt2", merges=3)
    # With a mark, no random texts are made for an encoder.
    words = bpe.TrainingConfig.preset("sennrich", merges=3)
    corpus = bpe.Corpus.from_text("hug hug pug", config)
    run = bpe.train(corpus, config)
    options = (
        "merges",
        "special",
        "forbid",
        "force",
        "split",
        "word_end",
        "ties",
        "character_coverage",
        "template",
    )
    return {
        **{
            name: lambda value, name=name: bpe.TrainingConfig.preset("gpt2", **{name: value})
            for name in options
        },
        "from_text": lambda value: bpe.Corpus.from_text(value, config),
        "from_text of options": lambda value: bpe.Corpus.from_text("a", value),
        "from_files": lambda value: bpe.Corpus.from_files(value, config),
        "from_counts": lambda value: bpe.Corpus.from_counts(value, config),
        "train": bpe.train,
        "update": lambda value: bpe.Counter(config).update(value),
        "Counter.load": bpe.Counter.load,
        "count": lambda value: (
            bpe.count(["a"], config, executor=value) if value is not None else None
        ),
        "load": bpe.load,
        "measure": lambda value: run.measure("renyi", alpha=value),
        "check": lambda value: bpe.check(lambda text, size, special: value, "hug pug", words),
        "check of pairs": lambda value: bpe.check(
            lambda text, size, special: [(value, value)], "hug pug", words
        ),
    }


def calls_of(tokenizer: bpe.Tokenizer) -> dict[str, Callable[[Any], object]]:
    return {
        "encode": tokenizer.encode,
        "encode at a step": lambda value: tokenizer.encode("hug", step=value),
        "encode_many": tokenizer.encode_many,
        "decode": tokenizer.decode,
        "stride": lambda value: tokenizer(["a b c"], truncation=True, max_length=2, stride=value),
        "max_length": lambda value: tokenizer(["a b c"], truncation=True, max_length=value),
        "padding": lambda value: tokenizer(["a b c"], padding=value),
        "convert_tokens_to_ids": tokenizer.convert_tokens_to_ids,
        "convert_ids_to_tokens": tokenizer.convert_ids_to_tokens,
        "id_of": tokenizer.id_of,
        "at": tokenizer.at,
        "format": lambda value: tokenizer.save("out", format=value),
    }


@pytest.mark.parametrize("called", ["program", "own", "opened"])
def test_a_value_of_another_type_from_a_caller_gets_a_sentence(
    called: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps(gpt2()), "utf-8")
    if called == "program":
        ways = calls()
    elif called == "own":
        ways = calls_of(trained("gpt2", merges=20))
    else:
        ways = calls_of(bpe.load(tmp_path / "tokenizer.json"))
    n_refused = 0
    for call in ways.values():
        for value in IN_PYTHON:
            try:
                call(value)
            except BpeError as error:
                n_refused += 1
                assert str(error) and "\n" not in str(error)
    assert n_refused > len(IN_PYTHON)


def test_a_list_instead_of_an_object_in_a_folder_of_ours(tmp_path: Path) -> None:
    tokenizer = trained("textbook", merges=20)
    tokenizer.save(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('["bpe_studio"]', "utf-8")
    # The library reads the folder without the settings.
    assert bpe.load(tmp_path).encode_ids("low").tolist() == tokenizer.encode_ids("low").tolist()
    tokenizer.save(tmp_path)
    (tmp_path / "tokenizer.json").write_text("[]", "utf-8")
    with pytest.raises(TokenizerFormatError):
        bpe.load(tmp_path)


@pytest.mark.parametrize("option", ["special", "force", "forbid"])
def test_more_special_tokens_or_pairs_than_a_person_makes_are_refused(option: str) -> None:
    listed: list[Any] = [f"<{number}>" for number in range(MAX_LISTED + 1)]
    if option != "special":
        listed = [(name, "a") for name in listed]
    bpe.TrainingConfig.preset("gpt2", **{option: listed[:MAX_LISTED]})
    with pytest.raises(ConfigError, match=f"{MAX_LISTED:,}"):
        bpe.TrainingConfig.preset("gpt2", **{option: listed})


@pytest.mark.parametrize("key", ["single", "pair"])
def test_a_template_that_repeats_a_text_is_refused_before_the_library_has_it(
    key: str, tmp_path: Path
) -> None:
    one, two = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    template = {
        "type": "TemplateProcessing",
        "single": [one],
        "pair": [one, two],
        "special_tokens": {},
    }
    template[key] = [*template[key], one]
    root = {**gpt2(), "post_processor": {"type": "Sequence", "processors": [template]}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(root), "utf-8")
    with pytest.raises(TokenizerFormatError, match="several times"):
        bpe.load(tmp_path)
