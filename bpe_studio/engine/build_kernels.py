"""Compiles the kernels ahead of time: `python -m bpe_studio.engine.build_kernels` writes an
extension module.

It lies beside the kernels, and `kernels.loader` takes it instead of compiling. So a program that
has it starts fast and needs no numba. It needs a C compiler and Python's headers, takes seconds,
and serves all versions of Python from 3.11 on (on a free-threaded Python, that version only). The
checksum of the kernels is in its name.
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
                "No C compiler could compile the fast code; it needs one, and Python's headers"
                f" ({error})."
            ) from None
    sys.stdout.write(f"{built_ahead.module_file()}\n")


def build(name: str, program: Program, folder: Path) -> Path:
    """Builds an extension module.

    Args:
        name: its name.
        program: what is in it.
        folder: where it is written.

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
