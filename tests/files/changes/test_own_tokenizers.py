"""An extended tokenizer continues the training of the one below it.

A pruned one lacks only leaves.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine import textbook
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from tests.engine import corpora
from tests.examples import IN_EACH_OF_MANY, examples

TEXT = "low lower lowest newest widest new news 'slow' slow-er the theme them: low, new!\n" * 2
PRESETS = ["textbook", "sennrich", "raw", "gpt2", "cl100k", "subword-nmt", "sentencepiece"]


def _corpus(preset: str, text: str, **options: object) -> bpe.Corpus:
    config = bpe.TrainingConfig.preset(
        preset, **{"vocab_size": None, "merges": 40, "min_frequency": 1, **options}
    )
    return bpe.Corpus.from_text(text, config)


@pytest.mark.parametrize("preset", PRESETS)
@given(text=corpora.texts(), step=st.integers(0, 40))
@settings(max_examples=examples(IN_EACH_OF_MANY))
def test_extending_a_tokenizer_of_a_run_is_training_on(preset: str, text: str, step: int) -> None:
    corpus = _corpus(preset, TEXT + text)
    run = bpe.train(corpus)
    step = min(step, len(run.merges))
    seed = run.tokenizer(step)
    whole = run.tokenizer()
    found = bpe.extend(seed, corpus, whole.vocab_size)
    n_tokens = [run.n_tokens_at(k) for k in range(step, len(run.merges) + 1)]
    saved = [before - after for before, after in pairwise(n_tokens)]
    expected = [
        (m.left, m.right, m.token, n) for m, n in zip(run.merges[step:], saved, strict=True)
    ]
    assert [(m.left, m.right, m.token, m.count) for m in found.merges] == expected
    assert found.n_tokens == (run.n_tokens_at(step), run.n_tokens_at(len(run.merges)))
    assert found.tokenizer.encode(text).tokens == whole.encode(text).tokens
    old = seed.model.tokens
    assert found.tokenizer.model.tokens[: len(old)] == old


def _pieces(tokenizer: bpe.Tokenizer, text: str) -> list[str]:
    from bpe_studio.engine.text.pretokenization import spans

    return [text[a:b] for a, b in spans(text, tokenizer.model.config.split)]


@given(text=corpora.texts())
@settings(max_examples=examples(25))
def test_further_merges_are_those_of_the_definition(text: str) -> None:
    seed = bpe.train(_corpus("gpt2", TEXT, ties="first-seen")).tokenizer()
    corpus = bpe.Corpus.from_text(text, seed.model.config)
    found = bpe.extend(seed, corpus, seed.vocab_size + 10)
    words = [(seed.encode(word).tokens, count) for word, count in corpus.items()]
    known = set(seed.model.tokens)
    expected = [merge for merge in textbook.train(words, 10) if merge.token not in known]
    if len(expected) == 10:
        n_tokens = [
            sum(count * len(textbook.encode(word, expected[:k])) for word, count in words)
            for k in range(11)
        ]
        saved = [before - after for before, after in pairwise(n_tokens)]
        assert [(m.left, m.right, m.count) for m in found.merges] == [
            (m.left, m.right, n) for m, n in zip(expected, saved, strict=True)
        ]


@pytest.mark.parametrize("preset", PRESETS)
def test_extending_by_nothing_changes_nothing(preset: str) -> None:
    seed = bpe.train(_corpus(preset, TEXT)).tokenizer()
    found = bpe.extend(seed, _corpus(preset, "other words"), seed.vocab_size)
    assert found.tokenizer.model == seed.model and list(found.merges) == []


def test_an_extension_that_is_too_small_says_why() -> None:
    seed = bpe.train(_corpus("gpt2", TEXT)).tokenizer()
    found = bpe.extend(seed, ["zebra zebra"], seed.vocab_size + 100)
    assert "no pair" in found.stop_reason and found.stop_reason in repr(found)


def test_what_cannot_be_extended_or_pruned() -> None:
    corpus = _corpus("gpt2", TEXT)
    seed = bpe.train(corpus).tokenizer()
    n = seed.vocab_size
    with pytest.raises(
        bpe.ConfigError, match=f"has {n} tokens, more than 270: choose a larger size, or prune"
    ):
        bpe.extend(seed, corpus, 270)
    with pytest.raises(bpe.ConfigError, match="cut differently"):
        bpe.extend(seed, _corpus("gpt2", TEXT, split="whitespace"), 300)
    with pytest.raises(
        bpe.ConfigError, match=rf"Only {n - 257} of the {n} tokens can be .* smallest .* has 257"
    ):
        bpe.prune(seed, corpus, 256)
    twice = bpe.Tokenizer(
        replace(seed.model, merges=(*seed.model.merges, (0, 1, seed.model.merges[0][2])))
    )
    with pytest.raises(bpe.ConfigError, match="make the same token"):
        bpe.prune(twice, corpus, 270)
    missing = bpe.Tokenizer(replace(seed.model, merges=seed.model.merges[1:]))
    with pytest.raises(bpe.ConfigError, match="which is neither a symbol nor made"):
        bpe.extend(missing, corpus, n + 9)


def _out_of_order(seed: int) -> bpe.Tokenizer:
    """A tokenizer some of whose merges use tokens that only later ones make, as those of Llama 3
    do.
    """
    model = bpe.train(_corpus("gpt2", TEXT)).tokenizer().model
    merges = list(model.merges)
    random.Random(seed).shuffle(merges)
    return bpe.Tokenizer(replace(model, merges=tuple(merges)))


@given(text=corpora.any_text(), other=corpora.any_text(), seed=st.integers(0, 99))
@settings(max_examples=examples(10))
def test_one_whose_merges_are_out_of_order_is_extended(text: str, other: str, seed: int) -> None:
    before = _out_of_order(seed)
    n = before.vocab_size
    assert before.model.misplaced_merge is not None
    corpus = bpe.Corpus.from_text(TEXT + other, before.model.config)
    assert bpe.extend(before, corpus, n).tokenizer.model == before.model
    found = bpe.extend(before, corpus, n + 12)
    after = found.tokenizer
    assert after.model.tokens[:n] == before.model.tokens
    assert after.model.merges[: before.n_merges] == before.model.merges
    assert list(found.n_tokens) == [_n_tokens(tokenizer, corpus) for tokenizer in (before, after)]
    new = [textbook.Merge(m.left, m.right, m.token, m.count) for m in found.merges]
    for some in (text, other, TEXT):
        ids = after.encode(some).ids
        old = before.encode(some)
        words = [before.encode(piece).tokens for piece in _pieces(before, some)]
        assert after.encode(some).tokens == [
            token for word in words for token in textbook.encode(word, new)
        ]
        assert max(ids, default=0) >= n or ids == old.ids


def _n_tokens(tokenizer: bpe.Tokenizer, corpus: bpe.Corpus) -> int:
    return sum(len(tokenizer.encode(word).ids) * count for word, count in corpus.items())


@pytest.mark.parametrize("preset", PRESETS)
@given(text=corpora.texts(), n=st.integers(0, 40))
@settings(max_examples=examples(IN_EACH_OF_MANY))
def test_pruned_tokenizers_lack_only_leaves(preset: str, text: str, n: int) -> None:
    corpus = _corpus(preset, TEXT)
    large = bpe.train(corpus).tokenizer()
    n = min(n, large.n_merges)
    use = bpe.Corpus.from_text(TEXT + text, large.model.config)
    found = bpe.prune(large, use, large.vocab_size - n)
    gone = {token.token for token in found.removed}
    assert len(gone) == n and found.tokenizer.vocab_size == large.vocab_size - n
    assert [name for name in large.model.tokens if name not in gone] == list(
        found.tokenizer.model.tokens
    )
    names = found.tokenizer.model.tokens
    kept = [
        (names[left], names[right], names[new]) for left, right, new in found.tokenizer.model.merges
    ]
    old = large.model.tokens
    before = [(old[left], old[right], old[new]) for left, right, new in large.model.merges]
    assert kept == [merge for merge in before if merge[2] not in gone]
    assert TokenClass.unreachable not in {kind for _, kind in classes_of(found.tokenizer)}
    if found.n_left_out == 0 and preset != "sentencepiece":
        expected = [
            sum(len(t.encode(word).ids) * count for word, count in use.items())
            for t in (large, found.tokenizer)
        ]
        if preset in ("gpt2", "cl100k", "raw"):
            assert list(found.n_tokens) == expected


def test_the_least_used_leaf_goes_first() -> None:
    corpus = _corpus("gpt2", "ab ab ab abc abc abcd", merges=4)
    large = bpe.train(corpus).tokenizer()
    counts = dict.fromkeys(large.model.tokens, 0)
    for word, count in corpus.items():
        for token in large.encode(word).tokens:
            counts[token] += count
    found = bpe.prune(large, corpus, large.vocab_size - 1)
    (removed,) = found.removed
    parts = {
        large.model.tokens[part] for left, right, _ in large.model.merges for part in (left, right)
    }
    leaves = [
        large.model.tokens[new]
        for *_, new in large.model.merges
        if large.model.tokens[new] not in parts
    ]
    assert removed.token in leaves and removed.count == counts[removed.token] == min(
        counts[leaf] for leaf in leaves
    )
    assert found.n_tokens[1] - found.n_tokens[0] == removed.count


def _seeded(preset: str, text: str, n_more: int, special: tuple[str, ...] = ()) -> SeededRun:
    options = {"special": special} if special else {}
    seed = bpe.train(_corpus(preset, TEXT, **options)).tokenizer()
    seeded = SeededRun.of_merges(seed.model, _corpus(preset, text, **options))
    trainer = Trainer.from_run(seeded, seeded.n_seed, seeded.plan, target=seeded.n_seed + n_more)
    trainer.run(n_more)
    run = trainer.run_record
    assert isinstance(run, SeededRun)
    return run


@pytest.mark.parametrize("preset", PRESETS)
@given(text=corpora.texts())
@settings(max_examples=examples(IN_EACH_OF_MANY))
def test_a_run_on_top_of_a_tokenizer_numbers_its_tokens_as_the_tokenizer_of_each_step(
    preset: str, text: str
) -> None:
    run = _seeded(preset, TEXT + text, 8, ("<|a|>", "<|b|>") if preset == "gpt2" else ())
    for step in {0, 1, run.n_seed - 1, run.n_seed, run.n_seed + 1, len(run.merges)} & set(
        range(len(run.merges) + 1)
    ):
        tokenizer = run.tokenizer(step)
        names = tokenizer.model.tokens
        assert run.vocab_size_at(step) == tokenizer.vocab_size
        ids = run.external_ids(step).tolist()
        n_special = len(run.config.all_special)
        assert [names[number] for number in ids[:n_special]] == list(run.config.all_special)
        assert [names[number] for number in ids[n_special:]] == list(
            map(run.token_name, run.ids_at(step))
        )
        assert [run.external_id(token, step) for token in run.ids_at(step)] == ids[n_special:]
