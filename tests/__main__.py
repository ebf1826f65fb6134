"""`python3 -m tests [--quick] [pytest's arguments]` runs the tests on all cores; a fresh machine is
set up first.

All tests run in several pytests, one more than there are cores. A selection by name, a single file
or a debugger is small or wants the terminal for itself, and runs in this process. With `--quick`
the tests marked as slow are left out and random tests try fewer examples: for the inner loop, while
`python3 -m tests` is what must pass.
"""

from __future__ import annotations

import os
import sys

from bpe_studio import _bootstrap

MOST_WORKERS = 8
"""Each takes about 1 GB, with Qt, numba and the tokenizers that ours are compared with."""
QUICK = ["-m", "not slow", "--hypothesis-profile=quick"]
IN_THIS_PROCESS = (
    "-k",
    "--co",
    "--pdb",
    "--trace",
    "-s",
    "--capture=no",
    "--lf",
    "--ff",
    "--sw",
    "--fixtures",
    "-h",
)
"""Arguments of pytest that ask for a few tests, for a list of them or for the terminal."""
ABOUT_WORKERS = ("-n", "--numprocesses", "--dist", "-pno:xdist", "no:xdist")


def main() -> int:
    """Runs pytest here if all is here, and otherwise in the checkout's own environment."""
    if not _bootstrap.is_checkout():
        print(
            "The tests run in a checkout of the project only; there is no pyproject.toml here.",
            file=sys.stderr,
        )
        return 1
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if not _bootstrap.is_ready(tests=True):
        return _bootstrap.start("tests", sys.argv[1:], tests=True)
    os.environ.pop(_bootstrap.GUARD, None)
    import pytest

    return int(pytest.main(pytest_arguments(sys.argv[1:], n_workers(n_cores()))))


def pytest_arguments(arguments: list[str], n_processes: int) -> list[str]:
    """What pytest is called with.

    Args:
        arguments: what the person gave.
        n_processes: how many processes there are to be where many tests are run.
    """
    given = [argument for argument in arguments if argument != "--quick"]
    added = QUICK if len(given) < len(arguments) else []
    is_few = any(argument.startswith(IN_THIS_PROCESS) or ".py" in argument for argument in given)
    if (
        n_processes > 1
        and not is_few
        and not any(argument.startswith(ABOUT_WORKERS) for argument in given)
    ):
        added = [*added, "-n", str(n_processes), "--dist", "worksteal"]
    return [*added, *given]


def n_workers(n_processors: int) -> int:
    """How many processes run tests, up to as many as there is memory for.

    Tests of the window wait for timers and threads a third of their time, and one process more uses
    that."""
    return min(MOST_WORKERS, n_processors + 1) if n_processors > 1 else 1


def n_cores() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main())
