"""Runs many programs at once that begin with the same imports, for tests of how a program ends.

Where the system can fork, one process for all tests imports what all programs import, half of what a window's start
takes, and becomes each of them in turn. Each ends as any program does, through the end of Python. Elsewhere each is
started by itself.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATIENCE_S = 120
_COMMAND = [sys.executable, "-X", "faulthandler", "-c"]
_BECOME_EACH = """
import importlib
import json
import os
import sys
from bpe_studio.gui import app
from bpe_studio.gui.main_window import MainWindow

for line in sys.stdin:
    folder, code, programs, at_once, imports = json.loads(line)
    if os.fork() == 0:
        break
    os.wait()
else:
    sys.exit()

for name in imports:
    importlib.import_module(name)
numbers, statuses = {}, {}


def wait():
    child, status = os.wait()
    statuses[numbers[child]] = os.waitstatus_to_exitcode(status)


for number, (arguments, environment) in enumerate(programs):
    if number - len(statuses) == at_once:
        wait()
    child = os.fork()
    if child == 0:
        break
    numbers[child] = number
if child == 0:
    for stream, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{folder}/{number}.{name}", os.O_WRONLY | os.O_CREAT), stream)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c", *arguments]
    exec(compile(code, "<string>", "exec"))
else:
    while len(statuses) < len(numbers):
        wait()
    print(json.dumps(statuses), flush=True)
    os._exit(0)
"""


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
    code: str,
    programs: Iterable[tuple[Sequence[str], Mapping[str, str]]],
    folder: Path,
    at_once: int = 8,
    imports: Sequence[str] = (),
) -> list[Ended]:
    """Runs a code with different arguments, some at once, and waits for their ends.

    Args:
        code: what each runs, as `python -c` does.
        programs: the arguments of each, and what its environment has that this one's has not.
        folder: for their output.
        at_once: how many run at the same time at most, where the system can fork.
        imports: what is imported for all of them, where the system can fork, besides the window.
    """
    here = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    programs = [([*arguments], here | dict(environment)) for arguments, environment in programs]
    if not hasattr(os, "fork"):
        started = [
            subprocess.Popen(
                [*_COMMAND, code, *arguments],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for arguments, environment in programs
        ]  # fmt: skip
        return [_ended(process) for process in started]
    process = _forker()
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps((str(folder), code, programs, at_once, imports)) + "\n")
        process.stdin.flush()
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], "the programs do not end"
        statuses = json.loads(process.stdout.readline())
    except BaseException:
        _forker.cache_clear()
        os.killpg(process.pid, signal.SIGKILL)  # all that it has become
        process.wait()
        raise
    return [
        Ended(status, *((folder / f"{number}.{name}").read_text("utf-8") for name in ("out", "err")))
        for number, status in sorted((int(number), status) for number, status in statuses.items())
    ]


@cache
def _forker() -> subprocess.Popen[str]:
    """The process that becomes each program, which ends with the tests; its own problems are theirs."""
    process = subprocess.Popen(
        [*_COMMAND, _BECOME_EACH], env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    atexit.register(process.communicate)
    return process


def _ended(process: subprocess.Popen[str]) -> Ended:
    try:
        out, problems = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    return Ended(process.returncode, out, problems)
