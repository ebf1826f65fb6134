"""A value of the wrong type is refused with one sentence that says what is wanted, as an error of
this program.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bpe_studio as bpe
from tests.files.third_party import made
from tests.trained import run_of_text

CONFIG = bpe.TrainingConfig.preset("gpt2")
RUN = run_of_text()
Call = Callable[..., Any]
CALLS: dict[str, tuple[Call, str]] = {
    "a text for texts": (lambda: bpe.Corpus.from_texts("a string", CONFIG), "one text"),
    "no texts": (lambda: bpe.Corpus.from_texts(None, CONFIG), "None is not a list of texts"),
    "a number in texts": (lambda: bpe.Corpus.from_texts(["a", 3], CONFIG), "3 is not text"),
    "texts for a text": (lambda: bpe.Corpus.from_text(["a"], CONFIG), r"\['a'\] is not text"),
    "a text for counts": (lambda: bpe.Corpus.from_counts("hug", CONFIG), '{"hug": 10}'),
    "a number for counts": (lambda: bpe.Corpus.from_counts(3, CONFIG), '{"hug": 10}'),
    "a preset for options": (lambda: bpe.Corpus.from_text("a", "gpt2"), "not a TrainingConfig"),
    "a preset": (lambda: bpe.TrainingConfig.preset("gpt3"), "did you mean 'gpt2'"),
    "no preset at all": (lambda: bpe.TrainingConfig.preset(["gpt2"]), "choose one of gpt2, "),
    "an option": (lambda: CONFIG.replace(vocabsize=300), "did you mean 'vocab_size'"),
    "a choice": (lambda: CONFIG.replace(ties="hugging-face"), "did you mean 'huggingface'"),
    "a split": (lambda: CONFIG.replace(split="white-space"), "did you mean 'whitespace'"),
    "a text to train on": (lambda: bpe.train("text"), "Corpus"),
    "a number of merges": (lambda: bpe.Trainer(RUN.corpus).run("all"), "whole number, not 'all'"),
    "no path": (lambda: bpe.load(None), "None is not a path"),
    "bytes for a path": (lambda: bpe.load(b"gpt2"), "not a path"),
    "a path to save": (lambda: RUN.tokenizer().save(3), "3 is not a path"),
    "a step": (lambda: RUN.tokenizer("all"), "A step is a whole number"),
    "half a step": (lambda: RUN.tokenizer(1.5), "A step is a whole number"),
    "gap ranks": (lambda: RUN.gap_ranks(3), "3 is not text"),
    "an override": (lambda: bpe.branch(RUN, "force"), "not an Override"),
    "a run to branch off": (
        lambda: bpe.branch("run", bpe.Override(1, bpe.OverrideKind.skip, "t", "h")),
        "not a Run",
    ),
    "a border in no text": (lambda: bpe.why_border(RUN, 3, 1), "3 is not text"),
    "a text to extend on": (lambda: bpe.extend(RUN.tokenizer(), "text", 400), "one text"),
    "a run to extend": (lambda: bpe.extend(RUN, RUN.corpus, 400), "not a Tokenizer"),
    "a size": (lambda: bpe.prune(RUN.tokenizer(), RUN.corpus, "400"), "whole number, not '400'"),
    "a path to line up": (lambda: bpe.align(RUN.tokenizer(), "gpt2", "a"), "not a Tokenizer"),
    "a path for ids": (lambda: bpe.id_map("gpt2", RUN.tokenizer()), "'gpt2' is not a Tokenizer"),
    "a path to examine": (lambda: bpe.doctor("gpt2"), "'gpt2' is not a Tokenizer"),
    "a corpus to merge": (lambda: bpe.Counter(CONFIG).merge(RUN.corpus), "Counter.of"),
}
OF_TOKENIZERS: dict[str, tuple[Call, str]] = {
    "a number": (lambda tok: tok.encode(3), "3 is not text"),
    "texts": (lambda tok: tok.encode(["a", "b"]), "is not text"),
    "a step": (lambda tok: tok.encode("a", step="x"), "A step is a whole number"),
    "a number for ids": (lambda tok: tok.encode_ids(None), "None is not text"),
    "a text for many": (lambda tok: tok.encode_many("a string"), "one text"),
    "numbers for many": (lambda tok: tok.encode_many([3]), "3 is not text"),
    "no text among many": (lambda tok: tok.encode_many(["a", None]), "None is not text"),
    "bytes among many": (lambda tok: tok.encode_many(["a", b"b"]), "b'b' is not text"),
    "lists among many": (lambda tok: tok.encode_many([["a"], ["b"]]), r"\['a'\] is not text"),
    "missing values of a column": (
        lambda tok: tok.encode_many(np.array(["a", np.nan], object)),
        "nan is not text",
    ),
    "an array in a batch": (lambda tok: tok(np.array([["a"]] * 9)), "neither a text nor several"),
    "lists in a batch": (lambda tok: tok([[["a"]]]), "neither a text nor a pair"),
    "bytes in a batch": (lambda tok: tok(["a", b"b"]), "b'b' is neither a text nor a pair"),
    "a text for singles": (lambda tok: tok.single_ids("abc"), "one text"),
    "a number for a batch": (lambda tok: tok(3), "3 is neither a text nor several"),
    "nothing in a batch": (lambda tok: tok([None]), "neither a text nor a pair"),
    "a text to decode": (lambda tok: tok.decode("abc"), "'abc' is not a list of token ids"),
    "one id to decode": (lambda tok: tok.decode(3), "3 is not a list of token ids"),
    "a fraction to decode": (lambda tok: tok.decode([1.5]), "not a list of token ids"),
    "lists to decode": (lambda tok: tok.decode([[1, 2]]), "not a list of token ids"),
    "one list to decode": (lambda tok: tok.batch_decode([1, 2]), "1 is not a list of token ids"),
    "nothing to decode": (
        lambda tok: tok.batch_decode(None),
        "None is not an Iterable: give a list of lists",
    ),
    "a number for a token": (lambda tok: tok.convert_tokens_to_ids([3]), "3 is not text"),
    "a text for an id": (lambda tok: tok.convert_ids_to_tokens("a"), "not a list of token ids"),
    "gap ranks": (lambda tok: tok.gap_ranks(3), "3 is not text"),
    "another step": (lambda tok: tok.at("x"), "A step is a whole number"),
}


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> list[bpe.Tokenizer]:
    path = tmp_path_factory.mktemp("tokenizers") / "tokenizer.json"
    path.write_text(json.dumps(made.llama3()), encoding="utf-8")
    return [RUN.tokenizer(), bpe.load(Path(path))]


def refuses(call: Call, words: str, *arguments: Any) -> None:
    with pytest.raises(bpe.BpeError, match=words) as found:
        call(*arguments)
    assert "\n" not in str(found.value) and len(str(found.value)) < 300


@pytest.mark.parametrize("name", CALLS)
def test_it_is_refused(name: str) -> None:
    refuses(*CALLS[name])


@pytest.mark.parametrize("name", OF_TOKENIZERS)
def test_tokenizers_of_each_kind_refuse_it(name: str, tokenizers: list[bpe.Tokenizer]) -> None:
    for tokenizer in tokenizers:
        refuses(*OF_TOKENIZERS[name], tokenizer)


def test_many_texts_may_be_in_anything_that_gives_them_one_by_one(
    tokenizers: list[bpe.Tokenizer],
) -> None:
    texts = ["a", "", "hug hugs"]
    for tokenizer in tokenizers:
        expected = [tokenizer.encode(text).ids for text in texts]
        for given in (
            texts,
            tuple(texts),
            np.array(texts),
            np.array(texts, object),
            iter(texts),
            dict.fromkeys(texts),
        ):
            assert tokenizer.encode_many(given) == expected
        assert tokenizer(tuple(texts), add_special_tokens=False)["input_ids"] == expected
        assert (
            tokenizer.encode_many([]) == [] and len(tokenizer.encode_many([], as_arrays=True)) == 0
        )
        nothing = [""] * 100_000
        assert tokenizer.encode_many(nothing) == [[]] * 100_000
        assert tokenizer(nothing, add_special_tokens=False)["input_ids"] == [[]] * 100_000


def test_a_wrong_type_is_a_type_error_too() -> None:
    with pytest.raises(TypeError):
        RUN.tokenizer().encode(3)  # type: ignore[arg-type]
