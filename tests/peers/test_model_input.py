"""`tok(...)` and `encode --json` give what Transformers gives for the same folder, ours or another
program's.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.engine.encoding.tokenizer_model import Template
from tests.campaigns import texts
from tests.examples import examples
from tests.files.third_party.made import content_of

pytestmark = pytest.mark.usefixtures("sound_files")

Json = dict[str, Any]
_SPECIAL = ("<pad>", "<s>", "</s>")
_COLUMNS = (
    "token_type_ids",
    "attention_mask",
    "special_tokens_mask",
    "offsets_mapping",
    "length",
    "overflowing_tokens",
)
_WRONG: list[tuple[Any, Any]] = [
    (None, None),
    (3, None),
    (["a", None], None),
    ([3], None),
    ([["a"]], None),
    ([("a", "b", "c")], None),
    (["a"], "b"),
    (["a", "b"], ["c"]),
    ("a", 3),
    (b"a", None),
    ([b"a"], None),
    ({"a": 1}, None),
    ([["a", ["b"]]], None),
]
_ASKED = {
    f"return_{name}": True
    for name in ("token_type_ids", "special_tokens_mask", "offsets_mapping", "length")
}


def _ours(folder: Path, preset: str, template: Template | None, **facts: Any) -> None:
    config = bpe.TrainingConfig.preset(
        preset, merges=150, special=_SPECIAL, unknown=facts.pop("unknown", None)
    )
    rng = random.Random(5)
    form = facts.pop("format", "huggingface")
    corpus = bpe.Corpus.from_text(
        "\n".join(texts.text(rng, 40, strays=0, nul=0) for _ in range(60)), config
    )
    tokenizer = bpe.train(corpus, config).tokenizer()
    model = dataclasses.replace(tokenizer.model, template=template, pad_token="<pad>", **facts)
    bpe.Tokenizer(model).save(folder, form)


def _others(
    folder: Path,
    name: str,
    config: Json,
    post_processor: Callable[[Json], Json] | None = None,
    facts: Json | None = None,
) -> None:
    root = {**json.loads(content_of(name)), **(facts or {})}
    vocab = root["model"]["vocab"]
    added = [token["content"] for token in root["added_tokens"]]
    number = 1 + max([*vocab.values(), *(token["id"] for token in root["added_tokens"])])
    flags = {
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    for special in _SPECIAL:
        if special not in added and special not in vocab:
            root["added_tokens"].append({"id": number, "content": special, **flags})
            number += 1
    if post_processor is not None:
        ids = {**vocab, **{token["content"]: token["id"] for token in root["added_tokens"]}}
        root["post_processor"] = post_processor(ids)
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(root, ensure_ascii=False), "utf-8")
    pad = {} if facts else {"pad_token": "<pad>"}
    whole = {"tokenizer_class": "PreTrainedTokenizerFast", **pad, **config}
    (folder / "tokenizer_config.json").write_text(json.dumps(whole), "utf-8")


def _roberta(ids: Json) -> Json:
    ends = {"sep": ["</s>", ids["</s>"]], "cls": ["<s>", ids["<s>"]]}
    return {"type": "RobertaProcessing", **ends, "trim_offsets": True, "add_prefix_space": False}


def _bert(ids: Json) -> Json:
    return {"type": "BertProcessing", "sep": ["</s>", ids["</s>"]], "cls": ["<s>", ids["<s>"]]}


def _odd_template(ids: Json) -> Json:
    """The second text first, and type ids of its own."""
    parts = {
        "single": [
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 2}},
        ],
        "pair": [
            {"SpecialToken": {"id": "<s>", "type_id": 3}},
            {"Sequence": {"id": "B", "type_id": 4}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
    }
    special = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in ("<s>", "</s>")}
    return {"type": "TemplateProcessing", **parts, "special_tokens": special}


_BATCH: Json = {
    "padding": {
        "strategy": "BatchLongest",
        "direction": "Left",
        "pad_to_multiple_of": None,
        "pad_id": 2,
        "pad_type_id": 0,
        "pad_token": "</s>",
    },
    "truncation": {"direction": "Left", "max_length": 7, "strategy": "LongestFirst", "stride": 0},
}
"""The settings of a batch in a `tokenizer.json`."""
_MADE: dict[str, Callable[[Path], None]] = {
    "ours, bytes": lambda folder: _ours(folder, "gpt2", None, model_max_length=9),
    "ours, with a template": lambda folder: _ours(
        folder, "gpt2", Template(("<s>",), ("</s>", "<pad>"))
    ),
    "ours, padded at the left": lambda folder: _ours(
        folder, "cl100k", Template(("<s>",)), padding_side="left", truncation_side="left"
    ),
    "ours, a pair of its own": lambda folder: _ours(
        folder,
        "o200k",
        Template(("<s>",), (), (("<s>", 0), (0, 0), ("</s>", 0), ("</s>", 1), (1, 1), ("</s>", 0))),
    ),
    "ours, words": lambda folder: _ours(
        folder, "textbook", Template(("<s>",), ("</s>",)), unknown="[UNK]"
    ),
    "ours, subword-nmt": lambda folder: _ours(
        folder, "subword-nmt", Template((), ("</s>",)), unknown="[UNK]"
    ),
    "ours, as GPT-2's files": lambda folder: _ours(folder, "gpt2", None, format="gpt2"),
    "GPT-2": lambda folder: _others(folder, "gpt2", {"model_max_length": 8}),
    "RoBERTa": lambda folder: _others(folder, "gpt2", {}, _roberta),
    "BERT": lambda folder: _others(folder, "word_piece", {"padding_side": "left"}, _bert),
    "named columns": lambda folder: _others(
        folder, "gpt2", {"model_input_names": ["input_ids", "token_type_ids"]}, _roberta
    ),
    "an odd template": lambda folder: _others(
        folder, "llama3", {"truncation_side": "left"}, _odd_template
    ),
    "Llama 2": lambda folder: _others(
        folder, "llama2", {"bos_token": "<s>", "eos_token": "</s>", "add_bos_token": True}
    ),
    "settings in the file": lambda folder: _others(folder, "qwen", {}, _bert, _BATCH),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes each folder once."""
    where = tmp_path_factory.mktemp("folders")

    def made(name: str) -> Path:
        folder: Path = where / name
        if not folder.exists():
            _MADE[name](folder)
        return folder

    return made


