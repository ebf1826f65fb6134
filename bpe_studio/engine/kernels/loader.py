"""The choice between running a kernel as it is and compiled.

A kernel module is plain Python that only indexes. `plain(name)` is that module; `compiled(name)` is the same source
with every function compiled by numba, which releases the interpreter's lock. The first compilation on a machine takes
seconds and is kept on disk afterwards, so a small corpus never waits for it: callers use `choose`, which takes the
compiled module where it is ready or the work is large, and else the plain one. `engine/warm_up.py` has all of them
compiled before anybody waits for them.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import threading
import types
from pathlib import Path
from typing import Any

PLAIN_WORK = 60_000
"""Up to this much work (symbols of the corpus) the plain kernels are quick enough to start at once."""

_compiled: dict[str, types.ModuleType] = {}
_ready: set[str] = set()
_lock = threading.RLock()


def plain(name: str) -> Any:
    """A kernel module as it is."""
    return importlib.import_module(f"{__package__}.{name}")


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


def _compile(module: types.ModuleType) -> types.ModuleType:
    use_cache_folder()
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
            setattr(twin, name, jit(njit, value))
        elif value.__module__.startswith(f"{__package__}."):
            # A function of another kernel module: the compiled one takes its place.
            setattr(twin, name, getattr(compiled(value.__module__.removeprefix(f"{__package__}.")), name))
    return twin


def jit(njit: Any, function: types.FunctionType) -> Any:
    """A function compiled by numba when it is first called; kept on disk where a folder can be written."""
    # Kernels make no arrays, and who calls them keeps those that they are given. So they need not count references,
    # which would cost a third of the time: each function would take and release every array in it, atomically.
    options = {"nogil": True, "_nrt": False}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        # No folder can hold compiled code: it is compiled again in each process.
        return njit(**options)(function)


def use_cache_folder() -> Path | None:
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

    # numba looks only at the file that defines a function; one that calls another file's would not be compiled again.
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
