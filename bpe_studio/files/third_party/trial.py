"""Loads a file with its library in a process of its own first, as a hostile file may crash or hang
native code.
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
"""The processor time to add for each MB.

A small file takes a fraction of a second, and the largest in use (17 MB) some 4 seconds.
"""
TRANSFORMERS_CPU_S = 60
"""The processor time of Transformers.

It loads in one or two seconds, and finds the merges of a large SentencePiece model in half a
minute.
"""
TIMEOUT_S = 240
"""The longest time that the process may take, as it waits for the processor on a busy machine."""
MEMORY_BYTES = 4 << 30
NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""The flag without which Windows would open a window for each process."""
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; sys.dont_write_bytecode = True; import runpy; "
    "runpy.run_path(sys.path.pop(0))['main']()"
)


class Answer(NamedTuple):
    """The answer of the process.

    Attributes:
        why: the reason for which the library rejects the file, as a line; "" if it does not.
        ids: the ids of each text; `None` for a text that the library does not encode.
        files: the files that Transformers makes of a folder, by name.
        notice: a difference that these files cannot show, as a sentence; "" for none.
    """

    why: str
    ids: list[list[int] | None]
    files: dict[str, bytes]
    notice: str


def check_in_process(library: str, content: bytes, texts: Sequence[str]) -> str | None:
    """Makes sure that a library can load a file and encode texts with it.

    Args:
        library: its name.
        content: the content of the file.
        texts: the texts to encode. The ids do not matter here; but native code must not panic at
            one of them, as it does if an expression needs too many tries.

    Returns:
        "" if it can; `None` if no process can be started here.

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
    """The answer of Transformers about a folder; `None` if it is not installed, or does not end.

    Args:
        folder: its path.
        texts: the texts to encode.
        wants_files: whether to make a `tokenizer.json` of the folder.
    """
    if not has_transformers():
        return None
    library = CONVERTER if wants_files else "transformers"
    try:
        return _answer(library, os.fsencode(folder), texts, TRANSFORMERS_CPU_S)
    except (subprocess.TimeoutExpired, OSError):
        return None


def command(program: str) -> list[str]:
    """The command that runs the function `main` of a file of this program in a process of its own.

    Raises:
        OSError: the running program may not be a Python interpreter that can be started again.
    """
    is_python = "python" in os.path.basename(sys.executable or "").lower()
    if not is_python and not getattr(sys, "frozen", False):
        raise OSError
    return [sys.executable, "-c", _START, program, *sys.path]


def _answer(library: str, content: bytes, texts: Sequence[str], cpu_s: int) -> Answer | None:
    """The answer of the process; `None` if it crashed or reached a limit.

    Raises:
        OSError: the process cannot be started.
        subprocess.TimeoutExpired: it takes too long.
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
