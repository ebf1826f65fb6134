"""The frame of the campaigns: a fault is reported with its seed, whatever it does to the process that met it."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter

import pytest

from tests.campaigns.__main__ import closing
from tests.campaigns.campaign import Campaign, Fault, FaultInCaseError, try_cases


class Broken(Campaign[int]):
    """Whose cases go wrong in all the ways that there are."""

    name = "broken"
    limit_s = 2.0
    memory_bytes = 200 << 20

    def make(self, rng: random.Random) -> int:
        return rng.randint(0, 10**9)

    def check(self, case: int) -> Counter[str]:
        kind = ["sound", "raises", "dies", "hangs", "takes memory", "says so", "ends"][self.numbers[case]]
        self.note(f"about to see whether it is {kind}")
        if kind == "raises":
            raise ValueError(f"wrong with {case}")
        if kind == "dies":
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        if kind == "hangs":
            time.sleep(60)
        if kind == "takes memory":
            assert bytearray(4 << 30)
        if kind in ("says so", "ends"):
            raise FaultInCaseError("it said so", Counter(tried=2), ends=kind == "ends")
        return Counter(sound=1)

    def begin(self) -> None:
        self.numbers = {self.make(self.rng(seed)): seed % 7 for seed in range(70)}


@pytest.mark.slow(buys="cases of every kind of fault")
def test_each_fault_is_reported_with_its_seed_and_the_next_case_is_tried() -> None:
    told: list[tuple[Fault, int]] = []
    tally = try_cases(Broken, 0, 8, report=lambda fault, n: told.append((fault, n)))
    assert (tally.n_cases, tally.tried["sound"], tally.tried["tried"]) == (8, 2, 4)
    found = {fault.seed: fault for fault in tally.faults}
    assert sorted(found) == [1, 2, 3, 4, 5, 6]
    assert [fault.seed for fault, _ in told] == sorted(found)
    assert [n for _, n in told] == [1, 1, 1, 1, 1, 2], "the last two are alike"
    assert "ValueError: wrong with" in found[1].what and found[1].described.startswith(
        str(Broken.rng(1).randint(0, 10**9))
    )
    assert "SIGKILL" in found[2].what and "about to see whether it is dies" in found[2].what
    assert "time.sleep" in found[3].what or "in check" in found[3].what
    if sys.platform == "linux":
        assert "MemoryError" in found[4].what
    assert found[5].what == found[6].what == "it said so"
    assert "6 faults" in closing("broken", tally) and "seeds 1" in closing("broken", tally)
