"""Compiles the kernels ahead of time: `python -m bpe_studio.engine.build_kernels` writes extension
modules.

They lie beside the kernels, and `kernels.loader` takes them instead of compiling. So a wheel or a
bundle that has them starts fast, and needs neither numba nor a compiler. There is one for any
processor of the machine's kind, and on x86-64 a second one for those from about 2015 on. They are
for one version of Python, and for the kernels as they are now, with their checksum in the name.

A C compiler links them.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bpe_studio import _system
from bpe_studio.engine import warm_up
from bpe_studio.engine.kernels import built_ahead, loader

_FOLDER = Path(built_ahead.__file__).parent
Kernel = tuple[str, Any, Callable[..., Any]]
"""Its name in the extension module, the types of its arguments and result, and its function."""


def main() -> None:
    """Builds the extension modules that are missing."""
    processors = {"": "generic"}
    if platform.machine() in ("x86_64", "AMD64"):
        processors[built_ahead.NEWER] = "x86-64-v3"
    if any(built_ahead.module_file(suffix) is None for suffix in processors):
        if not _system.can_build_extensions():
            raise SystemExit(
                "The kernels cannot be built ahead: there is no compiler of C and C++, or no"
                " Python.h."
            )
        for old in _FOLDER.glob(f"built_*{EXTENSION_SUFFIXES[0]}"):
            old.unlink()
        with tempfile.TemporaryDirectory(prefix="building_", dir=_FOLDER) as folder:
            # What other processes have compiled is loaded from there, function by function as
            # Python calls them. So those that build know only the types of these calls, and not of
            # the calls inside the kernels.
            os.environ["NUMBA_CACHE_DIR"] = folder
            warm_up.warm_up()
            with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
                for built in list(
                    pool.map(
                        _build_for, processors, processors.values(), [folder] * len(processors)
                    )
                ):
                    built.replace(_FOLDER / built.name)
    for suffix in processors:
        sys.stdout.write(f"{built_ahead.module_file(suffix)}\n")


def _build_for(suffix: str, processor: str, folder: str) -> Path:
    tempfile.tempdir = folder  # numba leaves files there if it fails
    warm_up.compile_kernels()
    return build(built_ahead.name_of(suffix), processor, list(called_by_python()), Path(folder))


def called_by_python() -> Iterator[Kernel]:
    """Each kernel that Python has called in this process, once for each combination of types."""
    for kernel, module in loader.all_compiled():
        for function in vars(module).values():
            if getattr(function, "__module__", None) == module.__name__:
                for signature in getattr(function, "nopython_signatures", ()):
                    arguments = [_kind(each) for each in signature.args]
                    yield (
                        built_ahead.symbol(kernel, function.__name__, arguments),
                        signature,
                        function.py_func,
                    )


def _kind(argument: Any) -> str:
    """The type of an argument as `loader` tells them apart."""
    from numba import types

    if not isinstance(argument, types.Array):
        return built_ahead.NO_ARRAY
    layout = built_ahead.GAPS if argument.layout == "A" else ""
    return f"{argument.dtype}{layout}"


def build(name: str, processor: str, kernels: list[Kernel], folder: Path) -> Path:
    """Builds one extension module.

    Args:
        name: its name.
        processor: the processor, as LLVM names it.
        kernels: what is in it.
        folder: where it is written.

    Returns:
        Its file.
    """
    with warnings.catch_warnings():
        # numba will replace this part one day, and says so at each import.
        warnings.simplefilter("ignore")
        pycc: Any = import_module("numba.pycc")
    compiler: Any = import_module("numba.pycc.compiler")
    # This part of numba has no option for it: kernels leave the interpreter's lock to other
    # threads.
    plain_flags = compiler.Flags
    compiler.Flags = lambda: _without_lock(plain_flags())
    try:
        extension = pycc.CC(name)
        extension.output_dir = str(folder)
        extension.use_nrt = False
        extension.target_cpu = processor
        for symbol, signature, function in kernels:
            extension.export(symbol, signature)(function)
        extension.compile()
    finally:
        compiler.Flags = plain_flags
    return folder / str(extension.output_file)


def _without_lock(flags: Any) -> Any:
    flags.release_gil = True
    return flags


if __name__ == "__main__":
    main()
