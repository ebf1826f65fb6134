"""Compiles the package and the tests once for all processes that run tests, each of which would compile them all.

In a fresh checkout that is ten seconds of processor time a process. Each compiles what no other has yet, in an order of
its own, and all are ready when nothing is left. What has changed since it was compiled is left to the import.

hypothesis parses the package too, for constants to try, and keeps what it found; so that is shared as well.
"""

from __future__ import annotations

import importlib.util
import py_compile
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.assertion import rewrite


def compile_with_others(config: pytest.Config, folders: list[Path], seed: str) -> int:
    """Compiles all modules in folders that nobody has compiled, and says how many these were.

    Args:
        config: that of the process, whose asserts are rewritten.
        folders: where the modules are.
        seed: another in each process, so that no two compile the same modules at the same time.
    """
    if sys.dont_write_bytecode:
        return 0
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    random.Random(seed).shuffle(paths)
    return sum(_compile_test(config, path) if _is_test(path) else _compile(path) for path in paths)


def _is_test(path: Path) -> bool:
    return path.name == "conftest.py" or path.name.startswith("test_")


def _compile(path: Path) -> bool:
    if Path(importlib.util.cache_from_source(path)).exists():
        return False
    if "tests" not in path.parts:  # where hypothesis does not look
        _keep_constants(path)
    return py_compile.compile(str(path), quiet=2) is not None


def _keep_constants(path: Path) -> None:
    """As hypothesis does when it meets a module, which it has no public function for."""
    try:
        from hypothesis.internal.constants_ast import constants_from_module
    except ImportError:
        return
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    constants_from_module(module)


def _compile_test(config: pytest.Config, path: Path) -> bool:
    """As pytest does when it imports a test, which it has no public function for."""
    folder = rewrite.get_cache_dir(path)
    compiled = folder / (path.stem + rewrite.PYC_TAIL)
    if compiled.exists() or not rewrite.try_makedirs(folder):
        return False
    source, code = rewrite._rewrite_test(path, config)
    return rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled)
