"""Mistakes planted in a naive trainer, alone and in pairs, on random texts: `check` names them.

A single mistake that changes the merges is named with the exact first wrong merge. Of two, either
both are named, or mistakes that make the same merges."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import bpe_studio as bpe
from tests.campaigns.campaign import Campaign, FaultInCaseError
from tests.explain.check import planted

_OF_EACH = 3


@dataclass(frozen=True)
class Case:
    """A text, the size and the minimum frequency, and what is planted."""

    text: str
    vocab_size: int
    least: int
    faults: list[frozenset[str]]


class MistakesCampaign(Campaign[Case]):
    """Planted mistakes."""

    name = "mistakes"
    limit_s = 300.0

    def make(self, rng: random.Random) -> Case:
        """A text, and some mistakes for it."""
        single = [frozenset([fault]) for fault in rng.sample(planted.FAULTS, _OF_EACH)]
        two = [frozenset(rng.sample(planted.FAULTS, 2))]
        return Case(
            planted.random_text(rng),
            257 + rng.randint(1, 40),
            rng.choice([1, 1, 2, 3]),
            single + two,
        )

    def check(self, case: Case) -> Counter[str]:
        """Plants each of the mistakes."""
        tried: Counter[str] = Counter()
        config = bpe.TrainingConfig.preset(
            "cs336", vocab_size=case.vocab_size, min_frequency=case.least
        )
        right = planted.merges_of(case.text, case.vocab_size, [], case.least)
        _expect(bpe.check(right, case.text, config).correct, "an alarm for right merges")
        tried["right"] += 1
        for faults in case.faults:
            wrong = planted.merges_of(case.text, case.vocab_size, faults, case.least)
            if wrong == right or not wrong:
                tried["without effect"] += 1
                continue
            found = bpe.check(wrong, case.text, config)
            place = planted.first_difference(right, wrong)
            rank = None if found.first_wrong is None else found.first_wrong.rank
            _expect(rank == place, f"{sorted(faults)}: first wrong at {place}, not at {rank}")
            named = [frozenset(mistake.name.split("+")) for mistake in found.mistakes]
            if len(faults) == 1:
                _expect(faults in named, f"{sorted(faults)} is not named: {named}")
            elif len(wrong) - place >= 5:
                is_guessed = found.guess is not None
                _expect(is_guessed or bool(named), f"{sorted(faults)} is not explained")
                answer = "guessed" if is_guessed else "explained otherwise"
                tried["two, both named" if faults in named else f"two, {answer}"] += 1
            tried["one" if len(faults) == 1 else "two"] += 1
        return tried


def _expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise FaultInCaseError(otherwise)
