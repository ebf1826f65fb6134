"""The first compilation: every kernel compiled, or read from disk, before anybody waits for it.

numba and LLVM hold the interpreter's lock for so long that a window would stutter. So where no compiled code is on disk
yet, a process of its own compiles first, and this one reads what it wrote.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

from bpe_studio.engine.kernels import loader

_NICENESS = 15
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_is_cancelled = threading.Event()
_processes: list[subprocess.Popen[bytes]] = []


def warm_up() -> None:
    """Compile the kernels, or read them from disk, so that small work may use them too; seconds the first time."""
    was_on_disk = is_on_disk()
    if not was_on_disk and not getattr(sys, "frozen", False):
        _compile_in_process()
        if _is_cancelled.is_set():
            return
    compile_kernels()
    stamp = _stamp()
    if stamp is not None and not was_on_disk:
        stamp.touch()


def is_on_disk() -> bool:
    """Whether there is nothing to compile: it was done before, or no folder can hold compiled kernels."""
    stamp = _stamp()
    return stamp is None or stamp.exists()


def _stamp() -> Path | None:
    """The file that says that all kernels are compiled; None where no folder can hold them."""
    folder = loader.use_cache_folder()
    return folder / f"compiled-{version('numba')}-{sys.implementation.cache_tag}" if folder is not None else None


def cancel() -> None:
    """Stop compiling, because the program is about to end; the kernel at hand is finished."""
    _is_cancelled.set()
    if _processes:
        _processes[-1].kill()


def compile_kernels() -> None:
    """Compile the kernels in this process, or read them from disk; each module uses its own once, on a small input."""
    # Imported here, because the process that only waits for another one needs none of them.
    from bpe_studio.engine.counting import word_table
    from bpe_studio.engine.encoding import bulk_encoding
    from bpe_studio.engine.training import corpus_array, corpus_at_step, trainer

    for module in (trainer, corpus_array, corpus_at_step, bulk_encoding, word_table):
        if _is_cancelled.is_set():
            return
        module.compile_kernels()


def _compile_in_process() -> None:
    """Have another process write compiled kernels to disk; whatever it does not write is compiled here.

    It takes one processor, and only while nothing else needs it: a person who clicks meanwhile goes first.
    """
    package = Path(__file__).parent.parent.parent
    code = (
        f"import os, sys; sys.path.insert(0, {str(package)!r}); "
        f"hasattr(os, 'nice') and os.nice({_NICENESS}); "
        f"from {__name__} import compile_kernels; compile_kernels()"
    )
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            creationflags=flags,
            env={**os.environ, **dict.fromkeys(_THREADS, "1")},
        )
    except OSError:
        return
    atexit.register(process.kill)
    _processes.append(process)
    if _is_cancelled.is_set():
        process.kill()
    process.wait()
    _processes.clear()
    atexit.unregister(process.kill)
