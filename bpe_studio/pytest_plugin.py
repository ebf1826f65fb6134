"""The fixture `bpe_check` for pytest: a test fails with a trainer's first wrong merge and the
mistake behind it.

Example:
    def test_my_trainer(bpe_check):
        bpe_check("homework.py:train", "low low lower", bpe_studio.TrainingConfig.preset("cs336",
        vocab_size=260))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bpe_studio


@pytest.fixture
def bpe_check() -> Callable[..., bpe_studio.Check]:
    """`bpe_studio.check`, which fails the test if anything is wrong."""

    def checked(
        given: Any, corpus: Any, config: bpe_studio.TrainingConfig, **how: Any
    ) -> bpe_studio.Check:
        found = bpe_studio.check(given, corpus, config, **how)
        if not found.correct:
            pytest.fail(str(found), pytrace=False)
        return found

    return checked
