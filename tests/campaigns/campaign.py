"""What every campaign has, and how its cases are tried: in child processes, so that none can take the others with it.

A case is made from its seed alone. A campaign that is given the seeds from 100 on tries 100, 101, ... whatever the
number of processes, so that each of them can be tried again by itself.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, TypeVar

C = TypeVar("C")
ROOT = Path(__file__).resolve().parents[2]
FAST_FOLDER = Path("/dev/shm")
"""A folder in memory: thousands of small files are written and forced to the disk."""
_LAST_NOTES = 40
_STDERR_CHARACTERS = 6000
_PROGRESS_S = 60.0
BEGIN_LIMIT_S = 900.0
"""A child may have to compile the kernels before it begins."""


class FaultInCaseError(Exception):
    """What a check found wrong, with what was tried until then; `ends` says that the process cannot go on."""

    def __init__(self, message: str, tried: Counter[str] | None = None, *, ends: bool = False) -> None:
        super().__init__(message)
        self.tried, self.ends = tried or Counter(), ends


class Campaign(ABC, Generic[C]):
    """One kind of random cases. It is made in the child process that tries them.

    Attributes:
        name: what the command line calls it.
        cases: what its cases are called.
        limit_s: after so long without an answer or a note the case counts as one that does not end; the machine may be
            busy with other things.
        memory_bytes: the memory that all cases together may take beyond what the process has when it begins; None for
            no limit.
    """

    name: ClassVar[str]
    cases: ClassVar[str] = "cases"
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
        """Tries a case, and says what was tried, by kind. Whatever it raises is a fault; so is a process that dies."""

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
        """What faults of one cause have in common: the last line, without its numbers and quotations."""
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


class Child:
    """The process that tries cases; a new one takes its place where it dies or does not answer.

    Args:
        where: the campaign as "module:Class".
        limit_s: see `Campaign`.
    """

    def __init__(self, where: str, limit_s: float) -> None:
        self._where, self._limit_s = where, limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: Iterator[dict[str, Any]] = iter(())
        self._folder = ""
        self._is_ready = False
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lasts as long as the child

    def try_case(self, seed: int) -> tuple[Counter[str], Fault | None, bool]:
        """Tries a case: what was tried, what was wrong, and whether the process died of it."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None and process.stdin is not None
        notes: deque[str] = deque(maxlen=_LAST_NOTES)
        is_ready = self._is_ready
        try:
            process.stdin.write(b"%d\n" % seed)
            process.stdin.flush()
            for answer in self._answers:
                if "note" in answer:
                    notes.append(answer["note"])
                elif "ready" in answer:
                    self._is_ready = is_ready = True
                else:
                    tried, ends = Counter(answer["tried"]), bool(answer.get("ends"))
                    if ends:
                        self._end(kill=True)
                    if "fault" not in answer:
                        return tried, None, False
                    said = "\n".join([answer["described"], *_numbered(notes)])
                    return tried, Fault(seed, answer["fault"], said), ends
            why = f"no sign of life for {self._limit_s:.0f} s"
        except (BrokenPipeError, EOFError):
            why = ""
        died = self._end(kill=True)
        self._stderr.seek(0)
        said = self._stderr.read().decode("utf-8", "replace")[-_STDERR_CHARACTERS:]
        fault = f"{said}\nThe process ended: {why or died or 'without a reason'}"
        if not is_ready:
            raise RuntimeError(f"{self._where} cannot begin:\n{fault}")
        return Counter(), Fault(seed, fault, "\n".join(_numbered(notes))), True

    def close(self) -> str:
        """Ends the process; what was wrong with its end, or nothing."""
        with self._stderr:
            return self._end(kill=False)

    def _start(self) -> None:
        self._is_ready = False
        self._stderr.seek(0)
        self._stderr.truncate()
        fast = FAST_FOLDER if os.access(FAST_FOLDER, os.W_OK) else None
        # Its own, and not the child's, which may be killed.
        self._folder = tempfile.mkdtemp(prefix="bpe-studio-campaign-", dir=fast)
        environment = {
            **os.environ,
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
            "QT_QPA_PLATFORM": "offscreen",
            "TOKENIZERS_PARALLELISM": "false",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "tests.campaigns.child", self._where, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=environment,
        )
        assert self._process.stdout is not None
        self._answers = _lines(self._process.stdout, BEGIN_LIMIT_S, 1.5 * self._limit_s)

    def _end(self, *, kill: bool) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        assert process.stdin is not None and process.stdout is not None
        if kill and process.poll() is None:
            # Its last words come first: the stacks of all threads, if it still can.
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
        process.stdin.close()
        try:
            process.wait(2 * self._limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        code = process.returncode
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"status {code}" if code else ""


def _lines(stream: IO[bytes], first_s: float, limit_s: float) -> Iterator[dict[str, Any]]:
    """The answers of a child, until one does not come in time; the first one may take longer.

    Raises:
        EOFError: the child has ended.
    """
    buffer = b""
    number = stream.fileno()
    while True:
        while b"\n" in buffer:
            line, _, buffer = buffer.partition(b"\n")
            yield json.loads(line)
            first_s = limit_s
        if not select.select([number], [], [], first_s)[0]:
            return
        data = os.read(number, 1 << 16)
        if not data:
            raise EOFError
        buffer += data


def _numbered(notes: deque[str]) -> list[str]:
    return [f"  {k - len(notes):4d}: {note}" for k, note in enumerate(notes, 1)]


def try_cases(
    campaign: type[Campaign[Any]],
    seed: int,
    count: int,
    *,
    minutes: float | None = None,
    n_jobs: int = 1,
    report: Callable[[Fault, int], None] | None = None,
    progress: Callable[[Tally], None] | None = None,
) -> Tally:
    """Tries the cases of `count` seeds from `seed` on, or as many as there is time for.

    Args:
        campaign: what is tried.
        seed: the first seed.
        count: how many.
        minutes: begin no case after so long.
        n_jobs: processes at a time.
        report: called with each fault, and how many of its signature there are by then.
        progress: called about once a minute.
    """
    where = f"{campaign.__module__}:{campaign.__qualname__}"
    tally, lock = Tally(), threading.Lock()
    begun = time.monotonic()
    until = None if minutes is None else begun + 60 * minutes
    seeds = iter(range(seed, seed + count))
    signatures: Counter[str] = Counter()
    last = begun

    def found(fault: Fault) -> None:
        tally.faults.append(fault)
        signatures[fault.signature] += 1
        if report is not None:
            report(fault, signatures[fault.signature])

    def work() -> None:
        nonlocal last
        child = Child(where, campaign.limit_s)
        at, ended = seed, ""
        try:
            while until is None or time.monotonic() < until:
                with lock:
                    at = next(seeds, -1)
                if at < 0:
                    break
                tried, fault, died = child.try_case(at)
                with lock:
                    tally.n_cases += 1
                    tally.tried += tried
                    tally.n_restarts += died
                    if fault is not None:
                        found(fault)
                    if progress is not None and time.monotonic() - last > _PROGRESS_S:
                        last = time.monotonic()
                        tally.seconds = last - begun
                        progress(tally)
        finally:
            ended = child.close()
        if ended:
            with lock:
                found(Fault(at, f"The process ended badly after its last case: {ended}", "the end of the process"))

    with ThreadPoolExecutor(n_jobs) as pool:
        for worker in [pool.submit(work) for _ in range(n_jobs)]:
            worker.result()
    tally.seconds = time.monotonic() - begun
    return tally
