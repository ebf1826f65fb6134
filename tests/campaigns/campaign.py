"""What every campaign has, and how its cases are tried: in a child process, so that none can take
the others with it.

A case is made from its seed alone, so that each of them can be tried again by itself.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from tests.benchmarks.measuring import ended_in_words

C = TypeVar("C")
ROOT = Path(__file__).resolve().parents[2]
FAST_FOLDER = Path("/dev/shm")
"""A folder in memory: thousands of small files are written and forced to the disk."""
_STDERR_CHARACTERS = 6000


class FaultInCaseError(Exception):
    """What a check found wrong, with what was tried until then.

    `ends` says that the process cannot go on.
    """

    def __init__(
        self, message: str, tried: Counter[str] | None = None, *, ends: bool = False
    ) -> None:
        super().__init__(message)
        self.tried = tried or Counter()
        self.ends = ends


class Campaign(ABC, Generic[C]):
    """One kind of random cases. It is made in the child process that tries them.

    Attributes:
        name: what the command line calls it.
        limit_s: after so long without a note the case counts as one that does not end; the machine
            may be busy with other things.
        memory_bytes: the memory that all cases together may take beyond what the process has when
            it begins; None for no limit.
    """

    name: ClassVar[str]
    limit_s: ClassVar[float] = 60.0
    memory_bytes: ClassVar[int | None] = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.note: Callable[[str], None] = lambda text: None

    def begin(self) -> None:
        """Prepares what all cases need."""

    def end(self) -> None:
        """Takes it apart."""

    @abstractmethod
    def make(self, rng: random.Random) -> C:
        """The case that a seed stands for."""

    @abstractmethod
    def check(self, case: C) -> Counter[str]:
        """Tries a case, and says what was tried, by kind.

        Whatever it raises is a fault; so is a process that dies.
        """

    def describe(self, case: C) -> str:
        """The case, for the report of a fault."""
        return repr(case)

    @classmethod
    def rng(cls, seed: int) -> random.Random:
        """The random numbers of a case."""
        return random.Random(f"{cls.name} {seed}")


@dataclass(frozen=True)
class Fault:
    """What was wrong with a case."""

    seed: int
    what: str
    described: str

    @property
    def signature(self) -> str:
        """What faults of one cause have in common: the last line, without its numbers and
        quotations.
        """
        lines = [line for line in self.what.strip().splitlines() if line.strip()]
        places = [line.strip() for line in lines if line.lstrip().startswith("File ")]
        last = lines[-1] if lines else ""
        return f"{last.partition(':')[0]} | {places[-1] if places else last[:80]}"


@dataclass
class Tally:
    """What was tried and what was found."""

    n_cases: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    n_restarts: int = 0
    seconds: float = 0.0


def try_cases(
    campaign: type[Campaign[Any]],
    seed: int,
    count: int,
    *,
    minutes: float | None = None,
    report: Callable[[Fault, int], None] = lambda fault, n: None,
) -> Tally:
    """Tries the cases of `count` seeds from `seed` on, or as many as there is time for.

    Args:
        campaign: what is tried.
        seed: the first seed.
        count: how many.
        minutes: begin no case after so long.
        report: called with each fault, and how many of its signature there are by then.

    Raises:
        RuntimeError: the campaign cannot begin.
    """
    tally = Tally()
    signatures = Counter[str]()
    begun = time.monotonic()
    end = seed + count
    until = None if minutes is None else begun + 60 * minutes

    def found(fault: Fault) -> None:
        tally.faults.append(fault)
        signatures[fault.signature] += 1
        report(fault, signatures[fault.signature])

    while seed < end and (until is None or time.monotonic() < until):
        for answer in _answers(campaign, seed, end):
            if "ended" in answer:
                # The case that was being tried, or the end of the process.
                if seed < end or answer["ended"]:
                    tally.n_cases += seed < end
                    found(Fault(seed, answer["said"], f"case {seed}"))
                    seed += 1
                break
            tally.n_cases += 1
            tally.tried += Counter(answer["tried"])
            if "fault" in answer:
                found(Fault(seed, answer["fault"], answer["described"]))
            seed += 1
            if answer.get("ends") or (until is not None and time.monotonic() > until):
                break
        tally.n_restarts += 1
    tally.n_restarts -= 1
    tally.seconds = time.monotonic() - begun
    return tally


def _answers(campaign: type[Campaign[Any]], first: int, end: int) -> Iterator[dict[str, Any]]:
    """What a process says of cases; at last, unless it is told to stop, how it ended."""
    where = f"{campaign.__module__}:{campaign.__qualname__}"
    fast = os.access(FAST_FOLDER, os.W_OK)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "QT_QPA_PLATFORM": "offscreen",
        "TOKENIZERS_PARALLELISM": "false",
    }
    with (
        tempfile.TemporaryDirectory(
            prefix="bpe-studio-campaign-", dir=FAST_FOLDER if fast else None
        ) as folder,
        tempfile.TemporaryFile() as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.child", where, folder, str(first), str(end)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            cwd=ROOT,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            is_ready = bool(process.stdout.readline())
            for line in process.stdout:
                yield json.loads(line)
            code = process.wait()
            stderr.seek(0)
            said = stderr.read().decode("utf-8", "replace")[-_STDERR_CHARACTERS:]
            why = ended_in_words(code)
            if not is_ready:
                raise RuntimeError(f"{where} cannot begin:\n{said}\n{why}")
            yield {"ended": why, "said": f"{said}\nThe process ended: {why or 'without a reason'}"}
        finally:
            if process.poll() is None:
                process.kill()
