"""Compiles all kernels, or loads them from disk, before they are needed.

numba and LLVM hold the interpreter's lock for so long that the window would stutter. So if there is
no compiled code on disk yet, other processes compile it first, and this one loads the result.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain

from bpe_studio.engine.kernels import loader

_NICENESS = 5, 5, 15
"""The niceness of each part's process: the first text waits for counting and training, so these
come first.
"""
_WAIT_S = 0.02
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_is_cancelled = threading.Event()
_processes: list[subprocess.Popen[bytes]] = []
_lock = threading.Lock()
_thread: threading.Thread | None = None


def warm_up() -> None:
    """Compile the kernels, or load them from disk, so that small work uses them too.

    Takes seconds the first time.
    """
    if loader.why_plain():
        return
    was_on_disk = loader.is_on_disk()
    if (
        not was_on_disk
        and loader.use_cache_folder() is not None
        and not getattr(sys, "frozen", False)
    ):
        _compile_in_processes()
    compile_kernels()
    if not was_on_disk and not _is_cancelled.is_set():
        loader.note_on_disk()


def begin() -> threading.Thread:
    """Warm up in a thread of its own, the same for every caller; the end of the program ends it."""
    global _thread
    with _lock:
        if _thread is None:
            atexit.register(cancel)
            _thread = threading.Thread(target=warm_up, name="kernels", daemon=True)
            _thread.start()
        return _thread


def wait_for(name: str) -> None:
    """Wait until a module of kernels is ready, while the others may still be compiled."""
    thread = begin()
    while thread.is_alive() and not loader.is_ready(name):
        thread.join(_WAIT_S)


def cancel() -> None:
    """Stop compiling because the program is about to end.

    What is compiled by then stays on disk.
    """
    _is_cancelled.set()
    for process in list(_processes):
        process.kill()


def compile_kernels(parts: Sequence[int] = (0, 1, 2)) -> None:
    """Compile the kernels in this process, or load them from disk; each module runs its own once,
    on a small input.

    Args:
        parts: which of them; parts share no kernel and can be compiled side by side.
    """
    # Imported here, because a process that only waits for others needs none of them.
    from bpe_studio.engine.counting import word_table
    from bpe_studio.engine.encoding import bulk_encoding
    from bpe_studio.engine.training import corpus_array, corpus_at_step, trainer

    modules = (word_table,), (trainer, corpus_array), (corpus_at_step, bulk_encoding)
    for module in chain.from_iterable(modules[part] for part in parts):
        if _is_cancelled.is_set():
            return
        module.compile_kernels()


def _compile_in_processes() -> None:
    """Let other processes write compiled kernels to disk, and load each part; what they do not
    write is compiled here.

    They run at low priority, so that they do not slow down a user who works meanwhile.
    """
    from pathlib import Path

    package = Path(__file__).parent.parent.parent
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(
        subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0
    )
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        for part, niceness in enumerate(_NICENESS):
            code = (
                f"import os, sys; sys.path.insert(0, {str(package)!r}); "
                f"hasattr(os, 'nice') and os.nice({niceness}); "
                f"import {__name__} as warm_up; "
                f"warm_up.compile_kernels([{part}])"
            )
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=quiet,
                stdout=quiet,
                stderr=quiet,
                creationflags=flags,
                env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            )
            atexit.register(process.kill)
            _processes.append(process)
    if _is_cancelled.is_set():
        cancel()
    for part, process in enumerate(_processes):
        process.wait()
        atexit.unregister(process.kill)
        compile_kernels([part])
    _processes.clear()
