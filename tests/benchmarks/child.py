"""The process in which one measurement is made: does one job, and writes what it found as JSON.

Called by `measuring.py` with a JSON request: the module and function to call, its arguments, and
where to write. If it crashes or does not end in time, it writes the stacks of all threads to
standard error."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def timed(outcome: dict[str, Any], name: str = "seconds") -> Iterator[None]:
    """Time what is inside, by the clock on the wall and by the processor, and note the peak of
    memory after it.
    """
    gc.collect()
    cpu = time.process_time()
    wall = time.perf_counter()
    yield
    outcome[name] = time.perf_counter() - wall
    if name == "seconds":
        outcome["cpu_s"] = time.process_time() - cpu
        outcome["peak_bytes"] = peak_bytes()


def peak_bytes() -> int:
    """The most memory that this process has had resident."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(peak if sys.platform == "darwin" else peak * 1024)
    # `ru_maxrss` of a new process begins with what its parent had; this line does not.
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")
    )


def main() -> None:
    """Do the job that the request names."""
    request = json.loads(sys.argv[1])
    faulthandler.enable()
    faulthandler.dump_traceback_later(request["stacks_after_s"])
    function = getattr(importlib.import_module(request["module"]), request["function"])
    outcome = function(**request["arguments"])
    Path(request["answer"]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main()
