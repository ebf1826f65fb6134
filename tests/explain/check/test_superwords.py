"""Trainers of superwords are checked: mistakes planted in a recount of both stages are named."""

from __future__ import annotations

from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.engine.textbook import Pair
from bpe_studio.explain.check.ties import by_rule
from bpe_studio.explain.check.trainer import Procedure, merges_of
from tests.engine.training.test_superwords import random_config, random_text, twin_of

TEXT = "by the way of the sea by the way of the land\n" * 9 + "".join(map(random_text, range(4)))
CONFIG = bpe.TrainingConfig.preset(
    "superbpe", vocab_size=310, superwords_from=285, superwords_words=2
)


def recounted(config: bpe.TrainingConfig) -> list[Pair]:
    return [(merge.left, merge.right) for merge in twin_of(TEXT, config).merges]


@pytest.mark.parametrize(
    ("fault", "options"),
    [
        ("superwords-from-the-beginning", {"superwords_from": 257}),
        ("superwords-never", {"superwords_from": 309}),
        ("superwords-of-any-length", {"superwords_words": 99}),
        ("ties-raw-ids", {"ties": "raw-ids"}),
    ],
)
def test_a_planted_mistake_is_named(fault: str, options: dict[str, Any]) -> None:
    right = recounted(CONFIG)
    assert bpe.check(right, TEXT, CONFIG).correct
    given = recounted(CONFIG.replace(**options))[: len(right) - 1]
    found = bpe.check(given, TEXT, CONFIG)
    pairs = zip(right, given, strict=False)
    assert found.first_wrong is not None
    assert found.n_right == next(rank for rank, (a, b) in enumerate(pairs) if a != b)
    assert fault in [mistake.name for mistake in found.mistakes]


def test_a_mistake_is_named_from_the_corpus_alone() -> None:
    given = recounted(CONFIG.replace(superwords_from=309))[:-5]
    found = bpe.check(given, bpe.Corpus.from_text(TEXT, CONFIG), CONFIG)
    assert [mistake.name for mistake in found.mistakes] == ["superwords-never"]


def test_a_list_that_ends_before_the_words_do_is_compared() -> None:
    given = recounted(CONFIG)[:9]
    found = bpe.check(given, TEXT, CONFIG)
    assert not found.correct and found.n_right == 9
    assert [(merge.left, merge.right) for merge in found.given_run().merges] == given


@pytest.mark.parametrize("seed", range(20))
def test_the_plain_trainer_has_both_stages(seed: int) -> None:
    config = random_config(seed).replace(forbid=())
    text = random_text(seed)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    procedure = Procedure((text,), config, config.target_merges(256), by_rule(config.ties))
    assert list(merges_of(procedure)) == [(merge.left, merge.right) for merge in run.merges]


def test_a_pair_that_the_limits_leave_out_is_told() -> None:
    given = recounted(CONFIG.replace(superwords_words=99))
    found = bpe.check(given, TEXT, CONFIG)
    assert found.first_wrong is not None
    assert found.first_wrong.given is not None
    assert "more than 2 words" in found.reason
