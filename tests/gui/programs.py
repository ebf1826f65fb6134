"""Runs programs in processes of their own, some at once, for tests of how a program ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

PATIENCE_S = 120


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        status: its exit status; below 0 the signal that ended it.
        out: what it wrote to standard output.
        problems: what it wrote to standard error.
    """

    status: int
    out: str
    problems: str


def run_programs(
    code: str, programs: Iterable[tuple[Sequence[str], Mapping[str, str]]], at_once: int = 4
) -> list[Ended]:
    """Runs a code with different arguments, some at once, and waits for their ends.

    Args:
        code: what each runs, as `python -c` does.
        programs: the arguments of each, and what its environment has that this one's has not.
        at_once: how many run at the same time at most.
    """
    here = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}

    def run(program: tuple[Sequence[str], Mapping[str, str]]) -> Ended:
        arguments, environment = program
        command = [sys.executable, "-X", "faulthandler", "-c", code, *arguments]
        ran = subprocess.run(
            command,
            env={**here, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return Ended(ran.returncode, ran.stdout, ran.stderr)

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(run, programs))
