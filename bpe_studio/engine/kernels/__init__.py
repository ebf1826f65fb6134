"""The engine's inner loops, and the choice between running them as they stand and compiled.

A kernel module is plain Python that only indexes. `plain(name)` is that module; `compiled(name)` is the same source
with every function compiled by numba, which releases the interpreter's lock. The first compilation on a machine takes
seconds and is kept on disk afterwards, so a small corpus never waits for it: callers use `choose`, which takes the
compiled one where it is ready or the work is large, and else the plain one. `warm_up` has the first compilation made
by a process of its own, because numba and LLVM hold the interpreter's lock for so long that a window would stutter.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import os
import subprocess
import sys
import threading
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any

PLAIN_WORK = 60_000
"""Up to this much work (symbols of the corpus) the plain kernels are quick enough to start at once."""

_NICENESS = 15
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_compiled: dict[str, types.ModuleType] = {}
_ready: set[str] = set()
_lock = threading.RLock()
_is_leaving = threading.Event()
_elsewhere: list[subprocess.Popen[bytes]] = []


def plain(name: str) -> Any:
    """A kernel module as it stands."""
    return importlib.import_module(f"{__name__}.{name}")


def compiled(name: str) -> Any:
    """A kernel module with its functions compiled by numba; each is compiled, or read from disk, at its first call."""
    with _lock:
        if name not in _compiled:
            _compiled[name] = _compile(plain(name))
        return _compiled[name]


def choose(name: str, work: int) -> tuple[Any, bool]:
    """The module to use for an amount of work, and whether it is the compiled one."""
    if name in _ready or work > PLAIN_WORK:
        return compiled(name), True
    return plain(name), False


def sibling(module: Any, name: str) -> Any:
    """Another kernel module of the same kind, plain or compiled, as the one given."""
    return compiled(name) if module in _compiled.values() else plain(name)


def mark_ready(name: str) -> None:
    """Note that a module is compiled in this process, so that small work may use it too."""
    _ready.add(name)


def is_ready(name: str) -> bool:
    """Whether a module is compiled in this process."""
    return name in _ready


def warm_up() -> None:
    """Compile the kernels, or read them from disk, so that small work may use them too; seconds the first time."""
    folder = _use_cache_folder()
    stamp = folder / f"compiled-{version('numba')}-{sys.implementation.cache_tag}" if folder is not None else None
    is_on_disk = stamp is None or stamp.exists()
    if not is_on_disk and not getattr(sys, "frozen", False):
        _compile_elsewhere()
        if _is_leaving.is_set():
            return
    compile_all()
    if stamp is not None and not is_on_disk:
        stamp.touch()


def compile_all() -> None:
    """Compile the kernels in this process, or read them from disk."""
    # Who uses kernels knows what there is to compile.
    users = {
        "bpe_studio.engine.training.trainer": "compile_kernels",
        "bpe_studio.engine.counting.word_table": "compile_counting",
    }
    for name, compiling in users.items():
        if not _is_leaving.is_set():
            getattr(importlib.import_module(name), compiling)()


def _compile_elsewhere() -> None:
    """Have another process write compiled kernels to disk; whatever it does not write is compiled here.

    It takes one processor, and only while nobody else wants it: a person who clicks meanwhile goes first.
    """
    package = Path(__file__).parent.parent.parent.parent
    code = (
        f"import os, sys; sys.path.insert(0, {str(package)!r}); "
        f"hasattr(os, 'nice') and os.nice({_NICENESS}); "
        f"from bpe_studio.engine import kernels; kernels.compile_all()"
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
    _elsewhere.append(process)
    if _is_leaving.is_set():
        process.kill()
    process.wait()
    _elsewhere.clear()
    atexit.unregister(process.kill)


def leave() -> None:
    """Give up what another process compiles: the program is about to end."""
    _is_leaving.set()
    if _elsewhere:
        _elsewhere[-1].kill()


def _compile(module: types.ModuleType) -> types.ModuleType:
    _use_cache_folder()
    from numba import njit

    assert module.__file__ is not None
    path = Path(module.__file__)
    twin = types.ModuleType(f"{module.__name__}__compiled")
    twin.__file__ = str(path)
    sys.modules[twin.__name__] = twin
    exec(compile(path.read_text("utf-8"), str(path), "exec"), twin.__dict__)
    for name, value in list(vars(twin).items()):
        if not isinstance(value, types.FunctionType):
            continue
        if value.__module__ == twin.__name__:
            setattr(twin, name, _jit(njit, value))
        elif value.__module__.startswith(f"{__name__}."):
            # A function of another kernel module: the compiled one takes its place.
            setattr(twin, name, getattr(compiled(value.__module__.removeprefix(f"{__name__}.")), name))
    return twin


def _jit(njit: Any, function: types.FunctionType) -> Any:
    # Kernels make no arrays, and who calls them keeps those that they are given. So they need not count references,
    # which would cost a third of the time: each function would take and release every array in it, atomically.
    options = {"nogil": True, "_nrt": False}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        # No folder can hold compiled code: it is compiled anew in each process.
        return njit(**options)(function)


def _use_cache_folder() -> Path | None:
    """Keep compiled code in the person's cache folder, for the program may be installed where it cannot write.

    Returns:
        The folder; `None` where it cannot be written.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        folder = Path(os.environ["NUMBA_CACHE_DIR"])
        return folder if os.access(folder, os.W_OK) else None
    if "numba" in sys.modules:
        return None
    from platformdirs import user_cache_path

    # numba looks only at the file that a function stands in; a kernel that calls another file's would not be renewed.
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    folder = user_cache_path("bpe-studio") / "kernels" / hashlib.sha256(sources).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder
