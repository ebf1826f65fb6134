"""Published worked examples come out merge for merge and count for count, however their words are
handed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.counting.corpus import CorpusBuilder
from tests.engine.textbook_twin import Twin, content_of, symbols_of

_ENOUGH = 100


@dataclass(frozen=True)
class Case:
    """One published example.

    Attributes:
        preset: the preset that comes closest, with the options that make it the example's trainer.
        texts: documents that hold the example's words in its order.
    """

    preset: str
    options: dict[str, Any]
    texts: tuple[str, ...]


_FACTS = {
    facts["name"]: facts
    for facts in json.loads(
        (Path(__file__).parent / "data" / "textbook_cases.json").read_text(encoding="utf-8")
    )
}


def _words(name: str) -> list[tuple[str, int]]:
    """The counted pre-tokens as they are written in the facts: characters, or stand-ins for
    bytes.
    """
    pairs = [line.rsplit(" ", 1) for line in _FACTS[name]["counts"]]
    return [(word, int(count)) for word, count in pairs]


def _spelled_out(name: str) -> str:
    return " ".join(" ".join([word] * count) for word, count in _words(name))


_HEADLINES = (
    "Artificial Intelligence is transforming industries.",
    "Machine Learning models require lots of data.",
    "Deep Learning uses neural networks for predictions.",
    "GPT models generate human-like text.",
    "Robotics and automation are the future.",
)

CASES = {
    "hug pug pun": Case("textbook", {}, (_spelled_out("hug pug pun"),)),
    "low lower newest widest": Case("sennrich", {}, (_spelled_out("low lower newest widest"),)),
    "ababcabcd": Case("textbook", {}, ("ababcabcd",)),
    "two Persian lines": Case("textbook", {"unknown": None}, (_spelled_out("two Persian lines"),)),
    "five AI headlines": Case("gpt2", {"ties": "first-seen", "full_alphabet": False}, _HEADLINES),
    "bytes with smileys": Case("raw", {"full_alphabet": False}, ("😄😄 ababcabcd 😄😄",)),
}


def _config(name: str, **more: Any) -> bpe.TrainingConfig:
    case = CASES[name]
    facts = _FACTS[name]
    n_merges = _ENOUGH if facts["stops_by_itself"] else len(facts["merges"])
    options = {
        "merges": n_merges,
        "min_frequency": facts["min_frequency"],
        "special": tuple(facts["special"]),
        "force": tuple(tuple(pair.split()) for pair in facts["forced"]),
        **case.options,
    }
    return bpe.TrainingConfig.preset(case.preset, **(options | more))


def _corpus(name: str, how: str, config: bpe.TrainingConfig) -> bpe.Corpus:
    if how == "counts":
        return bpe.Corpus.from_counts(dict(_words(name)), config)
    builder = CorpusBuilder(config)
    for text in CASES[name].texts:
        builder.add_text(text)
        builder.end_document()
    return builder.finish()


@pytest.fixture(params=list(CASES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["text", "counts"])
def how(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_published_case_is_here() -> None:
    assert set(CASES) == set(_FACTS) and len(CASES) == 6


def test_words_in_first_seen_order(name: str, how: str) -> None:
    corpus = _corpus(name, how, _config(name))
    expected = _words(name)
    words = [corpus.pre_token(i) for i in range(len(corpus))]
    if _config(name).units == "bytes":
        words = ["".join(symbols_of(word, units="bytes")) for word in words]
    assert list(zip(words, corpus.counts.tolist(), strict=True)) == expected
    assert len(corpus) == len(expected)
    assert corpus.n_words == sum(count for _, count in expected)


def test_merges_and_counts(name: str, how: str) -> None:
    config = _config(name)
    run = bpe.train(_corpus(name, how, config), config)
    expected = [
        (left, right, int(n))
        for left, right, n in (line.split() for line in _FACTS[name]["merges"])
    ]
    assert [(merge.left, merge.right, merge.count) for merge in run.merges] == expected
    assert [merge.token for merge in run.merges] == [left + right for left, right, _ in expected]
    assert [merge.rank for merge in run.merges] == list(range(len(expected)))
    n_forced = len(_FACTS[name]["forced"])
    assert [merge.forced for merge in run.merges] == [
        rank < n_forced for rank in range(len(expected))
    ]


def test_ties_and_tokens_left(name: str, how: str) -> None:
    config = _config(name)
    run = bpe.train(_corpus(name, how, config), config)
    words = [
        (symbols_of(word, word_end=config.word_end, word_end_as=config.word_end_as), count)
        for word, count in _words(name)
    ]
    twin = Twin(words, min_frequency=config.min_frequency, force=config.force).train(
        len(_FACTS[name]["merges"])
    )
    assert [merge.n_tokens for merge in run.merges] == [merge.n_tokens for merge in twin.merges]
    occurring = [rank for rank, merge in enumerate(twin.merges) if merge.count]
    assert [run.merges[rank].tied for rank in occurring] == [
        twin.merges[rank].tied for rank in occurring
    ]


def test_alphabet(name: str, how: str) -> None:
    config = _config(name)
    run = bpe.train(_corpus(name, how, config), config)
    expected = _FACTS[name]["alphabet"].split()
    assert run.n_alphabet == len(expected)
    assert sorted(run.token_name(i) for i in range(run.n_alphabet)) == sorted(expected)


def test_cuts(name: str) -> None:
    config = _config(name)
    tokenizer = bpe.train(_corpus(name, "counts", config), config).tokenizer()
    for cut in _FACTS[name]["cuts"]:
        symbols, tokens = cut.split(" = ")
        text = content_of(symbols).decode() if config.units == "bytes" else symbols
        encoding = tokenizer.encode(text)
        assert list(encoding.tokens) == tokens.split()
        assert tokenizer.convert_tokens_to_ids(list(encoding.tokens)) == list(encoding.ids)


def test_vocabulary_size(name: str) -> None:
    facts = _FACTS[name]
    config = _config(name)
    run = bpe.train(_corpus(name, "counts", config), config)
    n_special = len(facts["special"]) + (config.unknown is not None)
    assert (
        run.tokenizer().vocab_size
        == len(facts["alphabet"].split()) + len(facts["merges"]) + n_special
    )
    if facts["vocab_size"]:
        assert run.tokenizer().vocab_size == facts["vocab_size"]
        by_size = _config(name, merges=None, vocab_size=facts["vocab_size"])
        again = bpe.train(_corpus(name, "counts", by_size), by_size)
        assert [(m.left, m.right) for m in again.merges] == [(m.left, m.right) for m in run.merges]


def test_special_tokens_come_first(name: str) -> None:
    config = _config(name)
    tokenizer = bpe.train(_corpus(name, "counts", config), config).tokenizer()
    special = list(_FACTS[name]["special"])
    assert tokenizer.convert_ids_to_tokens(list(range(len(special)))) == special


def test_stops_by_itself() -> None:
    config = _config("ababcabcd", merges=50)
    trainer = bpe.Trainer(_corpus("ababcabcd", "text", config), config)
    assert len(trainer.run()) == 2
    assert trainer.finished and "twice" in trainer.stop_reason


def test_text_of_the_alphabet_is_sorted_by_code_point() -> None:
    config = _config("hug pug pun")
    run = bpe.train(_corpus("hug pug pun", "text", config), config)
    assert [run.token_name(i) for i in range(run.n_alphabet)] == list("bghnpsu")
    assert run.tokenizer().convert_tokens_to_ids(["ug"]) == [run.tokenizer().vocab_size - 3]
