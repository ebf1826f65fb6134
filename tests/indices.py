"""`python -m tests.indices` runs the tests of the engine with kernels that check every index.

A kernel in C reads and writes beside an array without a word. Index -1 is the last entry in plain
Python, and lies outside in C.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from setuptools.errors import BaseError, CCompilerError

from bpe_studio.engine import build_kernels
from bpe_studio.engine.kernels import built_ahead, loader
from bpe_studio.engine.kernels.to_c import Program


def main() -> int:
    """Builds the kernels, has all work done by them, and runs the tests."""
    os.environ["CFLAGS"] = "-DCHECK_INDICES"
    name = built_ahead.name()
    with TemporaryDirectory() as folder:
        try:
            file = build_kernels.build(name, Program(), Path(folder))
        except (CCompilerError, BaseError, OSError) as error:
            sys.stdout.write(f"Without a C compiler, no index is checked ({error}).\n")
            return int("BPE_STUDIO_SKIPS_NOTHING" in os.environ)
        spec = importlib.util.spec_from_file_location(f"{built_ahead.__package__}.{name}", file)
        assert spec is not None and spec.loader is not None
        kernels = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(kernels)
        sys.modules[spec.name] = kernels
        loader.PLAIN_WORK = -1
        # The tests of the loader are about when there is other work.
        # What C says of an index goes to the terminal.
        arguments = ["-q", "--capture=sys", "tests/engine", "--ignore=tests/engine/kernels"]
        return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