def _theirs(folder: Path) -> Any:
    import transformers  # takes a second, which each process would spend on collecting the tests

    return transformers.AutoTokenizer.from_pretrained(folder)


def _text(rng: random.Random) -> str:
    found = texts.text(rng, rng.choice((0, 1, 2, 3, 5, 9)), strays=0)
    return found + rng.choice(("", "", "<s>", " </s>a", "<pad>"))


def _given(rng: random.Random) -> tuple[Any, Any]:
    """What is encoded: a text, a pair, several of each; rarely what is none of these."""
    n_texts = rng.randint(1, 4)
    match rng.randrange(5 + (rng.random() < 0.1)):
        case 0:
            return _text(rng), None
        case 1:
            return _text(rng), _text(rng)
        case 2:
            return [_text(rng) for _ in range(n_texts)], None
        case 3:
            return [_text(rng) for _ in range(n_texts)], [_text(rng) for _ in range(n_texts)]
        case 4:
            return [(_text(rng), _text(rng)) for _ in range(n_texts)], None
        case _:
            return rng.choice(_WRONG)


def _options(rng: random.Random) -> Json:
    """Options of a call; half of those that could be there."""
    choices: Json = {
        "padding": (True, "longest", "max_length", "do_not_pad", False),
        "truncation": (
            True,
            "longest_first",
            "only_first",
            "only_second",
            "do_not_truncate",
            False,
        ),
        "max_length": (0, 1, 2, 3, 4, 5, 6, 8, 11, 16, 40),
        "stride": (0, 1, 2, 3),
        "padding_side": ("left", "right"),
        "add_special_tokens": (True, False),
        "pad_to_multiple_of": (1, 2, 3, 8),
        "split_special_tokens": (True, False),
        "return_tensors": (None, None, "np"),
        **{f"return_{name}": (True, False) for name in _COLUMNS},
    }
    likely = {"padding", "truncation", "max_length"}
    return {
        name: rng.choice(values)
        for name, values in choices.items()
        if rng.random() < 0.3 + 0.3 * (name in likely)
    }


