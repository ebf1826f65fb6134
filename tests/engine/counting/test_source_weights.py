"""Weights of files, against training on text in which each file is repeated."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.counting import corpus as counting
from bpe_studio.engine.counting.corpus import CorpusBuilder
from tests.engine import texts

PRESETS = ["gpt2", "textbook", "raw", "sennrich", "subword-nmt", "sentencepiece", "superbpe"]
WORDS = ["the", "lower", "aaaa", "don't", "x:", "12", "سلام", "é", "--", "low\n", "a b c", "aa"]
Named = Sequence[tuple[str, str]]


def random_files(chance: random.Random) -> Named:
    def text() -> str:
        n = chance.randint(1, 40)
        return "".join(chance.choice(WORDS) + chance.choice("  \n") for _ in range(n))

    return [(f"folder/{name}.txt", text()) for name in "abcd"[: chance.randint(1, 4)]]


def random_config(chance: random.Random) -> bpe.TrainingConfig:
    preset = chance.choice(PRESETS)
    options: dict[str, Any] = {"min_frequency": chance.randint(1, 4)}
    options["documents"] = chance.choice(["file", "line"])
    if preset == "superbpe":
        options["vocab_size"] = chance.randint(280, 300)
        options["superwords_from"] = chance.randint(260, 279)
    else:
        options["merges"] = chance.randint(1, 40)
    if preset in ("gpt2", "textbook", "raw"):
        options["ties"] = chance.choice(["first-seen", "huggingface", "greatest-bytes"])
    if preset == "gpt2":
        options["split"] = chance.choice(["gpt2", "none", "cl100k", r"regex:\w+|\W"])
        options["clean"] = chance.choice([(), ("urls",)])
    return bpe.TrainingConfig.preset(preset, **options)


def corpus_of(files: Iterable[tuple[str, str]], config: bpe.TrainingConfig) -> bpe.Corpus:
    builder = CorpusBuilder(config)
    for path, text in files:
        builder.begin_source(path)
        builder.add_text(text)
        builder.end_document()
    return builder.finish()


def repeated(files: Named, times: Sequence[int]) -> Named:
    return [file for file, number in zip(files, times, strict=True) for _ in range(number)]


def facts_of(run: bpe.Run) -> tuple[Any, ...]:
    corpus = run.corpus
    measures = corpus.size_bytes, corpus.n_characters, corpus.n_whitespace_words, corpus.n_documents
    log = [merge.to_log() for merge in run.merges]
    return log, list(corpus.items()), measures, run.initial_n_tokens


@pytest.mark.parametrize("seed", range(40))
def test_a_whole_weight_is_that_many_copies(seed: int) -> None:
    chance = random.Random(seed)
    files = random_files(chance)
    times = [chance.choice((1, 1, 2, 3, 17)) for _ in files]
    config = random_config(chance)
    weights = {path: number for (path, _), number in zip(files, times, strict=True) if number > 1}
    weighed = config.replace(weight=weights)
    expected = facts_of(bpe.train(corpus_of(repeated(files, times), config), config))
    assert facts_of(bpe.train(corpus_of(files, weighed), weighed)) == expected
    # The weights can also be given, or changed, after the text was counted.
    counted = corpus_of(files, config.replace(weight=["*=1/7"]))
    assert facts_of(bpe.train(counted, weighed)) == expected


@pytest.mark.parametrize(
    ("weights", "times"),
    [
        (["b.txt=0.5"], (2, 1, 2)),
        (["*.txt=1/3", "a.txt=0.50"], (3, 2, 2)),
        (["a.txt=9", "folder/?.txt=2", "c.txt=1"], (2, 2, 1)),
        (["*=2.0"], (2, 2, 2)),
        (["[ab].txt=4"], (4, 4, 1)),
    ],
)
def test_fractions_are_made_whole_and_the_last_pattern_decides(
    weights: list[str], times: tuple[int, ...]
) -> None:
    files = [(f"folder/{name}.txt", f"{name}low lower {name}") for name in "abc"]
    config = bpe.TrainingConfig.preset("textbook", merges=9)
    run = bpe.train(corpus_of(files, config), weight=weights)
    assert facts_of(run) == facts_of(bpe.train(corpus_of(repeated(files, times), config)))


@pytest.mark.parametrize(
    ("alpha", "times"), [(1, (1, 1, 1)), (0.5, (2, 1, 4)), (0, (4, 1, 16)), (0.25, (283, 100, 800))]
)
def test_alpha_is_the_power_of_the_share(alpha: float, times: tuple[int, ...]) -> None:
    files = [("a", "ab " * 16), ("b", "ba " * 64), ("c", "cc " * 4)]
    config = bpe.TrainingConfig.preset("gpt2", merges=3)
    run = bpe.train(corpus_of(files, config), alpha=alpha)
    assert facts_of(run) == facts_of(bpe.train(corpus_of(repeated(files, times), config)))


def test_weights_multiply_what_alpha_gives() -> None:
    files = [("a", "ab " * 16), ("b", "ba " * 64)]
    config = bpe.TrainingConfig.preset("gpt2", merges=3, alpha=0.5, weight="b=1.5")
    expected = corpus_of(repeated(files, (4, 3)), config.unweighted)
    assert list(corpus_of(files, config).items()) == list(expected.items())


def test_large_files_are_counted_by_kernels_and_small_ones_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "FAST_CHARACTERS", 3_000)
    monkeypatch.setattr(counting, "SMALL_CHARACTERS", 2_000)
    files = [("a", texts.english(200)), ("b", texts.mixed(600)), ("c", texts.persian(300))]
    for preset in ("gpt2", "superbpe"):
        config = bpe.TrainingConfig.preset(preset, vocab_size=400, ties="first-seen")
        expected = corpus_of(repeated(files, (1, 3, 1)), config)
        found = corpus_of(files, config.replace(weight={"b": 3}))
        assert facts_of(bpe.train(found)) == facts_of(bpe.train(expected))


def test_counters_and_executors_keep_the_files(tmp_path: Path) -> None:
    names = ["a.txt", "b.txt", "c.jsonl"]
    (tmp_path / "a.txt").write_text("the low lower\n" * 9)
    (tmp_path / "b.txt").write_text("new newer newest\n" * 5)
    (tmp_path / "c.jsonl").write_text('{"text": "wide wider"}\n{"text": "low"}\n')
    paths = [tmp_path / name for name in names]
    config = bpe.TrainingConfig.preset("superbpe", vocab_size=290, superwords_from=270)
    weighed = config.replace(weight=["b.txt=4", "c.jsonl=2"])
    repeats = [paths[0], *[paths[1]] * 4, *[paths[2]] * 2]
    expected = facts_of(bpe.train(bpe.Corpus.from_files(repeats, config)))
    assert facts_of(bpe.train(bpe.Corpus.from_files(paths, weighed))) == expected
    with ThreadPoolExecutor(2) as executor:
        in_parts = bpe.count(paths, weighed, executor)
    by_hand = bpe.Counter(config)
    for path in paths:
        by_hand.merge(pickle.loads(pickle.dumps(bpe.count(path, config))))
    for counter in (in_parts, by_hand, bpe.count(tmp_path, config)):
        assert facts_of(bpe.train(counter.corpus(weighed))) == expected


def test_more_files_than_are_named_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_SOURCES", 2)
    files = [("a", "low low"), ("b", "new"), ("c", "wide"), ("d", "low")]
    config = bpe.TrainingConfig.preset("textbook")
    corpus = corpus_of(files, config)
    assert dict(corpus.items()) == {"low": 3, "new": 1, "wide": 1} and not corpus.sources
    weighed = corpus_of(files, config.replace(weight=["d=2"]))
    assert dict(weighed.items())["low"] == 4 and len(weighed.sources) == 4


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("b.txt=0", "above 0"),
        ("b.txt=0.0", "above 0"),
        ("b.txt=-1", "above 0"),
        ("b.txt=much", "above 0"),
        ("b.txt=nan", "above 0"),
        ("b.txt=1/0", "above 0"),
        ("b.txt=1e9", "above 0"),
        ("b.txt", "above 0"),
        ("=3", "above 0"),
        ({"b.txt": True}, "above 0"),
        ([3], "such as"),
        ([("b.txt", 2)], "such as"),
    ],
)
def test_no_weights(weight: Any, words: str) -> None:
    with pytest.raises(bpe.ConfigError, match=words):
        bpe.TrainingConfig.preset("gpt2", weight=weight)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan"), "half", None, True])
def test_no_alpha(alpha: Any) -> None:
    with pytest.raises(bpe.ConfigError, match="alpha"):
        bpe.TrainingConfig.preset("gpt2", alpha=alpha)


def test_weights_need_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low")
    config = bpe.TrainingConfig.preset("gpt2", weight="b.txt=2")
    for make in (
        lambda: bpe.Corpus.from_files([tmp_path / "a.txt"], config),
        lambda: bpe.count(tmp_path, config),
        lambda: corpus_of([("a.txt", "low")], config),
    ):
        with pytest.raises(bpe.ConfigError, match=r"'b\.txt' fits none"):
            make()
    plain = bpe.Corpus.from_text("low", config.unweighted)
    for make in (
        lambda: bpe.Corpus.from_text("low", config),
        lambda: bpe.Corpus.from_counts({"low": 1}, config),
        lambda: bpe.train(plain, alpha=0.5),
    ):
        with pytest.raises(bpe.ConfigError, match="which files"):
            make()


def test_too_large_weights_are_refused() -> None:
    weights = {"a": "999999999", "b": "0.000000007"}
    config = bpe.TrainingConfig.preset("gpt2", weight=weights)
    with pytest.raises(bpe.CorpusError, match="fewer digits"):
        corpus_of([("a", "low " * 9), ("b", "low")], config)
