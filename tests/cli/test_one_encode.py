"""A text has the same ids under a tokenizer, whatever it is encoded with: in Python, by commands,
in the window.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.run import Run
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.token_counting import Tables, count_tokens
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.cli.conftest import Studio
from tests.files.third_party.made import TRAINING, content_of, sentencepiece_model

SPECIAL = ("<|endoftext|>", "<pad>")
PRESETS = ("gpt2", "textbook", "sennrich", "raw", "subword-nmt", "sentencepiece", "llama2")
LIBRARY = ("gpt2", "llama3", "qwen", "roberta", "clip", "llama2", "word_piece", "unigram")
MODELS = ("usual", "llama", "unigram")
SPLITTING = {"split_special_tokens": True}
PARTS = (
    *SPECIAL,
    "<s>",
    "</s>",
    "<unk>",
    "[UNK]",
    "<mask>",
    "hug",
    "hugs",
    " ",
    "  ",
    "\t",
    "é",
    "e\u0301",
    "Z\u0344",
    "👩‍👩‍👧",
    "سلام",
    "don't",
    "12",
    "▁",
    "Ġ",
    "##",
    "</w>",
    ".",
    "<|",
    "<pad",
)
TEXTS = st.lists(st.lists(st.sampled_from(PARTS), max_size=6).map("".join), max_size=4)
SOME = [
    "",
    " ",
    "hugs<|endoftext|> hug<pad>",
    "<pad><pad>",
    "<s>hug</s> <unk>",
    "hug <mask> hugs [UNK]",
    "é 👩‍👩‍👧",
]


def _own(preset: str) -> bpe.Tokenizer:
    special = tuple(dict.fromkeys((*bpe.TrainingConfig.preset(preset).special, *SPECIAL)))
    unknown = (
        None if preset in ("gpt2", "raw") else bpe.TrainingConfig.preset(preset).unknown or "[UNK]"
    )
    config = bpe.TrainingConfig.preset(
        preset, special=special, unknown=unknown, vocab_size=None, merges=60
    )
    parts = (part for part in PARTS if part[0] not in "<[")
    text = "\n".join([*TRAINING, *parts])
    return bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()


def _preset(name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        _own(name).save(folder / "own")
        return folder / "own"

    return write


def _library(name: str, config: dict[str, Any] | None = None) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "tokenizer.json").write_text(content_of(name), "utf-8")
        if config is not None:
            (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        return folder

    return write


def _model(name: str, config: dict[str, Any] | None = None) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        name_of_file = "tokenizer.model" if config is None else "sentencepiece.bpe.model"
        (folder / name_of_file).write_bytes(sentencepiece_model(name))
        if config is None:
            return folder / name_of_file
        (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        return folder

    return write


def _format(name: str, preset: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        _own(preset).save(folder / "saved", format=name)
        return folder / "saved"

    return write


def _minbpe(folder: Path) -> Path:
    config = bpe.TrainingConfig.preset("raw", vocab_size=280)
    path = folder / "a.model"
    bpe.train(bpe.Corpus.from_text("\n".join(TRAINING), config), config).tokenizer().save(
        path, format="minbpe"
    )
    head, expression, _, *merges = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([head, expression, "1", "<|endoftext|> 280", *merges, ""]), "utf-8")
    return path


def _own_that_splits(folder: Path) -> Path:
    path = _preset("gpt2")(folder)
    config = json.loads((path / "tokenizer_config.json").read_text("utf-8"))
    (path / "tokenizer_config.json").write_text(json.dumps(config | SPLITTING), "utf-8")
    return path


FILES: dict[str, Callable[[Path], Path]] = {
    **{f"own {name}": _preset(name) for name in PRESETS},
    **{f"opened {name}": _library(name) for name in LIBRARY},
    **{f"model {name}": _model(name) for name in MODELS},
    "own that splits special tokens": _own_that_splits,
    "opened that splits special tokens": _library("roberta", SPLITTING),
    "XLM-R": _model("unigram", {"tokenizer_class": "XLMRobertaTokenizer"}),
    "pair of files": _format("gpt2", "gpt2"),
    "ranks": _format("tiktoken", "gpt2"),
    "minbpe": _minbpe,
    "codes": _format("subword-nmt", "subword-nmt"),
    "own model": _format("sentencepiece", "sentencepiece"),
}


AS_TEXT = {name for name in FILES if name.startswith("model ")}
AS_TEXT |= {
    "own that splits special tokens",
    "opened that splits special tokens",
    "codes",
    "own model",
}
"""Those under which special tokens in a text are text, as their files or their programs say."""


@cache
def _opened(name: str) -> tuple[Path, bpe.Tokenizer, Run]:
    path = FILES[name](Path(mkdtemp()))
    tokenizer = bpe.load(path)
    return path, tokenizer, Backend().run_of(tokenizer)


def _in_window(
    run: Run, tokenizer: bpe.Tokenizer, text: str, recognizes: bool | None
) -> list[list[int]]:
    """The ids of typed text, and those by which measures are made."""
    segmenter = run.new_segmenter()
    step = len(run.columns)
    if recognizes is not None:
        segmenter.recognize_special(recognizes)
    run.segmenter.recognize_special(segmenter.recognizes_special)
    typed = run.live(text).tokens(step).ids.tolist()
    measured = segmenter.text_gaps(text).ids(step).tolist()
    unknown = tokenizer.unknown_id
    return [
        [unknown if token == -1 else run.external_id(token, step) for token in ids]
        for ids in (typed, measured)
    ]


@pytest.mark.parametrize("name", FILES)
@given(texts=TEXTS, recognizes=st.sampled_from([None, True, False]))
@example(texts=SOME, recognizes=None)
def test_every_way_in_gives_the_same_ids(
    name: str, texts: list[str], recognizes: bool | None
) -> None:
    _, tokenizer, run = _opened(name)
    expected = [tokenizer.encode(text, recognize_special=recognizes).ids for text in texts]
    found = tokenizer.encode_many(texts, as_arrays=True, recognize_special=recognizes)
    splits = None if recognizes is None else not recognizes
    called = tokenizer(texts, add_special_tokens=False, split_special_tokens=splits)["input_ids"]
    assert (
        tokenizer.encode_many(texts, recognize_special=recognizes)
        == found.tolist()
        == expected
        == called
    )
    for text, ids in zip(texts, expected, strict=True):
        assert tokenizer.encode_ids(text, recognize_special=recognizes).tolist() == ids
        tokens = tokenizer.tokenize(text, recognize_special=recognizes)
        assert tokens == tokenizer.encode(text, recognize_special=recognizes).tokens
        if tokenizer.n_merges:
            assert (
                tokenizer.encode(text, step=tokenizer.n_merges, recognize_special=recognizes).ids
                == ids
            )
        if recognizes is None:
            (alone,) = tokenizer.single_ids([text]).tolist()
            assert alone == (ids[0] if len(ids) == 1 else -1)
        for shown in _in_window(run, tokenizer, text, recognizes):
            assert shown == ids, text


@pytest.mark.parametrize("name", FILES)
def test_special_tokens_are_found_unless_the_files_say_otherwise(name: str) -> None:
    _, tokenizer, _ = _opened(name)
    for token, number in tokenizer.special_ids.items():
        as_text = tokenizer.encode(token, recognize_special=False).ids
        assert tokenizer.encode(token).ids == (as_text if name in AS_TEXT else [number])
        assert as_text != [number] or token in ("<unk>", "[UNK]")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("sound_files", "transformers_here")
def test_every_command_gives_the_same_ids(name: str, studio: Studio, tmp_path: Path) -> None:
    path, tokenizer, _ = _opened(name)
    together = tmp_path / "lines.txt"
    together.write_bytes("\n".join(SOME).encode())
    for option, recognizes in (
        ((), None),
        (("--recognize-special",), True),
        (("--no-recognize-special",), False),
    ):
        expected = [tokenizer.encode(text, recognize_special=recognizes).ids for text in SOME]
        lines = studio("encode", "-t", path, together, "--lines", *option)
        assert [
            [int(number) for number in line.split()] for line in lines.out.split("\n")[:-1]
        ] == expected, lines
        objects = studio("encode", "-t", path, together, "--lines", "--json", *option).lines
        assert [json.loads(line)["ids"] for line in objects] == expected
        for text, ids in zip(SOME[1:4], expected[1:4], strict=True):
            (one,) = studio("encode", "-t", path, "--text", text, *option).lines
            assert [int(number) for number in one.split()] == ids
        studio("encode", "-t", path, together, "--lines", "--output", tmp_path / "ids.npz", *option)
        assert np.load(tmp_path / "ids.npz")["ids"].tolist() == [
            number for ids in expected for number in ids
        ]
    whole = len(tokenizer.encode("\n".join(SOME)).ids)
    for command in ("compare", "measure"):
        (row, *_) = json.loads(studio(command, "-t", path, "--json", together).out)
        assert row["n_tokens"] == whole


@pytest.mark.parametrize("documents", ["line", "file", "separator"])
def test_the_window_counts_the_ids_of_the_corpus(
    documents: str, qtbot: Any, tmp_path: Path
) -> None:
    text = "".join(f"{line}\n" for line in SOME * 2)
    (tmp_path / "corpus.txt").write_bytes(text.encode())
    workspace = Workspace(config=bpe.TrainingConfig.preset("gpt2", merges=9, documents=documents))
    workspace.opener.open_files([tmp_path / "corpus.txt"])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    info = workspace.corpus
    assert info is not None
    parts = {
        "line": text.splitlines(keepends=True),
        "file": [text],
        "separator": text.split("<|endoftext|>"),
    }
    try:
        for name in FILES:
            _, tokenizer, _ = _opened(name)
            counts = result_of(count_tokens(Backend(), info, tokenizer, name, Tables())).counts
            ids = np.concatenate([tokenizer.encode_ids(part) for part in parts[documents]])
            assert counts.tolist() == np.bincount(ids, minlength=len(counts)).tolist(), name
    finally:
        workspace.shutdown()
