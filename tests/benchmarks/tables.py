"""Writes tables in markdown, and under them how their figures were taken."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import bpe_studio
from tests.benchmarks.measuring import ROOT, Series

PEERS = ("tokenizers", "rustbpe", "gigatoken", "ffbpe", "bpeasy", "tiktoken")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A markdown table; all columns but the first stand to the right.

    Raises:
        ValueError: a row has more or fewer cells than there are heads.
    """
    if any(len(row) != len(heads) for row in rows):
        raise ValueError(
            f"a row of the table with the heads {', '.join(heads)} has another number of cells"
        )
    lines = [
        "| " + " | ".join(heads) + " |",
        "|" + "|".join(["---"] + ["--:"] * (len(heads) - 1)) + "|",
    ]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def seconds(value: float) -> str:
    """A time with three digits that count, in seconds or milliseconds."""
    if value < 0.1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def time_of(series: Series, name: str = "seconds") -> str:
    """The median of a series, with its least and most; or why there is none."""
    if series.failure:
        return series.failure
    values = series.values(name)
    if len(values) == 1:
        return seconds(values[0])
    return f"{seconds(series.median(name))} ({seconds(min(values))} to {seconds(max(values))})"


def ratio(slower: Series, faster: Series, name: str = "seconds") -> str:
    """How many times as fast the second is."""
    if slower.failure or faster.failure:
        return "-"
    return f"{slower.times_slower_than(faster, name):.2f}"


def mib(n_bytes: float) -> str:
    """An amount of memory."""
    return f"{n_bytes / 2**20:,.0f} MiB"


def megabytes(n_bytes: float) -> str:
    """The size of a text, as people name files: a million bytes are one."""
    return f"{n_bytes / 1e6:,.4g} MB"


def load() -> str:
    """How busy the machine is with everything that runs on it, as far as it tells."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def conditions(n_rounds: int, is_quick: bool, load_before: str) -> str:
    """The line that says on what machine, when and with which versions the figures were taken."""
    today = datetime.datetime.now().astimezone().date().isoformat()
    names = [f"bpe-studio {bpe_studio.__version__}{_revision()}"]
    for name in (*PEERS, "numba", "numpy", "regex"):
        try:
            names.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            names.append(f"{name} not installed")
    return (
        f"{today}; {_processor()}, {_n_cores()} cores, {_memory()}, load average {load_before}"
        f" before and {load()} after; {platform.system()}, Python {platform.python_version()};"
        f" {', '.join(names)}. Medians of {n_rounds}"
        f" rounds{' (quick: small inputs, not for quoting)' if is_quick else ''}, least and most in"
        " brackets; in each round every contender of a table runs once, in a process of its own,"
        " taking turns; ratios are medians of the rounds' ratios. Files are read from the system's"
        " cache. Unless said otherwise a process has done the same with another text of 2 MB"
        " before the clock starts, so that imports and compiled kernels are in."
    )


def _revision() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = " with changes" if git("status", "--porcelain", "--", "bpe_studio") else ""
        return f" at {git('rev-parse', '--short', 'HEAD')}{changed}"
    except (OSError, subprocess.CalledProcessError):
        return ""


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return "memory unknown"
