"""Encoding large texts with kernels gives the ids of the way that small texts go."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_curves import corpus_curve, text_curve
from bpe_studio.engine.encoding import bulk_encoding, gap_closing
from bpe_studio.engine.encoding.gap_closing import NEVER, close_word
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import loader
from tests.engine import corpora, texts
from tests.examples import IN_EACH_OF_MANY, examples

NAMED = ("none", "gpt2", "cl100k", "o200k", "llama3", "qwen2", "whitespace", "words")
# Plain ones that keep all, drop some, and go back to where a pre-token begins; and one that no
# automaton stands for.
TYPED = (
    r"regex:\s*\w+|\W",
    r"regex:[a-zé]+ ?|\d{1,3}",
    r"regex:<[^>]*>|\w+'\w|[^\S\n]+(?!\S)",
    r"regex:(?<=a)b|.",
)
SPLITS = NAMED + TYPED


class PlainTokenizer(bpe.Tokenizer):
    """The obvious twin: pre-token by pre-token, whatever the size."""

    def __init__(self, model: TokenizerModel) -> None:
        super().__init__(model)
        self._bulk = None


@pytest.fixture(scope="module", autouse=True)
def always_compiled():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", -1)
        patch.setattr(gap_closing, "SHORT", 0)
        yield


@cache
def _run(split: str) -> bpe.Run:
    config = bpe.TrainingConfig.preset("gpt2", merges=500, vocab_size=None, split=split)
    text = "".join(make(150, seed=5) for make in texts.KINDS.values())
    return bpe.train(bpe.Corpus.from_text(text[:4000] if split == "none" else text, config), config)


@cache
def _tokenizer(split: str) -> bpe.Tokenizer:
    """One for all random texts, as a loaded one encodes many.

    What it remembers of one must not change another.
    """
    return _run(split).tokenizer()


@lru_cache(maxsize=32)
def _plain(tokenizer: bpe.Tokenizer) -> bpe.Tokenizer:
    return PlainTokenizer(tokenizer.model)


@pytest.mark.parametrize("split", SPLITS)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.any_text(), step=st.integers(0, 500))
@example(text="", step=500)
@example(text="don't  DON'T we'll 12345 x\n\n  y \u2028 naïve é e\u0301 a\x00 \x00", step=500)
@example(
    text="abcdefgh abcdefghi abcdefghijklmno abcdefghijklmnop abcdefghijklmnopq abcdefgé", step=500
)
@example(text=" " * 15 + "a" + " " * 16 + "b" + " " * 17 + "." * 16 + "." * 90, step=500)
@example(text="the théthe", step=500)
@example(
    text=" ".join("low" * k + middle + "er" * 9 for k in (1, 5, 13) for middle in "abcab")
    + " "
    + "é" * 40,
    step=500,
)
def test_ids_are_the_same(split: str, text: str, step: int) -> None:
    run = _run(split)
    step = min(step, len(run.merges))
    tokenizer = _tokenizer(split)
    assert (
        tokenizer.encode_ids(text, step=step).tolist()
        == _plain(tokenizer).encode(text, step=step).ids
    )
    assert tokenizer.encode_ids(text).tolist() == _plain(tokenizer).encode(text).ids
    assert tokenizer.encode(text, step=step) == _plain(tokenizer).encode(text, step=step)


@pytest.mark.parametrize("split", SPLITS)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(parts=st.lists(corpora.any_text(), max_size=8), step=st.sampled_from([None, 3]))
@example(parts=["abc" * 40], step=None)
@example(parts=["é" * 60, "日本語 " * 9, "\U0001f992" * 30, "a b" * 30, " " * 90], step=None)
def test_ids_are_the_same_if_threads_encode_parts(
    split: str, parts: list[str], step: int | None
) -> None:
    tokenizer = _tokenizer(split)
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_encoding, "n_processors", lambda: 3)
        patch.setattr(bulk_encoding, "_PART_BYTES", 16)
        patch.setattr(bulk_encoding, "_BOUNDARY_BYTES", 64)
        found = tokenizer.encode_ids(text, step=step)
    assert found.tolist() == _plain(tokenizer).encode(text, step=step).ids


@pytest.mark.slow(buys="tables that grow while a text is encoded")
def test_tables_that_are_too_small_grow() -> None:
    rng = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 30))) for _ in range(12_000)]
    words += ["".join(rng.choices(letters, k=rng.randint(60, 80))) for _ in range(2_000)]
    text = " ".join(words + words[::-1]) + " " + "x" * 5_000
    tokenizer = _run("gpt2").tokenizer()
    assert tokenizer.encode_ids(text).tolist() == _plain(tokenizer).encode(text).ids


@pytest.mark.slow(buys="more distinct pre-tokens than are remembered")
def test_a_cache_that_is_full_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(3, 90))) for _ in range(8_000)]
    text = " ".join(words + words[::-1]) + " " + "y" * 9_000 + " " + "z" * 9_000
    expected = _plain(_run("gpt2").tokenizer()).encode(text).ids
    emptied = []
    for method in ("forget", "forget_long"):
        real = getattr(bulk_encoding._Cache, method)
        monkeypatch.setattr(
            bulk_encoding._Cache,
            method,
            lambda self, m=method, r=real: (emptied.append(m), r(self))[1],
        )
    monkeypatch.setattr(bulk_encoding, "_MOST_WORDS", 1 << 11)
    monkeypatch.setattr(bulk_encoding, "_MOST_KEPT", 1 << 14)
    tokenizer = _run("gpt2").tokenizer()
    assert tokenizer.encode_ids(text).tolist() == expected
    assert emptied.count("forget") > 2 and emptied.count("forget_long") > 2
    cache = tokenizer._bulk._encoder._caches[0]
    assert len(cache.words) <= 2 * (1 << 11) * 4 and len(cache.kept) <= 4 * (1 << 14)


def test_one_tokenizer_in_several_threads() -> None:
    tokenizer = _run("gpt2").tokenizer()
    contents = [texts.KINDS[kind](400, seed=seed) for seed in range(3) for kind in texts.KINDS]
    expected = [_plain(tokenizer).encode(text).ids for text in contents]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: tokenizer.encode_ids(text).tolist(), contents * 4))
    assert found == expected * 4
    assert len(tokenizer._bulk._encoder._caches) >= 1


symbols_and_merges = st.lists(st.integers(0, 3), min_size=1, max_size=200)


@given(
    symbols=symbols_and_merges, seed=st.integers(0, 20), limit=st.sampled_from([NEVER, 0, 3, 10])
)
@example(symbols=[0] * 64, seed=1, limit=NEVER)
@example(symbols=[0] * 65, seed=1, limit=NEVER)
@example(symbols=[-1, 0, -1, -1], seed=1, limit=NEVER)
def test_closing_by_kernel_is_closing(symbols: list[int], seed: int, limit: int) -> None:
    # Any pairs, of tokens in any order: ranks may fall as merges go on, and a token may be made
    # twice.
    rng = random.Random(seed)
    merges = list(
        {(rng.randrange(10), rng.randrange(10)): rng.randrange(4, 10) for _ in range(30)}.items()
    )
    lefts, rights, made = np.array([(a, b, new) for (a, b), new in merges], np.int64).T.copy()
    pairs = gap_closing.PairTable(lefts, rights, np.arange(len(merges)), made)
    ranks = {a << 32 | b: rank for rank, ((a, b), _) in enumerate(merges)}
    expected, _ = close_word(symbols, ranks, made.tolist(), limit=limit)
    gaps, tokens = gap_closing.close_one(symbols, pairs, limit)
    assert gaps.tolist() == expected
    assert len(tokens) == expected.count(NEVER)
    offsets = np.array([0, len(symbols), len(symbols), 2 * len(symbols)])
    twice = np.array(symbols * 2, np.int32)
    assert gap_closing.close_words(twice, offsets, pairs, limit).tolist() == expected * 2
    grown = gap_closing.PairTable(lefts[:1], rights[:1], np.arange(1), made[:1])
    for n in (2, 3, 9, 17, len(merges)):
        n = min(n, len(merges))
        grown.extend(lefts[:n], rights[:n], np.arange(n), made[:n])
        first, _ = close_word(
            symbols,
            {pair: rank for pair, rank in ranks.items() if rank < n},
            made.tolist(),
            limit=limit,
        )
        assert gap_closing.close_words(twice, offsets, grown, limit).tolist() == first * 2


@pytest.mark.slow(buys="words longer than any buffer")
@pytest.mark.parametrize(
    "word", ["a" * 2010, "ab" * 1005, "".join(random.Random(1).choices("abcde", k=2010))]
)
def test_long_words(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = bpe.TrainingConfig.preset("raw", merges=60, vocab_size=None, split="none")
    run = bpe.train(bpe.Corpus.from_text("abcde" + word, config), config)
    model = run.tokenizer().model
    assert gap_closing.LONG == 2000 < len(word)
    fast = [bpe.Tokenizer(model).encode(word, step=step) for step in (None, 0, 7)]
    monkeypatch.setattr("bpe_studio.engine.encoding.pre_token_encoder.LONG", 10**9)
    monkeypatch.setattr(gap_closing, "LONG", 10**9)
    slow = [bpe.Tokenizer(model).encode(word, step=step) for step in (None, 0, 7)]
    assert fast == slow


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sennrich", "sentencepiece"])
@given(text=corpora.texts())
def test_tokens_at_every_step(preset: str, text: str) -> None:
    config = bpe.TrainingConfig.preset(preset, merges=12, vocab_size=None, min_frequency=1)
    run = bpe.train(bpe.Corpus.from_text("low lower سلام new newest\n" * 2 + text, config), config)
    tokenizer = run.tokenizer()
    found = text_curve(run.text_gaps(text), len(run.merges))
    assert found.tolist() == [
        len(_plain(tokenizer).encode(text, step=step).ids) for step in range(len(run.merges) + 1)
    ]
    everything = corpus_curve(run, len(run.merges))
    assert everything.tolist() == [run.n_tokens_at(step) for step in range(len(run.merges) + 1)]


@pytest.mark.parametrize("split", SPLITS)
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.any_text())
@example(text="")
@example(text="don't  DON'T we'll 12345 x\n\n  y \u2028 naïve é e\u0301 a\x00 \x00")
@example(text="abcdefgh abcdefghi abcdefghijklmno abcdefghijklmnop abcdefghijklmnopq abcdefgé")
@example(text=" " * 15 + "low" + " " * 16 + "b" + " " * 17 + "." * 16 + "." * 90)
@example(text="the low \udcff lower")
def test_a_texts_gaps_are_those_of_its_pre_tokens(split: str, text: str) -> None:
    run = _run(split)
    every = run.text_gaps(text)
    words = run.gap_ranks(text)
    assert every.gaps.tolist() == [rank for gaps in words for rank in (NEVER, *gaps.tolist())]
    assert every.gaps.dtype == every.symbols.dtype == np.int32
    numbers = {run.external_id(token): token for token in run.ids_at(len(run.merges))}
    tokenizer = _tokenizer(split)
    for step in {0, 1, len(run.merges) // 2, len(run.merges)}:
        expected = [numbers[number] for number in _plain(tokenizer).encode(text, step=step).ids]
        assert every.ids(step).tolist() == expected
        assert every.n_tokens(step) == len(expected)


@pytest.mark.parametrize("split", ["gpt2", "none"])
def test_gap_ranks_by_kernel_are_the_plain_ones(
    split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = texts.mixed(300, seed=9)
    fast = [gaps.tolist() for gaps in _run(split).gap_ranks(text)]
    monkeypatch.setattr(loader, "PLAIN_WORK", 10**9)
    monkeypatch.setattr(loader, "_ready", set())
    assert [gaps.tolist() for gaps in _run(split).gap_ranks(text)] == fast


def test_many_small_calls_load_the_kernels_as_a_large_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loader, "PLAIN_WORK", 100)
    monkeypatch.setattr(loader, "is_on_disk", lambda: True)
    monkeypatch.setattr(loader, "_ready", set())
    monkeypatch.setattr(gap_closing, "_work_so_far", 0)
    tokenizer = _tokenizer("gpt2")
    tokenizer.encode_many(["low", "lower"])
    assert not loader.is_ready("encoding")
    for _ in range(50):
        tokenizer.encode_many(["low", "lower"])
    assert loader.is_ready("encoding")
