"""Mistakes planted in a naive trainer are named, with the exact first wrong merge."""

from __future__ import annotations

import random
from itertools import count

import pytest

import bpe_studio as bpe
from tests.explain.check import planted


def case(fault: str) -> tuple[str, list[planted.Pair], list[planted.Pair]]:
    """A text on which a fault changes the merges, and the right and the wrong ones."""
    for seed in count():
        text = planted.random_text(random.Random(seed))
        right, wrong = (
            planted.merges_of(text, 285, faults, least=2) for faults in (set(), {fault})
        )
        if right != wrong:
            return text, right, wrong
    raise AssertionError


@pytest.mark.parametrize("fault", planted.FAULTS)
def test_a_single_mistake_is_named(fault: str) -> None:
    text, right, wrong = case(fault)
    config = bpe.TrainingConfig.preset("cs336", vocab_size=285, min_frequency=2)
    assert bpe.check(right, text, config).correct
    found = bpe.check(wrong, text, config)
    assert found.first_wrong is not None and found.first_wrong.rank == planted.first_difference(
        right, wrong
    )
    assert fault in [mistake.name for mistake in found.mistakes]


def test_two_mistakes_together_are_named() -> None:
    text = planted.random_text(random.Random(3))
    faults = {"pieces-counted-once", "ties-first-seen"}
    config = bpe.TrainingConfig.preset("cs336", vocab_size=285)
    found = bpe.check(planted.merges_of(text, 285, faults), text, config)
    assert faults in [set(mistake.name.split("+")) for mistake in found.mistakes]
