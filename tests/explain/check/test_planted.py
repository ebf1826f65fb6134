"""Mistakes planted in a naive trainer are named, with the exact first wrong merge."""

from __future__ import annotations

import random

import pytest

import bpe_studio as bpe
from tests.explain.check import planted


def case(
    fault: str, others: frozenset[str] = frozenset()
) -> tuple[str, list[planted.Pair], list[planted.Pair]]:
    """A text on which a fault changes the merges, and the right and the wrong ones."""
    for seed in range(20_000):
        text = planted.random_text(random.Random(seed))
        if fault == "specials-not-escaped":  # "<" and ">" alone divide the text, too
            text += " ab -> cd <= ef" * 9
        right, wrong = (
            planted.merges_of(text, 285, faults, least=2) for faults in (others, others | {fault})
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


@pytest.mark.parametrize("fault", planted.ORDERS)
def test_another_order_of_the_pieces_is_named(fault: str) -> None:
    text, _, wrong = case(fault, frozenset({"ties-first-seen"}))
    config = bpe.TrainingConfig.preset("cs336", vocab_size=285, min_frequency=2, ties="first-seen")
    found = bpe.check(wrong, text, config)
    assert fault in [mistake.name for mistake in found.mistakes]


def merges_in_ids(text: str, n_merges: int, fault: str) -> list[tuple[int, int]]:
    """The merges of a text that is not split, as people write them with ids."""
    ids = list(text.encode())
    first = max(ids) + 1 if fault == "ids-after-greatest" else 256
    merges: list[tuple[int, int]] = []
    for rank in range(n_merges):
        counts: dict[tuple[int, int], int] = {}
        for pair in zip(ids, ids[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.__getitem__)
        merges.append(best)
        if fault == "replaced-inside-numbers":
            written = " ".join(map(str, ids)).replace(f"{best[0]} {best[1]}", str(first + rank))
            ids = list(map(int, written.split()))
            continue
        done: list[int] = []
        place = 0
        while place < len(ids):
            if tuple(ids[place : place + 2]) == best:
                done.append(first + rank)
                place += 2
            else:
                done.append(ids[place])
                place += 1
        ids = done
    return merges


@pytest.mark.parametrize("fault", ["", "ids-after-greatest", "replaced-inside-numbers"])
def test_mistakes_with_ids_are_named(fault: str) -> None:
    text = (
        "\ntall\ntell\ntoll\nten\ntick ant went mint untie\nten to ten\n" * 3
    )  # "10 116" is in "110 116"
    config = bpe.TrainingConfig.preset("raw", merges=20, min_frequency=1)
    found = bpe.check(merges_in_ids(text, 20, fault), text, config)
    assert found.correct == (not fault)
    if fault:
        assert fault in [mistake.name for mistake in found.mistakes]
