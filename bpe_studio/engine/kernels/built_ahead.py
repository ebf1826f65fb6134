"""Kernels that were compiled ahead of time: an extension module beside this file, which
`build_kernels.py` has written.

It has the functions that Python calls, once for each combination of kinds of arguments. It does not
look at what it is given, so that is done here.
"""

from __future__ import annotations

import importlib
import os
import types
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

FOLDER = os.path.dirname(__file__)
NO_ARRAY = "x"
GAPS = "_gaps"
NEWER = "_v3"
"""What the name of a module for newer processors ends with."""
_INSTRUCTIONS = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
"""What x86-64-v3 has more, as Linux names it."""


def name_of(suffix: str) -> str:
    """The name of the extension module with the kernels as they are now, for a kind of
    processor.
    """
    return f"built_{checksum()}{suffix}"


def symbol(kernel: str, function: str, arguments: Iterable[str]) -> str:
    """The name of a function in it.

    Args:
        kernel: the kernel's module.
        function: its name there.
        arguments: `NO_ARRAY`, or the type of an array's entries, with `GAPS` if it may have gaps.
    """
    return "__".join([kernel, function, *arguments])


def module_file(suffix: str) -> str | None:
    """The file of the extension module for a kind of processor; `None` if there is none."""
    files = (os.path.join(FOLDER, name_of(suffix) + ending) for ending in EXTENSION_SUFFIXES)
    return next(filter(os.path.exists, files), None)


@lru_cache(1)
def extension() -> Any:
    """The extension module for this processor; `None` if there is none."""
    for suffix in (NEWER, "") if set(processor().split()) >= _INSTRUCTIONS else ("",):
        with suppress(ImportError):
            return importlib.import_module(f"{__package__}.{name_of(suffix)}")
    return None


def form_of(kernel: str, module: types.ModuleType) -> types.ModuleType:
    """The constants of a kernel module, and its functions that Python calls, from the extension
    module.
    """
    form = types.ModuleType(f"{module.__name__}__built")
    vars(form).update({name: value for name, value in vars(module).items() if not callable(value)})
    found: dict[str, list[tuple[list[str], Callable[..., Any]]]] = {}
    for name, function in vars(extension()).items():
        its_kernel, *rest = name.split("__")
        if its_kernel == kernel:
            found.setdefault(rest[0], []).append((rest[1:], function))
    for name, variants in found.items():
        setattr(form, name, _choosing(variants))
    return form


def _choosing(variants: list[tuple[list[str], Callable[..., Any]]]) -> Callable[..., Any]:
    from numpy import ndarray

    def kind_of(argument: Any) -> str:
        if not isinstance(argument, ndarray):
            return NO_ARRAY
        return f"{_name(argument.dtype)}{'' if argument.flags.c_contiguous else GAPS}"

    def call(*arguments: Any) -> Any:
        given = [kind_of(each) for each in arguments]
        for kinds, function in variants:
            if all(kind in (one, f"{one}{GAPS}") for kind, one in zip(kinds, given, strict=True)):
                return function(*arguments)
        raise TypeError(f"no kernel takes {given}")

    return call


@lru_cache
def _name(dtype: Any) -> Any:
    return dtype.name  # which numpy puts together anew each time


@lru_cache(1)
def checksum() -> str:
    """The checksum of all kernels."""
    found = 0
    for path in sources():
        with open(path, "rb") as source:
            found = zlib.crc32(source.read(), found)
    return f"{found:08x}"


def sources() -> list[str]:
    """The files of all kernels."""
    return [
        os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER)) if name.endswith(".py")
    ]


def processor() -> str:
    """What the system says of the kind of processor and its instructions."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().partition("\n\n")[0].splitlines()
    except OSError:
        import platform

        return f"{platform.machine()} {platform.processor()}"
    return "".join(
        line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))
    )
