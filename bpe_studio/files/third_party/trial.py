"""Loads a file with its library in a process of its own first, because a hostile one may crash or hang native code."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Sequence
from math import ceil

from bpe_studio.errors import TokenizerFormatError

CPU_S, CPU_S_FOR_EACH_MB = 6, 1.5
"""Processor time: a small file takes a fraction of a second, the largest in use (17 MB) some 4 seconds."""
TIMEOUT_S = 240
"""On a busy machine it may have to wait long for the processor."""
MEMORY_BYTES = 4 << 30
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; sys.dont_write_bytecode = True; import runpy; "
    "runpy.run_path(sys.path.pop(0))['main']()"
)


def check_in_process(library: str, content: bytes, texts: Sequence[str], *others: bytes) -> None:
    """Makes sure that a library can load a file and encode texts with it, or says in a sentence that it cannot.

    Args:
        library: its name.
        content: what the library is given.
        texts: what is encoded; the ids do not matter here. Native code must not panic at one of them, as it does if an
            expression needs too many tries.
        others: other contents that the library must load, without encoding anything.

    Raises:
        TokenizerFormatError: it cannot, ends the process, or needs too much time or memory.
    """
    # The running program may not be a Python interpreter that can be started again.
    if "python" not in os.path.basename(sys.executable or "").lower():
        return
    program = os.path.join(os.path.dirname(__file__), "trial_process.py")
    cpu_s = ceil(CPU_S + CPU_S_FOR_EACH_MB * sum(map(len, (content, *others))) / 1e6)
    request = marshal.dumps((library, [*others, content], list(texts), MEMORY_BYTES, cpu_s))
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _START, program, *sys.path],
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired:
        raise TokenizerFormatError(
            f"the library {library} takes more than {TIMEOUT_S} seconds to load it and to encode a page of text"
        ) from None
    except OSError:
        return
    try:
        message = str(marshal.loads(ran.stdout))
    except (EOFError, ValueError, TypeError):
        raise TokenizerFormatError(
            f"the library {library} crashed, or needed more than {MEMORY_BYTES >> 30} GB of memory or {cpu_s} "
            "seconds, when it loaded the file in its own process"
        ) from None
    if message:
        raise TokenizerFormatError(f"the library {library} rejects it ({message.splitlines()[0][:200]})")
