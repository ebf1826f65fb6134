"""Kernels that were compiled ahead of time: an extension module beside this file, which
`build_kernels.py` has written.

It has the functions that Python calls. They check what they are given, and leave the interpreter's
lock to other threads.
"""

from __future__ import annotations

import importlib
import os
import types
import zlib
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

FOLDER = os.path.dirname(__file__)
IS_FREE_THREADED = "t-" in EXTENSION_SUFFIXES[0]
"""Whether this Python can do without its lock, and loads no extension module of one that cannot:
`.cpython-314t-...`."""


def name() -> str:
    """The name of the extension module with the kernels as they are now."""
    return f"built_{checksum()}{'t' if IS_FREE_THREADED else ''}"


def module_file() -> str | None:
    """The file of the extension module that this Python can load; `None` if there is none."""
    files = (os.path.join(FOLDER, name() + ending) for ending in EXTENSION_SUFFIXES)
    return next(filter(os.path.exists, files), None)


@lru_cache(1)
def extension() -> Any:
    """The extension module; `None` if there is none."""
    with suppress(ImportError):
        return importlib.import_module(f"{__package__}.{name()}")
    return None


def form_of(kernel: str, module: types.ModuleType) -> types.ModuleType:
    """The constants of a kernel module, and its functions that Python calls, from the extension
    module.
    """
    form = types.ModuleType(f"{module.__name__}__built")
    vars(form).update({name: value for name, value in vars(module).items() if not callable(value)})
    for name, function in vars(extension()).items():
        its_kernel, _, its_name = name.partition("__")
        if its_kernel == kernel:
            setattr(form, its_name, function)
    return form


@lru_cache(1)
def checksum() -> str:
    """The checksum of all kernels, and of what writes them as C."""
    found = 0
    for path in sources():
        with open(path, "rb") as source:
            found = zlib.crc32(source.read(), found)
    return f"{found:08x}"


def sources() -> list[str]:
    """The files of all kernels."""
    return [
        os.path.join(FOLDER, name)
        for name in sorted(os.listdir(FOLDER))
        if name.endswith((".py", ".h"))
    ]
