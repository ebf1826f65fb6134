"""Large texts are counted with the same result, in the same order, as small ones."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

import bpe_studio as bpe
from bpe_studio.engine.counting import corpus as corpus_module
from bpe_studio.engine.counting import counting_thread, fast_counting, word_table
from bpe_studio.engine.counting.corpus import CorpusBuilder
from bpe_studio.engine.counting.fast_counting import FastCounting
from bpe_studio.engine.counting.plain_counting import PlainCounting
from bpe_studio.engine.presets import NAMED_SPLITS
from tests.engine import texts
from tests.examples import examples

NASTY = "aAbsS'tl1²! .\n\r\t\u3000\x1cé\u0301\u017fあ文▁😀\udc80\udcff\ud83d<>"
SEPARATORS = ("<|end|>", "<s>", "<s>!")


def _table(counting: PlainCounting | FastCounting) -> list[tuple[bytes, int]]:
    blob, offsets, counts = counting.words()
    bounds = offsets.tolist()
    words = [blob[a:b].tobytes() for a, b in zip(bounds, bounds[1:], strict=False)]
    return list(zip(words, counts.tolist(), strict=True))


def _count(
    counting: PlainCounting | FastCounting, documents: list[str], cuts: random.Random | None
) -> object:
    for document in documents:
        place = 0
        while place < len(document):
            size = cuts.randint(1, 40) if cuts else len(document)
            part: str | bytes = document[place : place + size]
            if cuts and isinstance(counting, FastCounting) and cuts.random() < 0.5:
                part = part.encode("utf-8", "surrogatepass")
            for _ in counting.feed(part):
                pass
            place += size
        for _ in counting.finish_document():
            pass
    for _ in counting.finish():
        pass
    return _table(counting), counting.measures


def _documents(rng: random.Random) -> list[str]:
    alphabet = rng.choices(NASTY, k=rng.randint(2, 14))
    pieces = [*alphabet, *rng.choices(SEPARATORS, k=2)]
    return [
        "".join(rng.choices(pieces, k=rng.choice([0, 3, 30, 200])))
        for _ in range(rng.randint(1, 3))
    ]


def _alike(seed: int, split: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    for _ in range(n):
        monkeypatch.setattr(counting_thread, "MAX_WAITING", rng.randint(1, 3))
        monkeypatch.setattr(counting_thread, "MAX_CUT_BYTES", rng.choice([0, 20, 1 << 20]))
        monkeypatch.setattr(fast_counting, "_PIECE", rng.choice([1, 7, 1 << 18]))
        monkeypatch.setattr(word_table, "_ROOM", rng.choice([1, 2, 5, 1 << 20]))
        config = bpe.TrainingConfig.preset(
            "raw",
            split=split,
            documents=rng.choice(["file", "line", "separator"]),
            normalize=rng.choice([(), (), ("nfkc",), ("nfd", "lowercase"), ("strip-accents",)]),
            special=SEPARATORS,
        )
        documents = _documents(rng)
        fast = FastCounting(config, block_bytes=rng.choice([1, 16, 100, 1 << 20]))
        assert _count(fast, documents, rng) == _count(PlainCounting(config), documents, None), (
            config,
            documents,
        )


@pytest.mark.slow(buys="each named split on texts of several blocks")
@pytest.mark.parametrize("split", NAMED_SPLITS)
def test_named_splits(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _alike(1, split, examples(40), monkeypatch)


def test_threes_from_the_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        f"{__name__}.NASTY",
        [*"0123456789 a.\n", "\u0661", "\u06f3", "\u00b2", "\u2167", "é", "12", "\udcc3"],
    )
    _alike(4, "digits-right", examples(100), monkeypatch)


@pytest.mark.slow(buys="180 random texts, counted by threads and plainly")
@pytest.mark.parametrize("pattern", [r" ?\w+|[^\w\s]", r"\s*\w+|\W", r"a{2,3}+b|\s+(?!\S)|\S"])
def test_expressions_that_an_automaton_stands_for(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _alike(3, f"regex:{pattern}", examples(60), monkeypatch)


def test_stray_bytes_that_make_a_character_together(monkeypatch: pytest.MonkeyPatch) -> None:
    config = bpe.TrainingConfig.preset("raw", split="words", documents="file")
    text = "é \udcc3\udca9 \udcc3 a\udcc3\udca9 é"
    fast = FastCounting(config)
    plain = PlainCounting(config)
    assert _count(fast, [text], None) == _count(plain, [text], None)


@pytest.fixture
def low_bound(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(corpus_module, "FAST_CHARACTERS", 500)
    yield
    assert not [thread for thread in threading.enumerate() if thread.name == "counting"]


@pytest.mark.usefixtures("low_bound")
@pytest.mark.parametrize("documents", ["file", "line"])
@pytest.mark.parametrize(
    "split",
    [
        "gpt2",
        "o200k",
        "sentencepiece",
        r"regex:[aeiou]|[^aeiou\s]+",
        r"regex: ?\w+",
        r"regex:(?<=e)\W|.",
    ],
)
def test_a_corpus_that_grows_large(
    split: str, documents: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = bpe.TrainingConfig.preset("raw", split=split, documents=documents)
    parts = [
        texts.english(60, seed=1),
        texts.persian(30, seed=2),
        texts.cjk_and_emoji(50, seed=3),
        texts.english(90),
    ]
    assert len(parts[0]) < 500 < len("".join(parts))
    corpora = []
    for bound in (500, 10**9):
        monkeypatch.setattr(corpus_module, "FAST_CHARACTERS", bound)
        builder = CorpusBuilder(config)
        for part in parts:
            builder.add_text(part)
            builder.end_document()
        corpora.append(builder.finish())
    large, small = corpora
    assert list(large.items()) == list(small.items())
    for name in ("n_words", "size_bytes", "n_characters", "n_whitespace_words", "n_documents"):
        assert getattr(large, name) == getattr(small, name)
