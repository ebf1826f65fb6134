"""Encoding at a step is what training to that step and stopping would give, and gap ranks say so by
themselves.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.run import NEVER
from tests.engine import corpora, textbook_twin, texts
from tests.engine.rules import RULES, Rule, every_rule, trained
from tests.examples import IN_A_CAMPAIGN, IN_EACH_OF_MANY, examples

# That trainer's encoder joins any neighbours that spell a piece, so Sennrich's encoder is not its
# yardstick.
pair_rules = pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES.values() if rule.preset != "sentencepiece"],
    ids=lambda rule: rule.name,
)
_PRESETS = [
    "textbook",
    "sennrich",
    "raw",
    "gpt2",
    "cl100k",
    "o200k",
    "subword-nmt",
    "sentencepiece",
]
_train = partial(trained, merges=30)


def _merges(run: bpe.Run) -> list[tuple[str, str, str]]:
    return [(merge.left, merge.right, merge.token) for merge in run.merges]


def _symbols(rule: Rule, text: str) -> list[list[str]]:
    return [textbook_twin.symbols_of(word, **rule.marks) for word in rule.cut(text)]  # type: ignore[arg-type]


def _cut(symbols: list[str], ranks: np.ndarray, step: int, continuing: str | None) -> list[str]:
    """The symbols joined over every gap whose rank is below the step."""
    tokens = symbols[:1]
    for symbol, rank in zip(symbols[1:], ranks.tolist(), strict=True):
        if rank >= step:
            tokens.append(symbol)
        else:
            tokens[-1] += symbol.removeprefix(continuing) if continuing else symbol
    return tokens


@every_rule
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), data=st.data())
def test_encode_at_a_step_is_retrain_and_stop(rule: Rule, text: str, data: st.DataObject) -> None:
    run = _train(rule, text)
    step = data.draw(st.integers(0, len(run.merges)))
    other = (
        data.draw(st.text(sorted({c for c in text if not c.isspace()}) or ["a"], max_size=9))
        if text
        else ""
    )
    stopped = _train(rule, text, merges=step).tokenizer()
    tokenizer = run.tokenizer()
    for sample in (text, other):
        # A corpus need not hold every symbol of its characters: `a` may never end a word in it.
        if not {s for word in _symbols(rule, sample) for s in word} <= set(
            rule.twin(text).alphabet
        ):
            continue
        expected = stopped.encode(sample)
        assert run.tokenizer(step).encode(sample).tokens == expected.tokens
        assert run.tokenizer(step).encode(sample).ids == expected.ids
        assert tokenizer.at(step).encode(sample).tokens == expected.tokens
        assert tokenizer.encode(sample, step=step).tokens == expected.tokens
        if rule.preset != "sentencepiece":  # its characters are numbered after the merges
            assert tokenizer.at(step).encode(sample).ids == expected.ids
            assert tokenizer.encode(sample, step=step).ids == expected.ids
        assert run.tokenizer(step).n_merges == step


@pair_rules
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), data=st.data())
def test_encoding_is_sennrichs(rule: Rule, text: str, data: st.DataObject) -> None:
    run = _train(rule, text)
    characters = sorted({c for c in text if not c.isspace()})
    if not characters:
        return
    words = data.draw(st.lists(st.text(characters, min_size=1, max_size=12), max_size=4))
    sample = ("" if rule.options["split"] == "none" else " ").join(words)
    symbols = _symbols(rule, sample)
    if not {s for word in symbols for s in word} <= set(rule.twin(text).alphabet):
        return
    tokenizer = run.tokenizer()
    merges = _merges(run)
    for step in {0, len(merges) // 2, len(merges)}:
        expected = [
            token for word in symbols for token in textbook_twin.encode(word, merges, limit=step)
        ]
        assert tokenizer.encode(sample, step=step).tokens == expected


@pair_rules
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.texts(), data=st.data())
def test_gap_ranks_cut_like_encoding_again(rule: Rule, text: str, data: st.DataObject) -> None:
    run = _train(rule, text)
    distinct = sorted(set(rule.cut(text)))
    sample_words = data.draw(st.lists(st.sampled_from(distinct), max_size=4)) if distinct else []
    sample = ("" if rule.options["split"] in ("none", "gpt2") else " ").join(sample_words)
    symbols = _symbols(rule, sample)
    if not {s for word in symbols for s in word} <= set(rule.twin(text).alphabet):
        return
    ranks = run.gap_ranks(sample)
    assert [len(r) for r in ranks] == [max(0, len(word) - 1) for word in symbols]
    merges = _merges(run)
    for word, gaps in zip(symbols, ranks, strict=True):
        assert gaps.dtype == np.int32
        assert gaps.tolist() == textbook_twin.gap_ranks(word, merges, NEVER)
        for step in range(len(merges) + 1):
            cut = _cut(word, gaps, step, rule.marks.get("continuing"))
            assert cut == textbook_twin.encode(word, merges, limit=step)


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts())
def test_the_corpus_is_cut_as_its_text_is_encoded(rule: Rule, text: str) -> None:
    run = _train(rule, text)
    tokenizer = run.tokenizer()
    for step in {0, len(run.merges) // 2, len(run.merges)}:
        assert len(tokenizer.encode(text, step=step).ids) == run.n_tokens_at(step)


@pytest.mark.slow(buys="every step of runs of several hundred merges")
@pytest.mark.parametrize("kind", texts.KINDS)
def test_gap_ranks_of_longer_texts(kind: str) -> None:
    rule = RULES["huggingface, gpt2 words"]
    run = _train(
        rule, texts.KINDS[kind](400, seed=1), full_alphabet=True, merges=300, min_frequency=2
    )
    other = texts.KINDS[kind](50, seed=2)
    symbols = _symbols(rule, other)
    ranks = run.gap_ranks(other)
    assert len(ranks) == len(symbols)
    tokenizer = run.tokenizer()
    merges = _merges(run)
    for step in sorted({0, 1, 20, len(merges) // 2, len(merges)}):
        cuts = [_cut(word, gaps, step, None) for word, gaps in zip(symbols, ranks, strict=True)]
        assert cuts == [textbook_twin.encode(word, merges, limit=step) for word in symbols]
        assert tokenizer.encode(other, step=step).tokens == [token for cut in cuts for token in cut]


@pytest.mark.parametrize("split", ["none", "gpt2", "cl100k", "o200k", "llama3", "qwen2"])
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(text=corpora.any_text())
@example(text="")
@example(text="\x00\r\n\u2028 \ufeff")
@example(text="e\u0301 ﬁ 👩\u200d👧 \u200f؟")
def test_any_text_comes_back(split: str, text: str) -> None:
    tokenizer = _byte_tokenizer(split)
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    assert tokenizer.decode_bytes(encoding.ids) == text.encode()
    assert (
        tokenizer.convert_ids_to_tokens(encoding.ids)
        == list(encoding.tokens)
        == tokenizer.tokenize(text)
    )
    assert b"".join(textbook_twin.content_of(token) for token in encoding.tokens) == text.encode()


@pytest.mark.parametrize("split", ["none", "gpt2", "cl100k"])
@settings(max_examples=examples(IN_A_CAMPAIGN))
@given(content=corpora.any_bytes())
@example(content=b"\xff")
@example(content=b"a\xf0\x9f\x98 b")
def test_any_bytes_come_back(split: str, content: bytes) -> None:
    tokenizer = _byte_tokenizer(split)
    ids = tokenizer.encode(content.decode("utf-8", "surrogateescape")).ids
    assert tokenizer.decode_bytes(ids) == content
    assert tokenizer.decode(ids) == content.decode("utf-8", "replace")


_cache: dict[str, bpe.Tokenizer] = {}


def _byte_tokenizer(split: str) -> bpe.Tokenizer:
    if split not in _cache:
        config = bpe.TrainingConfig.preset("gpt2", merges=400, vocab_size=None, split=split)
        text = "".join(make(100, seed=5) for make in texts.KINDS.values())
        if split == "none":
            text = text[:3000]
        _cache[split] = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    return _cache[split]


@pytest.mark.parametrize("name", ["sennrich", "subword-nmt", "sentencepiece"])
@given(words=corpora.words())
def test_marked_words_come_back(name: str, words: list[str]) -> None:
    text = " ".join(words)
    options = {"merges": 20, "vocab_size": None, "min_frequency": 1} | (
        {"normalize": ()} if name == "sentencepiece" else {}
    )
    config = bpe.TrainingConfig.preset(name, **options)
    tokenizer = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.parametrize("preset", _PRESETS)
def test_every_preset_learns_and_encodes_what_it_learned(preset: str) -> None:
    text = "low low lower newest newest widest سلام سلام 日本 日本 1995 1995 don't don't\n" * 3
    config = bpe.TrainingConfig.preset(preset, merges=25, vocab_size=None)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    assert len(run.merges) > 20
    tokenizer = run.tokenizer()
    line = text.split("\n")[0]
    encoding = tokenizer.encode(line)
    assert encoding.ids and max(encoding.ids) < tokenizer.vocab_size
    assert len(tokenizer.model.tokens) == tokenizer.vocab_size == len(set(tokenizer.model.tokens))


@pytest.mark.parametrize("split", ["whitespace", "sentencepiece"])
@pytest.mark.parametrize("marks", [{}, {"word_end": "</w>"}], ids=["", "marks"])
def test_an_unknown_token_of_one_character_merges_as_that_character(
    split: str, marks: dict[str, str]
) -> None:
    config = bpe.TrainingConfig.preset("textbook", split=split, unknown="?", merges=6, **marks)
    run = bpe.train(bpe.Corpus.from_text("ab a???b a??c ??", config), config)
    tokenizer = run.tokenizer()
    sample = "xyzw ?xb x? axyb"
    for step in range(len(run.merges) + 1):
        ids = run.text_gaps(sample).ids(step).tolist()
        assert [run.external_id(number) for number in ids] == tokenizer.encode(
            sample, step=step
        ).ids
        n_tokens = [1 + int((gaps >= step).sum()) for gaps in run.gap_ranks(sample)]
        assert n_tokens == [1 + int((gaps >= step).sum()) for gaps in tokenizer.gap_ranks(sample)]
        assert sum(n_tokens) == len(ids)
    assert len(tokenizer.encode(sample).ids) < len(tokenizer.encode(sample, step=0).ids)