def _called(tokenizer: Any, given: Any, pair: Any, options: Json) -> Json | None:
    """What a call returns; `None` for an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return dict(tokenizer(given, pair, **options))
        except bpe.BpeError:
            return None
        except BaseException:  # a panic of native code is not an Exception
            if isinstance(tokenizer, bpe.Tokenizer):
                raise
            return None


def _lists(found: Any) -> Any:
    """The same, with places and arrays as lists."""
    return json.loads(json.dumps(found, default=lambda array: array.tolist()))


@pytest.mark.parametrize("name", _MADE)
def test_the_same_call_gives_the_same(name: str, folders: Callable[[str], Path]) -> None:
    logging.disable(logging.WARNING)
    tokenizer = bpe.load(folders(name))
    other = _theirs(folders(name))
    rng = random.Random(name)
    n_errors = 0
    n = examples(60)
    for _ in range(n):
        (given, pair), options = _given(rng), _options(rng)
        expected = _lists(_called(other, given, pair, options))
        assert _lists(_called(tokenizer, given, pair, options)) == expected, (given, pair, options)
        n_errors += expected is None
    assert n_errors < (n / 3 if other.pad_token else 2 * n / 3)  # without it, padding is an error


def _words(rng: random.Random) -> list[str]:
    """Words; some are empty, have spaces, or hold special tokens."""
    return [rng.choice((_text(rng), "hugs", "a b ", "")) for _ in range(rng.randint(0, 4))]


def _words_given(rng: random.Random) -> tuple[Any, Any]:
    if rng.random() < 0.4:
        return [*_words(rng), "hug"], rng.choice((None, ["the", "pug"]))
    several = [_words(rng) for _ in range(rng.randint(1, 3))]
    return several, rng.choice((None, [_words(rng) for _ in several]))


@pytest.mark.parametrize("name", _MADE)
def test_words_give_the_same(name: str, folders: Callable[[str], Path]) -> None:
    logging.disable(logging.WARNING)
    tokenizer = bpe.load(folders(name))
    other = _theirs(folders(name))
    rng = random.Random(name)
    n_errors = 0
    n = examples(30)
    for _ in range(n):
        (given, pair), options = _words_given(rng), _options(rng)
        options["is_split_into_words"] = True
        expected = _called(other, given, pair, options)
        assert _lists(_called(tokenizer, given, pair, options)) == _lists(expected), (given, pair)
        n_errors += expected is None
        if expected is not None:
            theirs = other(given, pair, **options)
            ours = tokenizer(given, pair, **options)
            for row in range(len(theirs.encodings)):
                assert ours.word_ids(row) == theirs.word_ids(row), (given, pair, options)
    assert n_errors < (n / 3 if other.pad_token else 2 * n / 3)


@pytest.mark.parametrize(
    "name", ["ours, with a template", "ours, padded at the left", "BERT", "RoBERTa"]
)
def test_the_command_line_gives_the_same(
    name: str, folders: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = _theirs(folders(name))
    asked = {
        **_ASKED,
        "return_overflowing_tokens": True,
        "truncation": "longest_first",
        "padding": "max_length",
    }
    texts_of_it = "سلام hello, hello 日本 the end", "a second 😀 text"
    for pair, add, side in (
        (False, True, "left"),
        (True, True, "right"),
        (True, False, "left"),
        (False, False, "right"),
    ):
        first, second = texts_of_it if pair else (texts_of_it[0], None)
        expected = other(
            first,
            second,
            add_special_tokens=add,
            padding_side=side,
            max_length=12,
            stride=1,
            **asked,
        )
        command: list[object] = [
            "encode",
            "-t",
            folders(name),
            "--json",
            "--text",
            first,
            "--padding-side",
            side,
        ]
        command += [
            "--truncation",
            "--padding",
            "max_length",
            "--max-length",
            "12",
            "--stride",
            "1",
            "--overflowing",
        ]
        command += ["--special-tokens-mask", *(["--text-pair", second] if second else [])]
        assert not cli.main([*map(str, command), *(["--add-special-tokens"] if add else [])])
        found = json.loads(capsys.readouterr().out)
        rows = [found, *found.pop("overflowing")]
        for column, key in (
            ("ids", "input_ids"),
            ("offsets", "offset_mapping"),
            ("tokens", "tokens"),
        ):
            theirs = (
                [part.tokens for part in expected.encodings]
                if key == "tokens"
                else _lists(expected[key])
            )
            assert [row[column] for row in rows] == theirs
        for column in ("attention_mask", "token_type_ids", "special_tokens_mask"):
            assert [row[column] for row in rows] == expected[column]


@pytest.mark.parametrize("name", ["ours, with a template", "BERT"])
@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        (("a", ["b"]), {}, "one first text, but several second ones"),
        ((["a"], "b"), {}, "several first texts, but one second one"),
        ((["a", "b"], ["c"]), {}, "2 first texts, but 1 second ones"),
        (([("a", "b", "c")],), {}, "neither a text nor a pair"),
        (([1],), {}, "neither a text nor a pair"),
        (("a",), {"truncation": "only_third"}, "only_third"),
        (("a",), {"padding_side": "top"}, "'top'"),
        (("a",), {"stride": -1}, "from 0 on"),
        (("a",), {"pad_to_multiple_of": 0}, "from 1 on"),
        (
            ("a",),
            {"padding": True, "truncation": True, "max_length": 9, "pad_to_multiple_of": 4},
            "not a multiple",
        ),
        (("a b c d e",), {"truncation": "only_second", "max_length": 5}, "econd"),
        (
            ("a", "b c d e f g"),
            {"truncation": "only_first", "max_length": 8},
            "too short|first text has",
        ),
        (("a b c d e f",), {"truncation": True, "max_length": 5, "stride": 4}, "stride"),
        (("hug",), {"is_split_into_words": True}, "no list of words"),
        (([["a"], "b"],), {"is_split_into_words": True}, "is one text"),
        ((["a"], [["b"], ["c"]]), {"is_split_into_words": True}, "differ"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    name: str, given: tuple[Any, ...], options: Json, sentence: str, folders: Callable[[str], Path]
) -> None:
    with pytest.raises(bpe.BpeError, match=sentence) as caught:
        bpe.load(folders(name))(*given, **options)
    assert "\n" not in str(caught.value)
