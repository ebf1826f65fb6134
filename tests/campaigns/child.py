"""The process that tries the cases of one campaign, and writes what became of each as a line of
JSON.

A case that does not end has the stacks of all threads written to standard error, and the process
ends."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import IO, Any

from tests.campaigns.campaign import Campaign, FaultInCaseError


def serve(campaign: Campaign[Any], seeds: range, answers: IO[bytes]) -> None:
    """Tries the cases of some seeds."""

    def answer(**values: object) -> None:
        answers.write(json.dumps(values).encode() + b"\n")
        answers.flush()

    def note(text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
        faulthandler.dump_traceback_later(campaign.limit_s, exit=True)

    campaign.note = note
    campaign.begin()
    answer(ready=True)
    limit_memory(campaign.memory_bytes)
    for seed in seeds:
        note(f"case {seed}")
        described = ""
        try:
            case = campaign.make(campaign.rng(seed))
            described = campaign.describe(case)
            tried = campaign.check(case)
        except FaultInCaseError as fault:
            answer(tried=fault.tried, fault=str(fault), described=described, ends=fault.ends)
            if fault.ends:
                os._exit(0)
        except BaseException:
            answer(tried={}, fault=traceback.format_exc(), described=described)
        else:
            answer(tried=tried)
    campaign.end()


def limit_memory(n_bytes: int | None) -> None:
    """Lets this process have so much memory beyond what it has now.

    Where the system knows such limits.
    """
    if n_bytes is None:
        return
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        present = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
        resource.setrlimit(resource.RLIMIT_AS, (present + n_bytes, present + n_bytes))


def main() -> None:
    """Serves the campaign that is named as "module:Class", in a folder that whoever started it
    removes.
    """
    faulthandler.enable()
    module, _, name = sys.argv[1].partition(":")
    # What is printed by anything else is no answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    folder = Path(sys.argv[2])
    for name_of in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name_of] = str(folder / "home")
    (folder / "home").mkdir()
    (folder / "work").mkdir()
    campaign = getattr(importlib.import_module(module), name)(folder / "work")
    serve(campaign, range(int(sys.argv[3]), int(sys.argv[4])), answers)


if __name__ == "__main__":
    main()
