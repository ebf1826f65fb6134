"""Runs jobs in fresh processes, the contenders of a table taking turns, and keeps what each round
gave.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FRESH_FOLDER = "<a folder of its own>"
"""As a value in a job's environment: a new empty folder for each process."""

STACKS_BEFORE_S = 5.0
"""So long before its time is over, a process writes the stacks of its threads."""
_STDERR_CHARACTERS = 6000

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Job:
    """One thing to measure.

    Attributes:
        function: `module:function` in this package, called in a process of its own.
        arguments: what it is called with.
        environment: variables that the process gets besides its parent's.
    """

    function: str
    arguments: tuple[tuple[str, Value], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def call(function: str, environment: Mapping[str, str] | None = None, **arguments: Value) -> Job:
    """The job of calling a function of this package, named `module:function`."""
    return Job(function, tuple(arguments.items()), environment=tuple((environment or {}).items()))


@dataclass
class Series:
    """What a job gave in each round.

    Attributes:
        rounds: one outcome a round.
        failure: why there is no outcome, as a phrase; empty where there is.
    """

    rounds: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""

    def values(self, name: str = "seconds") -> list[float]:
        """One number of each round."""
        return [outcome[name] for outcome in self.rounds]

    def median(self, name: str = "seconds") -> float:
        """The median of the rounds."""
        return statistics.median(self.values(name))

    def times_slower_than(self, other: Series, name: str = "seconds") -> float:
        """How many times the other's number this one's is: the median over the rounds, each by
        itself.
        """
        pairs = zip(self.values(name), other.values(name), strict=False)
        return statistics.median(mine / max(theirs, 1e-9) for mine, theirs in pairs)

    def value(self, name: str) -> Any:
        """Something that is the same in each round.

        Raises:
            ValueError: it is not.
        """
        first = self.rounds[0].get(name)
        if any(outcome.get(name) != first for outcome in self.rounds):
            raise ValueError(f"{name} differs between rounds")
        return first


@dataclass
class Bench:
    """What a run of the benchmarks has to go by.

    Attributes:
        folder: where texts are made and answers written; emptied at the end.
        given_text: the file to measure with; `None` makes one.
        n_rounds: how often everything is measured.
        vocab_size: the size asked of every trainer.
        is_quick: small inputs, to see that it works.
        limit_s: a job that takes longer is given up.
    """

    folder: Path
    given_text: Path | None = None
    n_rounds: int = 5
    vocab_size: int = 32_768
    is_quick: bool = False
    limit_s: float = 900.0
    _known: dict[Job, Series] = field(default_factory=dict)

    def measure(self, jobs: Mapping[str, Job], n_rounds: int | None = None) -> dict[str, Series]:
        """Measure jobs in turns: each round runs every one of them once, in an order that moves on
        by one.
        """
        if not all(job in self._known for job in jobs.values()):
            fresh = {job: Series() for job in jobs.values()}
            for number in range(n_rounds or self.n_rounds):
                names = list(jobs)
                shift = number % len(names)
                for name in names[shift:] + names[:shift]:
                    self._run(name, jobs[name], fresh[jobs[name]], number)
            self._known.update(fresh)
        return {name: self._known[job] for name, job in jobs.items()}

    def _run(self, name: str, job: Job, series: Series, number: int) -> None:
        if series.failure or len(series.rounds) > number:
            return
        begun = time.perf_counter()
        try:
            series.rounds.append(self._outcome(job))
        except subprocess.TimeoutExpired as error:
            series.failure = f"over {self.limit_s:.0f} s"
            _note(_end_of(error.stderr))
        except RuntimeError as error:
            series.failure = "failed"
            _note(str(error))
        _note(
            f"{name}, round {number + 1}:"
            f" {series.failure or f'{time.perf_counter() - begun:.1f} s with all'}"
        )

    def _outcome(self, job: Job) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            answer = Path(own) / "answer.json"
            request = {
                "module": f"tests.benchmarks.{job.function.partition(':')[0]}",
                "function": job.function.partition(":")[2],
                "arguments": dict(job.arguments),
                "answer": str(answer),
                "stacks_after_s": max(1.0, self.limit_s - STACKS_BEFORE_S),
            }
            changed = {
                key: own if value == FRESH_FOLDER else value for key, value in job.environment
            }
            begun = time.perf_counter()
            ran = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.child", json.dumps(request)],
                cwd=ROOT,
                env={**os.environ, **changed},
                capture_output=True,
                timeout=self.limit_s,
                check=False,
            )
            seconds = time.perf_counter() - begun
            if ran.returncode or not answer.is_file():
                why = ended_in_words(ran.returncode) or "without an answer"
                raise RuntimeError(f"{_end_of(ran.stderr)}\nThe process ended: {why}")
            outcome: dict[str, Any] = json.loads(answer.read_text("utf-8"))
            return {"process_s": seconds, **outcome}


def is_installed(distribution: str) -> bool:
    """Whether a peer is there."""
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def ended_in_words(code: int) -> str:
    """How a process ended, by its exit status; empty if it ended well."""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"status {code}" if code else ""


def _end_of(said: bytes | None) -> str:
    return (said or b"").decode("utf-8", "replace")[-_STDERR_CHARACTERS:]


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
