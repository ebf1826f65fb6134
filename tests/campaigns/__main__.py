"""`python -m tests.campaigns [CAMPAIGN ...]`: tries random cases, and prints what was tried and
what was wrong.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from tests.campaigns.campaign import Campaign, Fault, Tally, try_cases

CAMPAIGNS = {
    "engine": (
        "engine:EngineCampaign",
        20_000,
        "random options on random texts, against the definition",
    ),
    "options": (
        "options:OptionsCampaign",
        20_000,
        "every option, through all that lays out and counts a corpus",
    ),
    "readers": ("readers:ReadersCampaign", 10_000, "damaged files for every reader"),
    "kills": ("kills:KillsCampaign", 2_000, "every save, killed at every call of the file system"),
    "mistakes": (
        "mistakes:MistakesCampaign",
        1_000,
        "mistakes planted in a trainer, and whether `check` names them",
    ),
    "window": (
        "window:WindowCampaign",
        40,
        "random events on a whole window; each case is a window",
    ),
}
SOAK_MINUTES = 60.0
_SHOWN_OF_EACH = 3


def campaign_of(name: str) -> type[Campaign[Any]]:
    """The class of a campaign."""
    module, _, kind = CAMPAIGNS[name][0].partition(":")
    found: type[Campaign[Any]] = getattr(importlib.import_module(f"tests.campaigns.{module}"), kind)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Runs the campaigns that are named; 1 if one found a fault."""
    options = _parser().parse_args(arguments)
    names = list(CAMPAIGNS) if "all" in options.campaigns else options.campaigns
    n_faults = 0
    for name in names:
        if name == "soak":
            from tests.campaigns.soak import soak

            n_faults += not soak(options.seed, options.minutes or SOAK_MINUTES, _say)
            continue
        count = options.count or CAMPAIGNS[name][1]
        _say(f"{name}: seeds {options.seed} to {options.seed + count - 1}")
        tally = try_cases(
            campaign_of(name),
            options.seed,
            count,
            minutes=options.minutes,
            report=lambda fault, n, name=name: _report(name, fault, n),
        )
        _say(closing(name, tally))
        n_faults += len(tally.faults)
    return 1 if n_faults else 0


def closing(name: str, tally: Tally) -> str:
    """What was tried and found, for the end of a campaign."""
    lines = [f"{name}: {_summary(tally)}"]
    width = max(map(len, tally.tried), default=0)
    lines += [f"  {kind:{width}} {n:>12,}" for kind, n in sorted(tally.tried.items())]
    seeds: dict[str, list[int]] = {}
    for fault in tally.faults:
        seeds.setdefault(fault.signature, []).append(fault.seed)
    for signature, found in sorted(seeds.items(), key=lambda item: -len(item[1])):
        lines.append(
            f"  FAULT {len(found):,} times: {signature}; seeds {', '.join(map(str, found[:8]))}"
        )
    return "\n".join(lines)


def _summary(tally: Tally) -> str:
    minutes = max(tally.seconds, 1e-9) / 60
    return (
        f"{tally.n_cases:,} cases in {minutes:.1f} minutes ({tally.n_cases / minutes:,.0f} a"
        f" minute), {len(tally.faults):,} faults, {tally.n_restarts:,} processes ended"
    )


def _report(name: str, fault: Fault, n_alike: int) -> None:
    if n_alike <= _SHOWN_OF_EACH:
        _say(
            f"\nFAULT in {name}, seed {fault.seed}; again: python -m tests.campaigns {name} --seed "
            f"{fault.seed} "
            f"--count 1\n{fault.what.rstrip()}\n{fault.described.rstrip()}\n"
        )


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(
        f"  {name:10} {about} ({count:,})" for name, (_, count, about) in CAMPAIGNS.items()
    )
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns",
        description=f"Tries random cases, each from a seed.\n\ncampaigns, and a usual number of cases:\n{listed}\n"
        "  all        all of these\n  soak       the window for an hour: its memory, and the gaps "
        "of its thread",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "campaigns", nargs="+", choices=[*CAMPAIGNS, "all", "soak"], metavar="CAMPAIGN"
    )
    parser.add_argument("--count", type=int, metavar="N", help="how many cases")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="the seed of the first case (default: 1)"
    )
    parser.add_argument("--minutes", type=float, metavar="M", help="begin no case after so long")
    return parser


if __name__ == "__main__":
    sys.exit(main())
