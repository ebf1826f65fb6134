"""Compiles all kernels, or loads them from disk, before they are needed.

numba and LLVM hold the interpreter's lock for so long that the window would stutter. So if there is no compiled code on
disk yet, another process compiles it first, and this one loads the result.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
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
    """Compile the kernels, or load them from disk, so that small work uses them too; takes seconds the first time."""
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
    """Whether nothing needs to be compiled: it was done before, or there is no writable folder."""
    stamp = _stamp()
    return stamp is None or stamp.exists()


def _stamp() -> Path | None:
    """The file that marks all kernels as compiled; None if there is no writable folder.

    Its name has everything by which numba decides whether compiled code can be used again. Two copies of the program
    share a folder if their kernels are the same, but not what is compiled: that belongs to a source file at its path
    with its time of change, and to a processor.
    """
    folder = loader.use_cache_folder()
    if folder is None:
        return None
    sources = sorted((Path(__file__).parent / "kernels").glob("*.py"))
    facts = [version("numba"), version("llvmlite"), sys.implementation.cache_tag, _processor()]
    facts += [f"{path} {path.stat().st_mtime_ns}" for path in sources]
    return folder / f"compiled-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"


def _processor() -> str:
    """What the system says of the kind of processor and its instructions."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0].splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "".join(line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part")))


def cancel() -> None:
    """Stop compiling because the program is about to end; the current kernel is finished."""
    _is_cancelled.set()
    if _processes:
        _processes[-1].kill()


def compile_kernels() -> None:
    """Compile the kernels in this process, or load them from disk; each module runs its own once, on a small input."""
    # Imported here, because a process that only waits for another one needs none of them.
    from bpe_studio.engine.counting import word_table
    from bpe_studio.engine.encoding import bulk_encoding
    from bpe_studio.engine.training import corpus_array, corpus_at_step, trainer

    for module in (trainer, corpus_array, corpus_at_step, bulk_encoding, word_table):
        if _is_cancelled.is_set():
            return
        module.compile_kernels()


def _compile_in_process() -> None:
    """Let another process write compiled kernels to disk; any that it does not write are compiled here.

    It runs at low priority, so that it does not slow down a user who works meanwhile.
    """
    package = Path(__file__).parent.parent.parent
    code = (
        f"import os, sys; sys.path.insert(0, {str(package)!r}); "
        f"hasattr(os, 'nice') and os.nice({_NICENESS}); "
        f"import {__name__} as warm_up; "
        "warm_up.compile_kernels()"
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
