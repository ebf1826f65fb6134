"""Chooses between the plain and the compiled form of a kernel.

A kernel module is plain Python that only indexes. `plain(name)` is that module; `compiled(name)` is
the same source, compiled, and releases the interpreter's lock. If there was a C compiler,
`engine/build_kernels.py` has compiled it ahead of time. Otherwise numba compiles it, function by
function; only `instructions` makes its compiled form itself. The first time on a machine, this
takes a quarter of a minute; the result is cached on disk. A small corpus never waits for it, and
one of some megabytes does not wait if nothing is cached yet: callers use `choose`, which returns
the compiled module if it is ready or the work is worth it, and otherwise the plain one.
`engine/warm_up.py` has numba compile all kernels before they are needed. Without numba and a C
compiler, the plain kernels do all work.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.kernels import built_ahead

if TYPE_CHECKING:
    from pathlib import Path

PLAIN_WORK = 60_000
"""Up to this much work (symbols of the corpus), the plain kernels are fast enough."""
ANY_WORK = 1 << 62
"""Work for which kernels are compiled in any case."""

_PATIENCE = 16
"""The factor by which plain kernels do more work if compiled ones are not on disk; this takes about
two seconds.
"""

_OLDEST_NUMBA = (0, 61)
_WAIT_S = 0.005
_LOADED_AFTER_S = 2.0
"""Compiled kernels are loaded from disk in less time."""
_compiled: dict[str, types.ModuleType] = {}
_ready: set[str] = set()
_lock = threading.RLock()
_waiting_since: float | None = None
_is_disk_usable = True


def plain(name: str) -> Any:
    """A kernel module in plain Python."""
    return importlib.import_module(f"{__package__}.{name}")


def compiled(name: str) -> Any:
    """A compiled kernel module; each function is compiled, or loaded from disk, at its
    first call.
    """
    with _lock:
        if name not in _compiled:
            module = plain(name)
            if built_ahead.extension() is not None:
                _compiled[name] = built_ahead.form_of(name, module)
            else:
                _compiled[name] = (
                    module.compiled_form() if hasattr(module, "compiled_form") else _compile(module)
                )
        return _compiled[name]


def choose(name: str, work: int) -> tuple[Any, bool]:
    """The module to use for an amount of work, and whether it is compiled."""
    if name in _ready or is_worth_compiling(work, PLAIN_WORK):
        return compiled(name), True
    return plain(name), False


def is_worth_compiling(work: int, plain_work: int) -> bool:
    """Whether compiled kernels do the work sooner, including the time to load or compile them.

    Args:
        work: the amount.
        plain_work: the amount that plain kernels do while compiled ones are loaded from disk.
    """
    if work <= plain_work:
        return False
    if why_plain():
        _say_why_plain()
        return False
    return work > _PATIENCE * plain_work or is_on_disk()


@lru_cache(1)
def why_plain() -> str:
    """A sentence that says why kernels are not and cannot be compiled here, and what to do; empty
    if they are or can be.
    """
    if built_ahead.extension() is not None:
        return ""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("numba")
    except PackageNotFoundError:
        reason = "and numba is not installed"
    else:
        if tuple(map(int, found.split(".")[:2])) >= _OLDEST_NUMBA:
            return ""
        reason = f"and numba {found} is too old"
    return (
        f"The fast code is not compiled here, {reason}, so a large text takes many times as long:"
        ' run pip install "numba>=0.61", or install BPE Studio again where there is a C compiler'
    )


@lru_cache(1)
def _say_why_plain() -> None:
    warnings.warn(why_plain(), RuntimeWarning, stacklevel=3)


def sibling(module: Any, name: str) -> Any:
    """Another kernel module in the same form, plain or compiled, as the given one."""
    return compiled(name) if module in _compiled.values() else plain(name)


def mark_ready(name: str) -> None:
    """Record that a module is compiled in this process, so that small work uses it too."""
    _ready.add(name)


def is_ready(name: str) -> bool:
    """Whether a module is compiled in this process."""
    return name in _ready


def is_compiling() -> bool:
    """Whether somebody waits for kernels for so long that they are not just loaded from disk."""
    return _waiting_since is not None and time.monotonic() - _waiting_since > _LOADED_AFTER_S


def is_on_disk() -> bool:
    """Whether all kernels were compiled before, and are on disk."""
    if built_ahead.extension() is not None:
        return True
    if why_plain():
        return False
    stamp = _stamp()
    return stamp is not None and stamp.exists()


def note_on_disk() -> None:
    """Record that all kernels are on disk."""
    stamp = _stamp()
    if stamp is not None and _is_disk_usable:
        with suppress(OSError):
            stamp.touch()


def _stamp() -> Path | None:
    """The file that marks all kernels as compiled; None if there is no writable folder."""
    folder = use_cache_folder()
    return None if folder is None else folder / f"compiled-{_kind_of_code()}"


@lru_cache(1)
def _kind_of_code() -> str:
    """A checksum of the facts by which numba decides whether compiled code can be used again.

    Two copies of the program share a folder if their kernels are the same, but not the compiled
    code: that belongs to a source file at its path with its time of change, and to a processor.
    """
    import hashlib
    from importlib.metadata import version

    facts = [
        version("numba"),
        version("llvmlite"),
        sys.implementation.cache_tag,
        _processor(),
    ]
    facts += [f"{path} {os.stat(path).st_mtime_ns}" for path in built_ahead.sources()]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _processor() -> str:
    """The kind of processor and its instructions, as the system describes them."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().partition("\n\n")[0].splitlines()
    except OSError:
        import platform

        return f"{platform.machine()} {platform.processor()}"
    return "".join(
        line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))
    )


