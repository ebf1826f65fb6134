"""Compiles the kernels ahead of time: `python -m bpe_studio.engine.build_kernels` writes an
extension module.

The module lies beside the kernels, and `kernels.loader` uses it instead of compiling, so that the
program starts fast and needs no numba. The build needs a C compiler and Python's headers, and takes
seconds. The module serves all versions of Python from 3.11 on (that of a free-threaded Python, only
its own version). The checksum of the kernels is in its name.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from bpe_studio.engine.kernels import built_ahead
from bpe_studio.engine.kernels.to_c import Program

# Numbers wrap around in the kernels.
_OPTIONS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fwrapv", "-g0"]


def main() -> None:
    """Builds the extension module if it is missing."""
    if built_ahead.module_file() is None:
        from setuptools.errors import BaseError, CCompilerError

        for old in Path(built_ahead.FOLDER).glob("built_????????*.*"):
            if built_ahead.checksum() not in old.name:
                with suppress(OSError):  # another process may still use it
                    old.unlink()
        try:
            with tempfile.TemporaryDirectory(prefix="building_", dir=built_ahead.FOLDER) as folder:
                built = build(built_ahead.name(), Program(), Path(folder))
                built.replace(Path(built_ahead.FOLDER, built.name))
        except (CCompilerError, BaseError, OSError) as error:
            raise SystemExit(
                "The fast code could not be compiled; install a C compiler and Python's headers"
                f" ({error})."
            ) from None
    sys.stdout.write(f"{built_ahead.module_file()}\n")


def build(name: str, program: Program, folder: Path) -> Path:
    """Builds an extension module.

    Args:
        name: the name of the module.
        program: the kernels.
        folder: the folder that it is written to.

    Returns:
        Its file.

    Raises:
        CCompilerError: the compiler fails, or there is none.
    """
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    source = folder / f"{name}.c"
    source.write_text(program.write(name), encoding="utf-8")
    module = Extension(name, [str(source)], extra_compile_args=_OPTIONS)
    if not built_ahead.IS_FREE_THREADED:
        module.py_limited_api = True
        module.define_macros.append(("Py_LIMITED_API", "0x030B0000"))
    command = build_ext(Distribution({"ext_modules": [module]}))
    command.build_lib = str(folder)
    command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(name))


if __name__ == "__main__":
    main()
