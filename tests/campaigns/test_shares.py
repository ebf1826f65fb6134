"""A small share of each campaign, with seeds that never change."""

from __future__ import annotations

import pytest

from tests.campaigns.__main__ import CAMPAIGNS, campaign_of
from tests.campaigns.campaign import try_cases

SHARES = {"engine": 40, "options": 60, "readers": 25, "kills": 20, "mistakes": 3, "window": 1}


def test_every_campaign_has_its_share() -> None:
    assert list(SHARES) == list(CAMPAIGNS)


@pytest.mark.slow(buys="a share of the campaigns, in processes of their own")
@pytest.mark.parametrize("name", SHARES)
def test_a_share_finds_no_fault(name: str) -> None:
    tally = try_cases(campaign_of(name), 1_000_000, SHARES[name])
    assert tally.n_cases == SHARES[name]
    assert not tally.faults, "\n\n".join(
        f"seed {f.seed}\n{f.what}\n{f.described}" for f in tally.faults[:3]
    )