def _compile(module: types.ModuleType) -> types.ModuleType:
    use_cache_folder()
    from numba import njit

    assert module.__file__ is not None
    twin = types.ModuleType(f"{module.__name__}__compiled")
    twin.__file__ = module.__file__
    sys.modules[twin.__name__] = twin
    with open(module.__file__, encoding="utf-8") as source:
        exec(compile(source.read(), module.__file__, "exec"), twin.__dict__)
    for name, value in list(vars(twin).items()):
        if not isinstance(value, types.FunctionType):
            continue
        if value.__module__ == twin.__name__:
            setattr(twin, name, jit(njit, value))
        elif value.__module__.startswith(f"{__package__}."):
            # Replace a function of another kernel module by its compiled form.
            setattr(
                twin,
                name,
                getattr(compiled(value.__module__.removeprefix(f"{__package__}.")), name),
            )
    return twin


def compile_in_thread(name: str, compile_kernels: Callable[[], None]) -> Iterator[None]:
    """Compile the kernels of a module in a thread, or load them from disk; yields every few
    milliseconds meanwhile.

    Args:
        name: the module, which is marked as ready then.
        compile_kernels: calls each of its kernels.
    """
    global _waiting_since
    if is_ready(name):
        return
    errors: list[BaseException] = []

    def compile_all() -> None:
        try:
            compile_kernels()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=compile_all, name="counting", daemon=True)
    thread.start()
    _waiting_since = time.monotonic()
    try:
        while thread.is_alive():
            thread.join(_WAIT_S)
            yield
    finally:
        _waiting_since = None
    if errors:
        raise errors[0]
    mark_ready(name)


def jit(njit: Any, function: types.FunctionType) -> Any:
    """A function that numba compiles at its first call, cached on disk if there is a writable
    folder.
    """
    # Kernels create no arrays, and their callers hold references to those that they pass. So
    # reference counting is switched off; it would cost a third of the time, because each function
    # would acquire and release every array.
    options = {"nogil": True, "_nrt": False}
    try:
        kernel = njit(cache=True, **options)(function)
    except RuntimeError:
        # There is no writable folder: each process compiles again.
        return njit(**options)(function)
    for name in ("load_overload", "save_overload"):
        setattr(kernel._cache, name, _if_possible(kernel._cache, getattr(kernel._cache, name)))
    return kernel


def _if_possible(cache: Any, use: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        global _is_disk_usable
        try:
            return use(*arguments)
        except Exception:  # the disk is full, or a file is damaged, which numba does not expect
            _is_disk_usable = False
            with suppress(OSError):
                cache.flush()
            return None

    return call


def use_cache_folder() -> Path | None:
    """Store compiled code in the user's cache folder, because the program's folder may not be
    writable.

    Returns:
        The folder; `None` if it is not writable.
    """
    from pathlib import Path

    # numba checks only the file that defines a function, not those of the functions that it calls.
    part = built_ahead.checksum()
    if "NUMBA_CACHE_DIR" in os.environ:
        folder = Path(os.environ["NUMBA_CACHE_DIR"])
        if folder.name != part:
            folder /= part
    elif "numba" in sys.modules:
        return None
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("bpe-studio") / "kernels" / part
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder
