"""Loads a file with its library in a process of its own first, because a hostile one may crash or
hang native code.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from math import ceil
from typing import NamedTuple

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.third_party.trial_process import CONVERTER

CPU_S = 6
CPU_S_FOR_EACH_MB = 1.5
"""Processor time: a small file takes a fraction of a second, the largest in use (17 MB) some 4
seconds.
"""
TRANSFORMERS_CPU_S = 60
"""To load it takes one or two seconds, and to find the merges of a large SentencePiece model half a
minute.
"""
TIMEOUT_S = 240
"""On a busy machine it may have to wait long for the processor."""
MEMORY_BYTES = 4 << 30
NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""Windows would open one for each process."""
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; sys.dont_write_bytecode = True; import runpy; "
    "runpy.run_path(sys.path.pop(0))['main']()"
)


class Answer(NamedTuple):
    """What the process says.

    Attributes:
        why: what the library says against the file, as a line; "" for nothing.
        ids: the ids of each text, `None` for one that the library does not encode.
        files: the files that Transformers makes of a folder, by name.
        notice: what these do not say, as a sentence; "" for nothing.
    """

    why: str
    ids: list[list[int] | None]
    files: dict[str, bytes]
    notice: str


def check_in_process(library: str, content: bytes, texts: Sequence[str]) -> str | None:
    """Makes sure that a library can load a file and encode texts with it, or says in a sentence
    that it cannot.

    Args:
        library: its name.
        content: what the library is given.
        texts: what is encoded; the ids do not matter here. Native code must not panic at one of
            them, as it does if an expression needs too many tries.

    Returns:
        "" if it can, `None` if no process can be started here.

    Raises:
        TokenizerFormatError: it cannot, ends the process, or needs too much time or memory.
    """
    cpu_s = ceil(CPU_S + CPU_S_FOR_EACH_MB * len(content) / 1e6)
    try:
        answer = _answer(library, content, texts, cpu_s)
    except subprocess.TimeoutExpired:
        raise TokenizerFormatError(
            f"the library {library} takes more than {TIMEOUT_S} seconds to load it and to encode a"
            " page of text"
        ) from None
    except OSError:
        return None
    if answer is None:
        raise TokenizerFormatError(
            f"the library {library} crashed, or needed more than {MEMORY_BYTES >> 30} GB of memory"
            f" or {cpu_s} seconds, when it loaded the file in its own process"
        )
    if answer.why:
        raise TokenizerFormatError(f"the library {library} rejects it ({answer.why})")
    return ""


def has_transformers() -> bool:
    """Whether Transformers is installed."""
    return find_spec("transformers") is not None


def asked_of_transformers(
    folder: str, texts: Sequence[str], *, wants_files: bool = False
) -> Answer | None:
    """What Transformers says about a folder.

    Args:
        folder: its path.
        texts: what it encodes.
        wants_files: whether it makes a `tokenizer.json` of the folder.

    Returns:
        `None` if it is not installed, or does not come to an end.
    """
    if not has_transformers():
        return None
    library = CONVERTER if wants_files else "transformers"
    try:
        return _answer(library, os.fsencode(folder), texts, TRANSFORMERS_CPU_S)
    except (subprocess.TimeoutExpired, OSError):
        return None


def command(program: str) -> list[str]:
    """How to start a file of this program as a process of its own, which runs its function `main`.

    Raises:
        OSError: the running program may not be a Python interpreter that can be started again.
    """
    if (
        not getattr(sys, "frozen", False)
        and "python" not in os.path.basename(sys.executable or "").lower()
    ):
        raise OSError
    return [sys.executable, "-c", _START, program, *sys.path]


def _answer(library: str, content: bytes, texts: Sequence[str], cpu_s: int) -> Answer | None:
    """What the process writes; `None` if it crashed or reached a limit.

    Raises:
        OSError, subprocess.TimeoutExpired: it cannot be started, or takes too long.
    """
    program = os.path.join(os.path.dirname(__file__), "trial_process.py")
    request = marshal.dumps((library, content, list(texts), MEMORY_BYTES, cpu_s))
    ran = subprocess.run(
        command(program),
        input=request,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=False,
        creationflags=NO_WINDOW,
    )
    try:
        return Answer(*marshal.loads(ran.stdout))
    except (EOFError, ValueError, TypeError):
        return None
